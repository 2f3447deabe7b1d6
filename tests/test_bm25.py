"""BM25 and BM25+: by hand, against rank_bm25, against loops over dictionaries, and end to end."""

import dataclasses
import functools
import math
from collections import Counter

import numpy as np
import pytest
from corpora import WORDS, random_papers
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from oracles import PlainLibrary, stems
from rank_bm25 import BM25Okapi, BM25Plus

import citewise
from citewise.errors import BadInput
from citewise.library.library import Library
from citewise.likeness import idf
from citewise.retrieve.bm25 import Bm25, Bm25Settings, bm25, key_terms
from citewise.types import Paper, Query, Scope

ANYWHERE = Scope()
USUAL = Bm25Settings()


def named(settings: Bm25Settings) -> str:
    return f"k1={settings.k1},b={settings.b},delta={settings.delta}"


PAPERS = random_papers(300, seed=7, words=[*WORDS * 30, *(f"rare{number}" for number in range(60))])
SETTINGS = [Bm25Settings(), Bm25Settings(k1=0.0), Bm25Settings(k1=0.9, b=0.4), Bm25Settings(k1=2.0, b=0.0),
            Bm25Settings(k1=3.0, b=1.0), Bm25Settings(delta=1.0), Bm25Settings(k1=0.9, b=1.0, delta=0.5)]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("bm25") / "library"
    citewise.add(PAPERS, folder)
    return citewise.open(folder).library


@pytest.fixture(scope="module")
def plain() -> PlainLibrary:
    library = PlainLibrary(PAPERS)
    library.counts = functools.cache(library.counts)
    return library


def test_by_hand() -> None:
    # Three papers over the terms (bee, dance), k1 = 1.2, b = 0.75:
    #   A: bee bee dance   length 3       B: bee   length 1       C: (neither)   length 2      mean length 2
    # idf(bee) = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6      idf(dance) = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln 8/3
    # norm(A) = 1.2 (0.25 + 0.75 * 3/2) = 1.65                     norm(B) = 1.2 (0.25 + 0.75 * 1/2) = 0.75
    # A = ln 1.6 * 2 * 2.2 / (2 + 1.65) + ln 8/3 * 2.2 / (1 + 1.65) = 0.5666 + 0.8143 = 1.3808
    # B = ln 1.6 * 2.2 / 1.75 = 0.5909
    counts, lengths = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([3, 1, 2])
    weights = idf(np.array([2, 1]), 3)
    assert weights == pytest.approx([math.log(1.6), math.log(8 / 3)])
    assert bm25(counts, lengths, 2.0, weights, Bm25Settings(k1=1.2)) == pytest.approx([1.3808, 0.5909, 0], abs=1e-4)
    # BM25+ with delta = 1 adds the idf of each term that matches: A + ln 1.6 + ln 8/3, B + ln 1.6, and nothing to C
    assert bm25(counts, lengths, 2.0, weights, Bm25Settings(k1=1.2, delta=1.0)) == pytest.approx(
        [1.3808 + 0.4700 + 0.9808, 0.5909 + 0.4700, 0], abs=1e-4)


@pytest.mark.parametrize("settings", [each for each in SETTINGS if each.k1], ids=named)  # there 0 / 0 where k1 is 0
def test_against_rank_bm25(settings: Bm25Settings) -> None:
    texts = [stems(f"{paper.title} {paper.abstract}") for paper in PAPERS]
    query = ["bee", "citat", "rank", "rare7", "bee", "absent"]
    kind = BM25Plus if settings.delta else BM25Okapi
    rival = kind(texts, k1=settings.k1, b=settings.b, **({"delta": settings.delta} if settings.delta else {}))
    frequencies = {word: sum(word in text for text in texts) for word in query}
    rival.idf = {word: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in frequencies.items() if n}
    expected = rival.get_scores(query)
    if settings.delta:  # rank_bm25 adds delta to every paper; we, as Lv and Zhai define it, to those that match
        expected -= [sum(settings.delta * rival.idf.get(word, 0) for word in query if word not in text)
                     for text in texts]
    terms = [word for word in dict.fromkeys(query) if frequencies[word]]
    counts = np.array([[float(text.count(word)) for word in terms] for text in texts])
    weights = idf(np.array([frequencies[word] for word in terms]), len(texts)) * [query.count(word) for word in terms]
    lengths = np.array([len(text) for text in texts])
    assert bm25(counts, lengths, float(lengths.mean()), weights, settings) == pytest.approx(expected)


