"""Outputs of commands: files that appear whole or not at all, links, pipes, folders."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.recommend import Recommender
from citewise.types import Answer, Query
from command_line import Run


def for_bees(library: Path, *more: object) -> tuple[object, ...]:
    return ("recommend", "--library", library, "--title", "honey bees", "--format", "bibtex", *more)


def test_a_file_is_whole_or_not_there(
    run: Run, golden_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.run"
    output.write_text("the old run")
    queries = b'{"id": "q", "title": "bees"}\n{"id": "r", "title": "ants"}\n'
    answer = Recommender.answer

    def failing(self: Recommender, query: Query, *settings: Any) -> Answer:
        if query.id == "r":
            raise citewise.BadLibrary("broke in the middle")
        return answer(self, query, *settings)

    monkeypatch.setattr(Recommender, "answer", failing)
    done = run("run", "--queries", "-", "--library", golden_library, "-o", output, stdin=queries)
    assert (done.code, done.err) == (1, "citewise: broke in the middle\n")
    assert output.read_text() == "the old run"
    assert [file.name for file in tmp_path.iterdir()] == ["out.run"]


def test_an_output_in_a_folder_that_is_not_there_is_one_line(
    run: Run, golden_library: Path, tmp_path: Path
) -> None:
    code, out, err = run(*for_bees(golden_library, "-o", tmp_path / "absent" / "x.bib"))
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "No such file or directory" in err and "absent" in err


def test_an_output_that_is_a_folder_is_one_line(
    run: Run, golden_library: Path, tmp_path: Path
) -> None:
    code, _, err = run(*for_bees(golden_library, "-o", tmp_path))
    assert (code, len(err.splitlines())) == (1, 1)
    assert "directory" in err
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_as_output_is_written_to_and_not_replaced(
    run: Run, golden_library: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"  # as /dev/null, which a rename would make a plain file
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    try:
        code, _, err = run(*for_bees(golden_library, "-o", pipe))
    finally:
        if pipe.is_fifo() and reader.is_alive():
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        reader.join(10)
    assert (code, err) == (0, "")
    assert pipe.is_fifo()
    assert read[0].startswith("@")


def test_a_link_as_output_stays_a_link(run: Run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "refs.bib").write_text("old")
    (tmp_path / "link.bib").symlink_to(tmp_path / "real" / "refs.bib")
    assert run(*for_bees(golden_library, "-o", tmp_path / "link.bib"))[0] == 0
    assert (tmp_path / "link.bib").is_symlink()
    assert (tmp_path / "real" / "refs.bib").read_text().startswith("@")
    assert [each.name for each in (tmp_path / "real").iterdir()] == ["refs.bib"]
