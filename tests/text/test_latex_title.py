"""Titles of LaTeX documents, wherever a class or an author puts them."""

import pytest

from citewise.text.latex_title import title_of
from citewise.text.tex_commands import split_commands

NEW = "\n"
DOCUMENT = r"\documentclass{article}\begin{document}"


def title(text: str) -> str:
    return title_of(*split_commands(text))


@pytest.mark.parametrize(
    "source",
    [
        r"\title{Bees and their hives}",
        r"\title[Bees]{Bees and\\ their hives\thanks{Paid.}}",
        r"\title{Ants}\title{Bees and their hives}",
        r"\title{\large Bees and \textbf{their} hives*\\{\footnotesize \textsuperscript{*}A note}}",
        r"\title{Master's Thesis\\[1cm] Bees and their hives}",
        r"\newcommand{\thetopic}{Bees and their hives}\title{\thetopic}",
        r"\newcommand{\thesistitle}{Bees and their hives}",
        r"\def\themaDerArbeit{Bees and their hives}",
        r"\Title{Bees and their hives}",
        r"\titellineI{Bees and}\subtitellineI{their hives}",
        r"\icmltitle{Bees and their hives}",
        r"\hypersetup{pdfauthor={A B}, pdftitle={Bees and their hives}}",
        r"\title{Your Title Here}\newcommand{\papertitle}{Bees and their hives}",
        rf"{DOCUMENT}{{\Large\textbf{{Bees and their hives}}}}\\ Ada Lovelace",
        rf"\title{{Bees or their hives}}{DOCUMENT}{{\LARGE Bees and their hives}}",
        r"\chapter{Bees and their hives} A chapter alone.",
        r"\title{\textbf{Bees and\\ their hives}}",
        r"\title{{\bf Bees and \\ their hives}}",
        r"\title{\LARGE \textbf{Bees and\thanks{Paid.} \newline their hives}}",
        r"\title{\vspace{-1cm}\textbf{\Large Bees and \\[4pt] \emph{their\\hives}}}",
        r"\title{\vskip 1.5cm plus 2pt Bees and\hskip-1em their \kern.1em hives\par}",
        rf"{DOCUMENT}{{\huge\bfseries Bees~and their~hives\par}}",
        rf"{DOCUMENT}\begin{{center}}\huge{NEW}\textbf{{Bees and their hives}}\newline\end{{x}}",
        rf"{DOCUMENT}\begin{{LARGE}}Bees and \\ their hives\end{{LARGE}} Ada King",
        rf"{DOCUMENT}\begin{{center}}\Large Hive University\vfill \Huge \bf Bees and{NEW}"
        rf"their hives{NEW}{NEW}Ada King\end{{center}}",
    ],
)
def test_a_title_is_found(source: str) -> None:
    assert title(source) == "Bees and their hives"


@pytest.mark.parametrize(
    "source",
    [
        "",
        r"\title{}",
        r"\title{Paper Title}",
        r"\newcommand{\titlefont}{a large bold font}",
        r"\newcommand{\shorttitle}{Bees and their hives}",
        rf"{DOCUMENT}{{\Huge University of the Bees}}",
        rf"{DOCUMENT}\section{{Introduction}} Text.",
    ],
)
def test_what_is_no_title_is_not_taken(source: str) -> None:
    assert title(source) == ""
