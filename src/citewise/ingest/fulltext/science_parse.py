"""Read science-parse's JSON of PDFs: sections, references, and where the text mentions these."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import Any
from unicodedata import normalize

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.passages import Mark, Passage
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.json_stream import streamed_objects
from citewise.ingest.json_values import at
from citewise.ingest.keys import registry_key
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "science-parse"

MOST_MENTIONS = 2_000
LONGEST_SEARCHED = 500_000
"""Characters, ten times what papers have; a bound, as each mention is searched for in the text."""

CONTEXT_SIZES = ((80, 80), (30, 10), (30, 0), (0, 30))
"""Characters before and after a mention by which it is searched for, tried in this order: a
mention's context is not always the same as the text.
"""

_HEAD = re.compile(rb'"metadata"\s*:\s*\{\s*"source"\s*:')
_LABEL = re.compile(r"^[^]]*\]\s*")
_WHOLE = re.compile(r"[(\[][^()\[\]]*[)\]]")


def detects(head: bytes) -> bool:
    """Return whether the first object has science-parse's metadata."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:1] == b"{" and _HEAD.search(head) is not None


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (line, document)."""
    for line, record in streamed_objects(source, report):
        metadata = record.get("metadata")
        location = SourceLocation(source.name, line)
        if not isinstance(metadata, dict):
            report.note("skipped", "no_full_text", location)
            continue

        listed = metadata.get("references")
        numbered = enumerate(listed if isinstance(listed, list) else [])
        entries = [(str(number), _reference(entry)) for number, entry in numbered]
        paper = _paper(record, metadata)
        document = assembled(paper, _passages(metadata), entries, location, report)
        if document is not None:
            yield line, document


def _paper(record: dict[str, Any], metadata: dict[str, Any]) -> Raw:
    name = str(record.get("name") or record.get("id") or "").removesuffix(".pdf")
    return {
        "title": metadata.get("title"),
        "abstract": metadata.get("abstractText"),
        "year": metadata.get("year"),
        "authors": metadata.get("authors"),
        "ids": {"arxiv": registry_key(name, "arxiv")},
    }


def _reference(entry: Any) -> Raw:
    """Return the raw record of an entry; its ids are often printed with the venue."""
    venue = at(entry, "venue")
    ids = printed(venue).get("ids", {}) if isinstance(venue, str) else {}
    authors = at(entry, "author")
    names = [
        _LABEL.sub("", name)
        for name in (authors if isinstance(authors, list) else [])
        if isinstance(name, str)
    ]

    return {
        "title": at(entry, "title"),
        "authors": names,
        "year": at(entry, "year") or None,
        "venue": venue,
        "ids": ids,
    }


def _passages(metadata: dict[str, Any]) -> Iterator[Passage]:
    """Yield each section as a passage."""
    sections = metadata.get("sections")
    listed = [
        section
        for section in (sections if isinstance(sections, list) else [])
        if isinstance(section, dict)
    ]
    texts = [
        " ".join(normalize("NFKC", str(section.get("text") or "")).split()) for section in listed
    ]

    # ends[i] is the length of the texts 0..i
    ends = accumulate(map(len, texts))
    searched = [
        text if end <= LONGEST_SEARCHED else "" for text, end in zip(texts, ends, strict=True)
    ]
    targets = _targets(metadata, searched)

    for number, (section, text) in enumerate(zip(listed, texts, strict=True)):
        marks = [
            Mark(start, end, tuple(dict.fromkeys(names)))
            for (start, end), names in sorted(targets[number].items())
        ]
        yield Passage(text, _apart(marks), str(section.get("heading") or "")[:300])


def _apart(marks: list[Mark]) -> tuple[Mark, ...]:
    """Return the marks without those that overlap the one before."""
    kept: list[Mark] = []
    for mark in marks:
        if not kept or kept[-1].end <= mark.start:
            kept.append(mark)
    return tuple(kept)


def _targets(
    metadata: dict[str, Any], texts: list[str]
) -> dict[int, dict[tuple[int, int], list[str]]]:
    """Return for each section the references by the (start, end) offsets of their mentions."""
    targets: dict[int, dict[tuple[int, int], list[str]]] = defaultdict(dict)
    mentions, references = metadata.get("referenceMentions"), metadata.get("references")
    if not isinstance(mentions, list) or not isinstance(references, list):
        return targets

    for mention in mentions[:MOST_MENTIONS]:
        number = at(mention, "referenceID")
        if isinstance(number, int) and 0 <= number < len(references):
            located = _located(mention, references[number], texts)
            if located is not None:
                targets[located[0]].setdefault(located[1:], []).append(str(number))
    return targets


def _located(mention: Any, reference: Any, texts: list[str]) -> tuple[int, int, int] | None:
    """Return (section, start, end) of a mention, or None where its context is not in the text."""
    context, start, end = map(mention.get, ("context", "startOffset", "endOffset"))
    if not (isinstance(context, str) and isinstance(start, int) and isinstance(end, int)):
        return None
    if not 0 <= start < end:
        return None

    head, printed_mark = normalize("NFKC", context[:start]), normalize("NFKC", context[start:end])
    inner = _narrowed(printed_mark, reference)
    if inner is None:
        return None

    whole = head + printed_mark + normalize("NFKC", context[end:])
    return _searched(whole, len(head) + inner[0], len(head) + inner[1], texts)


def _searched(context: str, start: int, end: int, texts: list[str]) -> tuple[int, int, int] | None:
    """Return (section, start, end) in the texts of context[start:end], or None.

    It is searched for with much of the context first, then with less (`CONTEXT_SIZES`).
    """
    for before, after in CONTEXT_SIZES:
        low = max(0, start - before)
        for section, text in enumerate(texts):
            position = text.find(context[low : end + after])
            if position >= 0:
                return section, position + start - low, position + end - low
    return None


def _narrowed(mention: str, reference: Any) -> tuple[int, int] | None:
    """Return the bounds of the reference's own mark in a mention, or None.

    Of several marks in a row, science-parse gives all mentions the start of the first mark.
    """
    stripped = mention.rstrip(" ,.;")
    if _WHOLE.fullmatch(stripped):
        return 0, len(stripped)

    authors = at(reference, "author")
    names = (
        [str(author).split()[-1] for author in authors if str(author).split()]
        if isinstance(authors, list)
        else []
    )
    start = stripped.rfind(names[0]) if names else -1
    return (start, len(stripped)) if start >= 0 else None
