"""Authors of LaTeX documents, in the author commands of the usual classes."""

import pytest

from citewise.text.latex_authors import authors_of
from citewise.text.person_names import is_name
from citewise.text.tex_commands import split_commands

BOTH = ("Ada King", "Alan M. Turing")


def authors(text: str) -> tuple[str, ...]:
    return authors_of(*split_commands(text))


@pytest.mark.parametrize(
    "source",
    [
        r"\author{Ada King \and Alan M. Turing}",
        r"\author{Ada King\thanks{Paid.} \and Alan~M.~Turing\\University of Bees\\\texttt{a@b.c}}",
        r"\author{Ada King$^{1}$, Alan M. Turing$^{2,*}$\\$^1$Hive Institute\\$^2$New York}",
        r"\author{\IEEEauthorblockN{Ada King}\IEEEauthorblockA{Hive\\City} \and"
        r"\IEEEauthorblockN{2\textsuperscript{nd} Alan M. Turing}\IEEEauthorblockA{Town}}",
        r"\author{\IEEEauthorblockN{Ada King\IEEEauthorrefmark{1} and Alan M. Turing}}",
        r"\documentclass{acmart}\author{Ada King}\affiliation{\institution{X}}"
        r"\author{Alan M. Turing}",
        r"\author[1]{Ada King\corref{cor1}}\ead{a@b}\author[2,3]{Alan M. Turing\fnref{f}}",
        r"\author[0000-0001-2345-6789]{Ada King}\affiliation{X}\author{Alan M. Turing}",
        r"\author{Ada King\inst{1}\orcidID{0-1} \and Alan M. Turing\inst{2}}\institute{X \and Y}",
        r"\author*[1]{\fnm{Ada} \sur{King}}\author[2]{\fnm{Alan M.} \sur{Turing}}\affil[1]{X}",
        r"\author[A. King et al.]{Ada King,$^1$\thanks{E-mail: a@b} and Alan M. Turing$^2$"
        r"\\ $^1$Hive}",
        r"\author{Ada King\\Hive Institute\\{\tt a@b.c}\And Alan M. Turing\\{\tt\small c@d.e}}",
        r"\author{Ada King \quad Alan M. Turing \\ Hive Research \\ \texttt{\{a,b\}@c.d}\\}",
        r"\author{Ada King\\a@b.c\\Alan M. Turing\\c@d.e}",
        r"\author{\begin{tabular}{cc}Ada King & Alan M. Turing\end{tabular}}",
        r"\author{Ada King\altaffilmark{1}, Alan M. Turing\altaffilmark{2}}",
        r"\author{\name Ada King \email a@b \\ \addr Hive \AND \name Alan M. Turing \email c@d}",
        r"\icmlauthor{Ada King}{x}\icmlauthor{Alan M. Turing}{y}",
        r"\Author{Ada King $^{1}$ and Alan M. Turing $^{2,}$*}",
        r"\forenameA{Ada}\surnameA{King}\forenameB{Alan M.}\surnameB{Turing}\forenameC{}",
        r"\newcommand{\authornames}{Ada King and Alan M. Turing}",
        r"\documentclass{article}\author{Old Name}\author{Ada King \and Alan M. Turing}",
        r"\documentclass{article}\begin{document}{\Large Bees}\\"
        r"Ada King\textsuperscript{1}, Alan M. Turing\textsuperscript{2}\\ \textbf{1} Hive",
        r"\author{Ada King, Ph.D., Alan M. Turing, Member, IEEE}",
        r"\author{Author:\\Ada King\\Alan M. Turing\\ Supervisor:\\ Charles Babbage}",
        r"\hypersetup{pdfauthor={Ada King, Alan M. Turing}}",
        r"\author{Ada King, Alan M. Turing \\ Dept. \And Yevgeny LeNet \\ Lab \AND Coauthor}",
        r"\author{\textbf{Ada King \\ Alan M. Turing}}",
        r"\author{{\large Ada King \\ Dept of Bees} \and {\large Alan M. Turing\\ Dept of Hives}}",
        r"\documentclass{article}\begin{document}{\Large Bees}\vskip 1.0cm "
        r"Ada King$^1$, Alan M. Turing$^2$",
        r"\author{\name Ada King \email \href{mailto:a@b.c}{a@b.c}\\ \addr Hive \AND "
        r"\name Alan M. Turing \email \texttt{c@d} \\ \addr Hive}",
        r"\author{Ada King$^{1}$ Alan~M. Turing$^{2}$\\ $^1$Hive}",
        r"\author{Ada King,\\ Alan M. Turing \\ Dept of Bees}",
        r"\author{Ada King\\ and Alan M. Turing \\ Dept of Bees}",
        r"\author{Ada King\thanks{a@b.c}\\ Alan M. Turing\footnote{Paid.} \\ Hive University}",
        r"\author{Ada King \\ \texttt{a@b.c} \\ Alan M. Turing \\ \texttt{c@d.e}}",
        r"\author{Ada King \\ Number: 123456 \\ Alan M. Turing \\ Number: 123457}",
        r"\author{M.}{Ada}{King}\author{Dr}{Alan M.}{Turing}",
        r"\author{Ada King\\Dept of Bees\\Alan M. Turing\\Hive University\\Georgia Tech}",
        r"\author{Ada King \hspace{1cm} Alan M. Turing \\ UC Santa Cruz \\ \texttt{a@b.c}}",
        r"\author{Ada King, Alan M. Turing \\ Some Town \\ \texttt{a@b.c}}",
        r"\begin{document}\begin{titlepage}{\huge Bees and hives\par}\vfill submitted by:"
        r"\vfill {\Large\itshape Ada King and Alan M. Turing}\end{titlepage}",
        r"\begin{document}\textsc{\large Par}\\[1cm]\textsc{\Large Ada King, Alan M. Turing}\\",
        r"\laureando{Ada King, Alan M. Turing}",
    ],
)
def test_authors_of_the_usual_classes(source: str) -> None:
    assert authors(source) == BOTH


