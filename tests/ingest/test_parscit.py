"""ParsCit's XML."""

from pathlib import Path

from citewise.ingest.fulltext import parscit
from ingest.fulltext_sources import cited_titles, documents, marks, one

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<algorithms version="110505">
<algorithm name="SectLabel" version="110505"><variant no="0" confidence="0.01">
<title confidence="0.9">Bees</title>
<sectionHeader confidence="0.9" genericHeader="introduction">1 Introduction</sectionHeader>
<bodyText confidence="0.9">Bees dance (Uhr, 1985; Wabe et
al., 1990) for oth-
er bees and</bodyText>
<page confidence="0.9">7</page>
<footnote confidence="0.9">1See Kara (2012).</footnote>
<bodyText
 confidence="0.9">then fly, as Wabe et al. (1990) say [3].
In 1985 nobody knew, nor did Uhr, 1985b.</bodyText>
<table confidence="0.9">Uhr, 1985</table>
<sectionHeader confidence="0.9">2 Next</sectionHeader>
<bodyText confidence="0.9">Twice (Zwei, 1999) it is unclear.</bodyText>
<reference confidence="0.9">M. Uhr. 1985.</reference>
</variant></algorithm>
<algorithm name="ParsHed" version="110505"><variant no="0" confidence="0.9">
<title confidence="0.9">Bees that dance</title><author confidence="0.9">Karla Frischmann</author>
<abstract confidence="0.9">We study bees.</abstract></variant></algorithm>
<algorithm name="ParsCit" version="110505"><citationList>
<citation valid="true"><authors><author>M Uhr</author></authors><title
>Clocks of bees and others.</title>
<date>1985</date>
<journal>Rhythm</journal><volume>3</volume><pages>1--9</pages>
<contexts>
<context position="1" citStr="Uhr, 1985" startWordPosition="1"
 endWordPosition="2">x</context></contexts>
<marker>Uhr, 1985</marker><rawString>M. Uhr. 1985.</rawString></citation>
<citation valid="true"><authors><author>O Wabe</author></authors><title>Honey</title
><date>1990</date>
<contexts><context position="1" citStr="Wabe et al., 1990">x</context>
<context position="2" citStr="Wabe et al. (1990)">x</context>
</contexts></citation>
<citation valid="true"><authors><author>D Kara</author></authors>
<title>Artificial bees in the sun</title><date>2012</date>
<contexts><context position="1" citStr="[3]">x</context><context
 position="1" citStr="Kara (2012)">x</context>
<context position="1" citStr="1985">x</context></contexts></citation>
<citation valid="true"><title>One of two works</title>
<contexts><context citStr="Zwei, 1999">x</context></contexts></citation>
<citation valid="true"><title>The other of two</title>
<contexts><context citStr="Zwei, 1999">x</context></contexts></citation>
</citationList></algorithm></algorithms>"""


def test_a_document_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "A00-1012.xml"
    path.write_text(DOCUMENT)
    document = one(parscit, path)
    paper = document.paper
    assert (paper.id, paper.title, paper.abstract) == (
        "acl:A00-1012",
        "Bees that dance",
        "We study bees.",
    )
    assert paper.authors == ("Karla Frischmann",)
    assert [cited.id for cited in document.cited] == [
        "title:clocksofbeesandothers:uhr",
        "title:honey:wabe:1990",
        "title:artificialbeesinthesun:kara",
        "title:oneoftwoworks",
        "title:theotheroftwo",
    ]
    assert document.cited[0].details == {"volume": "3", "pages": "1-9"}
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("1 Introduction", "1See Kara (2012)."),
        (
            "1 Introduction",
            "Bees dance (Uhr, 1985; Wabe et al., 1990) for other bees and then fly, "
            "as Wabe et al. (1990) say [3].",
        ),
    ]
    assert marks(document) == [
        ["Kara (2012)"],
        ["(Uhr, 1985; Wabe et al., 1990)", "Wabe et al. (1990)", "[3]"],
    ]
    uhr, wabe, kara = (cited.title for cited in document.cited[:3])
    assert cited_titles(document) == [[[kara]], [[uhr, wabe], [wabe], [kara]]]


def test_recognised_by_its_root() -> None:
    assert parscit.detects(DOCUMENT.encode())
    assert not parscit.detects(b"<algorithms><algorithm name='x'/></algorithms>")
    assert documents(parscit, "<algorithms/>")[0] == []
