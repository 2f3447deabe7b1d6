"""Anything to papers: one module a format, recognised by content."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from citewise.errors import BadInput
from citewise.ingest import arxiv, bibtex, csl, jsonl, openalex, opencorpus, ris, semantic_scholar
from citewise.ingest.clean import Cleaner
from citewise.ingest.source import Source, find, open_source
from citewise.report import Place, Report
from citewise.types import Paper

FORMATS: dict[str, ModuleType] = {module.NAME: module for module in (
    bibtex, ris, openalex, semantic_scholar, opencorpus, arxiv, csl, jsonl)}
"""Name to module, in the order in which they are asked whether a source is theirs. Each has `NAME`,
`detects(head) -> bool` and `records(source, report) -> Iterator[(line, raw record)]`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a source has been read, in (compressed) bytes; the size of a pipe is not known."""

    file: str
    done: int
    size: int | None


Progress = Callable[[Reading], None]

_PROGRESS_EVERY = 200


def read(paths: Iterable[str | Path], report: Report, format: str = "",
         progress: Progress = lambda reading: None) -> Iterator[tuple[Paper, Place]]:
    """Yield the papers of all sources with their places; what is malformed goes to the report and stops nothing."""
    if format and format not in FORMATS:
        raise BadInput(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
    files = list(find(paths))
    for path in files:
        source = open_source(path)
        try:
            module = FORMATS[format] if format else _recognised(source, report, alone=len(files) == 1)
            if module is not None:
                yield from _papers(module, source, report, progress)
        finally:
            source.close()


def _papers(module: ModuleType, source: Source, report: Report, progress: Progress) -> Iterator[tuple[Paper, Place]]:
    cleaner, before, number = Cleaner(report), report.total("skipped"), -1
    for number, (line, raw) in enumerate(module.records(source, report)):
        place = Place(source.name, line)
        report.read += 1
        if number % _PROGRESS_EVERY == 0:
            progress(Reading(source.name, source.bytes_read, source.size))
        paper = cleaner.paper(raw, place)
        if paper is not None:
            yield paper, place
    if number < 0 and report.total("skipped") == before:
        report.note("skipped", "no_records", Place(source.name, 1), detail=f"nothing that reads as {module.NAME}")
    progress(Reading(source.name, source.size or source.bytes_read, source.size))


def _recognised(source: Source, report: Report, alone: bool) -> ModuleType | None:
    """Return the format of a source; one among several that nobody recognises is reported and passed over."""
    try:
        head = source.head()
    except BadInput:
        if alone:
            raise
        report.note("skipped", "broken_compression", Place(source.name, 1))
        return None
    for module in FORMATS.values():
        if module.detects(head):
            return module
    if alone:
        raise BadInput(f"{source.name}: {'format not recognised' if head.strip() else 'nothing in it'}; "
                       f"name the format with --format ({', '.join(FORMATS)})")
    report.note("skipped", "unknown_format" if head.strip() else "empty_file", Place(source.name, 1))
    return None
