"""Who wrote what: names told apart, papers found by their authors, and what these say of candidates."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN
from hypothesis import given
from hypothesis import strategies as st
from oracles import same_author

import citewise
from citewise import ids
from citewise.author_names import author_numbers, namesakes
from citewise.expand.authors import SIGNALS, Authors
from citewise.ingest import read
from citewise.rank.learned import Learned
from citewise.rank.model import Model, shipped
from citewise.recommend import scope_of
from citewise.report import Report
from citewise.retrieve.engine import Engine
from citewise.types import Paper, Query, Scope

# Names


def number(name: str) -> int:
    return int(author_numbers([name])[0])


@pytest.mark.parametrize(("one", "other"), [
    ("Xin Luna Dong", "Dong, Xin Luna"), ("Xin L. Dong", "Xin Luna Dong"), ("José García", "Jose Garcia"),
    ("JOSÉ GARCÍA", "José García"), ("JP Serre", "J.-P. Serre"),
    ("C\u0327elik A", "Çelik A"), ("Serre, J. P.", "J. Serre"), ("Plato", "plato"),
    ("van den Berg, Jan", "Jan van den Berg"), ("Mary-Anne O'Neil", "Mary Anne O'Neil")])
def test_one_person_has_one_number(one: str, other: str) -> None:
    assert number(one) == number(other) != 0
    assert namesakes(one) == namesakes(other)


@pytest.mark.parametrize(("one", "other"), [
    ("Wei Zhang", "Wei Chang"), ("Wei Zhang", "Wen Zhang"), ("Wei Zhang", "Lei Zhang"), ("Plato", "Plat O")])
def test_other_names_have_other_numbers(one: str, other: str) -> None:
    assert number(one) != number(other)


@pytest.mark.parametrize("nobody", ["", " ", ".", "…", ","])
def test_no_name_has_no_number(nobody: str) -> None:
    assert number(nobody) == 0
    assert namesakes(nobody) == []


def agree(one: str, other: str) -> bool:
    return any(first <= number(other) <= last for first, last in namesakes(one))


def test_an_initial_agrees_with_names_that_it_begins_and_names_with_it() -> None:
    assert agree("W. Zhang", "Wei Zhang") and agree("Wei Zhang", "Zhang, W.") and agree("W Zhang", "W. Q. Zhang")
    assert not agree("Wei Zhang", "Wen Zhang") and not agree("W. Zhang", "Lei Zhang")


NAMES = st.sampled_from(("Ada", "Adam", "A", "a", "Élodie", "Elodie", "e", "JP", "J", "Jean", "Øystein", "o'neil"))
FAMILIES = st.sampled_from(("Zhang", "Ångström", "Angstrom", "de la Cruz", "Cruz", "O'Neil", "Neil", "李"))


@given(names=st.lists(NAMES, min_size=2, max_size=2), families=st.lists(FAMILIES, min_size=2, max_size=2),
       middle=st.sampled_from(("", " B.", " Maria", " C D")), commas=st.tuples(st.booleans(), st.booleans()))
def test_namesakes_are_who_can_be_the_same_by_first_and_family_name(
        names: list[str], families: list[str], middle: str, commas: tuple[bool, bool]) -> None:
    one, other = (f"{family}, {name}{middle}" if comma else f"{name}{middle} {family}"
                  for name, family, comma in zip(names, families, commas, strict=True))
    plain = [f"{ids.surname(full)}, {name}" for full, name in zip((one, other), names, strict=True)]
    same = ids.same_person(*plain)
    firsts = {len(ids.first_name(name)) for name in plain}
    assert agree(one, other) == same or (same and len(firsts) == 1), "an initial and the name of one letter are one"
    assert agree(one, other) == agree(other, one)


@given(st.lists(st.text(st.sampled_from("abJKP -'.,é李\n"), max_size=12), max_size=8))
def test_names_are_numbered_alike_together_and_one_by_one(names: list[str]) -> None:
    """Plain names are taken apart all at once, others by `ids`: a name that is spelled out for it has the same."""
    assert author_numbers(names).tolist() == [number(name) for name in names]
    for name in names:
        family, first = ids.surname(name), ids.first_name(name)
        spelled = f"{family}, {first if len(first) > 1 else first.upper()}".rstrip(", ")
        assert number(name) == (number(spelled) if family else 0)
        assert bool(number(name)) == bool(family)


# The library


def test_papers_by_their_authors(golden_library: Path) -> None:
    library = citewise.open(golden_library).library
    found = library.papers_by(["Wabe, Otto", "K. Frischmann", "Nobody Known", ""])
    wrote = [{paper.id for paper in library.papers(found[place])} for place in range(4)]
    assert wrote == [{"doi:10.1000/dance", "arxiv:1101.00001"}, {"doi:10.1000/dance", "own-7"}, set(), set()]
    assert library.papers_by([]).values.size == 0


def test_papers_come_and_go_with_their_authors(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    citewise.add([Paper("a", "One work of hers", authors=("Ada Byron", "Ada Byron"))], folder)
    citewise.add([Paper("b", "Another work of hers", authors=("Byron, A.",))], folder)
    assert [*citewise.open(folder).library.papers_by(["Ada Byron"]).values] == [0, 1]
    citewise.remove(folder, ["a"])
    assert [*citewise.open(folder).library.papers_by(["Ada Byron"]).values] == [1]
    citewise.compact(folder)
    assert [*citewise.open(folder).library.papers_by(["Ada Byron"]).values] == [0]
    assert not [*citewise.verify(folder).problems]


def test_a_library_from_before_authors_were_kept_still_answers(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    citewise.add(GOLDEN, folder)
    for file in [*folder.glob("*/*/authors.*")]:
        file.unlink()
    old = citewise.open(folder)
    assert not old.library.papers_by(["Otto Wabe"]).values.size
    assert old.recommend("Dancing bees", authors=["Otto Wabe"])
    citewise.add([Paper("new", "A new work of his", authors=("Otto Wabe",))], folder)
    held = citewise.open(folder).library
    assert [paper.id for paper in held.papers(held.papers_by(["Otto Wabe"]).values)] == ["new"]
    assert held.papers([0])[0].authors == GOLDEN[0].authors


def test_real_names_against_a_search_of_every_paper(shared: Path, tmp_path: Path) -> None:
    """Needs ../shared: the papers of the first 3,000 of elife by each of 200 authors, against plain comparison."""
    papers = [paper for _, (paper, _) in zip(range(3000), read([shared / "elife" / "papers.jsonl.xz"], Report()),
                                             strict=False) if isinstance(paper, Paper)]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library").library
    asked = [paper.authors[0] for paper in papers[::15] if paper.authors]
    found = library.papers_by(asked)
    for place, author in enumerate(asked):
        mine = {row for row, paper in enumerate(papers) if any(same_author(author, other) for other in paper.authors)}
        assert set(found[place].tolist()) == mine, author


# Signals


WROTE = [
    Paper("a", "Alpha of the swarm", year=2001, authors=("Ada Byron", "Otto Wabe"), references=("x",)),
    Paper("b", "Beta of the swarm", year=2002, authors=("Ada Byron",), references=("x", "y")),
    Paper("c", "Gamma of the clock", year=2009, authors=("Ada Byron",), references=("z",)),
    Paper("x", "Something cited", year=1999), Paper("y", "Another cited", year=1999), Paper("z", "Late", year=1999),
    Paper("w", "Of the swarm, by others", year=2000, authors=("Al Khwarizmi",), references=("a",))]


@pytest.fixture
def wrote(tmp_path: Path) -> citewise.OpenLibrary:
    citewise.add(WROTE, tmp_path / "library")
    return citewise.open(tmp_path / "library")


def signals(held: citewise.OpenLibrary, query: Query) -> dict[str, dict[str, float]]:
    """Return each signal of the expander by the papers' ids."""
    library, scope = held.library, scope_of(held.library, query)
    hits = Engine(library).retrieve(query, 10, scope).with_signals({})
    start = hits.with_signals({"seeds_tied": np.zeros(len(hits))})
    found = Authors(library).expand(query, start, scope)
    names = [paper.id for paper in library.papers(found.rows)]
    assert len(set(names)) == len(names)
    assert found.rows[: len(hits)].tolist() == hits.rows.tolist()
    assert not np.isnan(found.signals["seeds_tied"]).any()
    return {name: dict(zip(names, found.signals[name].tolist(), strict=True)) for name in SIGNALS}


