"""All implementations of the stores give the same answers, and so does every system over them."""

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from citewise.api import Library
from citewise.arrays import Rows
from citewise.embed.word_models import NNSELECT
from citewise.errors import BadInput
from citewise.memory import MemoryStores
from citewise.protocols import Stores
from citewise.retrieve.ilciter import Ilciter, IlciterParameters
from citewise.types import Paper, Query, Scope
from citing import EVERYTHING
from contracts import CHECKED, PAPERS, QUERIES, SENTENCES, SIZES
from corpora import WORDS
from stores import views
from stores.implementations import (
    AUTHORS,
    IMPLEMENTATIONS,
    OTHERS,
    REFERENCE,
    Given,
    RandomEncoder,
    Record,
    in_two_segments,
    libraries,
    scopes,
)
from word_models import StemModel, made_up, saved

TOLERANCE = 1e-9

few = settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
"""Every example writes a library to disk, so each is asked several questions."""

fixed = settings(max_examples=8, derandomize=True, phases=[Phase.generate])
"""Always the same examples: engines round scores in their own ways, and an unlucky one could split
a tie. They are not shrunk, which takes minutes.
"""

KEYS = ("p0", "q1", "p2", "q3", "elsewhere", "unknown")


@contextmanager
def made(name: str, given: Given) -> Iterator[tuple[Stores, Stores]]:
    """Give a library as an implementation makes it, and as the reference does."""
    with tempfile.TemporaryDirectory() as folder:
        found, expected = (
            IMPLEMENTATIONS[each](Path(folder) / each, given) for each in (name, REFERENCE)
        )
        yield found, expected


