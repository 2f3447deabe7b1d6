"""Outputs of commands: files that appear whole or not at all, links, pipes, folders."""

import io
import json
import os
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorSystem
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import citewise
from citewise.cli import terminal
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


# What came from files

HOSTILE = "A \x1b]8;;http://evil\x07link\x1b[31m \x9b2J \u202egnirts\u202c \u2066x\u2069 "
HOSTILE += ":smile: [red]m[/red]"
SHOWN = "A ]8;;http://evillink[31m 2J gnirts x :smile: [red]m[/red]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HOSTILE, SHOWN),
        ("tab\tand\nline", "tab\tand\nline"),
        ("H₂O, naïve, 漢字, می‌خواهم, 👩‍🔬", "H₂O, naïve, 漢字, می‌خواهم, 👩‍🔬"),
        ("zero\u200bwidth\ufeff \u2060and\u200f tags\U000e0041", "zerowidth and tags"),
        ("\x00\x07\x08\r\x7f\x85", ""),
    ],
)
def test_texts_are_made_harmless(text: str, shown: str) -> None:
    assert terminal.harmless(text) == shown


def test_nothing_hostile_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None)
    table.add_column(overflow="fold", width=200)
    table.add_row(escape(HOSTILE))
    for what in (escape(HOSTILE), Text(HOSTILE), table, Group(Text(HOSTILE))):
        terminal.console(width=200).print(what)
        terminal.say(what)
    out, err = capsys.readouterr()
    for printed in (out, err):
        assert printed.count(SHOWN) == 4
        assert terminal.harmless(printed) == printed


def test_colours_are_still_drawn() -> None:
    file = io.StringIO()
    drawn = terminal.console(file)
    drawn._force_terminal, drawn._color_system = True, ColorSystem.STANDARD
    drawn.print(f"[red]{escape(HOSTILE)}[/red]", soft_wrap=True, highlight=False)
    assert file.getvalue() == f"\x1b[31m{SHOWN}\x1b[0m\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "written"), [(_Terminal, SHOWN), (io.StringIO, HOSTILE)])
def test_other_formats_are_faithful_unless_a_terminal_reads_them(
    stream: type[io.StringIO], written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = stream()
    monkeypatch.setattr(sys, "stdout", output)
    with terminal.writing(None) as file:
        file.write(HOSTILE)
    assert output.getvalue() == written


def test_hostile_titles_and_sentences_reach_no_output(run: Run, tmp_path: Path) -> None:
    title = "Bees \u202edance\u202c :bee: [bold]on"
    paper = {"id": "a\u202e", "title": title, "abstract": "Bees dance."}
    (tmp_path / "papers.jsonl").write_text(json.dumps(paper) + "\n")
    done = run("index", tmp_path / "papers.jsonl", "--library", tmp_path / "library")
    assert done.code == 0
    for command in (
        ("recommend", "--title", "bees dance", "--explain"),
        ("cite", f"Bees dance {HOSTILE}."),
        ("info",),
        ("verify",),
    ):
        done = run(*command, "--library", tmp_path / "library")
        assert done.code == 0, done.err
        assert terminal.harmless(done.out + done.err) == done.out + done.err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_the_terminal_cannot_encode_is_replaced(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding=encoding))
    terminal.replace_what_cannot_be_shown()
    terminal.show("H₂O")
    terminal.show_plain("漢字 \udc80")
    sys.stdout.flush()
    assert content.getvalue() == b"H?O\n?? ?\n"


def test_no_other_console_is_made() -> None:
    commands = Path(terminal.__file__).parent
    others = [file for file in commands.glob("*.py") if file.name != "terminal.py"]
    for file in others:
        assert not re.search(
            r"\bConsole\(|typer\.echo\((?!f\"citewise )|print\(f", file.read_text()
        )
