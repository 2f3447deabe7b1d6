"""Small samples of every bibliographic format, written for the tests: two references each.

The first is a paper on bees of 2019 with the DOI 10.1000/bees.1, the second one on wasps of 1998.
"""

import json

CROSSREF_WORK = {
    "DOI": "10.1000/bees.1",
    "type": "journal-article",
    "title": ["Dances of bees"],
    "author": [{"given": "Anna", "family": "Meyer"}, {"given": "Jo", "family": "Ito"}],
    "container-title": ["Journal of Bees"],
    "issued": {"date-parts": [[2019, 5, 3]]},
    "abstract": "<jats:title>Abstract</jats:title><jats:p>Bees dance for food.</jats:p>",
    "reference": [
        {"key": "1", "DOI": "10.1000/wasps.2"},
        {"key": "2", "unstructured": "A book"},
    ],
    "is-referenced-by-count": 3,
    "reference-count": 2,
    "prefix": "10.1000",
    "indexed": {"date-time": "2020-01-01T00:00:00Z"},
}
CROSSREF_OTHER = {
    **CROSSREF_WORK,
    "DOI": "10.1000/wasps.2",
    "title": ["Nests of wasps"],
    "author": [{"given": "Li", "family": "Wei"}],
    "issued": {"date-parts": [[1998]]},
    "reference": [],
}
ZOTERO_ITEMS = [
    {
        "itemType": "journalArticle",
        "citationKey": "meyer2019",
        "title": "Dances of bees",
        "creators": [
            {"firstName": "Anna", "lastName": "Meyer", "creatorType": "author"},
            {"firstName": "Jo", "lastName": "Ito", "creatorType": "author"},
            {"name": "An Editor", "creatorType": "editor"},
        ],
        "publicationTitle": "Journal of Bees",
        "date": "2019-05-03",
        "DOI": "10.1000/bees.1",
        "abstractNote": "Bees dance for food.",
        "tags": [{"tag": "bees"}],
    },
    {
        "itemType": "book",
        "citationKey": "wei1998",
        "title": "Nests of wasps",
        "creators": [{"firstName": "Li", "lastName": "Wei", "creatorType": "author"}],
        "date": "1998",
    },
]
CSL_ITEMS = [
    {
        "id": "meyer2019",
        "type": "article-journal",
        "title": "Dances of bees",
        "author": [{"family": "Meyer", "given": "Anna"}, {"family": "Ito", "given": "Jo"}],
        "container-title": "Journal of Bees",
        "issued": {"date-parts": [[2019, 5, 3]]},
        "DOI": "10.1000/bees.1",
        "abstract": "Bees dance for food.",
    },
    {
        "id": "wei1998",
        "type": "book",
        "title": "Nests of wasps",
        "author": [{"family": "Wei", "given": "Li"}],
        "issued": {"date-parts": [[1998]]},
    },
]

PUBMED = """
PMID- 30000001
OWN - NLM
DP  - 2019 May 3
TI  - Dances of
      bees
LID - 10.1000/bees.1 [doi]
AB  - Bees dance
      for food.
FAU - Meyer, Anna
AU  - Meyer A
FAU - Ito, Jo
AU  - Ito J
PT  - Journal Article
JT  - Journal of Bees
VI  - 3
IP  - 2
PG  - 10-2
OT  - bees

PMID- 30000002
OWN - NLM
DP  - 1998
TI  - Nests of wasps
FAU - Wei, Li
"""
ERIC = """OWN - ERIC
TI  - Dances of bees
AU  - Meyer, Anna
AU  - Ito, Jo
JT  - Journal of Bees
AID - http://dx.doi.org/10.1000/bees.1
OID - EJ1000001
DP  - 2019
AB  - Bees dance for food.
ISSN - ISSN-1234-4567

OWN - ERIC
TI  - Nests of wasps
AU  - Wei, Li
OID - EJ1000002
DP  - 1998
"""
ENDNOTE_TAGGED = """%0 Journal Article
%T Dances of bees
%A Meyer, Anna
%A Ito, Jo
%J Journal of Bees
%D 2019
%8 May 3, 2019
%V 3
%N 2
%P 10-12
%R 10.1000/bees.1
%X Bees dance

for food.
%K bees
%F meyer2019

%0 Book
%T Nests of wasps
%A Wei, Li
%D 1998
"""
WEB_OF_SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Meyer, A
   Ito, J
AF Meyer, Anna
   Ito, Jo
TI Dances of
   bees
SO JOURNAL OF BEES
DT Article
AB Bees dance for food.
CR Wei L, 1998, NESTS, V1, P2, DOI 10.1000/wasps.2
   Nobody X, 1900, LOST
