"""JATS: PubMed Central, eLife, PLOS."""

import pytest
from fulltext_sources import cited_titles, marks, one

from citewise.ingest.fulltext import jats

DOCUMENT = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.0//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink"><?properties open_access?>
<front><journal-meta>
<journal-title-group><journal-title>Annals of Apiculture</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">42</article-id><article-id pub-id-type="pmc">123456</article-id>
<article-id pub-id-type="doi">10.1000/jats</article-id>
<title-group>
<article-title>Bees <italic>in vitro</italic><xref ref-type="fn" rid="n1">*</xref></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name>
 <surname>Uhr</surname><given-names>Mina B</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Nobody</surname><given-names>A</given-names></name></contrib>
 </contrib-group>
<pub-date pub-type="ppub"><year>2013</year></pub-date>
 <pub-date pub-type="epub"><day>3</day><month>11</month><year>2012</year></pub-date>
<abstract><p>We study bees.</p></abstract></article-meta></front>
<body><sec><title>Introduction</title>
<p>Bees dance [<xref ref-type="bibr" rid="B1">1</xref>&#x2013;<xref ref-type="bibr" rid="B3">3</xref>]. Others
 fly<sup><xref ref-type="bibr" rid="B4">4</xref>,<xref ref-type="bibr" rid="B1">1</xref></sup> far
 (<xref ref-type="fig" rid="f1">Figure 1</xref>):<disp-formula>x=1</disp-formula> so be it
 [<xref ref-type="bibr" rid="B2 B4">2, 4</xref>].
 <list><list-item><p>In a list, too [<xref ref-type="bibr" rid="B4">4</xref>].</p></list-item></list> The end.</p>
<fig id="f1"><label>Figure 1</label><caption>
 <title>Dances of <xref ref-type="bibr" rid="B2">[2]</xref>.</title><p>Drawn.</p></caption></fig>
<table-wrap><table><tr><td>Uhr <xref ref-type="bibr" rid="B1">1</xref></td></tr></table></table-wrap>
<sec><title>Deeper</title>
 <p>No citation here.</p><p>Lost ones [<xref ref-type="bibr" rid="B99">99</xref>].</p></sec></sec></body>
<back><ref-list>
<ref id="B1"><label>1</label>
<element-citation publication-type="journal"><person-group person-group-type="author"><name>
 <surname>Wabe</surname><given-names>O</given-names></name></person-group>
 <article-title>Honey and <italic>wax</italic></article-title>
 <source>Rhythm</source><year>1990a</year><volume>3</volume><fpage>1</fpage><lpage>9</lpage>
 <pub-id pub-id-type="pmid">7</pub-id></element-citation></ref>
<ref id="B2"><mixed-citation publication-type="book">
 <string-name><surname>Kara</surname>, <given-names>D.</given-names></string-name>
 (<year>2012</year>). <source>The swarm book</source>.</mixed-citation></ref>
<ref id="B3">
<mixed-citation>Mason R, Satz P. Robots build walls without a plan. Robotics Letters.
 2015;3:1. doi: 10.1000/walls.</mixed-citation></ref>
<ref id="B4"><element-citation><article-title>Ants</article-title>
 <ext-link xlink:href="https://doi.org/10.1000/ants">link</ext-link></element-citation></ref>
</ref-list></back>
<sub-article><body><p>A review cites [<xref ref-type="bibr" rid="B1">1</xref>].</p></body></sub-article>
</article>"""


def test_a_document_by_hand() -> None:
    document = one(jats, DOCUMENT)
    paper = document.paper
    assert (paper.id, paper.ids) == ("doi:10.1000/jats", ("pmid:42", "pmcid:PMC123456"))
    assert (paper.title, paper.authors, paper.venue) == ("Bees in vitro", ("Mina B Uhr",), "Annals of Apiculture")
    assert (paper.year, paper.date, paper.abstract) == (2012, "2012-11-03", "We study bees.")
    assert [(cited.id, cited.title, cited.year) for cited in document.cited] == [
        ("pmid:7", "Honey and wax", 1990),
        ("title:theswarmbook:kara", "The swarm book", 2012),
        ("doi:10.1000/walls", "Robots build walls without a plan", 2015),
        ("doi:10.1000/ants", "Ants", None),
    ]
    assert document.cited[0].authors == ("O Wabe",)
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Introduction", "Bees dance [1–3]."),
        ("Introduction", "Others fly4,1 far (Figure 1): so be it [2, 4]."),
        ("Introduction", "In a list, too [4]."),
        ("Introduction", "Dances of [2]."),
        ("Deeper", "Lost ones [99]."),
    ]
    assert marks(document) == [["[1–3]"], ["4,1", "[2, 4]"], ["[4]"], ["[2]"], ["[99]"]]
    honey, swarm, walls, ants = (cited.title for cited in document.cited)
    assert cited_titles(document) == [
        [[honey, swarm, walls]],
        [[ants, honey], [swarm, ants]],
        [[ants]],
        [[swarm]],
        [[]],
    ]
    assert "The end." in document.text
    assert "A review cites" not in document.text


def test_recognised_by_its_root_and_front_matter() -> None:
    assert jats.detects(DOCUMENT.encode())
    assert not jats.detects(b"<article><p>HTML</p></article>")
    assert not jats.detects(b"<TEI><article><front/></article></TEI>")


@pytest.mark.parametrize(("date", "told"), [
    ("<day>5</day><month>Jan</month><year>2012</year>", "2012"),
    ("<day>5</day><year>2012</year>", "2012"),
    ("<month>7</month><year>2012</year>", "2012-07"),
    ("<day>5</day><month>7</month><year>2012</year>", "2012-07-05"),
])
def test_a_day_is_no_month(date: str, told: str) -> None:
    assert one(jats, DOCUMENT.replace("<day>3</day><month>11</month><year>2012</year>", date)).paper.date == told
