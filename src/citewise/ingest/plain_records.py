"""Records of citewise's own format whose fields are all of the right type.

Most records of a large file are such, and need no repair: they are checked as a whole, at less than
half the cost of `clean.Cleaner`, which gets the others.
"""

import msgspec

from citewise.ingest.clean import (
    FIRST_YEAR,
    LONGEST_FIELD,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_VENUE,
    MOST_AUTHORS,
    MOST_FIELDS,
    Cleaner,
    Raw,
    is_clean,
    kept_abstract,
    kept_references,
)
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import Paper


class PlainRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A record that has only these fields, each of the right type."""

    id: str
    title: str
    abstract: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()
    venue: str = ""
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


_decode = msgspec.json.Decoder(PlainRecord).decode


def plain_record(line: bytes) -> PlainRecord | None:
    """Return the record of a line of JSON, None where the line is anything else."""
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def clean_record(
    raw: Raw | PlainRecord, location: SourceLocation, cleaner: Cleaner
) -> Paper | None:
    """Return the paper of a record, or None where it has neither an id nor a title."""
    if not isinstance(raw, PlainRecord):
        return cleaner.paper(raw, location)
    if _is_sound(raw, cleaner.last_year):
        return _paper(raw)
    return cleaner.paper(msgspec.structs.asdict(raw), location)


def _paper(record: PlainRecord) -> Paper:
    return Paper(
        id=record.id,
        title=record.title,
        abstract=record.abstract,
        year=record.year,
        authors=record.authors,
        venue=record.venue,
        references=record.references,
        fields=record.fields,
    )


def _is_sound(record: PlainRecord, last_year: int) -> bool:
    """Return whether `Cleaner.paper` would surely leave every field as it is."""
    title, year = record.title, record.year
    optional = [text for text in (record.abstract, record.venue) if text]

    # Joined by spaces, texts that are empty or that begin or end with a space make two of them or
    # one at an end.
    joined = " ".join([title, record.id, *optional, *record.authors, *record.fields])
    return (
        is_clean(joined)
        and title[:1].isalnum()
        and joined[-1] != " "
        and len(title) <= LONGEST_TITLE
        and (year is None or FIRST_YEAR <= year <= last_year)
        and len(record.id) <= ids.LONGEST_KEY
        and ids.key(record.id) == record.id
        and len(record.venue) <= LONGEST_VENUE
        and len(record.authors) <= MOST_AUTHORS
        and max(map(len, record.authors), default=0) <= LONGEST_NAME
        and (not record.fields or _are_sound_fields(record.fields))
        and _keeps_abstract_and_references(record)
    )


def _are_sound_fields(fields: tuple[str, ...]) -> bool:
    distinct = len(set(fields)) == len(fields)
    return distinct and len(fields) <= MOST_FIELDS and max(map(len, fields)) <= LONGEST_FIELD


def _keeps_abstract_and_references(record: PlainRecord) -> bool:
    repairs: list[str] = []
    abstract = kept_abstract(record.abstract, record.title, repairs)
    references = kept_references(record.references, {record.id}, repairs)
    return not repairs and abstract == record.abstract and references == record.references