TEXTS = st.lists(st.sampled_from([*WORDS[:8], "unheard"]), max_size=6).map(" ".join)
COUNTS = st.integers(1, 9)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about any store of a library."""

    rows: Rows
    scope: Scope
    text: str
    authors: list[str]
    k: int
    minimum: int | None
    limit: int


def questions(papers: int) -> st.SearchStrategy[Asked]:
    """Draw questions about a library of this many papers."""
    rows = st.lists(st.integers(0, papers - 1), max_size=8, unique=True)
    return st.builds(
        Asked,
        rows=rows.map(lambda drawn: np.array(drawn, np.int64)),
        scope=scopes(papers),
        text=TEXTS,
        authors=st.lists(st.sampled_from([*AUTHORS, "Un Known"]), max_size=3),
        k=COUNTS,
        minimum=st.none() | COUNTS,
        limit=st.integers(0, 3),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
@few
@given(records=libraries(), later=libraries() | st.just([]), data=st.data())
def test_every_store_gives_the_same_answers(
    name: str, records: list[Record], later: list[Record], data: st.DataObject
) -> None:
    """The sentences of another library come after the vectors were made."""
    papers = sum(isinstance(record, Paper) for record in records)
    sentences = [record for record in later if not isinstance(record, Paper)]
    models = {"stems": StemModel(), "other": StemModel(1)}
    given = Given(records, RandomEncoder(), sentences, word_models=models)
    with made(name, given) as pair:
        for _ in range(5):
            asked = data.draw(questions(papers))
            assert_same_papers(*pair, asked)
            assert_same_terms(*pair, asked)
            assert_same_search(*pair, asked)
            assert_same_evidence(*pair, asked)
            assert_same_vectors(*pair, asked)


def assert_same_papers(found: Stores, expected: Stores, asked: Asked) -> None:
    """Compare papers and citation graph."""
    twice = np.append(asked.rows, asked.rows)
    answers = [
        views.papers(stores, twice, asked.scope, KEYS, asked.authors)
        for stores in (found, expected)
    ]
    assert answers[0] == answers[1]
    assert views.graph(found, twice, asked.scope) == views.graph(expected, twice, asked.scope)


def assert_same_terms(found: Stores, expected: Stores, asked: Asked) -> None:
    """Compare the forward index."""
    assert views.terms(found, asked.rows, asked.text) == views.terms(
        expected, asked.rows, asked.text
    )


def assert_same_search(found: Stores, expected: Stores, asked: Asked) -> None:
    """Compare which papers the inverted index finds.

    Where k allows it, these are all that share a term; which of them are best, an engine's own BM25
    decides.
    """
    searches = [
        functools.partial(stores.lexical.search, *stores.terms.of(asked.text), scope=asked.scope)
        for stores in (found, expected)
    ]
    everything = len(expected.papers)
    matching = set(searches[1](k=everything).tolist())
    assert set(searches[0](k=everything).tolist()) == matching

    some = searches[0](k=asked.k, minimum=asked.minimum).tolist()
    assert len(set(some)) == len(some) <= asked.k
    assert len(some) >= min(asked.k, asked.minimum or asked.k, len(matching))
    assert set(some) <= matching


def assert_same_evidence(found: Stores, expected: Stores, asked: Asked) -> None:
    """Compare spans, citations, profiles and sentences."""
    texts = sorted(views.spans_by_text(expected))
    assert sorted(views.spans_by_text(found)) == texts
    answers = [
        (
            views.spans(stores, texts[:: asked.k], asked.scope, asked.text),
            views.occurrences(stores, asked.scope, asked.limit),
            views.cited_papers(stores, asked.rows, asked.scope),
        )
        for stores in (found, expected)
    ]
    assert answers[0] == answers[1]


def assert_same_vectors(found: Stores, expected: Stores, asked: Asked) -> None:
    """Compare vectors and nearest neighbours."""
    assert found.vectors.span_count() == expected.vectors.span_count()
    assert found.vectors.names() == expected.vectors.names()
    assert found.vectors.encoded_by() == expected.vectors.encoded_by()
    assert views.vectors(found, asked.rows) == views.vectors(expected, asked.rows)

    claim = RandomEncoder().encode([asked.text])[0]
    among = None if asked.minimum is None else np.sort(asked.rows)
    for name in found.vectors.names():
        one, other = (views.paper_vectors(stores, name) for stores in (found, expected))
        nearest, cosines = one.nearest(claim, asked.k, asked.scope, among)
        wanted, wanted_cosines = other.nearest(claim, asked.k, asked.scope, among)
        assert nearest.tolist() == wanted.tolist()
        assert cosines == pytest.approx(wanted_cosines, abs=1e-5)
        assert one.cosines(claim, asked.rows) == pytest.approx(
            other.cosines(claim, asked.rows), abs=1e-5, nan_ok=True
        )


def test_two_segments_are_two(tmp_path: Path) -> None:
    """Else a library in two segments would be no other than one in a single segment."""
    stores = in_two_segments(tmp_path / "library", Given(RECORDS))
    assert stores.info.segments == len(stores.evidence.segments) == 2


# Whole systems

LONGEST_EXACT = 40
"""Terms of a text whose length every engine counts exactly; tantivy rounds longer ones."""

SHORT = [
    paper for paper in PAPERS if len(f"{paper.title} {paper.abstract}".split()) <= LONGEST_EXACT
]
RECORDS: list[Record] = [*SHORT, *SENTENCES]

BY_VECTORS = ("dense", "nnselect", "hybrid", "citeomatic")
"""Systems that need papers' vectors."""


QUESTIONS = st.tuples(
    QUERIES,
    st.sampled_from(["", "", *(each.text for each in SENTENCES[:12])]),
    st.lists(st.sampled_from(["Wabe, O.", "Karla Frischmann"]), max_size=2).map(tuple),
).map(lambda drawn: replace(drawn[0], sentence=drawn[1], authors=drawn[2]))


@pytest.fixture(scope="module", params=OTHERS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Library, Library]:
    """The same papers and sentences by each implementation, and by the reference."""
    folder = tmp_path_factory.mktemp("agreement")
    found, expected = (
        IMPLEMENTATIONS[name](folder / name, Given(RECORDS)) for name in (request.param, REFERENCE)
    )
    return Library(found), Library(expected)


