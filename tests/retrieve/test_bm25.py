"""Retrieval by BM25 and BM25+: against loops over dictionaries, and end to end."""

import dataclasses
import functools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import citewise
from citewise.api import open_stores
from citewise.errors import BadInput
from citewise.memory import MemoryStores
from citewise.protocols import Stores, TermStatistics
from citewise.retrieve.bm25 import Bm25, Bm25Parameters
from citewise.retrieve.key_terms import FieldKeyTerms, key_terms
from citewise.types import Paper, Query, Ranking, Scope
from corpora import WORDS, random_papers
from oracles import PlainLibrary, stems

ANYWHERE = Scope()
USUAL = Bm25Parameters()


def named(parameters: Bm25Parameters) -> str:
    return f"k1={parameters.k1},b={parameters.b},delta={parameters.delta}"


PAPERS = random_papers(300, seed=7, words=[*WORDS * 30, *(f"rare{number}" for number in range(60))])
PARAMETERS = [
    Bm25Parameters(),
    Bm25Parameters(k1=0.0),
    Bm25Parameters(k1=0.9, b=0.4),
    Bm25Parameters(k1=2.0, b=0.0),
    Bm25Parameters(k1=3.0, b=1.0),
    Bm25Parameters(delta=1.0),
    Bm25Parameters(k1=0.9, b=1.0, delta=0.5),
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("bm25") / "library"
    citewise.add(PAPERS, folder)
    return open_stores(folder)


class Remembering(PlainLibrary):
    """The oracle, which analyses each text once."""

    def __init__(self) -> None:
        super().__init__(PAPERS)
        self._remembered = functools.cache(super().counts)

    def counts(self, place: int, field: str) -> Counter[str]:
        return self._remembered(place, field)


@pytest.fixture(scope="module")
def plain() -> PlainLibrary:
    return Remembering()


def expected_scores(
    plain: PlainLibrary, query: Query, parameters: Bm25Parameters = USUAL
) -> dict[int, float]:
    terms = Counter(stems(f"{query.title} {query.abstract}"))
    return plain.bm25(terms, parameters.k1, parameters.b, parameters.delta)


def random_query(seed: int) -> Query:
    paper = random_papers(1, seed)[0]
    return Query(paper.title, paper.abstract)


def retrieved(stores: Stores, query: Query, k: int = 300, **changed: Any) -> Ranking:
    return Bm25(stores, Bm25Parameters(**changed)).retrieve(query, k, ANYWHERE)


def same(one: Ranking, other: Ranking) -> bool:
    return one.rows.tolist() == other.rows.tolist() and np.allclose(one.scores, other.scores)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=named)
def test_scores_are_exact_for_any_parameters(
    stores: Stores, plain: PlainLibrary, parameters: Bm25Parameters
) -> None:
    query = Query("Citation ranking with rare3 bees", "ranking swarm rare17 unknownword " * 3)
    expected = expected_scores(plain, query, parameters)
    found = Bm25(stores, parameters).retrieve(query, 300, ANYWHERE)
    assert set(found.rows.tolist()) == set(expected)
    assert found.scores == pytest.approx([expected[row] for row in found.rows.tolist()])
    assert found.signals["bm25"] is not None and (found.signals["bm25"] == found.scores).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("parameters", PARAMETERS, ids=named)
def test_the_best_are_the_best(
    stores: Stores, plain: PlainLibrary, parameters: Bm25Parameters, seed: int
) -> None:
    query = random_query(1000 + seed)
    # 10 * 30: every paper of the library is a candidate
    reaching = dataclasses.replace(parameters, reach=30.0)
    found = Bm25(stores, reaching).retrieve(query, 10, ANYWHERE)

    scores = expected_scores(plain, query, parameters)
    best = sorted(scores, key=lambda row: (-round(scores[row], 9), row))[:10]
    assert found.scores == pytest.approx([scores[row] for row in best])
    if len({round(score, 6) for score in scores.values()}) == len(scores):
        assert found.rows.tolist() == best


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3, 10, 50, 100])
def test_the_usual_reach_finds_the_best(stores: Stores, plain: PlainLibrary, k: int) -> None:
    for seed in range(10):
        query = random_query(2000 + seed)
        scores = expected_scores(plain, query)
        best = sorted(scores, key=lambda row: -scores[row])[:k]

        missed = set(best) - {*retrieved(stores, query, k).rows.tolist()}
        assert len(missed) <= k // 10, (
            "tantivy rounds lengths: a paper at the edge may be missed, no more"
        )


def test_the_form_title_reads_the_title_alone(stores: Stores) -> None:
    query = Query("quantum clocks", "protein folding networks")
    title = retrieved(stores, query, form="title")
    assert same(title, retrieved(stores, Query("quantum clocks")))
    abstract = Query("", "protein")
    assert same(retrieved(stores, abstract, form="title"), retrieved(stores, abstract))


