"""BibTeX: what is read, what a malformed entry costs, and real bibliographies read in full."""

import gzip
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import FORMATS, bibtex, bibtex_entries, bibtex_fields, clean
from citewise.ingest.report import Report
from citewise.ingest.source import open_source
from citewise.types import Paper
from ingest.json_sources import papers_in
from properties import examples

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "fulltext" / "latex"
BIBLIOGRAPHIES = sorted(SHARED.rglob("*.bib"))


def papers(tmp_path: Path, text: str | bytes, report: Report | None = None) -> list[Paper]:
    path = tmp_path / "library.bib"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return papers_in(path, report=report)


def one(tmp_path: Path, text: str) -> Paper:
    (paper,) = papers(tmp_path, text)
    return paper


def test_an_article_with_every_field(tmp_path: Path) -> None:
    paper = one(
        tmp_path,
        r"""
@Article{knuth84,
  author    = {Knuth, Donald E. and van der Berg, Jr, Jan and {Barnes and Noble}
    and Erd{\H o}s, P\'al and others},
  title     = "{T}he {\TeX}book of $\alpha$-decay \& 50\% {\"U}ber",
  journal   = {The Computer Journal},
  year      = 1984, month = may, volume = {27}, number = 2, pages = {97--111},
  publisher = {Oxford}, doi = {10.1093/comjnl/27.2.97}, keywords = {typesetting, fonts},
  abstract  = {We study   H$_2$O.}, url = {https://example.org/a\_b}
}""",
    )
    assert paper.id == "doi:10.1093/comjnl/27.2.97"
    assert paper.ids == ("bib:knuth84",)
    assert paper.title == "The TeXbook of α-decay & 50% Über"
    assert paper.authors == (
        "Donald E. Knuth",
        "Jan van der Berg Jr",
        "Barnes and Noble",
        "Pál Erdős",
    )
    assert (paper.venue, paper.year, paper.date, paper.kind) == (
        "The Computer Journal",
        1984,
        "1984-05",
        "article",
    )
    assert paper.fields == ("typesetting", "fonts")
    assert paper.abstract == "We study H₂O."
    kept = ("entrytype", "journal", "volume", "number", "pages", "publisher", "url", "month")
    assert {name: paper.details[name] for name in kept} == {
        "entrytype": "article",
        "journal": "The Computer Journal",
        "volume": "27",
        "number": "2",
        "pages": "97-111",
        "publisher": "Oxford",
        "url": "https://example.org/a_b",
        "month": "May",
    }
    assert paper.details["latex:title"].startswith(r"{T}he {\TeX}book of $\alpha$-decay")
    assert "abstract" not in paper.details


def test_the_citation_key_is_the_identity_where_no_registry_knows_the_paper(tmp_path: Path) -> None:
    paper = one(tmp_path, "@book{own:key, title={A Book}, author={One, A.}, year={2001}}")
    assert (paper.id, paper.ids, paper.kind) == ("own:key", ("bib:own:key",), "book")


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ("eprint={1706.03762v5}, archivePrefix={arXiv}", "arxiv:1706.03762"),
        ("eprint={hep-th/9711200}, eprinttype={arxiv}", "arxiv:hep-th/9711200"),
        ("journal={arXiv preprint arXiv:1706.03762}", "arxiv:1706.03762"),
        ("journal={CoRR}, volume={abs/1706.03762}", "arxiv:1706.03762"),
        ("doi={https://doi.org/10.1145/1390334.1390400}", "doi:10.1145/1390334.1390400"),
        (r"doi={10.1007/978-3-319\_12}", "doi:10.1007/978-3-319_12"),
        (
            r"doi={10.1002/(SICI)1097{\textless}1::AID{\textgreater}3.0}",
            "doi:10.1002/(sici)1097<1::aid>3.0",
        ),
        ("url={https://aclanthology.org/P18-1001}", "acl:P18-1001"),
        ("pmid={123456}", "pmid:123456"),
    ],
)
def test_ids(tmp_path: Path, fields: str, key: str) -> None:
    paper = one(tmp_path, f"@article{{k, title={{T}}, {fields}}}")
    assert key in (paper.id, *paper.ids)


@pytest.mark.parametrize("fields", ["doi={n/a}", "eprint={0901}", "doi={}", "pmid={none}"])
def test_what_is_no_id_makes_none(tmp_path: Path, fields: str) -> None:
    assert one(tmp_path, f"@article{{k, title={{T}}, {fields}}}").id == "k"


