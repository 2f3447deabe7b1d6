"""Manuscripts as PDFs in several layouts, by pdfLaTeX and by Chromium."""

import html
import itertools
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from citewise.text.latex import encode
from citewise.types import Paper

AFFILIATIONS = (
    "Department of Computer Science, University of Lower Saxony",
    "Institute for Applied Ecology, 4000 Basel, Switzerland",
)


@dataclass(frozen=True)
class Manuscript:
    """What is printed."""

    title: str
    authors: tuple[str, ...]
    abstract: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    """(heading, paragraphs); "{3}" in a paragraph cites the third reference."""
    references: tuple[Paper, ...]


def printed(paper: Paper, number: int) -> str:
    """Return a reference in one of three styles, by its number."""
    authors = ", ".join(paper.authors[:-1]) + (" and " if paper.authors[1:] else "")
    names = authors + paper.authors[-1]
    venue = paper.venue or "Journal of Tests"
    return (
        f"{names}. {paper.title}. {venue}, {number}:1–9, {paper.year}.",
        f"{names} ({paper.year}). {paper.title}. {venue}, {number}, 1–9.",
        f"{names}, “{paper.title},” {venue}, vol. {number}, {paper.year}.",
    )[number % 3]


def by_name(paper: Paper) -> str:
    """Return the mark of a paper that is cited by its author and year."""
    family = paper.authors[0].split()[-1]
    more = " et al." if len(paper.authors) > 2 else ""
    both = f" and {paper.authors[1].split()[-1]}" if len(paper.authors) == 2 else ""
    return f"({family}{more}{both}, {paper.year})"


def _cited(text: str, manuscript: Manuscript, mark: Callable[[int], str]) -> str:
    """Return a paragraph with its marks."""
    for number, _ in enumerate(manuscript.references, 1):
        text = text.replace(f"{{{number}}}", mark(number))
    return text


def _latex_body(manuscript: Manuscript, mark: Callable[[int], str], heading: str) -> Iterator[str]:
    for name, paragraphs in manuscript.sections:
        yield heading % encode(name)
        for text in paragraphs:
            yield encode(_cited(text, manuscript, mark)) + "\n\n"


def _numbered(number: int) -> str:
    return f"[{number}]"


def one_column(manuscript: Manuscript) -> str:
    """Return LaTeX's usual look: blocks of authors, a labelled abstract, numbered references."""
    blocks = " \\and ".join(
        f"{encode(name)} \\\\ {encode(place)}"
        for name, place in zip(manuscript.authors, itertools.cycle(AFFILIATIONS), strict=False)
    )
    body = "".join(_latex_body(manuscript, _numbered, "\\section{%s}\n"))
    items = "\n".join(
        f"\\bibitem{{r{number}}} {encode(printed(paper, number))}"
        for number, paper in enumerate(manuscript.references, 1)
    )
    return (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\n"
        f"\\title{{{encode(manuscript.title)}\\thanks{{Supported by a grant.}}}}\n"
        f"\\author{{{blocks}}}\n"
        "\\begin{document}\\maketitle\n"
        f"\\begin{{abstract}}{encode(manuscript.abstract)}\\end{{abstract}}\n"
        f"{body}\\begin{{thebibliography}}{{99}}{items}\\end{{thebibliography}}\\end{{document}}"
    )


def two_columns(manuscript: Manuscript) -> str:
    """Return two columns in the old fonts, running heads, one list of authors with raised marks,
    and references by name with hanging indents.
    """
    names = ", ".join(
        f"{encode(name)}\\textsuperscript{{{number % 2 + 1}}}"
        for number, name in enumerate(manuscript.authors)
    )
    places = "\\\\".join(
        f"\\textsuperscript{{{number}}}{encode(place)}"
        for number, place in enumerate(AFFILIATIONS, 1)
    )
    body = "".join(
        _latex_body(
            manuscript,
            lambda number: by_name(manuscript.references[number - 1]),
            "\\section{%s}\n",
        )
    )
    listed = sorted(manuscript.references, key=lambda paper: paper.authors[0].split()[-1])
    items = "\n".join(
        "\\noindent\\hangindent=1.2em\\hangafter=1 " + encode(printed(paper, 1)) + "\\par\n"
        for paper in listed
    )
    return (
        "\\documentclass[twocolumn]{article}\\usepackage[utf8]{inputenc}\n"
        "\\pagestyle{myheadings}\\markboth{A Journal of Tests}{A Journal of Tests}\n"
        f"\\title{{{encode(manuscript.title)}}}\\author{{{names}\\\\[1ex] \\small {places}}}\n"
        "\\begin{document}\\maketitle\n"
        f"\\begin{{abstract}}{encode(manuscript.abstract)}\\end{{abstract}}\n"
        f"{body}\\section*{{References}}\n{items}\\end{{document}}"
    )


