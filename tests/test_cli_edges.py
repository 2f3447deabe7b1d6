"""The command line where the world is not as it should be: outputs, files and keys that nobody expects."""

import dataclasses
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from corpora import GOLDEN

import citewise
from citewise import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Give a function that runs a command; it returns the exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # typer sets its own

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewise", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
            sys.exit(0)
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def recommend(library: Path, *more: object) -> tuple[object, ...]:
    return ("recommend", "--library", library, "--title", "honey bees", "--format", "bibtex", *more)


def test_an_output_in_a_folder_that_is_not_there_is_one_line(run, golden_library: Path, tmp_path: Path) -> None:
    code, out, err = run(*recommend(golden_library, "-o", tmp_path / "absent" / "x.bib"))
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "No such file or directory" in err and "absent" in err


def test_an_output_that_is_a_folder_is_one_line(run, golden_library: Path, tmp_path: Path) -> None:
    code, _, err = run(*recommend(golden_library, "-o", tmp_path))
    assert (code, len(err.splitlines())) == (1, 1)
    assert "directory" in err
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_as_output_is_written_to_and_not_replaced(run, golden_library: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"  # as /dev/null, which a rename would make a plain file
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    try:
        code, _, err = run(*recommend(golden_library, "-o", pipe))
    finally:
        if pipe.is_fifo() and reader.is_alive():
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        reader.join(10)
    assert (code, err) == (0, "")
    assert pipe.is_fifo()
    assert read[0].startswith("@")


def test_a_link_as_output_stays_a_link(run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "refs.bib").write_text("old")
    (tmp_path / "link.bib").symlink_to(tmp_path / "real" / "refs.bib")
    assert run(*recommend(golden_library, "-o", tmp_path / "link.bib"))[0] == 0
    assert (tmp_path / "link.bib").is_symlink()
    assert (tmp_path / "real" / "refs.bib").read_text().startswith("@")
    assert [each.name for each in (tmp_path / "real").iterdir()] == ["refs.bib"]


def test_a_long_list_of_cited_keys(run, golden_library: Path) -> None:
    keys = ",".join([*(f"arXiv:1706.{number:05}" for number in range(400)), "own-7"])
    code, out, err = run(*recommend(golden_library, "--cited", keys))
    assert code == 0
    assert "neonicotinoid" not in out and "dance language" in out
    assert err.startswith("Not in the library, so not used: arXiv:1706.00000")


def test_brackets_are_not_taken_for_markup(run, tmp_path: Path) -> None:
    library = tmp_path / "[red]" / "[/bold]lib"
    citewise.add([citewise.Paper("b[/x]", "Bees [/bold] and [red] things")], library)
    for command in (["recommend", "--title", "bees"], ["info"], ["verify"], ["compact"]):
        code, out, err = run(*command, "--library", library)
        assert code == 0, err
    code, out, _ = run("recommend", "--title", "bees", "--library", library)
    assert "Bees [/bold] and [red] things" in out and "b[/x]" in out
    code, _, err = run("info", "--library", tmp_path / "[/nothing]")
    assert code == 1 and "[/nothing]" in err


def test_a_long_path_in_an_error_is_still_one_line(run, tmp_path: Path) -> None:
    code, _, err = run("info", "--library", tmp_path / ("long" * 50) / ("path " * 30))
    assert (code, len(err.splitlines())) == (1, 1)


def test_an_empty_bibliography_beside_a_draft(run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "draft.tex").write_text(r"\documentclass{article}\title{Honey bees}\begin{document}\cite{x}"
                                        r"\bibliography{refs}\end{document}")
    (tmp_path / "refs.bib").write_text("")
    assert run("recommend", tmp_path / "draft.tex", "--library", golden_library)[0] == 0


@pytest.mark.parametrize("option", [("--before", "0"), ("--since", "-5"), ("--before", "-1"),
                                    ("--since", "9" * 20), ("--before", "9" * 20)])
def test_years_that_no_paper_can_have(run, golden_library: Path, option: tuple[str, str]) -> None:
    code, _, err = run(*recommend(golden_library, *option))
    assert code in (0, 2) and "Traceback" not in err


@pytest.mark.parametrize("year", ["1e400", "-1", "99999999999999999999999", "true", '"soon"', "[2000]", "2000.5"])
def test_a_query_with_a_strange_year_stops_nothing(run, golden_library: Path, tmp_path: Path, year: str) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "q1", "title": "honey bees", "year": ' + year + '}\n'
                       '{"id": "q2", "title": "robot swarms"}\n')
    code, out, _ = run("run", "--queries", queries, "--library", golden_library, "--system", "bm25")
    assert code == 0
    assert "q2 Q0 openalex:W2015000100 1 " in out


def test_two_queries_with_one_id(run, golden_library: Path, tmp_path: Path) -> None:
    """A run file with an id twice is refused by trec_eval: the second must be left out, or the user told."""
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "q1", "title": "honey bees"}\n{"id": "q1", "title": "robot swarms"}\n')
    code, out, err = run("run", "--queries", queries, "--library", golden_library)
    assert code == 0 and "q1" in err
    assert sum(line.split()[3] == "1" for line in out.splitlines()) == 1


def test_an_id_with_white_space_stays_one_column(run, tmp_path: Path, golden_library: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "my query", "title": "swarms of bees note"}\n')
    _, out, _ = run("run", "--queries", queries, "--library", golden_library, "--system", "bm25")
    assert all(len(line.split()) == 6 for line in out.splitlines())
    assert out.startswith("my%20query Q0 own%208 1 ")


def test_the_same_source_twice_on_the_command_line(run, tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(json.dumps(dataclasses.asdict(paper)) + "\n" for paper in GOLDEN))
    code, out, err = run("index", file, file, "--library", tmp_path / "library")
    assert (code, out) == (0, "")
    assert "8 papers" in err and "8 added, 0 updated, 8 unchanged" in err


def test_a_wrong_format_is_said(run, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text('{"id": "a", "title": "A paper on honey bees"}\n')
    code, _, err = run("index", tmp_path / "papers.jsonl", "--format", "bibtex", "--library", tmp_path / "library")
    assert code == 0 and "no_records" in err


def test_the_version(run) -> None:
    assert run("--version")[:2] == (0, f"citewise {citewise.__version__}\n")
