"""Pools: one worked out by hand, what holds for all, files, and scores that another program
computes as well.
"""

import dataclasses
import random
from collections.abc import Mapping
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, R

import citewise
from citewise.api import Library
from citewise.errors import BadInput, MissingData
from citewise.evaluate import (
    Estimate,
    Fields,
    Pool,
    Pools,
    PoolSettings,
    Settings,
    Split,
    SplitSettings,
    build_pools,
    parse_measures,
    score_pools,
)
from citewise.evaluate.pool_building import choose, draw_questions
from citewise.evaluate.pool_scores import completed, score_runs
from citewise.evaluate.runs import Run
from citewise.evaluate.splits import Question
from citewise.types import Paper, Query, Ranking, Scope
from corpora import random_papers
from evaluate.planted_leaks import ASKED, CROWD, Neighbours, library_with, recommender_of
from evaluate.planted_leaks import SETTINGS as PLANTED
from properties import examples

# A pool worked out by hand


def paper(
    id: str, text: str, year: int | None, *references: str, field: str = "b", abstract: str = ""
) -> Paper:
    return Paper(
        id,
        f"{text} {text}ism",
        abstract or f"{text} again",
        year,
        references=references,
        fields=(field,),
    )


ASKED_HERE = Paper(
    "q",
    "Alpha beta gamma delta",
    "alpha beta gamma delta",
    2010,
    fields=("a",),
    references=("c1", "c2", "c3", "younger"),
)
TINY = (
    ASKED_HERE,
    Paper(
        "version",
        "Alpha beta gamma delta",
        "alpha beta",
        2009,
        references=("c1", "c2", "c3"),
        fields=("a",),
    ),
    paper("c1", "oak", 2005, "c2", "c3", "g1"),
    paper("c2", "elm", 2003, "g2"),
    paper("c3", "ash", 2002),
    paper("younger", "larch", 2011, abstract="alpha larch"),
    Paper("c1-preprint", "Oak oakism", "alpha oak", 2004, fields=("a",)),
    paper("g1", "fir", 2001),
    paper("g2", "yew", 2001),
    paper("g3", "fig", 2007, "c3"),
    paper("p", "box", 2008, "c1"),
    paper("same-year", "bay", 2010, "c1"),
    paper("future", "alpha", 2012, "c1", "late", "late2"),
    *(paper(f"m{number}", "alpha", 2006, abstract=f"alpha theme{number}") for number in range(3)),
    paper("m-without", "x", 2006, abstract=" "),
    *(paper(f"t{number}", f"topic{number}", 2000, field="a") for number in range(3)),
    paper("late", "dusk", 2009, field="a"),
    paper("other", "dawn", 2000, field="b"),
    *(
        paper(f"crowd{number}", f"crowd{number}", 2005, "t0", "t1", "t2", "other", field="c")
        for number in range(2)
    ),
    *(paper(f"newer{number}", f"newer{number}", 2010, "late", field="c") for number in range(5)),
    paper("undated", "alpha", None, field="a"),
)
HAND = PoolSettings(systems=("bm25",), cited=3, negatives=3, depth=6, queries=10)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("tiny") / "library"
    citewise.add(
        [
            each if each.id != "m-without" else Paper("m-without", "Alpha alphas", "", 2006)
            for each in TINY
        ],
        folder,
        keep_versions=True,
    )
    return citewise.open(folder)


def asked_in_2010(tiny: Library) -> list[Question]:
    split = Split.make(tiny.stores, SplitSettings(test=(2010, 2010), least=3))
    return split.questions(tiny.stores)


@pytest.fixture(scope="module")
def by_hand(tiny: Library) -> Pools:
    questions = asked_in_2010(tiny)
    assert [each.id for each in questions] == ["q"]
    return build_pools(tiny.stores, questions, HAND)


def test_cited_papers_are_those_that_can_be_found(by_hand: Pools) -> None:
    (pool,) = by_hand.pools
    assert (pool.id, pool.field, {*pool.cited}) == ("q", "a", {"c1", "c2", "c3"})
    assert pool.hidden == ("version",)


def test_negatives_of_a_system_are_among_its_best(by_hand: Pools) -> None:
    # alpha also stands in: the query, its version, a younger paper, one cited, one without a year
    # or abstract, and a
    # preprint of a paper that is cited
    assert {*by_hand.pools[0].negatives["bm25"]} == {"m0", "m1", "m2"}


