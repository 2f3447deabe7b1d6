"""The Open Research Corpus: what each field becomes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from citewise.ingest import opencorpus
from ingest.json_sources import COMPRESSORS, WRONG, clean, detected, json_objects, lines, papers_in

SHA, CITED, CITING = "4cd223df721b722b1c40689caa52932a41fcc223", "0" * 39 + "1", "0" * 39 + "2"

PAPER: dict[str, Any] = {
    "id": SHA,
    "title": "A contrived recommender of citations",
    "paperAbstract": "We contrive. Then we recommend.",
    "authors": [{"name": "Ada Muster", "ids": ["2164681"]}, {"name": "B. Példa", "ids": []}],
    "inCitations": [CITING],
    "outCitations": [CITED, SHA],
    "year": 2016,
    "venue": "Contrived Conference",
    "keyPhrases": ["Citation", "Recommender"],
    "s2Url": f"http://semanticscholar.org/paper/{SHA}",
    "pdfUrls": ["http://example.org/paper.pdf"],
    "journalName": "Contrived Journal",
    "journalVolume": "12",
    "journalPages": "1-9",
    "doi": "10.1000/Contrived.1",
    "doiUrl": "https://doi.org/10.1000/contrived.1",
    "pmid": "29456894",
    "sources": ["DBLP"],
    "entities": ["Never used here"],
}


def test_every_field() -> None:
    (paper,), report = clean(opencorpus, PAPER)
    assert paper.id == f"s2:{SHA}"
    assert paper.title == "A contrived recommender of citations"
    assert paper.abstract == "We contrive. Then we recommend."
    assert paper.authors == ("Ada Muster", "B. Példa")
    assert (paper.year, paper.venue) == (2016, "Contrived Conference")
    assert paper.references == (f"s2:{CITED}",)
    assert paper.key_phrases == ("Citation", "Recommender")
    assert set(paper.ids) == {"doi:10.1000/contrived.1", "pmid:29456894"}
    assert paper.details == {"volume": "12", "pages": "1-9"}
    assert report.counts == {("repaired", "reference_to_itself"): 1}


def test_citing_papers_are_left_out() -> None:
    (paper,), _ = clean(opencorpus, {**PAPER, "outCitations": []})
    assert paper.references == ()


def test_minimal_paper_and_later_releases() -> None:
    papers, report = clean(
        opencorpus,
        {"id": SHA, "title": "T"},
        {
            "id": CITED,
            "title": "U",
            "paperAbstract": "",
            "outCitations": [],
            "venue": "",
            "journalName": "Journal",
            "fieldsOfStudy": ["Medicine"],
            "magId": "112233",
        },
    )
    assert [(paper.id, paper.venue, paper.fields, paper.ids) for paper in papers] == [
        (f"s2:{SHA}", "", (), ()),
        (f"s2:{CITED}", "Journal", ("Medicine",), ("mag:112233",)),
    ]
    assert not report.counts


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PAPER))
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_types(name: str, value: object) -> None:
    papers, _ = clean(opencorpus, {**PAPER, name: value})
    assert len(papers) == 1


@pytest.mark.slow
@given(json_objects({*PAPER, "name", "ids"}))
def test_nothing_raises(record: dict[str, Any]) -> None:
    clean(opencorpus, record)


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_compressed(tmp_path: Path, compressor: str) -> None:
    path = tmp_path / "papers-2017-02-21"
    path.write_bytes(
        COMPRESSORS[compressor](lines(*[{**PAPER, "id": f"{n:040x}"} for n in range(100, 400)]))
    )
    assert [paper.id for paper in papers_in(path)] == [f"s2:{n:040x}" for n in range(100, 400)]


def test_detection() -> None:
    assert detected(lines(PAPER))[0] == "opencorpus"
    assert detected(lines(PAPER, PAPER)[:-20])[0] == "opencorpus"
    assert (
        detected(json.dumps({**PAPER, "pdfUrls": ["u" * 50] * 2_000}).encode()[:65_536])[0]
        == "opencorpus"
    )
    assert "opencorpus" not in detected(
        lines({"id": SHA, "title": "T", "abstract": "A", "references": []})
    )
