"""Navigation: by hand, against loops over dictionaries, and what every retriever promises."""

import dataclasses
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.errors import BadInput
from citewise.ingest.report import SourceLocation
from citewise.library import writer
from citewise.library.entries import batches as entries
from citewise.library.folder import LibraryFolder
from citewise.recommend import Recommender, scope_of
from citewise.retrieve.bm25 import Bm25, Bm25Parameters, Bm25Ranker
from citewise.retrieve.navigation import Navigation, Rounds
from citewise.systems import NavigationSettings
from citewise.types import Paper, Query, Ranking, Scope
from corpora import corpora, random_papers
from oracles import PlainLibrary
from properties import examples

ANY = Query("anything")
MANY = random_papers(80, seed=11)
Draw = Callable[[st.SearchStrategy[Any]], Any]


class Listed:
    """A retriever that finds the given rows, in that order."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __init__(self, library: LibraryFolder, rows: Sequence[int]) -> None:
        self._library, self._rows = library, np.array(rows, np.int64)

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        rows = self._rows[self._library.papers.in_scope(self._rows, scope)][:k]
        return Ranking(rows, -np.arange(rows.size, dtype=np.float64))


class Given:
    """A ranker that knows each row's score."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def __init__(self, scores: Mapping[int, float]) -> None:
        self._scores = scores

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        rows = candidates.rows
        scores = np.array([self._scores[row] for row in rows.tolist()], np.float64)
        return candidates.scored(scores, {}).take(np.lexsort((rows, -scores)))


def stored(folder: Path, papers: Sequence[Paper]) -> LibraryFolder:
    """Store papers as they are, each at the row of its position."""
    writer.add(
        folder,
        entries(
            [(paper, SourceLocation("test", number)) for number, paper in enumerate(papers, 1)]
        ),
    )
    return LibraryFolder(folder)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    return stored(tmp_path_factory.mktemp("navigation") / "many", MANY)


def graph(**cited: str) -> list[Paper]:
    """Return papers that cite others by letters, all of 2000."""
    return [
        Paper(name, f"Paper {name}", year=2000, references=tuple(others))
        for name, others in cited.items()
    ]


# By hand


#   a -> d e      b -> e f g      c -> h      d -> i      h -> b      found first: a b c
LETTERS = "abcdefghi"
GRAPH = graph(a="de", b="efg", c="h", d="i", e="", f="", g="", h="b", i="")
WORTH = {"a": 5, "b": 4, "c": 3, "d": 9, "e": 8, "f": 2, "g": 1, "h": 7, "i": 6}


