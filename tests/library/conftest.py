"""What the tests of libraries share."""

from pathlib import Path

import pytest

import citewise
from citewise.ingest.report import Report
from citewise.library import entries
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from libraries import Put, papers_of


@pytest.fixture(scope="session")
def golden_stores(golden_library: Path) -> LibraryFolder:
    """The library of the golden papers, for tests that only read."""
    return LibraryFolder(golden_library)


@pytest.fixture(params=["one batch", "many batches", "many generations"])
def put(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Add papers to the library `tmp_path / "library"` in one of three ways."""
    folder = tmp_path / "library"
    if request.param == "many batches":
        monkeypatch.setattr(entries, "BATCH", 1)

    def put(*papers: Paper, keep_versions: bool = False) -> tuple[list[Paper], Report]:
        apart = request.param == "many generations"
        calls = [[paper] for paper in papers] if apart else [list(papers)]
        total = Report()
        for call in calls:
            done = citewise.add(call, folder, keep_versions=keep_versions)
            total.added += done.added
            total.updated += done.updated
            total.unchanged += done.unchanged
            total.counts.update(done.counts)

        assert citewise.verify(folder).sound
        return papers_of(LibraryFolder(folder)), total

    return put
