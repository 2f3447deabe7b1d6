"""TEI as GROBID writes it."""

import pytest

from citewise.ingest.fulltext import tei
from ingest.fulltext_documents import TEI
from ingest.fulltext_sources import cited_titles, marks, one


def test_a_document_by_hand() -> None:
    document = one(tei, TEI)
    paper = document.paper
    assert (paper.id, paper.title, paper.year, paper.date) == (
        "doi:10.1000/dance",
        "Bees that dance",
        2019,
        "2019-05-02",
    )
    assert (paper.authors, paper.venue) == (("Karla Frischmann",), "Annals of Apiculture")
    assert paper.abstract == "Bees dance, as is known [1]."
    assert [(cited.id, cited.title, cited.year, cited.authors) for cited in document.cited] == [
        ("pmid:77", "Clocks of bees", 1985, ("Mina Uhr",)),
        ("title:honey:wabe:1990", "Honey", 1990, ("Wabe",)),
        (
            "title:dkaraartificialbeessearchforflowers2012",
            "D. Kara. Artificial bees search for flowers. 2012.",
            None,
            (),
        ),
    ]
    assert document.cited[0].details == {"volume": "3", "pages": "1-9"}
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Abstract", "Bees dance, as is known [1]."),
        ("Introduction", "Bees dance (Uhr, 1985; Wabe, 1990)."),
        ("Introduction", "Others fly (Nobody, 2001) and design; Kara et al. (2012) agree."),
        ("", "Dances after Wabe (1990)."),
    ]
    assert marks(document) == [
        ["[1]"],
        ["(Uhr, 1985; Wabe, 1990)"],
        ["(Nobody, 2001)", "Kara et al. (2012)"],
        ["Wabe (1990)"],
    ]
    kara = "D. Kara. Artificial bees search for flowers. 2012."
    assert cited_titles(document) == [
        [["Clocks of bees"]],
        [["Clocks of bees", "Honey"]],
        [[], [kara]],
        [["Honey"]],
    ]
    assert {(sentence.year, sentence.date) for sentence in document.sentences} == {
        (2019, "2019-05-02")
    }


@pytest.mark.parametrize(
    ("head", "is_tei"),
    [
        (TEI.encode(), True),
        (b"\xef\xbb\xbf<TEI>", True),
        (b"<?xml version='1.0'?><!-- x --><tei:TEI xmlns:tei='x'>", True),
        (b"<article><TEI/></article>", False),
        (b"TEI", False),
        (b"", False),
        (b"<!DOCTYPE TEI [<!ENTITY a 'b'>]><TEI>", True),
    ],
)
def test_recognised_by_its_root(head: bytes, is_tei: bool) -> None:
    assert tei.detects(head) is is_tei
