"""ILCiteR's ranking against a plain one made of rank_bm25's classes, and by hand."""

import json
import lzma
import math
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from oracles import stems
from rank_bm25 import BM25Okapi, BM25Plus

import citewise
from citewise.evidence.ilciter import Ilciter, IlciterSettings
from citewise.marks import said
from citewise.recommend import scope_of
from citewise.types import CitationGroup, CitingSentence, Paper, Query

MOST = 50


class PlainIlciter:
    """The paper's section 6 with dictionaries, loops and the BM25 that its authors used."""

    def __init__(self, spans: dict[str, Counter], years: dict[str, int]) -> None:
        self.spans, self.cited, self.years = [*spans], [*spans.values()], years
        self.tokens = [stems(text) for text in self.spans]
        self.okapi, self.plus = BM25Okapi(self.tokens), BM25Plus(self.tokens)
        frequency = Counter(token for tokens in self.tokens for token in set(tokens))
        number = len(self.tokens)  # both have idf values of their own; the paper gives one formula for both
        self.idf = {token: math.log((number - held + 0.5) / (held + 0.5) + 1) for token, held in frequency.items()}
        self.okapi.idf = self.plus.idf = self.idf

    def scores(self, query: list[str]) -> tuple[np.ndarray, np.ndarray]:
        query = [token for token in query if token in self.idf]
        absent = np.array([sum(self.idf[token] * self.plus.delta for token in query if token not in held)
                           for held in map(set, self.tokens)])
        return self.okapi.get_scores(query), self.plus.get_scores(query) - absent  # delta is for terms that match

    def papers(self, text: str) -> list[str]:
        okapi, plus = self.scores(stems(text))
        chosen = sorted({place for scores in (okapi, plus)
                         for place in sorted(np.flatnonzero(scores > 0), key=lambda at: (-scores[at], at))[:MOST]})
        ranks = [{place: rank for rank, place in enumerate(sorted(chosen, key=lambda at: (-scores[at], at)), 1)}
                 for scores in (okapi, plus)]
        order = sorted(chosen, key=lambda at: (ranks[0][at] + ranks[1][at], ranks[1][at]))
        first, support = {}, Counter()
        for rank, place in enumerate(order, 1):
            for paper, times in self.cited[place].items():
                first.setdefault(paper, rank)
                support[paper] += times
        return sorted(first, key=lambda paper: (first[paper], -support[paper], -self.years[paper]))


