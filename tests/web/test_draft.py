"""Giving a draft: typing, pasting, dropping files; what was read is said first."""

import re
from typing import Any

import pytest

from browsing import ABSTRACT, TITLE, cards, drop, ids, until, until_answered
from pdf_files import pdf

pytestmark = pytest.mark.slow

LATEX = r"""\documentclass{article}
\title{Voting for citations}
\author{Trevor Strohman}
\begin{document}
\maketitle
\begin{abstract}
Papers that similar papers cite receive votes. We recommend citations for a draft.
\end{abstract}
Context helps \cite{he}, and so does content \cite{bhagavatula,unknown}.
\bibliography{refs}
\end{document}
"""

BIB = r"""@inproceedings{he, title={Context-Aware Citation Recommendation},
  author={He, Qi}, year={2010}}
@inproceedings{bhagavatula, title={Content-Based Citation Recommendation},
  author={Bhagavatula, Chandra}, year={2018}}
@book{unknown, title={A Book That the Sample Does Not Have}, author={Nobody, Ann}, year={1999}}
"""


def read_line(page: Any) -> str:
    line = " ".join(str(page.locator("#read").inner_text()).split())
    return line.removesuffix(" · clear")


PRINT = pdf(
    [
        (60, 780, 20, "Voting for citations in print"),
        (60, 750, 12, "Trevor Strohman, Jimmy Lin"),
        (60, 720, 12, "Abstract"),
        (60, 700, 10, "Papers that similar papers cite receive votes, and votes make a ranking."),
        (60, 670, 14, "1 Introduction"),
        (60, 650, 10, "Context helps [1], and so does content [2], as many papers have found."),
        (60, 620, 14, "References"),
        (60, 600, 10, '[1] Qi He, "Context-Aware Citation Recommendation," WWW, 2010.'),
        (60, 586, 10, '[2] Ann Nobody, "A Book That the Sample Does Not Have," Press, 1999.'),
    ]
)


def test_a_pdf_is_read_with_its_printed_references(page: Any) -> None:
    files = {"name": "draft.pdf", "mimeType": "application/pdf", "buffer": PRINT}
    page.get_by_label("Files of the draft").set_input_files([files])
    until(page, "document.querySelector('#title').value === 'Voting for citations in print'")

    assert "Read title, 12 words of abstract, 1 of 2 citations, 2 authors" in read_line(page)


def test_what_is_typed_is_counted(page: Any) -> None:
    page.fill("#title", TITLE)
    assert read_line(page) == "Read title, no abstract"

    page.fill("#abstract", "Five words of an abstract.")
    assert read_line(page) == "Read title, 5 words of abstract"

    page.get_by_role("button", name="clear").click()
    assert read_line(page) == ""
    assert page.locator("#abstract").input_value() == ""


def test_an_empty_draft_is_not_asked(page: Any) -> None:
    page.click("#ask")

    assert page.locator("#notices").inner_text() == "Give a title or an abstract first."
    assert page.evaluate("document.activeElement.id") == "abstract"
    assert cards(page).count() == 0


def test_files_dropped_anywhere_are_read_before_anything_is_recommended(page: Any) -> None:
    drop(page, ("draft.tex", LATEX), ("refs.bib", BIB))
    until(page, "document.querySelector('#title').value === 'Voting for citations'")
    line = read_line(page)

    assert "Read title, 13 words of abstract, 2 of 3 citations, 1 author" in line
    assert "1 not in this library" in line
    assert cards(page).count() == 0
    assert page.evaluate("document.activeElement.id") == "ask"

    page.get_by_role("button", name="Show 1 not in this library").click()
    assert page.get_by_text("A Book That the Sample Does Not Have").is_visible()


def test_cited_papers_and_own_work_can_be_shown_or_hidden(page: Any) -> None:
    drop(page, ("draft.tex", LATEX), ("refs.bib", BIB))
    until(page, "document.querySelector('#title').value === 'Voting for citations'")
    page.click("#ask")
    cards(page).first.wait_for()
    until_answered(page)
    own = "strohman2007recommending"
    assert "he2010context" not in ids(page)
    assert own in ids(page)

    page.get_by_role("button", name="Not yet cited").click()
    page.locator(".card[data-id=he2010context]").wait_for()
    assert page.locator(".card[data-id=he2010context] .tag").inner_text() == "cited already"

    page.get_by_role("button", name="Hide own work").click()
    page.locator(f".card[data-id={own}]").wait_for(state="detached")


def test_a_pasted_draft_is_read_as_a_whole(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", f"{TITLE}\n\n{ABSTRACT}\n")

    page.focus("#abstract")
    page.keyboard.press("Control+V")
    until(page, "document.querySelector('#title').value.length > 0")

    assert page.locator("#title").input_value() == TITLE
    assert page.locator("#abstract").input_value() == ABSTRACT
    assert "135 words (the text below the title)" in read_line(page)


def test_files_can_be_chosen(page: Any) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose files").click()
    markdown = b"# Ranking with graphs\n\n## Abstract\n\nWe rank papers by their citation graph.\n"
    chooser.value.set_files([{"name": "a.md", "mimeType": "text/markdown", "buffer": markdown}])

    until(page, "document.querySelector('#title').value === 'Ranking with graphs'")
    assert "We rank papers" in page.locator("#abstract").input_value()


def test_a_file_that_cannot_be_read_gets_the_servers_sentence(open_page: Any, address: str) -> None:
    page = open_page(address, errors="status of 4")
    page.get_by_role("heading", name="What should your draft cite?").wait_for()

    drop(page, ("broken.docx", "not a zip file"))

    page.get_by_text(re.compile("broken.docx was not read")).wait_for()


def test_a_bibliography_alone_is_offered_to_the_library(page: Any) -> None:
    drop(page, ("refs.bib", BIB))
    box = page.get_by_role("dialog", name="Add to this library?")

    assert "“Landmarks of retrieval”" in box.inner_text()
    box.get_by_role("button", name="Leave it").click()
    assert page.get_by_role("dialog").count() == 0
