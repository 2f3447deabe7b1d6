"""The command line as a whole: a library's life, exit codes, one-line errors, the help."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import citewise
from command_line import Run, in_own_process, write_papers
from corpora import GOLDEN

TITLE = "How honey bees dance and swarm"


@pytest.mark.slow
def test_from_sources_to_an_answer_and_back(tmp_path: Path) -> None:
    source, library = write_papers(tmp_path / "papers.jsonl", GOLDEN), tmp_path / "library"
    done = in_own_process("index", source, "--library", library)
    assert (done.code, done.out) == (0, "")
    assert "8 papers" in done.err and "8 added, 0 updated, 0 unchanged, 0 skipped" in done.err
    assert "\x1b" not in done.err, "no colours and no progress bar in a pipe"
    done = in_own_process("recommend", "--library", library, "--title", TITLE, COLUMNS="100")
    assert (done.code, done.err) == (0, "")
    assert "The dance language of honey bees" in done.out and "\x1b" not in done.out
    done = in_own_process("info", "-l", library)
    assert re.search(r"papers +8\b", done.out) and (done.code, done.err) == (0, "")
    done = in_own_process("remove", "pmid:101", "arXiv:1101.00001v2", "--library", library)
    assert (done.code, done.out) == (0, "") and "6 papers" in done.err
    done = in_own_process("compact", "--library", library)
    assert (done.code, done.out) == (0, "") and "6 papers" in done.err
    done = in_own_process("verify", "--library", library)
    assert (done.code, done.err) == (0, "") and "6 papers" in done.out and "sound" in done.out


@pytest.mark.slow
def test_help_for_every_command(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    for command in ("demo", "index", "info", "recommend", "run", "remove", "verify", "compact"):
        assert command in done.out
        assert "Example: citewise " + command in run(command, "-h").out


def test_the_version(run: Run) -> None:
    assert run("--version")[:2] == (0, f"citewise {citewise.__version__}\n")


# Exit codes and errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("info --library LIBRARY/absent", 1, "no citewise library here"),
        ("verify --library LIBRARY/absent", 1, "no citewise library here"),
        ("recommend absent.txt --library LIBRARY", 1, "absent.txt: cannot be read"),
        ("recommend --library LIBRARY", 2, "the query is empty"),
        (
            "recommend --title bees --system bm26 --library LIBRARY",
            2,
            "unknown system 'bm26'",
        ),
        (
            "recommend --title bees --system bm25(b=[/red]7) --library LIBRARY",
            2,
            "b takes a float",
        ),
        (
            "recommend --title bees --since 2010 --until 2000 --library LIBRARY",
            2,
            "since 2010",
        ),
        ("index absent.jsonl --library LIBRARY", 1, "absent.jsonl: no such file"),
        (
            "remove nobody[/] --library LIBRARY",
            1,
            "no paper 'nobody[/]'; nothing was removed",
        ),
        (
            "run --queries absent.jsonl --library LIBRARY",
            1,
            "absent.jsonl: cannot be opened",
        ),
    ],
)
def test_an_error_is_one_line_and_a_code(
    run: Run, golden_library: Path, command: str, code: int, message: str
) -> None:
    words = command.split()
    done = run(*(word.replace("LIBRARY", str(golden_library)) for word in words))
    assert (done.code, done.out) == (code, "")
    assert message in done.err and done.err.startswith("citewise: ")
    assert done.err.count("\n") == 1, "one line, however long"


@pytest.mark.parametrize(
    "command",
    [
        "recommend --title x",
        "nonsense",
        "info --nonsense",
        "recommend --title x -k 0 -l x",
        "index x -l x --format xml",
        "remove -l x",
    ],
)
def test_words_that_the_command_line_does_not_know(run: Run, command: str) -> None:
    done = run(*command.split())
    assert (done.code, done.out) == (2, "")


def test_a_damaged_library_is_an_exit_code(run: Run, library: Path) -> None:
    next((library / "tables").rglob("keys.hashes")).write_bytes(b"")
    done = run("verify", "--library", library)
    assert done.code == 1
    assert "problem: tables/000001/keys.hashes: 0 bytes instead of" in done.out


@pytest.mark.slow
def test_a_pipe_that_closes_early(golden_library: Path) -> None:
    recommend = f"{sys.executable} -m citewise recommend -l {golden_library} --title bees"
    command = f"{recommend} --format json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and done.stdout == "{"


@pytest.mark.slow
def test_brackets_are_not_taken_for_markup(run: Run, tmp_path: Path) -> None:
    library = tmp_path / "[red]" / "[/bold]lib"
    citewise.add([citewise.Paper("b[/x]", "Bees [/bold] and [red] things")], library)
    for command in (["recommend", "--title", "bees"], ["info"], ["verify"], ["compact"]):
        code, out, err = run(*command, "--library", library)
        assert code == 0, err
    code, out, _ = run("recommend", "--title", "bees", "--library", library)
    assert "Bees [/bold] and [red] things" in out and "b[/x]" in out
    code, _, err = run("info", "--library", tmp_path / "[/nothing]")
    assert code == 1 and "[/nothing]" in err


def test_a_long_path_in_an_error_is_still_one_line(run: Run, tmp_path: Path) -> None:
    code, _, err = run("info", "--library", tmp_path / ("long" * 50) / ("path " * 30))
    assert (code, len(err.splitlines())) == (1, 1)
