"""BibTeX that is written back: own keys, types, fields and LaTeX; compiled for real."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pybtex.database import Entry, parse_string

from citewise import ingest
from citewise.ingest.report import Report
from citewise.library.versions import merge
from citewise.render.bibliography import csl, ris
from citewise.render.bibtex import bibtex
from citewise.render.citation_keys import citation_keys, own_key
from citewise.render.json_answers import recommendations
from citewise.render.markdown import markdown
from citewise.render.tables import as_text
from citewise.types import Answer, Paper, Recommendation, ServedBy
from compiling import DOCUMENTS, entries_set, errors_of
from properties import examples

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "bibliographies"


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("{, Simone and Graudenzi, Alex}", "Simone and Graudenzi, Alex"),
        ("{J. M. Nash and AND W. Suijlen and others}", "Nash, J. M. and Suijlen, W. and others"),
        ("{Smith, John and {Barnes and Noble}}", "Smith, John and {Barnes and Noble}"),
    ],
)
def test_names_at_which_biber_crashes_are_mended(tmp_path: Path, field: str, written: str) -> None:
    [paper] = papers_of(tmp_path, f"@article{{a, title={{A title of it}}, author={field}}}")
    assert f"author = {{{written}}}" in bibtex([paper])


def papers_of(folder: Path, text: str) -> list[Paper]:
    (folder / "a.bib").write_text(text)
    read = ingest.read([folder / "a.bib"], Report())
    return [record for record, _ in read if isinstance(record, Paper)]


def written_back(folder: Path, text: str) -> Entry:
    """Return the entry that pybtex finds in what is written for one entry."""
    (entry,) = parse_string(bibtex(papers_of(folder, text)), "bibtex").entries.values()
    return entry


FIELDS = {
    "title": r"On {BERT} and {\'E}tudes of $\beta$-decay in 20$^\circ$C H$_2$O",
    "booktitle": r"Proc.\ of {ACL} \& Friends",
    "series": "LNCS",
    "address": "Berlin",
    "edition": "Second",
    "file": r":C\:\\papers\\a_b.pdf:PDF",
    "keywords": "one, two; three",
    "note": r"See \url{http://x.org/a_b}",
    "isbn": "978-3-16-148410-0",
    "month": "12~December",
    "chapter": "3",
    "organization": "The Org",
    "institution": "The Inst",
    "type": "Tech. Rep.",
    "language": "english",
    "urldate": "2020-01-02",
    "year": "2010",
    "pages": "1--10, 12",
    "publisher": "The Press",
    "doi": "10.1000/ABC",
    "mendeley-groups": "My Group",
}


def test_every_field_survives(tmp_path: Path) -> None:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in FIELDS.items())
    people = r"author = {van der Berg, Jan and {World Health Organization} and Garcia Molina, H.}"
    text = f"@incollection{{my:Key_1,\n{lines},\n{people}, editor = {{Li, {{\\'A}}. and others}}}}"
    entry = written_back(tmp_path, text)
    original = parse_string(text, "bibtex").entries["my:Key_1"]
    assert entry.key == "my:Key_1"
    assert entry.type == "incollection"
    assert dict(entry.fields) == dict(original.fields)
    assert entry.persons == original.persons


@pytest.mark.parametrize(
    ("type", "written"),
    [
        ("online", "online"),
        ("web_page", "misc"),
        ("book_section", "incollection"),
        ("THESIS", "thesis"),
    ],
)
def test_entry_types(tmp_path: Path, type: str, written: str) -> None:
    assert written_back(tmp_path, f"@{type}{{k, title={{A Page}}}}").type == written


VALUE = st.text(
    alphabet=st.sampled_from("aB1 {}$\\%&#_^~é中-:'\"`") | st.sampled_from("xyz "), max_size=25
)


@pytest.mark.slow
@examples(150)
@given(st.dictionaries(st.sampled_from(["note", "series", "title", "address", "x-own"]), VALUE))
def test_any_value_is_written_as_balanced_text_that_reads_the_same(fields: dict[str, str]) -> None:
    """Whatever a library has among its details, a parser of others takes it."""
    title = fields.pop("title", "") or "T"
    paper = Paper(
        "x", title, details={**fields, **{f"latex:{name}": text for name, text in fields.items()}}
    )
    (entry,) = parse_string(bibtex([paper]), "bibtex").entries.values()
    assert {name.lower() for name in entry.fields} >= {
        name for name, value in fields.items() if value.split()
    }


def test_published_data_win_and_own_fields_stay(tmp_path: Path) -> None:
    (own,) = papers_of(
        tmp_path,
        "@misc{my-key, title={{The} Title}, author={One, Ann}, howpublished={arXiv}, year=2017,"
        " eprint={1706.03762}, archiveprefix={arXiv}, file={a.pdf}, keywords={mine}}",
    )
    published = Paper(
        "doi:10.1/x", "The Title, Revised", authors=("Ann One", "Bo Two"), year=2018,
        venue="Journal of X", kind="article", details={"volume": "3"}, ids=("arxiv:1706.03762",),
    )  # fmt: skip
    (entry,) = parse_string(bibtex([merge(own, published)]), "bibtex").entries.values()
    assert (entry.key, entry.type) == ("my-key", "article")
    assert entry.fields["title"] == "The Title, Revised"
    assert entry.fields["journal"] == "Journal of X"
    assert entry.fields["year"] == "2018"
    assert entry.fields["volume"] == "3"
    assert entry.fields["file"] == "a.pdf"
    assert len(entry.persons["author"]) == 2


def test_own_keys_everywhere(tmp_path: Path) -> None:
    (paper,) = papers_of(tmp_path, "@article{Smith:2010a_b, title={A Title}, doi={10.1000/x}}")
    assert paper.id == "doi:10.1000/x"
    assert bibtex([paper]).startswith("@article{Smith:2010a_b,")
    assert "ID  - Smith:2010a_b\n" in ris([paper])
    assert json.loads(csl([paper]))[0]["id"] == "Smith:2010a_b"
    assert "[@Smith:2010a_b]" in markdown([paper])


def test_own_keys_in_table_and_json(tmp_path: Path) -> None:
    papers = papers_of(tmp_path, "@article{mine2010, title={A Title}, doi={10.1000/x}}")
    papers.append(Paper("w:1", "Another title", year=2001))
    found = [Recommendation(rank, paper, 1.0, {}) for rank, paper in enumerate(papers, 1)]
    answer = Answer(tuple(found), ServedBy("bm25"))
    assert [each["citation_key"] for each in recommendations(answer)] == [
        "mine2010",
        "paper2001another",
    ]
    assert "mine2010 · doi:10.1000/x" in as_text(answer)
    assert "2001 · w:1" in as_text(answer)


def test_keys_are_legal_unique_and_own_ones_come_first() -> None:
    papers = [
        Paper("1", "A title", year=2001, authors=("Ann Smith",)),
        Paper("2", "B", ids=("bib:smith2001title",)),
        Paper("3", "C", ids=("bib:Key",)),
        Paper("4", "D", ids=("bib:key",)),
        Paper("5", "E", ids=("doi:10.1/x", "bib:Some key, {odd}%")),
        Paper("6", "F", ids=("bib:müller2010",)),
        Paper("7", "Word", ids=("bib:{}",)),
    ]
    assert citation_keys(papers) == [
        "smith2001titlea",
        "smith2001title",
        "Key",
        "keya",
        "Somekeyodd",
        "müller2010",
        "word",
    ]
    assert own_key(papers[0]) == ""


NASTY = [
    "H₂O at 20°C: ⁷Be and SO₄²⁻",
    r"Unbalanced { brace and 5$ only \ back",
    "R&D 100% #1 a_b ~ x^2 <tag> | `quotes'' --",
    "Ąęłńó Þórður đ ŋ «quoted» „low“ ‹single›",
    "Greek αβγ Δ ά and 𝛼 ⩽ ≤ ∞ √ → ♭",
    "Привет, 世界 and 🦜 and שלום",
    "Zero\u200bwidth, combining x\u0301, bidi \u202e",
    "ﬁne ½ ™ © € £ … — – ‘a’ “b”",
]
PEOPLE = ("Łukasz Müller", "Þórður Ąęłński", "Иван Петров", "张三", "Ann O'Brien & Sons", "José Í")
NASTY_BIB = r"""
@misc{a, title={Math $x_1^{2}$ and \textbf{bold} {\"U}ber \k{a} \foo{bar} & raw_text # 50%}}
@misc{b, title={Unclosed $ math}, howpublished={\url{http://x.org/a_b%20c~d#e&f}}}
@misc{c, title={It\'{\i} Mart{\'\i}n {\ss} \apj}, author={a, b, c, d, e and , and X, }, month=foo}
@misc{d, title={T}, author={family=Gogh, given=Vincent, prefix=van}, note={\input{/etc/passwd}}}
@book{e, title={Only}, editor={Li, {\'A}. and others}, date={2010/2012}, journaltitle={x}}
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("biber") and shutil.which("bibtex")),
    reason="needs pdflatex, bibtex and biber, which `.ci/run` installs",
)
@pytest.mark.parametrize("backend", DOCUMENTS)
def test_what_is_written_compiles(tmp_path: Path, backend: str) -> None:
    papers = papers_of(tmp_path, NASTY_BIB)
    papers += [
        Paper(f"n{number}", title, authors=PEOPLE, year=2001,
              venue=title, abstract=title, kind="article", details={"note": title, "file": title})
        for number, title in enumerate(NASTY)
    ]  # fmt: skip
    for name in ("thesis2021/dblp.bib", "test/borg.bib"):
        if (SHARED / name).exists():
            read = ingest.read([SHARED / name], Report())
            papers += [record for record, _ in read if isinstance(record, Paper)]

    assert errors_of(bibtex(papers), tmp_path, backend) == []
    assert entries_set(tmp_path) == len(papers)
