"""Signals of words, against a loop."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.rank.text_signals import text_signals
from citewise.retrieve.engine import Engine
from citewise.scoring.similarity import Bag
from citewise.types import Query, Scope
from corpora import GOLDEN, random_papers
from oracles import stems

PAPERS = [*GOLDEN, *random_papers(120, seed=5)]


def test_the_cosine_against_a_loop(tmp_path: Path) -> None:
    """sum of log(1 + tf) idf over shared terms, draft's vector of length 1, over the root of the
    paper's length.
    """
    citewise.add(PAPERS, tmp_path)
    stores = citewise.open(tmp_path).stores
    query = Query("Citation ranking of bees", "neural graph networks of bees and neural swarms")
    rows = Engine(stores).retrieve(query, 5000, Scope()).rows
    found = text_signals(stores, query, rows, Bag(np.zeros(0, np.int64), np.zeros(0)))["cosine"]

    texts = {
        each.id: (Counter(stems(each.title)), Counter(stems(each.abstract))) for each in PAPERS
    }
    frequency = Counter(term for title, abstract in texts.values() for term in title | abstract)
    rarity = {
        term: math.log1p((len(texts) - papers + 0.5) / (papers + 0.5))
        for term, papers in frequency.items()
    }
    draft = {
        term: math.log1p(count) * rarity[term]
        for term, count in Counter(stems(query.text)).items()
        if term in rarity
    }
    length = math.sqrt(sum(weight**2 for weight in draft.values()))
    for value, paper in zip(found, stores.papers.read(rows), strict=True):
        parts = [
            math.log1p(field[term]) * rarity[term] * draft[term]
            for field in texts[paper.id]
            for term in field
            if term in draft
        ]
        size = sum(field.total() for field in texts[paper.id])
        assert value == pytest.approx(sum(parts) / length / math.sqrt(size)), paper.id
