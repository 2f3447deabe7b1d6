"""The commands that make, show and change libraries: sources, reports, versions, descriptions."""

import dataclasses
import gzip
import json
from pathlib import Path

import pytest

import citewise
from citewise.types import Paper
from command_line import Run, in_own_process, write_papers
from corpora import GOLDEN


def test_the_demo(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--library", tmp_path / "demo")
    assert done.code == 0 and "The draft:" in done.out
    assert len(citewise.open(tmp_path / "demo")) > 10


def test_a_report_names_file_and_line(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "papers[1].jsonl"
    paper = Paper("a", "Bees and their dances in hives", year=2001, authors=("Ann Bee",))
    records = [
        paper,
        dataclasses.replace(paper, id="b", abstract="More."),
        Paper("c", "Ants on their paths home"),
        Paper("d", "Ants on their own paths home"),
    ]
    write_papers(source, records)
    with source.open("a") as file:
        file.write('{"title": "no end\n{"abstract": "nobody\'s"}\n')
        file.write('{"id": "e", "title": "A late paper", "year": 20015}\n')
    done = run(
        "index", source, "--library", tmp_path / "library", "--report", tmp_path / "report.jsonl"
    )
    assert done.code == 0
    events = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    found = {(each["action"], each["reason"], each["line"], each["id"]) for each in events}
    assert found == {
        ("merged", "same_title", 2, "b"),
        ("skipped", "malformed_json", 5, ""),
        ("skipped", "no_id_no_title", 6, ""),
        ("repaired", "bad_year", 7, "e"),
        ("near_duplicate", "similar_title", 0, "d"),
    }
    assert all(each["file"] == str(source) for each in events if each["action"] != "near_duplicate")
    assert "4 added, 1 updated, 0 unchanged, 2 skipped" in done.err


@pytest.mark.slow
def test_sources_of_every_kind_at_once(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    write_papers(folder / "papers.jsonl", GOLDEN[:4])
    (folder / "refs.bib").write_text(
        "@article{x, title={A paper from a bibliography}, year={2003}}\n"
    )
    (folder / "more.jsonl.gz").write_bytes(
        gzip.compress(write_papers(tmp_path / "more", GOLDEN[4:6]).read_bytes())
    )
    (folder / "notes.txt").write_text("Remember the milk.\n")
    stdin = write_papers(tmp_path / "piped", GOLDEN[6:]).read_bytes()
    done = in_own_process("index", folder, "-", "--library", tmp_path / "library", stdin=stdin)
    assert done.code == 0, done.err
    assert len(citewise.open(tmp_path / "library")) == 9
    assert "unknown_format" in done.err and "notes.txt:1" in done.err
    assert citewise.open(tmp_path / "library")["pmid:107"] == GOLDEN[6]


def test_keeping_versions(run: Run, tmp_path: Path) -> None:
    paper = Paper("a", "Bees and their dances in hives", year=2001, authors=("Ann Bee",))
    source = write_papers(tmp_path / "papers.jsonl", [paper, dataclasses.replace(paper, id="b")])
    run("index", source, "--library", tmp_path / "merged")
    run("index", source, "--library", tmp_path / "kept", "--keep-versions")
    assert (len(citewise.open(tmp_path / "merged")), len(citewise.open(tmp_path / "kept"))) == (
        1,
        2,
    )
    done = run("verify", "--library", tmp_path / "kept", "--near-duplicates")
    assert done.out.splitlines()[-1].split("\t") == ["1.00", "a", "b", paper.title, paper.title]


def test_info_as_json(run: Run, golden_library: Path) -> None:
    found = json.loads(run("info", "--library", golden_library, "--json").out)
    assert found == json.loads(
        json.dumps(dataclasses.asdict(citewise.open(golden_library).describe()))
    )


def test_the_same_source_twice_on_the_command_line(run: Run, tmp_path: Path) -> None:
    file = write_papers(tmp_path / "papers.jsonl", GOLDEN)
    code, out, err = run("index", file, file, "--library", tmp_path / "library")
    assert (code, out) == (0, "")
    assert "8 papers" in err and "8 added, 0 updated, 8 unchanged" in err


def test_a_wrong_format_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text('{"id": "a", "title": "A paper on honey bees"}\n')
    code, _, err = run(
        "index", tmp_path / "papers.jsonl", "--format", "bibtex", "--library", tmp_path / "library"
    )
    assert code == 1 and "no_records" in err and "no library was made" in err
    assert not (tmp_path / "library").exists()


# Folders


def test_a_folder_with_other_files_is_refused(run: Run, tmp_path: Path) -> None:
    paper = write_papers(tmp_path / "papers.jsonl", GOLDEN)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "table1.csv").write_text("precious")
    code, _, err = run("index", paper, "--library", tmp_path)
    assert code == 2 and "this folder has other files in it (papers.jsonl, tables)" in err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["papers.jsonl", "tables"]


@pytest.mark.parametrize("command", [("index", "x.bib"), ("verify",), ("info",), ("compact",)])
def test_an_empty_path_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*command, "--library", "")
    assert code == 2 and "is empty; name" in err
    assert not [*tmp_path.iterdir()]


def test_a_library_inside_the_sources_is_not_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_papers(tmp_path / "papers.jsonl", GOLDEN)
    citewise.add([Paper("other", "Of another library")], tmp_path / "deep" / "other")
    for _ in range(2):
        code, _, err = run("index", ".", "--library", "library")
        assert code == 0 and "library: 8 papers" in err
        assert "unknown_format" not in err and "citewise_library" in err
    assert "other" not in citewise.open("library")


def test_files_beside_a_library_s_own_are_read(run: Run, tmp_path: Path) -> None:
    citewise.add([Paper("first", "The first paper")], tmp_path)
    write_papers(tmp_path / "papers.jsonl", GOLDEN)
    code, _, err = run("index", tmp_path, "--library", tmp_path)
    assert code == 0 and ": 9 papers" in err


def test_nothing_imported_is_said(run: Run, tmp_path: Path, library: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('{"id": "a", "title": ""}\n{"title": []}\n')
    broken = (tmp_path / "broken.jsonl", "--format", "jsonl")
    code, _, err = run("index", *broken, "--library", tmp_path / "new")
    assert code == 1 and "no library was made" in err and "skipped" in err
    assert not (tmp_path / "new").exists()
    report = citewise.index([broken[0]], tmp_path / "new", format="jsonl")
    assert (report.read, report.imported, report.total("skipped")) == (2, 0, 2)
    assert not (tmp_path / "new").exists()

    before = citewise.open(library).describe()
    code, _, err = run("index", *broken, "--library", library)
    assert code == 1 and "the library is as it was" in err
    assert citewise.open(library).describe() == before
