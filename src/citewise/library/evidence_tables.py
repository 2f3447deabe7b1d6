"""What a generation knows of its citing sentences: who is cited for which span, how often, by whom.

Like every table, a function of the segments: a cited paper that comes later is found then, versions that were merged
count together, and a sentence that two of them have is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.hash_table import Hashes
from citewise.library.evidence_segment import EvidenceSegment
from citewise.library.files import read_array, write_array
from citewise.library.segment import Segment
from citewise.library.tables import Edges, Lookup, Tables, years_of
from citewise.types import Rows

_SHIFT = np.int64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class EvidenceTables:
    """A citation here is one sentence that cites one paper for one span; they are sorted by span, cited row, newest."""

    deleted: Rows
    """Sentences that are gone."""
    identities: Lookup
    """Sentences that are there, by what they say."""
    citing: NDArray[np.int32]
    """The row of each sentence's paper, -1 where the library does not have it."""
    years: NDArray[np.int16]
    """The year of each sentence: its own or its paper's, whichever is later; 0 where neither is known."""
    numbers: NDArray[np.uint32]
    """For each span of the segments, end to end, the first that says the same: its number."""
    starts: Rows
    """Where each span's citations begin; a span that is not the first of its kind has none."""
    rows: NDArray[np.uint32]
    """The cited paper of each citation."""
    sentences: NDArray[np.uint32]
    uses: NDArray[np.uint32]
    """Where the span stands in the sentence."""
    said_starts: Rows
    said: NDArray[np.uint32]
    """For each paper the citations of it, in order."""
    frequencies: NDArray[np.uint32]
    """In how many spans that are cited for something each term stands."""
    totals: Rows
    """Sentences; spans that are cited for something; terms in them."""

    @classmethod
    def build(cls, segments: Sequence[EvidenceSegment], deleted: Rows, keys: Lookup,
              paper_years: NDArray[np.int16]) -> "EvidenceTables":
        """Derive the tables from the segments, the sentences that are gone (sorted), and what papers there are."""
        alive = np.ones(sum(map(len, segments)), np.bool_)
        alive[deleted] = False
        citing = keys.find(_joined(segments, "citing", np.uint64))
        years = _joined(segments, "years", np.int16)
        known = citing >= 0
        years[known] = np.maximum(years[known], paper_years[citing[known]])
        same = _same_sentences(segments, citing, np.flatnonzero(alive))
        np.maximum.at(years, same, years)
        years = years[same]
        numbers = _numbers(_joined(segments, "spans.hashes", np.uint64))
        citations = _citations(segments, numbers, keys, _Known(alive, citing, same, years))
        starts = _starts(citations[:, 0], numbers.size)
        identities = Lookup.of(_joined(segments, "identities", np.uint64)[alive], np.flatnonzero(alive))
        order = np.argsort(citations[:, 1], kind="stable")
        lengths = _joined(segments, "spans.lengths", np.uint16)
        live = np.diff(starts) > 0
        rows, sentences, uses = citations[:, 1:].astype(np.uint32).T
        return cls(deleted, identities, citing.astype(np.int32), years, numbers.astype(np.uint32), starts, rows,
                   sentences, uses, _starts(citations[order, 1], paper_years.size), order.astype(np.uint32),
                   _frequencies(segments, live),
                   np.array([(same[alive] == np.flatnonzero(alive)).sum(), live.sum(),
                             lengths[live].sum(dtype=np.int64)], np.int64))

    @classmethod
    def load(cls, folder: Path) -> "EvidenceTables":
        """Read saved tables, memory-mapped."""
        arrays = {name: read_array(folder / f"evidence.{name}", dtype) for name, dtype in _DTYPES.items()}
        return cls(identities=Lookup.load(folder, "evidence.identities"), **arrays)

    def edges(self, paper_years: NDArray[np.int16]) -> Edges:
        """Return which papers of the library cite which, as far as the graph may know.

        The graph dates a citation by the citing paper. A sentence that is younger, of a later version, is left out: the
        graph would show it before it was written.
        """
        citing, years = self.citing[self.sentences].astype(np.int64), self.years[self.sentences]
        kept = citing >= 0
        kept &= (paper_years[citing] == 0) | (years <= paper_years[citing])
        return citing[kept] << _SHIFT | self.rows[kept]

    def save(self, folder: Path) -> None:
        """Write all tables into a folder."""
        self.identities.save(folder, "evidence.identities")
        for name, dtype in _DTYPES.items():
            write_array(folder / f"evidence.{name}", getattr(self, name), dtype)


