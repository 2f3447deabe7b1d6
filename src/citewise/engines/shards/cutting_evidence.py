"""Cuts the evidence of a library: every citation is stored twice, once with its span and once with
the paper that it cites, as the graph has references and citers.

A part has numbers of its own for spans, sentences and papers. Three sorted arrays say which ones of
the whole library these are, so that what is sorted in the library is sorted in a part.
"""

from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows, distinct
from citewise.library.evidence.reader import EvidenceStore
from citewise.library.evidence.segment import PER_USE, EvidenceWriter
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.files import write_array
from citewise.library.folder import LibraryFolder
from citewise.library.records import RecordWriter
from citewise.library.tables import Lookup

Kind = Literal["spans", "received"]
"""By span (number modulo the number of shards), or by the cited paper (row modulo that)."""

MAPS = ("spans", "sentences", "papers")
"""The arrays that say which spans, sentences and papers of the library a part has."""

_BATCH = 4_096


def cut_evidence(source: LibraryFolder, kind: Kind, key: tuple[int, int], folder: Path) -> None:
    """Write one shard's part of a library's evidence; `key` is the shard and the number of shards.

    Only the part by span has texts and an inverted index.
    """
    shard, shards = key
    tables = source.evidence.tables
    spans = np.repeat(np.arange(tables.starts.size - 1), np.diff(tables.starts))
    owners = spans if kind == "spans" else tables.rows.astype(np.int64)
    citations = np.flatnonzero(owners % shards == shard)
    part = _Part.of(source.evidence, citations, spans[citations], kind == "spans")

    _write_arrays(source, part, folder)
    _write_records(source.evidence, part, folder, kind == "spans")
    _tables(source, part).save(folder)
    for name in MAPS:
        write_array(folder / f"map.{name}", getattr(part, name), np.int64)
    years = source.papers.years(part.papers)
    write_array(folder / "map.years", years, np.int16)

    if kind == "spans":  # every sentence once more, also those that cite nothing of the library
        every = np.arange(shard, tables.years.size, shards)
        _write_sentences(source.evidence, every, folder.parent / "sentences")


class _Part(NamedTuple):
    """Which citations, spans, uses, sentences and papers of the library are in a part; sorted."""

    citations: Rows
    span_of: Rows
    """The span of each citation."""
    spans: Rows
    uses: Rows
    use_sentences: Rows
    """The sentence of each use."""
    sentences: Rows
    papers: Rows

    @classmethod
    def of(
        cls, evidence: EvidenceStore, citations: Rows, span_of: Rows, with_texts: bool
    ) -> "_Part":
        """Return what belongs to some citations; without texts, no uses of spans do."""
        tables, spans = evidence.tables, distinct(span_of)
        uses = np.zeros(0, np.int64)
        if with_texts:
            first = _whole(evidence, "spans.first_uses", evidence.first_uses)[spans]
            uses = np.unique(np.append(tables.uses[citations].astype(np.int64), first))

        # a use belongs to the last sentence that begins before it
        starts = _whole(evidence, "uses.starts", evidence.first_uses, drop_last=True)
        use_sentences = np.searchsorted(starts, uses, "right") - 1
        cited_in = tables.sentences[citations].astype(np.int64)
        sentences = np.unique(np.append(cited_in, use_sentences))

        citing = tables.citing[sentences].astype(np.int64)
        papers = np.unique(np.append(tables.rows[citations].astype(np.int64), citing[citing >= 0]))
        return cls(citations, span_of, spans, uses, use_sentences, sentences, papers)


def _whole(
    evidence: EvidenceStore, name: str, firsts: Rows | None = None, drop_last: bool = False
) -> NDArray[Any]:
    """Return an array of all segments end to end; numbers in it are counted from `firsts`."""
    parts = []
    for number, segment in enumerate(evidence.segments):
        array = segment.array(name)[:-1] if drop_last else segment.array(name)
        parts.append(array if firsts is None else array.astype(np.int64) + firsts[number])
    return np.concatenate([np.zeros(0, np.int64 if firsts is not None else np.uint64), *parts])


