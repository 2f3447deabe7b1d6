"""Drafts: title and abstract out of text, Markdown and LaTeX, made up and real."""

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.drafts.draft import Draft
from citewise.drafts.reading import draft_of, kind_of, read_draft
from citewise.errors import BadInput, MissingData
from citewise.text import tex_source
from properties import examples

LATEX = r"""
\documentclass{article} % \title{Not this one}
\newcommand{\ours}{\textsc{CiteWise}\xspace}
\newcommand\pair[2][x]{#1 and #2}
\def\twice#1{#1 #1}
\title[Short]{On {\em nested {braces}} in \ours:\\ a $\alpha$-study\thanks{Funded \& paid.}}
\author{Somebody \and Else}
\begin{document}
\maketitle
\begin{abstract}
We % a remark
introduce \ours, following \citet[p.~3]{knuth84,lamport94}\footnote{A {nested} note.};
see \href{http://x}{the page}.
It costs 50\% (\cite{turing}) of affine-%
   invariance. \pair{y}, \pair[z]{w}, \twice{no}.
\end{abstract}
\section{Introduction} As \autocite{turing} and \parencite*{lovelace} said, \nocite{*}.
\bibliography{refs,more}\addbibresource[x=y]{third.bib}
\end{document}
"""


def test_latex(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(LATEX)
    draft = read_draft(tmp_path / "paper.tex")
    assert draft.title == "On nested braces in CiteWise: a α-study"
    assert draft.abstract == (
        "We introduce CiteWise, following; see the page. It costs 50% of affine-invariance. "
        "x and y, z and w, no no."
    )
    assert draft.cited_keys == ("knuth84", "lamport94", "turing", "lovelace")
    names = ("refs.bib", "more.bib", "third.bib")
    assert draft.bibliographies == ()
    assert draft.lost == tuple(f"{name}: no such file" for name in names)


@pytest.mark.parametrize(
    "abstract",
    [
        r"\abstract{First part.}",
        r"\abstract {First} {part.}{}",
        r"\begin{abstract*}First part.\end{abstract*}",
        r"\section*{Abstract} First part. \section{Introduction} Never.",
    ],
)
def test_ways_to_write_an_abstract(abstract: str) -> None:
    assert draft_of(rf"\documentclass{{a}}\title{{T}}{abstract}").abstract == "First part."


def test_included_files_are_followed_within_the_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    (folder / "sections").mkdir(parents=True)
    (tmp_path / "secret.tex").write_text(r"\title{Secret}")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "sections" / "abstract.tex").write_text(
        r"\begin{abstract}From a file. \input{main}\end{abstract}"
    )
    (folder / "main.tex").write_text(
        r"\documentclass{a}\input{../secret}\input{link}\input{"
        + str(tmp_path / "secret.tex")
        + "}"
        r"\input{sections/../../secret.tex}\include{missing}\input sections/abstract "
        "\n"
        r"\title{Main}"
    )
    draft = read_draft(folder / "main.tex")
    assert (draft.title, draft.abstract) == ("Main", "From a file.")
    assert len(draft.lost) == 5


def test_inclusion_is_bounded(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.tex").write_text(
            rf"word{number} \input{{f{number + 1}}} \input{{f{number + 1}}}"
        )
    (tmp_path / "main.tex").write_text(
        r"\documentclass{a}\title{T}\begin{abstract}\input{f0}\end{abstract}"
    )
    abstract = read_draft(tmp_path / "main.tex").abstract
    assert "word3" in abstract
    assert "word20" not in abstract
    assert tex_source._Reader(tmp_path, left=10).read(tmp_path / "main.tex") == ""


def test_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig", "cp1252"):
        (tmp_path / "a.tex").write_text("\\title{Über Straßen}", encoding=encoding)
        assert read_draft(tmp_path / "a.tex") == Draft("Über Straßen")


def test_commands_that_stand_for_themselves_or_grow_come_to_an_end() -> None:
    bomb = r"\newcommand{\a}{x \b}\newcommand{\b}{y \a}" + "".join(
        rf"\newcommand{{\{chr(99 + n)}{chr(99 + n)}}}{{{(chr(92) + chr(100 + n) * 2) * 20}}}"
        for n in range(20)
    )
    draft = draft_of(
        rf"\documentclass{{a}}{bomb}\title{{T \a \cc}}\begin{{abstract}}A\end{{abstract}}"
    )
    assert draft.title.startswith("T x")
    assert len(draft.title) <= 200_000


def test_text() -> None:
    below = "the text below the title"
    assert draft_of(
        "\n\nA title\nover two lines\n\nThe abstract\ngoes on.\n\nAnd on.\n\n1. Introduction\n\nNo."
    ) == Draft("A title over two lines", "The abstract goes on. And on.", abstract_from=below)
    assert draft_of(
        "A title\n\nAda Lowe, MIT\n\nABSTRACT\n\nWe do.\n\nKeywords: a, b\n\nMore"
    ) == Draft("A title", "We do.")
    assert draft_of("Title: A title\nAbstract: We do.\nStill.") == Draft("A title", "We do. Still.")
    assert draft_of("A title\nWe do this\nand that.") == Draft(
        "A title", "We do this and that.", abstract_from=below
    )
    assert draft_of("Just a title") == Draft("Just a title")
    words = draft_of("word " * 100)
    assert words == Draft("", ("word " * 100).strip(), abstract_from=below)