def derive(segments: Sequence[Segment], deleted: Rows, evidence: Sequence[EvidenceSegment],
           silent: Rows) -> tuple[Tables, EvidenceTables]:
    """Derive all tables of a generation; `silent` are the sentences that are gone (sorted)."""
    tables, years = Tables.build(segments, deleted), years_of(segments)
    said = EvidenceTables.build(evidence, silent, tables.keys, years)
    return (tables.with_citations(said.edges(years)) if evidence else tables), said


_DTYPES: dict[str, type[np.generic]] = {
    "deleted": np.int64, "citing": np.int32, "years": np.int16, "numbers": np.uint32, "starts": np.int64,
    "rows": np.uint32, "sentences": np.uint32, "uses": np.uint32, "said_starts": np.int64, "said": np.uint32,
    "frequencies": np.uint32, "totals": np.int64}


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of each sentence."""

    alive: NDArray[np.bool_]
    citing: Rows
    same: Rows
    years: NDArray[np.int16]


def _joined(segments: Sequence[EvidenceSegment], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *(segment.array(name) for segment in segments)])


def _offsets(counts: Sequence[int]) -> list[int]:
    return np.cumsum([0, *counts]).tolist()[:-1]  # type: ignore[no-any-return]


def _same_sentences(segments: Sequence[EvidenceSegment], citing: Rows, alive: Rows) -> Rows:
    """Return for each living sentence the first of the same paper with the same text at the same place."""
    papers = np.where(citing >= 0, citing.astype(np.uint64), _joined(segments, "citing", np.uint64))
    found = np.arange(citing.size)
    found[alive] = alive[_numbers((papers * _MIX ^ _joined(segments, "texts", np.uint64))[alive])]
    return found


def _numbers(hashes: Hashes) -> Rows:
    """Return for each hash the place of the first that is equal."""
    _, first, places = np.unique(hashes, return_index=True, return_inverse=True)
    return first[places]


def _citations(segments: Sequence[EvidenceSegment], numbers: Rows, keys: Lookup,
               known: _Known) -> NDArray[np.int64]:
    """Return the distinct (span, cited row, sentence, use), sorted by span, cited row, newest first."""
    owners, spans = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment, first, first_span in zip(segments, _offsets([*map(len, segments)]),
                                          _offsets([segment.spans for segment in segments]), strict=True):
        owners.append(np.repeat(np.arange(first, first + len(segment)), np.diff(segment.array("uses.starts"))))
        spans.append(segment.array("uses.spans").astype(np.int64) + first_span)
    counts = np.concatenate([np.zeros(0, np.int64), *(np.diff(segment.array("cited.starts")) for segment in segments)])
    uses = np.repeat(np.arange(counts.size), counts)
    sentences, rows = np.concatenate(owners)[uses], keys.find(_joined(segments, "cited.keys", np.uint64))
    kept = np.flatnonzero((rows >= 0) & known.alive[sentences] & (rows != known.citing[sentences]))
    uses, rows, sentences = uses[kept], rows[kept], known.same[sentences[kept]]
    pairs = numbers[np.concatenate(spans)[uses]] << _SHIFT | rows
    times = (10_000 - known.years[sentences].astype(np.int64)) << _SHIFT | sentences
    order = np.lexsort((times, pairs))
    pairs, times = pairs[order], times[order]
    first_of = np.ones(order.size, np.bool_)
    first_of[1:] = (pairs[1:] != pairs[:-1]) | (times[1:] != times[:-1])
    order = order[first_of]
    return np.stack([pairs[first_of] >> _SHIFT, rows[order], sentences[order], uses[order]], axis=1)


def _starts(places: Rows, count: int) -> Rows:
    return np.concatenate(([0], np.cumsum(np.bincount(places, minlength=count)))).astype(np.int64)


def _frequencies(segments: Sequence[EvidenceSegment], live: NDArray[np.bool_]) -> NDArray[np.uint32]:
    found = [segment.frequencies(live[first: first + segment.spans]) for segment, first in zip(
        segments, _offsets([segment.spans for segment in segments]), strict=True)]
    total = np.zeros(max((int(terms.max(initial=-1)) + 1 for terms, _ in found), default=0), np.int64)
    for terms, counts in found:
        total[terms] += counts
    return total.astype(np.uint32)
