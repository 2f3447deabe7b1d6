"""What the tests of the JSON-lines formats share: sources out of records, and records out of nowhere."""

import gzip
import io
import json
import lzma

import zstandard
from hypothesis import strategies as st

from citewise.ingest import FORMATS
from citewise.ingest.clean import Cleaner
from citewise.ingest.source import Source
from citewise.report import Place, Report

COMPRESSORS = {"plain": bytes, "gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}

WRONG = [None, True, 7, -1, 2.5, "", "text", [], [None], [7, "x", {}, [[]]], {}, {"a": {"b": [1]}}, [{"a": 1}], 10**30]


def lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def source(data: bytes) -> Source:
    return Source("test.jsonl", io.BufferedReader(io.BytesIO(data)))


def raw(module, *records):
    report = Report()
    return list(module.records(source(lines(*records)), report)), report


def clean(module, *records):
    """Return the papers that a format and the cleaner make of records, and the report."""
    found, report = raw(module, *records)
    cleaner = Cleaner(report)
    papers = [cleaner.paper(record, Place("test.jsonl", line)) for line, record in found]
    return [paper for paper in papers if paper is not None], report


def detected(data: bytes) -> list[str]:
    return [name for name, module in FORMATS.items() if module.detects(data)]


def json_objects(names):
    """Any JSON objects, their members often named as the format names its own."""
    keys = st.one_of(st.sampled_from(sorted(names)), st.text(max_size=5))
    leaves = st.one_of(st.none(), st.booleans(), st.integers(-10**12, 10**12), st.floats(allow_nan=False, width=32),
                       st.text(max_size=20), st.sampled_from(["2020-01-02", "10.1000/x", "a\\'{e} $x$ {", "W12345"]))
    values = st.recursive(leaves, lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)), max_leaves=12)
    return st.dictionaries(keys, values, max_size=8)
