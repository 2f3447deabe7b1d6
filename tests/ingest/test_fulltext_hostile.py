"""Broken and hostile full texts do no harm and are reported."""

import gzip
import io
import json
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import source as source_module
from citewise.ingest.fulltext import jats, science_parse, tei, xml_tree
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from ingest.fulltext_documents import JATS, TEI
from ingest.fulltext_sources import check, documents, reasons

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BOTH = pytest.mark.parametrize("module", [tei, jats])

LAUGHS = (
    "<!DOCTYPE {root} [<!ENTITY a0 'ha'>"
    + "".join(f"<!ENTITY a{number} '{f'&a{number - 1};' * 10}'>" for number in range(1, 12))
    + "]><{root}>&a11;</{root}>"
)
OUTSIDE = (
    "<!DOCTYPE {root} [<!ENTITY file SYSTEM 'file://{path}'>]>"
    "<{root}><text><body><p>&file;</p></body></text></{root}>"
)


@BOTH
def test_entities_are_not_expanded(module: ModuleType, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    root = {"tei": "TEI", "jats": "article"}[module.NAME]
    for evil in (
        LAUGHS.replace("{root}", root),
        OUTSIDE.replace("{root}", root).replace("{path}", str(secret)),
    ):
        for encoding in ("utf-8", "utf-16"):
            start = time.perf_counter()
            found, report = documents(module, evil.encode(encoding))
            assert time.perf_counter() - start < 5
            assert not found
            assert reasons(report)[0] in ("xml_entities", "malformed_xml"), (
                "libxml2 itself stops some"
            )


@BOTH
def test_documents_elsewhere_are_not_read(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text("<!ELEMENT TEI ANY>")
    text = {"tei": TEI, "jats": JATS}[module.NAME]
    body = text[text.index("<TEI" if module is tei else "<article ") :]
    (found,), _ = documents(module, f"<!DOCTYPE x SYSTEM 'file://{tmp_path}/x.dtd'>{body}")
    check(found)


@BOTH
def test_nesting_is_bounded(module: ModuleType) -> None:
    for depth, reason in ((xml_tree.DEEPEST + 1, "xml_too_deep"), (100_000, "malformed_xml")):
        found, report = documents(module, "<p>" * depth + "</p>" * depth)
        assert (found, reasons(report)) == ([], [reason]) or reasons(report) == ["xml_too_deep"]


@BOTH
def test_what_is_no_xml_is_reported(module: ModuleType) -> None:
    for data in (
        b"",
        b"<TEI>",
        b"\x00\x01\xff",
        b"<TEI>\xff\xfe</TEI>",
        b"<a></b>",
        TEI.encode()[:2000],
        b"<TEI>&nbsp;</TEI>",
    ):
        found, report = documents(module, data)
        assert not found
        assert reasons(report) in (["malformed_xml"], ["no_id_no_title"])


def test_entities_of_a_dtd_that_is_not_read_are_those_of_html() -> None:
    text = JATS.replace("We study bees.", "We&nbsp;study&alpha;bees.").replace(
        "Others\n", "Others&nbsp;"
    )
    (document,), _ = documents(jats, text)
    assert "Others fly4,1 far" in document.text


def test_large_documents_and_broken_streams_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(source_module, "LONGEST_RECORD", 1000)
    assert reasons(documents(tei, TEI)[1]) == ["record_too_long"]
    path = tmp_path / "cut.xml.gz"
    path.write_bytes(gzip.compress(TEI.encode())[:-40])
    assert reasons(documents(tei, path)[1])[0] == "broken_compression"


@BOTH
def test_empty_and_senseless_documents(module: ModuleType) -> None:
    root = {"tei": "TEI", "jats": "article"}[module.NAME]
    for inner in (
        "",
        "<text/>",
        "<front/><back><ref-list><ref/></ref-list></back>",
        "<text><body><p/></body></text>",
        "<body><p><p><p/></p></p></body>",
    ):
        found, report = documents(module, f"<{root}>{inner}</{root}>")
        assert not found or reasons(report) == []


@given(
    st.integers(0, 4000),
    st.integers(1, 200),
    st.binary(max_size=20),
    st.sampled_from([(tei, TEI), (jats, JATS)]),
)
def test_any_damage_is_survived(
    at: int, size: int, put: bytes, which: tuple[ModuleType, str]
) -> None:
    data = which[1].encode()
    found, report = documents(which[0], data[:at] + put + data[at + size :])
    for document in found:
        check(document)
    assert found or report.total("skipped")


def test_a_source_is_read_in_bounded_pieces() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: "WriteableBuffer", /) -> int:
            view = memoryview(buffer)
            view[:] = b" " * len(view)
            return len(view)

    report = Report()
    assert xml_tree.parsed(Source("endless", io.BufferedReader(Endless())), report) is None
    assert reasons(report) == ["record_too_long"]
    assert source_module.LONGEST_RECORD < 1 << 26


@pytest.mark.slow
def test_many_marks_and_mentions_take_time_in_proportion() -> None:
    """Each took minutes where a step looked at all that follows."""
    title = "<fileDesc><titleStmt><title>Bees</title></titleStmt></fileDesc>"
    head = f"<TEI><teiHeader>{title}</teiHeader><text><body><p>"
    crowded = head + 'x <ref type="bibr" target="#b">(1</ref>' * 10_000 + "</p></body></text></TEI>"
    mention = {
        "referenceID": 0,
        "context": "a b " * 50 + "(c)",
        "startOffset": 200,
        "endOffset": 203,
    }
    searched = {
        "metadata": {
            "source": "",
            "title": "Bees",
            "sections": [{"text": "a b " * 50_000}] * 20,
            "references": [{"title": "Honey"}],
            "referenceMentions": [mention] * 5_000,
        }
    }
    start = time.perf_counter()
    for module, data in ((tei, crowded), (science_parse, json.dumps(searched))):
        for document in documents(module, data)[0]:
            check(document)
    assert time.perf_counter() - start < 60