def test_markdown() -> None:
    assert draft_of(
        "# A *good* `title`\n\n"
        "Some **bold** [link](http://x.y/(z)) text [@a; see @b].\n\n"
        "## Next\n\nThat."
    ) == Draft(
        "A good title",
        "Some bold link text. That.",
        ("a", "b"),
        abstract_from="the first paragraphs",
    )
    assert draft_of(
        "# Title\n\nAda Lowe\n\n## Abstract\n\n> We do_this_ not\n- that\n\n## 1 Introduction\n\nNo"
    ) == Draft("Title", "We do_this_ not that", authors=("Ada Lowe",))
    assert draft_of("Title\n=====\n\n**Abstract.** We do.\n\n**Keywords:** x\n") == Draft(
        "Title", "We do."
    )


def test_front_matter() -> None:
    text = (
        '---\ntitle: "A title: with colon"\nauthor:\n  - name: X\n'
        "abstract: |\n  We *do*\n  this.\n\n  And that.\n"
        "bibliography: [a.bib, b.bib]\ntags:\n- x\n---\n\n# Introduction\n\nNot this [@k].\n"
    )
    assert draft_of(text) == Draft(
        "A title: with colon", "We do this. And that.", ("k",), ("a.bib", "b.bib"), ("X",)
    )
    joss = (
        "---\ntitle: 'A tool'\nbibliography: paper.bib\n---\n\n"
        "# Summary\n\nIt works.\n\n# Statement of need\n\nNo"
    )
    assert draft_of(joss, "md") == Draft("A tool", "It works.", (), ("paper.bib",))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LATEX, "tex"),
        ("# Title\n", "md"),
        ("---\ntitle: x\n---\n", "md"),
        ("Title\n\nText # not a heading", "txt"),
        ("Title\n====\n", "md"),
        ("", "txt"),
    ],
)
def test_kinds_by_content(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf# T\xc3\xa9\xff\n\nAbstract text"))
    )
    assert read_draft("-") == Draft("Té", "Abstract text", abstract_from="the first paragraphs")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b" \n", "neither a title nor an abstract"),
        ("a.tex", b"\\newpage", "neither a title"),
        ("a.pdf", b"%PDF-1.7 ...", "this PDF is damaged"),
        ("a.pdf", b"just text", "not a PDF, whatever its name says"),
        ("a.docx", b"PK\x03\x04...", "Word"),
    ],
)
def test_what_is_no_draft_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=message):
        read_draft(tmp_path / name)


def test_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.tex", tmp_path):
        with pytest.raises(MissingData, match="cannot be read"):
            read_draft(path)


@pytest.mark.slow
@examples(200)
@given(
    st.lists(
        st.sampled_from(
            [
                "\\title{",
                "}",
                "{",
                "\\begin{abstract}",
                "\\end{abstract}",
                "\\newcommand",
                "{\\x}",
                "[2]",
                "#1",
                "\\x",
                "%",
                "\\input{x}",
                "\n",
                "\\cite{",
                "$",
                "\\\\",
                "word ",
                "# ",
                "---\n",
                "title: ",
                "\\def\\y",
                "\\y",
                "\\footnote",
                "&",
                "~",
                "[",
                "]",
            ]
        ),
        max_size=25,
    ).map("".join),
    st.sampled_from(["tex", "md", "txt", ""]),
)
def test_nothing_breaks_the_reader(text: str, kind: str) -> None:
    try:
        draft = draft_of(text, kind)
    except BadInput:
        return
    assert draft.title or draft.abstract


REAL = {
    "astropy-v2/main.tex": (
        "The Astropy Project: Building an open-science",
        "broader Astropy Project.",
        80,
    ),
    "scipy-1.0/scipy-1.0/paper.tex": (
        "SciPy 1.0—Fundamental Algorithms",
        "recent technical developments.",
        100,
    ),
    "gammapy-v1.0/src/ms-review.tex": (
        "Gammapy: A Python package",
        "astrophysical flux model.",
        70,
    ),
    "celerite/paper/ms.tex": (
        "Fast and scalable Gaussian process",
        "method in C++, Python, and Julia.",
        100,
    ),
    "arxiv_1911.02782/main.tex": (
        "S2ORC: The Semantic Scholar",
        "text mining over academic text.",
        50,
    ),
    "arxiv_2004.14974/emnlp2020.tex": (
        "Fact or Fiction: Verifying",
        "future research efforts.",
        30,
    ),
    "sunpy-1.0/main.tex": ("The SunPy Project: Open Source", "future of the SunPy project.", 60),
    "emcee/document/ms.tex": ("emcee: The MCMC Hammer", "under the MIT License.", 30),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_papers(shared: Path, name: str) -> None:
    title, end, citations = REAL[name]
    draft = read_draft(shared / "fulltext" / "latex" / name)
    assert draft.title.startswith(title)
    assert len(draft.title) < 120
    assert draft.abstract.endswith(end) or end in draft.abstract[-200:]
    assert 500 < len(draft.abstract) < 2_500
    assert len(draft.cited_keys) >= citations
    assert not set(draft.title + draft.abstract) & set("\\{}")
