"""Which records become one paper, and what it then says: within a batch, across batches, across generations."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.library import entries
from citewise.library.versions import merge, plainly_different, published, same_work
from citewise.report import Report
from citewise.types import Paper

PREPRINT = Paper(
    "arxiv:1706.03762", "Attention is all you need", "A preprint's abstract.", 2017, ("Ashish Vaswani", "Noam Shazeer"),
    "arXiv", ("s2:13756489",), ("doi:10.1000/a", "doi:10.1000/b"), ("cs",), "2017-06-12", "preprint",
    {"url": "https://arxiv.org/abs/1706.03762"})
PUBLISHED = Paper(
    "doi:10.5555/3295222", "Attention Is All You Need.", "", 2018, ("Vaswani, A.", "Shazeer, N."),
    "Advances in Neural Information Processing Systems", ("arxiv:1706.03762",), ("doi:10.1000/b", "doi:10.1000/c"),
    ("nlp",), "2018-01", "inproceedings", {"pages": "5998-6008"})
OTHER = Paper("doi:10.1000/other", "Deep residual learning for images", year=2016, authors=("Kaiming He",))

Put = Callable[..., tuple[list[Paper], Report]]


@pytest.fixture(params=["one batch", "many batches", "many generations"])
def put(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Give a function that puts papers into a library in one of three ways; it returns the library's papers."""
    def put(*papers: Paper, keep_versions: bool = False) -> tuple[list[Paper], Report]:
        calls = [[paper] for paper in papers] if request.param == "many generations" else [list(papers)]
        whole = Report()
        for call in calls:
            done = citewise.add(call, tmp_path / "library", keep_versions=keep_versions)
            whole.added, whole.updated = whole.added + done.added, whole.updated + done.updated
            whole.unchanged += done.unchanged
            whole.counts.update(done.counts)
        assert citewise.verify(tmp_path / "library").sound
        held = citewise.open(tmp_path / "library").library
        return held.papers(held.rows), whole

    if request.param == "many batches":
        monkeypatch.setattr(entries, "BATCH", 1)
    return put


def held_in(tmp_path: Path) -> citewise.OpenLibrary:
    return citewise.open(tmp_path / "library")


# One work

def test_the_same_doi_is_one_paper(put: Put, tmp_path: Path) -> None:
    again = dataclasses.replace(OTHER, id="openalex:W2194775991", ids=("doi:10.1000/other",),
                                abstract="Now it has one.", title="Deep residual learning")
    papers, report = put(OTHER, again)
    assert papers == [dataclasses.replace(OTHER, ids=("openalex:W2194775991",), abstract="Now it has one.")]
    assert (report.added, report.updated, report.counts["merged", "same_key"]) == (1, 1, 1)
    assert held_in(tmp_path)["W2194775991"] == held_in(tmp_path)["10.1000/OTHER"] == papers[0]


@pytest.mark.parametrize("order", ["preprint first", "published first"])
def test_a_preprint_and_its_published_version(put: Put, tmp_path: Path, order: str) -> None:
    records = (PREPRINT, PUBLISHED) if order == "preprint first" else (PUBLISHED, PREPRINT)
    (paper,), report = put(*records)
    assert paper.id == records[0].id, "the identity stays the first one's"
    assert {paper.id, *paper.ids} == {"arxiv:1706.03762", "doi:10.5555/3295222", "s2:13756489"}
    assert (paper.title, paper.year, paper.venue, paper.authors, paper.date, paper.kind) == (
        PUBLISHED.title, 2018, PUBLISHED.venue, PUBLISHED.authors, "2018-01", "inproceedings"), "published data wins"
    assert paper.abstract == "A preprint's abstract.", "a gap is filled"
    assert set(paper.references) == {"doi:10.1000/a", "doi:10.1000/b", "doi:10.1000/c"}
    assert len(paper.references) == 3, "each once"
    assert set(paper.fields) == {"cs", "nlp"}
    assert paper.details == {"pages": "5998-6008", "url": "https://arxiv.org/abs/1706.03762"}
    held = held_in(tmp_path)
    assert all(held[key] == paper for key in ("arXiv:1706.03762v5", "10.5555/3295222", "CorpusID:13756489"))
    assert (report.added, report.updated) == (1, 1)
    assert [each.paper for each in held.recommend("attention")] == [paper]


def test_a_citation_of_either_version_is_a_citation_of_the_paper(put: Put, tmp_path: Path) -> None:
    citers = [Paper("c1", "Citing the preprint", references=("arxiv:1706.03762",)),
              Paper("c2", "Citing what was published", references=("doi:10.5555/3295222",)),
              Paper("c3", "Citing both of them", references=("arxiv:1706.03762", "doi:10.5555/3295222"))]
    put(citers[0], PREPRINT, citers[1], PUBLISHED, citers[2])
    held = held_in(tmp_path).library
    citing = held.citers(held.rows_of([PREPRINT.id]))[0]
    assert sorted(paper.id for paper in held.papers(citing)) == ["c1", "c2", "c3"]


@pytest.mark.parametrize("change", [
    {"title": "Deep Residual Learning for Images"}, {"title": "Deep residual-learning: for images!"},
    {"title": "Deep résidual learning for images"}, {"year": 2018}, {"year": 2014}, {"year": None},
    {"authors": ("Someone Else", "He, K.")}, {"authors": ("KAIMING HE",)}], ids=str)
def test_the_same_title_is_one_paper(put: Put, tmp_path: Path, change: dict) -> None:
    papers, report = put(OTHER, dataclasses.replace(OTHER, **{"id": "own-1", **change}))
    assert len(papers) == 1
    assert report.counts["merged", "same_title"] == 1
    assert held_in(tmp_path)["own-1"].id == OTHER.id


@pytest.mark.parametrize("change", [
    {"year": 2019}, {"year": 2013}, {"authors": ("Someone Else",)}, {"authors": ()},
    {"title": "Deep residual learning for image"}, {"title": "Deep residual learning for images, revisited"}], ids=str)
def test_a_similar_record_is_another_paper(put: Put, change: dict) -> None:
    papers, report = put(OTHER, dataclasses.replace(OTHER, **{"id": "own-1", **change}))
    assert [paper.id for paper in papers] == [OTHER.id, "own-1"]
    assert not report.counts


@pytest.mark.parametrize("title", ["Introduction", "Editorial note"])
def test_short_titles_tell_nothing(put: Put, title: str) -> None:
    first = dataclasses.replace(OTHER, title=title)
    assert len(put(first, dataclasses.replace(first, id="own-1"))[0]) == 2


def test_keeping_versions(put: Put) -> None:
    twin = dataclasses.replace(OTHER, id="own-1")
    assert [paper.id for paper in put(OTHER, twin, keep_versions=True)[0]] == [OTHER.id, "own-1"]
    papers, _ = put(PREPRINT, PUBLISHED, keep_versions=True)
    assert len(papers) == 3, "a shared id is the same paper all the same"


def test_many_records_of_one_work(put: Put) -> None:
    records = [dataclasses.replace(OTHER, id=f"own-{number}", references=(f"r{number}",)) for number in range(6)]
    (paper,), report = put(*records)
    assert {paper.id, *paper.ids} == {record.id for record in records}
    assert set(paper.references) == {f"r{number}" for number in range(6)}
    assert (report.added, report.updated) == (1, 5)


def test_a_record_renewed_under_its_own_id(put: Put) -> None:
    newer = dataclasses.replace(OTHER, title="Deep residual learning for image recognition", abstract="New.", year=2017)
    papers, report = put(OTHER, newer)
    assert papers == [newer]
    assert (report.added, report.updated, report.unchanged) == (1, 1, 0)


# Different works under one key

def test_one_key_of_two_works_keeps_both(put: Put, tmp_path: Path) -> None:
    one = Paper("smith2010", "Bees dance in the hive at noon", year=2010, authors=("Ann Smith",))
    two = Paper("smith2010", "Quantum computing with trapped ions", year=2010, authors=("Bob Smith",))
    three = Paper("smith2010", "Medieval trade routes of Venice", year=2010, authors=("Eve Smith",))
    papers, report = put(one, two, three)
    assert papers == [one, dataclasses.replace(two, id="smith2010~2"), dataclasses.replace(three, id="smith2010~3")]
    assert report.counts["repaired", "duplicate_key"] >= 2
    assert report.added == 3
    again, report = put(one, two, three)
    assert again == papers
    assert (report.added, report.updated, report.unchanged) == (0, 0, 3)
    assert held_in(tmp_path)["smith2010"] == one
    assert held_in(tmp_path)["smith2010~3"].title == three.title


def test_a_registry_id_that_a_second_work_claims(put: Put, tmp_path: Path) -> None:
    wrong = Paper("own-1", "Quantum computing with trapped ions", ids=("doi:10.1000/other", "pmid:7"),
                  authors=("Bob Ray",))
    papers, report = put(OTHER, wrong)
    assert papers == [OTHER, dataclasses.replace(wrong, ids=("pmid:7",))]
    assert report.counts["repaired", "duplicate_key"] == 1
    assert held_in(tmp_path)["10.1000/other"] == OTHER


def test_a_report_names_the_record(tmp_path: Path) -> None:
    one, two = Paper("x", "Bees dance in the hive"), Paper("x", "Quantum computing with trapped ions")
    version = dataclasses.replace(OTHER, id="own-1", abstract="A.")
    report = citewise.add([OTHER, one, two, version], tmp_path / "library")
    repaired, merged = report.examples["repaired", "duplicate_key"][0], report.examples["merged", "same_title"][0]
    assert (repaired.file, repaired.line, repaired.id, repaired.detail) == ("python", 3, "x", "taken by x")
    assert (merged.line, merged.id, merged.detail) == (4, "own-1", f"with {OTHER.id}")


# Patches: records without a title

PATCH = Paper(OTHER.id, "", "The abstract that came alone.", references=("doi:10.1000/a",))
PATCHED = dataclasses.replace(OTHER, abstract=PATCH.abstract, references=PATCH.references)


def test_a_patch_after_its_paper(put: Put) -> None:
    papers, report = put(OTHER, PATCH)
    assert papers == [PATCHED]
    assert (report.added, report.updated) == (1, 1)
    assert not report.counts, "a patch is no version"
    assert put(PATCH)[1].unchanged == 1


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_patches_before_their_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(entries, "BATCH", size)
    second = dataclasses.replace(PATCH, abstract="A later one does not replace it.", references=("doi:10.1000/z",))
    lonely = Paper("nobody", "", "Waits for ever.")
    report = citewise.add([PATCH, lonely, second, PREPRINT, OTHER], tmp_path / "library")
    assert held_in(tmp_path)[OTHER.id] == dataclasses.replace(
        PATCHED, references=("doi:10.1000/a", "doi:10.1000/z"))
    assert (report.added, len(held_in(tmp_path))) == (2, 2)
    assert report.counts == {("skipped", "no_title"): 1}
    assert report.examples["skipped", "no_title"][0].id == "nobody"
    assert "nobody" not in held_in(tmp_path)


def test_a_patch_by_another_of_its_papers_ids(put: Put, tmp_path: Path) -> None:
    papers, _ = put(PREPRINT, Paper("s2:13756489", "", references=("doi:10.1000/z",)))
    assert papers == [dataclasses.replace(PREPRINT, references=(*PREPRINT.references, "doi:10.1000/z"))]


# The rules as functions

TITLES = st.sampled_from(["Bees dance in hives", "bees dance in hives!", "Quantum ions", ""])
PAPERS = st.builds(
    Paper, id=st.sampled_from(["a", "b", "doi:10.1000/x"]), title=TITLES, abstract=st.sampled_from(["", "x", "y"]),
    year=st.none() | st.integers(2000, 2005),
    authors=st.lists(st.sampled_from(["A B", "B, C", "D"]), max_size=2).map(tuple),
    venue=st.sampled_from(["", "arXiv", "CoRR", "Nature"]),
    ids=st.sampled_from([(), ("s2:1",), ("s2:1", "doi:10.1000/y")]),
    references=st.lists(st.sampled_from("pqr"), unique=True).map(tuple),
    kind=st.sampled_from(["", "preprint", "article"]),
    date=st.sampled_from(["", "2001", "2002-03"]))


@given(PAPERS, PAPERS)
def test_merging_loses_no_id_no_reference_and_no_field(one: Paper, other: Paper) -> None:
    both = merge(one, other)
    assert {both.id, *both.ids} == {one.id, *one.ids, other.id, *other.ids}
    assert both.id == one.id and both.id not in both.ids and len({*both.ids}) == len(both.ids)
    assert {*both.references} == {*one.references, *other.references}
    for name in ("title", "abstract", "year", "authors", "venue", "kind"):
        assert getattr(both, name) in (getattr(one, name), getattr(other, name))
        assert getattr(both, name) or not (getattr(one, name) or getattr(other, name))
    assert merge(both, other) == both or other.id == one.id, "a second time changes nothing"
    assert merge(both, both) == both


@given(PAPERS, PAPERS)
def test_the_rules_are_symmetric(one: Paper, other: Paper) -> None:
    assert same_work(one, other) == same_work(other, one)
    for key in ("own", "doi:10.1000/x"):
        assert plainly_different(one, other, key) == plainly_different(other, one, key)
        assert not plainly_different(one, one, key)


@pytest.mark.parametrize(("paper", "expected"), [
    (PREPRINT, False), (PUBLISHED, True), (Paper("a", "T"), False), (Paper("doi:10.1/x", "T"), True),
    (Paper("a", "T", venue="ArXiv.org"), False), (Paper("a", "T", venue="bioRxiv"), False),
    (Paper("a", "T", venue="Nature"), True), (Paper("a", "T", venue="Nature", kind="preprint"), False),
    (Paper("a", "T", venue="CoRR"), False), (Paper("a", "T", venue="CoRR abs/1706.03762"), False),
    (Paper("a", "T", venue="Corrosion Science"), True),
    (Paper("a", "T", venue="Computing Research Repository"), True), (Paper("a", "T", ids=("doi:10.1/x",)), True)])
def test_what_counts_as_published(paper: Paper, expected: bool) -> None:
    assert published(paper) == expected