@given(arrays.arrays(np.float64, (4, 3), elements=st.integers(0, 20).map(float)), st.floats(0, 5), st.floats(0, 1))
def test_more_is_better_and_nothing_is_nothing(counts: np.ndarray, k1: float, b: float) -> None:
    lengths, weights, settings = counts.sum(1).astype(np.int64), np.array([0.5, 1.0, 2.0]), Bm25Settings(k1, b)
    scores = bm25(counts, lengths, 10.0, weights, settings)
    assert (scores >= 0).all() and ((scores > 0) == (counts.sum(1) > 0)).all()
    more = bm25(counts + (counts > 0), lengths, 10.0, weights, settings)
    assert (more >= scores - 1e-12).all()


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_idf_is_never_negative(papers: int, frequency: int) -> None:
    assert idf(np.array([min(papers, frequency)]), papers)[0] > 0


@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_scores_are_exact_for_any_settings(held: Library, plain: PlainLibrary, settings: Bm25Settings) -> None:
    query = Query("Citation ranking with rare3 bees", "ranking swarm rare17 unknownword " * 3)
    expected = plain.bm25(Counter(stems(f"{query.title} {query.abstract}")), settings.k1, settings.b, settings.delta)
    found = Bm25(held, settings).retrieve(query, 300, ANYWHERE)
    assert set(found.rows.tolist()) == set(expected)
    assert found.scores == pytest.approx([expected[row] for row in found.rows.tolist()])
    assert found.signals["bm25"] is not None and (found.signals["bm25"] == found.scores).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("settings", SETTINGS, ids=named)
def test_the_best_are_the_best(held: Library, plain: PlainLibrary, settings: Bm25Settings, seed: int) -> None:
    query = random_papers(1, seed=1000 + seed)[0]
    reaching = dataclasses.replace(settings, reach=30.0)  # 10 * 30: every paper of the library is a candidate
    found = Bm25(held, reaching).retrieve(Query(query.title, query.abstract), 10, ANYWHERE)
    scores = plain.bm25(Counter(stems(f"{query.title} {query.abstract}")), settings.k1, settings.b, settings.delta)
    best = sorted(scores, key=lambda place: (-round(scores[place], 9), place))[:10]
    assert found.scores == pytest.approx([scores[place] for place in best])
    if len({round(score, 6) for score in scores.values()}) == len(scores):
        assert found.rows.tolist() == best


@pytest.mark.parametrize("k", [1, 3, 10, 50, 100])
def test_the_usual_reach_finds_the_best(held: Library, plain: PlainLibrary, k: int) -> None:
    for seed in range(10):
        query = random_papers(1, seed=2000 + seed)[0]
        scores = plain.bm25(Counter(stems(f"{query.title} {query.abstract}")), USUAL.k1, USUAL.b)
        found = Bm25(held, Bm25Settings()).retrieve(Query(query.title, query.abstract), k, ANYWHERE)
        missed = len(set(sorted(scores, key=lambda place: -scores[place])[:k]) - {*found.rows.tolist()})
        assert missed <= k // 10, "tantivy rounds lengths: a paper at the edge may be missed, no more"


def test_the_form_title_reads_the_title_alone(held: Library) -> None:
    whole = Bm25(held, Bm25Settings())
    title = Bm25(held, Bm25Settings(form="title"))
    query = Query("quantum clocks", "protein folding networks")
    assert _same(title.retrieve(query, 300, ANYWHERE), whole.retrieve(Query("quantum clocks"), 300, ANYWHERE))
    abstract = Query("", "protein")
    assert _same(title.retrieve(abstract, 300, ANYWHERE), whole.retrieve(abstract, 300, ANYWHERE))


