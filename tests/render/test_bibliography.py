"""Rendered bibliographies, read back by parsers that others wrote, and by our own."""

import io
import json
import string
import unicodedata
from pathlib import Path

import pytest
import rispy
from bibtexparser.entrypoint import parse_string as parse_bibtex
from bibtexparser.middlewares import SeparateCoAuthors, SplitNameParts
from citeproc import (
    Citation,
    CitationItem,
    CitationStylesBibliography,
    CitationStylesStyle,
    formatter,
)
from citeproc.source.json import CiteProcJSON
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pybtex.database import parse_string
from pylatexenc.latex2text import LatexNodes2Text

from citewise import ingest
from citewise.ingest.report import Report
from citewise.render.bibliography import csl, ris
from citewise.render.bibtex import bibtex
from citewise.render.citation_keys import citation_keys
from citewise.render.markdown import markdown
from citewise.render.names import Name, parsed
from citewise.text import latex
from citewise.types import Paper
from properties import examples

ATTENTION = Paper(
    "arxiv:1706.03762",
    "Attention is all you need for BERT & mRNA: 100% of T5_{x}",
    year=2017,
    kind="inproceedings",
    authors=(
        "Ashish Vaswani",
        "Ludwig van Beethoven",
        "Xin Luna Dong",
        "Smith, John",
        "The Astropy Collaboration",
        "Martin Luther King Jr.",
        "Łukasz Müller",
    ),
    venue="Advances in R&D",
    ids=("doi:10.5555/a_b<c>", "pmid:1"),
    date="2017-06-12",
    fields=("nlp", "attention"),
    abstract="One line.\n\nTY  - another, {unbalanced.",
    details={
        "pages": "1-11",
        "volume": "30",
        "number": "2",
        "publisher": "Curran & Co",
        "url": "https://x.org/a_b%20(c)",
    },
)


def decoded(text: str) -> str:
    """Decode with pylatexenc as it comes, whose only slip here is that \\textasciicircum is an
    accent.
    """
    text = LatexNodes2Text(math_mode="text").latex_to_text(text).replace("ˆ", "^")
    return unicodedata.normalize("NFC", " ".join(text.split()))


def parsed_by_pybtex(text: str) -> tuple[str, list[str]]:
    (entry,) = parse_string(text, "bibtex").entries.values()
    people = entry.persons.get("author", [])
    names = [
        " ".join(
            [
                *person.first_names,
                *person.middle_names,
                *person.prelast_names,
                *person.last_names,
                *person.lineage_names,
            ]
        )
        for person in people
    ]
    return decoded(entry.fields.get("title", "")), [decoded(name) for name in names]


def parsed_by_bibtexparser(text: str) -> tuple[str, list[str]]:
    library = parse_bibtex(text, append_middleware=[SeparateCoAuthors(), SplitNameParts()])
    assert not library.failed_blocks
    (entry,) = library.entries
    people = entry.fields_dict["author"].value if "author" in entry.fields_dict else []
    title = entry.fields_dict["title"].value if "title" in entry.fields_dict else ""
    return decoded(title), [decoded(person.merge_first_name_first) for person in people]


def read_back(tmp_path: Path, text: str) -> list[Paper]:
    path = tmp_path / "back"
    path.write_text(text)
    records = (record for record, _ in ingest.read([path], Report()))
    return [record for record in records if isinstance(record, Paper)]


LETTERS = string.ascii_letters + "äöüÅÉñçßøłžőŞıα"
WORD = st.text(alphabet=LETTERS + "'-.~^_$&%#{}\\\"<>|@=`!?/*5", min_size=1, max_size=8)
TITLE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
NAME_WORD = st.text(alphabet=LETTERS + "'-.", min_size=1, max_size=7).filter(
    lambda word: word[0].isalpha()
)
NASTY_NAME_WORD = st.text(alphabet=LETTERS + "'-.{}\\_^%#$&@=\"", min_size=1, max_size=7)
RESERVED = {"and", "others"}
NAME = st.lists(NAME_WORD | NASTY_NAME_WORD, min_size=1, max_size=4).map(" ".join)


