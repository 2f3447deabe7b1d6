"""Near-duplicate titles: pairs whose word sets have a Jaccard coefficient of at least 0.7."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows, flat_index
from citewise.text.ids import title_key, title_words

SAME_TITLE = 0.7
"""Word Jaccard from which two titles are near-duplicates (Nogueira et al. 2020, section 4.2)."""

_CHUNK = 2_000_000
"""Pairs compared at once."""

_EXACT = 1e-9
"""Keeps a product that should be whole from being rounded up or down past it."""


@dataclass(frozen=True, slots=True)
class _Prefixes:
    """The rarest words of each title, sorted by word, then by the size of the title's word set."""

    titles: Rows
    words: NDArray[np.int64]
    positions: NDArray[np.int64]
    """The word's position in its title, whose rarest word is at 0."""
    sizes: NDArray[np.int64]
    marks: NDArray[np.uint64]
    """All words of the title as bits of one number."""


def near_duplicates(
    titles: Sequence[str], threshold: float = SAME_TITLE, first: int = 0
) -> Iterator[tuple[int, int, float]]:
    """Yield (position, later position, Jaccard) of all pairs of near-duplicate titles.

    Only pairs whose later position is at least `first` are returned.

    Exact: two sets that are that similar share one of their few rarest words, share it near the
    front (prefix and position filters: Xiao et al., Efficient similarity joins for near duplicate
    detection, WWW 2008), and differ in few bits.
    """
    sets = [frozenset(title_words(title)) for title in titles]

    pairs: set[tuple[int, int]] = set()
    for one, other in _candidates(_prefixes(sets, threshold), threshold):
        earlier_ones, later_ones = np.minimum(one, other), np.maximum(one, other)
        kept = later_ones >= first
        pairs.update(zip(earlier_ones[kept].tolist(), later_ones[kept].tolist(), strict=True))

    for earlier, later in sorted(pairs):
        similarity = _jaccard(sets[earlier], sets[later])
        if similarity >= threshold:
            yield earlier, later, similarity


def similar_titles(
    queries: Sequence[str], titles: Sequence[str], threshold: float = SAME_TITLE
) -> Iterator[tuple[int, int]]:
    """Yield (position in `queries`, position in `titles`) of all pairs of similar titles.

    Titles are similar that are near-duplicates or have the same letters.

    Exact: a set b that is similar enough to a has one of any |a| - ceil(threshold * |a|) + 1 words
    of a; the rarest make the fewest pairs.
    """
    sets = [frozenset(title_words(title)) for title in titles]
    query_sets = [frozenset(title_words(title)) for title in queries]
    index, rare = _rarest(query_sets, Counter(itertools.chain.from_iterable(sets)), threshold)
    letters = defaultdict(list)
    for position, title in enumerate(queries):
        letters[title_key(title)].append(position)

    for position, (title, words) in enumerate(zip(titles, sets, strict=True)):
        candidates = {one for word in words & rare for one in index[word]}
        similar = {one for one in candidates if _jaccard(query_sets[one], words) >= threshold}
        similar.update(letters.get(title_key(title) or " ", ()))
        yield from ((one, position) for one in sorted(similar))


def _rarest(
    sets: Sequence[frozenset[str]], frequency: Counter[str], threshold: float
) -> tuple[dict[str, list[int]], frozenset[str]]:
    """Return an index from the rarest words of each set to the sets' positions, and its words."""
    index = defaultdict(list)
    for position, words in enumerate(sets):
        limit = len(words) - math.ceil(threshold * len(words) - _EXACT) + 1
        for word in sorted(words, key=lambda word: (frequency[word], word))[:limit]:
            index[word].append(position)
    return index, frozenset(index)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _prefixes(sets: Sequence[frozenset[str]], threshold: float) -> _Prefixes:
    """Return each set's prefix: its rarest words, one of which any similar set must have, too."""
    frequency = Counter(itertools.chain.from_iterable(sets))
    rarest_first = sorted(frequency, key=lambda word: (frequency[word], word))
    rank = {word: number for number, word in enumerate(rarest_first)}
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))

    # every word of every title as its rank, a title's rarest word first: [[0 4 9] [2 4] ...]
    words = np.fromiter((rank[word] for each in sets for word in each), np.int64, int(sizes.sum()))
    titles = np.repeat(np.arange(len(sets)), sizes)
    words = words[np.lexsort((words, titles))]
    positions, _ = flat_index(np.zeros_like(sizes), sizes)  # 0 1 2 | 0 1 | ...

    # bit (rank mod 64) is set for each word of a title
    marks = np.zeros(len(sets), np.uint64)
    np.bitwise_or.at(marks, titles, np.uint64(1) << (words % 64).astype(np.uint64))

    # a title's prefix: its first |a| - ceil(threshold * |a|) + 1 words
    needed = np.ceil(threshold * sizes[titles] - _EXACT)
    front = np.flatnonzero(positions <= sizes[titles] - needed)
    order = front[np.lexsort((titles[front], sizes[titles[front]], words[front]))]
    return _Prefixes(
        titles=titles[order],
        words=words[order],
        positions=positions[order],
        sizes=sizes[titles[order]],
        marks=marks[titles[order]],
    )


def _candidates(prefixes: _Prefixes, threshold: float) -> Iterator[tuple[Rows, Rows]]:
    """Yield pairs of titles that share a prefix word and may be similar.

    Pairs are excluded by their sizes, the word's position and their bits.
    """
    sizes, positions = prefixes.sizes, prefixes.positions

    # (word, size) as one number, so that the partners of a prefix are a range of the sorted keys:
    # the same word, in a title of at least its own size and at most size / threshold
    width = int(sizes.max(initial=0)) + 2
    keys = prefixes.words * width + sizes
    longest = np.minimum(np.floor(sizes / threshold + _EXACT).astype(np.int64), width - 1)
    starts = np.arange(1, keys.size + 1)
    ends = np.searchsorted(keys, prefixes.words * width + longest, "right")

    # the smaller set has a shared word among its very rarest
    early = positions <= sizes - np.ceil(2 * threshold / (1 + threshold) * sizes - _EXACT)
    ends = np.where(early, ends, starts)

    # totals[i] is the number of pairs of the prefixes 0..i: cut the prefixes where it passes a
    # multiple of the chunk size
    totals = np.cumsum(ends - starts)
    bounds = np.searchsorted(totals, np.arange(0, int(totals.max(initial=0)) + _CHUNK, _CHUNK))
    for begin, end in itertools.pairwise([*bounds.tolist(), keys.size]):
        others, _ = flat_index(starts[begin:end], ends[begin:end])
        ones = np.repeat(np.arange(begin, end), (ends - starts)[begin:end])

        # |a & b| must reach t / (1 + t) * (|a| + |b|), and has at most the words from the shared
        # one on; a bit that differs is a word that only one has, of |a| + |b| - 2 |a & b| in all
        both = sizes[ones] + sizes[others]
        needed = np.ceil(threshold / (1 + threshold) * both - _EXACT)
        possible = np.minimum(sizes[ones] - positions[ones], sizes[others] - positions[others])
        differing = np.bitwise_count(prefixes.marks[ones] ^ prefixes.marks[others])
        kept = (possible >= needed) & (differing <= both - 2 * needed)
        yield prefixes.titles[ones[kept]], prefixes.titles[others[kept]]
