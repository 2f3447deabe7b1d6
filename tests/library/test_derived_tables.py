"""What papers cite in their sentences is part of the citation graph."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.evaluate.splits import Split, SplitSettings
from citewise.library import manifest as manifests
from citewise.library.files import checksum
from citewise.library.folder import LibraryFolder
from citewise.library.manifest import FileEntry
from citewise.library.tables import Tables
from citewise.types import CitingSentence, Paper, Query, Scope
from citing import citing
from corpora import corpora
from libraries import assert_same_graph, citations, new_folder, papers_of
from oracles import PlainLibrary
from properties import examples

PAPERS = (
    Paper("bees", "Honey bees dance for their mates", "Foragers dance on the comb.", 1967),
    Paper(
        "ants",
        "Ants find short paths by trails",
        "Trails of scent guide ants.",
        1990,
        ids=("doi:10.1000/ants",),
    ),
    Paper("robots", "Robots that swarm like insects", "Robots imitate how insects swarm.", 2005),
    Paper(
        "survey",
        "A survey of swarm intelligence",
        "Swarms of insects and robots.",
        2010,
        references=("bees",),
    ),
    Paper("undated", "Notes on swarm intelligence", "Swarms."),
)
SENTENCES = (
    citing(
        "robots", "Bees dance [REF] and ants lay trails [REF].", ("bees",), ("doi:10.1000/ants",)
    ),
    citing("survey", "It is known that bees dance [REF].", ("bees",)),
    citing(
        "survey", "[REF] showed what robots do [REF].", ("ants",), ("robots", "survey"), year=2010
    ),
    citing("ants", "A later version cites robots [REF].", ("robots",), year=2006),
    citing("undated", "Bees dance [REF].", ("bees", "nowhere"), year=2015),
    citing("elsewhere", "Ants lay trails [REF].", ("ants",), year=2015),
)
BY_HAND = {"robots": {"ants", "bees"}, "survey": {"ants", "bees", "robots"}, "undated": {"bees"}}
"""The survey cites bees twice and itself never; what the paper of 1990 cites in 2006 would be seen
too early.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a library of these papers and sentences."""
    citewise.add([*PAPERS, *SENTENCES], tmp_path)
    return tmp_path


def test_sentences_and_references_are_one_graph(folder: Path) -> None:
    assert citations(LibraryFolder(folder)) == BY_HAND
    assert citewise.open(folder).describe().citations == 6
    assert citewise.verify(folder).sound


def test_a_scope_sees_them_by_the_years_of_the_papers(folder: Path) -> None:
    stores = LibraryFolder(folder)
    dated = {name: BY_HAND[name] for name in ("robots", "survey")}
    assert citations(stores, Scope(year=2010)) == {"robots": {"ants", "bees"}}
    assert citations(stores, Scope(year=3000)) == dated

    robots = tuple(stores.papers.find(["robots"]).tolist())
    seen = citations(stores, Scope(unseen=robots))
    assert seen == {"survey": {"ants", "bees"}, "undated": {"bees"}}


@pytest.mark.slow
def test_they_come_and_go_with_papers_and_sentences(tmp_path: Path) -> None:
    citewise.add(SENTENCES, tmp_path)
    assert citations(LibraryFolder(tmp_path)) == {}
    for paper in PAPERS:
        citewise.add([paper], tmp_path)
    assert citations(LibraryFolder(tmp_path)) == BY_HAND

    citewise.remove(tmp_path, ["ants", "robots"])
    assert citations(LibraryFolder(tmp_path)) == {"survey": {"bees"}, "undated": {"bees"}}

    citewise.add(PAPERS, tmp_path)
    without_robots = {"survey": {"ants", "bees", "robots"}, "undated": {"bees"}}
    assert citations(LibraryFolder(tmp_path)) == without_robots, (
        "the sentences of a removed paper are gone, those that cite it are not"
    )
    citewise.compact(tmp_path)
    assert citations(LibraryFolder(tmp_path)) == without_robots
    assert citewise.verify(tmp_path).sound


def test_verify_finds_a_graph_that_the_sentences_contradict(folder: Path) -> None:
    stores = LibraryFolder(folder)
    without_sentences = Tables.build([*stores.segments], stores.tables.deleted)
    without_sentences.save(folder / "tables" / stores.manifest.tables)
    files = {
        name: FileEntry((folder / name).stat().st_size, checksum(folder / name))
        for name in stores.manifest.files
    }
    manifests.save(folder, msgspec.structs.replace(stores.manifest, files=files))
    assert citewise.verify(folder).problems == tuple(
        f"table {name}: differs from what the segments say" for name in ("references", "citers")
    )


def test_best_goes_by_them(folder: Path) -> None:
    library = citewise.open(folder)
    query = Query("Swarm intelligence of insects and robots", year=2012)
    answer = library.answer(query, k=5, system="best", explain=True)
    assert "BM25" not in answer.served_by.note

    votes = {each.paper.id: each.signals.get("votes", 0.0) for each in answer}
    assert votes["bees"] > 0 and votes["ants"] > 0
    named = [paper.id for each in answer for reason in each.reasons for paper in reason.papers]
    assert "robots" in named


def test_papers_are_asked_for_what_their_sentences_cite(folder: Path) -> None:
    library = citewise.open(folder)
    split = Split.make(library.stores, SplitSettings(test=(2010, 2010), least=2))
    [question] = split.questions(library.stores, "test")
    expected = {paper.id for paper in library.stores.papers.read(question.gold)}
    assert expected == {"ants", "bees", "robots"}

    answer = library.answer(question.query, k=5, system="best")
    assert len(answer)
    assert all(each.signals.get("citations", 0.0) <= 1 for each in answer), (
        "its own citations are not seen"
    )


TEXTS = ("Bees dance [REF].", "[REF] saw bees [REF].", "Ants [REF] are none.", "Bees [REF], [REF]")


@st.composite
def records(draw: st.DrawFn) -> tuple[list[Paper], list[CitingSentence]]:
    """Draw papers that cite one another, and sentences of them and of strangers."""
    papers = draw(corpora(most=8))
    numbers = range(len(papers) + 2)
    keys = st.sampled_from([f"{letter}{number}" for letter in "pq" for number in numbers])

    def sentence() -> CitingSentence:
        text = draw(st.sampled_from(TEXTS))
        groups = [draw(st.lists(keys, min_size=1, max_size=3)) for _ in range(text.count("[REF]"))]
        return citing(
            draw(keys),
            text,
            *map(tuple, groups),
            year=draw(st.none() | st.integers(1988, 1997)),
            start=draw(st.integers(0, 2)),
        )

    return papers, [sentence() for _ in range(draw(st.integers(0, 10)))]


def _assert_same(
    stores: LibraryFolder, papers: Sequence[Paper], sentences: Sequence[CitingSentence]
) -> None:
    """Compare papers and graph with dictionaries."""
    stored = papers_of(stores)
    assert {paper.id for paper in stored} == {paper.id for paper in papers}
    assert_same_graph(stores, PlainLibrary(stored, sentences), (1991, 1994))


@pytest.mark.slow
@given(records(), st.data())
@examples(15)
def test_the_graph_is_what_dictionaries_say(
    drawn: tuple[list[Paper], list[CitingSentence]], data: st.DataObject
) -> None:
    papers, sentences = drawn
    every: list[Paper | CitingSentence] = [*papers, *sentences]
    order = data.draw(st.permutations(every))
    cut = data.draw(st.integers(0, len(order)))
    gone = data.draw(st.sets(st.sampled_from([paper.id for paper in papers])))
    gone_keys = {key for each in papers if each.id in gone for key in (each.id, *each.ids)}
    kept = [each for each in sentences if each.citing not in gone_keys]

    with new_folder() as folder:
        for batch in (order[:cut], order[cut:]):
            citewise.add(batch, folder)
        _assert_same(LibraryFolder(folder), papers, sentences)

        if gone:
            citewise.remove(folder, gone)
        _assert_same(LibraryFolder(folder), [each for each in papers if each.id not in gone], kept)
        assert citewise.verify(folder).sound

        citewise.add([each for each in papers if each.id in gone], folder)
        citewise.compact(folder)
        _assert_same(LibraryFolder(folder), papers, kept)
        assert citewise.verify(folder).sound
