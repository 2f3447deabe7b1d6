"""Tables of a generation's citing sentences: which papers are cited for which span, and by whom.

Like every table, they are computed from the segments alone: a cited paper that is added later is
found then, and where two papers were merged into one, their citations count together; a sentence
that cites both is counted once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Hashes, Rows
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.files import read_array, write_array
from citewise.library.tables import Edges, Lookup, RowsByHash

_SHIFT = np.int64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio, odd: multiplying by it spreads small numbers over all 64 bits."""


@dataclass(frozen=True, slots=True)
class EvidenceTables:
    """Citations, each of one paper by one sentence for one span; sorted by span, then by cited
    row, latest first.
    """

    deleted: Rows
    """Sentences that were deleted."""
    identities: Lookup
    """Sentences that were not deleted, by `Sentences.identities`."""
    citing: NDArray[np.int32]
    """The row of each sentence's paper, -1 where the library does not have it."""
    years: NDArray[np.int16]
    """The year of each sentence: its own or its paper's, whichever is later; 0 where neither is
    known.
    """
    numbers: NDArray[np.uint32]
    """For each span of the segments, end to end, the number of the first with the same text."""
    starts: Rows
    """Where each span's citations begin; only the first of several equal spans has any."""
    rows: NDArray[np.uint32]
    """The cited paper of each citation."""
    sentences: NDArray[np.uint32]
    uses: NDArray[np.uint32]
    """The use of the span in the sentence."""
    by_cited_starts: Rows
    """Where each paper's list in `by_cited` begins."""
    by_cited: NDArray[np.uint32]
    """For each paper the citations of it, in order."""
    frequencies: NDArray[np.uint32]
    """For each term, the number of spans with it that have a citation."""
    totals: Rows
    """Three numbers: sentences, spans that have a citation, terms in those spans."""

    @classmethod
    def build(
        cls,
        segments: Sequence[EvidenceSegment],
        deleted: Rows,
        keys: RowsByHash,
        paper_years: NDArray[np.int16],
    ) -> "EvidenceTables":
        """Compute the tables from the segments, the deleted sentences (sorted), and the papers'
        keys and years.
        """
        alive = np.ones(sum(map(len, segments)), np.bool_)
        alive[deleted] = False

        citing = keys.find(_joined(segments, "citing", np.uint64))
        years = _joined(segments, "years", np.int16)
        known = citing >= 0
        years[known] = np.maximum(years[known], paper_years[citing[known]])

        same = _same_sentences(segments, citing, np.flatnonzero(alive))
        # sentences that are the same one get the latest of their years
        np.maximum.at(years, same, years)
        years = years[same]

        numbers = _numbers(_joined(segments, "spans.hashes", np.uint64))
        citations = _citations(segments, numbers, keys, _Known(alive, citing, same, years))
        starts = _starts(citations[:, 0], numbers.size)
        identities = Lookup.of(
            _joined(segments, "identities", np.uint64)[alive], np.flatnonzero(alive)
        )

        order = np.argsort(citations[:, 1], kind="stable")
        lengths = _joined(segments, "spans.lengths", np.uint16)
        live = np.diff(starts) > 0
        rows, sentences, uses = citations[:, 1:].astype(np.uint32).T

        return cls(
            deleted,
            identities,
            citing.astype(np.int32),
            years,
            numbers.astype(np.uint32),
            starts,
            rows,
            sentences,
            uses,
            _starts(citations[order, 1], paper_years.size),
            order.astype(np.uint32),
            _frequencies(segments, live),
            np.array(
                [
                    (same[alive] == np.flatnonzero(alive)).sum(),
                    live.sum(),
                    lengths[live].sum(dtype=np.int64),
                ],
                np.int64,
            ),
        )

    @classmethod
    def load(cls, folder: Path) -> "EvidenceTables":
        """Read saved tables, memory-mapped."""
        arrays = {
            field: read_array(folder / _file(field), dtype) for field, dtype in _DTYPES.items()
        }
        return cls(identities=Lookup.load(folder, "evidence.identities"), **arrays)

    def edges(self, paper_years: NDArray[np.int16]) -> Edges:
        """Return which papers of the library cite which, as the graph's edges.

        The graph dates a citation by the citing paper. A sentence that is younger, from a later
        version, is left out: the graph would show its citation before it was written.
        """
        citing, years = self.citing[self.sentences].astype(np.int64), self.years[self.sentences]
        kept = citing >= 0
        kept &= (paper_years[citing] == 0) | (years <= paper_years[citing])
        return citing[kept] << _SHIFT | self.rows[kept]

    def save(self, folder: Path) -> None:
        """Write all tables into a folder."""
        self.identities.save(folder, "evidence.identities")
        for field, dtype in _DTYPES.items():
            write_array(folder / _file(field), getattr(self, field), dtype)


