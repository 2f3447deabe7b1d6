"""CSL-JSON: what is read, in whatever shape it comes, and what malformed objects cost."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewise import ingest
from citewise.ingest import FORMATS, csl, source
from citewise.ingest.json_stream import ObjectScanner
from citewise.ingest.report import Report
from citewise.types import Paper
from ingest.json_sources import papers_in

ITEM: dict[str, Any] = {
    "id": "vaswani",
    "type": "paper-conference",
    "title": 'Attention is all you need {["}]',
    "author": [
        {"family": "Vaswani", "given": "Ashish"},
        {"literal": "Google Brain"},
        {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van", "suffix": "Jr"},
    ],
    "issued": {"date-parts": [["2017", 6, 12]]},
    "container-title": "NeurIPS",
    "DOI": "10.5555/3295222",
    "PMID": "123",
    "URL": "https://example.org",
    "abstract": "<jats:p>We propose.</jats:p>",
    "page": "1–11",
    "volume": 30,
    "issue": "2",
    "publisher": "Curran",
    "keyword": "attention, translation",
    "note": "arXiv: 1706.03762",
}


def papers(tmp_path: Path, data: bytes | str | object, report: Report | None = None) -> list[Paper]:
    path = tmp_path / "library.json"
    text = data if isinstance(data, bytes | str) else json.dumps(data)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return papers_in(path, report=report)


def test_an_item_with_every_member(tmp_path: Path) -> None:
    (paper,) = papers(tmp_path, [ITEM])
    assert paper.id == "doi:10.5555/3295222"
    assert paper.ids == ("pmid:123", "arxiv:1706.03762", "csl:vaswani")
    assert paper.title == ITEM["title"]
    assert paper.authors == ("Ashish Vaswani", "Google Brain", "Ludwig van Beethoven Jr")
    assert (paper.year, paper.date, paper.venue, paper.kind) == (
        2017,
        "2017-06-12",
        "NeurIPS",
        "inproceedings",
    )
    assert paper.abstract == "We propose."
    assert paper.fields == ("attention", "translation")
    assert paper.details == {
        "volume": "30",
        "number": "2",
        "pages": "1-11",
        "publisher": "Curran",
        "url": "https://example.org",
    }


def test_crossref_variant(tmp_path: Path) -> None:
    work = {
        "type": "journal-article",
        "title": ["A title"],
        "subtitle": ["with more"],
        "container-title": ["Nature"],
        "issued": {"date-parts": [[None]]},
        "DOI": "10.1038/1",
        "author": [{"name": "ENCODE"}],
        "subject": ["Bio"],
    }
    for wrapped in (
        work,
        {"status": "ok", "message": work},
        {"message": {"items": [work]}},
        {"items": [work]},
    ):
        (paper,) = papers(tmp_path, wrapped)
        assert (paper.title, paper.venue, paper.kind, paper.year) == (
            "A title: with more",
            "Nature",
            "article",
            None,
        )
        assert paper.authors == ("ENCODE",)


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        ({"raw": "2001-05"}, "2001-05"),
        ({"literal": "circa 1999"}, "1999"),
        ("2003", "2003"),
        (2003, "2003"),
        ({}, ""),
        ({"date-parts": []}, ""),
        ({"date-parts": [[2001, 13, 99]]}, "2001"),
        (None, ""),
        ([], ""),
    ],
)
def test_dates(issued: object, date: str) -> None:
    assert csl.issued(issued) == date


def test_shapes(tmp_path: Path) -> None:
    items = [{**ITEM, "DOI": f"10.5555/{n}"} for n in range(3)]
    lines = "\n".join(map(json.dumps, items))
    for text in (
        json.dumps(items),
        json.dumps(items, indent=2),
        lines,
        "\ufeff" + json.dumps(items, indent="\t"),
        "[\n" + ",\n".join(map(json.dumps, items)) + "\n]",
    ):
        assert [paper.id for paper in papers(tmp_path, text)] == [
            f"doi:10.5555/{n}" for n in range(3)
        ]


def test_the_line_of_an_object_is_where_it_starts(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([ITEM, {**ITEM, "DOI": "10.5555/2"}], indent=0))
    places = [place.line for _, place in ingest.read([path], Report())]
    assert places[0] == 2
    assert path.read_text().split("\n")[places[1] - 1] == "{"


GOOD = [
    {"id": name, "type": "book", "title": name, "author": [{"family": "A"}]}
    for name in ("one", "two")
]


@pytest.mark.parametrize(
    "broken",
    [
        '{"id": "bad", "type": "book", "title": "never closed"',
        '{"id": "bad", "type": "book", "title": "open string}',
        '{"id": "bad", "type": "book", "author": [{"family": "A"}, "title": "x"}',
        '{"id": "bad" "type": "book"}',
        '{"id": "bad", "type": }',
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_malformed_object_costs_only_itself(
    tmp_path: Path, broken: str, indent: int | None
) -> None:
    report = Report()
    one, two = (json.dumps(item, indent=indent) for item in GOOD)
    found = papers(tmp_path, f"[\n{one},\n{broken},\n{two}\n]", report)
    assert [paper.title for paper in found] == ["one", "two"]
    assert report.counts["skipped", "malformed_json"] == 1


def test_an_overlong_object_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LONGEST_RECORD", 2_000_000)
    report = Report()
    long = {**GOOD[0], "abstract": "word " * 1_000_000}
    found = papers(
        tmp_path, f"[{json.dumps(GOOD[0])},\n{json.dumps(long)},\n{json.dumps(GOOD[1])}]", report
    )
    assert [paper.title for paper in found] == ["one", "two"]
    assert report.counts["skipped", "record_too_long"] == 1


def test_what_is_no_item_is_reported(tmp_path: Path) -> None:
    report = Report()
    assert len(papers(tmp_path, [GOOD[0], {"family": "A"}, GOOD[1]], report)) == 2
    assert report.counts["skipped", "not_a_csl_item"] == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=4), max_size=5),
    st.integers(1, 40),
    st.sampled_from([None, 0, 2]),
)
def test_objects_come_out_whole_however_the_bytes_are_cut(
    items: list[Any], size: int, indent: int | None
) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    scanner = ObjectScanner()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = [part for piece in pieces for part in scanner.feed(piece)] + list(
        scanner.feed(b"", last=True)
    )
    assert [json.loads(part.decode("utf-8", "surrogatepass")) for _, part, _ in found] == items


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(ITEM)), JSON))
def test_members_of_wrong_types_break_nothing(
    tmp_path_factory: pytest.TempPathFactory, members: Any
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "a.json"
    path.write_text(
        json.dumps([{**ITEM, **members}, {"id": "last", "type": "book", "title": "Last"}])
    )
    assert [paper.title for paper in papers_in(path, format="csl")][-1] == "Last"


def test_no_format_claims_anothers_files() -> None:
    heads = {
        "csl": json.dumps([ITEM], indent=2).encode(),
        "jsonl": b'{"id": "a", "title": "T", "authors": ["A"], "year": 2001}\n',
        "bibtex": b"@article{a,\n title={T}}",
        "ris": b"TY  - JOUR\nER  - \n",
        "openalex": json.dumps(
            {
                "id": "https://openalex.org/W2741809807",
                "title": "T",
                "type": "article",
                "publication_year": 2018,
                "authorships": [],
                "ids": {},
                "doi": None,
                "abstract_inverted_index": None,
                "referenced_works": [],
            }
        ).encode()
        + b"\n",
    }
    for name, head in heads.items():
        assert next(module.NAME for module in FORMATS.values() if module.detects(head)) == name
        assert csl.detects(head) == (name == "csl")
