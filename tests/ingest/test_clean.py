"""Fields that lie: each is repaired or refused, the reason is counted, and nothing ever raises."""

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.ingest import clean
from citewise.ingest.clean import Cleaner
from citewise.ingest.report import Report, SourceLocation
from citewise.text import ids
from citewise.types import Paper
from ingest.json_sources import WRONG, json_objects
from properties import examples

PLACE = SourceLocation("papers.jsonl", 7)
NEXT_YEAR = datetime.date.today().year + 1


def cleaned(**raw: object) -> tuple[Paper, list[str]]:
    """Return the paper made of a record and the reasons noted on the way."""
    paper, reasons = cleaned_or_refused(**raw)
    assert paper is not None
    return paper, reasons


def cleaned_or_refused(**raw: object) -> tuple[Paper | None, list[str]]:
    """Return the same, and None where a record is refused."""
    report = Report()
    record = {"id": "a", "title": "A title of bees", **raw}
    paper = Cleaner(report).paper(
        {name: value for name, value in record.items() if value != "ABSENT"}, PLACE
    )
    assert all(
        event.file == "papers.jsonl" and event.line == 7
        for each in report.examples.values()
        for event in each
    )
    return paper, [reason for _, reason in report.counts.elements()]


def test_an_honest_record_is_taken_as_it_is() -> None:
    paper, reasons = cleaned(
        abstract="About bees.",
        year=2001,
        authors=["Ann Bee", "Bo Wax"],
        venue="Hive",
        ids={"doi": "10.1000/X"},
        references=["10.1000/Y", "own"],
        fields=["biology"],
        date="2001-05-06",
        kind="article",
        details={"volume": "3"},
    )
    assert paper == Paper(
        "a",
        "A title of bees",
        "About bees.",
        2001,
        ("Ann Bee", "Bo Wax"),
        "Hive",
        ("doi:10.1000/x",),
        ("doi:10.1000/y", "own"),
        ("biology",),
        "2001-05-06",
        "article",
        {"volume": "3"},
    )
    assert reasons == []


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        (2015, 2015),
        ("2015", 2015),
        ("2015a", 2015),
        ("c. 1850", 1850),
        ("2015-03-01", 2015),
        (2015.0, 2015),
        ([2015, 1], 2015),
        (1450, 1450),
        (NEXT_YEAR, NEXT_YEAR),
        (None, None),
        ("", None),
    ],
)
def test_a_year_that_can_be_read(year: object, expected: int | None) -> None:
    paper, reasons = cleaned(year=year)
    assert (paper.year, reasons) == (expected, [])


@pytest.mark.parametrize(
    "year",
    [
        20015,
        -5,
        0,
        1449,
        NEXT_YEAR + 1,
        "20015",
        "MMXV",
        "in press",
        True,
        False,
        {},
        1e300,
        float("nan"),
        10**400,
        "9" * 5000,
    ],
)
def test_a_year_that_lies_is_left_out(year: object) -> None:
    paper, reasons = cleaned(year=year)
    assert (paper.year, reasons) == (None, ["bad_year"])


@pytest.mark.parametrize(
    ("date", "year", "expected"),
    [
        ("2001-05-06", None, ("2001-05-06", 2001)),
        ("2001-05", 2001, ("2001-05", 2001)),
        ("2001", None, ("2001", 2001)),
        ("2001-05-06", 2003, ("", 2003)),
        ("May 2001", None, ("", None)),
        ("2001-5-6", 2001, ("", 2001)),
        (20010506, 2001, ("", 2001)),
    ],
)
def test_a_date_fits_its_year(
    date: object, year: int | None, expected: tuple[str, int | None]
) -> None:
    paper, _ = cleaned(date=date, year=year)
    assert (paper.date, paper.year) == expected


@pytest.mark.parametrize(
    "abstract",
    [
        "n/a",
        "N/A",
        "none",
        "NULL",
        "-",
        "...",
        "No abstract available.",
        "Abstract",
        "[Abstract not available]",
        "A title of bees",
        "unknown",
    ],
)
def test_an_abstract_that_says_nothing(abstract: str) -> None:
    paper, reasons = cleaned(abstract=abstract)
    assert (paper.abstract, reasons) == ("", ["empty_abstract"])


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        ("Abstract: We study bees.", "We study bees."),
        ("ABSTRACT We study bees.", "We study bees."),
        ("Abstract algebra is studied.", "Abstract algebra is studied."),
        ("None of the bees dance.", "None of the bees dance."),
        ("  two\n lines\t here ", "two lines here"),
    ],
)
def test_an_abstract_that_says_something(abstract: str, expected: str) -> None:
    assert cleaned(abstract=abstract)[0].abstract == expected


