"""All tables of a generation, derived from its segments."""

from collections.abc import Sequence

from citewise.arrays import Rows
from citewise.library.evidence.segment import EvidenceSegment
from citewise.library.evidence.tables import EvidenceTables
from citewise.library.segment import Segment
from citewise.library.segments import Segments
from citewise.library.tables import Tables


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
