"""What the tests of the server share."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from citewise.api import Library
from serving import Running, running


@pytest.fixture(scope="package")
def data_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep feedback out of the user's data folder."""
    folder = tmp_path_factory.mktemp("data-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def server(
    sample: Library, tmp_path_factory: pytest.TempPathFactory, data_home: Path
) -> Iterator[Running]:
    """A server over the sample library."""
    with running(Path(sample.stores.info.location), tmp_path_factory.mktemp("state")) as started:
        yield started


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


@pytest.fixture(scope="module")
def with_evidence(
    stored: Library, tmp_path_factory: pytest.TempPathFactory, data_home: Path
) -> Iterator[Running]:
    """A server over a library with citing sentences."""
    with running(Path(stored.stores.info.location), tmp_path_factory.mktemp("state")) as started:
        yield started