@pytest.mark.parametrize(
    ("title", "expected", "reasons"),
    [
        ("Bees\x00and\x07ants", "Bees and ants", ["control_characters"]),
        ("Bees \ufffd ants", "Bees ants", ["broken_encoding"]),
        ("Half \ud800 a letter", "Half a letter", ["control_characters"]),
        ("Bees &amp; ants &#8212; &lt;3", "Bees & ants — <3", []),
        ("<jats:p>Bees</jats:p> in H<sub>2</sub>O", "Bees in H2O", []),
        ("if a < b and b > c", "if a < b and b > c", []),
        ("  Bees \n and\tants ", "Bees and ants", []),
        (1984, "1984", []),
        (["Bees"], "", ["field_of_wrong_type"]),
        ({"en": "Bees"}, "", ["field_of_wrong_type"]),
        (True, "", ["field_of_wrong_type"]),
        ("?!", "", []),
        (None, "", []),
        ("\U0001f41d bees", "\U0001f41d bees", []),
    ],
)
def test_titles(title: object, expected: str, reasons: list[str]) -> None:
    paper, noted = cleaned(title=title)
    assert (paper.title, noted) == (expected, reasons)


@pytest.mark.parametrize("entity", ["&#0;", "&#xD800;", "&#xFFFF;", "&#11;", "&#x85;"])
def test_an_entity_brings_no_bad_character_in(entity: str) -> None:
    paper, _ = cleaned(title=f"Bees {entity} ants", abstract=f"Bees{entity}")
    assert "".join((paper.title, paper.abstract)).isprintable()


def test_numbers_of_thousands_of_digits() -> None:
    for field in (
        "id",
        "title",
        "abstract",
        "year",
        "venue",
        "date",
        "authors",
        "references",
        "ids",
    ):
        for value in (10**4_200, [10**4_200], {"doi": 10**4_200}):
            paper, _ = cleaned_or_refused(**{field: value})
            assert paper is None or isinstance(paper, Paper)


def test_texts_without_end_are_cut() -> None:
    paper, reasons = cleaned(
        title="bees " * 400_000,
        abstract="ants " * 400_000,
        venue="v" * 10_000,
        authors=["x" * 10_000, *(f"Author {number}" for number in range(6_000))],
    )
    assert len(paper.title) <= clean.LONGEST_TITLE and paper.title.endswith("bees")
    assert len(paper.abstract) <= clean.LONGEST_ABSTRACT and paper.abstract.endswith("ants")
    assert (len(paper.venue), len(paper.authors[0]), len(paper.authors)) == (
        300,
        200,
        clean.MOST_AUTHORS,
    )
    assert set(reasons) == {"title_cut", "abstract_cut", "authors_cut"}


def test_references() -> None:
    paper, reasons = cleaned(
        ids={"doi": "10.1000/self"},
        references=[
            "10.1000/B",
            "doi:10.1000/b",
            "https://doi.org/10.1000/SELF",
            "a",
            17,
            "own",
            "",
            None,
            ["x"],
            "y" * 500,
            True,
        ],
    )
    assert paper.references == ("doi:10.1000/b", "17", "own")
    assert sorted(reasons) == ["bad_reference", "reference_to_itself"]
    paper, reasons = cleaned(
        references=[f"r{number}" for number in range(clean.MOST_REFERENCES + 5)]
    )
    assert (len(paper.references), reasons) == (clean.MOST_REFERENCES, ["references_cut"])
    assert cleaned(references="10.1000/b")[0].references == ()
    assert cleaned(references={"a": 1})[1] == ["field_of_wrong_type"]


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        (["Ann Bee", " Bo  Wax "], ("Ann Bee", "Bo Wax")),
        ("Bee, Ann and Wax, Bo", ("Bee, Ann", "Wax, Bo")),
        ("Ann Bee; Bo Wax", ("Ann Bee", "Bo Wax")),
        ([{"name": "Ann Bee"}, {"given": "Bo", "family": "Wax"}], ("Ann Bee", "Bo Wax")),
        ([None, "", {}, 5, ["x"]], ("5",)),
        (7, ()),
        ({"name": "Ann"}, ()),
        (None, ()),
    ],
    ids=str,
)
def test_authors(authors: object, expected: tuple[str, ...]) -> None:
    assert cleaned(authors=authors)[0].authors == expected


LINES = st.lists(
    st.sampled_from(["bees", " ", "  ", "&amp;", "<i>", "é", "\t", "\x07", "\ufffd", "蜂"])
).map("".join)


