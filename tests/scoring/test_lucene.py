"""Lucene's BM25: its rounded lengths by hand, and its scores against those of tantivy."""

from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.scoring import lucene
from corpora import WORDS, random_papers

PAPERS = random_papers(400, seed=5, words=[*WORDS * 20, *(f"rare{each}" for each in range(80))])


EXACT = [(length, length) for length in (0, 1, 23, 24, 40, 42, 56, 60, 88, 96, 104)]
ROUNDED = [(41, 40), (55, 54), (59, 56), (95, 88), (103, 96), (135, 128), (143, 136), (159, 152)]


@pytest.mark.parametrize(("length", "rounded"), [*EXACT, *ROUNDED])
def test_lengths_by_hand(length: int, rounded: int) -> None:
    # a byte b >= 24 stands for 24 + (8 + low bits of (b - 24)) << ((b - 24) >> 3) - 1
    assert lucene.rounded_lengths(np.array([length])).tolist() == [rounded]


def test_a_byte_stands_for_every_length_of_an_int() -> None:
    every = lucene.rounded_lengths(np.arange(100_000))
    assert np.unique(every).size <= 256 and (np.diff(every) >= 0).all()
    assert (every <= np.arange(100_000)).all() and (every >= np.arange(100_000) * 0.88).all()


def test_scores_are_those_of_tantivy(tmp_path: Path) -> None:
    citewise.add(
        [
            citewise.Paper(
                id=each.id, title=each.title, abstract=f"{each.abstract} " * (number % 9)
            )
            for number, each in enumerate(PAPERS)
        ],
        tmp_path / "library",
    )
    stores = citewise.open(tmp_path / "library").stores
    for paper in PAPERS[::40]:
        terms, counts = stores.terms.of(f"{paper.title} {paper.abstract}")
        weights = counts.astype(np.float64)
        rows, found = stores.lexical._index.hits(terms, weights, len(PAPERS))  # type: ignore[attr-defined]
        assert rows.size > 100
        assert lucene.scores(stores.terms, rows, terms, weights) == pytest.approx(found, rel=1e-6)