@pytest.mark.parametrize(
    "source",
    [
        "",
        r"\author{Anonymous Authors}",
        r"\author{Anonymous ICCV submission\\Paper ID 1234}",
        r"\author{First Author\\Institution1 \and Second Author}",
        r"\author{\IEEEauthorblockN{1\textsuperscript{st} Given Name Surname}}",
        r"\author{The Bee Collaboration}",
        r"\author{Max Planck Institute}",
        r"\supervisor{Ada King}",
        r"\newcommand{\authornote}{Ada King}",
        r"\newcommand{\affilcounter}{\author{\name{#1}}}",
        r"\author{\@author}",
        r"\author{Nome Cognome}",
        r"\author{UC Santa Cruz}",
        r"\begin{document}{\huge Bees and hives}\\ Supervised by\\ Ada King",
    ],
)
def test_what_is_not_certain_is_not_given(source: str) -> None:
    assert authors(source) == ()


@pytest.mark.parametrize(
    "name",
    [
        "A. P. L. S. de Laat",
        "Marcia K. O'Malley",
        "Łukasz Kaiser",
        "A.J. Riggs",
        "Jan Hubička",
        "Adrian M. Price-Whelan",
        "Ludwig van der Berg",
        "王小明",
        "Marzia Di Filippo",
        "WANG Wei",
        "HU Bo",
        "JD Smith",
        "Virginia Woolf",
        "Paris Perdikaris",
        "ADA KING",
    ],
)
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "text",
    [
        "Ada",
        "University of Hives",
        "ada king",
        "Ada 2 King",
        "a@b.c",
        "New York",
        "",
        "of the",
        "A. B.",
        "John Doe",
        "A very long list of many words here",
        *("UC Berkeley", "TU Delft", "ETH Zürich", "KU Leuven", "IIT Delhi", "MIT CSAIL"),
        *("Georgia Tech", "Ohio State", "Penn State", "Carnegie Mellon", "Johns Hopkins"),
        *("San Francisco", "Hong Kong", "EPFL Lausanne"),
        *("Nome Cognome", "Prénom Nom", "Nome Sobrenome", "Imię Nazwisko", "Jméno Příjmení"),
        *("Ime Prezime", "Ad Soyad", "Seu Nome", "Fulano de Tal", "Vorname Nachname"),
    ],
)
def test_no_names(text: str) -> None:
    assert not is_name(text)


def test_accents_and_dashes() -> None:
    found = authors(r"\author{Ant\^{o}nio H. Ribeiro, G\'abor Sz{\'a}rnyas \and Sara Monte--Rey}")
    assert found == ("Antônio H. Ribeiro", "Gábor Szárnyas", "Sara Monte-Rey")
