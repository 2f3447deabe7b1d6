"""How the page looks: light, dark and on a phone; axe finds nothing serious; pictures for docs/."""

from collections.abc import Callable
from typing import Any

import pytest

from browsing import PHONE, ask, cards, drop, picture, serious, until

pytestmark = pytest.mark.slow

PARAGRAPH = (
    "Authors of manuscripts need to know what to cite. "
    "Pretrains a deep bidirectional Transformer by masked language modelling. "
    "Our code is written in Python. "
    "Papers are related when others cite both \\cite{small1973cocitation}."
)

DRAFT = """# Voting for citations

## Abstract

Papers that similar papers cite receive votes: bibliographic coupling and co-citation recommend
citations for a manuscript. Context-aware methods compare the text around a citation
[@he; @nobody].
"""

BIB = """@inproceedings{he, title={Context-Aware Citation Recommendation}, year={2010}}
@book{nobody, title={A Book of Another Field}, author={Nobody, Ann}, year={1999}}
"""

DEVICES: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1320, "height": 1000}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1320, "height": 1000}, "color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "light"},
}


def empty(page: Any) -> None:
    page.get_by_role("heading", name="What should your draft cite?").wait_for()


def answer(page: Any) -> None:
    page.get_by_role("button", name="clear").click()
    ask(page)
    cards(page).nth(0).get_by_role("button", name="Add to basket").click()
    cards(page).nth(1).get_by_role("button", name="which?").first.click()
    quiet(page)


def read(page: Any) -> None:
    empty(page)
    drop(page, ("draft.md", f"---\nbibliography: refs.bib\n---\n{DRAFT}"), ("refs.bib", BIB))
    until(page, "document.querySelector('#title').value !== ''")


def basket(page: Any) -> None:
    page.get_by_role("button", name="in your basket").click()
    page.locator(".preview").get_by_text("@").first.wait_for()


def drawn_map(page: Any) -> None:
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Map", exact=True).click()
    page.locator(".map .paper .dot").first.click()
    quiet(page)


def sentences(page: Any) -> None:
    page.get_by_role("tab", name="Sentences").click()
    page.fill("#passage", PARAGRAPH)
    page.locator(".sentence-list button").nth(1).click()
    page.locator(".suggestion").first.wait_for()


def library(page: Any) -> None:
    page.get_by_role("button", name="Library").click()
    page.get_by_role("dialog").wait_for()


STATES: dict[str, Callable[[Any], None]] = {
    "empty": empty,
    "read": read,
    "answer": answer,
    "basket": basket,
    "map": drawn_map,
    "sentences": sentences,
    "library": library,
}
"""One after the other, on one page."""


@pytest.mark.parametrize("device", DEVICES)
def test_every_state_is_accessible_and_fits(open_page: Any, address: str, device: str) -> None:
    page = open_page(address, **DEVICES[device])

    for name, reach in STATES.items():
        reach(page)
        picture(page, f"page-{name}-{device}")

        assert serious(page) == [], name
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], f"{name} is wider than the window"


def test_the_theme_is_switched_and_remembered(open_page: Any, address: str) -> None:
    page = open_page(address, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)

    page.get_by_role("button", name="Dark theme").click()
    dark = page.evaluate(ground)
    page.reload()

    assert dark != light
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(ground) == light


def quiet(page: Any) -> None:
    """Take messages away, and the mouse from what it has pointed at."""
    page.evaluate("document.querySelector('#notices').replaceChildren()")
    page.mouse.move(1, 1)
