"""LaTeX drafts: what stands in for an abstract, the bibliography, prose, and any text at all."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.drafts import latex_bibliography
from citewise.drafts.latex import draft_from_latex, prose_paragraphs, read_latex
from citewise.drafts.prose import STAND_IN_WORDS
from citewise.drafts.reading import read_draft
from citewise.errors import MissingData
from citewise.ingest.source import Source
from properties import examples

WORDS = "The bees of the hive find their way home by the light of the sun. "
BBL = r"""\begin{thebibliography}{9}
\bibitem[Karajan(1999)]{one} A. Karajan. \newblock Dances of the bees. \newblock Hives, 1999.
\end{thebibliography}"""
BIBLATEX = r"""\refsection{0}
\entry{one}{article}{}
  \name{author}{2}{}{%
    {{un=0,hash=1a2b}{%
      family={Berg}, given={Anna\bibnamedelima B.}, prefix={van den}}}%
    {{hash=3c4d}{family={Uhr}, given={Otto}}}%
  }
  \field{title}{Dances of the bees}
  \field{journaltitle}{Hives}
  \field{year}{1999}
  \verb{doi}
  \verb 10.1000/bees
  \endverb
\endentry
"""


def written(folder: Path, **files: str) -> Path:
    """Write files, called `name` (for name.tex) or `name_suffix`; return the main file."""
    for name, content in files.items():
        path = folder / (f"{name}.tex" if "_" not in name else name.replace("_", "."))
        path.write_text(content)
    return folder / "main.tex"


def body(text: str) -> str:
    return rf"\documentclass{{a}}\title{{Bees}}\begin{{document}}{text}\end{{document}}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (rf"\section{{Introduction}}{WORDS * 5}\section{{Methods}}Others.", "the introduction"),
        (rf"\chapter{{Einleitung}}{WORDS * 5}", "the introduction"),
        (rf"\chapter*{{Danksagung}}{WORDS * 9}\section{{Bees}}{WORDS * 5}", "the first paragraphs"),
        (rf"{WORDS}\cite{{a}}. Not this one. {WORDS}\cite{{b}}. {WORDS}\cite{{c}}.", "cite"),
    ],
)
def test_something_stands_in_for_a_missing_abstract(text: str, name: str) -> None:
    draft = draft_from_latex(body(text), None)
    assert draft.abstract_from.endswith(name)
    assert draft.abstract.startswith("The bees of the hive")
    assert "Others" not in draft.abstract


def test_a_few_words_stand_in_only_where_there_is_no_title() -> None:
    assert draft_from_latex(body("A few words."), None).abstract == ""
    untitled = draft_from_latex(r"\begin{document}A few words.\end{document}", None)
    assert (untitled.abstract, untitled.abstract_from) == ("A few words.", "the text")


@pytest.mark.parametrize(
    "front",
    [
        r"\begin{titlepage}\newgeometry{top=1cm}{\huge Bees} University of Hives\end{titlepage}",
        r"\graphicspath{{figures/}}\section*{Engagement de non-plagiat}" + WORDS * 5,
        r"\begin{adjustwidth*}{\unitlength-24pt}{2pt}\maketitle\end{adjustwidth*}",
        r"Hive University, Dean of Bees \maketitle \addcontentsline{toc}{chapter}{Sommaire}",
        r"\tcblistof[\chapter*]{mylist}{List of Code}\section*{Licence}" + WORDS * 5,
    ],
)
def test_front_matter_does_not_stand_in(front: str) -> None:
    draft = draft_from_latex(body(rf"{front}\section{{Dances}}{WORDS * 5}"), None)
    assert draft.abstract == (WORDS * 5).strip()


def test_a_group_over_paragraphs_leaves_no_commands() -> None:
    text = rf"{{\huge\bfseries The~first words {WORDS * 5}\par}} \unknowncommand Then."
    draft = draft_from_latex(body(text), None)
    assert draft.abstract == f"The first words {WORDS * 5}".strip() + " Then."


def test_the_stand_in_is_bounded() -> None:
    draft = draft_from_latex(body(rf"\section{{Introduction}}{WORDS * 500}"), None)
    assert STAND_IN_WORDS <= len(draft.abstract.split()) <= 270
    assert draft.abstract.endswith("sun.")


def test_placeholders_and_short_abstracts_are_completed() -> None:
    introduction = rf"\section{{Introduction}}{WORDS * 5}"
    todo = draft_from_latex(body(rf"\begin{{abstract}}TODO\end{{abstract}}{introduction}"), None)
    assert todo.abstract_from == "the introduction"
    assert todo.lost == ("the abstract is a placeholder",)

    short = draft_from_latex(
        body(rf"\begin{{abstract}}On bees.\end{{abstract}}{introduction}"), None
    )
    assert short.abstract.startswith("On bees. The bees of the hive")
    assert short.abstract_from == "an abstract of 2 words and the introduction"


def test_a_chapter_alone(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "all.bib").write_text("@article{one, title={Dances}}\n@article{two, title={Songs}}")
    path = tmp_path / "chapters" / "bees.tex"
    path.write_text(rf"\chapter{{On bees}} {WORDS * 9} \cite{{one}}")
    draft = read_draft(path)
    assert (draft.title, draft.abstract_from) == ("On bees", "the first paragraphs")
    assert draft.bibliographies == (str(tmp_path / "all.bib"),)


def test_bibliographies_are_found_where_latex_would_find_them(tmp_path: Path) -> None:
    project = tmp_path / "paper"
    (project / "lib").mkdir(parents=True)
    for path in ("outside.bib", "paper/near.bib", "paper/lib/deep.bib", "paper/lib/Case.bib"):
        (tmp_path / path).write_text("@misc{one, title={Bees}}")
    main = written(
        project,
        main=rf"\bibliography{{near,../outside,deep,case,gone,{tmp_path}/outside}}"
        r"\cite{one,two}",
    )
    draft = read_latex(main)
    assert draft.bibliographies == (
        "near.bib",
        str(tmp_path / "outside.bib"),
        "lib/deep.bib",
        "lib/Case.bib",
    )
    assert draft.lost == (
        "gone.bib: no such file",
        f"{tmp_path}/outside.bib: no such file",
    )


def test_lists_that_are_too_large_or_unreadable_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latex_bibliography, "LARGEST_LIST", 1 << 20)
    large = "@misc{one, title={Bees}}" + " " * (1 << 20)
    main = written(tmp_path, main=body(r"\cite{one}"), main_bbl=large, refs_bib=large)
    reason = "more than 1 MB, so it was not read"
    assert read_latex(main).lost == (f"refs.bib: {reason}", f"main.bbl: {reason}")

    (tmp_path / "main.bbl").unlink()
    (tmp_path / "refs.bib").unlink()
    (tmp_path / "main.bbl").symlink_to(tmp_path / "gone.bbl")
    assert read_latex(main).lost == ("main.bbl: cannot be read (No such file or directory)",)


def test_a_bib_file_that_cannot_be_opened_does_not_refuse_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str) -> Source:
        raise MissingData(f"{Path(path).name}: cannot be opened (Permission denied)")

    monkeypatch.setattr(latex_bibliography, "open_source", refused)
    main = written(tmp_path, main=body(r"\nocite{one}\bibliography{refs}"), refs_bib="@misc{one}")
    assert read_latex(main).lost == ("refs.bib: cannot be opened (Permission denied)",)


def test_pasted_text_reads_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("@misc{one, title={Bees}}")
    draft = draft_from_latex(rf"\bibliography{{{tmp_path}/a}}\input{{{tmp_path}/a}}", None)
    assert draft.references == ()
    assert draft.lost == ()


@pytest.mark.parametrize("content", [BBL, BIBLATEX])
def test_a_bbl_file_lists_references(content: str, tmp_path: Path) -> None:
    main = written(tmp_path, main=body(r"\cite{one}\bibliography{none}"), main_bbl=content)
    (paper,) = read_latex(main).references
    assert "bib:one" in {paper.id, *paper.ids}
    assert (paper.title, paper.year) == ("Dances of the bees", 1999)


def test_biblatex_names_and_ids(tmp_path: Path) -> None:
    main = written(tmp_path, main=body(r"\cite{one}"), other_bbl=BIBLATEX)
    (paper,) = read_latex(main).references
    assert paper.authors == ("Anna B. van den Berg", "Otto Uhr")
    assert "doi:10.1000/bees" in {paper.id, *paper.ids}


def test_an_empty_bbl_does_not_hide_the_bib(tmp_path: Path) -> None:
    main = written(
        tmp_path,
        main=body(r"\cite{one}\nocite{two}\bibliography{refs}"),
        main_bbl=r"\begin{thebibliography}{}\end{thebibliography}",
        refs_bib="@misc{one, title={Bees fly}}\n@misc{two, title={Ants walk}}",
    )
    draft = read_latex(main)
    assert draft.bibliographies == ("refs.bib",)
    assert draft.cited_keys == ("one",)
    assert [paper.title for paper in draft.references] == ["Ants walk"]


def test_an_inline_list_is_read_of_pasted_text_too() -> None:
    draft = draft_from_latex(body(rf"{WORDS} \cite{{one}} {BBL}"), None)
    assert [paper.title for paper in draft.references] == ["Dances of the bees"]


def test_ways_to_include(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.tex").write_text(
        r"\section{A} \cite{a} \input{b}" + "\n\\endinput\n\\cite{no}"
    )
    (tmp_path / "parts" / "b.tex").write_text(
        r"\documentclass[../main]{subfiles}\begin{document}\cite{b}\end{document}"
    )
    main = written(
        tmp_path,
        main=r"\newcommand{\here}{parts}\title{Bees}\import{parts/}{a}\input{\here/c}\abstracts{sum}"
        r"\input{gone} \cite{last}",
        sum=WORDS * 4,
    )
    (tmp_path / "parts" / "c.tex").write_text(r"\cite{c}")
    draft = read_latex(main)
    assert draft.cited_keys == ("a", "b", "c", "last")
    assert draft.abstract == (WORDS * 4).strip()
    assert draft.lost == ("gone.tex: no such file",)


def test_prose_keeps_citations_in_place() -> None:
    text = r"""\documentclass{article}\title{No}\newcommand{\hive}{the hive}