def records(shared: Path, name: str, most: int) -> list[dict]:
    with lzma.open(shared / "scisummnet-contexts" / f"{name}.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in islice(file, most)]


def test_it_ranks_as_rank_bm25_would(shared: Path, tmp_path: Path) -> None:
    contexts = [each for each in records(shared, "contexts", 1500) if each["text"].isascii()][:400]
    named = {each["id"]: each for each in records(shared, "papers", 10**6)}
    wanted = {key for each in contexts for key in each["cited_ids"]}
    citewise.add([Paper(key, f"Paper {number}", year=named[key]["year"]) for number, key in enumerate(sorted(wanted))],
                 tmp_path, keep_versions=True)
    path = tmp_path / "contexts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in contexts))
    citewise.index([path], tmp_path)
    library = citewise.open(tmp_path).library
    spans: dict[str, Counter] = defaultdict(Counter)
    held = library.said_of(library.rows, scope_of(library, Query(sentence="x")))
    everything = np.unique(held.values)
    cited = library.cited_for(everything, scope_of(library, Query(sentence="x")))
    for place, text in enumerate(library.span_texts(everything)):
        rows = cited.rows[place]
        support = cited.support[cited.rows.starts[place]: cited.rows.starts[place + 1]]
        for paper, times in zip(library.papers(rows), support.tolist(), strict=True):
            spans[said(text, (), 0, len(text))][paper.id] += times
    plain = PlainIlciter(spans, {key: named[key]["year"] for key in wanted})
    asked = records(shared, "dev_queries", 40)
    agreed = 0
    for each in asked:
        found = [paper.id for paper in library.papers(Ilciter(library, IlciterSettings()).retrieve(
            Query(sentence=each["query"]), 10, scope_of(library, Query(sentence=each["query"]))).rows)]
        expected = plain.papers(each["query"])
        assert set(found[:1]) <= set(expected[:3]), each["query"]
        agreed += found == expected[:10]
    assert agreed >= 0.9 * len(asked), "spans with equal scores may stand in another order"


def cites(citing: str, text: str, *keys: str) -> CitingSentence:
    start = text.index("[REF]")
    return CitingSentence(citing, text, (CitationGroup(start, start + 5, keys),), year=2015)


@pytest.fixture
def library(tmp_path: Path) -> citewise.OpenLibrary:
    citewise.add([
        Paper("old", "Parsing with charts", year=2001), Paper("new", "Parsing with networks", year=2012),
        Paper("often", "Parsing for everybody", year=1999), Paper("far", "Weather in the mountains", year=2010),
        cites("a", "Parsers build trees [REF].", "old", "new", "often"),
        cites("b", "Trees are built by parsers of many kinds [REF].", "often"),
        cites("c", "Mountains have weather [REF] and few trees.", "far")], tmp_path)
    return citewise.open(tmp_path)


def test_best_span_then_support_then_year(library: citewise.OpenLibrary) -> None:
    found = [each.paper.id for each in library.cite("parsers build trees", system="ilciter")]
    assert found == ["often", "new", "old", "far"]


class Backwards:
    """An encoder for which the most like text is the longest: what it decides is easily seen."""

    def encode(self, texts: list[str]) -> np.ndarray:
        angles = [math.pi / 2 * (1 - len(text) / 1000) for text in texts]
        return np.array([[math.sin(angle), math.cos(angle)] for angle in angles], np.float32)


LONG = "parsers build trees " * 50


@pytest.mark.parametrize(("dense", "first"), [("never", "often"), ("conditional", "often"), ("always", "often")])
def test_vectors_join_where_they_should(library: citewise.OpenLibrary, dense: str, first: str) -> None:
    asked: list[str] = []

    class Counted(Backwards):
        def encode(self, texts: list[str]) -> np.ndarray:
            asked.extend(texts)
            return super().encode(texts)

    stage = Ilciter(library.library, IlciterSettings(dense=dense), Counted())
    for sentence in ("parsers build trees", LONG):
        query = Query(sentence=sentence)
        rows = stage.retrieve(query, 5, scope_of(library.library, query)).rows
        assert library.library.papers(rows)[0].id == first
    wanted = {"never": set(), "conditional": {LONG}, "always": {LONG, "parsers build trees"}}[dense]
    assert {*asked} & {LONG, "parsers build trees"} == wanted, "the second is long, the first is not"


@pytest.mark.parametrize(("joined", "expected"), [
    ("plus", [1, 0, 2]), ("okapi", [1, 0, 2]), ("both", [0, 1, 2]), ("none", [1, 2, 0])])
def test_ranks_are_joined_as_asked(library: citewise.OpenLibrary, joined: str, expected: list[int]) -> None:
    """By words the spans stand in the order 0, 1, 2, by vectors in the order 1, 2, 0; equal sums in that of BM25+."""
    query = Query(sentence=LONG)
    plain = Ilciter(library.library, IlciterSettings()).spans(query.sentence, *_looked_up(library, query))
    assert [len(text) for text in library.library.span_texts(plain)] == [20, 41, 37]
    stage = Ilciter(library.library, IlciterSettings(dense="always", joined=joined), Backwards())
    spans = stage.spans(query.sentence, *_looked_up(library, query))
    assert [plain.tolist().index(span) for span in spans.tolist()] == expected


def _looked_up(library: citewise.OpenLibrary, query: Query):
    from citewise.claims.search import Claim
    return Claim.of(library.library, query.sentence), scope_of(library.library, query)
