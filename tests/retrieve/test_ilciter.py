"""ILCiteR's ranking against a plain one made of rank_bm25's classes, and by hand."""

import json
import lzma
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi, BM25Plus

import citewise
from citewise.api import Library
from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.protocols import EncodedBy, Stores
from citewise.recommend import scope_of
from citewise.retrieve.ilciter import Ensemble, Ilciter, IlciterParameters, Joined
from citewise.spans.search import Claim
from citewise.text.marks import span_key
from citewise.types import CitationGroup, CitingSentence, Paper, Query, Scope
from oracles import stems

LIMIT = 50
ANYWHERE = Scope()


class PlainIlciter:
    """The paper's section 6 with dictionaries, loops and the BM25 that its authors used."""

    def __init__(self, spans: dict[str, Counter[str]], years: dict[str, int]) -> None:
        """`spans` maps each span to how often it cites which papers."""
        self.spans, self.cited, self.years = [*spans], [*spans.values()], years
        self.tokens = [stems(text) for text in self.spans]
        self.okapi, self.plus = BM25Okapi(self.tokens), BM25Plus(self.tokens)

        frequency = Counter(token for tokens in self.tokens for token in set(tokens))
        number = len(self.tokens)
        self.idf = {
            token: math.log((number - count + 0.5) / (count + 0.5) + 1)
            for token, count in frequency.items()
        }
        # both have idf values of their own; the paper gives one formula for both
        self.okapi.idf = self.plus.idf = self.idf

    def scores(self, query: list[str]) -> tuple[list[float], list[float]]:
        """Return the score of each span by BM25 and by BM25+."""
        known = [token for token in query if token in self.idf]
        # rank_bm25 adds delta for every term; BM25+ is defined to add it for terms that match
        absent = [
            sum(self.idf[token] * self.plus.delta for token in known if token not in span)
            for span in map(set, self.tokens)
        ]
        plus = self.plus.get_scores(known) - np.array(absent)
        return self.okapi.get_scores(known).tolist(), plus.tolist()

    def alone(self, text: str, plus: bool) -> list[str]:
        """Return the papers by BM25 or BM25+ alone."""
        scores = self.scores(stems(text))[plus]
        matching = [at for at, score in enumerate(scores) if score > 0]
        places = {at: rank for rank, at in enumerate(_ordered(matching, scores)[:LIMIT])}
        return self._papers(places)

    def shared(self, text: str) -> list[str]:
        """Return the papers as the authors' code orders them: of two lists of 50 spans, ranks from
        0 are added, and 50 where a list lacks the span; equal sums are one place.
        """
        both = self.scores(stems(text))
        matching = [at for at, score in enumerate(both[0]) if score > 0]
        lists = [_ordered(matching, scores)[:LIMIT] for scores in both]
        sums = {
            at: sum(each.index(at) if at in each else LIMIT for each in lists)
            for at in {*lists[0], *lists[1]}
        }
        return self._papers(sums)

    def _papers(self, places: dict[int, int]) -> list[str]:
        """Return the papers of spans by their least place, support and year."""
        first: dict[str, int] = {}
        support: Counter[str] = Counter()
        for at, place in places.items():
            for paper, times in self.cited[at].items():
                first[paper] = min(first.get(paper, place), place)
                support[paper] += times
        return sorted(first, key=lambda paper: (first[paper], -support[paper], -self.years[paper]))

    def papers(self, text: str) -> list[str]:
        """Return the papers that the best spans cite, best first."""
        okapi, plus = self.scores(stems(text))
        matching = [at for at, score in enumerate(okapi) if score > 0]
        chosen = {*_ordered(matching, okapi)[:LIMIT], *_ordered(matching, plus)[:LIMIT]}
        by_okapi, by_plus = (
            {at: rank for rank, at in enumerate(_ordered(chosen, scores), 1)}
            for scores in (okapi, plus)
        )

        order = sorted(chosen, key=lambda at: (by_okapi[at] + by_plus[at], by_plus[at]))
        return self._papers({at: rank for rank, at in enumerate(order)})


def _ordered(positions: Sequence[int] | set[int], scores: list[float]) -> list[int]:
    return sorted(positions, key=lambda at: (-scores[at], at))


