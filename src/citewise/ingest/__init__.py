"""Read papers and citing sentences from files: one module for each format, recognised by content.

A format module has `NAME`, `detects(head) -> bool`, and one of
- `records(source, report) -> Iterator[(line, raw record)]`: papers (`clean.Raw`, or
  `plain_records.PlainRecord` for those that may need no repair),
- `sentences(source, report) -> Iterator[(line, raw sentence)]`: citing sentences
  (`clean_sentences.RawSentence`),
- `documents(source, report) -> Iterator[(line, Document)]`: full texts, of which the library gets
  the paper, the papers in its list of references, and the citing sentences (`documents.parts`).

To add a format, write its module and name it in `FORMATS`, before the formats that would also
detect its files.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from citewise import plugins
from citewise.errors import BadInput, CitewiseError, MissingData
from citewise.ingest import (
    arxiv,
    bibtex,
    contexts,
    crossref,
    csl,
    delimited,
    endnote_tagged,
    endnote_xml,
    jsonl,
    openalex,
    opencorpus,
    pubmed,
    ren,
    ris,
    s2orc_metadata,
    scopus_text,
    semantic_scholar,
    unreadable,
    web_of_science,
    zotero_json,
    zotero_rdf,
)
from citewise.ingest.clean import Cleaner
from citewise.ingest.clean_sentences import clean_sentence
from citewise.ingest.documents import parts
from citewise.ingest.fulltext import (
    jats,
    latex_project,
    parscit,
    pdf,
    s2orc,
    science_parse,
    tei,
    unarxive,
)
from citewise.ingest.plain_records import clean_record
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Siblings, Source, find, open_source
from citewise.types import CitingSentence, Paper

FORMATS: dict[str, Any] = {
    **plugins.parts("formats"),
    **{
        module.NAME: module
        for module in (
            pdf,
            bibtex,
            ris,
            pubmed,
            endnote_tagged,
            web_of_science,
            endnote_xml,
            zotero_rdf,
            scopus_text,
            delimited,
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
            ren,
            zotero_json,
            crossref,
            csl,
            jsonl,
        )
    },
}
"""Format modules by name, those of plug-ins first; the first that detects a source reads it."""

Record = Paper | CitingSentence
"""What is read from sources."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How far a source has been read, in (compressed) bytes; the size of a pipe is None."""

    file: str
    done: int
    size: int | None


Progress = Callable[[Reading], None]

_PROGRESS_EVERY = 200
"""Records between two calls of a progress function."""

_Read = Callable[[Source, Report], Iterator[tuple[int, Any]]]
_Clean = Callable[[Any, SourceLocation], Iterable[Record | None]]


def read(
    paths: Iterable[str | Path],
    report: Report,
    format: str = "",
    progress: Progress = lambda reading: None,
    among: Sequence[str] = (),
) -> Iterator[tuple[Record, SourceLocation]]:
    """Yield (record, location) of the papers and citing sentences in all sources.

    Malformed records are reported and skipped. `among` are all files of an import, where the
    sources are only some of them: one that cannot be read does not stop the others.
    """
    if format and format not in FORMATS:
        raise BadInput(f"unknown format {format!r}; known: {', '.join(FORMATS)}")

    files = list(find(paths, partial(note_library, report)))
    siblings = Siblings(tuple(among or files))
    alone = len(siblings.files) == 1
    for path in files:
        try:
            source = open_source(path)
        except MissingData as error:
            if alone:
                raise
            report.note("skipped", "cannot_be_opened", SourceLocation(path, 1), detail=str(error))
            continue
        source.siblings = siblings

        try:
            module = FORMATS[format] if format else _recognised(source, report, alone)
            if module is not None:
                yield from _records(module, source, report, progress)
        finally:
            source.close()


def note_library(report: Report, library: Path) -> None:
    """Report a library in a source folder, which is not read."""
    location = SourceLocation(str(library), 1)
    report.note("skipped", "citewise_library", location, detail="not read as a source")


def _records(
    module: Any, source: Source, report: Report, progress: Progress
) -> Iterator[tuple[Record, SourceLocation]]:
    """Yield the cleaned records that a format module reads from a source."""
    before, number = report.total("skipped"), -1
    read_raw, clean = _ways(module, Cleaner(report))
    for number, (line, raw) in enumerate(_kept_going(read_raw, source, report)):
        location = SourceLocation(source.name, line)
        report.read += 1
        if number % _PROGRESS_EVERY == 0:
            progress(Reading(source.name, source.bytes_read, source.size))
        try:
            cleaned = [record for record in clean(raw, location) if record is not None]
        except Exception as error:
            _note_failure(error, location, report)
            continue
        for record in cleaned:
            yield record, location

    if number < 0 and report.total("skipped") == before:
        detail = f"nothing that reads as {module.NAME}"
        report.note("skipped", "no_records", SourceLocation(source.name, 1), detail=detail)
    progress(Reading(source.name, source.size or source.bytes_read, source.size))


def _kept_going(read_raw: _Read, source: Source, report: Report) -> Iterator[tuple[int, Any]]:
    """Yield what a format module reads; where it fails, that is reported, and the source ends."""
    line = 1
    try:
        for line, raw in read_raw(source, report):
            yield line, raw
    except Exception as error:
        _note_failure(error, SourceLocation(source.name, line), report)


def _note_failure(error: Exception, location: SourceLocation, report: Report) -> None:
    """Report an error that no reader should raise: one odd record or file does not end an import.

    Errors that are raised on purpose, and a lack of memory, do.
    """
    if isinstance(error, CitewiseError | MemoryError):
        raise error
    detail = f"{type(error).__name__}: {error}"[:200]
    report.note("skipped", "reader_failed", location, detail=detail)


def _ways(module: Any, cleaner: Cleaner) -> tuple[_Read, _Clean]:
    """Return a format's function to read a source, and one to clean what it yields."""
    if hasattr(module, "documents"):
        return module.documents, lambda document, location: parts(document, location, cleaner)
    if hasattr(module, "sentences"):
        return module.sentences, lambda raw, location: (clean_sentence(raw, location, cleaner),)
    return module.records, lambda raw, location: (clean_record(raw, location, cleaner),)


def _recognised(source: Source, report: Report, alone: bool) -> Any:
    """Return the format module of a source.

    An unknown format is an error where the source is `alone`, else it is reported, with None.
    """
    location = SourceLocation(source.name, 1)
    try:
        head = source.head()
    except BadInput:
        if alone:
            raise
        report.note("skipped", "broken_compression", location)
        return None

    for module in FORMATS.values():
        try:
            if module.detects(head):
                return module
        except Exception as error:
            _note_failure(error, location, report)

    known = unreadable.advice(head)
    if alone and known:
        raise BadInput(f"{source.name}: {known}")
    if alone:
        raise BadInput(
            f"{source.name}: {'format not recognised' if head.strip() else 'nothing in it'}; "
            "if you know its format, name it with: citewise index --format "
            f"({', '.join(FORMATS)})"
        )
    reason = _unread(head, known)
    report.note("skipped", reason, location, detail=known)
    return None


def _unread(head: bytes, advice: str) -> str:
    """Return the reason for which a source is not read."""
    if advice:
        return "not_readable"
    return "unknown_format" if head.strip() else "empty_file"