def _write_arrays(source: LibraryFolder, part: _Part, folder: Path) -> None:
    """Write what an evidence segment has of its sentences, uses and spans."""
    evidence, tables = source.evidence, source.evidence.tables
    EvidenceWriter(folder).close()  # a segment of nothing, whose arrays are replaced below

    per_sentence = {"texts": np.uint64, "citing": np.uint64, "identities": np.uint64}
    for name, dtype in per_sentence.items():
        write_array(folder / name, _whole(evidence, name)[part.sentences], dtype)
    write_array(folder / "years", tables.years[part.sentences], np.int16)

    for name in ("uses.begins", "uses.ends", "uses.kinds"):
        write_array(folder / name, _whole(evidence, name)[part.uses], PER_USE[name])
    used = _whole(evidence, "uses.spans", evidence.first_spans)[part.uses]
    numbers = tables.numbers[used].astype(np.int64)
    write_array(folder / "uses.spans", np.searchsorted(part.spans, numbers), np.uint32)
    ends = np.searchsorted(part.use_sentences, part.sentences, "right")
    write_array(folder / "uses.starts", np.append(0, ends), np.int64)
    write_array(folder / "cited.starts", np.zeros(part.uses.size + 1), np.int64)

    write_array(folder / "spans.hashes", _whole(evidence, "spans.hashes")[part.spans], np.uint64)
    write_array(folder / "spans.lengths", _whole(evidence, "spans.lengths")[part.spans], np.uint16)
    if part.uses.size:
        first = _whole(evidence, "spans.first_uses", evidence.first_uses)[part.spans]
        write_array(folder / "spans.first_uses", np.searchsorted(part.uses, first), np.uint32)
        _write_postings(evidence, part, folder)


def _write_postings(evidence: EvidenceStore, part: _Part, folder: Path) -> None:
    """Write the inverted index over the part's spans."""
    keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment, first in zip(evidence.segments, evidence.first_spans.tolist(), strict=False):
        spans = segment.array("postings.spans").astype(np.int64) + first
        at = np.minimum(np.searchsorted(part.spans, spans), part.spans.size - 1)
        here = np.flatnonzero(part.spans[at] == spans)
        lengths = np.diff(segment.array("postings.starts"))
        terms = np.repeat(segment.array("postings.terms").astype(np.int64), lengths)
        keys.append(terms[here] << 32 | at[here])
        counts.append(segment.array("postings.counts")[here].astype(np.int64))
    EvidenceWriter.write_postings(folder, np.concatenate(keys), np.concatenate(counts))


def _write_records(evidence: EvidenceStore, part: _Part, folder: Path, with_texts: bool) -> None:
    """Write the texts of the part's sentences."""
    if with_texts:
        _write_sentences(evidence, part.sentences, folder)


def _write_sentences(evidence: EvidenceStore, numbers: Rows, folder: Path) -> None:
    """Write the texts of some sentences."""
    folder.mkdir(parents=True, exist_ok=True)
    records = RecordWriter(folder)
    for start in range(0, numbers.size, _BATCH):
        records.extend(evidence.raw_sentences(numbers[start : start + _BATCH]))
    records.close()


def _tables(source: LibraryFolder, part: _Part) -> EvidenceTables:
    """Return the tables of a part, by its own numbers."""
    tables, papers = source.evidence.tables, part.papers
    citing = tables.citing[part.sentences].astype(np.int64)
    rows = np.searchsorted(papers, tables.rows[part.citations])
    order = np.argsort(rows, kind="stable")
    bounds, every = np.arange(part.spans.size + 1), np.arange(papers.size + 1)
    spans = np.searchsorted(part.spans, part.span_of)
    uses = np.zeros(part.citations.size, np.int64)
    if part.uses.size:
        uses = np.searchsorted(part.uses, tables.uses[part.citations])

    return EvidenceTables(
        deleted=np.zeros(0, np.int64),
        identities=Lookup(np.zeros(0, np.uint64), np.zeros(0, np.uint32)),
        citing=np.where(citing >= 0, np.searchsorted(papers, citing), -1).astype(np.int32),
        years=tables.years[part.sentences],
        numbers=np.arange(part.spans.size, dtype=np.uint32),
        starts=np.searchsorted(spans, bounds),
        rows=rows.astype(np.uint32),
        sentences=np.searchsorted(part.sentences, tables.sentences[part.citations]).astype(
            np.uint32
        ),
        uses=uses.astype(np.uint32),
        by_cited_starts=np.searchsorted(rows[order], every),
        by_cited=order.astype(np.uint32),
        frequencies=np.zeros(0, np.uint32),
        totals=np.array([part.sentences.size, part.spans.size, 0], np.int64),
    )
