"""Semantic Scholar: papers, and abstracts and citations as patches within bounded memory."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from citewise.ingest import semantic_scholar
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from ingest.json_sources import (
    COMPRESSORS,
    WRONG,
    clean,
    detected,
    json_objects,
    lines,
    papers_in,
    raw,
    source,
)

SHA, OTHER_SHA = (
    "061be346f7c4bcfe3d0123d0783e965ebccd5540",
    "c2fa5635f5e5c0fcd99b91df72e7e4589aa8b34e",
)

PAPER: dict[str, Any] = {
    "corpusid": 215416146,
    "externalids": {
        "ACL": "2020.acl-main.207",
        "DBLP": "conf/acl/Muster20",
        "ArXiv": "2004.07180",
        "MAG": "3017061180",
        "CorpusId": "215416146",
        "PubMed": "31215510",
        "DOI": "10.18653/V1/2020.ACL-MAIN.207",
        "PubMedCentral": "6582330",
    },
    "url": f"https://www.semanticscholar.org/paper/{SHA}",
    "title": "An invented paper about vectors of papers",
    "authors": [
        {"authorId": "2527954", "name": "Ada Muster"},
        {"authorId": None, "name": "B. Példa"},
    ],
    "venue": "Annual Meeting of the Association for Computational Linguistics",
    "publicationvenueid": None,
    "year": 2020,
    "referencecount": 45,
    "citationcount": 1,
    "influentialcitationcount": 0,
    "isopenaccess": True,
    "s2fieldsofstudy": [
        {"category": "Computer Science", "source": "external"},
        {"category": "Computer Science", "source": "s2-fos-model"},
        {"category": "Mathematics", "source": "s2-fos-model"},
    ],
    "publicationtypes": ["JournalArticle", "Conference"],
    "publicationdate": "2020-04-15",
    "journal": {"name": "ArXiv", "pages": "\n          2270-2282\n        ", "volume": "58 3"},
    "updated": "2022-01-27T03:01:26.115Z",
}
ABSTRACT: dict[str, Any] = {
    "corpusid": 215416146,
    "openaccessinfo": {"externalids": {"DOI": None}, "license": None},
    "abstract": "We invent things and describe them.",
    "updated": "2022-01-27T03:01:26.115Z",
}
CITATION: dict[str, Any] = {
    "citationid": 1,
    "citingcorpusid": 215416146,
    "citedcorpusid": 11816014,
    "isinfluential": False,
    "contexts": None,
    "intents": None,
    "updated": "2020-07-17T06:46:12.405Z",
}
GRAPH: dict[str, Any] = {
    "paperId": SHA,
    "corpusId": 215416146,
    "externalIds": PAPER["externalids"],
    "title": PAPER["title"],
    "abstract": "We invent things and describe them.",
    "venue": "arXiv.org",
    "year": 2020,
    "publicationDate": "2020-04-15",
    "publicationTypes": ["JournalArticle"],
    "fieldsOfStudy": ["Computer Science"],
    "journal": {"name": "ArXiv", "volume": "abs/2004.07180"},
    "authors": [{"authorId": "1", "name": "Ada Muster"}],
    "references": [
        {"paperId": OTHER_SHA, "title": "Another"},
        {"paperId": None, "title": "Unresolved"},
        {"paperId": None, "corpusId": 11816014},
    ],
}


def citations(*edges: tuple[object, object]) -> list[dict[str, object]]:
    return [
        {"citingcorpusid": citing, "citedcorpusid": cited, "isinfluential": False}
        for citing, cited in edges
    ]


def test_every_field_of_a_dumped_paper() -> None:
    (paper,), report = clean(semantic_scholar, PAPER)
    assert paper.id == "s2:215416146"
    assert paper.title == "An invented paper about vectors of papers"
    assert paper.authors == ("Ada Muster", "B. Példa")
    assert paper.venue == "Annual Meeting of the Association for Computational Linguistics"
    assert (paper.year, paper.date, paper.kind) == (2020, "2020-04-15", "inproceedings")
    assert set(paper.ids) == {
        "acl:2020.acl-main.207",
        "dblp:conf/acl/Muster20",
        "arxiv:2004.07180",
        "mag:3017061180",
        "pmid:31215510",
        "doi:10.18653/v1/2020.acl-main.207",
        "pmcid:PMC6582330",
        f"s2:{SHA}",
    }
    assert paper.fields == ("Computer Science", "Mathematics")
    assert paper.details == {"volume": "58", "number": "3", "pages": "2270-2282"}
    assert (paper.abstract, paper.references) == ("", ())
    assert not report.counts


def test_every_field_of_a_paper_from_the_graph_api() -> None:
    (paper,), report = clean(semantic_scholar, GRAPH)
    assert paper.id == "s2:215416146"
    assert f"s2:{SHA}" in paper.ids
    assert paper.abstract == "We invent things and describe them."
    assert paper.references == (f"s2:{OTHER_SHA}", "s2:11816014")
    assert (paper.date, paper.kind, paper.fields) == (
        "2020-04-15",
        "preprint",
        ("Computer Science",),
    )
    assert not report.counts


def test_minimal_papers() -> None:
    papers, report = clean(
        semantic_scholar, {"corpusid": 7, "title": "Dumped"}, {"paperId": SHA, "title": "Graph"}
    )
    assert [(paper.id, paper.title) for paper in papers] == [
        ("s2:7", "Dumped"),
        (f"s2:{SHA}", "Graph"),
    ]
    assert not report.counts


def test_venue_falls_back_to_the_journal() -> None:
    journal = {"name": "Invented Letters", "volume": "7"}
    (paper,), _ = clean(semantic_scholar, {**PAPER, "venue": "", "journal": journal})
    assert (paper.venue, paper.details) == ("Invented Letters", {"volume": "7"})


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        (["JournalArticle"], "article"),
        (["Review"], "article"),
        (["Book"], "book"),
        (["BookSection"], "chapter"),
        (["Dataset"], "dataset"),
        (["News"], ""),
        (None, ""),
        ([None, {}, []], ""),
        ("Book", ""),
    ],
)
def test_kind(types: object, kind: str) -> None:
    (paper,), _ = clean(semantic_scholar, {**PAPER, "publicationtypes": types})
    assert paper.kind == kind


def test_page_and_batch_of_the_graph_api() -> None:
    page = {"total": 2, "offset": 0, "data": [GRAPH, None]}
    papers, report = clean(semantic_scholar, page, [GRAPH, {**GRAPH, "corpusId": 8}, None])
    assert [paper.id for paper in papers] == ["s2:215416146", "s2:215416146", "s2:8"]
    assert report.counts == {("skipped", "not_an_object"): 2}


def test_abstracts_are_patches() -> None:
    found, _ = raw(semantic_scholar, ABSTRACT)
    assert found == [(1, {"id": "s2:215416146", "abstract": "We invent things and describe them."})]
    (patch,), report = clean(semantic_scholar, ABSTRACT)
    assert (patch.id, patch.title) == ("s2:215416146", "")
    assert not report.counts


def test_citations_are_patches_grouped_by_citing_paper() -> None:
    found, _ = raw(semantic_scholar, *citations((1, 2), (1, 3), (4, 5), (1, "6"), ("4", 7)))
    assert found == [
        (1, {"id": "s2:1", "references": ["s2:2", "s2:3", "s2:6"]}),
        (3, {"id": "s2:4", "references": ["s2:5", "s2:7"]}),
    ]


@pytest.mark.parametrize(
    "edge",
    [
        (1, None),
        (None, 1),
        ("", 2),
        (1, [2]),
        ({}, 2),
        (True, 2),
        (1, 2.5),
        (1, "x" * 99),
        (-1, 2),
        (1, 10**30),
    ],
)
def test_citation_of_nothing_is_reported(edge: tuple[object, object]) -> None:
    found, report = raw(semantic_scholar, *citations(edge))
    assert not found
    assert report.counts == {("skipped", "citation_without_paper"): 1}


def test_citation_without_its_other_end() -> None:
    assert raw(semantic_scholar, {"citingcorpusid": 1})[1].counts == {
        ("skipped", "citation_without_paper"): 1
    }


def test_full_window_is_emptied_but_for_the_paper_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic_scholar, "WINDOW", 4)
    found, _ = raw(
        semantic_scholar, *citations((1, 10), (2, 20), (3, 30), (3, 31), (3, 32), (1, 11))
    )
    assert [record for _, record in found] == [
        {"id": "s2:1", "references": ["s2:10"]},
        {"id": "s2:2", "references": ["s2:20"]},
        {"id": "s2:3", "references": ["s2:30", "s2:31", "s2:32"]},
        {"id": "s2:1", "references": ["s2:11"]},
    ]


@pytest.mark.parametrize("papers", [1, 7, 10_000])
def test_window_is_bounded_and_loses_nothing(monkeypatch: pytest.MonkeyPatch, papers: int) -> None:
    monkeypatch.setattr(semantic_scholar, "WINDOW", 50)
    edges = [(n % papers, 100_000 + n) for n in range(1_000)]
    found, _ = raw(semantic_scholar, *citations(*edges))
    assert max(len(record["references"]) for _, record in found) <= 50
    assert sorted(
        (record["id"], reference) for _, record in found for reference in record["references"]
    ) == sorted((f"s2:{citing}", f"s2:{cited}") for citing, cited in edges)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_citations(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(semantic_scholar, "WINDOW", 2_000)

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        path.write_bytes(lines(*citations(*((n, n + 1) for n in range(count)))))
        with path.open("rb") as stream:
            tracemalloc.start()
            try:
                patches = semantic_scholar.records(Source("citations", stream), Report())
                assert sum(1 for _ in patches) == count
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    assert peak(40_000) < 1.2 * peak(5_000)


def test_other_dumps_are_skipped() -> None:
    found, report = raw(semantic_scholar, {"corpusid": 1, "model": "tldr@v2.0.0", "text": "Short."})
    assert not found
    assert report.counts == {("skipped", "not_a_paper"): 1}


@pytest.mark.slow
@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize(
    ("record", "name"),
    [(record, name) for record in (PAPER, GRAPH, ABSTRACT, CITATION) for name in sorted(record)],
)
def test_wrong_types(record: dict[str, Any], name: str, value: object) -> None:
    clean(semantic_scholar, {**record, name: value})


def test_wrong_authors_are_reported() -> None:
    (paper,), report = clean(semantic_scholar, {**PAPER, "authors": {"name": "Ada Muster"}})
    assert paper.authors == ()
    assert report.counts == {("repaired", "field_of_wrong_type"): 1}


@pytest.mark.slow
@given(
    json_objects({*PAPER, *GRAPH, *CITATION, "data", "name", "category", "DOI", "PubMedCentral"})
)
def test_nothing_raises(record: dict[str, Any]) -> None:
    clean(semantic_scholar, record)


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_compressed(tmp_path: Path, compressor: str) -> None:
    files = {
        "a-papers": [PAPER],
        "b-abstracts": [ABSTRACT],
        "c-citations": citations((1, 2), (1, 3)),
    }
    for name, records in files.items():
        (tmp_path / name).write_bytes(COMPRESSORS[compressor](lines(*records)))
    report = Report()
    papers = papers_in(tmp_path, report=report)
    assert [(paper.id, bool(paper.title), len(paper.references)) for paper in papers] == [
        ("s2:215416146", True, 0),
        ("s2:215416146", False, 0),
        ("s2:1", False, 2),
    ]
    assert not report.counts


def test_detection() -> None:
    for record in (PAPER, ABSTRACT, CITATION, GRAPH, {"total": 1, "data": [GRAPH]}, [GRAPH]):
        assert detected(lines(record)) == ["s2"]
    assert detected(json.dumps(CITATION).encode()[:150]) == ["s2"]
    assert "s2" not in detected(lines({"id": "s2:215416146", "title": "T", "s2": "215416146"}))
    assert "s2" not in detected(
        lines({"corpusid": 1, "externalids": {}, "content": {"text": "T"}, "title": "T"})
    )
    assert "s2" not in detected(lines({"corpusid": 1, "model": "m", "vector": "[0.1]"}))


def test_detection_of_a_page_longer_than_the_head() -> None:
    page = json.dumps({"total": 100, "offset": 0, "data": [GRAPH] * 200}).encode()
    assert len(page) > 65_536
    assert detected(page[:65_536]) == ["s2"]


def test_source_is_read_to_its_end() -> None:
    data = lines(*citations((1, 2))) + b'{"citingcorpusid":1,"cited'
    report = Report()
    assert list(semantic_scholar.records(source(data), report)) == [
        (1, {"id": "s2:1", "references": ["s2:2"]})
    ]
    assert report.counts == {("skipped", "malformed_json"): 1}