def test_macros_and_concatenation(tmp_path: Path) -> None:
    paper = one(
        tmp_path,
        """
@string{acl = "Association for " # {Computational}}
@STRING(proc = "Proceedings of the " # ACL)
@inproceedings{k, title = "A" # { and } # "B", booktitle = proc # " Linguistics",
  month = "12~" # jun, year = 2001}
""",
    )
    assert paper.title == "A and B"
    assert paper.venue == "Proceedings of the Association for Computational Linguistics"
    assert paper.date == "2001-06"


def test_journal_commands_of_ads(tmp_path: Path) -> None:
    assert one(tmp_path, r"@article{k, title={T}, journal={\apj}}").venue == "Astrophysical Journal"


@pytest.mark.parametrize("parent_first", [True, False])
def test_crossref(tmp_path: Path, parent_first: bool) -> None:
    parent = "@proceedings{P99, title={Proceedings of X}, year=1999, publisher={ACM}}\n"
    child = "@inproceedings{c, title={Child}, author={One, A.}, crossref={p99}}\n"
    text = parent + child if parent_first else child + parent
    found = {paper.title: paper for paper in papers(tmp_path, text)}
    assert (found["Child"].venue, found["Child"].year) == ("Proceedings of X", 1999)
    assert len(found) == 2


def test_crossref_to_nowhere_and_to_itself(tmp_path: Path) -> None:
    assert (
        len(papers(tmp_path, "@misc{a,title={A},crossref={b}}\n@book{c,title={C},crossref={c}}"))
        == 2
    )


MALFORMED = [
    "@article{bad, title = {never closed, year = 2000\n",
    '@article{bad, title = "unbalanced { quote", year=2000}\n',
    "@article{bad, title = {A}, what is this}\n",
    "@article{bad\n",
    "@article{}\n",
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_entry_costs_only_itself(tmp_path: Path, text: str) -> None:
    report = Report()
    good = "@misc{{{0}, title={{Good {0}}}, year=2000}}\n"
    found = papers(tmp_path, good.format("one") + text + good.format("two"), report)
    assert [paper.title for paper in found] == ["Good one", "Good two"]
    assert report.counts["skipped", "malformed_bibtex"] == 1
    assert report.examples["skipped", "malformed_bibtex"][0].line == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@misc{k, title={First}, year=2000, title={Second}}", "duplicate_field"),
        ("@misc{, title={First}, year=2000}", "no_citation_key"),
        ("@misc{title={First}, year=2000}", "no_citation_key"),
        ("@misc{\n  title={First}, year=2000}", "no_citation_key"),
        ("@misc{k, title={First}\n year = {2000}}", "missing_comma"),
        ("@misc{k, year=2000 title={First}}", "missing_comma"),
        ("@misc{k, title={First}}, year = {2000}}", "closed_early"),
        ("@misc{k, title={First}, year = 2000", "not_closed"),
        ("@misc{k, title={First}, year = , note={x}}", "field_without_value"),
        ("@misc{k, title={First}, publisher = springer}", "undefined_macro"),
        ('@misc{k, title={First}, note = "a "b" c"}', "stray_quote"),
        ("@inbook{k, title={First}, crossref={nowhere}}", "unknown_crossref"),
    ],
)
def test_what_can_be_repaired_is(tmp_path: Path, text: str, reason: str) -> None:
    report = Report()
    assert [paper.title for paper in papers(tmp_path, text, report)] == ["First"]
    assert report.counts["repaired", reason] == 1


def test_comments_preambles_and_outcommented_entries_are_no_papers(tmp_path: Path) -> None:
    report = Report()
    text = """Anything may stand here.
@comment{jabref-meta: databaseType:bibtex;}
@preamble{"\\newcommand{\\noop}[1]{}"}
% @article{old, title={Old},
%   year=1999}
@misc{k, title={Kept}} trailing words
@Comment{ @unbalanced
"""
    assert [paper.title for paper in papers(tmp_path, text, report)] == ["Kept"]
    assert report.total("skipped") == 0


def test_encodings(tmp_path: Path) -> None:
    entry = "@misc{k, title={Über Straßen}, author={Müller, Jörg}}"
    report = Report()
    (old,) = papers(tmp_path, entry.encode("latin-1"), report)
    (new,) = papers(tmp_path, b"\xef\xbb\xbf" + entry.replace("\n", "\r\n").encode())
    assert old == new
    assert report.counts["repaired", "encoding_guessed"] == 1


