"""An index in parts finds what it finds as a whole, with exact scores."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.library import lexical_parts
from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalReader, segments_of
from citewise.library.lexical_parts import PartedReader, lexical_reader
from citewise.scoring import lucene
from corpora import WORDS, random_papers

PAPERS = random_papers(300, seed=9, words=[*WORDS * 20, *(f"rare{each}" for each in range(60))])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    """150, 120 and 30 papers, apart; the first are three times as long."""
    folder = tmp_path_factory.mktemp("parts") / "library"
    for start, end in ((0, 150), (150, 270), (270, 300)):
        some = [
            citewise.Paper(
                id=each.id,
                title=each.title,
                abstract=" ".join([each.abstract] * (3 if start == 0 else 1)),
                year=2000 + number % 20,
            )
            for number, each in enumerate(PAPERS[start:end])
        ]
        citewise.add(some, folder, keep_versions=True)
    return LibraryFolder(folder)


def index_of(library: LibraryFolder) -> Path:
    return library.path / "lexical" / library.manifest.lexical


@pytest.fixture(scope="module")
def parted(library: LibraryFolder) -> PartedReader:
    return PartedReader(index_of(library), library.terms)


def test_small_libraries_are_searched_as_a_whole(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, terms = index_of(library), library.terms
    assert len(segments_of(folder)) > 1
    assert type(lexical_reader(folder, terms, 300)) is LexicalReader
    monkeypatch.setattr(lexical_parts, "PARTED_FROM", 300)
    assert type(lexical_reader(folder, terms, 300)) is PartedReader
    monkeypatch.setattr(Path, "symlink_to", lambda *_: (_ for _ in ()).throw(PermissionError))
    assert type(lexical_reader(folder, terms, 300)) is LexicalReader


@pytest.mark.parametrize("k", [1, 3, 20, 100, 1_000])
@pytest.mark.parametrize("years", [None, (2003, 2009)])
def test_hits_are_the_best_of_all_by_exact_scores(
    library: LibraryFolder, parted: PartedReader, k: int, years: tuple[int, int] | None
) -> None:
    """Also where the best are all in one part, and its mean length is far from the library's."""
    rows = library.papers.rows
    in_years = np.ones(rows.size, bool)
    if years:
        published = library.papers.years(rows)
        in_years = (published >= years[0]) & (published <= years[1])

    for paper in [*PAPERS[::37], citewise.Paper("one", WORDS[0]), citewise.Paper("no", "xyzzy")]:
        terms, counts = library.terms.of(f"{paper.title} {paper.abstract}")
        weights = counts.astype(np.float64)
        scores = lucene.scores(library.terms, rows, terms, weights) * in_years
        expected = np.lexsort((rows, -scores))[: min(k, np.count_nonzero(scores))]

        found, exact = parted.hits(terms, weights, k, years)
        assert found.tolist() == rows[expected].tolist()
        assert exact.tolist() == scores[expected].tolist()


def test_the_mean_length_of_a_part_is_found(library: LibraryFolder, parted: PartedReader) -> None:
    terms, counts = library.terms.of(f"{PAPERS[0].title} {PAPERS[0].abstract}")
    parted.hits(terms, counts.astype(np.float64), 10)
    for part in parted._parts:
        lengths = library.terms.lengths(part.rows(), "text")
        assert part._known_mean == pytest.approx(lengths.mean(), rel=1e-5)
