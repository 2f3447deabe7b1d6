"""The arXiv snapshot: what each field becomes, LaTeX included."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest import arxiv
from ingest.json_sources import COMPRESSORS, WRONG, clean, detected, json_objects, lines, papers_in

RECORD: dict[str, Any] = {
    "id": "0704.0042",
    "submitter": "Ada Muster",
    "authors": "A. Muster, P. Erd\\H{o}s and R. P\\'elda",
    "title": "On fabricated $\\alpha$-decays in\n  Erd\\H{o}s--R\\'enyi graphs",
    "comments": "7 pages, no figures",
    "journal-ref": "Fabr.Rev.D76:013009,2007",
    "doi": "10.1103/FabrRevD.76.013009",
    "report-no": "FAB-07-1",
    "categories": "hep-ph math.CO",
    "license": None,
    "abstract": "  We fabricate $n^2$ decays, 50% of\nwhich take $O(n\\log n)$ {\\em steps}.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
        {"version": "v2", "created": "Tue, 24 Jul 2008 20:10:27 GMT"},
    ],
    "update_date": "2008-11-26",
    "authors_parsed": [
        ["Muster", "A.", ""],
        ["Erd\\H{o}s", "P.", ""],
        ["P\\'elda", "R.", "Jr.", "Univ. of Nowhere"],
    ],
}


def test_every_field() -> None:
    (paper,), report = clean(arxiv, RECORD)
    assert paper.id == "arxiv:0704.0042"
    assert paper.title == "On fabricated α-decays in Erdős--Rényi graphs"
    assert paper.abstract == "We fabricate n^2 decays, 50% of which take O(n log n) steps."
    assert paper.authors == ("A. Muster", "P. Erdős", "Példa, Jr., R.")
    assert (paper.year, paper.date) == (2007, "2007-04-02")
    assert (paper.venue, paper.kind) == ("Fabr.Rev.D", "article")
    assert paper.ids == ("doi:10.1103/fabrrevd.76.013009",)
    assert paper.fields == ("hep-ph", "math.CO")
    assert paper.details == {"note": "Fabr.Rev.D76:013009,2007"}
    assert not report.counts


def test_minimal_record() -> None:
    (paper,), report = clean(
        arxiv, {"id": "hep-th/9901001", "title": "T", "categories": "hep-th", "versions": []}
    )
    assert (paper.id, paper.year, paper.venue, paper.kind) == (
        "arxiv:hep-th/9901001",
        None,
        "arXiv",
        "preprint",
    )
    assert not report.counts


def test_preprint_with_a_doi_is_an_article() -> None:
    (paper,), _ = clean(arxiv, {**RECORD, "journal-ref": None, "doi": "10.1000/a 10.1000/b"})
    assert (paper.kind, paper.venue, paper.ids) == (
        "article",
        "arXiv",
        ("doi:10.1000/a", "doi:10.1000/b"),
    )


def test_authors_without_parsed_names() -> None:
    authors = "A. Muster (1), P. Erd\\H{o}s, and R. P\\'elda ((1) Univ. of Nowhere)"
    (paper,), _ = clean(arxiv, {**RECORD, "authors_parsed": None, "authors": authors})
    assert paper.authors == ("A. Muster", "P. Erdős", "R. Példa")


@pytest.mark.parametrize(
    ("reference", "venue"),
    [
        ("Fabricated Practice and Experience 51 (8), 2021", "Fabricated Practice and Experience"),
        (
            "In Proceedings of the 2019 Conference on Things",
            "In Proceedings of the 2019 Conference on Things",
        ),
        ("2019 Conference on Things", "2019 Conference on Things"),
        ("EMNLP 2020", "EMNLP"),
        ("Astron. Fabr., 345, 1", "Astron. Fabr."),
        ("Nature vol. 5", "Nature"),
        ("", "arXiv"),
        (None, "arXiv"),
    ],
)
def test_venue(reference: str | None, venue: str) -> None:
    (paper,), _ = clean(arxiv, {**RECORD, "journal-ref": reference})
    assert paper.venue == venue


@pytest.mark.parametrize(
    ("created", "date"),
    [
        ("Wed, 28 Feb 1996 07:00:00 GMT", "1996-02-28"),
        ("3 Mar 2001 00:00:00 +0000", "2001-03-03"),
        ("Mon, 2 Avr 2007 19:18:42 GMT", ""),
        ("2007-04-02", ""),
        ("", ""),
        (None, ""),
        (7, ""),
        (["Mon"], ""),
    ],
)
def test_date(created: object, date: str) -> None:
    (paper,), _ = clean(arxiv, {**RECORD, "versions": [{"version": "v1", "created": created}]})
    assert paper.date == date
    assert paper.year == (int(date[:4]) if date else None)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"Erd\H{o}s, R\'enyi, H\"{o}lder, \v{C}ech", "Erdős, Rényi, Hölder, Čech"),
        (r"Bo{\l}tzmann, Ga\v sper", "Bołtzmann, Gašper"),
        (r"\O ystein \L\'od\'z na\"{\i}ve na\"\i ve", "Øystein Łódź naïve naïve"),
        (r"$\Lambda$CDM, $k$-means, $x_{ij}^{2}$", "ΛCDM, k-means, x_ij^2"),
        (
            r"{BERT} \emph{very hard} {\it in vitro} \textbf{a {b} c}",
            "BERT very hard in vitro a b c",
        ),
        (r"50\% of 30% & more", "50% of 30% & more"),
        ("costs $5 and $10", "costs $5 and $10"),
        ("an open {brace and a $ dollar", "an open {brace and a $ dollar"),
        ("plain", "plain"),
        ("\\", "\\"),
        (r"\input{/etc/passwd}", ""),
    ],
)
def test_latex(latex: str, text: str) -> None:
    assert arxiv.unicode(latex) == text


@given(st.text(alphabet="\\{}$^_'\"` aeHcv0%&", max_size=60))
def test_latex_never_raises(text: str) -> None:
    assert isinstance(arxiv.unicode(text), str)


def test_hostile_latex_takes_no_time() -> None:
    start = time.perf_counter()
    for text in (
        "{" * 40_000,
        "{" + "{a}" * 13_000,
        "\\" * 40_000,
        "{a" * 20_000,
        "$ab" * 13_000,
        "\\a" * 20_000,
        ("{" + "{" + "a" * 199 + "}") * 190,
        "$" + "\\frac{" * 60 + "$",
        "$" + "}" * 30 + "\\frac{" * 30 + "$",
        "$" + "\\sqrt[\\frac{" * 20 + "$",
        "$" + "\\sqrt[" * 20 + "]" * 20 + "$",
        "$" + "\\frac\\\\{" * 30 + "$",
        "\\begin{a}" * 40,
        "$" + "\\left(" * 50 + "$",
        "\\x" * 20_000_000,
    ):
        arxiv.unicode(text)
    assert time.perf_counter() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(RECORD))
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_types(name: str, value: object) -> None:
    papers, _ = clean(arxiv, {**RECORD, name: value})
    assert len(papers) == 1


@given(json_objects({*RECORD, "version", "created"}))
def test_nothing_raises(record: dict[str, Any]) -> None:
    clean(arxiv, record)


@pytest.mark.slow
@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_compressed(tmp_path: Path, compressor: str) -> None:
    path = tmp_path / "arxiv-metadata-oai-snapshot.json"
    path.write_bytes(
        COMPRESSORS[compressor](lines(*[{**RECORD, "id": f"0704.{n:04}"} for n in range(300)]))
    )
    assert [paper.id for paper in papers_in(path)] == [f"arxiv:0704.{n:04}" for n in range(300)]


def test_detection() -> None:
    assert detected(lines(RECORD))[0] == "arxiv"
    assert detected(lines(RECORD, RECORD)[:-20])[0] == "arxiv"
    assert "arxiv" not in detected(
        lines({"id": "0704.0042", "title": "T", "categories": ["hep-ph"], "abstract": "A"})
    )
    assert "arxiv" not in detected(
        lines({"id": "arxiv:0704.0042", "title": "T", "arxiv": "0704.0042"})
    )
