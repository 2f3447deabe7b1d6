"""Papers of a library as drafts."""

from citewise.api import Library
from citewise.types import Query


def drafts(library: Library, step: int = 9) -> list[Query]:
    """Return every `step`-th paper of a library as a draft, half of them with some of their
    references as cited already, and two thirds with their authors.
    """
    papers = library.stores.papers
    return [
        Query(
            paper.title,
            paper.abstract,
            paper.id,
            year=paper.year,
            cited=tuple(key for key in paper.references if key in library)[: 3 * (number % 2)],
            authors=paper.authors if number % 3 else (),
        )
        for number, paper in enumerate(papers.read(papers.rows[::step]))
    ]