def test_a_name_may_start_with_an_accent() -> None:
    assert bibtex_fields.names(r"Smith, J. and \'Alvarez, B. and {\O}re, C.") == [
        "J. Smith",
        "B. Álvarez",
        "C. Øre",
    ]


def test_names_of_biblatex() -> None:
    assert bibtex_fields.names(
        "family=Gogh, given=Vincent, prefix=van, useprefix=true and given=Jan, family=Li"
    ) == [
        "Vincent van Gogh",
        "Jan Li",
    ]


@pytest.mark.parametrize("type", ["web_page", "book_section", "x-report2", "Web.Page", "thing"])
def test_entry_types_of_any_name(tmp_path: Path, type: str) -> None:
    paper = one(tmp_path, f"@{type}{{k, title={{A Page}}, year={{2010}}}}")
    assert paper.details["entrytype"] == type.lower()
    assert paper.kind == ("chapter" if type == "book_section" else "")


@pytest.mark.parametrize(
    ("fields", "year", "date"),
    [
        ("date={2010/2012}", 2010, "2010"),
        ("date={2010-05~}", 2010, "2010-05"),
        ("date={2004-22}", 2004, "2004"),
        ("date={2010-05-06/2010-06-01}", 2010, "2010-05-06"),
        (r"year={1990{\ndash}1992}", 1990, ""),
        ("year={forthcoming}", None, ""),
        ("year=2001, month=9", 2001, "2001-09"),
    ],
)
def test_dates(tmp_path: Path, fields: str, year: int | None, date: str) -> None:
    paper = one(tmp_path, f"@article{{k, title={{T}}, {fields}}}")
    assert (paper.year, paper.date) == (year, date)


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ("title={A}, subtitle={The b}", "A: The b"),
        ("title={Why?}, subtitle={The b}", "Why? The b"),
        ("maintitle={Whole Work}", "Whole Work"),
    ],
)
def test_titles(tmp_path: Path, fields: str, title: str) -> None:
    assert one(tmp_path, f"@book{{k, {fields}}}").title == title


def test_comments_between_fields(tmp_path: Path) -> None:
    text = """@article{k, % the first
  title = {50% of A}, % a comment, with = and {
  %% year = {1999},
  year = 2001 % another
}
"""
    paper = one(tmp_path, text)
    assert (paper.title, paper.year) == ("50% of A", 2001)


def test_entries_in_parentheses_and_on_one_line(tmp_path: Path) -> None:
    text = '@misc(a, title = "One (1)", year = 2001) @misc{b, title = {Two {(2)}}}'
    assert [paper.title for paper in papers(tmp_path, text)] == ["One (1)", "Two (2)"]


def test_an_escaped_brace_is_no_brace_where_the_value_would_end_amid_a_text(tmp_path: Path) -> None:
    assert one(tmp_path, r"@misc{k, title = {The set \{ of A}, year = 2001}").year == 2001


def test_every_field_is_kept(tmp_path: Path) -> None:
    text = r"""@incollection{k, title={T}, editor={Knuth, D.}, series={LNCS}, address={Berlin},
      edition={2nd}, file={:C\:\\a b.pdf:PDF}, isbn={1-2}, funding_text 1={ERC}, x-own={mine}}"""
    details = one(tmp_path, text).details
    assert {
        "entrytype": "incollection",
        "editor": "Knuth, D.",
        "series": "LNCS",
        "address": "Berlin",
        "edition": "2nd",
        "file": r":C\:\\a b.pdf:PDF",
        "isbn": "1-2",
        "funding_text_1": "ERC",
        "x-own": "mine",
    }.items() <= details.items()


def test_details_are_bounded(tmp_path: Path) -> None:
    report = Report()
    fields = "".join(f"f{n}={{{n}}}," for n in range(300))
    (paper,) = papers(tmp_path, f"@misc{{k, title={{T}}, {fields} g={{{'x' * 30_000}}}}}", report)
    assert len(paper.details) <= clean.MOST_DETAILS
    assert report.counts["repaired", "details_cut"] == 1


def test_authors_separated_by_commas() -> None:
    assert bibtex_fields.names("Vaswani, Ashish, Shazeer, Noam") == [
        "Ashish Vaswani",
        "Noam Shazeer",
    ]
    assert (
        bibtex_fields.names("Ashish Vaswani, Noam Shazeer, Niki Parmar, Llion Jones")[3]
        == "Llion Jones"
    )


