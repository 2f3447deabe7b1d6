"""Entries of lists of references that are papers of the library under nearly the same title."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from citewise import ids
from citewise.library.duplicates import like_titles
from citewise.library.generation import Generation
from citewise.library.library import Library
from citewise.library.versions import SAME_TITLE, likely_same

Titles = dict[int, str]
"""Rows and their titles."""


def nearly_same(generation: Generation, light: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield (row, row of a light paper that is the same) among this import's papers and those of the old generation.

    `light` are the light papers of this import. Of several that are alike, the one with the most like title and the
    nearest year is meant; an author must be shared.
    """
    fresh = dict(generation.new_titles())
    asked = {row: fresh[row] for row in light if row in fresh}
    pairs = set(_alike(asked, fresh)) if asked else set()
    if generation.kept is not None and asked:
        pairs |= set(_alike(asked, _near(generation, generation.kept, asked.values())))
    if generation.kept is not None and generation.kept.manifest.light:
        pairs |= {(other, row) for row, other in _alike(fresh, _near(generation, generation.kept, fresh.values()))}
    choices: dict[int, list[tuple[float, int, int]]] = {}
    for row, other in pairs:
        one, two = generation.paper(row), generation.paper(other)
        if one.light and likely_same(one, two) and (not two.light or other < row):
            apart = abs((one.year or 0) - (two.year or 0))
            choices.setdefault(row, []).append((-ids.jaccard(one.title, two.title), apart, other))
    yield from ((min(choices[row])[2], row) for row in sorted(choices))


def _alike(asked: Titles, titles: Titles) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows, asked and other, whose titles are near-duplicates."""
    rows, others = list(asked), list(titles)
    for one, other in like_titles(list(asked.values()), list(titles.values())):
        if rows[one] != others[other]:
            yield rows[one], others[other]


def _near(generation: Generation, library: Library, titles: Iterable[str]) -> Titles:
    """Return the living papers whose titles share a word with one of some titles that like titles must share one of."""
    sought = np.zeros(len(library.vocabulary), np.bool_)
    for title in titles:
        terms, _ = library.terms_of(title)
        words = len(set(ids.title_words(title)))
        rarest = np.argsort(library.statistics(terms, "title").frequencies, kind="stable")
        sought[terms[rarest[: words - math.ceil(SAME_TITLE * words - 1e-9) + 1]]] = True
    found = [np.zeros(0, np.int64)]
    for entry, segment in zip(library.manifest.segments, library.segments, strict=True):
        places = np.flatnonzero(sought[segment.values("title", "terms")])
        found.append(np.unique(np.searchsorted(segment.starts("title"), places, "right") - 1) + entry.first_row)
    rows = np.setdiff1d(np.concatenate(found), library.tables.deleted)
    rows = rows[[generation.holds(row) for row in rows.tolist()]] if rows.size else rows
    return dict(zip(rows.tolist(), library.titles(rows), strict=True))
