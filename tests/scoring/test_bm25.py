"""The formulas of BM25 and BM25+: by hand, and against rank_bm25."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi, BM25Plus

from citewise.arrays import Column
from citewise.protocols import TermStatistics
from citewise.retrieve.bm25 import Bm25Parameters
from citewise.scoring.bm25 import idf, length_norm, saturation
from corpora import WORDS, random_papers
from oracles import stems

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


def named(parameters: Bm25Parameters) -> str:
    return f"k1={parameters.k1},b={parameters.b},delta={parameters.delta}"


def idf_of(documents: int, *frequencies: int) -> Column:
    """Return the idf of terms with these document frequencies."""
    return idf(TermStatistics(documents, np.array(frequencies), 1.0))


def scores(
    counts: NDArray[np.float64], lengths: Column, weights: Column, parameters: Bm25Parameters
) -> Column:
    """Return the score of each document by the three factors of a term's score."""
    norm = length_norm(lengths / lengths.mean(), parameters.k1, parameters.b)
    parts = saturation(counts, norm[:, None], parameters.k1) + parameters.delta * (counts > 0)
    return np.asarray((parts * weights).sum(1), np.float64)


def test_by_hand() -> None:
    # Three papers over the terms (bee, dance), k1 = 1.2, b = 0.75, mean length 2:
    #   A: bee bee dance, length 3     B: bee, length 1     C: neither, length 2
    # idf(bee) = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6
    # idf(dance) = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln 8/3
    # norm(A) = 1.2 (0.25 + 0.75 * 3/2) = 1.65, norm(B) = 1.2 (0.25 + 0.75 * 1/2) = 0.75
    # A = ln 1.6 * 2 * 2.2 / (2 + 1.65) + ln 8/3 * 2.2 / (1 + 1.65) = 0.5666 + 0.8143 = 1.3808
    # B = ln 1.6 * 2.2 / 1.75 = 0.5909
    counts, lengths = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([3.0, 1.0, 2.0])
    weights = idf_of(3, 2, 1)
    assert weights == pytest.approx([math.log(1.6), math.log(8 / 3)])
    assert length_norm(lengths / 2, 1.2) == pytest.approx([1.65, 0.75, 1.2])

    found = scores(counts, lengths, weights, Bm25Parameters(k1=1.2))
    assert found == pytest.approx([1.3808, 0.5909, 0], abs=1e-4)
    # BM25+ with delta = 1 adds the idf of each term that matches: A + ln 1.6 + ln 8/3, B + ln 1.6,
    # and nothing to C
    found = scores(counts, lengths, weights, Bm25Parameters(k1=1.2, delta=1.0))
    assert found == pytest.approx([1.3808 + 0.4700 + 0.9808, 0.5909 + 0.4700, 0], abs=1e-4)


@pytest.mark.parametrize("documents", [1_000, 100_000])
def test_the_idf_of_many_terms_is_that_of_each(documents: int) -> None:
    # far apart, from 0 up to all documents: looked up as far as a table has them, else computed
    for most in (999, documents):
        frequencies = np.linspace(0, most, 5_000).astype(np.int64)
        found = idf(TermStatistics(documents, frequencies, 1.0))
        each = [math.log1p((documents - n + 0.5) / (n + 0.5)) for n in frequencies.tolist()]
        assert found == pytest.approx(each, rel=1e-14)
        assert (found[::50] == idf(TermStatistics(documents, frequencies[::50], 1.0))).all()


def test_a_count_in_parts_is_saturated_as_a_whole() -> None:
    # a term that occurs 2 times in the title and 3 times in the abstract: 5 * 2.6 / (5 + norm)
    norm, parts = np.array([1.0, 1.0]), np.array([2.0, 3.0])
    found = saturation(parts, norm, totals=np.array([5.0, 5.0]))
    assert found.sum() == pytest.approx(saturation(np.array([5.0]), norm[:1])[0])
    assert found[0] / found[1] == pytest.approx(2 / 3), "each part gets its share"


@pytest.mark.parametrize(
    "parameters",
    [each for each in PARAMETERS if each.k1],  # with k1 = 0, rank_bm25 computes 0 / 0
    ids=named,
)
def test_against_rank_bm25(parameters: Bm25Parameters) -> None:
    texts = [stems(f"{paper.title} {paper.abstract}") for paper in PAPERS]
    query = ["bee", "citat", "rank", "rare7", "bee", "absent"]
    frequencies = {word: sum(word in text for text in texts) for word in query}
    terms = [word for word in dict.fromkeys(query) if frequencies[word]]

    delta = parameters.delta
    kind, more = (BM25Plus, {"delta": delta}) if delta else (BM25Okapi, {})
    rival = kind(texts, k1=parameters.k1, b=parameters.b, **more)
    rival.idf = {
        word: math.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        for word, count in frequencies.items()
        if count
    }
    expected = rival.get_scores(query)
    if delta:
        # rank_bm25 adds delta to every paper; we, as Lv and Zhai define it, to those that match
        expected -= [
            sum(delta * rival.idf.get(word, 0) for word in query if word not in text)
            for text in texts
        ]

    counts = np.array([[float(text.count(word)) for word in terms] for text in texts])
    weights = idf_of(len(texts), *(frequencies[word] for word in terms))
    weights = weights * np.array([query.count(word) for word in terms])
    lengths = np.array([float(len(text)) for text in texts])
    assert scores(counts, lengths, weights, parameters) == pytest.approx(expected)


@given(
    arrays.arrays(np.float64, (4, 3), elements=st.integers(0, 20).map(float)),
    st.floats(0, 5),
    st.floats(0, 1),
)
def test_more_is_better_and_nothing_is_nothing(
    counts: NDArray[np.float64], k1: float, b: float
) -> None:
    weights, norm = np.array([0.5, 1.0, 2.0]), length_norm(counts.sum(1) / 10.0, k1, b)[:, None]
    found = (saturation(counts, norm, k1) * weights).sum(1)
    assert (found >= 0).all() and ((found > 0) == (counts.sum(1) > 0)).all()
    more = (saturation(counts + (counts > 0), norm, k1) * weights).sum(1)
    assert (more >= found - 1e-12).all()


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_idf_is_never_negative(papers: int, frequency: int) -> None:
    assert idf_of(papers, min(papers, frequency))[0] > 0
