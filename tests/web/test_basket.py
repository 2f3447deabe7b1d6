"""The basket: what is in it stays, and leaves as a file in each format."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pybtex.database import parse_string
from rispy import loads

from browsing import ask, cards, ids

pytestmark = pytest.mark.slow


def add(page: Any, *places: int) -> None:
    ask(page)
    for place in places:
        cards(page).nth(place).get_by_role("button", name="Add to basket").click()


def first_title(page: Any) -> str:
    title: str = cards(page).first.get_by_role("heading").inner_text()
    return title


def saved(page: Any, format: str) -> str:
    year = re.search(r"\b(19|20)\d\d\b", cards(page).first.locator(".meta").inner_text())
    assert year is not None
    page.get_by_role("button", name="in your basket").click()
    page.get_by_label(format).check()
    page.locator(".preview").get_by_text(year[0]).first.wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save file").click()
    return Path(download.value.path()).read_text()


def test_papers_are_added_kept_and_removed(page: Any, address: str) -> None:
    add(page, 0, 2)
    chosen = [ids(page)[0], ids(page)[2]]

    page.reload()
    page.get_by_role("button", name="2 papers in your basket").click()
    box = page.get_by_role("dialog", name="Basket")
    assert box.get_by_role("listitem").count() == 2
    box.get_by_role("button", name="Remove").first.click()
    assert box.get_by_role("listitem").count() == 1
    box.get_by_role("button", name="Close").click()

    kept = page.evaluate("JSON.parse(localStorage['citewise:basket:Landmarks of retrieval'])")
    assert [paper["id"] for paper in kept] == chosen[1:]
    assert page.get_by_role("button", name="1 paper in your basket").is_visible()


def test_the_button_of_a_card_takes_out_what_it_has_put_in(page: Any) -> None:
    add(page, 0)

    cards(page).first.get_by_role("button", name="Remove from basket").click()

    assert page.locator(".basket-pill").count() == 0
    assert page.evaluate("document.activeElement.dataset.action") == "add"


def test_bibtex_leaves_as_a_file(page: Any) -> None:
    add(page, 0, 1)
    keys = [card.get_attribute("title") for card in page.locator("[data-action=copy]").all()[:2]]

    assert list(parse_string(saved(page, "BibTeX"), "bibtex").entries) == keys


def test_ris_leaves_as_a_file(page: Any) -> None:
    add(page, 0)

    assert [entry["title"] for entry in loads(saved(page, "RIS"))] == [first_title(page)]


@pytest.mark.parametrize(
    ("format", "read"),
    [("CSL-JSON", lambda text: json.loads(text)[0]["title"]), ("List, APA", str)],
)
def test_other_formats_leave_as_files(page: Any, format: str, read: Any) -> None:
    add(page, 0)

    assert first_title(page) in read(saved(page, format))
