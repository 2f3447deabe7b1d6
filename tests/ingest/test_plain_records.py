"""Records that need no repair are recognised at once: the same papers and the same report as from
`Cleaner`, which looks at every field.
"""

import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import jsonl
from citewise.ingest.clean import (
    FIRST_YEAR,
    LONGEST_ABSTRACT,
    LONGEST_FIELD,
    LONGEST_NAME,
    LONGEST_TITLE,
    LONGEST_VENUE,
    MOST_FIELDS,
    Cleaner,
)
from citewise.ingest.plain_records import PlainRecord, clean_record, plain_record
from citewise.ingest.report import Report, SourceLocation
from citewise.text import ids
from citewise.types import Paper
from ingest.json_sources import json_objects, raw
from properties import examples

PLACE = SourceLocation("papers.jsonl", 7)
NEXT_YEAR = datetime.date.today().year + 1
RECORD: dict[str, Any] = {
    "id": "arxiv:1506.01057",
    "title": "Bees and their dances",
    "abstract": "We watch bees, and describe how they dance for other bees.",
    "year": 2015,
    "venue": "Journal of Bees",
    "authors": ["Ann Bee", "Bo Wäx"],
    "fields": ["cs.CL", "cs.IR"],
    "references": ["acl:J08-1001", "doi:10.1145/2009916.2010016"],
}

TEXTS = [
    *("", " ", "a", " a", "a ", "a  b", "a | b", "|", "...", "a & b", "a &amp; b", "<i>a</i>"),
    *("a\tb", "a\nb", "a\u00a0b", "a\u200bb", "\ufffd", "\x7f", "Ä", "蜂", "n/a", "Abstract"),
    *("Abstract: We watch bees.", "Bees and their dances", "doi:10.1145/X", "10.1145/x"),
    *("arXiv:1506.01057v2", "arxiv:1506.01057", "https://arxiv.org/abs/1506.01057", "title:a"),
]
LONG = [
    "a" * (limit + more)
    for limit in (
        LONGEST_VENUE,
        LONGEST_NAME,
        ids.LONGEST_KEY,
        LONGEST_TITLE,
        LONGEST_ABSTRACT,
    )
    for more in (0, 1)
]
YEARS = [None, 0, 99, FIRST_YEAR - 1, FIRST_YEAR, NEXT_YEAR, NEXT_YEAR + 1, 2015.0, "2015", True]
NAMES = ["id", "title", "abstract", "year", "venue", "authors", "fields", "references"]

texts = st.sampled_from([*TEXTS, *LONG]) | st.text(max_size=8)
lists = st.lists(texts, max_size=3) | st.just(RECORD["references"])
records = st.fixed_dictionaries(
    {"id": st.just(RECORD["id"]) | texts, "title": st.just(RECORD["title"]) | texts},
    optional={
        "abstract": st.just(RECORD["abstract"]) | texts,
        "year": st.sampled_from(YEARS),
        "venue": texts,
        "authors": lists,
        "fields": lists,
        "references": lists,
        "doi": texts,
    },
)


def by_field(line: bytes) -> tuple[Paper | None, Report]:
    """Return what `Cleaner` makes of a line, field by field."""
    report = Report()
    return Cleaner(report).paper(msgspec.json.decode(line), PLACE), report


def at_once(line: bytes) -> tuple[Paper | None, Report]:
    """Return what is made of a line that may be plain."""
    report = Report()
    record = plain_record(line) or msgspec.json.decode(line)
    return clean_record(record, PLACE, Cleaner(report)), report


def is_taken_as_it_is(**changes: object) -> bool:
    """Return whether a sound record with some changes is not given to `Cleaner`."""
    record = plain_record(msgspec.json.encode({**RECORD, **changes}))
    assert record is not None
    asked: list[object] = []
    cleaner = Cleaner(Report())
    cleaner.paper = lambda *given: asked.append(given)  # type: ignore[method-assign]
    clean_record(record, PLACE, cleaner)
    return not asked


@given(records)
@examples(400)
def test_a_record_gives_the_same_paper_and_report_either_way(record: dict[str, Any]) -> None:
    line = msgspec.json.encode(record)
    assert at_once(line) == by_field(line)


@given(json_objects(NAMES))
@examples(100)
def test_so_does_a_record_of_any_types(record: dict[str, Any]) -> None:
    line = msgspec.json.encode(record)
    assert at_once(line) == by_field(line)


@pytest.mark.parametrize("name", ["title", "abstract", "venue", "id"])
@pytest.mark.parametrize("value", [*TEXTS, *LONG])
def test_no_text_passes_that_would_be_repaired(name: str, value: str) -> None:
    line = msgspec.json.encode({**RECORD, name: value})
    assert at_once(line) == by_field(line)


@pytest.mark.parametrize("name", ["authors", "fields", "references"])
@pytest.mark.parametrize("value", [*TEXTS, *LONG])
def test_no_list_passes_that_would_be_repaired(name: str, value: str) -> None:
    for items in ([value], ["a", value], [value, "a"], [value, value]):
        line = msgspec.json.encode({**RECORD, name: items})
        assert at_once(line) == by_field(line)


def test_a_sound_record_is_taken_as_it_is() -> None:
    assert is_taken_as_it_is()
    assert is_taken_as_it_is(abstract="", venue="", authors=[], fields=[], references=[], year=None)
    assert is_taken_as_it_is(fields=[f"f{number}" for number in range(MOST_FIELDS)])
    assert is_taken_as_it_is(title="A" * LONGEST_TITLE, fields=["f" * LONGEST_FIELD])


@pytest.mark.parametrize(
    "change",
    [
        {"title": "A" * (LONGEST_TITLE + 1)},
        {"title": "“Bees”"},
        {"venue": "v" * (LONGEST_VENUE + 1)},
        {"authors": ["n" * (LONGEST_NAME + 1)]},
        {"authors": ["Ann Bee", ""]},
        {"fields": [f"f{number}" for number in range(MOST_FIELDS + 1)]},
        {"fields": ["cs.CL", "cs.CL"]},
        {"fields": ["f" * (LONGEST_FIELD + 1)]},
        {"references": [RECORD["id"]]},
        {"references": ["10.1145/X"]},
        {"year": NEXT_YEAR + 1},
        {"id": "https://arxiv.org/abs/1506.01057"},
    ],
)
def test_what_may_need_a_repair_is_looked_at_by_field(change: dict[str, object]) -> None:
    assert not is_taken_as_it_is(**change)


def test_ids_in_fields_of_their_own_are_not_lost() -> None:
    [(_, plain), (_, other)], _ = raw(jsonl, RECORD, {**RECORD, "doi": "10.1145/1"})
    assert isinstance(plain, PlainRecord)
    assert other["ids"] == {"doi": "10.1145/1"}


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"null", b'{"id": "a"', b'{"id": "a", "title": "\xff"}', b"[" * 10_000]
)
def test_a_line_of_anything_else_is_no_plain_record(line: bytes) -> None:
    assert plain_record(line) is None
