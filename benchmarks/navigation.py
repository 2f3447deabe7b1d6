"""Navigation on `cs` with rankers that read text only, round by round, beside Nogueira et al.'s
table 6.

    python benchmarks/navigation.py            (some ten minutes)

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
from citewise.ground import EvidenceGrounder
from citewise.protocols import Ranker, Stores
from citewise.recommend import Recommender, Stages
from citewise.retrieve.bm25 import Bm25, Bm25Parameters, Bm25Ranker
from citewise.retrieve.navigation import Counted, Navigation, Rounds
from citewise.spans.profiles import ClaimSearch
from citewise.types import Query, Ranking, Scope
from lab import CORPORA, library_of, rows_of, split_of
from measuring import save
from protocol import WORK

ROUNDS = range(4)
COUNTED: tuple[Counted, ...] = ("new", "all")
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
    rounds: Rounds = field(default_factory=Rounds)

    def __str__(self) -> str:
        ranker = f"feedback of {self.titles}" if self.titles else "bm25"
        return f"{ranker}, rounds {self.rounds.rounds}, counted {self.rounds.counted}"

    def over(self, stores: Stores) -> Recommender:
        """Return this navigation over a library."""
        words = Bm25Parameters()
        plain = Bm25Ranker(stores, words)
        ranker: Ranker = Feedback(stores, plain, self.titles) if self.titles else plain
        navigation = Navigation(stores, Bm25(stores, words), ranker, self.rounds)
        grounder = EvidenceGrounder(stores, ClaimSearch(stores))
        return Recommender(stores, Stages((navigation,), grounder))


class Feedback:
    """A ranker: by BM25, then again with the titles of the best joined to the draft's."""

    reads = Bm25Ranker.reads
    writes = Bm25Ranker.writes

    def __init__(self, stores: Stores, ranker: Bm25Ranker, titles: int) -> None:
        self._stores, self._ranker, self._titles = stores, ranker, titles

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by their scores for the longer query."""
        first = self._ranker.rank(query, candidates, pool, scope)
        titles = self._stores.papers.titles(first.rows[: self._titles])
        joined = replace(query, title=" ".join([query.title, *titles]))
        return self._ranker.rank(joined, first, pool, scope)


def main() -> None:
    library = library_of("cs")
    split = split_of("cs", library, CORPORA["cs"][0])
    dev, test = split.questions(library.stores, "dev"), split.questions(library.stores, "test")
    sample = random.Random(0).sample(dev, DEV_SAMPLE)

    tried = [
        *(
            Variant(rounds=Rounds(number, counted=counted))
            for number in ROUNDS[1:]
            for counted in COUNTED
        ),
        *(Variant(titles) for titles in (3, 10, 30)),
    ]
    on_dev = measured(library, tried, sample, overlap=False)
    titles, counted = chosen(tried, on_dev)

    wanted = [
        Variant(each, Rounds(number, counted=counted)) for each in (0, titles) for number in ROUNDS
    ]
    wanted.append(Variant(0, Rounds(2, counted="all" if counted == "new" else "new")))
    save(
        "navigation-cs",
        {
            "corpus": "cs",
            "guarded": True,
            "settings": asdict(Rounds()),
            "dev 2021": {"queries": len(sample), "rows": on_dev},
            "test 2022": {"queries": len(test), "rows": measured(library, wanted, test)},
            "paper": PAPER,
        },
    )


def chosen(variants: list[Variant], found: dict[str, dict]) -> tuple[int, Counted]:
    """Return the number of titles with the best F1@20, and what to count by the best R@1000."""
    titles = max(
        (each for each in variants if each.titles), key=lambda each: found[str(each)]["F1@20"][0]
    ).titles

    def recall(counted: Counted) -> float:
        plain = [each for each in variants if not each.titles and each.rounds.counted == counted]
        return sum(found[str(each)]["R@1000"][0] for each in plain)

    return titles, max(COUNTED, key=recall)


def measured(
    library: citewise.Library,
    variants: list[Variant],
    questions: list[Question],
    overlap: bool = True,
) -> dict[str, dict]:
    """Return each variant's measures, and what share of its answers' terms the query has too."""
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, spawning) as pool:
        runs = [*pool.map(answered, variants, [questions] * len(variants))]

    stores = library.stores
    found = rows_of(score(stores, runs, questions, Settings(measures=MEASURES)))
    for depth in (20, DEPTH) if overlap else ():
        (analysis,) = analyse(stores, runs, questions, ["overlap"], depth)
        for system, row in analysis.rows.items():
            found.setdefault(system, {})[f"term overlap@{depth}"] = round(row["mean share"], 4)
    return found


def answered(variant: Variant, questions: list[Question]) -> Run:
    """Return the answers of a navigation, in a process that opens the library for itself."""
    recommender = variant.over(citewise.open(WORK / "cs-library").stores)
    rankings, seconds = [], []
    for question in questions:
        start = time.perf_counter()
        rankings.append(recommender.rank(question.query, DEPTH).rows)
        seconds.append(time.perf_counter() - start)
    print(variant, round(float(np.median(seconds)) * 1000, 1), "ms", file=sys.stderr, flush=True)
    return Run(str(variant), tuple(rankings), seconds=np.array(seconds))


if __name__ == "__main__":
    main()
