"""What the tests share."""

import io
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

import one_thread  # noqa: F401 (before what imports numpy)

# isort: split
import citewise
import contracts
from citewise import cli
from citewise.api import Library, build_sample
from citewise.types import Paper
from command_line import Done, Run
from corpora import GOLDEN
from slow_files import is_all_slow
from word_models import with_vectors

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

_TOGETHER = {
    "tests/web/": "web",
    "tests/embed/test_folders.py": "transformers",
    "tests/embed/test_models.py": "transformers",
    "tests/embed/test_transformers.py": "transformers",
    "tests/train/bert/": "transformers",
}
"""Files that one worker runs, since they share what takes seconds to start: a browser with its
server, the import of transformers' models.
"""

_LONGEST = (
    "tests/engines/test_cluster.py",
    "tests/web/",
    "tests/train/test_ranker.py",
    "tests/train/test_sentences.py",
    "tests/test_docs.py",
    "tests/stores/test_agreement.py",
    "tests/test_mcp.py",
    "tests/embed/test_transformers.py",
    "tests/train/",
    "tests/ingest/test_mutations.py",
    "tests/test_systems.py",
    "tests/http/",
    "tests/test_defaults.py",
    "tests/ingest/test_fulltext_samples.py",
    "tests/ingest/test_pdf.py",
)
"""What takes longest, by measured processor time and waits; it only decides what begins first.

What mostly waits (for a cluster, a browser) stands before what computes, so that they overlap.
"""


def pytest_configure() -> None:
    """Put temporary files into memory where the system allows it, so that many small writes wait
    for no disk; give properties no deadline, and fewer examples with --hypothesis-profile=quick.
    """
    if os.access("/dev/shm", os.W_OK):
        os.environ.setdefault("TMPDIR", "/dev/shm")
        tempfile.tempdir = None
    settings.register_profile("patient", deadline=None)  # a busy machine is no failure
    settings.register_profile("quick", deadline=None, max_examples=10)
    settings.load_profile("patient")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files whose tests are all slow before they import torch, a browser or a cluster,
    where slow tests are left out anyway.
    """
    is_quick = config.option.markexpr == "not slow"
    return (is_quick and collection_path.suffix == ".py" and is_all_slow(collection_path)) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, then those with the most slow tests: a long file that a worker begins
    last keeps the others waiting.
    """
    slow = Counter(
        file for file, _ in {_function(each) for each in items if each.get_closest_marker("slow")}
    )
    items.sort(key=lambda item: (_place(item.nodeid), -slow[item.path]))


def _function(item: pytest.Item) -> tuple[Path, str]:
    """Return a test's file and function; its parameters do not count."""
    return item.path, item.name.partition("[")[0]


def _place(nodeid: str) -> int:
    """Return a test's place among those that take longest."""
    places = (place for place, start in enumerate(_LONGEST) if nodeid.startswith(start))
    return next(places, len(_LONGEST))


class _FilesTogether(LoadFileScheduling):
    """One worker a file, or a group of files."""

    def _split_scope(self, nodeid: str) -> str:
        groups = (name for start, name in _TOGETHER.items() if nodeid.startswith(start))
        return next(groups, "") or super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Let `--dist loadfile` keep some files together."""
    return _FilesTogether(config, log) if config.option.dist == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def _unsynced() -> Iterator[None]:
    """Leave out fsync, which takes most of the time of a small write; no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def encoder_graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which encoders keep their graphs, made once: int8 takes some seconds."""
    return tmp_path_factory.mktemp("encoder-graphs")


@pytest.fixture(scope="module")
def encoder_cache(encoder_graphs: Path) -> Iterator[Path]:
    """Keep the graphs that encoders make out of the user's cache folder; return the folder used.

    Not for the whole session: matplotlib would build its font cache again.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(encoder_graphs))
        yield encoder_graphs


@pytest.fixture
def golden() -> tuple[Paper, ...]:
    """Eight papers whose citations are known by hand."""
    return GOLDEN


@pytest.fixture
def library(golden_library: Path, tmp_path: Path) -> Path:
    """The folder of a library of the golden papers, to be changed."""
    return shutil.copytree(golden_library, tmp_path / "library")


@pytest.fixture(scope="session")
def golden_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a library of the golden papers, made once: for tests that only read."""
    folder = tmp_path_factory.mktemp("golden") / "library"
    citewise.add(GOLDEN, folder)
    return folder


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of the papers and sentences of `contracts`, made once: for tests that only read."""
    folder = tmp_path_factory.mktemp("contracts") / "library"
    citewise.add([*contracts.PAPERS, *contracts.SENTENCES], folder)
    with_vectors(folder)
    return citewise.open(folder)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The sample library of landmark papers, made once: for tests that only read."""
    folder = tmp_path_factory.mktemp("sample") / "library"
    build_sample(folder)
    with_vectors(folder)
    return citewise.open(folder)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the project's data; a test that needs it is skipped where it is not there."""
    if not SHARED.is_dir():
        pytest.skip(f"no data in {SHARED}")
    return SHARED


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process; return its exit code, output and messages."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # typer sets its own

    def call(*arguments: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["citewise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setenv("COLUMNS", "400")
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit:
            cli.main()
        shown = capsys.readouterr()
        return Done(int(exit.value.code or 0), shown.out, shown.err)

    return call
