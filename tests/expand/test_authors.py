"""Papers found by their authors, and what a draft's authors say of candidates."""

import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import citewise
from citewise.api import Library
from citewise.expand.authors import Authors
from citewise.ingest import read
from citewise.ingest.report import Report
from citewise.library import manifest
from citewise.preferences import Preferences
from citewise.rank.trees import DRAFT_MODEL, shipped_model
from citewise.recommend import Recommender, scope_of
from citewise.retrieve.engine import Engine
from citewise.systems import BestSettings
from citewise.types import Paper, Query
from corpora import GOLDEN
from oracles import same_author

# The library


def test_papers_by_their_authors(golden_library: Path) -> None:
    papers = citewise.open(golden_library).stores.papers
    found = papers.by_authors(["Wabe, Otto", "K. Frischmann", "Nobody Known", ""])
    wrote = [{paper.id for paper in papers.read(found[position])} for position in range(4)]
    assert wrote == [
        {"doi:10.1000/dance", "arxiv:1101.00001"},
        {"doi:10.1000/dance", "own-7"},
        set(),
        set(),
    ]
    assert papers.by_authors([]).values.size == 0


def test_papers_come_and_go_with_their_authors(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    citewise.add([Paper("a", "One work of hers", authors=("Ada Byron", "Ada Byron"))], folder)
    citewise.add([Paper("b", "Another work of hers", authors=("Byron, A.",))], folder)
    assert [*citewise.open(folder).stores.papers.by_authors(["Ada Byron"]).values] == [0, 1]
    citewise.remove(folder, ["a"])
    assert [*citewise.open(folder).stores.papers.by_authors(["Ada Byron"]).values] == [1]
    citewise.compact(folder)
    assert [*citewise.open(folder).stores.papers.by_authors(["Ada Byron"]).values] == [0]
    assert not [*citewise.verify(folder).problems]


def forget_authors(library: Path) -> None:
    """Make a library one that was written before authors were kept: neither its folders nor its
    manifest have files of authors.
    """
    current = manifest.load(library)
    files = {name: entry for name, entry in current.files.items() if "/authors." not in name}
    assert len(files) < len(current.files)

    for name in current.files.keys() - files.keys():
        (library / name).unlink()
    manifest.save(library, msgspec.structs.replace(current, files=files))


def test_a_library_from_before_authors_were_kept_still_answers(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    citewise.add(GOLDEN, folder)
    forget_authors(folder)
    old = citewise.open(folder)
    assert not old.stores.papers.by_authors(["Otto Wabe"]).values.size
    assert old.recommend("Dancing bees", authors=["Otto Wabe"])
    citewise.add([Paper("new", "A new work of his", authors=("Otto Wabe",))], folder)
    stored = citewise.open(folder).stores.papers
    assert [each.id for each in stored.read(stored.by_authors(["Otto Wabe"]).values)] == ["new"]
    assert stored.read([0])[0].authors == GOLDEN[0].authors


@pytest.mark.slow
def test_real_names_against_a_search_of_every_paper(shared: Path, tmp_path: Path) -> None:
    """Needs ../shared: the papers of the first 1,000 of elife by each of 100 authors, against plain
    comparison.
    """
    papers = [
        paper
        for _, (paper, _) in zip(
            range(1000), read([shared / "elife" / "papers.jsonl.xz"], Report()), strict=False
        )
        if isinstance(paper, Paper)
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    stored = citewise.open(tmp_path / "library").stores.papers
    asked = [paper.authors[0] for paper in papers[::10] if paper.authors]
    found = stored.by_authors(asked)
    for position, author in enumerate(asked):
        mine = {
            row
            for row, paper in enumerate(papers)
            if any(same_author(author, other) for other in paper.authors)
        }
        assert set(found[position].tolist()) == mine, author


# Signals


WROTE = [
    Paper(
        "a", "Alpha of the swarm", year=2001, authors=("Ada Byron", "Otto Wabe"), references=("x",)
    ),
    Paper("b", "Beta of the swarm", year=2002, authors=("Ada Byron",), references=("x", "y")),
    Paper("c", "Gamma of the clock", year=2009, authors=("Ada Byron",), references=("z",)),
    Paper("x", "Something cited", year=1999),
    Paper("y", "Another cited", year=1999),
    Paper("z", "Late", year=1999),
    Paper("w", "Of the swarm, by others", year=2000, authors=("Al Khwarizmi",), references=("a",)),
]


@pytest.fixture
def wrote(tmp_path: Path) -> Library:
    citewise.add(WROTE, tmp_path / "library")
    return citewise.open(tmp_path / "library")


def signals(library: Library, query: Query) -> dict[str, dict[str, float]]:
    """Return each signal of the expander by the papers' ids."""
    stores, scope = library.stores, scope_of(library.stores.papers, query)
    hits = Engine(stores).retrieve(query, 10, scope)
    expansion = Authors(stores).expand(query, hits, scope)
    assert not set(expansion.rows.tolist()) & set(hits.rows.tolist())

    rows = hits.followed_by(expansion.rows).rows
    names = [paper.id for paper in stores.papers.read(rows)]
    assert len(set(names)) == len(names)
    found = expansion.signals(rows)
    assert found.keys() == Authors.writes
    return {name: dict(zip(names, column.tolist(), strict=True)) for name, column in found.items()}


def test_signals_of_authors_by_hand(wrote: Library) -> None:
    # In 2005, Byron has two papers in sight (a, b) and Wabe one (a): each name counts 1 / root of
    # that.
    # a is by both: 1 / sqrt(2) + 1, b by one: 1 / sqrt(2). x is cited by a and b, y by b; c is of
    # 2009, unseen.
    #   b has two words of the draft and a one, so b is first among theirs.
    half = 1 / math.sqrt(2)
    found = signals(wrote, Query("Beta beta swarm", year=2005, authors=("Byron, Ada", "Otto Wabe")))
    assert found["authored"] == pytest.approx({"a": half + 1, "b": half, "w": 0, "x": 0, "y": 0})
    assert found["authored_by"] == {"a": 2, "b": 1, "w": 0, "x": 0, "y": 0}
    assert found["authors_cite"] == pytest.approx(
        {"x": 2 * half + 1, "y": half, "a": 0, "b": 0, "w": 0}
    )
    assert found["authored_papers"] == dict.fromkeys("abwxy", 2)
    assert (found["authored_rank"]["b"], found["authored_rank"]["a"]) == (0, 1)
    assert all(math.isnan(found["authored_rank"][name]) for name in "xyw")
    # w cites a: it is linked by the pull of a's only citer, 1 / sqrt(2); a by being cited by w, 1 /
    # 2; x and y by 1 each
    # time that one of the authors' papers cites them
    assert found["authors_linked"] == pytest.approx({"w": half, "a": 0.5, "x": 2, "y": 1, "b": 0})


def test_without_authors_nothing_is_known_of_them(wrote: Library) -> None:
    found = signals(wrote, Query("Beta swarm", year=2005))
    assert all(math.isnan(value) for each in found.values() for value in each.values())


def test_authors_that_the_library_does_not_have(wrote: Library) -> None:
    found = signals(wrote, Query("Beta swarm", year=2005, authors=("Nobody Known", "…")))
    assert set(found["authored"].values()) == {0} == set(found["authors_cite"].values())


def test_authors_later_papers_are_not_seen(wrote: Library) -> None:
    early = signals(wrote, Query("Gamma clock swarm", year=2005, authors=("Ada Byron",)))
    assert "c" not in early["authored"] and "z" not in early["authored"]
    late = signals(wrote, Query("Gamma clock swarm", year=2010, authors=("Ada Byron",)))
    assert late["authored"]["c"] > 0 and late["authors_cite"]["z"] > 0


def test_a_paper_is_not_its_own_authors_work(wrote: Library) -> None:
    found = signals(wrote, Query("Beta swarm", id="b", year=2002, authors=("Ada Byron",)))
    assert "b" not in found["authored"] and "y" not in found["authored"], (
        "nor are its references seen"
    )
    assert found["authored"]["a"] == 1


def test_authors_speak_where_no_citation_does(tmp_path: Path) -> None:
    papers = [
        Paper(f"p{number}", f"Swarm {number} of bees", "Bees swarm in spring.", 2000)
        for number in range(40)
    ]
    papers[30] = replace(papers[30], authors=("Ada Byron",))
    citewise.add(papers, tmp_path / "library")
    library = citewise.open(tmp_path / "library")
    query, known = Query("Swarms of bees", "Bees swarm in spring."), ("Ada Byron",)
    for authors, note in (((), "no citations"), (known, "few candidates")):
        answer = library.answer(replace(query, authors=authors), 20, "best")
        assert note in answer.served_by.note

    own = replace(shipped_model(DRAFT_MODEL), shipped=False)
    best = Recommender(library.stores, BestSettings().stages(library.stores, own))
    assert best.answer(replace(query, authors=known))[0].paper.id == "p30"


def test_self_citations_that_are_not_wanted_stay_out(wrote: Library) -> None:
    query = Query("Beta swarm", year=2005, authors=("Ada Byron",))
    assert {"a", "b"} & {each.paper.id for each in wrote.answer(query)}
    query = replace(query, preferences=Preferences(no_self_citations=True))
    assert not {"a", "b"} & {each.paper.id for each in wrote.answer(query)}
