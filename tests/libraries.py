"""Libraries for tests: stored as given, read back by ids, and compared with dictionaries."""

import itertools
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

import citewise
from citewise.ingest.report import Report, SourceLocation
from citewise.library import writer
from citewise.library.entries import batches as entries
from citewise.library.folder import LibraryFolder
from citewise.protocols import FIELDS, Stores
from citewise.types import Paper, Query, Scope
from oracles import PlainLibrary

QUERIES = (
    Query("neural ranking of citations"),
    Query("bees", "swarm clock", year=1993),
    Query("honey bees", since=1980),
)


class Put(Protocol):
    """Adds papers to one library; returns all papers of it, and what was done."""

    def __call__(
        self, *papers: Paper, keep_versions: bool = False
    ) -> tuple[list[Paper], Report]: ...


@contextmanager
def new_folder() -> Iterator[Path]:
    """Give a path where a library can be made; a property calls this for each of its examples."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "library"


def store(path: Path, *batches: Sequence[Paper]) -> LibraryFolder:
    """Add papers as they are, without the cleaning of `citewise.add`, one generation a batch."""
    for batch in batches:
        located = [(paper, SourceLocation("test", line)) for line, paper in enumerate(batch, 1)]
        writer.add(path, entries(located))
    return LibraryFolder(path)


def papers_of(stores: Stores) -> list[Paper]:
    """Return every paper of a library, in the order of rows."""
    return stores.papers.read(stores.papers.rows)


def citations(stores: Stores, scope: Scope | None = None) -> dict[str, set[str]]:
    """Return the ids of the papers that each paper cites; papers that cite nothing are left out.

    References and citers must be the same edges, each once.
    """
    rows = stores.papers.rows
    names = {row: paper.id for row, paper in zip(rows.tolist(), papers_of(stores), strict=True)}
    cited, citing = stores.graph.references(rows, scope), stores.graph.citers(rows, scope)
    found = {
        (names[row], names[other])
        for row, others in zip(names, cited, strict=True)
        for other in others.tolist()
    }

    assert found == {
        (names[other], names[row])
        for row, others in zip(names, citing, strict=True)
        for other in others.tolist()
    }
    assert len(found) == cited.values.size == citing.values.size, "each once"
    return {name: {target for source, target in found if source == name} for name, _ in found}


def answers(path: Path, k: int = 100) -> list[list[tuple[float, str]]]:
    """Return what a few queries find by words: scores and ids, ties in the order of ids.

    Not by `best`, whose signals include the rank that the engine gave a hit: among equals, that
    depends on its segments.
    """
    library = citewise.open(path)
    found = (library.answer(query, k, system="bm25") for query in QUERIES)
    return [sorted((-round(each.score, 9), each.paper.id) for each in answer) for answer in found]


def assert_same_graph(stores: Stores, plain: PlainLibrary, years: Sequence[int]) -> None:
    """Compare references and citers, in scopes with and without these years and unseen papers.

    `plain` is made of the library's papers in the order of rows.
    """
    rows = stores.papers.rows
    position_of = {row: position for position, row in enumerate(rows.tolist())}
    every_third = range(0, rows.size, 3)

    for year, unseen in itertools.product((None, *years), (range(0), every_third)):
        scope = Scope(year=year, unseen=tuple(rows[list(unseen)].tolist()))
        for found, expected in (
            (stores.graph.references(rows, scope), plain.references),
            (stores.graph.citers(rows, scope), plain.citers),
        ):
            sets = [expected(position, year, unseen) for position in range(rows.size)]
            assert [{position_of[row] for row in each.tolist()} for each in found] == sets
            assert found.lengths.tolist() == [len(each) for each in sets], "each once"


def assert_same_terms(library: LibraryFolder, plain: PlainLibrary) -> None:
    """Compare every count of every term in every field, and what is known of the terms."""
    rows, positions = library.papers.rows, range(len(plain.papers))
    stems = sorted({stem for position in positions for stem in plain.counts(position, "text")})
    terms = np.array(library.vocabulary.numbers(stems), np.int64)
    assert (terms >= 0).all() and library.terms.words(terms) == stems

    for field in (*FIELDS, "text"):
        counts = [[plain.counts(position, field)[stem] for stem in stems] for position in positions]
        assert library.terms.counts(rows, terms, field).tolist() == counts
        lengths = [plain.length(position, field) for position in positions]
        assert library.terms.lengths(rows, field).tolist() == lengths

        known = library.terms.statistics(terms, field)
        assert known.documents == len(plain.papers)
        assert known.frequencies.tolist() == [plain.frequency(stem, field) for stem in stems]
        assert known.mean_length == pytest.approx(plain.mean_length(field))


def assert_same(library: LibraryFolder, papers: Sequence[Paper]) -> None:
    """Compare everything that a library knows with dictionaries made from the papers."""
    plain, rows = PlainLibrary(papers_of(library)), library.papers.rows
    assert {paper.id: paper for paper in plain.papers} == {paper.id: paper for paper in papers}
    assert_same_graph(library, plain, (1990, 1993, 1996))
    assert_same_terms(library, plain)

    assert library.papers.years(rows).tolist() == [paper.year or 0 for paper in plain.papers]
    by_year = dict(enumerate(library.papers.by_year.tolist()))
    assert +Counter(by_year) == Counter(paper.year or 0 for paper in papers)
    assert library.lexical.rows().tolist() == rows.tolist()
