"""Citations of LaTeX documents: natbib, biblatex, ConTeXt, own commands, placeholders."""

import pytest

from citewise.text.latex_front import latex_front
from citewise.text.tex_citations import bibliographies, keys_of


@pytest.mark.parametrize(
    "source",
    [
        r"\cite{one,two}",
        r"\citep[see][p.~3]{one, two}",
        r"\citet*{one}\Citeauthor{two}",
        r"\parencite{one} \textcite[3]{two}",
        r"\cites(see)()[12]{one}[13]{two}",
        r"\footcites[Vgl.][12]{one}[][S. 3]{two}",
        r"\autocites{one}{two}",
        r"\footfullcite{one}\supercite{two}",
        r"\cite[one] and \inlinecite[two]",
        r"\newcite{one}\citeonline{two}",
        r"\citeA{one}\citeNP{two}",
        r"\cite{one,*two}",
        r"\volcite{3}{one}\pvolcite[see]{2}[5]{two}",
        r"\cite{one}\cite{?}\cite{...}\cite{TODO}\cite{two}\cite{XXX,}\citetext{priv. comm.}",
        r"\cite{one}\setcitestyle{square}\bibcite{x}{1}\cite{one,two}",
    ],
)
def test_commands_that_cite(source: str) -> None:
    assert keys_of(source) == (("one", "two"), ())


def test_listed_papers_are_not_cited() -> None:
    assert keys_of(r"\nocite{*}\cite{one}\nocite{one,two}") == (("one",), ("two",))


def test_own_commands_that_cite() -> None:
    text = (
        r"\newcommand{\rf}[1]{[\cite{#1}]}\newcommand{\seerf}[2]{see \rf{#2}, #1}"
        r"\newcommand{\bees}{Bees~\cite{one}}\newcommand{\unused}{\cite{three}}"
        r"\bees{} are \seerf{p. 3}{two}."
    )
    assert latex_front(text).cited_keys == ("one", "two")


def test_names_of_bibliography_files() -> None:
    text = (
        r"\bibliography{a, b.bib}\addbibresource[label=x]{c.bib}\nobibliography{d}"
        r"\bibliographystyle{x}"
        r"\addglobalbib{e.bib}\putbib[f]\bibliographyown{a}"
    )
    assert bibliographies(text) == ("a.bib", "b.bib", "c.bib", "d.bib", "e.bib", "f.bib")
    named = latex_front(r"\newcommand{\where}{lib}\bibliography{\where/bees}")
    assert named.bibliographies == ("lib/bees.bib",)


def test_what_is_printed_as_it_stands_cites_nothing() -> None:
    text = r"\cite{one} \verb|\cite{no}| \lstinline!\citep{no}! \verb*+\cite{no}+ \cite{two}"
    assert keys_of(text) == (("one", "two"), ())
