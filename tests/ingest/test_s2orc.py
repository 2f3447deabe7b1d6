"""S2ORC, unarXive and science-parse: JSON in which marks are given by their places or by place holders."""

import json
from typing import Any

import pytest
from fulltext_sources import check, cited_titles, documents, marks, one, reasons
from hypothesis import given, settings
from hypothesis import strategies as st
from json_sources import WRONG, clean, detected, json_objects, lines

from citewise.ingest import s2orc_metadata
from citewise.ingest.fulltext import s2orc, science_parse, unarxive

TEXT = "Bees dance (Uhr, 1985; Wabe, 1990). Ants walk [3]."
SPANS = [
    {"start": 11, "end": 22, "text": "(Uhr, 1985;", "ref_id": "BIBREF0"},
    {"start": 23, "end": 34, "text": "Wabe, 1990)", "ref_id": "BIBREF1"},
    {"start": 46, "end": 49, "text": "[3]", "ref_id": None},
]
ENTRIES = {
    "BIBREF0": {
        "ref_id": "b0",
        "title": "Clocks of bees and of other insects",
        "year": 1985,
        "venue": "Rhythm",
        "links": "12345678",
        "authors": [{"first": "Mina", "middle": ["B"], "last": "Uhr", "suffix": ""}],
        "other_ids": {"DOI": ["10.1000/clock"]},
    },
    "BIBREF1": {
        "title": "Honey",
        "authors": [{"first": "O", "middle": [], "last": "Wabe", "suffix": ""}],
        "year": 1990,
        "link": None,
    },
}
BODY = [{"text": TEXT, "cite_spans": SPANS, "ref_spans": [], "section": "Introduction"}]
PARSE = {"abstract": [{"text": "We study bees.", "cite_spans": []}], "body_text": BODY, "bib_entries": ENTRIES}
METADATA = {
    "title": "Bees that dance",
    "authors": [{"first": "Karla", "middle": [], "last": "Frischmann", "suffix": ""}],
    "year": "2019-05",
    "doi": "10.1000/dance",
    "pmc_id": "PMC1234",
    "pubmed_id": "42",
    "venue": "Annals",
}
RELEASES: dict[str, dict[str, Any]] = {
    "2019": {
        "paper_id": "10002293",
        "metadata": METADATA,
        "s2_pdf_hash": "",
        "grobid_parse": PARSE,
        "latex_parse": None,
    },
    "2020": {"paper_id": "10002293", "_pdf_hash": "x", **PARSE},
    "2021": {
        "paper_id": "24e6b80e338a4e543de6b49cada07156c9149d22",
        "metadata": METADATA,
        **PARSE,
        "back_matter": [],
    },
    "doc2json": {"paper_id": "2020", "header": {}, **METADATA, "pdf_parse": {**PARSE, "paper_id": "2020"}},
}


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
        assert (document.paper.id, document.paper.year, document.paper.date) == ("doi:10.1000/dance", 2019, "2019-05")
        assert document.paper.authors == ("Karla Frischmann",)
        assert ("s2:10002293" in document.paper.ids) is (release == "2019")


def test_metadata_of_the_release_of_2020() -> None:
    record = {"paper_id": "10002293", **METADATA, "mag_id": "7", "mag_field_of_study": ["Biology"],
              "outbound_citations": ["12345678", "23456789"], "has_outbound_citations": True}
    assert detected(lines(record)) == ["s2orc-metadata"]
    (paper, patch), _ = clean(s2orc_metadata, record, {"paper_id": "10002294", "outbound_citations": 7})
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


UNARXIVE = {
    "paper_id": "2212.00001",
    "_pdf_hash": None,
    "_source_hash": "x",
    "_source_name": "2212.00001.gz",
    "discipline": "Physics",
    "metadata": {
        "id": "2212.00001",
        "title": "Bees\n  that dance",
        "authors": "Karla Frischmann, Otto Wabe",
        "categories": "q-bio",
        "abstract": "We study.",
        "versions": [{"version": "v1", "created": "Thu, 1 Dec 2022 10:00:00 GMT"}],
    },
    "body_text": [
        {
            "section": "Intro {{formula:f1}}",
            "content_type": "paragraph",
            "cite_spans": [],
            "text": "Let {{formula:f1}}  be a bee {{cite:aa}}, {{cite:bb}}.\n"
            "It dances (Fig. {{figure:f2}}){{cite:bb}}. ",
        }
    ],
    "bib_entries": {
        "aa": {
            "bib_entry_raw": "M. Uhr. Clocks of bees in the dark. Rhythm, 2020.",
            "contained_arXiv_ids": [],
            "ids": {"open_alex_id": "https://openalex.org/W4225968159", "doi": "", "arxiv_id": "2104.06921"},
        },
        "bb": {"bib_entry_raw": "O. Wabe, J. Rhythm 3, 12 (1990)", "contained_arXiv_ids": [], "ids": None},
    },
    "ref_entries": {"f1": {"latex": "x_1 ", "type": "formula"}, "f2": {"caption": "x", "type": "figure"}},
}


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
    assert [sentence.section for sentence in one(unarxive, json.dumps(record)).sentences] == ["Intro", "Intro"]


SCIENCE = {
    "name": "1202.1054.pdf",
    "metadata": {
        "source": "CRF",
        "title": "Bees that dance",
        "authors": ["Karla Frischmann"],
        "year": 2012,
        "abstractText": "We study.",
        "sections": [
            {
                "heading": "1 Introduction",
                "text": "Bees dance (Uhr, 1985; Wabe, 1990). Before,\n"
                "Uhr (1985), Wabe (1990) found it. Others [3] do not.",
            },
            {"heading": None, "text": None},
        ],
        "references": [
            {"title": "Clocks of bees", "author": ["Mina Uhr"], "venue": "CoRR, abs/1101.00001,", "year": 1985},
            {"title": "Honey", "author": ["O. Wabe"], "venue": "Hive", "year": 1990},
        ],
        "referenceMentions": [
            {"referenceID": 0, "context": "Bees dance (Uhr, 1985; Wabe, 1990).", "startOffset": 11, "endOffset": 34},
            {"referenceID": 1, "context": "Bees dance (Uhr, 1985; Wabe, 1990).", "startOffset": 11, "endOffset": 34},
            {
                "referenceID": 0,
                "context": "Before, Uhr (1985), Wabe (1990) found it.",
                "startOffset": 8,
                "endOffset": 18,
            },
            {
                "referenceID": 1,
                "context": "Before, Uhr (1985), Wabe (1990) found it.",
                "startOffset": 8,
                "endOffset": 32,
            },
            {"referenceID": 1, "context": "nowhere to be found (1990)", "startOffset": 0, "endOffset": 9},
            {"referenceID": 99, "context": "x", "startOffset": 0, "endOffset": 1},
            None,
        ],
    },
}


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


@pytest.mark.parametrize(
    ("module", "record"),
    [(s2orc, RELEASES["2019"]), (s2orc, RELEASES["2020"]), (unarxive, UNARXIVE), (science_parse, SCIENCE)],
)
def test_a_member_of_a_wrong_type_costs_no_more_than_itself(module: Any, record: dict[str, Any]) -> None:
    def changed(value: Any, wrong: Any) -> Any:
        """Yield copies of a value with one member, however deep, replaced."""
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, inner in members:
            for replacement in (wrong, *changed(inner, wrong)):
                copy = value.copy()
                copy[name] = replacement
                yield copy

    for wrong in WRONG:
        found, _ = documents(module, "\n".join(map(json.dumps, changed(record, wrong))))
        for document in found:
            check(document)


@settings(max_examples=60)
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
