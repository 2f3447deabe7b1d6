"""Where the learned system begins to be worth it: `best` and `bm25` in small libraries around
drafts of `cs` dev 2021.

    python benchmarks/small_libraries.py            (some minutes)

A library has what a draft cites and grows along citations from there: all around one draft, or in
equal parts around several. The drafts themselves are not in it.
"""

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import citewise
from citewise.evaluate import Hits, Question, parse_measures
from citewise.evaluate.measures import significance
from citewise.types import Query, Scope
from lab import CORPORA, library_of, split_of
from measuring import save

SIZES = (25, 50, 100, 200, 500, 1000, 2000)
TOPIC = 50
"""Papers around each draft where there are several."""

SAMPLE = 120
MEASURES = parse_measures("F1@10 MRR@1000 nDCG@20")
SYSTEMS = ("bm25", "best")


def main() -> None:
    held = library_of("cs")
    questions = [
        each
        for each in split_of("cs", held, CORPORA["cs"][0]).questions(held, "dev")
        if 5 <= len(each.gold) <= 12
    ]
    questions = random.Random(0).sample(questions, SAMPLE)
    found = {}
    for kind in ("one topic", "several topics"):
        for size in SIZES:
            if kind == "one topic" or size > TOPIC:
                found[f"{kind}, {size}"] = measured(held, questions, kind, size)
                print(kind, size, found[f"{kind}, {size}"], flush=True)
    save(
        "small-libraries-cs",
        {
            "corpus": "cs",
            "split": "dev 2021, a sample",
            "queries": len(questions),
            "quality": found,
        },
    )


def measured(held: citewise.OpenLibrary, questions: list[Question], kind: str, size: int) -> dict:
    """Return both systems' measures, and how likely chance alone makes so large a difference."""
    hits: dict[str, list[list[int]]] = {system: [] for system in SYSTEMS}
    gold = []
    for rows, asked in libraries(held, questions, kind, size):
        folder = Path(tempfile.mkdtemp())
        citewise.add(held.library.papers(sorted(rows)), folder / "library", keep_versions=True)
        small = citewise.open(folder / "library")
        for question in asked:
            wanted = [paper.id for paper in held.library.papers(sorted(question.gold))]
            gold.append(small.library.rows_of(wanted).tolist())
            query = Query(question.query.title, question.query.abstract, year=question.query.year)
            for name in SYSTEMS:
                hits[name].append(small.recommender(name).rank(query, 1000).rows.tolist())
        shutil.rmtree(folder)
    looked = {
        name: Hits.of([np.array(each, np.int64) for each in rankings], gold, 1000)
        for name, rankings in hits.items()
    }
    return {
        "questions": len(gold),
        **{
            system: {str(measure): round(measure.of(each), 4) for measure in MEASURES}
            for system, each in looked.items()
        },
        "p": {
            str(measure): round(
                significance(measure.each(looked["bm25"]), measure.each(looked["best"])), 4
            )
            for measure in MEASURES
        },
    }


def libraries(
    held: citewise.OpenLibrary, questions: list[Question], kind: str, size: int
) -> Iterator[tuple[set[int], list[Question]]]:
    """Yield the rows of each library, and the drafts that are asked of it."""
    count = 1 if kind == "one topic" else size // TOPIC
    hidden = {int(row) for row in held.library.rows_of([each.id for each in questions])}
    for start in range(0, len(questions) - count + 1, count):
        asked = questions[start : start + count]
        rows: set[int] = set()
        for number, question in enumerate(asked, 1):
            rows |= around(
                held,
                question,
                rows | hidden,
                size * number // count - len(rows),
                random.Random(start),
            )
        yield rows, asked


def around(
    held: citewise.OpenLibrary, question: Question, taken: set[int], most: int, dice: random.Random
) -> set[int]:
    """Return what a draft cites and further papers along citations that it may see."""
    scope = Scope(year=question.query.year)
    chosen = set(question.gold)
    edge = sorted(chosen)
    while len(chosen) < most and edge:
        rows = np.array([edge.pop(dice.randrange(len(edge)))])
        ties = np.append(
            held.library.references(rows, scope).values, held.library.citers(rows, scope).values
        )
        ties = [
            row
            for row in np.unique(ties[held.library.in_scope(ties, scope)]).tolist()
            if row not in chosen and row not in taken
        ]
        dice.shuffle(ties)
        chosen |= set(ties[: min(most - len(chosen), 5)])
        edge += ties[:5]
    return chosen


if __name__ == "__main__":
    main()
