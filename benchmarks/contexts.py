"""What the benchmarks of sentences share: libraries of three collections, and their questions."""

from collections.abc import Sequence
from dataclasses import replace

import citewise
from citewise.evaluate import Question, read_sentence_questions
from citewise.ingest.report import Report
from protocol import DATA, WORK

COLLECTIONS = ("peerread", "scisummnet", "evoeco")


def library_of(name: str) -> citewise.Library:
    """Return the library of a collection's papers and citing sentences; it is made where it is not
    there.
    """
    folder = WORK / f"{name}-contexts-library"
    if not (folder / "manifest.json").exists():
        citewise.index(
            [DATA / f"{name}-contexts" / f"{part}.jsonl.xz" for part in ("papers", "contexts")],
            folder,
        )
    return citewise.open(folder)


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
