"""Which records become one paper, and what it then says: within a batch, across batches, across
generations.
"""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from corpora import OTHER, PREPRINT, PUBLISHED
from libraries import Put

# One work


@pytest.mark.slow
def test_the_same_doi_is_one_paper(put: Put, tmp_path: Path) -> None:
    again = dataclasses.replace(
        OTHER,
        id="openalex:W2194775991",
        ids=("doi:10.1000/other",),
        abstract="Now it has one.",
        title="Deep residual learning",
    )
    papers, report = put(OTHER, again)
    assert papers == [
        dataclasses.replace(OTHER, ids=("openalex:W2194775991",), abstract="Now it has one.")
    ]
    assert (report.added, report.updated, report.counts["merged", "same_key"]) == (1, 1, 1)
    library = citewise.open(tmp_path / "library")
    assert library["W2194775991"] == library["10.1000/OTHER"] == papers[0]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["preprint first", "published first"])
def test_a_preprint_and_its_published_version(put: Put, tmp_path: Path, order: str) -> None:
    records = (PREPRINT, PUBLISHED) if order == "preprint first" else (PUBLISHED, PREPRINT)
    (paper,), report = put(*records)
    assert (report.added, report.updated) == (1, 1)

    assert paper.id == records[0].id, "the identity stays the first one's"
    assert {paper.id, *paper.ids} == {"arxiv:1706.03762", "doi:10.5555/3295222", "s2:13756489"}
    assert (paper.title, paper.year, paper.venue, paper.authors, paper.date, paper.kind) == (
        PUBLISHED.title,
        2018,
        PUBLISHED.venue,
        PUBLISHED.authors,
        "2018-01",
        "inproceedings",
    ), "published data wins"
    assert paper.abstract == "A preprint's abstract.", "a gap is filled"
    assert set(paper.references) == {"doi:10.1000/a", "doi:10.1000/b", "doi:10.1000/c"}
    assert len(paper.references) == 3, "each once"
    assert set(paper.fields) == {"cs", "nlp"}
    assert paper.details == {"pages": "5998-6008", "url": "https://arxiv.org/abs/1706.03762"}

    library = citewise.open(tmp_path / "library")
    keys = ("arXiv:1706.03762v5", "10.5555/3295222", "CorpusID:13756489")
    assert all(library[key] == paper for key in keys)
    assert [each.paper for each in library.recommend("attention")] == [paper]


@pytest.mark.slow
def test_a_citation_of_either_version_is_a_citation_of_the_paper(put: Put, tmp_path: Path) -> None:
    citers = [
        Paper("c1", "Citing the preprint", references=("arxiv:1706.03762",)),
        Paper("c2", "Citing what was published", references=("doi:10.5555/3295222",)),
        Paper("c3", "Citing both of them", references=("arxiv:1706.03762", "doi:10.5555/3295222")),
    ]
    put(citers[0], PREPRINT, citers[1], PUBLISHED, citers[2])

    stores = LibraryFolder(tmp_path / "library")
    [citing] = stores.graph.citers(stores.papers.find([PREPRINT.id]))
    assert sorted(paper.id for paper in stores.papers.read(citing)) == ["c1", "c2", "c3"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"title": "Deep Residual Learning for Images"},
        {"title": "Deep residual-learning: for images!"},
        {"title": "Deep résidual learning for images"},
        {"year": 2018},
        {"year": 2014},
        {"year": None},
        {"authors": ("Someone Else", "He, K.")},
        {"authors": ("KAIMING HE",)},
    ],
    ids=str,
)
def test_the_same_title_is_one_paper(put: Put, tmp_path: Path, change: dict[str, Any]) -> None:
    papers, report = put(OTHER, dataclasses.replace(OTHER, **{"id": "own-1", **change}))
    assert len(papers) == 1
    assert report.counts["merged", "same_title"] == 1
    assert citewise.open(tmp_path / "library")["own-1"].id == OTHER.id


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"year": 2019},
        {"year": 2013},
        {"authors": ("Someone Else",)},
        {"authors": ()},
        {"title": "Deep residual learning for image"},
        {"title": "Deep residual learning for images, revisited"},
    ],
    ids=str,
)
def test_a_similar_record_is_another_paper(put: Put, change: dict[str, Any]) -> None:
    papers, report = put(OTHER, dataclasses.replace(OTHER, **{"id": "own-1", **change}))
    assert [paper.id for paper in papers] == [OTHER.id, "own-1"]
    assert not report.counts


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Introduction", "Editorial note"])
def test_short_titles_merge_nothing(put: Put, title: str) -> None:
    first = dataclasses.replace(OTHER, title=title)
    assert len(put(first, dataclasses.replace(first, id="own-1"))[0]) == 2


