"""From which size on the learned system is better: `best` and `bm25` in small libraries around
drafts of `cs` dev 2021.

    python benchmarks/small_libraries.py            (some minutes)
    python benchmarks/small_libraries.py --texts    with vectors of MiniLM

A library has what a draft cites, and papers that are linked to these by citations: all of it around
one draft, or equal parts around several. The drafts themselves are not in it.
"""

import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import citewise
from citewise.arrays import Rows
from citewise.evaluate import Hits, Question, parse_measures
from citewise.evaluate.measures import significance
from citewise.protocols import Stores
from citewise.types import Query, Scope
from lab import CORPORA, library_of, split_of
from measuring import save
from ranker import copy_texts, with_texts

SIZES = (25, 50, 100, 200, 500, 1000, 2000)
TOPIC = 50
"""Papers around each draft where there are several."""

SAMPLE = 120
MEASURES = parse_measures("F1@10 MRR@1000 nDCG@20")
SYSTEMS = ("bm25", "best")


def main() -> None:
    texts = "--texts" in sys.argv
    library = with_texts("cs") if texts else library_of("cs")
    dev = split_of("cs", library, CORPORA["cs"][0]).questions(library.stores, "dev")
    questions = [each for each in dev if 5 <= len(each.gold) <= 12]
    questions = random.Random(0).sample(questions, SAMPLE)

    found = {}
    for kind in ("one topic", "several topics"):
        for size in SIZES:
            if kind == "one topic" or size > TOPIC:
                found[f"{kind}, {size}"] = measured(library.stores, questions, kind, size)
                print(kind, size, found[f"{kind}, {size}"], flush=True)
    save(
        "small-libraries-cs-texts" if texts else "small-libraries-cs",
        {
            "corpus": "cs",
            "split": "dev 2021, a sample",
            "queries": len(questions),
            "quality": found,
        },
    )


def measured(stores: Stores, questions: list[Question], kind: str, size: int) -> dict:
    """Return both systems' measures in small libraries, and the p-values of their differences."""
    rankings: dict[str, list[Rows]] = {system: [] for system in SYSTEMS}
    gold = []
    for rows, asked in libraries(stores, questions, kind, size):
        folder, papers = Path(tempfile.mkdtemp()), stores.papers.read(sorted(rows))
        citewise.add(papers, folder / "library", keep_versions=True)
        copy_texts(stores, folder / "library", papers)
        small = citewise.open(folder / "library")
        for question in asked:
            wanted = [paper.id for paper in stores.papers.read(sorted(question.gold))]
            gold.append(small.stores.papers.find(wanted).tolist())
            query = Query(question.query.title, question.query.abstract, year=question.query.year)
            for name in SYSTEMS:
                rankings[name].append(small.recommender(name).rank(query, 1000).rows)
        shutil.rmtree(folder)

    hits = {name: Hits.of(each, gold, 1000) for name, each in rankings.items()}
    return {
        "questions": len(gold),
        **{
            system: {str(measure): round(measure.of(each), 4) for measure in MEASURES}
            for system, each in hits.items()
        },
        "p": {
            str(measure): round(
                significance(measure.each(hits["bm25"]), measure.each(hits["best"])), 4
            )
            for measure in MEASURES
        },
    }


def libraries(
    stores: Stores, questions: list[Question], kind: str, size: int
) -> Iterator[tuple[set[int], list[Question]]]:
    """Yield the rows of each small library, and the questions that it is to answer."""
    count = 1 if kind == "one topic" else size // TOPIC
    hidden = {int(row) for row in stores.papers.find([each.id for each in questions])}

    for start in range(0, len(questions) - count + 1, count):
        asked = questions[start : start + count]
        rows: set[int] = set()
        for number, question in enumerate(asked, 1):
            limit = size * number // count - len(rows)
            rows |= around(stores, question, rows | hidden, limit, random.Random(start))
        yield rows, asked


def around(
    stores: Stores, question: Question, taken: set[int], limit: int, dice: random.Random
) -> set[int]:
    """Return what a draft cites, filled up to `limit` papers by following citations that it may
    see; none of `taken` is added.
    """
    scope = Scope(year=question.query.year)
    chosen = set(question.gold)
    edge = sorted(chosen)
    while len(chosen) < limit and edge:
        rows = np.array([edge.pop(dice.randrange(len(edge)))])
        cited, citing = stores.graph.references(rows, scope), stores.graph.citers(rows, scope)
        linked = np.append(cited.values, citing.values)
        linked = np.unique(linked[stores.papers.in_scope(linked, scope)])

        new = [row for row in linked.tolist() if row not in chosen and row not in taken]
        dice.shuffle(new)
        chosen |= set(new[: min(limit - len(chosen), 5)])
        edge += new[:5]
    return chosen


if __name__ == "__main__":
    main()
