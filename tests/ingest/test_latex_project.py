"""LaTeX projects: several files, own commands, every family of citations, .bib, .bbl and inline
bibliographies.
"""

import gzip
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest.fulltext import latex_project
from citewise.ingest.fulltext.latex_references import from_list
from ingest.fulltext_documents import MAIN, PART, REFS
from ingest.fulltext_sources import check, cited_titles, documents, marks, one, reasons
from time_limits import allowed


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "2401.00001v2").mkdir()
    for name, text in (("main.tex", MAIN), ("part.tex", PART), ("refs.bib", REFS)):
        (tmp_path / "2401.00001v2" / name).write_text(text)
    return tmp_path / "2401.00001v2" / "main.tex"


def test_a_project_by_hand(project: Path) -> None:
    document = one(latex_project, project)
    paper = document.paper
    assert (paper.id, paper.title, paper.year, paper.date) == (
        "arxiv:2401.00001",
        "Bees that dance",
        2024,
        "2024-01",
    )
    assert paper.authors == ("Karla Frischmann", "Otto Wabe")
    assert [cited.id for cited in document.cited] == [
        "doi:10.1000/clock",
        "title:honey:wabe:1990",
        "arxiv:1203.00002",
        "title:neverprintedinthetext:nobody",
    ]
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Abstract", "We study Apis, as [uhr] did."),
        ("Introduction", "The Apis dances [uhr, wabe] often."),
        ("Introduction", "As [kara] ([kara]) shows, bees fly [uhr]; see Fig. REF."),
        ("Introduction", "A note cites [wabe]."),
        ("Introduction", "Dances of [kara]."),
        ("Introduction", "Then ants walk [uhr, wabe]."),
        ("Deeper x^2", "First [uhr]."),
        ("Deeper x^2", "Second [missing]."),
    ]
    assert marks(document)[2] == ["[kara] ([kara])", "[uhr]"]
    uhr, wabe, kara = "Clocks of Bees and of other insects", "Honey", "Artificial bees"
    assert cited_titles(document) == [
        [[uhr]],
        [[uhr, wabe]],
        [[kara], [uhr]],
        [[wabe]],
        [[kara]],
        [[uhr, wabe]],
        [[uhr]],
        [[]],
    ]
    assert "root:" not in document.text
    assert "after the end" not in document.text


def test_a_bibliography_that_the_document_prints(tmp_path: Path) -> None:
    path = tmp_path / "ms.tex"
    path.write_text(r"""\documentclass{article}\title{Bees}\begin{document}\section{One}
Bees dance \citep{u}. Ants \cite{k}.
\begin{thebibliography}{9}
\bibitem[{Uhr et~al.(1985)Uhr, Wabe, and {[x]}}]{u} M. Uhr and O. Wabe.
\newblock Clocks of bees in the dark.
\newblock \emph{Rhythm}, 1985. \newblock \href{https://doi.org/10.1000/u}{link}
\bibitem{k} \bibinfo{author}{D. Kara}, \bibinfo{title}{Artificial bees in the sun},
\bibinfo{journal}{Swarms} (\bibinfo{year}{2012}).
\end{thebibliography}\end{document}""")
    document = one(latex_project, path)
    assert [(paper.id, paper.title, paper.year) for paper in document.cited] == [
        ("doi:10.1000/u", "Clocks of bees in the dark", 1985),
        ("title:artificialbeesinthesun:kara", "Artificial bees in the sun", 2012),
    ]
    assert cited_titles(document) == [
        [["Clocks of bees in the dark"]],
        [["Artificial bees in the sun"]],
    ]
    assert "Rhythm" not in document.text


def test_a_bbl_file_serves_where_there_is_no_bib(tmp_path: Path) -> None:
    (tmp_path / "ms.tex").write_text(
        r"\documentclass{a}\title{Bees}\begin{document}Bees dance \cite{u}."
        r"\bibliography{gone}\end{document}"
    )
    (tmp_path / "ms.bbl").write_text(
        r"\begin{thebibliography}{1} \bibitem{u} M. Uhr. \newblock Clocks of bees. \newblock 1985."
    )
    assert cited_titles(one(latex_project, tmp_path / "ms.tex")) == [[["Clocks of bees"]]]


def test_files_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.bib").write_text("@misc{u, title={A secret outside of the folder}}")
    (tmp_path / "secret.tex").write_text(r"A secret \cite{u}.")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "ms.tex"
    path.write_text(
        rf"\documentclass{{a}}\title{{Bees}}\begin{{document}}\input{{../secret}}\input{{{tmp_path}/secret}}"
        rf"Bees \cite{{u}}."
        rf"\bibliography{{../secret,{tmp_path}/secret}}\end{{document}}"
    )
    document = one(latex_project, path)
    assert (document.text, document.cited) == ("Bees [u].", ())