_DTYPES: dict[str, type[np.generic]] = {
    "deleted": np.int64,
    "citing": np.int32,
    "years": np.int16,
    "numbers": np.uint32,
    "starts": np.int64,
    "rows": np.uint32,
    "sentences": np.uint32,
    "uses": np.uint32,
    "by_cited_starts": np.int64,
    "by_cited": np.uint32,
    "frequencies": np.uint32,
    "totals": np.int64,
}


_FILES = {"by_cited_starts": "said_starts", "by_cited": "said"}
"""Fields whose file on disk has an older name."""


def _file(field: str) -> str:
    return f"evidence.{_FILES.get(field, field)}"


@dataclass(frozen=True, slots=True)
class _Known:
    """One value a sentence: whether it is there, its paper, the first same one, its year."""

    alive: NDArray[np.bool_]
    citing: Rows
    same: Rows
    years: NDArray[np.int16]


def _joined(
    segments: Sequence[EvidenceSegment], name: str, dtype: type[np.generic]
) -> NDArray[Any]:
    """Return an array of all segments, end to end."""
    return np.concatenate([np.zeros(0, dtype), *(segment.array(name) for segment in segments)])


def _offsets(counts: Sequence[int]) -> list[int]:
    """Return where each part begins when parts of these sizes are put end to end."""
    return np.cumsum([0, *counts]).tolist()[:-1]  # type: ignore[no-any-return]


def _same_sentences(segments: Sequence[EvidenceSegment], citing: Rows, alive: Rows) -> Rows:
    """Return for each sentence the first of the same paper with the same text at the same position;
    a deleted sentence is its own.
    """
    papers = np.where(citing >= 0, citing.astype(np.uint64), _joined(segments, "citing", np.uint64))
    texts = _joined(segments, "texts", np.uint64)

    first = np.arange(citing.size)
    first[alive] = alive[_numbers((papers * _MIX ^ texts)[alive])]
    return first


def _numbers(hashes: Hashes) -> Rows:
    """Return for each hash the position of the first that is equal."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    return first[inverse]


def _citations(
    segments: Sequence[EvidenceSegment], numbers: Rows, keys: RowsByHash, known: _Known
) -> NDArray[np.int64]:
    """Return the distinct (span, cited row, sentence, use), sorted by span, cited row, newest
    first.
    """
    owners, spans = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment, first, first_span in zip(
        segments,
        _offsets([*map(len, segments)]),
        _offsets([segment.spans for segment in segments]),
        strict=True,
    ):
        owners.append(
            np.repeat(np.arange(first, first + len(segment)), np.diff(segment.array("uses.starts")))
        )
        spans.append(segment.array("uses.spans").astype(np.int64) + first_span)

    counts = np.concatenate(
        [np.zeros(0, np.int64), *(np.diff(segment.array("cited.starts")) for segment in segments)]
    )
    uses = np.repeat(np.arange(counts.size), counts)

    sentences = np.concatenate(owners)[uses]
    rows = keys.find(_joined(segments, "cited.keys", np.uint64))
    kept = np.flatnonzero((rows >= 0) & known.alive[sentences] & (rows != known.citing[sentences]))
    uses, rows, sentences = uses[kept], rows[kept], known.same[sentences[kept]]

    # (span, row) and (newest first, sentence) as two packed numbers: span << 32 | row and
    # (10,000 - year) << 32 | sentence; of equal pairs the first stays
    pairs = numbers[np.concatenate(spans)[uses]] << _SHIFT | rows
    times = (10_000 - known.years[sentences].astype(np.int64)) << _SHIFT | sentences
    order = np.lexsort((times, pairs))
    pairs, times = pairs[order], times[order]

    first_of = np.ones(order.size, np.bool_)
    first_of[1:] = (pairs[1:] != pairs[:-1]) | (times[1:] != times[:-1])
    order = order[first_of]
    return np.stack([pairs[first_of] >> _SHIFT, rows[order], sentences[order], uses[order]], axis=1)


def _starts(owners: Rows, count: int) -> Rows:
    """Return where the values of each owner 0..count-1 begin when they are sorted by owner."""
    if not owners.size:  # nothing is touched: a library without sentences has millions of owners
        return np.zeros(count + 1, np.int64)
    return np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=count)))).astype(np.int64)


def _frequencies(
    segments: Sequence[EvidenceSegment], live: NDArray[np.bool_]
) -> NDArray[np.uint32]:
    """Return for each term the number of spans with it that are True in `live`."""
    firsts = _offsets([segment.spans for segment in segments])
    counted = [
        segment.frequencies(live[first : first + segment.spans])
        for segment, first in zip(segments, firsts, strict=True)
    ]

    size = max((int(terms.max(initial=-1)) + 1 for terms, _ in counted), default=0)
    total = np.zeros(size, np.int64)
    for terms, counts in counted:
        total[terms] += counts
    return total.astype(np.uint32)
