"""All tables of a generation, derived from its segments."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citewise.arrays import Rows
from citewise.library.changes import changes_since, keys_of
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.levels import Changes
from citewise.library.segment import Segment
from citewise.library.segments import Segments
from citewise.library.tables import Edges, Tables

_NO_EDGES: Edges = np.zeros(0, np.int64)


def derive(
    segments: Sequence[Segment],
    deleted: Rows,
    evidence: Sequence[EvidenceSegment],
    deleted_sentences: Rows,
) -> tuple[Tables, EvidenceTables]:
    """Return the tables of papers and of evidence; `deleted` and `deleted_sentences` are sorted.

    Citing sentences are citations too, so their edges join those of the lists of references.
    """
    tables, years = Tables.build(segments, deleted), Segments(segments).years
    evidence_tables = EvidenceTables.build(evidence, deleted_sentences, tables.keys, years)
    if evidence:
        tables = tables.with_citations(evidence_tables.edges(years))
    return tables, evidence_tables


def derive_changes(
    base: tuple[Tables, Path],
    segments: Sequence[Segment],
    deleted: Rows,
    evidence: Sequence[EvidenceSegment],
    deleted_sentences: Rows,
) -> tuple[Changes, EvidenceTables]:
    """Return what differs from tables that were written before (`base`, with their folder), and the
    tables of evidence, which are whole in every generation.
    """
    tables, folder = base
    papers = Segments(segments)
    keys, years = keys_of(tables, papers, deleted), papers.years
    evidence_tables = EvidenceTables.build(evidence, deleted_sentences, keys, years)
    edges = evidence_tables.edges(years) if evidence else _NO_EDGES
    has_evidence = (folder / "evidence.rows").exists()
    before = EvidenceTables.load(folder).edges(years) if has_evidence else _NO_EDGES
    return changes_since(tables, papers, deleted, keys, (before, edges)), evidence_tables
