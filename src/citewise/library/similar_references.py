"""Finds entries of lists of references that are papers of the library with similar titles."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from citewise.library.folder import LibraryFolder
from citewise.library.growing import Growing
from citewise.library.versions import likely_same
from citewise.text import ids
from citewise.text.titles import SAME_TITLE, similar_titles

Titles = dict[int, str]
"""Rows and their titles."""


def nearly_same(generation: Growing, light: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield (row, row of a light paper that is the same) among this import's papers and those of
    the old generation.

    `light` are the light papers of this import. Of several papers with similar titles the one with
    the most similar title, then the nearest year, is chosen; an author must be shared.
    """
    fresh = dict(generation.new_titles())
    queries = {row: fresh[row] for row in light if row in fresh}
    old = generation.kept

    pairs = set(_similar(queries, fresh)) if queries else set()
    if old is not None and queries:
        pairs |= set(_similar(queries, _near(generation, old, queries.values())))
    if old is not None and old.manifest.light:
        known = _near(generation, old, fresh.values())
        pairs |= {(other, row) for row, other in _similar(fresh, known)}

    choices: dict[int, list[tuple[float, int, int]]] = {}
    for row, other in pairs:
        one, two = generation.paper(row), generation.paper(other)
        if one.light and likely_same(one, two) and (not two.light or other < row):
            apart = abs((one.year or 0) - (two.year or 0))
            choices.setdefault(row, []).append((-ids.jaccard(one.title, two.title), apart, other))
    yield from ((min(choices[row])[2], row) for row in sorted(choices))


def _similar(queries: Titles, titles: Titles) -> Iterator[tuple[int, int]]:
    """Yield pairs of a row of `queries` and a different row of `titles` with near-equal titles."""
    rows, others = list(queries), list(titles)
    for one, other in similar_titles(list(queries.values()), list(titles.values())):
        if rows[one] != others[other]:
            yield rows[one], others[other]


def _near(generation: Growing, library: LibraryFolder, titles: Iterable[str]) -> Titles:
    """Return the papers of the library that may have nearly the same title as one of `titles`.

    Of n words, similar titles share at least SAME_TITLE * n, so they share one of any
    n - SAME_TITLE * n + 1 of them: it is enough to look for the rarest.
    """
    sought = np.zeros(len(library.vocabulary), np.bool_)
    for title in titles:
        terms, _ = library.terms.of(title)
        words = len(set(ids.title_words(title)))
        rarest = np.argsort(library.terms.statistics(terms, "title").frequencies, kind="stable")
        sought[terms[rarest[: words - math.ceil(SAME_TITLE * words - 1e-9) + 1]]] = True

    near = [np.zeros(0, np.int64)]
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        # term t of the segment belongs to the last row i with starts[i] <= t
        positions = np.flatnonzero(sought[segment.values("title", "terms")])
        owners = np.searchsorted(segment.starts("title"), positions, "right") - 1
        near.append(np.unique(owners) + entry.first_row)

    rows = np.setdiff1d(np.concatenate(near), library.tables.deleted)
    rows = rows[[generation.has(row) for row in rows.tolist()]] if rows.size else rows
    return dict(zip(rows.tolist(), library.papers.titles(rows), strict=True))
