"""science-parse's JSON of PDFs: sections, references and, apart from both, where the text mentions
them.
"""

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
from citewise.ingest.json_lines import at
from citewise.ingest.json_stream import streamed_objects
from citewise.ingest.keys import registry_key
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source

NAME = "science-parse"

MOST_MENTIONS = 2_000
LONGEST_SEARCHED = 500_000
"""Characters of the text, ten times what papers have: bounds, because each mention is searched for
in all of it.
"""
AROUND = ((80, 80), (30, 10), (30, 0), (0, 30))
"""Characters before and after a mention that must be found, the first that are; contexts are not
cut as the text is.
"""

_HEAD = re.compile(rb'"metadata"\s*:\s*\{\s*"source"\s*:')
_LABEL = re.compile(r"^[^]]*\]\s*")
_WHOLE = re.compile(r"[(\[][^()\[\]]*[)\]]")


def detects(head: bytes) -> bool:
    """Whether the source starts with an object that has science-parse's metadata."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n[")[:1] == b"{" and _HEAD.search(head) is not None


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (line, document)."""
    for line, record in streamed_objects(source, report):
        metadata = record.get("metadata")
        place = SourceLocation(source.name, line)
        if not isinstance(metadata, dict):
            report.note("skipped", "no_full_text", place)
            continue
        listed = metadata.get("references")
        numbered = enumerate(listed if isinstance(listed, list) else [])
        entries = [(str(number), _reference(entry)) for number, entry in numbered]
        document = assembled(_paper(record, metadata), _passages(metadata), entries, place, report)
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
    venue = at(entry, "venue")
    found = printed(venue).get("ids", {}) if isinstance(venue, str) else {}
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
        "ids": found,
    }


def _passages(metadata: dict[str, Any]) -> Iterator[Passage]:
    sections = metadata.get("sections")
    listed = [
        section
        for section in (sections if isinstance(sections, list) else [])
        if isinstance(section, dict)
    ]
    texts = [
        " ".join(normalize("NFKC", str(section.get("text") or "")).split()) for section in listed
    ]
    ends = accumulate(map(len, texts))
    marks = _marks(
        metadata,
        [text if end <= LONGEST_SEARCHED else "" for text, end in zip(texts, ends, strict=True)],
    )
    for number, (section, text) in enumerate(zip(listed, texts, strict=True)):
        found = sorted(marks[number].items())
        placed = [
            Mark(start, end, tuple(dict.fromkeys(targets))) for (start, end), targets in found
        ]
        yield Passage(text, _apart(placed), str(section.get("heading") or "")[:300])


def _apart(marks: list[Mark]) -> tuple[Mark, ...]:
    kept: list[Mark] = []
    for mark in marks:
        if not kept or kept[-1].end <= mark.start:
            kept.append(mark)
    return tuple(kept)


def _marks(
    metadata: dict[str, Any], texts: list[str]
) -> dict[int, dict[tuple[int, int], list[str]]]:
    """Return, for each section, the marks in it by their place, with what they point to."""
    found: dict[int, dict[tuple[int, int], list[str]]] = defaultdict(dict)
    mentions, references = metadata.get("referenceMentions"), metadata.get("references")
    for mention in mentions[:MOST_MENTIONS] if isinstance(mentions, list) else []:
        number = at(mention, "referenceID")
        if (
            isinstance(number, int)
            and isinstance(references, list)
            and 0 <= number < len(references)
        ):
            place = _placed(mention, references[number], texts)
            if place is not None:
                found[place[0]].setdefault(place[1:], []).append(str(number))
    return found


def _placed(mention: Any, reference: Any, texts: list[str]) -> tuple[int, int, int] | None:
    """Return (section, start, end) of a mention, or None where its context is not in the text."""
    context, start, end = (
        mention.get("context"),
        mention.get("startOffset"),
        mention.get("endOffset"),
    )
    if (
        not (isinstance(context, str) and isinstance(start, int) and isinstance(end, int))
        or not 0 <= start < end
    ):
        return None
    head, printed_mark = normalize("NFKC", context[:start]), normalize("NFKC", context[start:end])
    inner = _narrowed(printed_mark, reference)
    if inner is None:
        return None
    whole = head + printed_mark + normalize("NFKC", context[end:])
    return _found(whole, len(head) + inner[0], len(head) + inner[1], texts)


def _found(context: str, start: int, end: int, texts: list[str]) -> tuple[int, int, int] | None:
    """Return (section, start, end) of what stands at a place of a context, with as much of that as
    can be found.
    """
    for before, after in AROUND:
        low = max(0, start - before)
        for section, text in enumerate(texts):
            place = text.find(context[low : end + after])
            if place >= 0:
                return section, place + start - low, place + end - low
    return None


def _narrowed(mention: str, reference: Any) -> tuple[int, int] | None:
    """Return where the mark stands in a mention: science-parse starts those of a row all at the
    first one's place.
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
