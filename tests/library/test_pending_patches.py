"""Patches: records without a title fill a paper's gaps, whether they come before or after it."""

import dataclasses
from pathlib import Path

import pytest

import citewise
from citewise.library import entries
from citewise.types import Paper
from corpora import OTHER, PREPRINT
from libraries import Put

PATCH = Paper(OTHER.id, "", "The abstract that came alone.", references=("doi:10.1000/a",))
PATCHED = dataclasses.replace(OTHER, abstract=PATCH.abstract, references=PATCH.references)


@pytest.mark.slow
def test_a_patch_after_its_paper(put: Put) -> None:
    papers, report = put(OTHER, PATCH)
    assert papers == [PATCHED]
    assert (report.added, report.updated) == (1, 1)
    assert not report.counts, "a patch is no version"
    assert put(PATCH)[1].unchanged == 1


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_patches_before_their_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(entries, "BATCH", size)
    second = dataclasses.replace(
        PATCH, abstract="A later one does not replace it.", references=("doi:10.1000/z",)
    )
    lonely = Paper("nobody", "", "Waits for ever.")
    report = citewise.add([PATCH, lonely, second, PREPRINT, OTHER], tmp_path)

    library = citewise.open(tmp_path)
    assert library[OTHER.id] == dataclasses.replace(
        PATCHED, references=("doi:10.1000/a", "doi:10.1000/z")
    )
    assert (report.added, len(library)) == (2, 2)
    assert report.counts == {("skipped", "no_title"): 1}
    assert report.examples["skipped", "no_title"][0].id == "nobody"
    assert "nobody" not in library


def test_a_patch_by_another_of_its_papers_ids(put: Put) -> None:
    papers, _ = put(PREPRINT, Paper("s2:13756489", "", references=("doi:10.1000/z",)))
    assert papers == [
        dataclasses.replace(PREPRINT, references=(*PREPRINT.references, "doi:10.1000/z"))
    ]


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_patch_that_was_taken_leaves_no_name_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """The second record of a work does not get the patch of another work that waits then."""
    monkeypatch.setattr(entries, "BATCH", size)
    whole = Paper("doi:10.1000/a", "Bees dance", authors=("Ada Muster",))
    early = Paper("doi:10.1000/a", "", ids=("s2:1",), references=("doi:10.1000/z",))
    waits = Paper("doi:10.1000/b", "", "The abstract of another paper.")
    report = citewise.add([early, whole, waits, dataclasses.replace(whole, year=1999)], tmp_path)

    paper = citewise.open(tmp_path)[whole.id]
    assert (paper.abstract, paper.references) == ("", early.references)
    assert report.counts["skipped", "no_title"] == 1