def assert_same(found: object, expected: object, where: str = "answer") -> None:
    """Compare values part by part; numbers may differ by rounding."""
    if is_dataclass(found) and not isinstance(found, type):
        assert type(found) is type(expected), where
        for each in fields(found):
            name = each.name
            assert_same(getattr(found, name), getattr(expected, name), f"{where}.{name}")
    elif isinstance(found, dict) and isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in found:
            assert_same(found[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(found, tuple) and isinstance(expected, tuple):
        assert len(found) == len(expected), where
        for position, parts in enumerate(zip(found, expected, strict=True)):
            assert_same(*parts, f"{where}[{position}]")
    elif isinstance(found, float):
        assert found == pytest.approx(expected, abs=TOLERANCE), where
    else:
        assert found == expected, where


@pytest.mark.slow
@pytest.mark.parametrize("system", [each for each in CHECKED if each not in BY_VECTORS])
@fixed
@given(query=QUESTIONS, k=SIZES)
def test_every_system_gives_the_same_answer(
    pair: tuple[Library, Library], system: str, query: Query, k: int
) -> None:
    """Papers, order, scores and signals; of the first few also reasons and evidence.

    The depth of every system covers all papers, so that no engine's own order decides who is a
    candidate.
    """
    found, expected = (library.answer(query, k, system) for library in pair)
    assert [each.paper.id for each in found] == [each.paper.id for each in expected]
    assert_same(found.recommendations, expected.recommendations)
    assert found.served_by == expected.served_by

    found, expected = (library.answer(query, 3, system, True, 2) for library in pair)
    assert_same(found.recommendations, expected.recommendations)


@pytest.fixture(scope="module", params=OTHERS)
def pair_with_vectors(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Library, Library]:
    """The same with vectors of papers."""
    folder = tmp_path_factory.mktemp("vectors")
    model = made_up(MemoryStores.of(RECORDS))
    given = Given(RECORDS, word_models={NNSELECT: model}, models=saved(model))
    found, expected = (
        IMPLEMENTATIONS[name](folder / name, given) for name in (request.param, REFERENCE)
    )
    return Library(found), Library(expected)


@pytest.mark.slow
@pytest.mark.parametrize("system", BY_VECTORS)
def test_systems_of_vectors_give_the_same_scores(
    pair_with_vectors: tuple[Library, Library], system: str
) -> None:
    """To within the rounding of a folder's 8-bit vectors, which memory does not round."""
    found, expected = pair_with_vectors
    for paper in SHORT[:5]:
        query = Query(paper.title, paper.abstract)
        one, other = (
            {each.paper.id: each.score for each in library.answer(query, 500, system)}
            for library in (found, expected)
        )
        # a cosine about 0 may be rounded to the other side of it, where papers are left out
        assert len(one.keys() & other.keys()) >= 0.9 * max(len(one), len(other)) > 0
        for each in one.keys() & other.keys():
            assert one[each] == pytest.approx(other[each], abs=0.05), each
        assert max(one, key=lambda each: one[each]) == max(other, key=lambda each: other[each])


@pytest.mark.slow
def test_descriptions_agree(pair: tuple[Library, Library]) -> None:
    found, expected = (library.describe() for library in pair)
    own = dict.fromkeys(("path", "written", "fingerprint"), "")
    disk = dict.fromkeys(("generation", "segments", "bytes_on_disk"), 0)
    assert replace(found, **own, **disk) == replace(expected, **own, **disk)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_ilciter_finds_the_same_by_vectors(name: str) -> None:
    encoder, parameters = RandomEncoder(), IlciterParameters(dense="always")
    query = Query(sentence=SENTENCES[0].text, title="Bees")
    with made(name, Given(RECORDS, encoder)) as pair:
        found, expected = (
            Ilciter(stores, parameters, encoder).retrieve(query, 50, EVERYTHING) for stores in pair
        )
    assert found.rows.tolist() == expected.rows.tolist() and len(found) > 10
    assert found.scores == pytest.approx(expected.scores, abs=1e-6)


# What only the library in memory does


def test_papers_are_not_merged_in_memory() -> None:
    paper = Paper("a", "One title of many words", year=2000, authors=("Ada Byron",))
    stores = MemoryStores.of([paper, paper, replace(paper, id="b", ids=("a",))])
    assert len(stores.papers) == 3
    assert stores.papers.find(["a", "b"]).tolist() == [0, 2]


def test_vectors_of_another_shape_are_refused() -> None:
    stores, about = MemoryStores.of(RECORDS), RandomEncoder.about
    with pytest.raises(BadInput, match=r"vectors of papers have the shape \(3, 8\), not"):
        stores.with_vectors(about, papers=np.zeros((3, 8), np.float32))


def test_other_records_have_another_fingerprint() -> None:
    one, other = (MemoryStores.of(records).info for records in (RECORDS, RECORDS[:-1]))
    assert one.fingerprint != other.fingerprint
    assert one == MemoryStores.of(RECORDS).info