def test_negatives_of_the_graph_come_in_the_order_of_overlap(by_hand: Pools) -> None:
    # c1 shares c2 and c3 of three with the query, and lies beside g1 and p; c2 shares c1, and lies
    # beside g2; c3, with
    # g3, comes behind it. What cites c1 in the query's year or later, or is a version of the query,
    # is not seen.
    assert {*by_hand.pools[0].negatives["graph"]} == {"g1", "p", "g2"}


def test_most_cited_negatives_are_of_the_field_and_of_the_day(by_hand: Pools) -> None:
    # `late` is cited five times, but not before 2010; `other` twice, but in another field
    assert {*by_hand.pools[0].negatives["most-cited"]} == {"t0", "t1", "t2"}


def test_random_negatives_are_all_that_is_left(by_hand: Pools) -> None:
    left = {
        "g3",
        "same-year",
        "late",
        "other",
        "crowd0",
        "crowd1",
        *(f"newer{number}" for number in range(5)),
    }
    found = by_hand.pools[0].negatives["random"]
    assert len(found) == 3 and {*found} <= left
    assert by_hand.shortages() == {}


def test_kinds_that_cannot_be_filled_are_counted(tiny: Library) -> None:
    questions = asked_in_2010(tiny)
    pools = build_pools(
        tiny.stores, questions, PoolSettings(systems=("bm25",), cited=4, negatives=5, depth=5)
    )
    assert pools.shortages() == {
        "cited": (1, 1),
        "bm25": (1, 2),
        "graph": (1, 1),
        "most-cited": (1, 2),
    }


def test_the_systems_with_the_least_in_common_are_chosen() -> None:
    # top negatives: a and b share 2 of 4, c shares 1 of 5 with each, d none with anybody
    tops = {"a": [1, 2, 3], "b": [2, 3, 4], "c": [3, 8, 9], "d": [5, 6, 7]}
    runs = [Run(name, (np.array([0, *rows]),)) for name, rows in tops.items()]
    question = Question("q", Query("q"), gold=(0,))
    chosen, means = choose(runs, [question], PoolSettings(models=2, depth=4))
    assert means == pytest.approx(
        {"a": (2 / 4 + 1 / 5) / 3, "b": (2 / 4 + 1 / 5) / 3, "c": (1 / 5 + 1 / 5) / 3, "d": 0.0}
    )
    assert [run.system for run in chosen] == ["c", "d"]


# What holds for all pools


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    dice = random.Random(1)
    papers = [
        Paper(
            each.id,
            each.title,
            each.abstract,
            each.year,
            references=each.references,
            fields=tuple(dice.sample(["red", "green", "blue"], dice.randint(0, 2))),
        )
        for each in random_papers(150, seed=11, references=8)
    ]
    folder = tmp_path_factory.mktemp("pools") / "library"
    citewise.add(papers, folder, keep_versions=True)
    return citewise.open(folder)


@pytest.fixture(scope="module")
def stored_papers(library: Library) -> dict[str, Paper]:
    """The papers of the library by id, read once: a test looks up thousands."""
    papers = library.stores.papers
    return {each.id: each for each in papers.read(papers.rows)}


@pytest.fixture(scope="module")
def questions(library: Library) -> list[Question]:
    return Split.make(
        library.stores, SplitSettings(test=(1998, 2009), least=2), parts=("test",)
    ).questions(library.stores)


SMALL = PoolSettings(systems=("bm25", "bm25-title"), cited=3, negatives=4, depth=20, queries=8)


@pytest.mark.slow
@examples(15)
@given(
    seed=st.integers(0, 1000),
    negatives=st.integers(1, 12),
    abstract=st.booleans(),
    newest=st.booleans(),
)
def test_what_holds_for_every_pool(
    library: Library,
    stored_papers: dict[str, Paper],
    questions: list[Question],
    seed: int,
    negatives: int,
    abstract: bool,
    newest: bool,
) -> None:
    chosen = PoolSettings(
        systems=("bm25", "bm25-title"),
        cited=3,
        negatives=negatives,
        depth=20,
        queries=8,
        seed=seed,
        abstract=abstract,
        newest=newest,
    )
    pools = build_pools(library.stores, questions, chosen)
    assert pools == build_pools(library.stores, questions, chosen), "the same seed, the same pools"
    assert len({pool.id for pool in pools.pools}) == len(pools.pools), "a query is asked once"
    for pool in pools.pools:
        asked = stored_papers[pool.id]
        wrong = [name for found in pool.negatives.values() for name in found]
        listed = [stored_papers[name] for name in (*pool.cited, *wrong)]
        assert len({*pool.cited, *wrong}) == len(pool.cited) + len(wrong), (
            "no paper is in a pool twice"
        )
        assert 1 <= len(pool.cited) <= 3 and {*pool.cited} <= {*asked.references}
        assert not {*wrong} & {*asked.references, asked.id, *pool.hidden}
        assert all(0 < (each.year or 0) <= (asked.year or 0) for each in listed)
        assert all(each.abstract for each in listed) or not abstract
        assert all(len(found) <= negatives for found in pool.negatives.values())
        assert pool.field in (asked.fields or ("none",))


