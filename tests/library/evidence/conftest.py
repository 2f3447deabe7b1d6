"""What the tests of evidence share."""

from pathlib import Path

import pytest

import citewise
from citewise.library.folder import LibraryFolder
from citing import PAPERS, SENTENCES


@pytest.fixture
def stores(tmp_path: Path) -> LibraryFolder:
    """The library in `tmp_path`, of five papers and five sentences that cite them."""
    citewise.add([*PAPERS, *SENTENCES], tmp_path)
    return LibraryFolder(tmp_path)
