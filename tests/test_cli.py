"""The command line: the answers of the Python interface, exit codes, one-line errors, and files that are whole."""

import dataclasses
import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from corpora import GOLDEN

import citewise
from citewise import cli
from citewise.render import FORMATS
from citewise.systems import DEFAULT
from citewise.types import Paper

TITLE = "How honey bees dance and swarm"
ABSTRACT = "Foraging bees tell the hive about food."


@dataclasses.dataclass
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Give a function that runs a command in this process, as the installed script does."""
    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["citewise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        return Done(code, *capsys.readouterr())
    return run


def in_process(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> Done:
    """Run a command in a process of its own, its output in pipes."""
    done = subprocess.run([sys.executable, "-m", "citewise", *map(str, arguments)], input=stdin, capture_output=True,
                          env={**os.environ, **environment}, check=False)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def write_papers(file: Path, papers=GOLDEN) -> Path:
    file.write_text("".join(json.dumps(dataclasses.asdict(paper)) + "\n" for paper in papers))
    return file


def ids_of(done: Done) -> list[str]:
    assert done.code == 0, done.err
    return [each["paper"]["id"] for each in json.loads(done.out)["recommendations"]]


# A whole life

def test_from_sources_to_an_answer_and_back(tmp_path: Path) -> None:
    source, library = write_papers(tmp_path / "papers.jsonl"), tmp_path / "library"
    done = in_process("index", source, "--library", library)
    assert (done.code, done.out) == (0, "")
    assert "8 papers" in done.err and "8 added, 0 updated, 0 unchanged, 0 skipped" in done.err
    assert "\x1b" not in done.err, "no colours and no progress bar in a pipe"
    done = in_process("recommend", "--library", library, "--title", TITLE, COLUMNS="100")
    assert (done.code, done.err) == (0, "")
    assert "The dance language of honey bees" in done.out and "\x1b" not in done.out
    done = in_process("info", "-l", library)
    assert re.search(r"papers +8\b", done.out) and (done.code, done.err) == (0, "")
    done = in_process("remove", "pmid:101", "arXiv:1101.00001v2", "--library", library)
    assert (done.code, done.out) == (0, "") and "6 papers" in done.err
    done = in_process("compact", "--library", library)
    assert (done.code, done.out) == (0, "") and "6 papers" in done.err
    done = in_process("verify", "--library", library)
    assert (done.code, done.err) == (0, "") and "6 papers" in done.out and "sound" in done.out


def test_the_demo(run, tmp_path: Path) -> None:
    done = run("demo", "--library", tmp_path / "demo")
    assert done.code == 0 and "The draft:" in done.out
    assert len(citewise.open(tmp_path / "demo")) > 10


def test_help_for_every_command(run) -> None:
    done = run("--help")
    assert done.code == 0
    for command in ("demo", "index", "info", "recommend", "run", "remove", "verify", "compact"):
        assert command in done.out
        assert "Example: citewise " + command in run(command, "-h").out


# Exit codes and errors

@pytest.mark.parametrize(("arguments", "code", "message"), [
    (["info", "--library", "LIBRARY/absent"], 1, "no citewise library here"),
    (["verify", "--library", "LIBRARY/absent"], 1, "no citewise library here"),
    (["recommend", "absent.txt", "--library", "LIBRARY"], 1, "absent.txt: cannot be read"),
    (["recommend", "--library", "LIBRARY"], 2, "the query is empty"),
    (["recommend", "--title", "bees", "--system", "bm26", "--library", "LIBRARY"], 2, "unknown system 'bm26'"),
    (["recommend", "--title", "bees", "--system", "bm25(b=[/red]7)", "--library", "LIBRARY"], 2, "b takes a float"),
    (["recommend", "--title", "bees", "--since", "2010", "--before", "2000", "--library", "LIBRARY"], 2, "since 2010"),
    (["index", "absent.jsonl", "--library", "LIBRARY"], 1, "absent.jsonl: no such file"),
    (["remove", "nobody[/]", "--library", "LIBRARY"], 1, "no paper 'nobody[/]'; nothing was removed"),
    (["run", "--queries", "absent.jsonl", "--library", "LIBRARY"], 1, "absent.jsonl: cannot be opened"),
])
def test_an_error_is_one_line_and_a_code(run, golden_library: Path, arguments: list[str], code: int,
                                         message: str) -> None:
    done = run(*(argument.replace("LIBRARY", str(golden_library)) for argument in arguments))
    assert (done.code, done.out) == (code, "")
    assert message in done.err and done.err.startswith("citewise: ")
    assert done.err.count("\n") == 1, "one line, however long"


@pytest.mark.parametrize("arguments", [["recommend", "--title", "x"], ["nonsense"], ["info", "--nonsense"],
                                       ["recommend", "--title", "x", "-k", "0", "-l", "x"],
                                       ["index", "x", "-l", "x", "--format", "xml"], ["remove", "-l", "x"]])
def test_words_that_the_command_line_does_not_know(run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")


def test_a_damaged_library_is_an_exit_code(run, library: Path) -> None:
    next((library / "tables").rglob("keys.hashes")).write_bytes(b"")
    done = run("verify", "--library", library)
    assert done.code == 1
    assert "problem: tables/000001/keys.hashes: 0 bytes instead of" in done.out


def test_a_pipe_that_closes_early(golden_library: Path) -> None:
    command = f"{sys.executable} -m citewise recommend -l {golden_library} --title bees --format json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and done.stdout == "{"


# Answers

@pytest.mark.parametrize("options", [
    {}, {"k": 2}, {"system": "bm25-title"}, {"system": "bm25(k1=0.9,b=0.4)"}, {"year": 2012}, {"since": 1985},
    {"since": 1985, "year": 2012}], ids=str)
def test_json_says_what_python_says(run, golden_library: Path, options: dict) -> None:
    words = [f"--{ {'year': 'before'}.get(name, name) }={value}" if name != "k" else f"-k{value}"
             for name, value in options.items()]
    done = run("recommend", "-l", golden_library, "--title", TITLE, "--abstract", ABSTRACT, "--format", "json", *words)
    held = citewise.open(golden_library)
    said = json.loads(done.out)
    expected = held.recommend(TITLE, ABSTRACT, **options)
    assert said["recommendations"] == [
        {name: value for name, value in each.items() if name not in ("base", "contributions", "reasons")}
        for each in msgspec.json.decode(msgspec.json.encode(expected))]
    assert len(expected) > 0
    assert said["library"] == {"path": str(golden_library), "generation": 1,
                               "fingerprint": held.library.manifest.fingerprint}
    assert said["system"] == options.get("system", DEFAULT)
    assert (said["query"]["title"], said["query"]["year"]) == (TITLE, options.get("year"))


ENTRIES = {"bibtex": r"(?m)^@\w+\{", "ris": r"(?m)^ER  -", "markdown": r"(?m)^(?:[-*]|\d+\.) ", "json": r'"rank": \d+',
           "csl": r'"title":', "table": r"(?m)^ *\d+ +-?\d+\.\d\d "}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_an_entry_a_paper(run, golden_library: Path, format: str, tmp_path: Path) -> None:
    command = ["recommend", "--library", golden_library, "--title", TITLE, "--format", format]
    count = len(citewise.open(golden_library).recommend(TITLE))
    done = run(*command)
    assert done.code == 0
    assert len(re.findall(ENTRIES[format], done.out)) == count > 3
    run(*command, "-o", tmp_path / "answer")
    assert (tmp_path / "answer").read_text() == done.out, "a file has the same"
    assert len(re.findall(ENTRIES[format], run(*command, "-k", "1").out)) == 1


@pytest.mark.parametrize("format", ["bibtex", "ris", "csl"])
def test_an_answer_can_be_indexed_again(run, golden_library: Path, format: str, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    run("recommend", "--library", golden_library, "--title", TITLE, "--format", format, "-o", answer)
    assert run("index", answer, "--library", tmp_path / "again").code == 0
    titles = {each.paper.title for each in citewise.open(golden_library).recommend(TITLE)}
    held = citewise.open(tmp_path / "again").library
    assert {paper.title for paper in held.papers(held.rows)} == titles


def test_nothing_found_is_said_and_is_no_error(run, golden_library: Path) -> None:
    done = run("recommend", "--library", golden_library, "--title", "xylophone", "--format", "bibtex")
    assert (done.code, done.out.strip()) == (0, "")
    assert "No paper of the library shares a term" in done.err




# Drafts

DRAFTS = {
    "draft.txt": f"{TITLE}\n\nAbstract\n{ABSTRACT}\n\nIntroduction\nRobots build walls.\n",
    "draft.md": f"# {TITLE}\n\n## Abstract\n\n{ABSTRACT}\n\n## Introduction\n\nRobots build walls.\n",
    "draft.tex": f"\\documentclass{{article}}\\title{{{TITLE}}}\\begin{{document}}\\begin{{abstract}}{ABSTRACT}"
                 "\\end{abstract}\\section{Introduction} Robots build walls.\\end{document}",
}


@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_is_its_title_and_its_abstract(run, golden_library: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(DRAFTS[name])
    given = ["--library", golden_library, "--format", "json"]
    expected = run("recommend", *given, "--title", TITLE, "--abstract", ABSTRACT)
    assert run("recommend", tmp_path / name, *given).out == expected.out
    assert run("recommend", "-", *given, stdin=DRAFTS[name].encode()).out == expected.out
    other = run("recommend", tmp_path / name, *given, "--title", "Robots")
    assert json.loads(other.out)["query"]["title"] == "Robots", "a title that is given goes before the draft's"


def test_what_a_draft_cites_is_left_out(run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        "@article{frisch, title={The dance language of honey bees}, doi={10.1000/DANCE}}\n"
        "@article{uhr, title={Circadian clocks guide foraging bees}, author={Uhr, Mina}, year={1985}}\n")
    (tmp_path / "draft.tex").write_text(DRAFTS["draft.tex"].replace(
        "Robots", r"As \cite{frisch} says, \bibliography{refs} robots"))
    given = ["--library", golden_library, "--format", "json", "--system", "bm25"]  # by words: the order stays
    everything = ids_of(run("recommend", "--title", TITLE, "--abstract", ABSTRACT, *given))
    found = ids_of(run("recommend", tmp_path / "draft.tex", *given))
    assert found == [name for name in everything if name != "doi:10.1000/dance"]
    found = ids_of(run("recommend", tmp_path / "draft.tex", *given, "--cited", tmp_path / "refs.bib"))
    assert found == [name for name in everything if name not in ("doi:10.1000/dance", "doi:10.1000/clock")]


def test_cited_keys(run, golden_library: Path) -> None:
    given = ["recommend", "--library", golden_library, "--title", TITLE, "--format", "json", "--system", "bm25"]
    everything = ids_of(run(*given))
    done = run(*given, "--cited", "PMID:101,https://arxiv.org/abs/1203.00002", "--cited", "own-7,nobody[1]")
    gone = {"doi:10.1000/dance", "arxiv:1203.00002", "own-7"}
    assert gone <= {*everything}
    assert ids_of(done) == [name for name in everything if name not in gone]
    assert done.err == "Not in the library, so not used: nobody[1]\n"


def test_years(run, golden_library: Path) -> None:
    given = ["recommend", "--library", golden_library, "--title", TITLE, "--format", "json"]
    years = {paper.id: paper.year for paper in GOLDEN}
    found = [years[name] for name in ids_of(run(*given, "--before", "2012", "--since", "1985"))]
    assert found and all(year and 1985 <= year <= 2012 for year in found)
    assert None in [years[name] for name in ids_of(run(*given))], "without limits, papers without a year are seen"


# Runs

def test_a_trec_run(run, golden_library: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    lines = [json.dumps({"id": "q 1", "title": TITLE}), "{broken", json.dumps({"title": "no id"}), "[7]",
             json.dumps({"id": 2, "abstract": ABSTRACT, "year": 1990}), "", json.dumps({"id": "q3"}),
             json.dumps({"id": "q4", "title": "bees", "cited": ["doi:10.1000/clock", "nobody"], "year": "2012"}),
             json.dumps({"id": "q6", "title": "bees", "cited": ["own-7", 5]}),
             json.dumps({"id": "q7", "title": "bees", "year": "MMXII"}),
             json.dumps({"id": "q9", "title": "bees", "year": "²"}), json.dumps({"id": "q8", "title": ["bees"]}),
             json.dumps({"id": "q5", "title": "xylophone"})]
    queries.write_text("\n".join(lines))
    done = run("run", "--queries", queries, "--library", golden_library, "-k", "3", "-o", tmp_path / "out.run")
    assert (done.code, done.out) == (0, "")
    rows = [line.split(" ") for line in (tmp_path / "out.run").read_text().splitlines()]
    assert all(len(row) == 6 and row[1] == "Q0" and row[5] == DEFAULT for row in rows)
    held = citewise.open(golden_library)
    asked = {"q%201": {"title": TITLE}, "2": {"abstract": ABSTRACT, "year": 1990},
             "q4": {"title": "bees", "cited": ["doi:10.1000/clock"], "year": 2012}}
    expected = [[query, "Q0", "%20".join(each.paper.id.split()), str(each.rank), str(np.float32(each.score)), DEFAULT]
                for query, question in asked.items() for each in held.recommend(**question, k=3)]
    assert rows == expected
    said = "".join(done.err.split())
    for word in ("malformed_json1", "not_a_query6", "not_an_object1", "queries.jsonl:2"):
        assert word in said
    again = run("run", "--queries", "-", "--library", golden_library, "-k", "3", stdin=queries.read_bytes())
    assert again.out == (tmp_path / "out.run").read_text()


def test_the_tag_of_a_run_is_the_system(run, golden_library: Path) -> None:
    done = run("run", "--queries", "-", "--library", golden_library, "--system", "bm25( k1=0.9, b=0.4 )",
               stdin=b'{"id": "q", "title": "bees"}')
    assert {line.split(" ")[5] for line in done.out.splitlines()} == {"bm25(k1=0.9,b=0.4)"}


def test_a_file_is_whole_or_not_there(run, golden_library: Path, tmp_path: Path,
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out.run"
    output.write_text("the old run")
    queries = b'{"id": "q", "title": "bees"}\n{"id": "r", "title": "ants"}\n'
    answer = citewise.opened.Recommender.recommend

    def failing(self, query, k, explain=False):
        if query.id == "r":
            raise citewise.BadLibrary("broke in the middle")
        return answer(self, query, k, explain)

    monkeypatch.setattr(citewise.opened.Recommender, "recommend", failing)
    done = run("run", "--queries", "-", "--library", golden_library, "-o", output, stdin=queries)
    assert (done.code, done.err) == (1, "citewise: broke in the middle\n")
    assert output.read_text() == "the old run"
    assert [file.name for file in tmp_path.iterdir()] == ["out.run"]


# Reports

def test_a_report_names_file_and_line(run, tmp_path: Path) -> None:
    source = tmp_path / "papers[1].jsonl"
    paper = Paper("a", "Bees and their dances in hives", year=2001, authors=("Ann Bee",))
    records = [paper, dataclasses.replace(paper, id="b", abstract="More."), Paper("c", "Ants on their paths home"),
               Paper("d", "Ants on their own paths home")]
    write_papers(source, records)
    with source.open("a") as file:
        file.write('{"title": "no end\n{"abstract": "nobody\'s"}\n')
        file.write('{"id": "e", "title": "A late paper", "year": 20015}\n')
    done = run("index", source, "--library", tmp_path / "library", "--report", tmp_path / "report.jsonl")
    assert done.code == 0
    events = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    found = {(each["action"], each["reason"], each["line"], each["id"]) for each in events}
    assert found == {("merged", "same_title", 2, "b"), ("skipped", "malformed_json", 5, ""),
                     ("skipped", "no_id_no_title", 6, ""), ("repaired", "bad_year", 7, "e"),
                     ("near_duplicate", "similar_title", 0, "d")}
    assert all(each["file"] == str(source) for each in events if each["action"] != "near_duplicate")
    assert "4 added, 1 updated, 0 unchanged, 2 skipped" in done.err


def test_sources_of_every_kind_at_once(run, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    write_papers(folder / "papers.jsonl", GOLDEN[:4])
    (folder / "refs.bib").write_text("@article{x, title={A paper from a bibliography}, year={2003}}\n")
    (folder / "more.jsonl.gz").write_bytes(gzip.compress(write_papers(tmp_path / "more", GOLDEN[4:6]).read_bytes()))
    (folder / "notes.txt").write_text("Remember the milk.\n")
    stdin = write_papers(tmp_path / "piped", GOLDEN[6:]).read_bytes()
    done = in_process("index", folder, "-", "--library", tmp_path / "library", stdin=stdin)
    assert done.code == 0, done.err
    assert len(citewise.open(tmp_path / "library")) == 9
    assert "unknown_format" in done.err and "notes.txt:1" in done.err
    assert citewise.open(tmp_path / "library")["pmid:107"] == GOLDEN[6]


def test_keeping_versions(run, tmp_path: Path) -> None:
    paper = Paper("a", "Bees and their dances in hives", year=2001, authors=("Ann Bee",))
    source = write_papers(tmp_path / "papers.jsonl", [paper, dataclasses.replace(paper, id="b")])
    run("index", source, "--library", tmp_path / "merged")
    run("index", source, "--library", tmp_path / "kept", "--keep-versions")
    assert (len(citewise.open(tmp_path / "merged")), len(citewise.open(tmp_path / "kept"))) == (1, 2)
    done = run("verify", "--library", tmp_path / "kept", "--near-duplicates")
    assert done.out.splitlines()[-1].split("\t") == ["1.00", "a", "b", paper.title, paper.title]


def test_info_as_json(run, golden_library: Path) -> None:
    said = json.loads(run("info", "--library", golden_library, "--json").out)
    assert said == json.loads(json.dumps(dataclasses.asdict(citewise.open(golden_library).describe())))
