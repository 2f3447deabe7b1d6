"""Look around in a library: search by title, walk citations, read evidence, export papers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Rows, spread
from citewise.errors import BadInput, MissingData
from citewise.ground import EvidenceGrounder
from citewise.protocols import Stores
from citewise.render import BIBLIOGRAPHIES
from citewise.render.markdown import markdown
from citewise.render.numbered_list import ieee_list, vancouver_list
from citewise.render.reference_list import reference_list
from citewise.scoring.bm25 import idf
from citewise.spans.profiles import ClaimSearch
from citewise.text.function_words import is_function_word
from citewise.text.tokens import words_by_stem
from citewise.types import EvidenceSpan, Paper, Query, Scope

LISTS: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    **BIBLIOGRAPHIES,
    "markdown": markdown,
    "list": reference_list,
    "ieee": ieee_list,
    "vancouver": vancouver_list,
}
"""The formats of a list of papers, by name."""

_CANDIDATES = 1000
"""Papers whose titles are compared with a search."""

_TITLES_READ = 5_000
"""Titles from which the topics of a library are taken, spread over all."""

_SHOWN = 5
"""Unknown ids that an error names."""

_SHORTEST_TOPIC = 4
"""Letters."""


@dataclass(frozen=True, slots=True)
class PaperPage:
    """Some papers of a longer list, and how long the whole list is."""

    papers: tuple[Paper, ...]
    total: int


def search(stores: Stores, text: str, limit: int) -> list[Paper]:
    """Return the papers that a text can mean: the one with that id or that title, then those with
    most of the words in their title (rare words count more), the most cited first among equals.
    """
    _check(limit)
    if not text.strip():
        raise BadInput("the search is empty: give words of a title, or an id such as a DOI")

    same = [*stores.papers.find([text]).tolist(), stores.papers.find_same(Paper("", text))]
    first = dict.fromkeys(row for row in same if row >= 0)
    rows = [*first, *(row for row in _by_title(stores, text).tolist() if row not in first)]
    return stores.papers.read(rows[:limit])


def _by_title(stores: Stores, text: str) -> Rows:
    """Return the rows of papers with a word of the text in their title, best first."""
    terms, counts = stores.terms.of(text)
    if not terms.size:
        return np.zeros(0, np.int64)

    rows = stores.lexical.search(terms, counts, _CANDIDATES, Scope())
    matches = stores.terms.counts(rows, terms, "title") > 0
    scores = (matches * idf(stores.terms.statistics(terms, "title"))).sum(1).round(9)

    # by falling score, equal ones by falling number of citers, then by row
    order = np.lexsort((rows, -_cited(stores, rows), -scores))
    return np.asarray(rows[order[scores[order] > 0]], np.int64)


def references(stores: Stores, paper: str, limit: int, offset: int) -> PaperPage:
    """Return the papers of the library that a paper cites, the most cited first."""
    return _page(stores, stores.graph.references(_row(stores, paper)).values, limit, offset)


def citers(stores: Stores, paper: str, limit: int, offset: int) -> PaperPage:
    """Return the papers of the library that cite a paper, the most cited first."""
    return _page(stores, stores.graph.citers(_row(stores, paper)).values, limit, offset)


def evidence(stores: Stores, paper: str, text: str, limit: int) -> tuple[EvidenceSpan, ...]:
    """Return sentences that cite a paper: those most similar to a text first, then those for whose
    claim it is cited most often.
    """
    _check(limit)
    grounder = EvidenceGrounder(stores, ClaimSearch(stores))
    return grounder.ground(Query(title=text), _row(stores, paper), Scope(), limit)[0]


def bibliography(stores: Stores, papers: Sequence[str], format: str) -> str:
    """Return papers, given by their ids, as text in one of the formats of `LISTS`; a paper that is
    named twice is listed once.
    """
    if format not in LISTS:
        raise BadInput(f"unknown format {format!r}; known: {', '.join(LISTS)}")

    rows = stores.papers.find(papers).tolist()
    unknown = [name for name, row in zip(papers, rows, strict=True) if row < 0]
    if unknown:
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        names = ", ".join(map(repr, unknown[:_SHOWN]))
        raise MissingData(f"{stores.info.location}: no paper {names}{more}")
    return LISTS[format](stores.papers.read([*dict.fromkeys(rows)]))


def citation_counts(stores: Stores, papers: Sequence[str]) -> list[int]:
    """Return by how many papers of the library each paper is cited, 0 for one that is not there."""
    rows = stores.papers.find(papers)
    known = np.flatnonzero(rows >= 0)
    counts = np.zeros(rows.size, np.int64)
    counts[known] = stores.graph.citers(rows[known]).lengths
    return [int(count) for count in counts]


def topics(stores: Stores, limit: int) -> list[str]:
    """Return the words that most titles of a library have in common, most frequent first."""
    counts: Counter[str] = Counter()
    for title in stores.papers.titles(spread(stores.papers.rows, _TITLES_READ)):
        words = {word.lower() for word in words_by_stem(title).values()}
        counts.update(filter(_is_topic, words))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered[:limit]]


def _is_topic(word: str) -> bool:
    return len(word) >= _SHORTEST_TOPIC and word.isalpha() and not is_function_word(word)


def _page(stores: Stores, rows: Rows, limit: int, offset: int) -> PaperPage:
    """Return a page of papers, the most cited first, then by row."""
    _check(limit, offset)
    order = np.lexsort((rows, -_cited(stores, rows)))
    chosen = rows[order][offset : offset + limit]
    return PaperPage(tuple(stores.papers.read(chosen)), rows.size)


def _cited(stores: Stores, rows: Rows) -> Column:
    """Return the number of papers that cite each paper."""
    return stores.graph.citers(rows).lengths.astype(np.float64)


def _row(stores: Stores, paper: str) -> Rows:
    """Return the row of the paper with an id, as an array of one."""
    row = stores.papers.find([paper])
    if row[0] < 0:
        raise MissingData(f"{stores.info.location}: no paper {paper!r}")
    return row


def _check(limit: int, offset: int = 0) -> None:
    if limit < 1 or offset < 0:
        raise BadInput(f"a limit is at least 1 and an offset at least 0, not {limit} and {offset}")
