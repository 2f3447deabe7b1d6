"""Read records of tagged lines, such as `TI  - Bees` or `%T Bees`: RIS's relatives."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source
from citewise.ingest.text_lines import text_lines


@dataclass(slots=True)
class TaggedRecord:
    """The values of one record by tag, in the order of the source."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    size: int = 0
    last: str = ""

    def add(self, tag: str, value: str) -> None:
        """Add the value of a tag."""
        self.size += len(value) + len(tag)
        if self.size <= LONGEST_RECORD:
            self.values.setdefault(tag, []).append(value)
            self.last = tag

    def continue_last(self, text: str) -> None:
        """Add a line of text to the last value."""
        self.size += len(text)
        if self.size <= LONGEST_RECORD:
            # Pieces are joined once, in `text`: adding to a string each time is quadratic.
            self.values[self.last].append(f"\x00{text}")

    def texts(self, *tags: str) -> list[str]:
        """Return the non-empty values of the tags, each with the lines that continue it."""
        whole: list[list[str]] = []
        for tag in tags:
            for value in self.values.get(tag, ()):
                if value.startswith("\x00") and whole:
                    whole[-1].append(value[1:])
                else:
                    whole.append([value])
        return [text for text in (" ".join(filter(None, parts)) for parts in whole) if text]

    def first(self, *tags: str) -> str:
        """Return the first value of the first of the tags that has one, or ""."""
        return next((texts[0] for tag in tags if (texts := self.texts(tag))), "")


@dataclass(frozen=True, slots=True)
class Grammar:
    """How the lines of a tagged format are read."""

    tag: re.Pattern[str]
    """Matches a line that starts with a tag: group 1 is the tag, group 2 the value."""
    starts: Callable[[str, TaggedRecord, bool], bool]
    """Whether a tag starts a new record, given the current one and whether a line is empty before
    it.
    """
    end: str = ""
    """The tag that ends a record."""
    ignored: tuple[str, ...] = ()
    """Tags of the file rather than of a record."""
    listed: tuple[str, ...] = ()
    """Tags of which each further line is a value of its own."""


def tagged_records(source: Source, report: Report, grammar: Grammar) -> Iterator[TaggedRecord]:
    """Yield the records; those that are too long are reported, and lines that belong to none."""
    current: TaggedRecord | None = None
    previous = 0
    for number, text in text_lines(source, report):
        after_gap, previous = number > previous + 1, number
        line = text.replace("\x00", " ")
        match = grammar.tag.match(line)
        tag = match[1] if match else ""
        if tag in grammar.ignored and tag:
            continue

        ends = bool(tag) and tag == grammar.end
        if current is not None and (ends or (tag and grammar.starts(tag, current, after_gap))):
            yield from _whole(current, source, report)
            current = None
        if ends:
            continue

        if match:
            current = current or TaggedRecord(number)
            current.add(tag, (match[2] or "").strip())
        elif current is None or not current.last:
            report.note("repaired", "broken_line", SourceLocation(source.name, number))
        elif current.last in grammar.listed:
            current.add(current.last, line.strip())
        else:
            current.continue_last(line.strip())

    if current is not None:
        yield from _whole(current, source, report)


def _whole(record: TaggedRecord, source: Source, report: Report) -> Iterator[TaggedRecord]:
    if record.size > LONGEST_RECORD:
        report.note("skipped", "record_too_long", SourceLocation(source.name, record.line))
    else:
        yield record
