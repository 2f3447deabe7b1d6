"""What the tests of encoders share."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="package")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the graphs that these tests make out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder
