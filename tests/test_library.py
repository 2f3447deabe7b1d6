"""A library over its life: papers, graph and terms against plain dictionaries, generations, damage at the door."""

import dataclasses
import itertools
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN, GOLDEN_CITATIONS, corpora, random_papers
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import PlainLibrary

import citewise
from citewise.errors import BadInput, BadLibrary, CitewiseError, MissingData
from citewise.library import writer
from citewise.library.entries import batches as entries
from citewise.library.library import Library
from citewise.protocols import FIELDS
from citewise.report import Place
from citewise.types import Paper, Scope

FIELD_NAMES = (*FIELDS, "text")


@contextmanager
def folder():
    """Give a new folder to each example of a property."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place) / "library"


def in_batches(path: Path, *batches: list[Paper]) -> Library:
    """Store papers as they are, below the cleaning that `citewise.add` does."""
    for batch in batches:
        writer.add(path, entries([(paper, Place("test", number)) for number, paper in enumerate(batch, 1)]))
    return Library(path)


def papers_of(library: Library) -> list[Paper]:
    return library.papers(library.rows)


def citations(library: Library) -> dict[str, set[str]]:
    """Return the graph by ids."""
    rows = library.rows
    found = zip(library.papers(rows), library.references(rows), strict=True)
    return {paper.id: {each.id for each in library.papers(cited)} for paper, cited in found if cited.size}


def answers(path: Path, k: int = 100) -> list:
    """Return what a few queries find by words: ids and scores, ties in the order of ids.

    Not by `best`, whose signals hold the rank that the engine gave a hit: among equals, that depends on its segments.
    """
    held = citewise.open(path)
    queries = [{"title": "neural ranking of citations"}, {"title": "bees", "abstract": "swarm clock", "year": 1993},
               {"title": "honey bees", "since": 1980}]
    return [sorted((-round(each.score, 9), each.paper.id) for each in held.recommend(**query, k=k, system="bm25"))
            for query in queries]


# Papers

def test_every_field_comes_back(golden_library: Path) -> None:
    library = Library(golden_library)
    assert papers_of(library) == list(GOLDEN)
    assert [library.get(paper.id) for paper in GOLDEN] == list(GOLDEN)
    assert library.papers([3, 0, 3]) == [GOLDEN[3], GOLDEN[0], GOLDEN[3]]
    assert library.papers([]) == []
    assert len(library) == 8


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.lists(TEXTS, max_size=3).map(tuple)


@given(st.builds(Paper, id=TEXTS.filter(bool), title=TEXTS.map(lambda text: text + "x"), abstract=TEXTS,
                 year=st.none() | st.integers(1, 9999), authors=NAMES, venue=TEXTS, ids=st.just(()), references=NAMES,
                 fields=NAMES, date=TEXTS, kind=TEXTS, details=st.dictionaries(TEXTS, TEXTS, max_size=3)))
@settings(max_examples=25, deadline=None)
def test_any_paper_comes_back(paper: Paper) -> None:
    with folder() as path:
        assert papers_of(in_batches(path, [paper])) == [paper]
        assert citewise.verify(path).sound


@pytest.mark.parametrize(("spelling", "name"), [
    ("10.1000/DANCE", "doi:10.1000/dance"), ("https://doi.org/10.1000/dance", "doi:10.1000/dance"),
    ("PMID:101", "doi:10.1000/dance"), ("https://pubmed.ncbi.nlm.nih.gov/101/", "doi:10.1000/dance"),
    ("arXiv:1101.00001v3", "arxiv:1101.00001"), ("10.48550/arXiv.1101.00001", "arxiv:1101.00001"),
    ("https://arxiv.org/pdf/1203.00002v1.pdf", "arxiv:1203.00002"), ("DOI: 10.1000/abc.", "arxiv:1203.00002"),
    ("https://openalex.org/w2015000100", "openalex:W2015000100"),
    ("https://aclanthology.org/P18-1001/", "acl:P18-1001"),
    ("own-7", "own-7"), ("  own \n 8 ", "own 8"), ("doi:10.1000/PESTICIDE", "own-7"),
])
def test_any_spelling_of_any_id_finds_the_paper(golden_library: Path, spelling: str, name: str) -> None:
    held = citewise.open(golden_library)
    assert held[spelling].id == name
    assert spelling in held


@pytest.mark.parametrize("unknown", ["", "nobody", "OWN-7", "doi:10.1000/missing", "pmid:1", "\ud800", "x" * 10_000])
def test_an_unknown_id_is_said_to_be_missing(golden_library: Path, unknown: str) -> None:
    held = citewise.open(golden_library)
    assert unknown not in held
    assert held.library.rows_of([unknown, "own-7"]).tolist() == [-1, 6]
    with pytest.raises(MissingData, match="no paper"):
        held[unknown]


@pytest.mark.parametrize("row", [-1, 8, 10**9])
def test_a_row_that_is_not_there_is_missing(golden_library: Path, row: int) -> None:
    with pytest.raises(MissingData, match=f"row {row}"):
        Library(golden_library).papers([row])


# Graph

def test_the_golden_graph(golden_library: Path) -> None:
    library = Library(golden_library)
    assert citations(library) == GOLDEN_CITATIONS
    rows = library.rows_of(["doi:10.1000/dance", "own-7"])
    assert [sorted(each.id for each in library.papers(found)) for found in library.citers(rows)] == [
        ["arxiv:1101.00001", "doi:10.1000/clock", "own-7"], ["own 8"]]
    assert library.citers(rows, Scope(year=2011))[0].tolist() == [1], "only the clock paper cited it before 2011"
    assert library.references(rows, Scope(year=2019)).lengths.tolist() == [0, 0], "own-7 is itself of 2019"
    assert library.references(rows, Scope(year=2020)).lengths.tolist() == [0, 2]
    assert library.citers(rows, Scope(year=3000))[1].size == 0, "a citer without a year is never known to be earlier"
    assert library.citers(rows, Scope(unseen=(1,)))[0].tolist() == [2, 6], "the clock paper's citation is not seen"
    assert library.references(rows, Scope(unseen=(1,)))[1].tolist() == [0], "nor is a citation of it"


@pytest.mark.parametrize(("scope", "expected"), [
    (Scope(), range(8)), (Scope(year=2012), [0, 1, 2, 3]), (Scope(since=2015), [4, 5, 6]),
    (Scope(hidden=(0, 7)), range(1, 7)), (Scope(unseen=(0, 7)), range(8)), (Scope(within=(3, 5)), [3, 5]),
    (Scope(within=()), []), (Scope(year=2012, since=1980, hidden=(1,), within=(0, 1, 2, 4)), [2])])
def test_papers_in_scope(golden_library: Path, scope: Scope, expected: Iterable[int]) -> None:
    library = Library(golden_library)
    assert np.flatnonzero(library.in_scope(library.rows, scope)).tolist() == list(expected)
    terms, counts = library.terms_of(" ".join(f"{paper.title} {paper.abstract}" for paper in GOLDEN))
    assert sorted(library.search(terms, counts, 8, scope).tolist()) == list(expected)


def assert_like(library: Library, papers: list[Paper]) -> None:
    """Compare everything that a library knows with dictionaries made from the papers."""
    plain = PlainLibrary(papers_of(library))
    assert {paper.id: paper for paper in plain.papers} == {paper.id: paper for paper in papers}
    rows = library.rows
    place_of = {row: place for place, row in enumerate(rows.tolist())}
    for before, unseen in itertools.product((None, 1990, 1993, 1996), ((), range(0, rows.size, 3))):
        scope = Scope(year=before, unseen=tuple(rows[list(unseen)].tolist()))
        for found, expected in ((library.references(rows, scope), plain.references),
                                (library.citers(rows, scope), plain.citers)):
            sets = [expected(place, before, unseen) for place in range(rows.size)]
            assert [{place_of[row] for row in each.tolist()} for each in found] == sets
            assert found.lengths.tolist() == list(map(len, sets)), "each once"
    stems = sorted({stem for place in range(rows.size) for stem in plain.counts(place, "text")})
    terms = np.array([library.vocabulary.number(stem) for stem in stems], np.int64)
    assert (terms >= 0).all() and library.words(terms) == stems
    for field in FIELD_NAMES:
        expected = [[plain.counts(place, field)[stem] for stem in stems] for place in range(rows.size)]
        assert library.counts(rows, terms, field).tolist() == expected
        assert library.lengths(rows, field).tolist() == [plain.length(place, field) for place in range(rows.size)]
        known = library.statistics(terms, field)
        assert known.papers == len(plain.papers)
        assert known.frequencies.tolist() == [plain.frequency(stem, field) for stem in stems]
        assert known.mean_length == pytest.approx(plain.mean_length(field))
    assert library.years(rows).tolist() == [paper.year or 0 for paper in plain.papers]
    assert library.year_counts() == Counter(paper.year or 0 for paper in papers)
    assert library.lexical_rows().tolist() == rows.tolist()


@given(corpora(), st.lists(st.integers(0, 11), max_size=2))
@settings(max_examples=25, deadline=None)
def test_a_library_knows_what_dictionaries_know(papers: list[Paper], cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(papers)) for cut in cuts), len(papers)]
    with folder() as path:
        batches = [papers[start:end] for start, end in itertools.pairwise(bounds)]
        assert_like(in_batches(path, *batches), papers)
        assert citewise.verify(path).sound


@given(corpora(), st.data())
@settings(max_examples=15, deadline=None)
def test_after_removing_adding_and_compacting(papers: list[Paper], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from([paper.id for paper in papers]), min_size=1))
    kept = [paper for paper in papers if paper.id not in gone]
    with folder() as path:
        in_batches(path, papers)
        citewise.remove(path, gone)
        if kept:
            assert_like(Library(path), kept)
        assert citewise.verify(path).sound
        if data.draw(st.booleans(), "compact before they come back"):
            citewise.compact(path)
        assert_like(in_batches(path, [paper for paper in papers if paper.id in gone]), papers)
        citewise.compact(path)
        assert_like(Library(path), papers)
        found = citewise.verify(path)
        assert found.sound
        assert found.dangling == PlainLibrary(papers).dangling()


def test_terms_of_a_text(golden_library: Path) -> None:
    library = Library(golden_library)
    terms, counts = library.terms_of("Bees, BEE and xyzzy: the dance of bees")
    assert dict(zip(library.words(terms), counts.tolist(), strict=True)) == {"bee": 3, "danc": 1}
    assert library.terms_of("xyzzy")[0].size == 0
    assert library.terms_of("")[0].size == 0


# References that lead nowhere, for now

def test_a_reference_resolves_when_its_paper_arrives(tmp_path: Path) -> None:
    citing = Paper("a", "Citing paper", references=("doi:10.1000/later", "pmid:5"))
    later = Paper("z", "The paper that came later", ids=("pmid:5", "doi:10.1000/later"))
    library = in_batches(tmp_path, [citing])
    assert citations(library) == {}
    assert citewise.verify(tmp_path).dangling == 2
    library = in_batches(tmp_path, [later])
    assert citations(library) == {"a": {"z"}}, "two ids of one paper are one citation"
    citewise.remove(tmp_path, ["pmid:5"])
    assert citations(Library(tmp_path)) == {}
    assert Library(tmp_path).get("a") == citing
    assert citations(in_batches(tmp_path, [later])) == {"a": {"z"}}
    citewise.remove(tmp_path, ["a"])
    assert citations(Library(tmp_path)) == {}
    assert citations(in_batches(tmp_path, [citing])) == {"a": {"z"}}


# Generations

@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(max_examples=8, deadline=None)
def test_batches_give_what_one_call_gives(seed: int, parts: int) -> None:
    papers = [*random_papers(40, seed), *GOLDEN]
    with folder() as one, folder() as many:
        in_batches(one, papers)
        in_batches(many, *(papers[part::parts] for part in range(parts)))
        assert citations(Library(one)) == citations(Library(many))
        assert answers(one) == answers(many)
        citewise.compact(many)
        assert answers(one) == answers(many)
        assert citations(Library(one)) == citations(Library(many))


def test_segments_stay_few(tmp_path: Path) -> None:
    papers = random_papers(60, seed=5)
    for start in range(0, 60, 2):
        library = in_batches(tmp_path / "small", papers[start: start + 2])
        assert len(library.segments) <= 5
    assert library.manifest.generation == 30
    in_batches(tmp_path / "whole", papers)
    assert answers(tmp_path / "small") == answers(tmp_path / "whole")
    assert citewise.verify(tmp_path / "small").sound
    assert len(list((tmp_path / "small" / "segments").iterdir())) == len(library.segments), "no folder is left behind"


def test_compact_renumbers_and_says_the_same(tmp_path: Path) -> None:
    papers = random_papers(50, seed=6)
    in_batches(tmp_path, papers[:30], papers[30:])
    citewise.remove(tmp_path, [paper.id for paper in papers[::3]])
    before, said, graph = Library(tmp_path), answers(tmp_path), citations(Library(tmp_path))
    assert before.manifest.rows == 50
    after = citewise.compact(tmp_path)
    assert after.manifest.rows == len(after) == len(before) == 33
    assert after.rows.tolist() == list(range(33))
    assert len(after.segments) == 1
    assert papers_of(after) == papers_of(before), "in the same order"
    assert (answers(tmp_path), citations(after)) == (said, graph)
    assert after.manifest.generation == before.manifest.generation + 1
    assert sum(entry.size for entry in after.manifest.files.values()) < sum(
        entry.size for entry in before.manifest.files.values())


def test_the_same_papers_again_change_nothing(library: Path) -> None:
    before = Library(library).manifest
    listing = sorted(str(file) for file in library.rglob("*"))
    report = citewise.add(GOLDEN, library)
    assert (report.added, report.updated, report.unchanged) == (0, 0, 8)
    assert Library(library).manifest == before
    assert sorted(str(file) for file in library.rglob("*")) == listing


def test_nothing_added_to_a_library_changes_nothing(library: Path) -> None:
    before = Library(library).manifest
    citewise.add([], library)
    assert Library(library).manifest == before


def test_removing_an_unknown_paper_changes_nothing(library: Path) -> None:
    before = Library(library).manifest
    with pytest.raises(MissingData, match=r"'nobody' \(nor 1 others\); nothing was removed"):
        citewise.remove(library, ["own-7", "nobody", "nowhere"])
    assert Library(library).manifest == before
    assert citewise.verify(library).sound


def test_removing_by_two_ids_of_one_paper(library: Path) -> None:
    citewise.remove(library, ["own-7", "https://doi.org/10.1000/pesticide", "PMID:107"])
    held = citewise.open(library)
    assert len(held) == 7 and "own-7" not in held and "pmid:107" not in held
    assert "own-7" not in [each.paper.id for each in held.recommend("honey bees pesticides", k=100)]


def test_an_error_in_the_source_leaves_the_library_as_it_was(library: Path) -> None:
    before, listing = Library(library).manifest, sorted(str(file) for file in library.rglob("*"))

    def papers():
        yield from random_papers(5, seed=1)
        raise BadInput("the source broke")

    with pytest.raises(BadInput, match="the source broke"):
        citewise.add(papers(), library)
    assert Library(library).manifest == before
    assert sorted(str(file) for file in library.rglob("*")) == listing
    assert citewise.verify(library).sound


def test_a_reader_keeps_its_generation(library: Path) -> None:
    old = citewise.open(library)
    said, graph = [old.recommend(title) for title in ("honey bees", "robot swarms")], citations(old.library)

    def check() -> None:
        assert [old.recommend(title) for title in ("honey bees", "robot swarms")] == said
        assert papers_of(old.library) == list(GOLDEN)
        assert citations(old.library) == graph
        assert old.library.lexical_rows().tolist() == list(range(8))
        assert old["pmid:107"].id == "own-7"

    citewise.add([Paper("new", "Honey bees of a new kind"), dataclasses.replace(GOLDEN[1], abstract="Anew.")], library)
    check()
    citewise.remove(library, ["own-7", "doi:10.1000/dance"])
    check()
    citewise.compact(library)
    check()
    citewise.add(random_papers(30, seed=2), library)
    check()
    assert "new" in citewise.open(library)
    assert citewise.open(library).library.manifest.generation == 5


def test_equal_content_has_an_equal_fingerprint(library: Path, tmp_path: Path) -> None:
    again = in_batches(tmp_path / "again", list(GOLDEN))
    assert again.manifest.fingerprint == Library(library).manifest.fingerprint
    citewise.remove(library, ["own-7"])
    assert again.manifest.fingerprint != Library(library).manifest.fingerprint


def test_files_are_durable_before_the_manifest_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda number: done.append(str(Path(f"/proc/self/fd/{number}").readlink())))
    renamed = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, target: (done.append("rename"), renamed(self, target))[1])
    for papers in (GOLDEN, random_papers(5, seed=1)):
        known = set(Library(tmp_path).manifest.files) if papers is not GOLDEN else set()
        done.clear()
        manifest = in_batches(tmp_path, list(papers)).manifest
        early = {os.path.relpath(name, tmp_path) for name in done[:done.index("rename")]}
        linked = {name for name in manifest.files if name.startswith("lexical") and not name.endswith(".json")
                  and Path(name).name in {Path(each).name for each in known}}
        assert set(manifest.files) - known - linked <= early
        assert {str(Path(name).parent) for name in manifest.files} <= early
        assert "manifest.json.new" in early and str(tmp_path) in done[done.index("rename"):]


# The door

def test_a_library_of_the_future_names_the_upgrade(library: Path) -> None:
    manifest = json.loads((library / "manifest.json").read_text())
    (library / "manifest.json").write_text(json.dumps({"format": 99, "unheard_of": True}))
    for act in (citewise.open, citewise.verify, citewise.compact, lambda path: citewise.add([], path)):
        with pytest.raises(BadLibrary, match=r"format 99.*pip install -U citewise"):
            act(library)
    (library / "manifest.json").write_text(json.dumps(manifest | {"unheard_of": True}))
    assert len(citewise.open(library)) == 8, "a new field that changes nothing is passed over"


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"format": "one"}', '{"format": 1}', "\x00" * 100])
def test_a_damaged_manifest(library: Path, content: str) -> None:
    (library / "manifest.json").write_text(content)
    for act in (citewise.open, citewise.verify, citewise.compact, lambda path: citewise.remove(path, ["own-7"]),
                lambda path: citewise.add(GOLDEN, path)):
        with pytest.raises(BadLibrary, match="not a manifest"):
            act(library)
    assert (library / "segments" / "000001").is_dir(), "nothing is thrown away"


def test_no_manifest_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("I am no library")
    for path in (tmp_path, tmp_path / "absent", tmp_path / "file.txt"):
        for act in (citewise.open, citewise.verify, citewise.compact, lambda path: citewise.remove(path, ["x"])):
            with pytest.raises(MissingData, match="citewise index SOURCE"):
                act(path)
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize("part", ["segments", "tables", "lexical"])
def test_a_library_with_a_part_missing(library: Path, part: str) -> None:
    (library / part).rename(library / "elsewhere")
    with pytest.raises(BadLibrary, match="citewise verify"):
        citewise.open(library)
    assert not citewise.verify(library).sound


def test_a_reader_makes_no_index_where_one_is_being_removed(library: Path) -> None:
    # A writer that clears an old generation away empties its folders file by file.
    folder = library / "lexical" / Library(library).manifest.lexical
    for file in folder.iterdir():
        file.unlink()
    with pytest.raises(BadLibrary, match="citewise verify"):
        citewise.open(library)
    assert not (folder / "meta.json").exists()


def test_a_path_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("precious")
    with pytest.raises(CitewiseError):
        citewise.add(GOLDEN, tmp_path / "file.txt")
    assert (tmp_path / "file.txt").read_text() == "precious"


def test_a_folder_that_is_no_library_loses_nothing(tmp_path: Path) -> None:
    for name in ("tables/results/table1.csv", "segments/mine.txt", "lexical/000001/x", "other.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("precious")
    try:
        citewise.add(GOLDEN, tmp_path)
    except CitewiseError:
        pass
    else:
        assert len(citewise.open(tmp_path)) == 8
    lost = [name for name in ("tables/results/table1.csv", "segments/mine.txt", "other.txt")
            if not (tmp_path / name).is_file()]
    assert not lost


def test_an_empty_library(tmp_path: Path) -> None:
    report = citewise.add([], tmp_path)
    assert (report.added, report.read) == (0, 0)
    held = citewise.open(tmp_path)
    assert len(held) == 0
    assert "x" not in held
    assert held.recommend("bees", year=2000) == []
    assert held.near_duplicates() == []
    about = held.describe()
    assert (about.papers, about.citations, about.terms, about.years) == (0, 0, 0, {})
    assert citewise.verify(tmp_path).sound
    citewise.compact(tmp_path)
    citewise.add(GOLDEN, tmp_path)
    assert_like(Library(tmp_path), list(GOLDEN))
    citewise.remove(tmp_path, [paper.id for paper in GOLDEN])
    assert citewise.verify(tmp_path).sound
    assert citewise.open(tmp_path).recommend("bees") == []
    citewise.compact(tmp_path)
    assert (len(Library(tmp_path)), Library(tmp_path).manifest.rows) == (0, 0)
    assert citewise.verify(tmp_path).sound


def test_a_description_counts_right(golden_library: Path) -> None:
    about = citewise.open(golden_library).describe()
    assert (about.papers, about.with_abstract, about.with_year, about.with_references) == (8, 7, 7, 6)
    assert about.citations == sum(len(cited) for cited in GOLDEN_CITATIONS.values()) == 8
    assert about.years == {0: 1, 1967: 1, 1985: 1, 2011: 1, 2012: 1, 2015: 1, 2018: 1, 2019: 1}
    assert (about.generation, about.segments, about.deleted) == (1, 1, 0)
    assert about.bytes_on_disk > 0


# Papers made in Python

@pytest.mark.parametrize(("paper", "reason"), [
    (Paper("a", "A paper from the far future", year=50_000), "bad_year"),
    (Paper("a", "A paper before the common era", year=-5), "bad_year"),
    (Paper("a", "A paper with half a \ud800 letter"), "control_characters")], ids=lambda value: str(value)[:40])
def test_papers_made_in_python_are_repaired_like_any_other(tmp_path: Path, paper: Paper, reason: str) -> None:
    report = citewise.add([GOLDEN[0], paper], tmp_path)
    assert report.counts["repaired", reason] == 1
    assert citewise.verify(tmp_path).sound
    assert len(citewise.open(tmp_path)) == 2


def test_a_paper_made_in_python_without_an_id_is_known_by_its_title(tmp_path: Path) -> None:
    citewise.add([Paper("", "A paper without an id")], tmp_path)
    assert citewise.open(tmp_path)["title:apaperwithoutanid"].title == "A paper without an id"


def test_papers_made_in_python_may_spell_their_ids_as_they_like(tmp_path: Path) -> None:
    citewise.add([Paper("https://doi.org/10.1000/ABC", "One paper about bees", ids=("arXiv:1101.00001v2",)),
                  Paper("b", "Another about ants", references=("10.1000/ABC",))], tmp_path)
    held = citewise.open(tmp_path)
    assert held["10.1000/abc"].title == held["arxiv:1101.00001"].title == "One paper about bees"
    assert held.describe().citations == 1


def test_of_no_papers_nothing_is_matched() -> None:
    papers = [Paper(f"p{number}", f"Honey bees and the number {number}") for number in range(12)]
    with folder() as path:
        library = in_batches(path, papers[:10], papers[10:])
        assert len(library.segments) == 2
        found = library.matches(np.zeros(0, np.int64), library.terms_of("honey bees")[0], "title")
        assert found.places.size == found.columns.size == found.counts.size == 0
