"""What the benchmarks of sentences share: libraries of three collections, and their questions."""

import lzma
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

import citewise
from citewise.evaluate import Question, read_sentence_questions
from citewise.ingest.report import Report
from citewise.protocols import Stores
from protocol import DATA, WORK

COLLECTIONS = ("peerread", "scisummnet", "evoeco")


def library_of(name: str, percent: int = 100) -> citewise.Library:
    """Return the library of a collection's papers and citing sentences; it is made where it is not
    there.

    Below 100 percent, only the sentences of that share of the citing papers are in it.
    """
    folder = WORK / (f"{name}-contexts-library" + (f"-{percent}" if percent < 100 else ""))
    if not (folder / "manifest.json").exists():
        papers = DATA / f"{name}-contexts" / "papers.jsonl.xz"
        citewise.index([papers, *([_sentences(name, percent)] if percent else [])], folder)
    return citewise.open(folder)


def with_span_vectors(name: str) -> citewise.Library:
    """Return the library of a collection with vectors of its spans, which are made where they are
    missing: a minute for scisummnet, some half an hour of one core for all three.
    """
    library = library_of(name)
    if library.stores.vectors.encoded_by() is not None:
        return library
    citewise.encode(library.stores.info.location, threads=1)
    return citewise.open(library.stores.info.location)


def _sentences(name: str, percent: int) -> Path:
    """Return a file with the citing sentences of a share of the papers, always the same ones."""
    whole = DATA / f"{name}-contexts" / "contexts.jsonl.xz"
    if percent == 100:
        return whole

    thinned = WORK / f"{name}-contexts-{percent}.jsonl"
    with lzma.open(whole, "rb") as lines, thinned.open("wb") as kept:
        for line in lines:
            citing = msgspec.json.decode(line)["citing_id"]
            if zlib.crc32(b"x" + citing.encode()) % 100 < percent:
                kept.write(line)
    return thinned


def dev_questions(library: citewise.Library, name: str, draft: bool = True) -> list[Question]:
    """Return a collection's thousand dev sentences as questions, younger than all evidence.

    With `draft`, they know the title and abstract of their paper.
    """
    return read_sentence_questions(
        library.stores, DATA / f"{name}-contexts" / "dev_queries.jsonl.xz", Report(), draft
    )


def with_cited(library: citewise.Library, questions: Sequence[Question]) -> list[Question]:
    """Return the questions with what the same paper's other sentences among them cite as cited."""
    cited: dict[str, list[Question]] = {}
    for each in questions:
        cited.setdefault(each.query.hidden[0], []).append(each)

    def known(question: Question) -> tuple[str, ...]:
        others = [
            row
            for other in cited[question.query.hidden[0]]
            if other.id != question.id
            for row in other.gold
        ]
        return tuple(paper.id for paper in library.stores.papers.read(sorted(set(others))))

    return [replace(each, query=replace(each.query, cited=known(each))) for each in questions]


def asked_elsewhere(
    stores: Stores, questions: Sequence[Question], elsewhere: Stores
) -> list[Question]:
    """Return the questions of one library as questions of another that has papers of the same ids
    or titles; those are left out that could find nothing there.
    """
    rows = sorted({row for each in questions for row in each.gold})
    papers = dict(zip(rows, stores.papers.read(rows), strict=True))
    same = {row: elsewhere.papers.find_same(paper) for row, paper in papers.items()}

    moved = []
    for each in questions:
        gold = tuple(sorted({same[row] for row in each.gold if same[row] >= 0}))
        hidden = _also_hidden(stores, each.query.hidden, elsewhere)
        gold = tuple(row for row in gold if row not in elsewhere.papers.find(hidden))
        if gold:
            moved.append(replace(each, gold=gold, query=replace(each.query, hidden=hidden)))
    return moved


def _also_hidden(stores: Stores, hidden: Sequence[str], elsewhere: Stores) -> tuple[str, ...]:
    """Return ids of hidden papers, with those that the same papers have in another library."""
    rows = stores.papers.find(hidden)
    same = [elsewhere.papers.find_same(paper) for paper in stores.papers.read(rows[rows >= 0])]
    others = elsewhere.papers.read([row for row in same if row >= 0])
    return tuple(dict.fromkeys([*hidden, *(paper.id for paper in others)]))
