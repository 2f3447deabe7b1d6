"""S2ORC, unarXive and science-parse: JSON in which marks are given by their places or by place
holders.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import s2orc_metadata
from citewise.ingest.fulltext import s2orc, science_parse, unarxive
from ingest.fulltext_documents import METADATA, RELEASES, SCIENCE, UNARXIVE
from ingest.fulltext_sources import check, cited_titles, documents, marks, one, reasons
from ingest.json_sources import WRONG, clean, detected, json_objects, lines
from properties import examples


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("indent", [None, 2])
def test_every_release_says_the_same(release: str, indent: int | None) -> None:
    data = json.dumps(RELEASES[release], indent=indent)
    assert s2orc.detects(data.encode())
    document = one(s2orc, data)
    assert [(paper.id, paper.title, paper.authors) for paper in document.cited] == [
        ("doi:10.1000/clock", "Clocks of bees and of other insects", ("Mina B Uhr",)),
        ("title:honey:wabe:1990", "Honey", ("O Wabe",)),
    ]
    assert document.cited[0].ids == ("s2:12345678",)
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Introduction", "Bees dance (Uhr, 1985; Wabe, 1990).")
    ]
    assert cited_titles(document) == [[["Clocks of bees and of other insects", "Honey"]]]
    if release == "2020":
        assert (document.paper.id, document.paper.title) == ("s2:10002293", ""), (
            "a patch of the paper in the metadata"
        )
    else:
        assert (document.paper.id, document.paper.year, document.paper.date) == (
            "doi:10.1000/dance",
            2019,
            "2019-05",
        )
        assert document.paper.authors == ("Karla Frischmann",)
        assert ("s2:10002293" in document.paper.ids) is (release == "2019")


def test_metadata_of_the_release_of_2020() -> None:
    record = {
        "paper_id": "10002293",
        **METADATA,
        "mag_id": "7",
        "mag_field_of_study": ["Biology"],
        "outbound_citations": ["12345678", "23456789"],
        "has_outbound_citations": True,
    }
    assert detected(lines(record)) == ["s2orc-metadata"]
    (paper, patch), _ = clean(
        s2orc_metadata, record, {"paper_id": "10002294", "outbound_citations": 7}
    )
    assert (paper.id, paper.references) == ("doi:10.1000/dance", ("s2:12345678", "s2:23456789"))
    assert {"s2:10002293", "mag:7", "pmid:42"} <= set(paper.ids)
    assert (patch.id, patch.references) == ("s2:10002294", ())
    assert (paper.title, paper.year, paper.fields) == ("Bees that dance", 2019, ("Biology",))


def test_many_documents_in_one_file() -> None:
    joined = "\n".join(
        [
            json.dumps(RELEASES["2019"]),
            '{"paper_id": "x", "body_text": [{"text": "Bees',
            json.dumps(RELEASES["2020"]),
            json.dumps({"paper_id": "10002294", "body_text": None}),
        ]
    )
    found, report = documents(s2orc, joined)
    assert [document.paper.id for document in found] == ["doi:10.1000/dance", "s2:10002293"]
    assert reasons(report) == ["malformed_json", "no_full_text"]


def test_unarxive_by_hand() -> None:
    data = json.dumps(UNARXIVE)
    assert unarxive.detects(data.encode())
    assert not s2orc.detects(data.encode())
    document = one(unarxive, data)
    assert (document.paper.id, document.paper.title, document.paper.year) == (
        "arxiv:2212.00001",
        "Bees that dance",
        2022,
    )
    assert document.paper.authors == ("Karla Frischmann", "Otto Wabe")
    assert [(paper.id, paper.title, paper.year) for paper in document.cited] == [
        ("arxiv:2104.06921", "Clocks of bees in the dark", 2020),
        ("title:owabejrhythm3121990:wabe", "O. Wabe, J. Rhythm 3, 12 (1990)", 1990),
    ]
    assert document.cited[0].ids == ("openalex:W4225968159",)
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Intro", "Let $x_1$ be a bee [1], [2]."),
        ("Intro", "It dances (Fig. REF)[2]."),
    ]
    assert marks(document) == [["[1], [2]"], ["[2]"]]


def test_unarxive_of_2024_has_sections() -> None:
    record = {**UNARXIVE, "sections": {"Intro": UNARXIVE["body_text"][0]}}  # type: ignore[index]
    del record["body_text"]
    assert [sentence.section for sentence in one(unarxive, json.dumps(record)).sentences] == [
        "Intro",
        "Intro",
    ]


def test_science_parse_by_hand() -> None:
    data = json.dumps(SCIENCE, indent=1)
    assert science_parse.detects(data.encode())
    document = one(science_parse, data)
    assert (document.paper.id, document.paper.year, document.paper.authors) == (
        "arxiv:1202.1054",
        2012,
        ("Karla Frischmann",),
    )
    assert [paper.id for paper in document.cited] == ["arxiv:1101.00001", "title:honey:wabe:1990"]
    assert [sentence.text for sentence in document.sentences] == [
        "Bees dance (Uhr, 1985; Wabe, 1990).",
        "Before, Uhr (1985), Wabe (1990) found it.",
    ]
    assert marks(document) == [["(Uhr, 1985; Wabe, 1990)"], ["Uhr (1985), Wabe (1990)"]]
    assert cited_titles(document) == [[["Clocks of bees", "Honey"]]] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "record"),
    [
        (s2orc, RELEASES["2019"]),
        (s2orc, RELEASES["2020"]),
        (unarxive, UNARXIVE),
        (science_parse, SCIENCE),
    ],
)
def test_a_member_of_a_wrong_type_costs_no_more_than_itself(
    module: Any, record: dict[str, Any]
) -> None:
    def changed(value: Any, wrong: Any) -> Any:
        """Yield copies of a value with one member, however deep, replaced."""
        members = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        )
        for name, inner in members:
            for replacement in (wrong, *changed(inner, wrong)):
                copy = value.copy()
                copy[name] = replacement
                yield copy

    for wrong in WRONG:
        found, _ = documents(module, "\n".join(map(json.dumps, changed(record, wrong))))
        for document in found:
            check(document)


@pytest.mark.slow
@examples(60)
@given(
    json_objects(
        {
            "paper_id",
            "metadata",
            "body_text",
            "bib_entries",
            "sections",
            "text",
            "cite_spans",
            "references",
            "referenceMentions",
            "pdf_parse",
            "ref_id",
            "title",
            "authors",
            "start",
            "end",
        }
    ),
    st.sampled_from([s2orc, unarxive, science_parse]),
)
def test_any_object_can_be_read(record: dict[str, Any], module: Any) -> None:
    for document in documents(module, json.dumps(record))[0]:
        check(document)