def canonical(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


@pytest.mark.slow
@examples(300)
@given(TITLE, st.lists(NAME, max_size=4))
def test_two_parsers_get_titles_and_authors_back(title: str, authors: list[str]) -> None:
    text = bibtex([Paper("x", title, authors=tuple(authors), year=2001)])
    expected = (canonical(title), [canonical(name) for name in authors])
    assert parsed_by_pybtex(text) == expected
    assert parsed_by_bibtexparser(text) == expected


PLAIN = (
    st.text(alphabet=LETTERS + "'-.,:()\"{}$%_#~^\\5", min_size=1, max_size=30)
    .map(canonical)
    .filter(lambda text: any(letter.isalnum() for letter in text))
)


@pytest.mark.slow
@examples(150)
@given(
    PLAIN,
    st.lists(st.lists(NAME_WORD, min_size=1, max_size=3).map(" ".join), max_size=3),
    st.integers(1900, 2020),
    st.sampled_from(["doi:10.1145/3292500_(x)<1>", "arxiv:1706.03762", "own"]),
    st.sampled_from(["article", "inproceedings", "book", "chapter", "thesis", "report"]),
)
def test_round_trip_through_bibtex(
    tmp_path_factory: pytest.TempPathFactory,
    title: str,
    authors: list[str],
    year: int,
    key: str,
    kind: str,
) -> None:
    paper = Paper(
        key, title, authors=tuple(map(canonical, authors)), year=year, venue="Acta & Co", kind=kind
    )
    (back,) = read_back(tmp_path_factory.mktemp("round"), bibtex([paper]))
    assert (back.title, back.authors, back.year, back.kind) == (
        paper.title,
        paper.authors,
        paper.year,
        paper.kind,
    )
    assert key == "own" or back.id == key
    assert kind in ("book", "report") or back.venue == paper.venue


def test_a_full_entry(tmp_path: Path) -> None:
    text = bibtex([ATTENTION])
    assert text.startswith("@inproceedings{vaswani2017attention,\n")
    assert r"{BERT} \& {mRNA}: 100\% of {T5}\_" in text
    assert (
        "author = {Vaswani, Ashish and van Beethoven, Ludwig and Dong, Xin Luna "
        "and Smith, John and "
        r"{The Astropy Collaboration} and King, Jr., Martin Luther and M{\"u}ller, {\L}ukasz},"
    ) in text
    for line in (
        r"  booktitle = {Advances in R\&D},",
        "  doi = {10.5555/a_b<c>},",
        "  eprint = {1706.03762},",
        "  archiveprefix = {arXiv},",
        "  pages = {1--11},",
        "  url = {https://x.org/a_b%20(c)},",
        "  month = jun",
    ):
        assert line in text.split("\n")
    (back,) = read_back(tmp_path, text)
    assert (back.id, back.title) == ("doi:10.5555/a_b<c>", ATTENTION.title)
    assert back.abstract == canonical(ATTENTION.abstract)
    assert back.authors[:3] == ATTENTION.authors[:3]
    assert (back.date, back.fields) == ("2017-06", ATTENTION.fields)
    assert back.details.items() >= ATTENTION.details.items()


@pytest.mark.parametrize(
    ("paper", "start", "field"),
    [
        (
            Paper("arxiv:1706.03762", "T", kind="preprint", venue="arXiv"),
            "@misc",
            "eprint = {1706.03762}",
        ),
        (Paper("x", "T", venue="Nature"), "@article", "journal = {Nature}"),
        (Paper("x", "T"), "@misc", "title = {T}"),
        (Paper("x", "T", kind="thesis", venue="MIT"), "@phdthesis", "school = {MIT}"),
        (Paper("x", "T", kind="chapter", venue="Book"), "@incollection", "booktitle = {Book}"),
        (
            Paper("x", "T", kind="report", details={"publisher": "NASA"}),
            "@techreport",
            "institution = {NASA}",
        ),
        (Paper("x", "T", kind="dataset", venue="Zenodo"), "@misc", "howpublished = {Zenodo}"),
    ],
)
def test_entry_types(paper: Paper, start: str, field: str) -> None:
    text = bibtex([paper])
    assert text.startswith(start + "{")
    assert field in text
    assert "arXiv preprint" not in text


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("BERT: deep mRNA", "{BERT}: deep {mRNA}"),
        ("Pre-Training of T5", "Pre-Training of {T5}"),
        ("ATTENTION IS ALL YOU NEED", "ATTENTION IS ALL YOU NEED"),
        ("GPT-3 in ÖSD", r"{GPT}-3 in {{\"O}SD}"),
    ],
)
def test_capitals_are_protected_where_bibtex_would_lower_them(title: str, expected: str) -> None:
    assert f"title = {{{expected}}}" in bibtex([Paper("x", title)])


def test_keys_are_unique_ascii_and_told_apart_by_letters() -> None:
    same = Paper("x", "The Attention", authors=("Ø. Łukaß",), year=2001)
    others = [
        Paper("x", "", authors=()),
        Paper("x", "题目", authors=("王 小明",), year=2001),
        Paper("x", "2001: a title"),
        Paper("x", "Attentiona", authors=("Ø. Łukaß",), year=2001),
    ]
    keys = citation_keys([same, same, same, *others])
    assert keys[:3] == ["lukass2001attention", "lukass2001attentiona", "lukass2001attentionb"]
    assert len(set(keys)) == len(keys)
    assert all(key.isascii() and key.isalnum() and key[0].isalpha() for key in keys)
    assert len(set(citation_keys([same] * 800))) == 800


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ludwig van Beethoven", Name("van Beethoven", "Ludwig")),
        ("Xin Luna Dong", Name("Dong", "Xin Luna")),
        ("Smith, John", Name("Smith", "John")),
        ("Plato", Name("Plato")),
        ("van Gogh", Name("van Gogh")),
        ("de la Cruz, Juan", Name("de la Cruz", "Juan")),
        ("John Smith III", Name("Smith", "John", "III")),
        ("King, Jr., Martin", Name("King", "Martin", "Jr.")),
        ("King, Martin, Jr.", Name("King", "Martin", "Jr.")),
        ("Martin King, Jr.", Name("King", "Martin", "Jr.")),
        ("ATLAS Collaboration", Name("ATLAS Collaboration", whole=True)),
        ("Simon and Schuster", Name("Simon and Schuster", whole=True)),
        ("王 小明", Name("王 小明", whole=True)),
    ],
)
def test_names(text: str, name: Name) -> None:
    assert parsed(text) == name


