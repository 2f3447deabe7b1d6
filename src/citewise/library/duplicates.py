"""Near-duplicate titles: pairs whose word sets have a Jaccard coefficient of at least 0.7."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.ids import title_key, title_words
from citewise.library.lists import flat_index
from citewise.library.versions import SAME_TITLE
from citewise.types import Rows

_CHUNK = 2_000_000
"""Pairs looked at together."""

_EXACT = 1e-9
"""Keeps a product that should be whole from being rounded up or down past it."""


@dataclass(frozen=True, slots=True)
class _Prefixes:
    """The rarest words of each title, sorted by word and then by the size of the title's word set."""

    titles: Rows
    words: NDArray[np.int64]
    places: NDArray[np.int64]
    """Where the word stands in its title, the rarest word at 0."""
    sizes: NDArray[np.int64]
    marks: NDArray[np.uint64]
    """For each prefix its title's words as bits of a number."""


def near_duplicates(titles: Sequence[str], threshold: float = SAME_TITLE,
                    first: int = 0) -> Iterator[tuple[int, int, float]]:
    """Yield (place, later place, Jaccard) of all pairs of like titles of which the later is at `first` or behind.

    Exact: sets that alike share one of their few rarest words, share it near the front (prefix and position filters:
    Xiao et al., Efficient similarity joins for near duplicate detection, WWW 2008), and differ in few bits.
    """
    sets = [frozenset(title_words(title)) for title in titles]
    found: set[tuple[int, int]] = set()
    for one, other in _candidates(_prefixes(sets, threshold), threshold):
        behind = np.maximum(one, other)
        kept = behind >= first
        found.update(zip(np.minimum(one, other)[kept].tolist(), behind[kept].tolist(), strict=True))
    for earlier, later in sorted(found):
        alike = _jaccard(sets[earlier], sets[later])
        if alike >= threshold:
            yield earlier, later, alike


def like_titles(asked: Sequence[str], titles: Sequence[str],
                threshold: float = SAME_TITLE) -> Iterator[tuple[int, int]]:
    """Yield (place in `asked`, place in `titles`) of all pairs that are alike or have the same letters.

    Exact: of two sets that are alike, the other has one of any |a| - ceil(threshold * |a|) + 1 words of the first; the
    rarest make the fewest pairs.
    """
    sets = [frozenset(title_words(title)) for title in titles]
    wanted = [frozenset(title_words(title)) for title in asked]
    index, rare = _rarest(wanted, Counter(itertools.chain.from_iterable(sets)), threshold)
    letters = defaultdict(list)
    for place, title in enumerate(asked):
        letters[title_key(title)].append(place)
    for place, (title, words) in enumerate(zip(titles, sets, strict=True)):
        near = {one for word in words & rare for one in index[word]}
        alike = {one for one in near if _jaccard(wanted[one], words) >= threshold}
        yield from ((one, place) for one in sorted(alike.union(letters.get(title_key(title) or " ", ()))))


def _rarest(sets: Sequence[frozenset[str]], frequency: Counter[str],
            threshold: float) -> tuple[dict[str, list[int]], frozenset[str]]:
    """Return for the rarest words of some sets where they stand, and those words."""
    index = defaultdict(list)
    for place, words in enumerate(sets):
        most = len(words) - math.ceil(threshold * len(words) - _EXACT) + 1
        for word in sorted(words, key=lambda word: (frequency[word], word))[:most]:
            index[word].append(place)
    return index, frozenset(index)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _prefixes(sets: Sequence[frozenset[str]], threshold: float) -> _Prefixes:
    frequency = Counter(itertools.chain.from_iterable(sets))
    rank = {word: place for place, word in enumerate(sorted(frequency, key=lambda word: (frequency[word], word)))}
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    words = np.fromiter((rank[word] for held in sets for word in held), np.int64, int(sizes.sum()))
    titles = np.repeat(np.arange(len(sets)), sizes)
    words = words[np.lexsort((words, titles))]
    places, _ = flat_index(np.zeros_like(sizes), sizes)
    marks = np.zeros(len(sets), np.uint64)
    np.bitwise_or.at(marks, titles, np.uint64(1) << (words % 64).astype(np.uint64))
    front = np.flatnonzero(places <= sizes[titles] - np.ceil(threshold * sizes[titles] - _EXACT))
    order = front[np.lexsort((titles[front], sizes[titles[front]], words[front]))]
    return _Prefixes(titles[order], words[order], places[order], sizes[titles[order]], marks[titles[order]])


def _candidates(held: _Prefixes, threshold: float) -> Iterator[tuple[Rows, Rows]]:
    """Yield pairs of titles that share a prefix word and are not excluded by their sizes, its place or their bits."""
    width = int(held.sizes.max(initial=0)) + 2
    keys = held.words * width + held.sizes
    longest = np.minimum(np.floor(held.sizes / threshold + _EXACT).astype(np.int64), width - 1)
    starts = np.arange(1, keys.size + 1)
    ends = np.searchsorted(keys, held.words * width + longest, "right")
    early = held.places <= held.sizes - np.ceil(2 * threshold / (1 + threshold) * held.sizes - _EXACT)
    ends = np.where(early, ends, starts)  # the smaller set has a shared word among its very rarest
    totals = np.cumsum(ends - starts)
    bounds = np.searchsorted(totals, np.arange(0, int(totals.max(initial=0)) + _CHUNK, _CHUNK))
    for begin, end in itertools.pairwise([*bounds.tolist(), keys.size]):
        others, _ = flat_index(starts[begin:end], ends[begin:end])
        ones = np.repeat(np.arange(begin, end), (ends - starts)[begin:end])
        both = held.sizes[ones] + held.sizes[others]
        needed = np.ceil(threshold / (1 + threshold) * both - _EXACT)
        possible = np.minimum(held.sizes[ones] - held.places[ones], held.sizes[others] - held.places[others])
        differing = np.bitwise_count(held.marks[ones] ^ held.marks[others])
        kept = (possible >= needed) & (differing <= both - 2 * needed)
        yield held.titles[ones[kept]], held.titles[others[kept]]