def test_macros_cannot_grow_without_bound(tmp_path: Path) -> None:
    doubled = "".join(f"@string{{m{n} = m{n - 1} # m{n - 1}}}\n" for n in range(1, 60))
    text = '@string{m0 = "0123456789"}\n' + doubled + "@misc{k, title = m59}"
    assert len(one(tmp_path, text).title) <= 10_000


def test_an_overlong_entry_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bibtex_entries, "LONGEST_RECORD", 1_000)
    report = Report()
    long = "@misc{long, title={T},\n abstract={" + "word \n" * 1_000 + "}}\n"
    assert [paper.id for paper in papers(tmp_path, long + "@misc{short, title={S}}", report)] == [
        "short"
    ]
    assert report.counts["skipped", "record_too_long"] == 1


@pytest.mark.slow
def test_a_compressed_file_that_breaks_off(tmp_path: Path) -> None:
    text = "".join(f"@misc{{k{n}, title={{Paper number {n * 7919}}}}}\n" for n in range(20_000))
    report = Report()
    packed = gzip.compress(text.encode())
    found = papers(tmp_path, packed[: len(packed) // 2], report)
    assert 0 < len(found) < 20_000
    assert report.counts["skipped", "broken_compression"] == 1


@examples(200)
@given(st.text(alphabet='@{}()",=#\\%$ \nabZ1é-', max_size=80))
def test_nothing_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "a.bib"
    path.write_text("@misc{first, title={First}}\n" + text + "\n@misc{last, title={Last}}\n")
    keys = [paper.id for paper in papers_in(path, format="bibtex")]
    assert {"first", "last"} <= set(keys) or "@" in text or text.lstrip().startswith(",")


def test_detection(tmp_path: Path) -> None:
    assert bibtex.detects(b"% a comment\n\n@article{key,\n title={T}}")
    assert bibtex.detects(b"\xef\xbb\xbf@string{a = {b}}")
    assert bibtex.detects(b"@web_page{key, title={T}}")
    assert bibtex.detects(b"@article{,\n title={T}}")
    assert bibtex.detects(b"@article{\n title={T}}")
    assert not bibtex.detects(b'{"title": "\\n@article{a, b}"}')
    assert not bibtex.detects(b"write to me@example.org {now, please}")
    assert not bibtex.detects(b"\\documentclass{article}\n@article{a, b}")
    assert list(FORMATS)[-1] == "jsonl"


BOMBS = [
    "@article{x,t={" * 50_000,
    "@a(x" * 200_000,
    "@article{k," + "a=1,\n" * 100_000 + "}",
    '@article{k, t="' + '{"' * 100_000,
    "@string{" * 100_000,
    "@article{k, t={" + "{" * 500_000,
    "@article{" + " " * 500_000,
    "@article\n" * 30_000,
    "%@article{\n" * 30_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("text", BOMBS, ids=range(len(BOMBS)))
def test_hostile_text_takes_linear_time(tmp_path: Path, text: str) -> None:
    start = time.process_time()
    papers(tmp_path, "@misc{a, title={A}}\n" + text)
    assert time.process_time() - start < 10  # quadratic time would be minutes


@pytest.mark.slow
@pytest.mark.skipif(
    not BIBLIOGRAPHIES, reason="needs the shared real documents, which are not there"
)
@pytest.mark.parametrize("path", BIBLIOGRAPHIES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_entry_of_a_real_bibliography_is_accounted_for(path: Path) -> None:
    types = re.findall(r"^\s*@\s*(\w+)\s*[{(]", path.read_text(errors="replace"), re.MULTILINE)
    expected = sum(kind.lower() not in ("comment", "string", "preamble") for kind in types)
    report, source = Report(), open_source(str(path))
    found = list(bibtex.records(source, report))
    source.close()
    assert len(found) + report.total("skipped") == expected
    assert len(found) >= 0.98 * expected
    titled = [record for _, record in found if record["title"]]
    assert len(titled) >= 0.95 * len(found)
    assert (
        sum(bool(re.search(r"[{}]|\\[a-zA-Z]", str(record["title"]))) for record in titled) <= 1
    )  # \textbackslash
    assert not any("{" in name or "\\" in name for _, record in found for name in record["authors"])
