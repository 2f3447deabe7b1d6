"""Navigation on `cs` with rankers that read text only, round by round, beside Nogueira et al.'s
table 6.

    python benchmarks/navigation.py           (some ten minutes)

Two rankers: `bm25`, the first stage's own formula, which can add papers behind the first k_d but
never among them; and `feedback`, BM25 with the titles of the best candidates joined to the draft,
which can.
"""

import multiprocessing
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace

import numpy as np

import citewise
from citewise.evaluate import Question, Run, Settings, analyse, parse_measures, score
from citewise.library.folder import LibraryFolder
from citewise.protocols import Ranker
from citewise.recommend import Recommender
from citewise.retrieve.bm25 import Bm25, Bm25Ranker, Bm25Settings
from citewise.retrieve.navigation import Navigation, NavigationSettings
from citewise.types import Query, Ranking, Scope
from lab import CORPORA, library_of, rows_of, split_of
from measuring import save
from protocol import WORK

ROUNDS = range(4)
DEPTH = 1000
DEV_SAMPLE = 300
MEASURES = parse_measures("F1@20 MRR@1000 R@1000")
PAPER = {
    "corpus": "OpenResearch, development set",
    "ranker": "SciBERT-Base",
    "rows": {
        0: {"F1@20": 0.131, "MRR@1000": 0.423, "R@1000": 0.423, "term overlap": 0.146},
        1: {"F1@20": 0.151, "MRR@1000": 0.449, "R@1000": 0.658, "term overlap": 0.126},
        2: {"F1@20": 0.148, "MRR@1000": 0.446, "R@1000": 0.681, "term overlap": 0.120},
        3: {"F1@20": 0.147, "MRR@1000": 0.445, "R@1000": 0.681, "term overlap": 0.118},
    },
}
"""Table 6; its term overlap is of the candidates, as ours at depth 1000."""


@dataclass(frozen=True)
class Variant:
    """A navigation to be measured."""

    titles: int = 0
    """Of how many candidates the feedback ranker reads the titles; 0: plain BM25."""
    settings: NavigationSettings = field(default_factory=NavigationSettings)

    def __str__(self) -> str:
        ranker = f"feedback of {self.titles}" if self.titles else "bm25"
        return f"{ranker}, rounds {self.settings.rounds}, counted {self.settings.counted}"

    def over(self, library: LibraryFolder) -> Recommender:
        usual = Bm25Settings()
        ranker: Ranker = (
            Feedback(library, usual, self.titles) if self.titles else Bm25Ranker(library, usual)
        )
        return Recommender(
            library, Navigation(library, Bm25(library, usual), ranker, self.settings)
        )


class Feedback:
    """Ranks by BM25, then again with the titles of the best as part of the draft's."""

    def __init__(self, library: LibraryFolder, settings: Bm25Settings, titles: int) -> None:
        self._library, self._ranker, self._titles = library, Bm25Ranker(library, settings), titles

    def rank(
        self, query: Query, ranking: Ranking, scope: Scope, most: int | None = None
    ) -> Ranking:
        first = self._ranker.rank(query, ranking, scope)
        joined = " ".join([query.title, *self._library.titles(first.rows[: self._titles])])
        return self._ranker.rank(replace(query, title=joined), first, scope)


def main() -> None:
    held = library_of("cs")
    split = split_of("cs", held, CORPORA["cs"][0])
    dev, test = split.questions(held, "dev"), split.questions(held, "test")
    sample = random.Random(0).sample(dev, DEV_SAMPLE)
    tried = [
        *(
            Variant(settings=NavigationSettings(rounds, counted=counted))
            for rounds in ROUNDS[1:]
            for counted in ("new", "all")
        ),
        *(Variant(titles) for titles in (3, 10, 30)),
    ]
    chosen = measured(held, tried, sample, overlap=False)
    titles = max(
        (each for each in tried if each.titles), key=lambda each: chosen[str(each)]["F1@20"][0]
    ).titles
    counted = max(
        ("new", "all"),
        key=lambda counted: sum(
            found["R@1000"][0]
            for name, found in chosen.items()
            if name.endswith(counted) and name.startswith("bm25")
        ),
    )
    wanted = [
        Variant(each, NavigationSettings(rounds, counted=counted))
        for each in (0, titles)
        for rounds in ROUNDS
    ]
    wanted.append(Variant(0, NavigationSettings(2, counted="all" if counted == "new" else "new")))
    save(
        "navigation-cs",
        {
            "corpus": "cs",
            "guarded": True,
            "settings": asdict(NavigationSettings()),
            "dev 2021": {"queries": len(sample), "rows": chosen},
            "test 2022": {"queries": len(test), "rows": measured(held, wanted, test)},
            "paper": PAPER,
        },
    )


def measured(
    held: citewise.OpenLibrary,
    variants: list[Variant],
    questions: list[Question],
    overlap: bool = True,
) -> dict[str, dict]:
    """Return each variant's measures, and what share of its answers' terms the query has too."""
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, spawning) as pool:
        runs = [*pool.map(answered, variants, [questions] * len(variants))]
    found = rows_of(score(held, runs, questions, Settings(measures=MEASURES)))
    if overlap:
        for depth in (20, DEPTH):
            for system, row in analyse(held.library, runs, questions, ["overlap"], depth)[
                0
            ].rows.items():
                found.setdefault(system, {})[f"term overlap@{depth}"] = round(row["mean share"], 4)
    return found


def answered(variant: Variant, questions: list[Question]) -> Run:
    library = citewise.open(WORK / "cs-library").library
    recommender = variant.over(library)
    rankings, seconds = [], []
    for question in questions:
        start = time.perf_counter()
        rankings.append(recommender.rank(question.query, DEPTH).rows)
        seconds.append(time.perf_counter() - start)
    print(variant, round(float(np.median(seconds)) * 1000, 1), "ms", file=sys.stderr, flush=True)
    return Run(str(variant), tuple(rankings), seconds=np.array(seconds))


if __name__ == "__main__":
    main()
