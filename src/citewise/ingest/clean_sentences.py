"""Raw citing sentences to clean ones: word for word, with groups that fit the text and keys that
name papers.
"""

from collections.abc import Mapping
from typing import Any

from citewise.ingest.clean import Cleaner, clean_line, without_control
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import CitationGroup, CitingSentence

RawSentence = Mapping[str, Any]
"""A sentence as its format gave it. Keys: citing, text, groups (a list of start, end, keys),
section, year, date, start; any may be absent, None or of a wrong type.
"""

LONGEST_SENTENCE = 20_000
"""Characters; a library keeps positions in a sentence in 16 bits."""

MOST_GROUPS = 200
MOST_CITED = 1_000
"""In one group."""


def clean_sentence(
    raw: RawSentence, place: SourceLocation, cleaner: Cleaner
) -> CitingSentence | None:
    """Return the sentence, or None where it is none; what was repaired or skipped is in the
    cleaner's report.

    Characters that cannot be shown become spaces, one for one: places in the text stay what they
    were.
    """
    citing, text = _key(raw.get("citing")), raw.get("text")
    groups = _groups(raw.get("groups"), text) if isinstance(text, str) else ()
    reason = _fault(citing, text, groups)
    if reason or not isinstance(text, str):
        cleaner.report.note("skipped", reason, place, citing)
        return None
    shown = without_control(text)
    repairs = ["control_characters"] if shown != text else []
    year, date = cleaner.year_and_date(raw.get("year"), raw.get("date"), repairs)
    start = raw.get("start")
    for reason in dict.fromkeys(repairs):
        cleaner.report.note("repaired", reason, place, citing)
    return CitingSentence(
        citing,
        shown,
        groups,
        clean_line(raw.get("section"))[:300],
        year,
        date,
        start if isinstance(start, int) and 0 <= start < 2**62 else -1,
    )


def raw_sentence(sentence: CitingSentence) -> RawSentence:
    """Return a sentence that was made elsewhere as a raw one."""
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
    """Return why a sentence cannot be used, "" where it can."""
    reason = ""
    if not citing:
        reason = "no_citing_id"
    elif not isinstance(text, str) or not text.strip():
        reason = "no_text"
    elif len(text) > LONGEST_SENTENCE:
        reason = "sentence_too_long"
    elif not any(group.cited for group in groups):
        reason = "no_cited_id"
    return reason


def _groups(raw: Any, text: str) -> tuple[CitationGroup, ...]:
    """Return the groups that lie within the text, one behind the other."""
    groups: list[CitationGroup] = []
    for start, end, keys in raw or ():
        if (groups[-1].end if groups else 0) <= start <= end <= len(text) and len(
            groups
        ) < MOST_GROUPS:
            cited = dict.fromkeys(name for name in map(_key, keys) if name)
            groups.append(CitationGroup(start, end, tuple(cited)[:MOST_CITED]))
    return tuple(groups)


def _key(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return ids.key(value) if isinstance(value, str) and 0 < len(value) <= ids.LONGEST_KEY else ""
