"""Abstracts of LaTeX documents: environments, commands, sections, in several languages."""

import pytest

from citewise.text.latex_abstract import abstract_of
from citewise.text.tex_commands import split_commands

BEES = "We study how the bees of a hive find the way to the flowers and back to the hive again."
BIENEN = "Wir untersuchen, wie die Bienen den Weg zu den Blumen und wieder nach Hause finden."


def abstract(text: str) -> str:
    return abstract_of(*split_commands(text))[0]


@pytest.mark.parametrize(
    "source",
    [
        rf"\begin{{abstract}}{BEES}\end{{abstract}}",
        rf"\begin{{abstract*}}{BEES}\end{{abstract*}}",
        rf"\begin{{abstract}}[Summary]{BEES}\end{{abstract}}",
        rf"\begin{{Abstract}}{BEES}\end{{Abstract}}",
        rf"\begin{{kurzfassung}}{BEES}\end{{kurzfassung}}",
        rf"\abstract{{{BEES}}}",
        rf"\abstracten{{{BEES}}}",
        rf"\prefacesection{{Abstract}}{BEES}\prefacesection{{Acknowledgements}}Thanks.",
        rf"\section*{{Abstract}}{BEES}\section{{Introduction}}More.",
        rf"\chapter*{{Summary}}{BEES} \clearpage \tableofcontents",
        rf"\section*{{Résumé}}{BEES}\section{{Introduction}}",
        rf"\section*{{摘要}}{BEES}\section{{引言}}",
        rf"\addchap{{Zusammenfassung}}{BEES}\chapter{{Einleitung}}",
        rf"\textbf{{Abstract.}} {BEES}\section{{Introduction}}",
        rf"\begin{{abstract}}{BEES}\end{{abstract}}\begin{{abstract}}I thank you.\end{{abstract}}",
        r"\renewcommand{\abstractname}{Acknowledgements}\begin{abstract}I thank you.\end{abstract}"
        + "x " * 300
        + rf"\renewcommand{{\abstractname}}{{Abstract}}\begin{{abstract}}{BEES}\end{{abstract}}",
        rf"\begin{{abstract}}{BEES} \textbf{{Keywords:}} bees, hives\end{{abstract}}",
        rf"\begin{{abstract}}\vskip 0.5cm {BEES}\hskip1em\end{{abstract}}",
        rf"\begin{{abstract}}{{\bf {BEES}\end{{abstract}}",
        rf"\begin{{abstract}}}}\unknowncommand {BEES}\end{{abstract}}",
    ],
)
def test_an_abstract_is_found(source: str) -> None:
    assert abstract(source) == BEES


def test_an_own_command_holds_the_abstract() -> None:
    assert abstract(rf"\newcommand{{\myabstract}}{{{BEES} {BEES}}}") == f"{BEES} {BEES}"


@pytest.mark.parametrize(
    "text", ["TODO", "Lorem ipsum dolor sit amet", "Your abstract here.", "..."]
)
def test_a_placeholder_is_no_abstract(text: str) -> None:
    found = abstract_of(*split_commands(rf"\begin{{abstract}}{text}\end{{abstract}}"))
    assert found == ("", True)


def test_a_final_summary_is_no_abstract() -> None:
    body = rf"\section{{Introduction}}{'Bees fly. ' * 2000}\section{{Summary}}{BEES}"
    assert abstract(body) == ""


def test_of_two_languages_that_of_the_text_counts() -> None:
    both = rf"\section*{{Abstract}}{BEES}\section*{{Kurzfassung}}{BIENEN}"
    german = r"\section{Einleitung}" + "Die Bienen und der Weg zu den Blumen, wie wir finden. " * 50
    english = r"\section{Introduction}" + "The way of the bees to the flowers, and of a hive. " * 50
    assert abstract(both + german) == BIENEN
    assert abstract(both + english) == BEES