@pytest.fixture(scope="module")
def lettered(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    return stored(tmp_path_factory.mktemp("navigation") / "library", GRAPH)


def navigated(
    library: LibraryFolder, k: int = 9, within: str | None = None, **chosen: Any
) -> dict[str, float]:
    """Return the letters found, best first, each with the round that brought it."""
    scores = {row: float(WORTH[letter]) for row, letter in enumerate(LETTERS)}
    found = Navigation(
        library, Listed(library, [0, 1, 2]), Given(scores), Rounds(**chosen)
    ).retrieve(ANY, k, Scope(within=None if within is None else tuple(map(LETTERS.index, within))))
    return dict(
        zip(
            [LETTERS[row] for row in found.rows.tolist()],
            found.signals["round"].tolist(),
            strict=True,
        )
    )


def test_no_round_is_the_retriever_and_the_ranker(lettered: LibraryFolder) -> None:
    assert list(navigated(lettered, rounds=0).items()) == [("a", 0), ("b", 0), ("c", 0)]


def test_a_round_adds_what_the_found_cite_and_ranks_all(lettered: LibraryFolder) -> None:
    found = navigated(lettered, widths="3+9")
    assert list(found.items()) == [
        ("d", 1),
        ("e", 1),
        ("h", 1),
        ("a", 0),
        ("b", 0),
        ("c", 0),
        ("f", 1),
        ("g", 1),
    ]


@pytest.mark.parametrize(
    ("limit", "kept"), [(5, "defgh"), (4, "defg"), (3, "def"), (2, "de"), (1, "d"), (0, "")]
)
def test_citations_of_the_lowest_ranked_are_dropped_first(
    lettered: LibraryFolder, limit: int, kept: str
) -> None:
    # In the order of their best citers: a's d, e; then b's f, g (e is a's already); then c's h.
    found = navigated(lettered, widths=f"3+{limit}")
    assert {letter for letter, number in found.items() if number} == set(kept)
    assert {letter for letter, number in found.items() if not number} == set("abc"), (
        "D is never dropped"
    )


def test_a_round_takes_only_the_best(lettered: LibraryFolder) -> None:
    assert list(navigated(lettered, widths="1+9").items()) == [("d", 1), ("e", 1), ("a", 0)]


def test_a_later_round_starts_from_the_last_ranking(lettered: LibraryFolder) -> None:
    # Round 1: d e h a b c f g. Round 2 takes d e h: d cites i, h cites b, which comes back as new.
    # d e h i b.
    found = navigated(lettered, rounds=2, widths="3+9")
    assert list(found.items()) == [("d", 1), ("e", 1), ("h", 1), ("i", 2), ("b", 2)]
    # Round 3 takes d e h again, and so would every later one.
    assert list(navigated(lettered, rounds=3, widths="3+9")) == list(found)


def test_each_round_has_its_width(lettered: LibraryFolder) -> None:
    # Round 1 takes a and brings d, the first that it cites. Round 2 takes d and a: d's i is new,
    # then a's e.
    assert list(navigated(lettered, rounds=1, widths="1+1/2+2")) == ["d", "a"]
    assert list(navigated(lettered, rounds=2, widths="1+1/2+2").items()) == [
        ("d", 1),
        ("e", 2),
        ("i", 2),
        ("a", 0),
    ]
    assert list(navigated(lettered, rounds=2, widths="1+1/2+1").items()) == [
        ("d", 1),
        ("i", 2),
        ("a", 0),
    ]


def test_what_the_limit_counts(lettered: LibraryFolder) -> None:
    # Round 1 has d e h a b c f g. Round 2 takes all but g, which cite in this order: i (d), b (h),
    # d e (a), f g (b),
    # h (c). Of all of these the first two are i and b, of the new ones, which are not in D, i and
    # g.
    chosen: dict[str, Any] = {"rounds": 2, "widths": "3+9/7+2"}
    for counted, brought in (("new", {"i", "g"}), ("all", {"i"})):
        found = navigated(lettered, counted=counted, **chosen)
        assert {letter for letter, number in found.items() if number == 2} == brought


def test_no_paper_to_start_from_finds_nothing(lettered: LibraryFolder) -> None:
    # The first value of the sweep of section 5.2; in a later round, it ends the search.
    assert navigated(lettered, widths="0+9") == {}
    assert navigated(lettered, rounds=2, widths="3+9/0+9") == {}
    assert list(navigated(lettered, widths="0+9", within="bd")) == ["d", "b"], "a pool is ranked"


def test_k_cuts_the_last_ranking_only(lettered: LibraryFolder) -> None:
    whole = navigated(lettered, rounds=2, widths="3+9")
    assert list(navigated(lettered, 2, rounds=2, widths="3+9").items()) == list(whole.items())[:2]


def test_ways_lead_through_papers_that_may_not_be_answered(lettered: LibraryFolder) -> None:
    assert list(navigated(lettered, within="ie", rounds=2, widths="3+9").items()) == [
        ("e", 1),
        ("i", 2),
    ]
    assert navigated(lettered, within="") == {}


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_every_paper_of_a_pool_gets_its_score(lettered: LibraryFolder, rounds: int) -> None:
    found = navigated(lettered, within="ige", rounds=rounds, widths="1+1")
    assert list(found) == ["e", "i", "g"], "by WORTH: 8, 6, 1"
    assert np.isnan(found["g"]), "no round brought it"


def test_signals_of_the_retriever_are_unknown_for_the_added(lettered: LibraryFolder) -> None:
    class Marked(Listed):
        def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
            found = super().retrieve(query, k, scope)
            return dataclasses.replace(found, signals={"mark": np.ones(len(found))})

    found = Navigation(
        lettered, Marked(lettered, [0]), Given(dict.fromkeys(range(9), 0.0)), Rounds()
    ).retrieve(ANY, 9, Scope())
    assert found.rows.tolist() == [0, 3, 4]
    assert np.array_equal(found.signals["mark"], [1, np.nan, np.nan], equal_nan=True)


# Time


def test_a_future_citation_is_not_followed(tmp_path: Path) -> None:
    # The query is of 2010. `late` is in scope (2010 is not after 2010) but what it cites was
    # written after the draft;
    # `undated` cites at an unknown time; `old` cites a paper younger than the query; `itself` is
    # the query's own paper.
    papers = [
        Paper("old", "Bees dance", year=2005, references=("good", "young", "itself")),
        Paper("late", "Bees dance again", year=2010, references=("leak",)),
        Paper("undated", "Bees dance on", references=("leak",)),
        Paper("young", "Wasps", year=2011),
        Paper("good", "Honey", year=2000),
        Paper("leak", "Nectar", year=2000),
        Paper("itself", "Bees that dance", year=2010, references=("secret",)),
        Paper("secret", "Pollen", year=1990, references=("deeper",)),
        Paper("deeper", "Wax", year=1980),
    ]
    library = stored(tmp_path / "library", papers)
    system = Recommender(library, NavigationSettings(rounds=3).over(library))
    named = [
        papers[row].id
        for row in system.rank(Query("Bees dance", id="itself", year=2010), 100).rows.tolist()
    ]
    assert sorted(named) == ["good", "late", "old"]
    without = [papers[row].id for row in system.rank(Query("Bees dance"), 100).rows.tolist()]
    assert set(without) == {paper.id for paper in papers}, (
        "without a year, all of these are reached"
    )


# Dictionaries


def plain_navigation(
    plain: PlainLibrary,
    first: Sequence[int],
    scores: Mapping[int, float],
    chosen: Rounds,
    scope: Scope,
) -> dict[int, int]:
    """Return the rows of the last round, best first, with the rounds that brought them: lists, sets
    and loops.
    """

    def visible(row: int) -> bool:
        year = plain.papers[row].year
        timely = not scope.bounded or (year and (scope.since or 0) <= year <= (scope.year or 9999))
        return bool(timely) and row not in scope.hidden

    widths = [tuple(map(int, part.split("+"))) for part in chosen.widths.split("/")]
    ranking = dict.fromkeys([row for row in first if visible(row)][: widths[0][0]], 0)
    for number in range(1, chosen.rounds + 1):
        papers, limit = widths[min(number, len(widths)) - 1]
        best = {row: ranking[row] for row in list(ranking)[:papers]}
        cited = [
            [
                each
                for each in sorted(plain.references(row, scope.year, scope.unseen))
                if visible(each) and (chosen.counted == "all" or each not in best)
            ]
            for row in best
        ]
        while len({each for some in cited for each in some}) > limit:
            next(
                some for some in reversed(cited) if some
            ).pop()  # one citation of the lowest-ranked that has any
        union = best | {each: number for some in cited for each in some if each not in best}
        ranking = {row: union[row] for row in sorted(union, key=lambda row: (-scores[row], row))}
    return ranking


WIDTHS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=3).map(
    lambda widths: "/".join(f"{papers}+{limit}" for papers, limit in widths)
)
CHOSEN = st.builds(
    Rounds,
    rounds=st.integers(1, 4),
    widths=WIDTHS,
    counted=st.sampled_from(["new", "all"]),
)