def test_signals_of_authors_by_hand(wrote: citewise.OpenLibrary) -> None:
    # In 2005, Byron has two papers in sight (a, b) and Wabe one (a): each name counts 1 / root of that.
    #   a is by both: 1 / sqrt(2) + 1, b by one: 1 / sqrt(2). x is cited by a and b, y by b; c is of 2009, unseen.
    #   b has two words of the draft and a one, so b is first among theirs.
    half = 1 / math.sqrt(2)
    found = signals(wrote, Query("Beta beta swarm", year=2005, authors=("Byron, Ada", "Otto Wabe")))
    assert found["authored"] == pytest.approx({"a": half + 1, "b": half, "w": 0, "x": 0, "y": 0})
    assert found["authored_by"] == {"a": 2, "b": 1, "w": 0, "x": 0, "y": 0}
    assert found["authors_cite"] == pytest.approx({"x": 2 * half + 1, "y": half, "a": 0, "b": 0, "w": 0})
    assert found["authored_papers"] == dict.fromkeys("abwxy", 2)
    assert (found["authored_alike"]["b"], found["authored_alike"]["a"]) == (0, 1)
    assert all(math.isnan(found["authored_alike"][name]) for name in "xyw")
    # w cites a: it is tied by the pull of a's only citer, 1 / sqrt(2); a by being cited by w, 1 / 2; x and y by 1 each
    # time that one of the authors' papers cites them
    assert found["authors_tied"] == pytest.approx({"w": half, "a": 0.5, "x": 2, "y": 1, "b": 0})


