"""What the tests of formats share: sources made of records, records made at random, and the papers
that are read from them.
"""

import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import zstandard
from hypothesis import strategies as st

from citewise.ingest import FORMATS, read
from citewise.ingest.clean import Cleaner, Raw
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source
from citewise.types import Paper

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}

WRONG: list[Any] = [
    None,
    True,
    7,
    -1,
    2.5,
    "",
    "text",
    [],
    [None],
    [7, "x", {}, [[]]],
    {},
    {"a": {"b": [1]}},
    [{"a": 1}],
    10**30,
]


def lines(*records: object) -> bytes:
    """Return records as JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def source(data: bytes) -> Source:
    """Return bytes as a source that a format reads."""
    return Source("test.jsonl", io.BufferedReader(io.BytesIO(data)))


def raw(module: ModuleType, *records: object) -> tuple[list[tuple[int, Raw]], Report]:
    """Return what a format makes of records, with the line of each, and the report."""
    report = Report()
    return list(module.records(source(lines(*records)), report)), report


def clean(module: ModuleType, *records: object) -> tuple[list[Paper], Report]:
    """Return the papers that a format and the cleaner make of records, and the report."""
    found, report = raw(module, *records)
    cleaner = Cleaner(report)
    papers = [cleaner.paper(record, SourceLocation("test.jsonl", line)) for line, record in found]
    return [paper for paper in papers if paper is not None], report


def papers_in(*paths: str | Path, report: Report | None = None, format: str = "") -> list[Paper]:
    """Return the papers that are read from sources, which have no citing sentences."""
    papers: list[Paper] = []
    for record, _ in read(paths, report or Report(), format):
        assert isinstance(record, Paper)
        papers.append(record)
    return papers


def detected(data: bytes) -> list[str]:
    """Return the formats that would read a source."""
    return [name for name, module in FORMATS.items() if module.detects(data)]


def json_objects(names: Iterable[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Any JSON objects, their members often named as the format names its own."""
    keys = st.one_of(st.sampled_from(sorted(names)), st.text(max_size=5))
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**12), 10**12),
        st.floats(allow_nan=False, width=32),
        st.text(max_size=20),
        st.sampled_from(["2020-01-02", "10.1000/x", "a\\'{e} $x$ {", "W12345"]),
    )
    values = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)
        ),
        max_leaves=12,
    )
    return st.dictionaries(keys, values, max_size=8)
