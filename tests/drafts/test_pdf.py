"""Drafts in PDF."""

from pathlib import Path

import pytest

import citewise
from citewise.drafts.reading import paragraphs_of, read_text
from pdf_files import pdf
from typesetting import Manuscript, can_typeset, typeset

CITED = (
    citewise.Paper("a", "The dance language of bees", authors=("Karl Frisch",), year=1967),
    citewise.Paper("b", "Clocks that flowers keep", authors=("Ruth Beer", "Ada King"), year=2003),
)
DRAFT = Manuscript(
    title="Bees That Read the Clocks of Flowers",
    authors=("Ana María García", "Xin Li"),
    abstract="Bees visit flowers when these have nectar, which needs a sense of time and place. "
    * 3,
    sections=(
        ("Introduction", ("That bees dance is well known {1}, and that flowers keep hours {2}.",)),
        ("Methods", ("We counted bees at flowers, which took us a whole summer in the field.",)),
    ),
    references=CITED,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not can_typeset("one column"):
        pytest.skip("needs pdflatex, which `.ci/run` installs")
    made = typeset(DRAFT, "one column", tmp_path_factory.mktemp("draft"))
    assert made is not None
    return made


@pytest.mark.slow
def test_what_a_draft_cites_is_found_in_the_library(file: Path, tmp_path: Path) -> None:
    citewise.add([CITED[0], citewise.Paper("c", "Wasps and their nests")], tmp_path / "library")
    found = citewise.open(tmp_path / "library").query(file)

    assert (found.query.title, found.query.authors) == (DRAFT.title, DRAFT.authors)
    assert found.query.abstract == DRAFT.abstract.strip()
    assert (found.read.citations, found.read.in_library, found.query.cited) == (2, 1, ("a",))
    assert "Clocks that flowers keep" in found.read.not_in_library[0]


@pytest.mark.slow
def test_its_prose_can_be_checked_for_citations(file: Path) -> None:
    prose = paragraphs_of(file)

    assert prose[1:] == [
        "That bees dance is well known [1], and that flowers keep hours [2].",
        "We counted bees at flowers, which took us a whole summer in the field.",
    ]
    assert read_text(file) == "\n".join(prose)


def test_the_first_pages_stand_in_for_a_missing_abstract(tmp_path: Path) -> None:
    lines = [
        (60, 600 - 14 * number, 10, "Bees like clocks, and say so often.") for number in range(9)
    ]
    (tmp_path / "a.pdf").write_bytes(pdf([(60, 740, 20, "Bees and their clocks"), *lines]))
    draft = citewise.read_draft(tmp_path / "a.pdf")

    assert draft.title == "Bees and their clocks"
    assert (
        draft.abstract.startswith("Bees like clocks") and draft.abstract_from == "the first pages"
    )