def records(shared: Path, name: str, limit: int) -> list[dict[str, Any]]:
    with lzma.open(shared / "scisummnet-contexts" / f"{name}.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in islice(file, limit)]


def spans_with_citations(stores: Stores) -> dict[str, Counter[str]]:
    """Return every span of a library, with how often which papers are cited for it."""
    spans = np.unique(stores.evidence.citations_of(stores.papers.rows, ANYWHERE).spans)
    cited = stores.evidence.cited_for(spans, ANYWHERE)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for position, text in enumerate(stores.evidence.texts(spans)):
        start, end = cited.rows.starts[position : position + 2].tolist()
        papers = stores.papers.read(cited.rows[position])
        for paper, times in zip(papers, cited.support[start:end].tolist(), strict=True):
            found[span_key(text, (), 0, len(text))][paper.id] += times
    return found


@pytest.mark.slow
def test_it_ranks_as_rank_bm25_would(shared: Path, tmp_path: Path) -> None:
    contexts = [each for each in records(shared, "contexts", 1500) if each["text"].isascii()][:400]
    named = {each["id"]: each for each in records(shared, "papers", 10**6)}
    years = {key: named[key]["year"] for each in contexts for key in each["cited_ids"]}
    papers = [
        Paper(key, f"Paper {number}", year=years[key]) for number, key in enumerate(sorted(years))
    ]
    citewise.add(papers, tmp_path, keep_versions=True)
    path = tmp_path / "contexts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in contexts))
    citewise.index([path], tmp_path)

    stores = citewise.open(tmp_path).stores
    plain = PlainIlciter(spans_with_citations(stores), years)
    ranked: list[tuple[IlciterParameters, Callable[[str], list[str]]]] = [
        (IlciterParameters(), plain.papers),
        (IlciterParameters(lexical="okapi"), lambda text: plain.alone(text, plus=False)),
        (IlciterParameters(lexical="plus"), lambda text: plain.alone(text, plus=True)),
        (IlciterParameters(ties="shared"), plain.shared),
    ]
    asked = [each["query"] for each in records(shared, "dev_queries", 40)]
    for parameters, expected_of in ranked:
        stage, agreed = Ilciter(stores, parameters), 0
        for sentence in asked:
            rows = stage.retrieve(Query(sentence=sentence), 10, ANYWHERE).rows
            found, expected = [each.id for each in stores.papers.read(rows)], expected_of(sentence)
            assert set(found[:1]) <= set(expected[:3]), sentence
            agreed += found == expected[:10]
        assert agreed >= 0.9 * len(asked), "spans with equal scores may be in another order"


def cites(citing: str, text: str, *keys: str) -> CitingSentence:
    start = text.index("[REF]")
    return CitingSentence(citing, text, (CitationGroup(start, start + 5, keys),), year=2015)


@pytest.fixture
def parsing(tmp_path: Path) -> Library:
    citewise.add(
        [
            Paper("old", "Parsing with charts", year=2001),
            Paper("new", "Parsing with networks", year=2012),
            Paper("often", "Parsing for everybody", year=1999),
            Paper("far", "Weather in the mountains", year=2010),
            cites("a", "Parsers build trees [REF].", "old", "new", "often"),
            cites("b", "Trees are built by parsers of many kinds [REF].", "often"),
            cites("c", "Mountains have weather [REF] and few trees.", "far"),
        ],
        tmp_path,
    )
    return citewise.open(tmp_path)


def test_best_span_then_support_then_year(parsing: Library) -> None:
    found = [each.paper.id for each in parsing.cite("parsers build trees", system="ilciter")]
    assert found == ["often", "new", "old", "far"]


class LongestFirst:
    """An encoder for which the most similar text is the longest: what it decides is easily seen."""

    about = EncodedBy("longest first", "fp32", "", 2)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        angles = [math.pi / 2 * (1 - len(text) / 1000) for text in texts]
        return np.array([[math.sin(angle), math.cos(angle)] for angle in angles], np.float32)


SHORT = "parsers build trees"
LONG = f"{SHORT} " * 50


@pytest.mark.parametrize(
    ("dense", "encoded"), [("never", set()), ("conditional", {LONG}), ("always", {LONG, SHORT})]
)
def test_vectors_join_where_they_should(
    parsing: Library, dense: Ensemble, encoded: set[str]
) -> None:
    encoder, papers = LongestFirst(), parsing.stores.papers
    stage = Ilciter(parsing.stores, IlciterParameters(dense=dense), encoder)
    for sentence in (SHORT, LONG):
        query = Query(sentence=sentence)
        rows = stage.retrieve(query, 5, scope_of(papers, query)).rows
        assert papers.read(rows)[0].id == "often"
    assert {*encoder.asked} & {LONG, SHORT} == encoded, "only one of the claims is long"


def test_a_claim_is_long_by_its_words_stop_words_included(parsing: Library) -> None:
    fifty = "the parsers of trees and the trees of parsers are " * 5
    for sentence, long in ((fifty, False), (f"{fifty} it", True)):
        encoder = LongestFirst()
        stage = Ilciter(parsing.stores, IlciterParameters(), encoder)
        stage.retrieve(Query(sentence=sentence), 5, ANYWHERE)
        assert (sentence in encoder.asked) is long


def test_an_answer_by_words_alone_says_so(parsing: Library) -> None:
    answer = parsing.cite(SHORT, system="ilciter")
    assert answer.served_by.note == "by words alone (no vectors of citing sentences)"
    wanted = parsing.cite(SHORT, system="ilciter(dense=never)")
    assert not wanted.served_by.note, "nothing else was wanted"


@pytest.mark.parametrize(
    ("setting", "message"),
    [("lexical=tfidf", "both, okapi or plus"), ("ties=kept", "ordered or shared")],
)
def test_unknown_settings_are_refused(parsing: Library, setting: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parsing.cite(SHORT, system=f"ilciter({setting})")


def spans_for(parsing: Library, stage: Ilciter, sentence: str) -> Rows:
    claim = Claim.of(parsing.stores, sentence)
    return stage.spans(sentence, claim, ANYWHERE)[0]


@pytest.mark.parametrize(
    ("joined", "expected"),
    [("plus", [1, 0, 2]), ("okapi", [1, 0, 2]), ("both", [0, 1, 2]), ("none", [1, 2, 0])],
)
def test_ranks_are_joined_as_asked(parsing: Library, joined: Joined, expected: list[int]) -> None:
    """By words the spans are in the order 0, 1, 2, by vectors in the order 1, 2, 0; equal sums in
    that of BM25+.
    """
    plain = spans_for(parsing, Ilciter(parsing.stores, IlciterParameters()), LONG)
    assert [len(text) for text in parsing.stores.evidence.texts(plain)] == [20, 41, 37]

    parameters = IlciterParameters(dense="always", joined=joined)
    spans = spans_for(parsing, Ilciter(parsing.stores, parameters, LongestFirst()), LONG)
    assert [plain.tolist().index(span) for span in spans.tolist()] == expected