def test_ris_is_read_back_by_rispy(tmp_path: Path) -> None:
    text = ris([ATTENTION, Paper("x", "Other")])
    assert text.startswith("TY  - CONF\n")
    assert text.endswith("ER  - \n")
    assert all(line[2:6] == "  - " for line in text.split("\n") if line)
    first, second = rispy.loads(text)
    assert first["title"] == ATTENTION.title
    assert first["abstract"] == canonical(ATTENTION.abstract)
    assert first["authors"][1:3] == ["van Beethoven, Ludwig", "Dong, Xin Luna"]
    assert (first["doi"], first["start_page"], first["end_page"]) == ("10.5555/a_b<c>", "1", "11")
    assert (second["type_of_reference"], second["title"]) == ("GEN", "Other")
    back, _ = read_back(tmp_path, text)
    assert back.authors[:3] == ATTENTION.authors[:3]
    assert (back.id, back.title, back.date) == (
        "doi:10.5555/a_b<c>",
        ATTENTION.title,
        ATTENTION.date,
    )


@settings(deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_no_text_breaks_a_ris_record(title: str, abstract: str) -> None:
    paper = Paper("x", title, abstract, authors=("A, B",), venue=title)
    (back,) = rispy.loads(ris([paper]))
    assert back.get("title", "") == " ".join(title.split())
    assert back.get("abstract", "") == " ".join(abstract.split())


def test_csl_is_valid_and_is_read_back(tmp_path: Path) -> None:
    items = json.loads(csl([ATTENTION, Paper("x", "Other")]))
    assert items[0]["id"] == "vaswani2017attention"
    assert [item["type"] for item in items] == ["paper-conference", "document"]
    assert items[0]["issued"] == {"date-parts": [[2017, 6, 12]]}
    assert items[0]["author"][4] == {"literal": "The Astropy Collaboration"}
    back = read_back(tmp_path, csl([ATTENTION]))[0]
    assert (back.id, back.title, back.year, back.kind) == (
        "doi:10.5555/a_b<c>",
        ATTENTION.title,
        2017,
        "inproceedings",
    )
    assert back.authors[:3] == ATTENTION.authors[:3]
    assert "arxiv:1706.03762" in back.ids


@pytest.mark.filterwarnings("ignore")
def test_citeproc_formats_what_we_write() -> None:
    source = CiteProcJSON(json.loads(csl([ATTENTION])))
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    bibliography = CitationStylesBibliography(style, source, formatter.plain)
    bibliography.register(Citation([CitationItem("vaswani2017attention")]))
    (text,) = map(str, bibliography.bibliography())
    assert "Vaswani, A." in text
    assert "2017" in text
    assert "Attention is all you need" in text


MARKDOWN = MarkdownIt()


def shown(text: str) -> str:
    inline = MARKDOWN.parse(text)[3]
    return "".join(
        token.content for token in inline.children or [] if token.type in ("text", "text_special")
    )


def test_markdown() -> None:
    text = markdown(
        [ATTENTION, Paper("x", "A *bold* [claim]_", year=1999, venue="J."), Paper("y", "Why?")]
    )
    first, second, third = text.splitlines()
    assert first.startswith(
        "1. Ashish Vaswani, Ludwig van Beethoven, Xin Luna Dong, et al. (2017). [Attention is all"
    )
    assert "](https://doi.org/10.5555/a_b%3Cc%3E). *Advances in R\\&D*." in first
    assert second == r"2. (1999). A \*bold\* \[claim\]\_. *J*."
    assert third == "3. Why?"


@settings(deadline=None)
@given(TITLE)
def test_markdown_shows_the_title_as_it_is(title: str) -> None:
    for key in ("doi:10.1000/(a)", "own"):
        assert shown(markdown([Paper(key, title)])).rstrip(".") == " ".join(title.split()).rstrip(
            "."
        )


def test_markdown_links_lead_to_the_web_only() -> None:
    assert "javascript" not in markdown([Paper("x", "T", details={"url": "javascript:alert(1)"})])
    assert "[T](https://arxiv.org/abs/1706.03762)" in markdown([Paper("arxiv:1706.03762", "T")])


@examples(300)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=20))
def test_latex_undoes_itself_and_balances_braces(text: str) -> None:
    encoded = latex.encode(text)
    assert latex.decode(encoded) == unicodedata.normalize("NFC", text)
    depths = [encoded[:at].count("{") - encoded[:at].count("}") for at in range(len(encoded) + 1)]
    assert min(depths) == 0
    assert depths[-1] == 0


def test_nothing_gives_nothing() -> None:
    assert (bibtex([]), ris([]), csl([]), markdown([])) == ("", "", "[]\n", "")
    assert io.StringIO(bibtex([Paper("x", "")])).readline() == "@misc{paper\n"
