"""How much memory a process may have, and what it lets the system read ahead."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.library import files, folder, process_memory
from citewise.library.files import read_array, scattered, write_array
from citewise.library.folder import LibraryFolder
from corpora import random_papers

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how files are mapped")


def test_the_machine_has_a_limit() -> None:
    limit = process_memory.memory_limit()
    assert limit == 0 or limit > 100_000_000
    assert not process_memory.exceeds_memory(0)


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"memory.max": "5000000\n"}, 5_000_000),
        ({"memory.max": "max\n"}, None),
        ({"memory/memory.limit_in_bytes": "7000000\n"}, 7_000_000),
        ({}, None),
    ],
)
def test_a_container_s_limit_counts(
    groups: dict[str, str], found: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As files of Linux's control groups say it, of version 2 and 1."""
    for name, text in groups.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    memberships = tmp_path / "cgroup"
    memberships.write_text("8:memory:/\n0::/\n")
    monkeypatch.setattr(process_memory, "_GROUPS", tmp_path)
    monkeypatch.setattr(process_memory, "_MEMBERSHIPS", memberships)
    alone = process_memory.memory_limit()
    if found is not None:
        assert alone == found
        assert process_memory.exceeds_memory(found)
        assert not process_memory.exceeds_memory(found // 2)
    else:
        memberships.unlink()
        assert alone == process_memory.memory_limit() > 100_000_000


def read_ahead(file: Path) -> bool:
    """Return whether the system reads ahead in this process's mapping of a file."""
    mappings = re.split(
        r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(), flags=re.M
    )
    (mapping,) = (each for each in mappings if str(file) in each)
    (flags,) = re.findall(r"^VmFlags:(.*)$", mapping, flags=re.M)
    return "rr" not in flags.split()


@linux
@pytest.mark.parametrize("wanted", [False, True])
def test_only_large_arrays_are_not_read_ahead(
    wanted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_LARGE", 3_000_000)
    for name, size in (("small", 1_000_000), ("large", 4_000_000)):
        write_array(tmp_path / name, np.zeros(size, np.int8), np.int8)
    with scattered(wanted):
        arrays = [read_array(tmp_path / name, np.int8) for name in ("small", "large")]
    assert read_ahead(tmp_path / "small")
    assert read_ahead(tmp_path / "large") is not wanted
    del arrays


@linux
@pytest.mark.parametrize("exceeds", [False, True])
@pytest.mark.parametrize("for_answers", [False, True])
def test_for_answers_a_library_that_exceeds_memory_is_not_read_ahead(
    exceeds: bool, for_answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "library"
    citewise.add(random_papers(50, seed=1, words=["some", "words"]), path)
    for name in ("_MAPPED", "_LARGE"):
        monkeypatch.setattr(files, name, 1)
    monkeypatch.setattr(folder, "exceeds_memory", lambda size: exceeds)
    library = citewise.open(path).stores if for_answers else LibraryFolder(path)
    assert isinstance(library, LibraryFolder)
    (segment,) = library.segments
    assert read_ahead(segment.folder / "records.zst") is not (exceeds and for_answers)
    assert len(library.papers.read(library.papers.rows)) == 50
