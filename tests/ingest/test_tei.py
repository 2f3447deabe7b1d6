"""TEI as GROBID writes it."""

import pytest
from fulltext_sources import cited_titles, marks, one

from citewise.ingest.fulltext import tei

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader xml:lang="en"><fileDesc><titleStmt><title level="a" type="main">Bees that dance</title></titleStmt>
<sourceDesc><biblStruct><analytic>
 <author><persName><forename type="first">Karla</forename><surname>Frischmann</surname></persName>
  <affiliation>Hive</affiliation></author>
 <title level="a">Bees that dance</title></analytic>
 <monogr><title level="j">Annals of Apiculture</title><imprint>
 <date type="published" when="2019-05-02">2 May 2019</date></imprint>
 </monogr><idno type="DOI">10.1000/DANCE</idno><idno type="MD5">ABC</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract>
 <div><p>Bees dance, as is known <ref type="bibr" target="#b0">[1]</ref>.</p></div></abstract></profileDesc>
</teiHeader>
<text><body>
<div><head n="1">Introduction</head>
 <p>Bees dance <ref type="bibr" target="#b0">(Uhr, 1985;</ref><ref type="bibr" target="#b1">Wabe,
  1990)</ref>. See Fig. <ref type="figure" target="#f0">1</ref>. Others fly <ref type="bibr">(Nobody, 2001)</ref>
  and <ref type="bibr">design</ref>; <ref type="bibr" target="#b2">Kara et al. (2012)</ref> agree.</p></div>
<figure><head>Figure 1</head><figDesc>Dances after <ref type="bibr" target="#b1">Wabe (1990)</ref>.</figDesc>
<table><row><cell>x <ref type="bibr" target="#b2">[3]</ref></cell></row></table></figure>
</body><back><div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a" type="main">Clocks of bees</title><author>
 <persName><forename type="first">Mina</forename>
 <surname>Uhr</surname></persName></author><idno type="PMID">77</idno></analytic>
 <monogr><title level="j">Rhythm</title><imprint>
 <biblScope unit="volume">3</biblScope><biblScope unit="page" from="1" to="9"/>
 <date type="published" when="1985"/></imprint></monogr></biblStruct>
<biblStruct xml:id="b1"><monogr><title level="m">Honey</title><author>
 <persName><surname>Wabe</surname></persName></author>
 <imprint><date type="published" when="1990">1990</date></imprint></monogr></biblStruct>
<biblStruct xml:id="b2"><analytic><title/></analytic><monogr><title/><imprint/></monogr>
 <note type="raw_reference">D. Kara. Artificial bees search for flowers. 2012.</note></biblStruct>
</listBibl></div></back></text></TEI>"""


def test_a_document_by_hand() -> None:
    document = one(tei, DOCUMENT)
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
    assert cited_titles(document) == [[["Clocks of bees"]], [["Clocks of bees", "Honey"]], [[], [kara]], [["Honey"]]]
    assert {(sentence.year, sentence.date) for sentence in document.sentences} == {(2019, "2019-05-02")}


@pytest.mark.parametrize(
    ("head", "is_tei"),
    [
        (DOCUMENT.encode(), True),
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