\begin{document}
\section{A heading}
Bees of \hive{} fly \SI{3}{\kilo\metre}~\citep[see][p. 3]{one,two}. % a comment
They \emph{dance} \rf{x}.
\begin{equation} a = b \end{equation}
\begin{table}\begin{tabular}{c}cell\end{tabular}\end{table}

Second \textcite{three} says so.
\bibliography{refs}\begin{thebibliography}{9}\bibitem{one} No.\end{thebibliography}
\end{document}"""
    assert prose_paragraphs(text) == [
        r"Bees of the hive fly 3 km \cite{one,two}. They dance x.",
        r"Second \cite{three} says so.",
    ]


PIECES = [
    *(r"\title{", r"\author{", r"\begin{abstract}", r"\end{abstract}", r"\cite{a}", r"\cite["),
    *("{", "}", "[", "]", "$", "%", "\\\\", r"\and", r"\newcommand{\a}[1]{#1", r"\bibliography{a}"),
    *(r"\begin{document}", r"\section{Introduction}", "Bees", r"\begin{thebibliography}{9}"),
    *(r"\bibitem{a}", r"\entry{a}{b}", r"\input{x}", r"\SI{1}{\m}", r"{\Large", "é", "蜂"),
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60))
@examples(150)
def test_any_text_is_read(pieces: list[str]) -> None:
    text = " ".join(pieces)
    draft = draft_from_latex(text, None)
    assert len(draft.abstract.split()) <= max(270, len(text.split()))
    assert all("{" not in author for author in draft.authors)
    assert all(isinstance(paragraph, str) for paragraph in prose_paragraphs(text))


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["\\author{", "{\\Large ", "\\\\"])
def test_what_never_ends_takes_no_time(unit: str) -> None:
    start = time.process_time()
    draft_from_latex("\\begin{document}" + unit * (400_000 // len(unit)), None)
    assert time.process_time() - start < 20
