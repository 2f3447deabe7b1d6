"""The shipped ranker in a field that it never saw, `elife`, and where it has little to go by,
beside `bm25`.

    python benchmarks/transfer.py            (some minutes)

"small" is a library of 500 papers: what some drafts cite, and others drawn at random. "learned" is
`best` without its fallback to BM25 where no citation is seen: what the fallback is for.
"""

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace

import citewise
from citewise.evaluate import Question, Results, Run, Settings, analyse, parse_measures, score
from citewise.rank import learned
from citewise.recommend import Recommender
from citewise.systems import System
from citewise.train.cases import Thinned
from citewise.types import Query
from lab import CORPORA, library_of, split_of
from measuring import save
from protocol import WORK

MEASURES = parse_measures("F1@20 MRR@1000 R@1000")
SMALL, DRAFTS = 500, 40
PARTS = {"dev 2022": "dev", "test 2023": "test"}


def main() -> None:
    held = library_of("elife")
    bare = without_abstracts(held)
    split = split_of("elife", held, CORPORA["elife"][0])
    found = {}
    for name, part in PARTS.items():
        questions, told = (
            split.questions(held, part, authors=authors) for authors in (False, True)
        )
        found[name] = (
            {"queries": len(questions)}
            | slices(held, bare, questions)
            | {f"{each}, authors told": values for each, values in slices(held, bare, told).items()}
        )
    dev = [split.questions(held, "dev", authors=authors) for authors in (False, True)]
    save(
        "transfer-elife",
        {
            "corpus": "elife",
            "note": LOOKS,
            "parts": found,
            "self-citation, dev 2022": bias(held, *dev),
        },
    )


def slices(
    held: citewise.OpenLibrary, bare: citewise.OpenLibrary, questions: Sequence[Question]
) -> dict:
    """Return what both systems find, and where there is less to go by."""
    return {
        "whole": compared(held, questions),
        "title only": compared(held, questions, asked=titled),
        "no graph": compared(held, questions, stores=Thinned(held.library, 0.0)),
        "no abstracts": compared(bare, moved(held, bare, questions)),
        "small": small(held, questions),
    }


def bias(
    held: citewise.OpenLibrary, questions: Sequence[Question], told: Sequence[Question]
) -> dict:
    """Return how many of the first 20 papers the draft's authors wrote, and at which ranks these
    stand.
    """

    def run(name: str, system: str, asked: Sequence[Question]) -> Run:
        made = System.parse(system).over(held.library)
        return Run(name, tuple(made.rank(each.query, 20).rows for each in asked))

    runs = [
        run("bm25", "bm25", questions),
        run("best", "best", questions),
        run("best, authors told", "best", told),
        run("best(authors=ignored), authors told", "best(authors=ignored)", told),
    ]
    (found,) = analyse(held.library, runs, questions, ["self-citation"], 20)
    return {
        name: {measure: round(value, 4) for measure, value in values.items()}
        for name, values in found.rows.items()
    }


LOOKS = (
    "Test 2023 was looked at three times before, with older models (F1@20 x1.15 of bm25's each time, MRR x1.04, "
    "x1.02 and x1.02; no authors told). Nothing was chosen by it. What the model learns from was chosen on "
    "dev 2022 and on cs."
)


def titled(query: Query) -> Query:
    return replace(query, abstract="")


def compared(
    held: citewise.OpenLibrary,
    questions: Sequence[Question],
    stores: object = None,
    asked: Callable[[Query], Query] = lambda query: query,
) -> dict:
    """Return both systems' measures, and the learned one's without its fallback where there is no
    graph.
    """
    over = stores or held.library

    def run(name: str, system: Recommender) -> Run:
        return Run(name, tuple(system.rank(asked(each.query), 1000).rows for each in questions))

    runs = [run(name, System.parse(name).over(over)) for name in ("bm25", "best")]
    if stores is not None:
        kept, learned.spoken_for = learned.spoken_for, lambda ranking: True
        runs.append(run("learned", System.parse("best").over(over)))
        learned.spoken_for = kept
    return rounded(score(held, runs, questions, Settings(measures=MEASURES)))


def rounded(found: Results) -> dict:
    figures: dict[str, dict[str, float]] = {
        each.system: {name: round(value.value, 4) for name, value in each.values.items()}
        for each in found.systems
    }
    return figures | {
        "p": {
            each.measure: round(each.p, 4)
            for each in found.comparisons
            if (each.baseline, each.system) == ("bm25", "best")
        }
    }


def without_abstracts(held: citewise.OpenLibrary) -> citewise.OpenLibrary:
    folder = WORK / "elife-titles"
    shutil.rmtree(folder, ignore_errors=True)
    citewise.add(
        (replace(paper, abstract="") for paper in held.library.papers(held.library.rows)),
        folder,
        keep_versions=True,
    )
    return citewise.open(folder)


def moved(
    held: citewise.OpenLibrary, other: citewise.OpenLibrary, questions: Sequence[Question]
) -> list[Question]:
    """Return the questions as those of another library; what it lacks is not asked for."""
    found = []
    for each in questions:
        rows = other.library.rows_of([paper.id for paper in held.library.papers(sorted(each.gold))])
        found.append(replace(each, gold=tuple(rows[rows >= 0].tolist())))
    return found


def small(held: citewise.OpenLibrary, questions: Sequence[Question]) -> dict:
    """Return the measures in a library of 500 papers; the drafts themselves are not in it."""
    dice, library, folder = random.Random(0), held.library, WORK / "elife-small"
    drafts = dice.sample(list(questions), DRAFTS)
    asked = {int(row) for row in library.rows_of([each.id for each in drafts])}
    rows = {row for each in drafts for row in each.gold} - asked
    others = [row for row in library.rows.tolist() if row not in rows | asked]
    rows |= set(dice.sample(others, SMALL - len(rows)))
    shutil.rmtree(folder, ignore_errors=True)
    citewise.add(library.papers(sorted(rows)), folder, keep_versions=True)
    tiny = citewise.open(folder)
    return compared(tiny, [each for each in moved(held, tiny, drafts) if each.gold])


if __name__ == "__main__":
    main()