@given(LINES, LINES, LINES, st.lists(LINES, max_size=3))
def test_one_look_at_all_texts_finds_what_a_look_at_each_does(
    title: str, abstract: str, venue: str, authors: list[str]
) -> None:
    texts = {"title": title, "abstract": abstract, "venue": venue}
    together = cleaned(**texts, authors=[*authors, "Bo"])
    apart = cleaned(**texts, authors=[{"name": name} for name in [*authors, "Bo"]])
    assert (
        together == apart
    )  # an author who is no string keeps the texts from being looked at together


def test_who_a_record_is() -> None:
    assert cleaned(id="https://doi.org/10.1000/X")[0].id == "doi:10.1000/x"
    assert cleaned(id=42)[0].id == "42"
    assert (
        cleaned(id="ABSENT", ids={"pmid": 5, "doi": "10.1000/X", "mag": None})[0].id
        == "doi:10.1000/x"
    )
    assert cleaned(id="ABSENT", ids=["odd one", "arXiv:1706.03762v3"])[0].id == "arxiv:1706.03762"
    assert cleaned(id="ABSENT")[0].id == "title:atitleofbees"
    assert len(cleaned(id="x" * 5_000)[0].id) == ids.LONGEST_KEY
    assert cleaned_or_refused(id="ABSENT", title="?!") == (None, ["no_id_no_title"])
    orphan = cleaned_or_refused(id=None, title=None, abstract="orphan")
    assert orphan == (None, ["no_id_no_title"])
    paper, reasons = cleaned(title=None, abstract="A patch.")
    assert (paper.title, paper.abstract, reasons) == ("", "A patch.", [])


def test_keys_have_no_control_characters() -> None:
    paper, _ = cleaned(id="a\x1b[31m", ids=["b\x1b[31m"], references=["c\x1b[31m"])
    assert all(name.isprintable() for name in (paper.id, *paper.ids, *paper.references))


def test_details_and_kinds() -> None:
    details = {"volume": 3, "pages": ["1"], "shoe": "8", "url": "x" * 30_000}
    paper, reasons = cleaned(kind="novel", details=details, fields="cs")
    assert (paper.kind, paper.fields) == ("", ())
    assert paper.details == {"volume": "3", "shoe": "8", "url": "x" * 20_000}
    assert cleaned(kind=["article"])[0].kind == ""
    assert reasons == ["details_cut"]


FIELDS = (
    "id",
    "title",
    "abstract",
    "year",
    "authors",
    "venue",
    "ids",
    "references",
    "fields",
    "date",
    "kind",
    "details",
)


@pytest.mark.parametrize("field", FIELDS)
def test_no_field_of_a_wrong_type_stops_anything(field: str) -> None:
    for value in [
        *WRONG,
        float("inf"),
        b"bytes",
        "\x00",
        {"name": {"name": []}},
        [[["deep"]]],
        {1: 2},
        "\ud800",
    ]:
        paper, _ = cleaned_or_refused(**{field: value})
        assert paper is None or isinstance(paper, Paper)


@pytest.mark.slow
@given(json_objects(FIELDS))
@examples(150)
def test_any_record_becomes_a_clean_paper_or_none(raw: dict[str, Any]) -> None:
    paper = Cleaner(Report()).paper(raw, PLACE)
    if paper is None:
        return
    assert paper.id and len(paper.id) <= max(ids.LONGEST_KEY, 210)
    assert paper.year is None or clean.FIRST_YEAR <= paper.year <= NEXT_YEAR
    for text in (paper.title, paper.abstract, paper.venue, *paper.authors):
        assert text == " ".join(text.split())
        assert text.encode().decode() == text
    assert paper.id not in paper.references and len({*paper.references}) == len(paper.references)
    assert not paper.date or paper.date.startswith(str(paper.year))
    if not all(name.isprintable() for name in (paper.id, *paper.references)):
        return  # see test_keys_have_no_control_characters
    again = Cleaner(Report()).paper(
        {
            "id": paper.id,
            "title": paper.title,
            "abstract": paper.abstract,
            "references": list(paper.references),
        },
        PLACE,
    )
    assert again is not None and again.references == paper.references


@pytest.mark.slow
@given(st.lists(json_objects(FIELDS), max_size=6))
@examples(10)
def test_whatever_is_clean_can_be_stored(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    cleaner = Cleaner(Report())
    papers = [paper for paper in (cleaner.paper(record, PLACE) for record in records) if paper]
    folder = tmp_path_factory.mktemp("clean") / "library"
    citewise.add(papers, folder)
    assert citewise.verify(folder).sound
