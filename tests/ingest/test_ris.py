"""RIS: what is read, what is reported, and that odd files cost no more than their odd records."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import ris
from citewise.ingest.report import Report
from citewise.types import Paper
from ingest.json_sources import papers_in
from properties import examples

ARTICLE = """TY  - JOUR
AU  - Vaswani, Ashish
AU  - King, Martin, Jr.
TI  - Attention is all you need
AB  - We propose
a new network; it is simple.
PY  - 2017
DA  - 2017/06/12
T2  - Journal of Things
VL  - 30
IS  - 2
SP  - 1
EP  - 11
DO  - https://doi.org/10.5555/3295222
UR  - https://example.org/a;b
KW  - attention
KW  - translation
PB  - Curran
ID  - vaswani17
ER  -
"""


def papers(tmp_path: Path, text: str | bytes, report: Report | None = None) -> list[Paper]:
    path = tmp_path / "library.ris"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return papers_in(path, report=report)


def test_an_article_with_every_tag(tmp_path: Path) -> None:
    report = Report()
    (paper,) = papers(tmp_path, ARTICLE, report)
    assert paper.id == "doi:10.5555/3295222"
    assert paper.ids == ("ris:vaswani17",)
    assert paper.title == "Attention is all you need"
    assert paper.authors == ("Ashish Vaswani", "Martin King Jr.")
    assert paper.abstract == "We propose a new network; it is simple."
    assert (paper.year, paper.date, paper.venue, paper.kind) == (
        2017,
        "2017-06-12",
        "Journal of Things",
        "article",
    )
    assert paper.fields == ("attention", "translation")
    assert paper.details == {
        "volume": "30",
        "number": "2",
        "pages": "1-11",
        "publisher": "Curran",
        "url": "https://example.org/a;b",
    }
    assert report.total("skipped") == report.total("repaired") == 0


@pytest.mark.parametrize(
    ("tags", "attribute", "value"),
    [
        ("T1  - Other title", "title", "Other title"),
        ("A1  - Doe, Jane", "authors", ("Jane Doe",)),
        ("N2  - Other abstract text", "abstract", "Other abstract text"),
        ("Y1  - 1999///", "year", 1999),
        ("DA  - 1999/05//", "date", "1999-05"),
        ("JO  - Nature", "venue", "Nature"),
        ("JF  - Nature", "venue", "Nature"),
        ("UR  - https://arxiv.org/abs/1706.03762", "id", "arxiv:1706.03762"),
        ("KW  - one\ntwo", "fields", ("one", "two")),
    ],
)
def test_other_tags_for_the_same(tmp_path: Path, tags: str, attribute: str, value: object) -> None:
    title = "" if tags.startswith("T1") else "TI  - A title\n"
    (paper,) = papers(tmp_path, f"TY  - GEN\n{title}{tags}\nER  -\n")
    assert getattr(paper, attribute) == value


def test_a_record_number_is_no_identity(tmp_path: Path) -> None:
    (paper,) = papers(tmp_path, "TY  - BOOK\nID  - 17\nTI  - A book\nER  - \n")
    assert paper.id == "title:abook"


def test_a_missing_end_is_repaired_and_reported(tmp_path: Path) -> None:
    report = Report()
    text = "TY  - JOUR\nTI  - One\nTY  - JOUR\nTI  - Two\nER  - \nTY  - JOUR\nTI  - Three\n"
    assert [paper.title for paper in papers(tmp_path, text, report)] == ["One", "Two", "Three"]
    assert [event.line for event in report.examples["repaired", "no_end_of_record"]] == [1, 6]


def test_what_is_odd_is_reported_by_record(tmp_path: Path) -> None:
    report = Report()
    text = (
        "Provider: a publisher\n\n"
        "TY  - JOUR\nTI  - One\nQQ  - what?\nVL  - 3\nstray words\nER  - \n"
        "TI  - Without a type\nAU  - Nobody\nER  - \n1.\nTY - JOUR\nTI - Two\nER -\n"
    )
    assert [paper.title for paper in papers(tmp_path, text, report)] == ["One", "Two"]
    assert report.examples["repaired", "unknown_ris_tag"][0].detail == "QQ"
    assert report.examples["repaired", "broken_line"][0].line == 7
    assert report.examples["skipped", "malformed_ris"][0].line == 9


def test_encodings_and_line_ends(tmp_path: Path) -> None:
    (plain,) = papers(tmp_path, ARTICLE)
    (windows,) = papers(tmp_path, b"\xef\xbb\xbf" + ARTICLE.replace("\n", "\r\n").encode())
    assert windows == plain
    (latin,) = papers(tmp_path, "TY  - JOUR\nTI  - Über Straßen\nER  - \n".encode("cp1252"))
    assert latin.title == "Über Straßen"


def test_an_overlong_record_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ris, "LONGEST_RECORD", 1_000)
    report = Report()
    long = "TY  - JOUR\nTI  - Long\n" + "KW  - word\n" * 200 + "ER  - \n"
    assert [
        paper.title
        for paper in papers(tmp_path, long + "TY  - JOUR\nTI  - Short\nER  - \n", report)
    ] == ["Short"]
    assert report.counts["skipped", "record_too_long"] == 1


@examples(150)
@given(
    st.lists(
        st.sampled_from(
            [
                "TY  - JOUR",
                "ER  - ",
                "TI  - T",
                "AU  - A, B",
                "XX  - y",
                "loose",
                "SP",
                "  - ",
                "TY",
                "ER",
                "AB  - x",
                "\x0b",
                "AB -",
                "UK  - z",
            ]
        ),
        max_size=12,
    )
)
def test_nothing_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "a.ris"
    path.write_text("\n".join([*lines, "TY  - JOUR", "TI  - Last", "ER  - "]))
    assert [paper.title for paper in papers_in(path, format="ris")][-1] == "Last"


def test_detection() -> None:
    assert ris.detects(b"\xef\xbb\xbfTY  - JOUR\r\nER  - ")
    assert ris.detects(b"Provider: x\n\nTY - CONF\n")
    assert not ris.detects(b"TY Cobb - a life")
    assert not ris.detects(b'{"a": "\nTY  - JOUR\n"}')
