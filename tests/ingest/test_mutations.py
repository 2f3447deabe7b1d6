"""Damaged files of every format: no error, no long wait, and nothing lost without a word.

A sample; benchmarks/mutations.py has a hundred thousand.
"""

import io
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.errors import BadInput
from citewise.ingest import FORMATS, _recognised, _records
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from ingest.mutated import RARE, mutated
from ingest.samples import CROSSREF_WORK, CSL_ITEMS, SAMPLES, ZOTERO_ITEMS
from properties import examples
from time_limits import allowed

LONGEST = 2.0
"""Seconds for one input; most take a few milliseconds."""


def read_bytes(data: bytes, format: str = "") -> tuple[int, Report]:
    """Return how many records are read from bytes, and the report; a failing reader is an error."""
    report = Report()
    source = Source("mutated", io.BufferedReader(io.BytesIO(data), 65_536))
    module = FORMATS[format] if format else _recognised(source, report, alone=False)
    found = 0
    if module is not None:
        found = sum(1 for _ in _records(module, source, report, lambda reading: None))
    assert ("skipped", "reader_failed") not in report.counts, report.examples
    return found, report


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_mutated_samples(name: str) -> None:
    format, text = SAMPLES[name]
    dice = random.Random(name)
    for _ in range(60):
        kind, data = mutated(text.encode(), dice)
        for forced in ("", format):
            start = time.process_time()
            found, report = read_bytes(data, forced)
            assert time.process_time() - start < allowed(LONGEST), (kind, data)
            assert found or report.total("skipped"), (kind, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_huge_fields(name: str) -> None:
    format, text = SAMPLES[name]
    dice = random.Random(name)
    for _ in range(3):
        data = RARE["huge field"](text.encode(), dice)
        start = time.process_time()
        found, report = read_bytes(data, format)
        assert time.process_time() - start < allowed(LONGEST)
        assert found or report.total("skipped")


@pytest.mark.slow
def test_mutated_real_files(shared: Path) -> None:
    dice, folder = random.Random(12), shared / "bibliographies"
    entries = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    for entry in entries:
        data = (folder / entry["path"]).read_bytes()[:20_000]
        kind, changed = mutated(data, dice)
        found, report = read_bytes(changed)
        assert found or report.total("skipped"), (entry["path"], kind)


_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False),
        st.text(max_size=8),
        st.sampled_from(["10.1000/1", "2019-05", "https://doi.org/10.1/x", "\ud800", "[REF]"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)

OBJECTS: dict[str, dict[str, Any]] = {
    "csl": CSL_ITEMS[0],
    "crossref": CROSSREF_WORK,
    "zotero-json": ZOTERO_ITEMS[0],
    "openalex": {
        "id": "https://openalex.org/W1",
        "title": "Bees",
        "publication_year": 2001,
        "publication_date": "2001-01-01",
        "authorships": [{"author": {"display_name": "A"}}],
        "primary_location": {"source": {"display_name": "J", "type": "journal"}},
        "host_venue": {},
        "referenced_works": ["https://openalex.org/W2"],
        "abstract_inverted_index": {"Bees": [0]},
        "ids": {"pmid": "1", "mag": 2, "pmcid": "3"},
        "locations": [{"landing_page_url": "https://arxiv.org/abs/1"}],
        "topics": [{"display_name": "t"}],
        "concepts": [{"display_name": "c"}],
        "type": "article",
        "biblio": {"volume": "1", "first_page": "2", "last_page": "3"},
        "doi": "10.1000/1",
    },
    "s2": {
        "corpusid": 1,
        "paperId": "a" * 40,
        "title": "Bees",
        "abstract": "They dance.",
        "year": 2001,
        "publicationdate": "2001-01-01",
        "authors": [{"name": "A"}],
        "journal": {"name": "J", "volume": "1 2", "pages": "3"},
        "externalids": {"DOI": "10.1000/1"},
        "references": [{"paperId": "b" * 40}],
        "s2fieldsofstudy": [{"category": "x"}],
        "publicationtypes": ["Book"],
        "url": "https://www.semanticscholar.org/paper/" + "a" * 40,
    },
    "opencorpus": {
        "id": "x",
        "title": "Bees",
        "paperAbstract": "They dance.",
        "inCitations": [],
        "outCitations": ["y"],
        "authors": [{"name": "A"}],
        "entities": ["e"],
        "year": 2001,
    },
    "arxiv": {
        "id": "2001.00001",
        "title": "Bees",
        "abstract": "They dance.",
        "categories": "cs.IR",
        "authors": "A B and C D",
        "authors_parsed": [["B", "A", ""]],
        "versions": [{"created": "Mon, 1 Jan 2001 00:00:00 GMT"}],
        "journal-ref": "J 1 (2001)",
        "doi": "10.1000/1",
        "update_date": "2001-01-01",
    },
    "contexts": {
        "citing_id": "a",
        "cited_ids": ["b"],
        "text": "Bees [REF].",
        "groups": [["b"]],
        "year": 2001,
        "date": "2001-01-01",
        "section": "x",
        "start": 0,
    },
    "s2orc-metadata": {
        "paper_id": "1",
        "title": "Bees",
        "outbound_citations": ["2"],
        "mag_field_of_study": ["x"],
        "authors": [{"first": "A", "last": "B"}],
        "year": 2001,
        "doi": "10.1000/1",
    },
    "s2orc": {
        "paper_id": "12345",
        "title": "Bees",
        "abstract": [{"text": "They dance."}],
        "body_text": [
            {"text": "Bees [1].", "cite_spans": [{"start": 5, "end": 8, "ref_id": "B0"}]}
        ],
        "bib_entries": {"B0": {"title": "Wasps", "authors": [{"last": "A"}], "year": 2000}},
        "metadata": {"title": "Bees"},
    },
    "unarxive": {
        "paper_id": "2001.00001",
        "_source_hash": "x",
        "metadata": {"title": "Bees"},
        "abstract": {"text": "They dance."},
        "body_text": [{"section": "x", "text": "Bees {{cite:a}}.", "cite_spans": []}],
        "bib_entries": {"a": {"bib_entry_raw": "A B. Wasps. 2000.", "ids": {"doi": "10.1/x"}}},
        "ref_entries": {},
    },
    "science-parse": {
        "name": "x.pdf",
        "metadata": {
            "source": "x",
            "title": "Bees",
            "authors": ["A"],
            "abstractText": "They dance.",
            "sections": [{"heading": "1", "text": "Bees [1]."}],
            "references": [{"title": "Wasps", "author": ["B"], "year": 2000}],
            "referenceMentions": [
                {"referenceID": 0, "context": "Bees [1].", "startOffset": 5, "endOffset": 8}
            ],
            "year": 2001,
        },
    },
    "jsonl": {
        "id": "a",
        "title": "Bees",
        "abstract": "They dance.",
        "references": ["b"],
        "authors": ["A"],
        "year": 2001,
        "ids": {"doi": "10.1000/1"},
        "date": "2001-01-01",
        "fields": ["x"],
        "kind": "article",
        "details": {"volume": "1"},
        "venue": "J",
        "doi": "10.1000/1",
    },
}


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a value."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inside = [*value.items()]
    elif isinstance(value, list):
        inside = [*enumerate(value)]
    return [path, *(deep for name, each in inside for deep in _paths(each, (*path, name)))]


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of a value with another one at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {**value, path[0]: _with(value[path[0]], path[1:], new)}
    return [_with(item, path[1:], new) if at == path[0] else item for at, item in enumerate(value)]


@pytest.mark.slow
@pytest.mark.parametrize("format", OBJECTS)
@given(data=st.data())
@examples(60)
def test_any_value_in_any_member(format: str, data: st.DataObject) -> None:
    record = OBJECTS[format]
    for _ in range(data.draw(st.integers(1, 3))):
        paths = [path for path in _paths(record) if path]
        record = _with(record, data.draw(st.sampled_from(paths)), data.draw(_VALUES))
    text = json.dumps([record, OBJECTS[format]], indent=data.draw(st.sampled_from([None, 1])))
    for forced in ("", format):
        found, report = read_bytes(text.encode(), forced)
        assert found or report.total("skipped")


@pytest.mark.slow
@pytest.mark.parametrize("format", OBJECTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_in_any_layout(format: str, indent: int | None) -> None:
    record = OBJECTS[format]
    lines = json.dumps(record) + "\n"
    expected = read_bytes(lines.encode())[0]
    assert expected
    assert read_bytes(json.dumps(record, indent=indent).encode())[0] == expected
    assert read_bytes(json.dumps([record], indent=indent).encode())[0] == expected
    together = (json.dumps(record, indent=indent) + "\n") * 2
    assert read_bytes(together.encode())[0] == 2 * expected


@pytest.mark.slow
@pytest.mark.parametrize("format", [name for name in FORMATS if name != "latex"])
def test_deep_nesting_does_no_harm(format: str) -> None:
    for opening in (b"[", b'{"a":', b"{", b"<a>", b"@a{"):
        try:
            read_bytes(opening * 20_000, format)
        except BadInput as error:
            # a lone PDF that cannot be read is an error in words, not a skipped record
            assert format == "pdf" and "damaged" in str(error)
