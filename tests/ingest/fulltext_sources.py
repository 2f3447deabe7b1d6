"""What the tests of full texts share: documents read from bytes or files, and what must be true of
every document.
"""

import io
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from citewise.ingest.document import Document
from citewise.ingest.report import Report
from citewise.ingest.source import Source, open_source


def documents(module: ModuleType, data: bytes | str | Path) -> tuple[list[Document], Report]:
    """Return what a format reads from bytes, or from a file."""
    report = Report()
    if isinstance(data, Path):
        source = open_source(str(data))
    else:
        content = data.encode() if isinstance(data, str) else data
        source = Source("test.xml", io.BufferedReader(io.BytesIO(content)))
    found = [document for _, document in module.documents(source, report)]
    source.close()
    return found, report


def one(module: ModuleType, data: bytes | str | Path) -> Document:
    """Return the only document, after checking what must be true of every one."""
    (document,), report = documents(module, data)
    assert not report.total("skipped"), report.counts
    check(document)
    return document


def reasons(report: Report) -> list[str]:
    """Return why things were skipped."""
    return sorted(reason for action, reason in report.counts if action == "skipped")


def cited_titles(document: Document) -> list[list[list[str]]]:
    """Return the titles that each group of each sentence cites."""
    titles = {paper.id: paper.title for paper in document.cited}
    return [
        [[titles[key] for key in group.cited] for group in sentence.groups]
        for sentence in document.sentences
    ]


def marks(document: Document) -> list[list[str]]:
    """Return each sentence's groups as they are printed."""
    return [
        [sentence.text[group.start : group.end] for group in sentence.groups]
        for sentence in document.sentences
    ]


def check(document: Document) -> None:
    """Assert what the types promise: offsets, order, ids."""
    known = {paper.id for paper in document.cited}
    assert len(known) == len(document.cited)
    assert document.paper.references == tuple(paper.id for paper in document.cited)
    assert document.paper.id not in known
    end = 0
    for sentence in document.sentences:
        assert sentence.citing == document.paper.id
        assert sentence.start >= end, "sentences in order and apart"
        end = sentence.start + len(sentence.text)
        assert document.text[sentence.start : end] == sentence.text
        assert sentence.text == sentence.text.strip()
        assert "\n" not in sentence.text
        assert sentence.groups
        for group in sentence.groups:
            assert 0 <= group.start < group.end <= len(sentence.text)
            assert any(map(str.isalnum, sentence.text[group.start : group.end])), (
                "a group has a mark"
            )
            assert set(group.cited) <= known
            assert len(set(group.cited)) == len(group.cited)
        assert all(one.end <= other.start for one, other in pairwise(sentence.groups))
