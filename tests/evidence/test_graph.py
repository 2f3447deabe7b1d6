"""What papers cite in their sentences is part of the citation graph."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from citing import citing
from corpora import corpora
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import PlainLibrary

import citewise
from citewise.evaluate import SplitSettings
from citewise.evaluate.splits import Split
from citewise.library import manifest as manifests
from citewise.library.files import checksum
from citewise.library.library import Library
from citewise.library.manifest import FileEntry
from citewise.library.tables import Tables
from citewise.types import CitingSentence, Paper, Query, Scope

PAPERS = (
    Paper("bees", "Honey bees dance for their mates", "Foragers dance on the comb.", 1967),
    Paper("ants", "Ants find short paths by trails", "Trails of scent guide ants.", 1990, ids=("doi:10.1000/ants",)),
    Paper("robots", "Robots that swarm like insects", "Robots imitate how insects swarm.", 2005),
    Paper("survey", "A survey of swarm intelligence", "Swarms of insects and robots.", 2010, references=("bees",)),
    Paper("undated", "Notes on swarm intelligence", "Swarms."),
)
SENTENCES = (
    citing("robots", "Bees dance [REF] and ants lay trails [REF].", ("bees",), ("doi:10.1000/ants",)),
    citing("survey", "It is known that bees dance [REF].", ("bees",)),
    citing("survey", "[REF] showed what robots do [REF].", ("ants",), ("robots", "survey"), year=2010),
    citing("ants", "A later version cites robots [REF].", ("robots",), year=2006),
    citing("undated", "Bees dance [REF].", ("bees", "nowhere"), year=2015),
    citing("elsewhere", "Ants lay trails [REF].", ("ants",), year=2015),
)
BY_HAND = {"robots": {"ants", "bees"}, "survey": {"ants", "bees", "robots"}, "undated": {"bees"}}
"""The survey cites bees twice and itself never; what the paper of 1990 cites in 2006 would be seen too early."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    citewise.add([*PAPERS, *SENTENCES], tmp_path)
    return tmp_path


def graph(library: Library, scope: Scope | None = None) -> dict[str, set[str]]:
    """Return who cites whom by ids; both directions must tell the same."""
    papers = {row: paper.id for row, paper in zip(library.rows.tolist(), library.papers(library.rows), strict=True)}
    cited, citers = library.references(library.rows, scope), library.citers(library.rows, scope)
    found = {(papers[row], papers[other]) for row, each in zip(papers, cited, strict=True) for other in each.tolist()}
    assert found == {(papers[other], papers[row]) for row, each in zip(papers, citers, strict=True) for other in each}
    assert len(found) == cited.values.size == citers.values.size, "each once"
    return {name: {target for source, target in found if source == name} for name, _ in found}


def test_sentences_and_references_are_one_graph(folder: Path) -> None:
    assert graph(Library(folder)) == BY_HAND
    assert citewise.open(folder).describe().citations == 6
    assert citewise.verify(folder).sound


def test_a_scope_sees_them_by_the_years_of_the_papers(folder: Path) -> None:
    library = Library(folder)
    assert graph(library, Scope(year=2010)) == {"robots": {"ants", "bees"}}
    assert graph(library, Scope(year=3000)) == {name: BY_HAND[name] for name in ("robots", "survey")}
    robots = tuple(library.rows_of(["robots"]).tolist())
    assert graph(library, Scope(unseen=robots)) == {"survey": {"ants", "bees"}, "undated": {"bees"}}


def test_they_come_and_go_with_papers_and_sentences(tmp_path: Path) -> None:
    citewise.add(SENTENCES, tmp_path)
    assert graph(Library(tmp_path)) == {}
    for paper in PAPERS:
        citewise.add([paper], tmp_path)
    assert graph(Library(tmp_path)) == BY_HAND
    citewise.remove(tmp_path, ["ants", "robots"])
    assert graph(Library(tmp_path)) == {"survey": {"bees"}, "undated": {"bees"}}
    citewise.add(PAPERS, tmp_path)
    assert graph(Library(tmp_path)) == {"survey": {"ants", "bees", "robots"}, "undated": {"bees"}}, (
        "the sentences of a removed paper are gone, those that cite it are not")
    citewise.compact(tmp_path)
    assert graph(Library(tmp_path)) == {"survey": {"ants", "bees", "robots"}, "undated": {"bees"}}
    assert citewise.verify(tmp_path).sound


