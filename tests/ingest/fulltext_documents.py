"""Full texts of every format, small enough to be read by hand."""

from typing import Any

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader xml:lang="en"><fileDesc><titleStmt><title level="a"
 type="main">Bees that dance</title></titleStmt>
<sourceDesc><biblStruct><analytic>
 <author><persName><forename type="first">Karla</forename><surname>Frischmann</surname></persName>
  <affiliation>Hive</affiliation></author>
 <title level="a">Bees that dance</title></analytic>
 <monogr><title level="j">Annals of Apiculture</title><imprint>
 <date type="published" when="2019-05-02">2 May 2019</date></imprint>
 </monogr><idno type="DOI">10.1000/DANCE</idno><idno
 type="MD5">ABC</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract>
 <div><p>Bees dance, as is known <ref type="bibr"
 target="#b0">[1]</ref>.</p></div></abstract></profileDesc>
</teiHeader>
<text><body>
<div><head n="1">Introduction</head>
 <p>Bees dance <ref type="bibr" target="#b0">(Uhr, 1985;</ref><ref type="bibr" target="#b1">Wabe,
  1990)</ref>. See Fig. <ref type="figure" target="#f0">1</ref>. Others fly <ref
 type="bibr">(Nobody, 2001)</ref>
  and <ref type="bibr">design</ref>; <ref type="bibr"
 target="#b2">Kara et al. (2012)</ref> agree.</p></div>
<figure><head>Figure 1</head><figDesc>Dances after <ref type="bibr"
 target="#b1">Wabe (1990)</ref>.</figDesc>
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

JATS = """<?xml version="1.0"?><!DOCTYPE article PUBLIC
 "-//NLM//DTD JATS v1.0//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink"><?properties open_access?>
<front><journal-meta>
<journal-title-group><journal-title>Annals of Apiculture</journal-title></journal-title-group
></journal-meta>
<article-meta><article-id pub-id-type="pmid">42</article-id><article-id
 pub-id-type="pmc">123456</article-id>
<article-id pub-id-type="doi">10.1000/jats</article-id>
<title-group>
<article-title>Bees <italic>in vitro</italic><xref ref-type="fn"
 rid="n1">*</xref></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name>
 <surname>Uhr</surname><given-names>Mina B</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Nobody</surname><given-names>A</given-names></name
></contrib>
 </contrib-group>
<pub-date pub-type="ppub"><year>2013</year></pub-date>
 <pub-date pub-type="epub"><day>3</day><month>11</month><year>2012</year></pub-date>
<abstract><p>We study bees.</p></abstract></article-meta></front>
<body><sec><title>Introduction</title>
<p>Bees dance [<xref ref-type="bibr" rid="B1">1</xref>&#x2013;<xref ref-type="bibr"
 rid="B3">3</xref>]. Others
 fly<sup><xref ref-type="bibr" rid="B4">4</xref>,<xref ref-type="bibr" rid="B1">1</xref></sup> far
 (<xref ref-type="fig" rid="f1">Figure 1</xref>):<disp-formula>x=1</disp-formula> so be it
 [<xref ref-type="bibr" rid="B2 B4">2, 4</xref>].
 <list><list-item><p>In a list, too [<xref ref-type="bibr"
 rid="B4">4</xref>].</p></list-item></list> The end.</p>
<fig id="f1"><label>Figure 1</label><caption>
 <title>Dances of <xref ref-type="bibr" rid="B2">[2]</xref>.</title><p>Drawn.</p></caption></fig>
<table-wrap><table><tr><td>Uhr <xref ref-type="bibr"
 rid="B1">1</xref></td></tr></table></table-wrap>
<sec><title>Deeper</title>
 <p>No citation here.</p><p>Lost ones [<xref ref-type="bibr"
 rid="B99">99</xref>].</p></sec></sec></body>
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
<sub-article><body><p>A review cites [<xref ref-type="bibr"
 rid="B1">1</xref>].</p></body></sub-article>
</article>"""

MAIN = r"""\documentclass{article}
\newcommand{\bee}{\emph{Apis}\xspace}
\newcommand{\seealso}[1]{\citep[see also][]{#1}}
\def\be{\begin{equation}} \def\ee{\end{equation}}
\title{Bees that \emph{dance}}
\author{Karla Frischmann \and Otto Wabe}
\begin{document}
\maketitle
\begin{abstract} We study \bee, as \citet{uhr} did. \end{abstract}
\section{Introduction}
The \bee dances~\citep[see][p.~3]{uhr, wabe} often. % \cite{hidden}
As \citeauthor{kara} (\citeyear{kara}) shows,\footnote{A note cites \cite{wabe}. And more.} bees fly
\seealso{uhr}; see Fig.~\ref{fig}. \nocite{secret}

\begin{figure} \caption{Dances of \citet{kara}.} \end{figure}
\begin{tabular}{c} \cite{uhr} \end{tabular}
We have \be x = y\,. \ee Then \textbf{ants} walk \parencites{uhr}[9]{wabe}.
\input{part}
\input{../../../../etc/passwd}
\bibliography{refs}
\end{document}
Text after the end cites \cite{uhr}.
"""

PART = r"""\subsection{Deeper $x^2$}
\begin{itemize} \item First \autocite{uhr}. \item Second \cite{missing}. \end{itemize}
"""

REFS = r"""@article{uhr, title={Clocks of {B}ees and of other insects},
 author={Uhr, Mina}, year=1985, doi={10.1000/clock}}
@book{wabe, title={Honey}, author={Otto Wabe}, year=1990}
@misc{kara, title={Artificial bees}, author={Kara, Deniz}, eprint={1203.00002},
 archiveprefix={arXiv}}
@misc{secret, title={Never printed in the text}, author={Nobody}}
@misc{unused, title={Of no use}, author={Nobody}}
"""

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

PARSE = {
    "abstract": [{"text": "We study bees.", "cite_spans": []}],
    "body_text": BODY,
    "bib_entries": ENTRIES,
}

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
    "doc2json": {
        "paper_id": "2020",
        "header": {},
        **METADATA,
        "pdf_parse": {**PARSE, "paper_id": "2020"},
    },
}

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
            "ids": {
                "open_alex_id": "https://openalex.org/W4225968159",
                "doi": "",
                "arxiv_id": "2104.06921",
            },
        },
        "bb": {
            "bib_entry_raw": "O. Wabe, J. Rhythm 3, 12 (1990)",
            "contained_arXiv_ids": [],
            "ids": None,
        },
    },
    "ref_entries": {
        "f1": {"latex": "x_1 ", "type": "formula"},
        "f2": {"caption": "x", "type": "figure"},
    },
}

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
            {
                "title": "Clocks of bees",
                "author": ["Mina Uhr"],
                "venue": "CoRR, abs/1101.00001,",
                "year": 1985,
            },
            {"title": "Honey", "author": ["O. Wabe"], "venue": "Hive", "year": 1990},
        ],
        "referenceMentions": [
            {
                "referenceID": 0,
                "context": "Bees dance (Uhr, 1985; Wabe, 1990).",
                "startOffset": 11,
                "endOffset": 34,
            },
            {
                "referenceID": 1,
                "context": "Bees dance (Uhr, 1985; Wabe, 1990).",
                "startOffset": 11,
                "endOffset": 34,
            },
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
            {
                "referenceID": 1,
                "context": "nowhere to be found (1990)",
                "startOffset": 0,
                "endOffset": 9,
            },
            {"referenceID": 99, "context": "x", "startOffset": 0, "endOffset": 1},
            None,
        ],
    },
}