def assert_as_dictionaries(
    library: LibraryFolder, papers: list[Paper], chosen: Rounds, draw: Draw
) -> None:
    positions = range(len(papers))
    first = draw(st.lists(st.sampled_from(positions), max_size=12, unique=True))
    worth = draw(st.lists(st.integers(0, 5), min_size=1))  # many ties
    scores = {row: float(worth[row * 7 % len(worth)]) for row in positions}
    unseen = tuple(sorted(draw(st.sets(st.sampled_from(positions), max_size=2))))
    hidden = tuple(sorted({*unseen, *draw(st.sets(st.sampled_from(positions), max_size=2))}))
    scope = Scope(
        draw(st.none() | st.integers(1990, 2010)),
        draw(st.none() | st.integers(1980, 1991)),
        hidden,
        unseen,
    )
    expected = plain_navigation(PlainLibrary(papers), first, scores, chosen, scope)
    found = Navigation(library, Listed(library, first), Given(scores), chosen).retrieve(
        ANY, 99, scope
    )
    assert found.rows.tolist() == list(expected)
    assert found.signals["round"].tolist() == list(expected.values())
    assert found.scores.tolist() == [scores[row] for row in expected]


@pytest.mark.slow
@given(corpora(), CHOSEN, st.data())
@examples(30)
def test_graphs_against_dictionaries(
    papers: list[Paper], chosen: Rounds, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_as_dictionaries(stored(Path(folder) / "library", papers), papers, chosen, data.draw)


@pytest.mark.slow
@given(CHOSEN, st.data())
@examples(300)
def test_one_graph_against_dictionaries(
    many: LibraryFolder, chosen: Rounds, data: st.DataObject
) -> None:
    assert_as_dictionaries(many, MANY, chosen, data.draw)


# Contracts, over BM25


def over(library: LibraryFolder, **chosen: Any) -> Navigation:
    usual = Bm25Parameters()
    return Navigation(library, Bm25(library, usual), Bm25Ranker(library, usual), Rounds(**chosen))


QUERIES = st.builds(
    Query,
    title=st.sampled_from([paper.title for paper in MANY]),
    id=st.sampled_from(["", "p3", "p40", "unknown"]),
    year=st.none() | st.integers(1988, 2012),
    since=st.none() | st.integers(1980, 1988),
    cited=st.lists(st.sampled_from([paper.id for paper in MANY]), max_size=5).map(tuple),
    hidden=st.lists(st.sampled_from([paper.id for paper in MANY]), max_size=3).map(tuple),
)


@pytest.mark.slow
@given(
    query=QUERIES,
    chosen=CHOSEN | st.just(Rounds(rounds=0)),
    k=st.integers(1, 90),
    within=st.none() | st.sets(st.integers(0, len(MANY) - 1), max_size=40),
)
@examples(100)
def test_answers(
    many: LibraryFolder, query: Query, chosen: Rounds, k: int, within: set[int] | None
) -> None:
    scope = scope_of(many.papers, query, None if within is None else sorted(within))
    found = over(many, **dataclasses.asdict(chosen)).retrieve(query, k, scope)
    assert len(found) <= k
    assert np.unique(found.rows).size == len(found), "each once"
    assert many.papers.in_scope(found.rows, scope).all()
    assert (np.diff(found.scores) <= 0).all(), "best first"
    assert found.signals.keys() == {"bm25", "round"}
    assert (found.signals["bm25"] == found.scores).all()
    reached = found.signals["round"][~np.isnan(found.signals["round"])]
    assert set(reached.tolist()) <= set(range(chosen.rounds + 1))
    if within is None:
        assert reached.size == len(found)
    else:
        asked = np.array(sorted(within), np.int64)
        assert len(found) == min(k, int(many.papers.in_scope(asked, scope).sum()))
    again = over(many, **dataclasses.asdict(chosen)).retrieve(query, k, scope)
    assert (
        again.rows.tolist() == found.rows.tolist()
        and again.scores.tolist() == found.scores.tolist()
    )


@given(query=QUERIES, rows=st.lists(st.integers(0, len(MANY) - 1), unique=True))
@examples(50)
def test_the_ranker_neither_adds_nor_drops(
    many: LibraryFolder, query: Query, rows: list[int]
) -> None:
    given_rows = np.array(rows, np.int64)
    marks = given_rows.astype(np.float64) * 2
    ranking = Ranking(given_rows, marks, {"mark": marks})
    found = Bm25Ranker(many, Bm25Parameters()).rank(query, ranking, ranking, Scope())
    assert sorted(found.rows.tolist()) == sorted(rows)
    assert (found.signals["mark"] == found.rows * 2.0).all(), "signals stay with their papers"
    exact = Bm25(many, Bm25Parameters(reach=99)).retrieve(query, 90, Scope(within=tuple(rows)))
    assert found.rows[: len(exact)].tolist() == exact.rows.tolist()
    assert found.scores[: len(exact)] == pytest.approx(exact.scores)
    assert not found.scores[len(exact) :].any()


def test_words_that_no_paper_has_lead_nowhere(many: LibraryFolder) -> None:
    assert len(over(many, rounds=2).retrieve(Query("xyzzy"), 10, Scope())) == 0


def test_nothing_in_scope_of_a_library_of_several_segments(tmp_path: Path) -> None:
    stored(tmp_path / "library", random_papers(400, seed=1))
    library = stored(tmp_path / "library", random_papers(5, seed=2, first=400))
    assert len(library.segments) > 1
    assert not len(citewise.open(tmp_path / "library").recommend("neural graph", year=1900))
    assert len(over(library).retrieve(Query("neural graph"), 10, Scope(year=1900))) == 0


# Settings


def test_the_defaults_are_the_papers() -> None:
    assert [*Rounds(rounds=3).by_round()] == [(300, 700), (700, 300), (900, 100)]
    assert len([*Rounds().by_round()]) == 1, "one round has the best F1@20 and MRR"


def test_rounds_beyond_the_last_width_repeat_it() -> None:
    assert [*Rounds(rounds=4, widths="3+4/5+0").by_round()] == [
        (3, 4),
        (5, 0),
        (5, 0),
        (5, 0),
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rounds": -1}, "0 to 100 rounds, not -1"),
        ({"rounds": 1_000_000_000}, "0 to 100 rounds"),
        ({"widths": ""}, "widths are written"),
        ({"widths": "300"}, "widths are written"),
        ({"widths": "3+-1"}, "widths are written"),
        ({"widths": "3+1/"}, "widths are written"),
        ({"counted": "old"}, "new or all"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Rounds(**wrong)
