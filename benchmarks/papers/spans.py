"""Span queries: ILCiteR's tables 4 and 5, and its threshold swept (section 7.3).

    python benchmarks/papers/spans.py [scisummnet | evoeco] [--questions 500] [--vectors]

The library is made with mentions (`citewise index --mentions`). A query is one span of a sentence
of the 200 youngest citing papers, and should find what is cited for it; evidence of its year and
later is hidden, and so is its draft. --vectors runs table 5 and the sweep, which need the library's
vectors of spans: they are made where there are none, by MiniLM.
"""

import argparse
import random

import numpy as np
from common import WORK, rows_of, saved

import citewise
from citewise.evaluate import Question, SentenceSplit, sentence_questions
from citewise.evaluate.sentences import Asked
from citewise.text.tokens import word_count
from protocol import DATA

MEASURES = "MRR@1000 hit@1 hit@3 hit@5 hit@10"
NEWEST = 200
LEXICAL = {
    "BM25Okapi": "ilciter(lexical=okapi,dense=never)",
    "BM25Plus": "ilciter(lexical=plus,dense=never)",
    "both, by words": "ilciter(dense=never)",
    "both, by words, places shared": "ilciter(ties=shared,dense=never)",
}
DENSE = {
    "vectors only": "ilciter(dense=always,joined=none)",
    "BM25Okapi + vectors": "ilciter(dense=always,joined=okapi)",
    "BM25Plus + vectors": "ilciter(dense=always,joined=plus)",
    "both + vectors": "ilciter(dense=always,joined=both)",
    "conditional ensemble": "ilciter",
    "conditional ensemble, places shared": "ilciter(ties=shared)",
}
THRESHOLDS = (25, 35, 45, 50, 55)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", nargs="?", default="scisummnet")
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--library", default="", help="one that was made with mentions already")
    parser.add_argument("--vectors", action="store_true")
    chosen = parser.parse_args()

    library = citewise.open(chosen.library) if chosen.library else with_mentions(chosen.collection)
    if chosen.vectors and library.stores.vectors.encoded_by() is None:
        citewise.encode(library.stores.info.location, threads=1)
        library = citewise.open(library.stores.info.location)
    questions = drawn(newest(library), chosen.questions)
    words = [word_count(each.query.sentence) for each in questions]
    found = {
        "collection": chosen.collection,
        "spans": library.stores.evidence.counts().spans,
        "questions": len(questions),
        "mean words of a question": round(float(np.mean(words)), 1),
        "of more than 50 words": int(np.sum(np.array(words) > 50)),
        "table 4": named(LEXICAL, library, questions),
        "evidence": rows_of(library, ["evidence(dense=never)"], questions, MEASURES),
    }
    if chosen.vectors:
        found["encoder"] = library.describe().encoder
        found["table 5"] = named(DENSE, library, questions)
        sweep = {str(each): f"ilciter(threshold={each})" for each in THRESHOLDS}
        found["thresholds"] = named(sweep, library, questions)
    saved(f"spans-{chosen.collection}", {"part": "newest papers of the evidence", **found})


def with_mentions(name: str) -> citewise.Library:
    """Return the library of a collection whose sentences were parsed; it is made once."""
    folder = WORK / f"{name}-mentions-library"
    if not (folder / "manifest.json").exists():
        sources = [
            DATA / f"{name}-contexts" / f"{each}.jsonl.xz" for each in ("papers", "contexts")
        ]
        citewise.index(sources, folder, mentions=True)
    return citewise.open(folder)


def newest(library: citewise.Library, asked: Asked = "spans") -> list[Question]:
    """Return a question for each span (or each sentence) of the newest citing papers."""
    table = library.stores.evidence.sentence_table()
    year_of = dict(zip(table.citing.tolist(), table.years.tolist(), strict=True))
    year_of.pop(-1, None)
    by_year = sorted(year_of, key=lambda row: (-year_of[row], row))[:NEWEST]
    names = {paper.id for paper in library.stores.papers.read(by_year)}

    years = (min(year_of[row] for row in by_year), max(year_of.values()))
    split = SentenceSplit(years, context=False, asked=asked, mentions=True)
    questions = sentence_questions(library.stores, split)
    return [each for each in questions if each.query.hidden[0] in names]


def drawn(questions: list[Question], limit: int) -> list[Question]:
    """Return at most `limit` questions, drawn at random."""
    return random.Random(0).sample(questions, min(limit, len(questions)))


def named(systems: dict[str, str], library: citewise.Library, questions: list[Question]) -> dict:
    rows = rows_of(library, [*systems.values()], questions, MEASURES)
    return dict(zip(systems, rows.values(), strict=True))


if __name__ == "__main__":
    main()
