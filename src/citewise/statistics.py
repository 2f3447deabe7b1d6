"""Statistics of a library as papers on citation recommendation print them in their tables."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows, distinct
from citewise.protocols import Stores
from citewise.text.tokens import word_count
from citewise.types import Paper, Scope

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean and the standard deviation of some numbers."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> "Spread":
        """Return the spread of numbers; 0 and 0 where there are none."""
        if not values.size:
            return cls(0.0, 0.0)
        return cls(float(values.mean()), float(values.std()))


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a library's texts, people and citations come to."""

    papers: int
    authors: int
    """Different names of authors."""
    venues: int
    key_phrases: int
    """Different ones, whatever their case; so are names and venues."""
    mean_characters: float
    """Of title and abstract together."""
    in_citations: Spread
    """Citations that a paper receives within the library, over all papers."""
    out_citations: Spread
    """Citations that a paper makes within the library, over all papers."""
    in_citations_of_cited: Spread
    """The same over the papers that receive any."""
    out_citations_of_citing: Spread
    """The same over the papers that make any."""
    queries: int
    """Papers with a year that cite a paper of the library which is not younger."""
    pairs: int
    """Pairs of such a query and a paper that it should find."""
    spans: int
    """Spans of citing sentences for which a paper of the library is cited."""
    mean_span_characters: float
    mean_span_words: float
    cited_papers: int
    """Papers that some span cites."""


def statistics(stores: Stores) -> Statistics:
    """Return the statistics of a library; reads every paper and every span."""
    rows = stores.papers.rows
    authors: set[str] = set()
    venues: set[str] = set()
    phrases: set[str] = set()
    characters = 0
    for paper in _papers(stores):
        authors.update(_folded(paper.authors))
        venues.update(_folded([paper.venue]))
        phrases.update(_folded(paper.key_phrases))
        characters += len(paper.title) + len(paper.abstract)

    made, received = stores.graph.references(rows), stores.graph.citers(rows)
    pairs = cited(stores, rows).lengths
    span_characters, span_words, spans, cited_papers = _evidence(stores)

    return Statistics(
        papers=rows.size,
        authors=len(authors),
        venues=len(venues),
        key_phrases=len(phrases),
        mean_characters=characters / max(rows.size, 1),
        in_citations=Spread.of(received.lengths),
        out_citations=Spread.of(made.lengths),
        in_citations_of_cited=Spread.of(received.lengths[received.lengths > 0]),
        out_citations_of_citing=Spread.of(made.lengths[made.lengths > 0]),
        queries=int(np.count_nonzero(pairs)),
        pairs=int(pairs.sum()),
        spans=spans,
        mean_span_characters=span_characters / max(spans, 1),
        mean_span_words=span_words / max(spans, 1),
        cited_papers=cited_papers,
    )


def _papers(stores: Stores) -> Iterator[Paper]:
    rows = stores.papers.rows
    for start in range(0, rows.size, _BATCH):
        yield from stores.papers.read(rows[start : start + _BATCH])


def _folded(names: Iterable[str]) -> Iterator[str]:
    """Yield names without case and with single spaces, empty ones left out."""
    return filter(None, (" ".join(name.split()).casefold() for name in names))


def cited(stores: Stores, rows: Rows) -> Ragged:
    """Return the papers of the library that each paper cites, without those that are younger than
    it or of unknown year.
    """
    references = stores.graph.references(rows)
    years = stores.papers.years(references.values)
    kept = (years > 0) & (years <= np.repeat(stores.papers.years(rows), references.lengths))
    return references.kept(kept)


def _evidence(stores: Stores) -> tuple[int, int, int, int]:
    """Return the characters and words of all spans, their number, and that of the cited papers."""
    found = stores.evidence.citations_of(stores.papers.rows, Scope())
    spans = distinct(found.spans)

    characters = words = 0
    for start in range(0, spans.size, _BATCH):
        texts = stores.evidence.texts(spans[start : start + _BATCH])
        characters += sum(map(len, texts))
        words += sum(map(word_count, texts))
    return characters, words, spans.size, distinct(found.rows).size