def test_a_run_file_gives_negatives_and_is_scored(
    library: Library, questions: list[Question], tmp_path: Path
) -> None:
    asked, file = questions[:1], tmp_path / "other.run"
    dated = [
        paper.id
        for paper in library.stores.papers.read(library.stores.papers.rows)
        if paper.year and paper.abstract
    ]
    file.write_text(
        "".join(
            f"{asked[0].id} Q0 {name} 1 {100 - place} other\n"
            for place, name in enumerate(["unknown", *dated[:40]])
        )
    )
    system = f"run:{file}"
    pools = build_pools(library.stores, asked, PoolSettings(systems=(system,)))
    assert {*pools.pools[0].negatives[system]} <= {*dated[:40]}
    (found,) = score_pools(library.stores, [system], pools).systems
    assert found.milliseconds is None and found.unscored > 0


@pytest.mark.slow
def test_another_seed_draws_other_pools(library: Library, questions: list[Question]) -> None:
    one, other = (
        build_pools(library.stores, questions, PoolSettings(seed=seed, depth=20)) for seed in (0, 1)
    )
    assert one.pools != other.pools


def test_newest_papers_come_first(library: Library, questions: list[Question]) -> None:
    drawn = draw_questions(
        library.stores,
        questions,
        Fields({"all": ("red", "green", "blue")}),
        PoolSettings(queries=5, newest=True),
    )
    in_a_field = [each for each in questions if library[each.id].fields]
    free = sorted((each.query.year or 0 for each in in_a_field), reverse=True)
    assert sorted((each.query.year or 0 for _, each in drawn), reverse=True) == free[:5]


def test_groups_are_of_labels_and_venues_in_any_case() -> None:
    papers = [
        Paper("1", "", fields=("cs.CL",)),
        Paper("2", "", venue="ACL"),
        Paper("3", "", fields=("cs.CV",)),
        Paper("4", "", venue="Nature"),
    ]
    groups = Fields({"language": ("CS.cl", "acl"), "pictures": ("cs.CV", "cs.CL")})
    assert groups.of(papers) == [("language", "pictures"), ("language",), ("pictures",), ()]
    assert Fields({}).of(papers) == [("cs.CL",), ("none",), ("cs.CV",), ("none",)]


def test_unguarded_questions_are_refused(library: Library) -> None:
    split = Split.make(library.stores, SplitSettings(test=(2000, 2009)), parts=("test",))
    with pytest.raises(BadInput, match="guarded"):
        build_pools(library.stores, split.questions(library.stores, guard=False), SMALL)


def test_without_a_field_there_is_no_pool(library: Library, questions: list[Question]) -> None:
    with pytest.raises(BadInput, match="no question is in a field"):
        build_pools(library.stores, questions, SMALL, Fields({"yellow": ("yellow",)}))


# Files


def test_a_file_loads_back_and_knows_its_library(
    library: Library, questions: list[Question], tiny: Library, tmp_path: Path
) -> None:
    groups = Fields({"warm": ("red",), "cold": ("green", "blue")})
    pools = build_pools(library.stores, questions, SMALL, groups)
    pools.save(tmp_path / "pools.jsonl")
    loaded = Pools.load(tmp_path / "pools.jsonl")
    assert (loaded.pools, loaded.settings, loaded.library, loaded.overlaps) == (
        pools.pools,
        SMALL,
        library.stores.info.fingerprint,
        pools.overlaps,
    )
    assert loaded.fields is not None
    assert {name: tuple(labels) for name, labels in loaded.fields.items()} == groups.groups
    with pytest.raises(BadInput, match="build them again"):
        loaded.resolve(tiny.stores)
    assert not loaded.resolve(tiny.stores, stale=True).pools


