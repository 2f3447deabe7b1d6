"""One writer at a time, between real processes; a lock ends with its process, however that ends."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import citewise
from citewise.errors import LibraryBusy
from citewise.library.folder import LibraryFolder
from citewise.library.lock import writer_lock
from citewise.types import Paper
from corpora import GOLDEN

HOLDER = """
import sys
from pathlib import Path
from citewise.library.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("holding", flush=True)
    sys.stdin.readline()
"""
NEW = Paper("new", "A paper on its way")


@contextlib.contextmanager
def holder(library: Path) -> Iterator["subprocess.Popen[str]"]:
    """Give another process that is writing to the library."""
    command = [sys.executable, "-c", HOLDER, str(library)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "holding\n"
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_a_second_writer_learns_who_the_first_is(library: Path) -> None:
    before = LibraryFolder(library).manifest
    acts: tuple[Callable[[], object], ...] = (
        lambda: citewise.add([NEW], library),
        lambda: citewise.remove(library, ["own-7"]),
        lambda: citewise.compact(library),
    )
    with holder(library) as process:
        for act in acts:
            with pytest.raises(LibraryBusy, match=rf"process {process.pid} of .*since .*try again"):
                act()
        assert LibraryFolder(library).manifest == before
        assert len(citewise.open(library).recommend("bees")), "readers do not wait"
        assert citewise.verify(library).sound
    assert (library / "segments").is_dir()


@pytest.mark.slow
def test_the_lock_is_free_after_the_writer_ends(library: Path) -> None:
    with holder(library) as process:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait(10) == 0
        citewise.add([NEW], library)
    assert not (library / "writer.json").exists()
    assert "new" in citewise.open(library)


@pytest.mark.slow
def test_the_lock_is_free_after_the_writer_was_killed(library: Path) -> None:
    with holder(library) as process:
        process.kill()
        process.wait()
        assert (library / "writer.json").exists(), "it could not clear up"
        citewise.add([NEW], library)
    assert not (library / "writer.json").exists()
    assert "new" in citewise.open(library)


@pytest.mark.slow
def test_a_lock_that_does_not_say_who(library: Path) -> None:
    with holder(library):
        for content in ("", "{", "[]", '{"process": 1}'):
            (library / "writer.json").write_text(content)
            with pytest.raises(LibraryBusy, match="another process is writing"):
                citewise.add([NEW], library)


def test_two_writers_in_one_process(library: Path) -> None:
    with writer_lock(library), pytest.raises(LibraryBusy, match=rf"process {os.getpid()} "):
        citewise.add([NEW], library)


def test_an_error_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(tmp_path):
        assert str(os.getpid()) in (tmp_path / "writer.json").read_text()
        raise ZeroDivisionError
    citewise.add(GOLDEN, tmp_path)
    assert len(citewise.open(tmp_path)) == 8