@pytest.mark.slow
def test_keeping_versions(put: Put) -> None:
    twin = dataclasses.replace(OTHER, id="own-1")
    assert [paper.id for paper in put(OTHER, twin, keep_versions=True)[0]] == [OTHER.id, "own-1"]
    papers, _ = put(PREPRINT, PUBLISHED, keep_versions=True)
    assert len(papers) == 3, "a shared id is the same paper all the same"


@pytest.mark.slow
def test_many_records_of_one_work(put: Put) -> None:
    records = [
        dataclasses.replace(OTHER, id=f"own-{number}", references=(f"r{number}",))
        for number in range(6)
    ]
    (paper,), report = put(*records)
    assert {paper.id, *paper.ids} == {record.id for record in records}
    assert set(paper.references) == {f"r{number}" for number in range(6)}
    assert (report.added, report.updated) == (1, 5)


@pytest.mark.slow
def test_a_record_renewed_under_its_own_id(put: Put) -> None:
    newer = dataclasses.replace(
        OTHER, title="Deep residual learning for image recognition", abstract="New.", year=2017
    )
    papers, report = put(OTHER, newer)
    assert papers == [newer]
    assert (report.added, report.updated, report.unchanged) == (1, 1, 0)


# Different works under one key


@pytest.mark.slow
def test_one_key_of_two_works_keeps_both(put: Put, tmp_path: Path) -> None:
    one = Paper("smith2010", "Bees dance in the hive at noon", year=2010, authors=("Ann Smith",))
    two = Paper(
        "smith2010", "Quantum computing with trapped ions", year=2010, authors=("Bob Smith",)
    )
    three = Paper("smith2010", "Medieval trade routes of Venice", year=2010, authors=("Eve Smith",))
    papers, report = put(one, two, three)
    assert papers == [
        one,
        dataclasses.replace(two, id="smith2010~2"),
        dataclasses.replace(three, id="smith2010~3"),
    ]
    assert report.counts["repaired", "duplicate_key"] >= 2
    assert report.added == 3

    again, report = put(one, two, three)
    assert again == papers
    assert (report.added, report.updated, report.unchanged) == (0, 0, 3)
    library = citewise.open(tmp_path / "library")
    assert library["smith2010"] == one
    assert library["smith2010~3"].title == three.title


@pytest.mark.slow
def test_a_registry_id_that_a_second_work_claims(put: Put, tmp_path: Path) -> None:
    wrong = Paper(
        "own-1",
        "Quantum computing with trapped ions",
        ids=("doi:10.1000/other", "pmid:7"),
        authors=("Bob Ray",),
    )
    papers, report = put(OTHER, wrong)
    assert papers == [OTHER, dataclasses.replace(wrong, ids=("pmid:7",))]
    assert report.counts["repaired", "duplicate_key"] == 1
    assert citewise.open(tmp_path / "library")["10.1000/other"] == OTHER


def test_a_report_names_the_record(tmp_path: Path) -> None:
    one = Paper("x", "Bees dance in the hive")
    two = Paper("x", "Quantum computing with trapped ions")
    version = dataclasses.replace(OTHER, id="own-1", abstract="A.")
    report = citewise.add([OTHER, one, two, version], tmp_path)

    repaired = report.examples["repaired", "duplicate_key"][0]
    assert (repaired.file, repaired.line) == ("python", 3)
    assert (repaired.id, repaired.detail) == ("x", "taken by x")
    merged = report.examples["merged", "same_title"][0]
    assert (merged.line, merged.id, merged.detail) == (4, "own-1", f"with {OTHER.id}")