def test_parts_of_a_project_are_said_to_be_parts(project: Path) -> None:
    found, report = documents(latex_project, project.parent / "part.tex")
    assert (found, reasons(report)) == ([], ["part_of_a_latex_project"])


def test_a_document_without_a_file_is_read_all_the_same() -> None:
    text = (
        r"\documentclass{a}\title{Bees}\begin{document}Bees \cite{u}.\begin{thebibliography}{1}"
        r"\bibitem{u} M. Uhr. Clocks of bees in winter. 1985.\end{thebibliography}"
    )
    assert cited_titles(one(latex_project, text)) == [[["Clocks of bees in winter"]]]


@pytest.mark.parametrize(
    ("head", "is_latex"),
    [
        (MAIN.encode(), True),
        (PART.encode(), True),
        (REFS.encode(), False),
        (b"% \\documentclass{a}\nplain", False),
        (b'{"text": "\\\\cite{a}"}', False),
        (b"", False),
        (b"\\begin{thebibliography}{1}", True),
        (b"Use \\input and \\cite{a}.", False),
    ],
)
def test_recognised_by_its_commands(head: bytes, is_latex: bool) -> None:
    assert latex_project.detects(head) is is_latex


@given(
    st.lists(
        st.sampled_from(
            [
                "\\cite{",
                "u",
                "}",
                "{",
                "\\citep[",
                "]",
                "\\begin{equation}",
                "\\end{equation}",
                "\\section{",
                "\\footnote{",
                "$",
                "\\[",
                "\\]",
                "\\caption{",
                "%",
                "\n\n",
                " Bees dance. ",
                "\\item",
                "\\newcommand{\\x}{\\x\\x}",
                "\\x",
                "\\begin{tabular}",
                "\\bibitem{u}",
                "\\begin{thebibliography}",
                "\\end{thebibliography}",
                "\\input{main}",
                "\ue0000\ue001",
                "\\abstract{",
            ]
        ),
        max_size=40,
    )
)
def test_any_body_can_be_read(parts: list[str]) -> None:
    found, _ = documents(
        latex_project, "\\documentclass{a}\\title{Bees}\\begin{document}" + "".join(parts)
    )
    for document in found:
        check(document)


@pytest.mark.slow
@pytest.mark.parametrize(
    "evil",
    [
        "\\cite{" * 20_000,
        "\\footnote{" * 20_000,
        "\\begin{equation}" * 20_000,
        "\\[" * 20_000,
        "$" * 20_001,
        "{" * 40_000,
        "\\bibitem[" * 8_000,
        "\\begin{thebibliography}" * 800,
        "a" * 200_000,
        "a. " * 40_000,
        "\\section{" * 8_000,
        "\\cite[" * 8_000,
        "\\citep[a][b]" * 8_000,
        "\\newcommand{\\a}{\\a\\a}" + "\\a" * 400,
        "~" * 60_000 + "x",
        "\\title" + " " * 60_000 + "x",
        "\\author" + " " * 60_000 + "x",
        "\\author{" * 200 + "{" * 80_000,
        "\\bibliography" + " " * 60_000 + "x",
        "\\newcommand\\a" + " " * 8_000 + "x",
        "\\input{" + " " * 8_000 + "{",
        "\\href[" * 12_000,
        "\\a " * 16_000,
        "\\begin{thebibliography}{9}\\bibitem{u} \\url" + " " * 40_000,
    ],
)
def test_what_never_ends_takes_no_time(evil: str, tmp_path: Path) -> None:
    path = tmp_path / "main.tex"
    path.write_text("\\documentclass{a}\\title{Bees}\\begin{document}" + evil)
    start = time.process_time()  # a busy machine is no failure
    found, _ = documents(latex_project, path)
    for document in found:
        check(document)
    assert time.process_time() - start < allowed(10)


@pytest.mark.parametrize("name", ["a\0b", "a" * 5_000, "\ud800", "a/" * 2_000])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    path = tmp_path / "main.tex"
    text = "\\title{Bees}\\begin{document}Bees dance \\cite{u}."
    text += f"\\input{{{name}}}\\bibliography{{{name}}}"
    path.write_bytes(f"\\documentclass{{a}}{text}".encode("utf-8", "surrogatepass"))
    assert "Bees dance" in one(latex_project, path).text


@pytest.mark.slow
def test_a_damaged_stream_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "main.tex.gz"
    noise = " ".join(str(number**7) for number in range(100_000))
    path.write_bytes(
        gzip.compress(f"\\documentclass{{a}}\\begin{{document}}{noise}".encode())[:-100_000]
    )
    found, report = documents(latex_project, path)
    assert (found, reasons(report)) == ([], ["broken_compression"])


def test_items_of_a_list() -> None:
    items = r"\bibitem{a} One. \bibitem[x]{b} Two. \bibitem \bibitem[ "
    text = r"\begin{thebibliography}{9} " + items + r"\end{thebibliography}"
    assert [key for key, _ in from_list(text)] == ["a", "b"]
