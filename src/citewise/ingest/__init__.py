"""Anything to papers: one module a format, recognised by content."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

from citewise.errors import BadInput
from citewise.ingest import jsonl
from citewise.ingest.clean import Cleaner
from citewise.ingest.report import Place, Report
from citewise.ingest.source import Source, find, open_source
from citewise.types import Paper

FORMATS: dict[str, ModuleType] = {module.NAME: module for module in (jsonl,)}
"""Name to module, in the order in which they are asked whether a source is theirs. Each has `NAME`,
`detects(head) -> bool` and `records(source, report) -> Iterator[(line, raw record)]`."""

Progress = Callable[[Source], None]


def read(paths: Iterable[str | Path], report: Report, format: str = "",
         progress: Progress = lambda source: None) -> Iterator[tuple[Paper, Place]]:
    """Yield the papers of all sources with their places; what is malformed goes to the report and stops nothing."""
    cleaner = Cleaner(report)
    for path in list(find(paths)):
        source = open_source(path)
        try:
            for line, raw in _module(source, format).records(source, report):
                place = Place(source.name, line)
                report.read += 1
                progress(source)
                paper = cleaner.paper(raw, place)
                if paper is not None:
                    yield paper, place
        finally:
            source.close()


def _module(source: Source, format: str) -> ModuleType:
    if format:
        if format not in FORMATS:
            raise BadInput(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
        return FORMATS[format]
    head = source.head()
    for module in FORMATS.values():
        if module.detects(head):
            return module
    raise BadInput(f"{source.name}: format not recognised; name it with --format ({', '.join(FORMATS)})")
