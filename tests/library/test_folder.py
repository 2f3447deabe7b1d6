"""A library on disk knows what dictionaries know, through every change, and names what is wrong."""

import dataclasses
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.errors import BadLibrary, CitewiseError
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from corpora import GOLDEN, corpora, random_papers
from libraries import assert_same, citations, new_folder, papers_of, store
from oracles import PlainLibrary
from properties import examples


@pytest.mark.slow
@given(corpora(), st.lists(st.integers(0, 11), max_size=2))
@examples(25)
def test_a_library_knows_what_dictionaries_know(papers: list[Paper], cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(papers)) for cut in cuts), len(papers)]
    batches = [papers[start:end] for start, end in itertools.pairwise(bounds)]
    with new_folder() as path:
        assert_same(store(path, *batches), papers)
        assert citewise.verify(path).sound


@pytest.mark.slow
@given(corpora(), st.data())
@examples(15)
def test_after_removing_adding_and_compacting(papers: list[Paper], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from([paper.id for paper in papers]), min_size=1))
    kept = [paper for paper in papers if paper.id not in gone]
    with new_folder() as path:
        store(path, papers)
        citewise.remove(path, gone)
        if kept:
            assert_same(LibraryFolder(path), kept)
        assert citewise.verify(path).sound

        if data.draw(st.booleans(), "compact before they come back"):
            citewise.compact(path)
        assert_same(store(path, [paper for paper in papers if paper.id in gone]), papers)

        citewise.compact(path)
        assert_same(LibraryFolder(path), papers)
        found = citewise.verify(path)
        assert found.sound
        assert found.dangling == PlainLibrary(papers).dangling()


@pytest.mark.slow
def test_a_reader_keeps_its_generation(library: Path) -> None:
    stores, reader = LibraryFolder(library), citewise.open(library)
    titles = ("honey bees", "robot swarms")
    answers, graph = [reader.recommend(title) for title in titles], citations(stores)

    def check() -> None:
        assert [reader.recommend(title) for title in titles] == answers
        assert papers_of(stores) == papers_of(reader.stores) == list(GOLDEN)
        assert citations(stores) == citations(reader.stores) == graph
        assert stores.lexical.rows().tolist() == list(range(8))
        assert reader["pmid:107"].id == "own-7"

    new = Paper("new", "Honey bees of a new kind")
    citewise.add([new, dataclasses.replace(GOLDEN[1], abstract="Anew.")], library)
    check()
    citewise.remove(library, ["own-7", "doi:10.1000/dance"])
    check()
    citewise.compact(library)
    check()
    citewise.add(random_papers(30, seed=2), library)
    check()
    assert "new" in citewise.open(library)
    assert citewise.open(library).stores.info.generation == 5


# Damage


@pytest.mark.parametrize("part", ["segments", "tables", "lexical"])
def test_a_library_with_a_part_missing(library: Path, part: str) -> None:
    (library / part).rename(library / "elsewhere")
    with pytest.raises(BadLibrary, match="citewise verify"):
        citewise.open(library)
    assert not citewise.verify(library).sound


def test_a_reader_makes_no_index_where_one_is_being_removed(library: Path) -> None:
    # A writer that clears an old generation away empties its folders file by file.
    folder = library / "lexical" / LibraryFolder(library).manifest.lexical
    for file in folder.iterdir():
        file.unlink()
    with pytest.raises(BadLibrary, match="citewise verify"):
        citewise.open(library)
    assert not (folder / "meta.json").exists()


# Where a library is made


def test_a_path_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("precious")
    with pytest.raises(CitewiseError):
        citewise.add(GOLDEN, tmp_path / "file.txt")
    assert (tmp_path / "file.txt").read_text() == "precious"


def test_a_folder_that_is_no_library_loses_nothing(tmp_path: Path) -> None:
    precious = ("tables/results/table1.csv", "segments/mine.txt", "other.txt")
    for name in (*precious, "lexical/000001/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("precious")

    try:
        citewise.add(GOLDEN, tmp_path)
    except CitewiseError:
        pass
    else:
        assert len(citewise.open(tmp_path)) == 8
    assert not [name for name in precious if not (tmp_path / name).is_file()]


def test_an_empty_library(tmp_path: Path) -> None:
    report = citewise.add([], tmp_path)
    assert (report.added, report.read) == (0, 0)

    library = citewise.open(tmp_path)
    assert len(library) == 0
    assert "x" not in library
    assert library.recommend("bees", year=2000).recommendations == ()
    assert library.near_duplicates() == []
    about = library.describe()
    assert (about.papers, about.citations, about.terms, about.years) == (0, 0, 0, {})
    assert citewise.verify(tmp_path).sound


def test_a_library_that_is_emptied(tmp_path: Path) -> None:
    citewise.add([], tmp_path)
    citewise.compact(tmp_path)
    citewise.add(GOLDEN, tmp_path)
    assert_same(LibraryFolder(tmp_path), GOLDEN)

    citewise.remove(tmp_path, [paper.id for paper in GOLDEN])
    assert citewise.verify(tmp_path).sound
    assert citewise.open(tmp_path).recommend("bees").recommendations == ()

    citewise.compact(tmp_path)
    assert len(LibraryFolder(tmp_path).papers) == LibraryFolder(tmp_path).manifest.rows == 0
    assert citewise.verify(tmp_path).sound