def test_the_form_keyterms_reads_the_most_telling_terms(stores: Stores) -> None:
    query = Query("bees bees rare5", "citation ranking rare9 rare9")
    two = retrieved(stores, query, form="keyterms", keyterms=2)
    assert same(two, retrieved(stores, Query("rare5 rare9 rare9")))
    every = retrieved(stores, query, form="keyterms", keyterms=50)
    assert same(every, retrieved(stores, query))


def test_key_terms_by_hand() -> None:
    # Bo1 (Amati 2003) with rate = n/N: tf log2((1 + rate)/rate) + log2(1 + rate), N = 100.
    #   tf 1, n 1:  log2(101) + log2(1.01) = 6.672        tf 2, n 50: 2 log2(3) + log2(1.5) = 3.755
    #   tf 1, n 50: log2(3) + log2(1.5) = 2.170           tf 3, n 50: 3 log2(3) + log2(1.5) = 5.340
    known = TermStatistics(100, np.array([1, 50, 50, 50]), 1.0)
    assert key_terms(np.array([1, 2, 1, 3]), known, 2).tolist() == [0, 3]
    equal = TermStatistics(100, np.array([5, 5, 5]), 1.0)
    assert key_terms(np.array([1, 1, 1]), equal, 2).tolist() == [0, 1], "ties go to the first"


def test_key_terms_of_citeomatic_are_those_of_whoosh() -> None:
    """Whoosh 2.7.4 (`key_terms_from_text`, Bo1, StemmingAnalyzer) on the same four papers gives
    danc, melt and bee for the title, and heat, melt, sleep, summer and comb for the abstract.
    "sand" is in fewer papers than "combs", but occurs more often. "wax" is in no title.
    """
    papers = [
        Paper("1", "Bees dance", "bees dance on wax wax wax"),
        Paper("2", "Bees sleep", "bees sleep in wax combs while ants dig"),
        Paper("3", "Ants dig", "ants dig sand and sand and sand near combs"),
        Paper("4", "Combs melt", "wax combs melt in summer heat near sand"),
    ]
    stores = MemoryStores.of(papers)
    query = Query("Melting wax: bees dance", "sand and combs, heat and melt, sleep and summer")

    terms, counts = FieldKeyTerms(stores).of(query)
    found = dict(zip(stores.terms.words(terms), counts.tolist(), strict=True))
    assert found == {"danc": 1, "melt": 2, "bee": 1, "heat": 1, "sleep": 1, "summer": 1, "comb": 1}

    by_system = retrieved(stores, query, form="keyterms", preset="citeomatic")
    assert same(by_system, retrieved(stores, Query("dance melt melt bees heat sleep summer combs")))
    assert not len(retrieved(stores, Query("xyzzy"), form="keyterms", preset="citeomatic"))


def test_common_terms_score_but_fetch_nothing(stores: Stores, plain: PlainLibrary) -> None:
    found = retrieved(stores, Query("bees rare11"), common=0.1)
    scores = plain.bm25(Counter(["bee", "rare11"]), USUAL.k1, USUAL.b)
    having = [row for row in scores if "rare11" in plain.counts(row, "text")]
    assert set(found.rows.tolist()) == set(having)
    assert found.scores == pytest.approx([scores[row] for row in found.rows.tolist()])
    assert len(retrieved(stores, Query("bees"), common=0.001)), "unless all are common"


def test_equal_scores_are_in_the_order_of_rows(tmp_path: Path) -> None:
    papers = [Paper(f"p{number}", "Bees dance") for number in range(40)]
    citewise.add(papers, tmp_path / "library")
    answer = citewise.open(tmp_path / "library").recommend("bees", k=40)
    assert [each.paper.id for each in answer] == [paper.id for paper in papers]


def test_the_same_query_gives_the_same_answer(stores: Stores, tmp_path: Path) -> None:
    query = Query("Sparse and dense retrieval", "ranking citations")
    first = retrieved(stores, query, 50)
    assert same(first, retrieved(open_stores(stores.info.location), query, 50))
    citewise.add(PAPERS, tmp_path / "again")
    assert same(first, retrieved(open_stores(tmp_path / "again"), query, 50))


@pytest.mark.parametrize(
    "wrong",
    [
        {"k1": -1},
        {"b": 1.5},
        {"b": -0.1},
        {"delta": -1},
        {"form": "abstract"},
        {"keyterms": 0},
        {"preset": "whoosh"},
        {"reach": 0.5},
        {"common": 0},
        {"common": 1.5},
        {"k1": math.nan},
        {"k1": math.inf},
        {"delta": math.nan},
        {"reach": math.inf},
        {"reach": math.nan},
    ],
)
def test_parameters_without_meaning_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        Bm25Parameters(**wrong)