def test_the_form_keyterms_reads_the_most_telling_terms(held: Library) -> None:
    query = Query("bees bees rare5", "citation ranking rare9 rare9")
    found = Bm25(held, Bm25Settings(form="keyterms", keyterms=2)).retrieve(query, 300, ANYWHERE)
    assert _same(found, Bm25(held, Bm25Settings()).retrieve(Query("rare5 rare9 rare9"), 300, ANYWHERE))
    every = Bm25(held, Bm25Settings(form="keyterms", keyterms=50)).retrieve(query, 300, ANYWHERE)
    assert _same(every, Bm25(held, Bm25Settings()).retrieve(query, 300, ANYWHERE))


def test_key_terms_by_hand() -> None:
    # Bo1 (Amati 2003) with rate = n/N: tf log2((1 + rate)/rate) + log2(1 + rate), N = 100.
    #   tf 1, n 1:  log2(101) + log2(1.01) = 6.672        tf 2, n 50: 2 log2(3) + log2(1.5) = 3.755
    #   tf 1, n 50: log2(3) + log2(1.5) = 2.170           tf 3, n 50: 3 log2(3) + log2(1.5) = 5.340
    places = key_terms(np.array([1, 2, 1, 3]), np.array([1, 50, 50, 50]), 100, 2)
    assert places.tolist() == [0, 3]
    assert key_terms(np.array([1, 1, 1]), np.array([5, 5, 5]), 100, 2).tolist() == [0, 1], "ties go to the first"


def test_common_terms_score_but_fetch_nothing(held: Library, plain: PlainLibrary) -> None:
    found = Bm25(held, Bm25Settings(common=0.1)).retrieve(Query("bees rare11"), 300, ANYWHERE)
    scores = plain.bm25(Counter(["bee", "rare11"]), USUAL.k1, USUAL.b)
    having = [place for place in scores if "rare11" in plain.counts(place, "text")]
    assert set(found.rows.tolist()) == set(having)
    assert found.scores == pytest.approx([scores[row] for row in found.rows.tolist()])
    assert len(Bm25(held, Bm25Settings(common=0.001)).retrieve(Query("bees"), 300, ANYWHERE)), "unless all are common"


def test_equal_scores_stand_in_the_order_of_rows(tmp_path) -> None:
    papers = [Paper(f"p{number}", "Bees dance") for number in range(40)]
    citewise.add(papers, tmp_path / "library")
    answers = citewise.open(tmp_path / "library").recommend("bees", k=40)
    assert [answer.paper.id for answer in answers] == [paper.id for paper in papers]


def test_the_same_query_gives_the_same_answer(held: Library, tmp_path) -> None:
    query = Query("Sparse and dense retrieval", "ranking citations")
    first = Bm25(held, Bm25Settings()).retrieve(query, 50, ANYWHERE)
    assert _same(first, Bm25(Library(held.path), Bm25Settings()).retrieve(query, 50, ANYWHERE))
    citewise.add(PAPERS, tmp_path / "again")
    assert _same(first, Bm25(Library(tmp_path / "again"), Bm25Settings()).retrieve(query, 50, ANYWHERE))


@pytest.mark.parametrize("wrong", [{"k1": -1}, {"b": 1.5}, {"b": -0.1}, {"delta": -1}, {"form": "abstract"},
                                   {"keyterms": 0}, {"reach": 0.5}, {"common": 0}, {"common": 1.5}, {"k1": math.nan},
                                   {"k1": math.inf}, {"delta": math.nan}, {"reach": math.inf}, {"reach": math.nan}])
def test_settings_without_meaning_are_refused(wrong: dict) -> None:
    with pytest.raises(BadInput):
        Bm25Settings(**wrong)


def _same(one, other) -> bool:
    return one.rows.tolist() == other.rows.tolist() and np.allclose(one.scores, other.scores)
