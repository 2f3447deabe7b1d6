"""The process of an import, run here: what it reads, refuses and reports."""

import gzip
import io
import json
import os
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.http import importing
from citewise.http.jobs import Jobs, read_state, write_state
from citewise.http.problems import Problem
from citewise.http.settings import MB, Limits, Settings
from citewise.http.unpacking import free_path, safe_parts

pytestmark = pytest.mark.slow

LIMITS = Limits(unpacked=4 * MB, files=20)
BIB = b"@article{a, title={Bees and clocks}, author={Doe, Jane}, year={2001}}\n"
BOMB = b"\0" * (5 * MB)


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


class Doing:
    """Does imports in this process."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch, self.jobs = folder, monkeypatch, 0
        self.library = folder / "library"

    def __call__(self, files: dict[str, bytes], sample: bool = False) -> dict[str, Any]:
        self.jobs += 1
        job = self.folder / "jobs" / f"{self.jobs:016x}"
        (job / "files").mkdir(parents=True)
        for name, content in files.items():
            free_path(job / "files", name).write_bytes(content)
        order = {"library": str(self.library), "sample": sample}
        limits = {"unpacked": LIMITS.unpacked, "files": LIMITS.files}
        (job / "order.json").write_text(json.dumps({**order, "limits": limits}))
        self.patch.setattr(sys, "argv", ["importing", str(job)])
        importing.main()
        assert not (job / "files").exists(), "uploads are removed"
        state = read_state(job)
        assert str(self.folder / "jobs") not in json.dumps(state)
        return state


@pytest.fixture
def do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doing:
    return Doing(tmp_path, monkeypatch)


def test_files_become_a_library(do: Doing) -> None:
    broken = BIB.replace(b"{a,", b"{b,").replace(b"Bees", b"Ants").replace(b"2001}}", b"2001}")
    state = do(
        {"refs/a.bib": BIB, "b.bib": broken + b"\n@article{c, year={2001}}", "c.png": b"\x89PNG"}
    )
    assert state["state"] == state["stage"] == "done" and state["done"] == state["total"] > 0
    report = state["report"]
    assert report["added"] == 2 == len(citewise.open(do.library))
    assert report["repaired"] == len(report["repairs"]) == 1
    skipped = {(each["file"], each["line"], each["reason"]) for each in report["skipped"]}
    assert skipped == {("b.bib", 3, "no_title"), ("c.png", 1, "not_readable")}
    assert report["counts"]["skipped"] == 2

    again = do({"a.bib": BIB})["report"]
    assert again["added"] == 0 and again["unchanged"] == 1


def test_an_archive_is_unpacked(do: Doing) -> None:
    state = do({"a.zip": zipped({"x/a.bib": BIB, "__MACOSX/x/a.bib": b"?", ".hidden": b"?"})})
    assert state["report"]["added"] == 1 and not state["report"]["skipped"]


def test_the_sample(do: Doing) -> None:
    report = do({}, sample=True)["report"]
    assert report["added"] == len(citewise.open(do.library)) == 239


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("bomb.zip", zipped({"a.bib": BOMB}), "too_large"),
        ("many.zip", zipped({f"{number}.bib": BIB for number in range(30)}), "too_large"),
        ("nested.zip", zipped({"inner.zip": zipped({"a.bib": BOMB})}), "bad_input"),
        ("bomb.bib.gz", gzip.compress(BOMB), "too_large"),
        ("broken.zip", zipped({"a.bib": BIB})[:60], "bad_input"),
        ("not.zip", b"PK\x03\x04 nothing", "bad_input"),
        ("nothing.bib", b"", "bad_input"),
        ("picture.png", b"\x89PNG\r\n", "bad_input"),
        ("only-comments.bib", b"@comment{nothing}", "missing_data"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_imported(do: Doing, name: str, content: bytes, code: str) -> None:
    state = do({name: content})
    assert state["state"] == "failed" and state["error"]["code"] == code, state
    assert not do.library.exists()


def test_archives_whose_sizes_lie(do: Doing) -> None:
    """An archive that says that a large file is small is not believed."""
    packed = bytearray(zipped({"a.bib": BOMB}))
    size = len(BOMB).to_bytes(4, "little")
    assert packed.count(size) == 2
    state = do({"a.zip": bytes(packed.replace(size, b"\x10\0\0\0"))})
    assert state["state"] == "failed" and state["error"]["code"] in (
        "too_large",
        "bad_input",
        "missing_data",
    )


def test_a_file_in_the_librarys_place(do: Doing) -> None:
    do.library.write_text("mine")
    assert do({"a.bib": BIB})["state"] == "failed"
    assert do.library.read_text() == "mine"


@given(
    st.text(max_size=300)
    | st.sampled_from(["../../etc/passwd", "C:\\a\\b.bib", "a//b", "…/..", "CON", "\0"])
)
def test_names_stay_in_their_folder(name: str) -> None:
    parts = safe_parts(name)
    assert parts and all(part and not part.startswith(".") and "/" not in part for part in parts)
    base = Path("/uploads")
    assert base in base.joinpath(*parts).resolve().parents
    assert all(len(part.encode()) <= 200 and part.isprintable() for part in parts)


def test_names_that_meet(tmp_path: Path) -> None:
    paths = []
    for name in ("a.bib", "a.bib", "x/../a.bib", "x", "x/y", "x"):
        path = free_path(tmp_path, name)
        path.write_text(name)
        paths.append(path)
    assert len({*paths}) == len(paths)
    assert [path.read_text() for path in paths] == ["a.bib", "a.bib", "x/../a.bib", "x", "x/y", "x"]


def test_a_job_whose_process_was_killed(tmp_path: Path) -> None:
    jobs = Jobs(Settings(str(tmp_path / "library"), str(tmp_path)))
    folder = jobs.new_folder()
    (folder / "files" / "a.bib").write_bytes(BIB)
    name = jobs.start(folder, sample=False)
    jobs.close()
    for process in [*jobs._processes]:
        process.wait()
    state = jobs.state(name)
    assert state["state"] == "failed" and "stopped" in state["error"]["detail"]
    assert not (folder / "files").exists() and not (tmp_path / "library").exists()


def test_threads_that_write_a_state_at_once_leave_a_whole_one(tmp_path: Path) -> None:
    states = [{"state": "reading", "done": done} for done in range(400)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda state: write_state(tmp_path, state), states))
    assert read_state(tmp_path)["done"] in range(400)
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_long_name_in_chinese_is_cut_to_what_a_file_system_takes(tmp_path: Path) -> None:
    path = free_path(tmp_path, "中" * 150 + ".tex")
    path.write_text("")
    assert path.suffix == ".tex" and len(path.name.encode()) <= 200


def test_files_of_all_archives_are_counted_together(do: Doing) -> None:
    archives = {
        f"{number}.zip": zipped({f"{each}.bib": BIB for each in range(8)}) for number in range(3)
    }
    state = do(archives)
    assert state["error"]["code"] == "too_large" and "20 files" in state["error"]["detail"]


def test_an_archive_with_broken_names_is_named(do: Doing) -> None:
    packed = zipped({"é.bib": BIB}).replace("é".encode(), b"\xff\xfe")
    state = do({"a.zip": packed})
    assert state["error"]["code"] == "bad_input" and "a.zip" in state["error"]["detail"]


def test_a_job_that_is_just_starting_is_not_ended_by_another_request(tmp_path: Path) -> None:
    jobs = Jobs(Settings(str(tmp_path / "library"), str(tmp_path)))
    folder = jobs.new_folder()
    write_state(folder, {"job": folder.name, "state": "waiting", "stage": "waiting"})
    assert jobs.state(folder.name)["state"] == "waiting", "no process is written down yet"
    assert (folder / "files").exists()


def test_uploads_on_their_way_count(tmp_path: Path) -> None:
    jobs = Jobs(Settings(str(tmp_path / "library"), str(tmp_path), limits=Limits(jobs=2)))
    first, _ = jobs.new_folder(), jobs.new_folder()
    with pytest.raises(Problem):
        jobs.new_folder()
    os.utime(first, (0, 0))
    jobs.new_folder()
