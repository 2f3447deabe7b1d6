"""What the tests share."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import GOLDEN
from hypothesis import settings

import citewise
from citewise import cli
from citewise.types import Paper

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure() -> None:
    """Put temporary files into memory where the system has a place for that: the many small writes wait for no disk.

    Properties have no deadline.
    """
    if os.access("/dev/shm", os.W_OK):
        os.environ.setdefault("TMPDIR", "/dev/shm")
        tempfile.tempdir = None
    settings.register_profile("patient", deadline=None)  # a busy machine is no failure
    settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _unsynced() -> Iterator[None]:
    """Leave out fsync, most of the time of every small write; no test can cut the power anyway."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture
def golden() -> tuple[Paper, ...]:
    """Eight papers whose citations are known by hand."""
    return GOLDEN


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library that holds the golden papers."""
    folder = tmp_path / "library"
    citewise.add(GOLDEN, folder)
    return folder


@pytest.fixture(scope="session")
def golden_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, made once: for tests that only read."""
    folder = tmp_path_factory.mktemp("golden") / "library"
    citewise.add(GOLDEN, folder)
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the project's data; a test that needs it is skipped where it is not there."""
    if not SHARED.is_dir():
        pytest.skip(f"no data in {SHARED}")
    return SHARED


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Call the command line in this process; return its exit code, output and messages."""
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewise", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as left:
            cli.main()
        shown = capsys.readouterr()
        return int(left.value.code or 0), shown.out, shown.err
    return call
