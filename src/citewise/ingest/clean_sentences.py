"""Turn raw records into citing sentences: their text unchanged, their groups and keys checked."""

from collections.abc import Mapping
from typing import Any

from citewise.ingest.clean import Cleaner, clean_line, without_control
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import CitationGroup, CitingSentence

RawSentence = Mapping[str, Any]
"""A citing sentence as read from its format.

Keys: citing, text, groups (a list of start, end, keys), section, year, date, start; any may be
absent, None or of a wrong type.
"""

LONGEST_SENTENCE = 20_000
"""Characters; a library stores offsets in a sentence with 16 bits."""

MOST_GROUPS = 200
MOST_CITED = 1_000
"""Papers cited by one group."""


def clean_sentence(
    raw: RawSentence, location: SourceLocation, cleaner: Cleaner
) -> CitingSentence | None:
    """Return the citing sentence of a record, or None where it cannot be used.

    What is repaired or skipped is reported. Each character that cannot be shown becomes one space,
    so that offsets in the text stay valid.
    """
    citing, text = _key(raw.get("citing")), raw.get("text")
    groups = _groups(raw.get("groups"), text) if isinstance(text, str) else ()
    reason = _fault(citing, text, groups)
    if reason or not isinstance(text, str):
        cleaner.report.note("skipped", reason, location, citing)
        return None

    shown = without_control(text)
    repairs = ["control_characters"] if shown != text else []
    year, date = cleaner.year_and_date(raw.get("year"), raw.get("date"), repairs)
    start = raw.get("start")
    for reason in dict.fromkeys(repairs):
        cleaner.report.note("repaired", reason, location, citing)

    return CitingSentence(
        citing=citing,
        text=shown,
        groups=groups,
        section=clean_line(raw.get("section"))[:300],
        year=year,
        date=date,
        start=start if isinstance(start, int) and 0 <= start < 2**62 else -1,
    )


def raw_sentence(sentence: CitingSentence) -> RawSentence:
    """Return a citing sentence as a raw record, to be cleaned."""
    groups = [(group.start, group.end, group.cited) for group in sentence.groups]

    return {
        "citing": sentence.citing,
        "text": sentence.text,
        "groups": groups,
        "section": sentence.section,
        "year": sentence.year,
        "date": sentence.date,
        "start": sentence.start,
    }


def _fault(citing: str, text: Any, groups: tuple[CitationGroup, ...]) -> str:
    """Return the reason why a sentence cannot be used, "" where it can."""
    if not citing:
        return "no_citing_id"
    if not isinstance(text, str) or not text.strip():
        return "no_text"
    if len(text) > LONGEST_SENTENCE:
        return "sentence_too_long"
    return "" if any(group.cited for group in groups) else "no_cited_id"


def _groups(raw: Any, text: str) -> tuple[CitationGroup, ...]:
    """Return the groups that are within the text, in order and without overlap."""
    groups: list[CitationGroup] = []
    for start, end, keys in raw or ():
        previous_end = groups[-1].end if groups else 0
        if previous_end <= start <= end <= len(text) and len(groups) < MOST_GROUPS:
            cited = dict.fromkeys(name for name in map(_key, keys) if name)
            groups.append(CitationGroup(start, end, tuple(cited)[:MOST_CITED]))
    return tuple(groups)


def _key(value: Any) -> str:
    """Return the canonical key of an id, "" where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return ids.key(value) if isinstance(value, str) and 0 < len(value) <= ids.LONGEST_KEY else ""
