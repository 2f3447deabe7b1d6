"""Full texts as users import them: `citewise index` on a folder, and what the library then has."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import citewise
from citewise import ingest
from citewise.cli import app
from citewise.ingest import FORMATS
from citewise.ingest.report import Report
from citewise.types import CitingSentence, Paper
from ingest.fulltext_documents import JATS, MAIN, PART, REFS, RELEASES, SCIENCE, TEI, UNARXIVE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One document of each format, a hostile one, and papers in BibTeX that they cite."""
    folder = tmp_path / "texts"
    (folder / "project").mkdir(parents=True)
    for name, text in {
        "bees.tei.xml": TEI,
        "bees.nxml": JATS,
        "s2orc.jsonl": json.dumps(RELEASES["2021"]),
        "unarxive.jsonl": json.dumps(UNARXIVE),
        "science.json": json.dumps(SCIENCE, indent=2),
        "project/main.tex": MAIN,
        "project/part.tex": PART,
        "project/refs.bib": REFS,
        "bomb.xml": "<!DOCTYPE TEI [<!ENTITY a 'ha'>]><TEI>&a;</TEI>",
        "notes.txt": "Use \\input and \\cite{x}, see $x$.",
    }.items():
        (folder / name).write_text(text)
    return folder


def test_each_format_is_recognised_among_all(folder: Path) -> None:
    names = {
        "bees.tei.xml": "tei",
        "bees.nxml": "jats",
        "s2orc.jsonl": "s2orc",
        "unarxive.jsonl": "unarxive",
        "science.json": "science-parse",
        "project/main.tex": "latex",
        "project/refs.bib": "bibtex",
    }
    for name, format in names.items():
        head = (folder / name).read_bytes()
        assert next(module.NAME for module in FORMATS.values() if module.detects(head)) == format, (
            name
        )
    assert not [
        module.NAME
        for module in FORMATS.values()
        if module.detects((folder / "notes.txt").read_bytes())
    ]


def test_a_folder_of_full_texts(folder: Path, tmp_path: Path) -> None:
    library, log = tmp_path / "library", tmp_path / "report.jsonl"
    done = CliRunner().invoke(
        app, ["index", str(folder), "--library", str(library), "--report", str(log)]
    )
    assert done.exit_code == 0, done.output
    events = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    skipped = {
        (Path(event["file"]).name, event["reason"])
        for event in events
        if event["action"] == "skipped"
    }
    assert {
        ("bomb.xml", "xml_entities"),
        ("part.tex", "part_of_a_latex_project"),
        ("notes.txt", "unknown_format"),
    } <= skipped
    assert {reason for _, reason in skipped} <= {
        "xml_entities",
        "part_of_a_latex_project",
        "unknown_format",
        "no_cited_id",
    }
    assert citewise.verify(library).problems == ()


def test_what_is_read_is_what_the_documents_hold(folder: Path) -> None:
    records = [record for record, _ in ingest.read([folder], Report())]
    sentences = [record for record in records if isinstance(record, CitingSentence)]
    papers = {record.id: record for record in records if isinstance(record, Paper)}
    assert {sentence.citing for sentence in sentences} <= papers.keys()
    cited = {key for sentence in sentences for group in sentence.groups for key in group.cited}
    assert cited <= papers.keys(), "what is cited is a paper, light or whole"
    assert {"doi:10.1000/clock", "title:honey:wabe:1990", "arxiv:1203.00002"} <= cited
    assert all(papers[key].title for key in cited)


def test_the_same_document_twice_changes_nothing(folder: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    first = citewise.index([folder / "bees.nxml"], library)
    again = citewise.index([folder / "bees.nxml"], library)
    assert first.added == 5
    assert (again.added, again.updated) == (0, 0)


def test_a_format_can_be_named(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app,
        [
            "index",
            str(folder / "bees.tei.xml"),
            "--library",
            str(tmp_path / "library"),
            "--format",
            "tei",
        ],
    )
    assert done.exit_code == 0, done.output
