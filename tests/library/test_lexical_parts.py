"""An index in parts finds what it finds as a whole, with exact scores."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import citewise
from citewise.library import lexical, lexical_parts
from citewise.library.folder import LibraryFolder
from citewise.library.lexical import LexicalReader, segments_of
from citewise.library.lexical_parts import PartedReader, lexical_reader
from citewise.scoring import lucene
from corpora import WORDS, random_papers

PAPERS = random_papers(300, seed=9, words=[*WORDS * 20, *(f"rare{each}" for each in range(60))])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    """150, 120 and 30 papers, apart; the first are three times as long."""
    papers = [
        citewise.Paper(
            id=each.id,
            title=each.title,
            abstract=" ".join([each.abstract] * (3 if number < 150 else 1)),
            year=2000 + number % 20,
        )
        for number, each in enumerate(PAPERS)
    ]
    folder = tmp_path_factory.mktemp("parts") / "library"
    return in_batches(folder, [papers[:150], papers[150:270], papers[270:]])


def in_batches(folder: Path, batches: Sequence[Sequence[citewise.Paper]]) -> LibraryFolder:
    """Return a library whose index has a segment for each batch."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lexical, "_THREADS", 1)  # else each may write a segment
        for each in batches:
            citewise.add(each, folder, keep_versions=True)
    return LibraryFolder(folder)


def watched(found: Callable[..., Any], asked: list[int]) -> Callable[..., Any]:
    """Return a function that notes how many hits it is asked for."""

    def noted(question: Any, k: int) -> Any:
        asked.append(k)
        return found(question, k)

    return noted


def index_of(library: LibraryFolder) -> Path:
    return library.path / "lexical" / library.manifest.lexical


@pytest.fixture(scope="module")
def parted(library: LibraryFolder) -> PartedReader:
    return PartedReader(index_of(library), library.terms)


def test_large_libraries_with_segments_alike_are_searched_in_parts(
    tmp_path: Path, library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(folder: LibraryFolder) -> type[LexicalReader]:
        return type(lexical_reader(index_of(folder), folder.terms, len(folder.papers)))

    even = in_batches(tmp_path / "even", [PAPERS[:150], PAPERS[150:]])
    lopsided = in_batches(tmp_path / "lopsided", [PAPERS[:220], PAPERS[220:]])
    assert opened(even) is LexicalReader
    monkeypatch.setattr(lexical_parts, "PARTED_FROM", 300)
    assert opened(even) is PartedReader
    assert opened(lopsided) is LexicalReader  # one thread would wait for the other
    assert opened(library) is PartedReader
    monkeypatch.setattr(lexical_parts, "MOST_FURTHER", 100)
    assert opened(library) is LexicalReader  # the mean lengths of its parts are far apart

    monkeypatch.setattr(Path, "symlink_to", lambda *_: (_ for _ in ()).throw(PermissionError))
    assert opened(even) is LexicalReader


def test_nothing_is_left_where_parts_cannot_be_opened(
    library: LibraryFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "_MEMORY", str(tmp_path))
    monkeypatch.setattr(Path, "symlink_to", lambda *_: (_ for _ in ()).throw(PermissionError))
    folder = index_of(library)
    with pytest.raises(PermissionError):
        LexicalReader(folder, segments_of(folder)[:1])
    assert not [*tmp_path.iterdir()]


def test_words_that_only_removed_papers_have_find_nothing(tmp_path: Path) -> None:
    """The engine still counts removed papers, so such a word looks known."""
    gone = citewise.Paper("gone", "aardvark")
    folder = in_batches(tmp_path / "library", [[*PAPERS[:150], gone], PAPERS[150:]]).path
    citewise.remove(folder, ["gone"])
    library = LibraryFolder(folder)
    parted = PartedReader(index_of(library), library.terms)
    terms, _ = library.terms.of("aardvark")
    assert parted.frequencies(terms).tolist() == [1]
    rows, scores = parted.hits(terms, np.ones(1), 10)
    assert not rows.size
    assert not scores.size

    both, _ = library.terms.of(f"aardvark {PAPERS[0].title}")
    known, _ = library.terms.of(PAPERS[0].title)
    found, alone = (parted.hits(each, np.ones(each.size), 10) for each in (both, known))
    assert found[0].tolist() == alone[0].tolist()


def test_a_search_goes_no_deeper_than_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here every paper has the same score."""
    monkeypatch.setattr(lexical_parts, "MOST_FURTHER", 25)
    alike = [citewise.Paper(f"p{number}", f"same words {number}") for number in range(200)]
    library = in_batches(tmp_path / "library", [alike[:100], alike[100:]])
    parted = PartedReader(index_of(library), library.terms)
    asked: list[int] = []
    for part in parted._parts:
        monkeypatch.setattr(part, "found", watched(part.found, asked))
    terms, _ = library.terms.of("same words")
    rows, _ = parted.hits(terms, np.ones(terms.size), 5)
    assert rows.size == 5
    assert max(asked) == 30


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
    for part in parted._parts:
        lengths = library.terms.lengths(part.rows(), "text")
        assert part.mean_length == pytest.approx(lengths.mean(), rel=2e-5)