def test_without_authors_nothing_is_known_of_them(wrote: citewise.OpenLibrary) -> None:
    found = signals(wrote, Query("Beta swarm", year=2005))
    assert all(math.isnan(value) for each in found.values() for value in each.values())


def test_authors_that_the_library_does_not_have(wrote: citewise.OpenLibrary) -> None:
    found = signals(wrote, Query("Beta swarm", year=2005, authors=("Nobody Known", "…")))
    assert set(found["authored"].values()) == {0} == set(found["authors_cite"].values())


def test_authors_later_papers_are_not_seen(wrote: citewise.OpenLibrary) -> None:
    early = signals(wrote, Query("Gamma clock swarm", year=2005, authors=("Ada Byron",)))
    assert "c" not in early["authored"] and "z" not in early["authored"]
    late = signals(wrote, Query("Gamma clock swarm", year=2010, authors=("Ada Byron",)))
    assert late["authored"]["c"] > 0 and late["authors_cite"]["z"] > 0


def test_a_paper_is_not_its_own_authors_work(wrote: citewise.OpenLibrary) -> None:
    found = signals(wrote, Query("Beta swarm", id="b", year=2002, authors=("Ada Byron",)))
    assert "b" not in found["authored"] and "y" not in found["authored"], "nor are its references seen"
    assert found["authored"]["a"] == 1


def test_authors_speak_where_no_citation_does(tmp_path: Path) -> None:
    papers = [Paper(f"p{number}", f"Swarm {number} of bees", "Bees swarm in spring.", 2000) for number in range(40)]
    papers[30] = replace(papers[30], authors=("Ada Byron",))
    citewise.add(papers, tmp_path / "library")
    held = citewise.open(tmp_path / "library")
    query = Query("Swarms of bees", "Bees swarm in spring.")
    ranker = Learned(held.library, shipped())
    for authors, first in (((), "no citation speaks"), (("Ada Byron",), "few candidates")):
        asked = replace(query, authors=authors)
        made = held.recommender("best").candidates(asked, 20, Scope())
        assert first in ranker.rank(asked, made, Scope()).served_by.note
    asked = replace(query, authors=("Ada Byron",))
    own = Model(shipped().first, shipped().trees, shipped().names, {}, "", "ranker")
    found = Learned(held.library, own).rank(asked, held.recommender("best").candidates(asked, 20, Scope()), Scope())
    assert held.library.papers(found.rows[:1])[0].id == "p30"


def test_self_citations_that_are_not_wanted_stay_out(wrote: citewise.OpenLibrary) -> None:
    query = Query("Beta swarm", year=2005, authors=("Ada Byron",), no_self_citations=True)
    assert not {"a", "b"} & {each.paper.id for each in wrote.answer(query)}