@pytest.mark.parametrize("content", ["", "{}", '{"library": "x"}', "not json"])
def test_what_is_no_file_of_pools_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "pools.jsonl").write_text(content)
    with pytest.raises(BadInput, match="not a file of pools"):
        Pools.load(tmp_path / "pools.jsonl")
    with pytest.raises(MissingData, match="citewise pools build"):
        Pools.load(tmp_path / "missing.jsonl")


# Scores


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bm25", "bm25-title"])
def test_scores_are_those_of_ir_measures(
    library: Library, questions: list[Question], system: str
) -> None:
    pools = build_pools(library.stores, questions, SMALL)
    resolved = pools.resolve(library.stores)
    (found,) = score_pools(library.stores, [system], pools).systems
    recommender = library.recommender(system)
    run = {}
    for place, pool in enumerate(resolved.pools):
        ranking = recommender.rank(pool.question.query, 100, pool.question.within)
        order = completed(Run(system, (ranking.rows,), (ranking.scores,)), 0, pool)
        run[f"{place}"] = {f"{row}": 1.0 / rank for rank, row in enumerate(order.tolist(), 1)}
    assert found.fields.keys() == {pool.field for pool in pools.pools}
    for field, values in found.fields.items():
        assert_same(
            values,
            {
                f"{place}": pool.question.gold
                for place, pool in enumerate(resolved.pools)
                if pool.field == field
            },
            run,
        )
    fields = [values["MAP@1000"].value for values in found.fields.values()]
    assert found.average["MAP@1000"].value == pytest.approx(np.mean(fields), abs=1e-9)
    assert (
        found.average["MAP@1000"].low
        <= found.average["MAP@1000"].value
        <= found.average["MAP@1000"].high
    )
    for kind in pools.kinds:
        of_kind = {
            f"{place}": {*map(str, (*pool.question.gold, *pool.negatives[kind].tolist()))}
            for place, pool in enumerate(resolved.pools)
            if pool.negatives[kind].size
        }
        part = {
            name: {row: score for row, score in run[name].items() if row in kept}
            for name, kept in of_kind.items()
        }
        by_field = [
            aggregate(
                {
                    f"{place}": pool.question.gold
                    for place, pool in enumerate(resolved.pools)
                    if pool.field == field and f"{place}" in part
                },
                part,
            )
            for field in found.fields
        ]
        assert found.kinds[kind]["MAP@1000"].value == pytest.approx(
            np.mean([each[AP] for each in by_field]), abs=1e-9
        )
        assert found.kinds[kind]["R@5"].value == pytest.approx(
            np.mean([each[R @ 5] for each in by_field]), abs=1e-9
        )


def aggregate(
    gold: dict[str, tuple[int, ...]], run: dict[str, dict[str, float]]
) -> dict[ir_measures.measures.Measure, float]:
    judgements = {name: {f"{row}": 1 for row in rows} for name, rows in gold.items()}
    return ir_measures.calc_aggregate(
        [AP, R @ 5], judgements, {name: run[name] for name in judgements}
    )


def assert_same(
    values: Mapping[str, Estimate],
    gold: dict[str, tuple[int, ...]],
    run: dict[str, dict[str, float]],
) -> None:
    expected = aggregate(gold, run)
    assert values["MAP@1000"].value == pytest.approx(expected[AP], abs=1e-9)
    assert values["R@5"].value == pytest.approx(expected[R @ 5], abs=1e-9)


def test_what_gets_no_score_stands_last_and_is_counted(tiny: Library, by_hand: Pools) -> None:
    results = score_pools(tiny.stores, ["bm25"], by_hand)
    (found,) = results.systems
    # only m0, m1 and m2 share a term with the query; twelve papers do not, three of them cited
    assert (results.papers, found.unscored) == (15, 12)
    (pool,) = by_hand.resolve(tiny.stores).pools
    ranking = tiny.recommender("bm25").rank(pool.question.query, 100, pool.question.within)
    order = completed(Run("bm25", (ranking.rows,), (ranking.scores,)), 0, pool)
    assert sorted(order.tolist()) == sorted(pool.rows.tolist()), "none is lost"
    assert {paper.id for paper in tiny.stores.papers.read(order[:3])} == {"m0", "m1", "m2"}
    assert found.average["MAP@1000"].value > 0, "the cited papers count at their ranks"
    assert found.kinds["bm25"]["R@5"].value == pytest.approx(2 / 3)