PD MAY 3
PY 2019
VL 3
IS 2
BP 10
EP 12
DI 10.1000/bees.1
UT WOS:000000000000001
ER

PT B
AU Wei, L
AF Wei, Li
TI Nests of wasps
PY 1998
UT WOS:000000000000002
ER

EF
"""
WEB_OF_SCIENCE_TABLE = (
    "PT\tAU\tAF\tTI\tSO\tDT\tAB\tCR\tPD\tPY\tDI\tUT\n"
    "J\tMeyer, A; Ito, J\tMeyer, Anna; Ito, Jo\tDances of bees\tJOURNAL OF BEES\tArticle\t"
    "Bees dance for food.\tWei L, 1998, NESTS, DOI 10.1000/wasps.2; Nobody\tMAY 3\t2019\t"
    "10.1000/bees.1\tWOS:1\n"
    "B\tWei, L\tWei, Li\tNests of wasps\t\tBook\t\t\t\t1998\t\tWOS:2\n"
)
SCOPUS_TABLE = (
    '\ufeff"Authors","Author full names","Title","Year","Source title","Volume","Issue",'
    '"Page start","Page end","DOI","Link","Abstract","Author Keywords","References",'
    '"Document Type","EID"\n'
    '"Meyer A.; Ito J.","Meyer, Anna (571); Ito, Jo (361)","Dances of bees","2019",'
    '"Journal of Bees","3","2","10","12","10.1000/bees.1","https://x.example/1",'
    '"Bees dance\n\nfor ""food"".","bees; dance","Wei L., Nests, (1998), '
    'DOI: 10.1000/wasps.2; Nobody","Article","2-s2.0-1"\n'
    '"Wei L.","Wei, Li (999)","Nests of wasps","1998","","","","","","","","","","",'
    '"Book","2-s2.0-2"\n'
)
OTHER_TABLE = (
    "Title;Authors;Publication Year;DOI;Abstract\n"
    "Dances of bees;Anna Meyer, Jo Ito;2019;https://doi.org/10.1000/bees.1;Bees dance for food.\n"
    "Nests of wasps;Li Wei;1998;;\n"
)
SCOPUS_TEXT = """Scopus
EXPORT DATE: 4 January 2021

Meyer A., Ito J.
AUTHOR FULL NAMES: Meyer, Anna (571); Ito, Jo (361)
571; 361
Dances of bees
(2019) Journal of Bees, 3 (2), pp. 10 - 12. Cited 1 times.
DOI: 10.1000/bees.1
https://www.scopus.com/inward/record.uri?eid=2-s2.0-850001&doi=10.1000

AFFILIATIONS: A University

ABSTRACT: Bees dance for food.

AUTHOR KEYWORDS: bees; dance

REFERENCES: Wei L., (1998) Nests, DOI 10.1000/wasps.2

DOCUMENT TYPE: Article
SOURCE: Scopus

Wei L.
AUTHOR FULL NAMES: Wei, Li (999)
999
Nests of wasps
(1998) Nests, 1, pp. 1 - 2.
https://www.scopus.com/inward/record.uri?eid=2-s2.0-850002

