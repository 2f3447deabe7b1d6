"""The user's feedback: kept whole whoever writes, read in spite of damage, deleted when asked."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

import citewise
from citewise import feedback as feedback_module
from citewise.errors import BadInput, CitewiseError, LibraryBusy
from citewise.feedback import Feedback, FeedbackEntry, feedback_file
from citewise.types import Query
from command_line import Run

DRAFT = Query("Bees and clocks", "How bees tell the time.", year=1999, cited=("doi:10.1/a",))


@pytest.fixture
def feedback(tmp_path: Path) -> Feedback:
    return Feedback(tmp_path / "new" / "folder" / "feedback.jsonl")


def test_entries_come_back_as_they_were_given(feedback: Feedback) -> None:
    given = [
        FeedbackEntry("doi:10.1/ü", "accepted", DRAFT, 3),
        FeedbackEntry("b", "rejected", Query(sentence="Bees dance.\nAnd\u2028sing.\x00"), 1),
        FeedbackEntry("c", "accepted"),
    ]
    assert feedback.entries() == () and not feedback.path.exists()
    for entry in given:
        feedback.record(entry)
    assert feedback.entries() == tuple(given)
    assert feedback.read().damaged == ()

    lines = [json.loads(line) for line in feedback.path.read_text("utf-8").split("\n")[:-1]]
    assert [line["paper"] for line in lines] == ["doi:10.1/ü", "b", "c"]
    assert lines[0]["query"]["title"] == DRAFT.title and lines[0]["time"].endswith("+00:00")


def test_the_last_verdict_counts(feedback: Feedback) -> None:
    other = Query("Another draft")
    later = Query(DRAFT.title, DRAFT.abstract, since=1980)
    for paper, verdict, query in [
        ("a", "accepted", DRAFT),
        ("a", "accepted", other),
        ("b", "rejected", DRAFT),
        ("a", "rejected", later),
        ("b", "cleared", later),
    ]:
        feedback.record(FeedbackEntry(paper, verdict, query))  # type: ignore[arg-type]
    found = {(each.paper, each.verdict, each.query) for each in feedback.verdicts()}
    assert found == {("a", "rejected", later), ("a", "accepted", other)}
    assert len(feedback.entries()) == 5, "the file keeps what happened"


def test_damaged_lines_are_counted_and_stay(feedback: Feedback) -> None:
    feedback.record(FeedbackEntry("a", "accepted"))
    damage = [b"{", b"\xff\xfe", b"[]", b'{"paper": "x", "verdict": "maybe"}', b"[" * 100_000]
    damage += [b'{"paper": "x", "verdict": "accepted", "query": {"preferences": {"diversify": 9}}}']
    with feedback.path.open("ab") as file:
        file.write(b"\n".join(damage) + b'\n\n{"paper": "torn by a cra')
    feedback.record(FeedbackEntry("b", "rejected"))

    content = feedback.read()
    assert [entry.paper for entry in content.entries] == ["a", "b"]
    assert content.damaged == (2, 3, 4, 5, 6, 7, 9)
    assert b"torn by a cra\n" in feedback.path.read_bytes()


@pytest.mark.parametrize(
    "entry",
    [FeedbackEntry("\ud800", "accepted"), FeedbackEntry("a", "maybe")],  # type: ignore[arg-type]
)
def test_what_cannot_be_read_back_is_not_written(feedback: Feedback, entry: FeedbackEntry) -> None:
    with pytest.raises(BadInput, match="cannot be kept"):
        feedback.record(entry)
    assert not feedback.path.exists()


def test_clearing_deletes_the_file(feedback: Feedback) -> None:
    feedback.clear()
    feedback.record(FeedbackEntry("a", "accepted"))
    feedback.clear()
    assert not feedback.path.exists() and feedback.entries() == ()
    feedback.record(FeedbackEntry("b", "accepted"))
    assert [entry.paper for entry in feedback.entries()] == ["b"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_file_is_the_users_alone(feedback: Feedback) -> None:
    feedback.record(FeedbackEntry("a", "accepted", DRAFT))
    assert stat.S_IMODE(feedback.path.stat().st_mode) == 0o600


@pytest.mark.slow
def test_processes_do_not_tear_each_others_lines(feedback: Feedback) -> None:
    code = (
        "import sys; from citewise.feedback import *; file = Feedback(sys.argv[1])\n"
        "for number in range(50): file.record(FeedbackEntry(sys.argv[2] * 5000, 'accepted', "
        "rank=number))"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(feedback.path), letter])
        for letter in "xyz"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]

    content = feedback.read()
    assert not content.damaged
    for letter in "xyz":
        own = [entry.rank for entry in content.entries if entry.paper == letter * 5000]
        assert own == [*range(50)]


def test_a_writer_does_not_wait_for_ever(
    feedback: Feedback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feedback_module, "_WAIT", 0.05)
    feedback.record(FeedbackEntry("a", "accepted"))
    with (
        filelock.FileLock(feedback.path.with_name("feedback.jsonl.lock"), is_singleton=False),
        pytest.raises(LibraryBusy, match="another process"),
    ):
        feedback.record(FeedbackEntry("b", "accepted"))
    assert len(feedback.entries()) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_full_disk_loses_nothing_in_silence(feedback: Feedback) -> None:
    """A limit on files' sizes, as on a full disk, lets a part of a line be written."""
    feedback.record(FeedbackEntry("a", "accepted"))
    before = feedback.path.read_bytes()
    code = (
        "import resource, signal, sys; from citewise.feedback import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 20},) * 2)\n"
        "try: Feedback(sys.argv[1]).record(FeedbackEntry('b', 'accepted'))\n"
        "except CitewiseError as error: sys.exit(str(error))"
    )
    writer = subprocess.run(
        [sys.executable, "-c", code, str(feedback.path)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert writer.returncode == 1
    assert "cannot be changed (File too large)" in writer.stderr
    assert feedback.path.read_bytes() == before


def test_a_file_that_cannot_be_there_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CitewiseError, match=r"cannot be changed \(\w.*\); make room"):
        Feedback(tmp_path / "file" / "feedback.jsonl").record(FeedbackEntry("a", "accepted"))

    (tmp_path / "folder").mkdir()
    with pytest.raises(CitewiseError, match=r"cannot be read \(\w.*\); make room"):
        Feedback(tmp_path / "folder").read()


def test_the_command_shows_exports_and_deletes(
    golden_library: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    own = Feedback.of(golden_library)
    own.record(FeedbackEntry("a", "accepted", DRAFT, 1))
    own.path.write_bytes(b"{\n" + own.path.read_bytes())

    done = run("feedback", "--library", golden_library)
    assert json.loads(done.out)["query"]["title"] == DRAFT.title
    assert "1 damaged lines (1) are left out" in done.err and "1 entries of" in done.err
    run("feedback", "--library", golden_library, "-o", tmp_path / "export.jsonl")
    assert Feedback(tmp_path / "export.jsonl").entries() == own.entries()

    assert run("feedback", "--library", golden_library, "--clear").code == 0
    assert not own.path.exists() and run("feedback", "--library", golden_library).out == ""


def test_each_library_has_a_file_of_its_own(
    golden_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    library = citewise.open(golden_library)
    library.feedback().record(FeedbackEntry("a", "accepted"))

    monkeypatch.chdir(golden_library.parent)
    assert feedback_file("library") == library.feedback().path == feedback_file(golden_library)
    others = {feedback_file(each) for each in ("engine://host/library", "other/library", "/")}
    assert len(others | {library.feedback().path}) == 4
    if sys.platform == "linux":
        assert library.feedback().path.parent == tmp_path / "data" / "citewise" / "feedback"
    assert not [*golden_library.rglob("*.jsonl")], "nothing is written into the library"