def test_equal_scores_are_ordered_by_what_knows_no_truth(tiny: Library, by_hand: Pools) -> None:
    (pool,) = by_hand.resolve(tiny.stores).pools
    size = pool.rows.size
    empty = Run("none", (np.zeros(0, np.int64),), (np.zeros(0),))
    equal = Run("equal", (pool.rows[::-1],), (np.ones(size),))
    assert completed(empty, 0, pool).tolist() == completed(equal, 0, pool).tolist()
    assert completed(empty, 0, pool).tolist() != completed(empty, 0, pool, seed=1).tolist()
    listed = Run("file", (pool.rows[::-1],))
    assert completed(listed, 0, pool).tolist() == pool.rows[::-1].tolist(), (
        "the order of a run file stays"
    )


@pytest.mark.slow
def test_guessing_is_worth_what_chance_is(library: Library, questions: list[Question]) -> None:
    pools = build_pools(library.stores, questions, PoolSettings(depth=20, queries=100)).resolve(
        library.stores
    )
    none = Run(
        "none", (np.zeros(0, np.int64),) * len(pools.pools), (np.zeros(0),) * len(pools.pools)
    )
    found = (
        score_runs(library.stores, [none], pools, Settings(parse_measures("R@5")))
        .systems[0]
        .average["R@5"]
    )
    chance = np.mean([5 / pool.rows.size for pool in pools.pools])
    assert found.low - 0.03 <= chance <= found.high + 0.03


class Everywhere(Neighbours):
    """Looks for neighbours in the whole library, and ranks those of the pool."""

    def retrieve(self, query: Query, k: int, scope: Scope) -> Ranking:
        found = super().retrieve(query, 1000, dataclasses.replace(scope, within=None))
        in_pool = np.isin(found.rows, np.array(scope.within or ()))
        return found.take(np.flatnonzero(in_pool)[:k])


def test_a_planted_leak_gives_the_pool_away_only_with_the_guard_off(tmp_path: Path) -> None:
    later = Paper(
        "survey",
        "Honey bees dance a survey of nights",
        "bees dance",
        2011,
        references=ASKED.references,
    )
    stores = library_with(
        tmp_path,
        later,
        Paper("copy", ASKED.title, ASKED.abstract, 2009, references=ASKED.references),
    )
    questions = [
        each for each in Split.make(stores, PLANTED).questions(stores) if each.id == "asked"
    ]
    pools = build_pools(stores, questions, PoolSettings(abstract=False))
    names = {name for found in pools.pools[0].negatives.values() for name in found}
    assert pools.pools[0].hidden == ("copy",) and names <= {paper.id for paper in CROWD}
    (pool,) = pools.resolve(stores).pools
    eager = recommender_of(stores, Everywhere(stores))

    def first_five(query: Query) -> set[int]:
        return {*eager.rank(query, 5, pool.question.within).rows.tolist()}

    assert first_five(Query(ASKED.title, ASKED.abstract)) == {*pool.question.gold}, (
        "the leak, with the guard off"
    )
    assert not first_five(pool.question.query) & {*pool.question.gold}


def test_papers_that_are_absent_or_unseen_are_left_out_and_counted(tiny: Library) -> None:
    pools = Pools(
        (
            Pool(
                id="q",
                field="a",
                cited=("c1", "younger", "gone"),
                negatives={"random": ("m0", "version", "lost", "c1")},
            ),
            Pool(id="nobody", field="a", cited=("c1",), negatives={"random": ("m0",)}),
        ),
        library="made for an earlier state of it",
    )
    found = pools.resolve(tiny.stores, stale=True)
    (pool,) = found.pools
    assert (found.absent_queries, found.absent, found.unseen) == (1, 2, 2)
    assert pool.question.query.hidden == ("version",), (
        "versions are looked for again in a library that has changed"
    )
    assert {*pool.names} == {"c1", "m0"}
    assert [tiny.stores.papers.read(rows)[0].id for rows in pool.negatives.values()] == ["m0"]

    published = dataclasses.replace(pools, library="").resolve(tiny.stores)
    (pool,) = published.pools
    assert (published.absent_queries, published.absent, published.unseen) == (1, 2, 0)
    assert {*pool.names} == {"c1", "younger", "m0", "version"}, "as they are"
    assert len(pool.question.gold) == 2
    assert pool.question.query.hidden == ("version",), "no citation of a version is seen"
