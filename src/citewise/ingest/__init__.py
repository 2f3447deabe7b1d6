"""Anything to papers and citing sentences: one module a format, recognised by content.

A format module has `NAME`, `detects(head) -> bool`, and one of
- `records(source, report) -> Iterator[(line, raw record)]`: papers (`clean.Raw`),
- `sentences(source, report) -> Iterator[(line, raw sentence)]`: citing sentences (`clean_sentences.RawSentence`),
- `documents(source, report) -> Iterator[(line, Document)]`: full texts, of which the library gets the paper, the papers
  in its list of references, and the citing sentences (`documents.parts`).
To add one: write the module, and name it in `FORMATS` before the formats that would claim its files too.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewise import plugins
from citewise.errors import BadInput
from citewise.ingest import (
    arxiv,
    bibtex,
    contexts,
    csl,
    jsonl,
    openalex,
    opencorpus,
    ris,
    s2orc_metadata,
    semantic_scholar,
)
from citewise.ingest.clean import Cleaner
from citewise.ingest.clean_sentences import clean_sentence
from citewise.ingest.documents import parts
from citewise.ingest.fulltext import (
    jats,
    latex_project,
    parscit,
    s2orc,
    science_parse,
    tei,
    unarxive,
)
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, find, open_source
from citewise.types import CitingSentence, Paper

FORMATS: dict[str, Any] = {
    **plugins.parts("formats"),
    **{
        module.NAME: module
        for module in (
            bibtex,
            ris,
            openalex,
            semantic_scholar,
            opencorpus,
            arxiv,
            contexts,
            tei,
            jats,
            parscit,
            unarxive,
            s2orc,
            science_parse,
            latex_project,
            s2orc_metadata,
            csl,
            jsonl,
        )
    },
}
"""Name to format, in the order in which they are asked whether a source is theirs: those of plug-ins
first.
"""

Record = Paper | CitingSentence
"""What sources are made of."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a source has been read, in (compressed) bytes; the size of a pipe is not known."""

    file: str
    done: int
    size: int | None


Progress = Callable[[Reading], None]

_PROGRESS_EVERY = 200
_Read = Callable[[Source, Report], Iterator[tuple[int, Any]]]
_Clean = Callable[[Any, SourceLocation], Iterable[Record | None]]


def read(
    paths: Iterable[str | Path],
    report: Report,
    format: str = "",
    progress: Progress = lambda reading: None,
) -> Iterator[tuple[Record, SourceLocation]]:
    """Yield the papers and citing sentences of all sources with their places.

    What is malformed goes to the report and stops nothing.
    """
    if format and format not in FORMATS:
        raise BadInput(f"unknown format {format!r}; known: {', '.join(FORMATS)}")
    files = list(find(paths))
    for path in files:
        source = open_source(path)
        try:
            module = (
                FORMATS[format] if format else _recognised(source, report, alone=len(files) == 1)
            )
            if module is not None:
                yield from _records(module, source, report, progress)
        finally:
            source.close()


def _records(
    module: Any, source: Source, report: Report, progress: Progress
) -> Iterator[tuple[Record, SourceLocation]]:
    """Yield what a module's records, sentences or documents hold that is clean."""
    before, number = report.total("skipped"), -1
    read_raw, clean = _ways(module, Cleaner(report))
    for number, (line, raw) in enumerate(read_raw(source, report)):
        place = SourceLocation(source.name, line)
        report.read += 1
        if number % _PROGRESS_EVERY == 0:
            progress(Reading(source.name, source.bytes_read, source.size))
        for record in clean(raw, place):
            if record is not None:
                yield record, place
    if number < 0 and report.total("skipped") == before:
        report.note(
            "skipped",
            "no_records",
            SourceLocation(source.name, 1),
            detail=f"nothing that reads as {module.NAME}",
        )
    progress(Reading(source.name, source.size or source.bytes_read, source.size))


def _ways(module: Any, cleaner: Cleaner) -> tuple[_Read, _Clean]:
    """Return how a format is read, and how what it yields is cleaned."""
    if hasattr(module, "documents"):
        return module.documents, lambda document, place: parts(document, place, cleaner)
    if hasattr(module, "sentences"):
        return module.sentences, lambda raw, place: (clean_sentence(raw, place, cleaner),)
    return module.records, lambda raw, place: (cleaner.paper(raw, place),)


def _recognised(source: Source, report: Report, alone: bool) -> Any:
    """Return the format of a source; one among several that nobody recognises is reported and
    passed over.
    """
    try:
        head = source.head()
    except BadInput:
        if alone:
            raise
        report.note("skipped", "broken_compression", SourceLocation(source.name, 1))
        return None
    for module in FORMATS.values():
        if module.detects(head):
            return module
    if alone:
        raise BadInput(
            f"{source.name}: {'format not recognised' if head.strip() else 'nothing in it'}; "
            f"name the format with --format ({', '.join(FORMATS)})"
        )
    report.note(
        "skipped",
        "unknown_format" if head.strip() else "empty_file",
        SourceLocation(source.name, 1),
    )
    return None