def test_verify_finds_a_graph_that_the_sentences_contradict(folder: Path) -> None:
    library = Library(folder)
    tables = folder / "tables" / library.manifest.tables
    Tables.build(library.segments, library.tables.deleted).save(tables)  # as if there were no sentences
    files = {name: FileEntry((folder / name).stat().st_size, checksum(folder / name))
             for name in library.manifest.files}
    manifests.save(folder, msgspec.structs.replace(library.manifest, files=files))
    assert citewise.verify(folder).problems == tuple(
        f"table {name}: differs from what the segments say" for name in ("references", "citers"))


def test_best_goes_by_them(folder: Path) -> None:
    held = citewise.open(folder)
    query = Query("Swarm intelligence of insects and robots", year=2012)
    answer = held.recommender("best").answer(query, k=5, explain=True)
    assert "BM25" not in answer.served_by.note
    votes = {each.paper.id: each.signals.get("votes", 0.0) for each in answer.recommendations}
    assert votes["bees"] > 0 and votes["ants"] > 0
    reasons = [reason for each in answer.recommendations for reason in each.reasons]
    assert any(named.id == "robots" for reason in reasons for named in reason.papers)


def test_papers_are_asked_for_what_their_sentences_cite(folder: Path) -> None:
    held = citewise.open(folder)
    split = Split.make(held, SplitSettings(test=(2010, 2010), least=2))
    [question] = split.questions(held, "test")
    assert {paper.id for paper in held.library.papers(question.gold)} == {"ants", "bees", "robots"}
    answers = held.recommender("best").recommend(question.query, k=5)
    assert all(each.signals.get("citations", 0.0) <= 1 for each in answers), "its own citations are not seen"


@st.composite
def libraries(draw: st.DrawFn) -> tuple[list[Paper], list[CitingSentence]]:
    """Draw papers that cite one another, and sentences of them and of strangers."""
    papers = draw(corpora(most=8))
    keys = st.sampled_from([f"{letter}{number}" for letter in "pq" for number in range(len(papers) + 2)])
    texts = st.sampled_from(["Bees dance [REF].", "[REF] saw bees [REF].", "Ants [REF] are none.", "Bees [REF], [REF]"])

    def sentence() -> CitingSentence:
        text = draw(texts)
        cited = [tuple(draw(st.lists(keys, min_size=1, max_size=3))) for _ in range(text.count("[REF]"))]
        return citing(draw(keys), text, *cited, year=draw(st.none() | st.integers(1988, 1997)),
                      start=draw(st.integers(0, 2)))

    return papers, [sentence() for _ in range(draw(st.integers(0, 10)))]


def assert_like(library: Library, papers: Sequence[Paper], sentences: Sequence[CitingSentence]) -> None:
    held = library.papers(library.rows)
    plain = PlainLibrary(held, sentences)
    assert {paper.id for paper in held} == {paper.id for paper in papers}
    place_of = {row: place for place, row in enumerate(library.rows.tolist())}
    for before, unseen in itertools.product((None, 1991, 1994), ((), range(0, len(held), 3))):
        scope = Scope(year=before, unseen=tuple(library.rows[list(unseen)].tolist()))
        for found, expected in ((library.references(library.rows, scope), plain.references),
                                (library.citers(library.rows, scope), plain.citers)):
            assert [sorted(place_of[row] for row in each.tolist()) for each in found] == [
                sorted(expected(place, before, unseen)) for place in range(len(held))]


@given(libraries(), st.data())
@settings(max_examples=40)
def test_the_graph_is_what_dictionaries_say(tmp_path_factory: pytest.TempPathFactory,
                                            drawn: tuple[list[Paper], list[CitingSentence]],
                                            data: st.DataObject) -> None:
    papers, sentences = drawn
    folder = tmp_path_factory.mktemp("graph")
    order = data.draw(st.permutations([*papers, *sentences]))
    cut = data.draw(st.integers(0, len(order)))
    for batch in (order[:cut], order[cut:]):
        citewise.add(batch, folder)
    assert_like(Library(folder), papers, sentences)
    gone = data.draw(st.sets(st.sampled_from([paper.id for paper in papers])))
    if gone:
        citewise.remove(folder, gone)
    keys = {key for paper in papers if paper.id in gone for key in (paper.id, *paper.ids)}
    heard = [each for each in sentences if each.citing not in keys]
    assert_like(Library(folder), [paper for paper in papers if paper.id not in gone], heard)
    assert citewise.verify(folder).sound
    citewise.add([paper for paper in papers if paper.id in gone], folder)
    assert_like(citewise.compact(folder), papers, heard)
    assert citewise.verify(folder).sound