def engineers(manuscript: Manuscript) -> str:
    """Return the look of an engineers' transactions: a run-in abstract, headings in small capitals,
    blocks of authors with addresses, references in small print.
    """
    blocks = "\\hfil".join(
        "\\begin{tabular}[t]{@{}c@{}}"
        + f"{encode(name)}\\\\\\small\\itshape {encode(place)}\\end{{tabular}}"
        for name, place in zip(manuscript.authors, itertools.cycle(AFFILIATIONS), strict=False)
    )
    body = "".join(
        f"\\begin{{center}}\\textsc{{{roman}. {encode(name)}}}\\end{{center}}\n"
        + "".join(encode(_cited(text, manuscript, _numbered)) + "\n\n" for text in paragraphs)
        for roman, (name, paragraphs) in zip(
            ("I", "II", "III", "IV", "V", "VI", "VII", "VIII"), manuscript.sections, strict=False
        )
    )
    items = "\n".join(
        f"\\bibitem{{r{number}}} {encode(printed(paper, 2))}"
        for number, paper in enumerate(manuscript.references, 1)
    )
    return (
        "\\documentclass[10pt,twocolumn]{article}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\n"
        "\\usepackage[margin=1.8cm]{geometry}\n"
        "\\renewcommand\\refname{\\centering\\normalsize\\normalfont\\textsc{References}}\n"
        "\\begin{document}\\twocolumn[{\\begin{center}"
        f"{{\\Huge {encode(manuscript.title)}\\par}}\\vskip1em {blocks}"
        "\\vskip2em\\end{center}}]\n"
        f"\\noindent\\textbf{{\\small\\textit{{Abstract}}---{encode(manuscript.abstract)}}}\n\n"
        "\\noindent\\textbf{\\small\\textit{Index Terms}---testing, reading.}\n\n"
        f"{body}\\begin{{thebibliography}}{{99}}\\footnotesize {items}"
        "\\end{thebibliography}\\end{document}"
    )


def for_reviewers(manuscript: Manuscript) -> str:
    """Return one column with double spacing and numbers beside the lines."""
    start = "\\usepackage{lineno}\\linenumbers\\linespread{1.6}\n\\title"
    return one_column(manuscript).replace("\\title", start, 1)


def web_page(manuscript: Manuscript) -> str:
    """Return a preprint as HTML: raised marks for affiliations and for references."""
    names = ", ".join(
        f"{html.escape(name)}<sup>{number % 2 + 1}</sup>"
        for number, name in enumerate(manuscript.authors)
    )
    places = "".join(
        f"<p class=a><sup>{number}</sup> {place}</p>"
        for number, place in enumerate(AFFILIATIONS, 1)
    )
    body = "".join(
        f"<h2>{number}. {html.escape(name)}</h2>"
        + "".join(
            "<p>"
            + _cited(html.escape(text), manuscript, lambda each: f"<sup>{each}</sup>")
            + "</p>"
            for text in paragraphs
        )
        for number, (name, paragraphs) in enumerate(manuscript.sections, 1)
    )
    items = "".join(
        f"<li>{html.escape(printed(paper, number))}</li>"
        for number, paper in enumerate(manuscript.references, 1)
    )
    return (
        "<!doctype html><meta charset=utf-8><style>body{font:11pt serif}h1{font-size:20pt}"
        f".a{{font-size:9pt;margin:0}}</style><h1>{html.escape(manuscript.title)}</h1><p>{names}</p>"
        f"{places}<h2>Abstract</h2><p>{html.escape(manuscript.abstract)}</p>"
        f"{body}<h2>References</h2><ol>{items}</ol>"
    )


LAYOUTS: dict[str, Callable[[Manuscript], str]] = {
    "one column": one_column,
    "two columns": two_columns,
    "engineers": engineers,
    "for reviewers": for_reviewers,
    "web page": web_page,
}


def can_typeset(layout: str) -> bool:
    """Return whether the programs of a layout are installed."""
    return shutil.which("chromium" if layout == "web page" else "pdflatex") is not None


def typeset(manuscript: Manuscript, layout: str, folder: Path) -> Path | None:
    """Return the PDF of a manuscript, None where it cannot be made."""
    folder.mkdir(parents=True, exist_ok=True)
    source = LAYOUTS[layout](manuscript)
    if layout == "web page":
        return print_page(source, folder)

    (folder / "main.tex").write_text(source, "utf-8")
    _run(["pdflatex", "-interaction=nonstopmode", "main.tex"], folder)
    made = folder / "main.pdf"
    return made if made.exists() else None


def print_page(source: str, folder: Path) -> Path | None:
    """Return the PDF that Chromium prints of an HTML page."""
    (folder / "main.html").write_text(source, "utf-8")
    made = folder / "main.pdf"
    _run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"),
            *(f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={made}"),
            (folder / "main.html").as_uri(),
        ],
        folder,
    )
    return made if made.exists() else None


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
