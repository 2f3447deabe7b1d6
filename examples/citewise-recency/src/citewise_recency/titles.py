"""An example format: lines of `Title: ...`, each one paper."""

from collections.abc import Iterator
from typing import Any

from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.ingest.text_lines import text_lines

NAME = "titles"


def detects(head: bytes) -> bool:
    """Whether a source starts with a title."""
    return head.lstrip().startswith(b"Title: ")


def records(source: Source, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, record) for each title."""
    for number, line in text_lines(source, report):
        title = line.removeprefix("Title: ").strip()
        yield number, {"id": f"title-{number}", "title": title}
