"""Generations: however papers came, a library says the same; a change that fails leaves nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.errors import BadInput
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from corpora import GOLDEN, random_papers
from libraries import answers, citations, new_folder, papers_of, store
from properties import examples


def _listing(library: Path) -> list[str]:
    """Return every file and folder of a library."""
    return sorted(str(file) for file in library.rglob("*"))


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(2, 5))
@examples(8)
def test_batches_give_what_one_call_gives(seed: int, parts: int) -> None:
    papers = [*random_papers(40, seed), *GOLDEN]
    with new_folder() as one, new_folder() as many:
        store(one, papers)
        store(many, *(papers[part::parts] for part in range(parts)))
        assert citations(LibraryFolder(one)) == citations(LibraryFolder(many))
        assert answers(one) == answers(many)

        citewise.compact(many)
        assert answers(one) == answers(many)
        assert citations(LibraryFolder(one)) == citations(LibraryFolder(many))


@pytest.mark.slow
def test_segments_stay_few(tmp_path: Path) -> None:
    papers, small = random_papers(60, seed=5), tmp_path / "small"
    for start in range(0, 60, 2):
        library = store(small, papers[start : start + 2])
        assert len(library.segments) <= 5
    assert library.manifest.generation == 30

    store(tmp_path / "whole", papers)
    assert answers(small) == answers(tmp_path / "whole")
    assert citewise.verify(small).sound
    folders = list((small / "segments").iterdir())
    assert len(folders) == len(library.segments), "no folder is left behind"


@pytest.mark.slow
def test_compact_renumbers_and_answers_the_same(tmp_path: Path) -> None:
    papers = random_papers(50, seed=6)
    store(tmp_path, papers[:30], papers[30:])
    citewise.remove(tmp_path, [paper.id for paper in papers[::3]])
    before = LibraryFolder(tmp_path)
    answered, graph = answers(tmp_path), citations(before)
    assert before.manifest.rows == 50

    citewise.compact(tmp_path)
    after = LibraryFolder(tmp_path)
    assert after.manifest.rows == len(after.papers) == len(before.papers) == 33
    assert after.papers.rows.tolist() == list(range(33))
    assert len(after.segments) == 1
    assert papers_of(after) == papers_of(before), "in the same order"
    assert (answers(tmp_path), citations(after)) == (answered, graph)
    assert after.manifest.generation == before.manifest.generation + 1
    assert after.info.bytes_on_disk < before.info.bytes_on_disk


def test_the_same_papers_again_change_nothing(library: Path) -> None:
    before, listing = LibraryFolder(library).manifest, _listing(library)
    report = citewise.add(GOLDEN, library)
    assert (report.added, report.updated, report.unchanged) == (0, 0, 8)
    assert LibraryFolder(library).manifest == before
    assert _listing(library) == listing


def test_nothing_added_to_a_library_changes_nothing(library: Path) -> None:
    before = LibraryFolder(library).manifest
    citewise.add([], library)
    assert LibraryFolder(library).manifest == before


def test_an_error_in_the_source_leaves_the_library_as_it_was(library: Path) -> None:
    before, listing = LibraryFolder(library).manifest, _listing(library)

    def papers() -> Iterator[Paper]:
        yield from random_papers(5, seed=1)
        raise BadInput("the source broke")

    with pytest.raises(BadInput, match="the source broke"):
        citewise.add(papers(), library)
    assert LibraryFolder(library).manifest == before
    assert _listing(library) == listing
    assert citewise.verify(library).sound


def test_files_are_durable_before_the_manifest_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace = Path.replace

    def sync(number: int) -> None:
        done.append(str(Path(f"/proc/self/fd/{number}").readlink()))

    def rename(self: Path, target: Path) -> Path:
        done.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", rename)
    known: set[str] = set()
    for papers in (GOLDEN, random_papers(5, seed=1)):
        done.clear()
        files = set(store(tmp_path, papers).manifest.files)

        early = {os.path.relpath(name, tmp_path) for name in done[: done.index("rename")]}
        assert files - known - _linked(files, known) <= early
        assert {str(Path(name).parent) for name in files} <= early
        assert "manifest.json.new" in early and str(tmp_path) in done[done.index("rename") :]
        known = files


def _linked(files: set[str], known: set[str]) -> set[str]:
    """Return the files of the lexical index that are links to those of the last generation."""
    old = {Path(name).name for name in known}
    lexical = {name for name in files if name.startswith("lexical") and not name.endswith(".json")}
    return {name for name in lexical if Path(name).name in old}