DOCUMENT TYPE: Book
SOURCE: Scopus
"""
ENDNOTE_XML = """<?xml version="1.0" encoding="UTF-8"?>
<xml><records><record>
<rec-number>1</rec-number><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">Meyer, Anna</style></author>
<author>Ito, Jo</author></authors>
<secondary-authors><author>Editor, An</author></secondary-authors></contributors>
<titles><title><style face="normal">Dances of </style><style face="italic">bees</style></title>
<secondary-title>Journal of Bees</secondary-title></titles>
<pages>10-12</pages><volume>3</volume><number>2</number>
<keywords><keyword>bees</keyword></keywords>
<dates><year>2019</year><pub-dates><date>May 3</date></pub-dates></dates>
<electronic-resource-num>10.1000/bees.1</electronic-resource-num>
<abstract>Bees dance for food.</abstract>
<urls><related-urls><url>https://x.example/1</url></related-urls></urls>
</record><record><ref-type name="Book">6</ref-type>
<contributors><authors><author>Wei, Li</author></authors></contributors>
<titles><title>Nests of wasps</title></titles><dates><year>1998</year></dates>
</record></records></xml>
"""
ENDNOTE_OLD_XML = """<XML><RECORDS>
<RECORD><REFERENCE_TYPE>0</REFERENCE_TYPE><REFNUM>1</REFNUM><AUTHORS><AUTHOR>Meyer, Anna</AUTHOR>
<AUTHOR>Ito, Jo</AUTHOR></AUTHORS><YEAR>2019</YEAR><TITLE>Dances of bees</TITLE>
<SECONDARY_TITLE>Journal of Bees</SECONDARY_TITLE><ABSTRACT>Bees dance for food.</ABSTRACT>
<DOI>10.1000/bees.1</DOI><LABEL>meyer2019</LABEL></RECORD>
<RECORD><REFERENCE_TYPE>1</REFERENCE_TYPE><AUTHORS><AUTHOR>Wei, Li</AUTHOR></AUTHORS>
<YEAR>1998</YEAR><TITLE>Nests of wasps</TITLE></RECORD>
</RECORDS></XML>
"""
ZOTERO_RDF = """<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
 <bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType>
  <dcterms:isPartOf rdf:resource="urn:issn:1234-5678"/>
  <bib:authors><rdf:Seq>
   <rdf:li><foaf:Person><foaf:surname>Meyer</foaf:surname><foaf:givenName>Anna</foaf:givenName>
   </foaf:Person></rdf:li>
   <rdf:li><foaf:Person><foaf:surname>Ito</foaf:surname><foaf:givenName>Jo</foaf:givenName>
   </foaf:Person></rdf:li></rdf:Seq></bib:authors>
  <dc:title>Dances of bees</dc:title><dc:date>2019-05-03</dc:date>
  <dcterms:abstract>Bees dance for food.</dcterms:abstract><bib:pages>10-12</bib:pages>
 </bib:Article>
 <bib:Journal rdf:about="urn:issn:1234-5678"><dc:title>Journal of Bees</dc:title>
  <prism:volume>3</prism:volume><dc:identifier>DOI 10.1000/bees.1</dc:identifier></bib:Journal>
 <bib:Book rdf:about="#item_3"><z:itemType>book</z:itemType>
  <bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Wei</foaf:surname>
   <foaf:givenName>Li</foaf:givenName></foaf:Person></rdf:li></rdf:Seq></bib:authors>
  <dc:title>Nests of wasps</dc:title><dc:date>1998</dc:date></bib:Book>
 <z:Attachment rdf:about="#item_4"><z:itemType>attachment</z:itemType>
  <dc:title>bees.pdf</dc:title></z:Attachment>
</rdf:RDF>
"""
RIS = """TY  - JOUR
AU  - Meyer, Anna
AU  - Ito, Jo
TI  - Dances of bees
JO  - Journal of Bees
PY  - 2019
DA  - 2019/05/03
AB  - Bees dance for food.
DO  - 10.1000/bees.1
ER  -

TY  - BOOK
AU  - Wei, Li
T1  - Nests of wasps
PY  - 1998
ER  -
"""
BIBTEX = """@article{meyer2019, title={Dances of bees}, author={Meyer, Anna and Ito, Jo},
 journal={Journal of Bees}, year=2019, doi={10.1000/bees.1}, abstract={Bees dance for food.}}
@book{wei1998, title={Nests of wasps}, author={Wei, Li}, year={1998}}
"""

SAMPLES: dict[str, tuple[str, str]] = {
    "bibtex": ("bibtex", BIBTEX),
    "ris": ("ris", RIS),
    "pubmed": ("pubmed", PUBMED),
    "ERIC": ("pubmed", ERIC),
    "enw": ("enw", ENDNOTE_TAGGED),
    "wos": ("wos", WEB_OF_SCIENCE),
    "wos, tabs": ("csv", WEB_OF_SCIENCE_TABLE),
    "scopus csv": ("csv", SCOPUS_TABLE),
    "other csv": ("csv", OTHER_TABLE),
    "scopus": ("scopus", SCOPUS_TEXT),
    "endnote-xml": ("endnote-xml", ENDNOTE_XML),
    "endnote-xml, old": ("endnote-xml", ENDNOTE_OLD_XML),
    "zotero-rdf": ("zotero-rdf", ZOTERO_RDF),
    "csl": ("csl", json.dumps(CSL_ITEMS)),
    "csl, indented": ("csl", json.dumps(CSL_ITEMS, indent=2)),
    "zotero-json": ("zotero-json", json.dumps({"config": {}, "items": ZOTERO_ITEMS}, indent=2)),
    "zotero-json of the API": (
        "zotero-json",
        json.dumps([{"key": "A", "data": item} for item in ZOTERO_ITEMS]),
    ),
    "crossref": ("crossref", json.dumps({"message": {"items": [CROSSREF_WORK, CROSSREF_OTHER]}})),
    "crossref lines": (
        "crossref",
        json.dumps(CROSSREF_WORK) + "\n" + json.dumps(CROSSREF_OTHER) + "\n",
    ),
    "crossref file": (
        "crossref",
        json.dumps({"items": [CROSSREF_WORK, CROSSREF_OTHER]}, indent=1),
    ),
}
"""By name: the format that must recognise it, and its text."""
