"""The map: every paper is there, labels never overlap, pointing dims, clicking pins."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from browsing import ABSTRACT, PHONE, TITLE, ask, called, cards, ids

pytestmark = pytest.mark.slow

OVERLAPS = """() => {
    const boxes = [...document.querySelectorAll(".map .paper text")]
        .filter((text) => text.getAttribute("visibility") !== "hidden")
        .map((text) => text.getBoundingClientRect())
        .map(({ left, right, top, bottom }) => [left, right, top, bottom]);
    return boxes;
}"""


def draw(page: Any) -> None:
    ask(page)
    page.get_by_role("button", name="Map", exact=True).click()
    page.locator(".map svg").wait_for()


def overlapping(page: Any) -> list[Any]:
    boxes = page.evaluate(OVERLAPS)
    assert len(boxes) >= 5
    # Boxes of text have a little air above and below the letters.
    return [
        (a, b)
        for a, b in combinations(boxes, 2)
        if a[0] < b[1] and b[0] < a[1] and a[2] + 2 < b[3] and b[2] + 2 < a[3]
    ]


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desk", "phone"])
def test_labels_never_overlap(open_page: Any, address: str, device: dict[str, Any]) -> None:
    page = open_page(address, **device)
    draw(page)

    assert page.locator(".map .paper").count() == len(ids_of_answer(address))
    assert overlapping(page) == []
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom out").click()
    assert overlapping(page) == []


def ids_of_answer(address: str) -> list[str]:
    answer = called(address, "v1/recommend", {"title": TITLE, "abstract": ABSTRACT, "k": 20})
    return [each["paper"]["id"] for each in answer["recommendations"]]


def test_younger_papers_stand_further_right(page: Any) -> None:
    draw(page)
    places = page.evaluate(
        """() => [...document.querySelectorAll(".map .paper")].map((paper) => [
            Number(/, ((?:19|20)\\d\\d),/.exec(paper.getAttribute("aria-label"))[1]),
            Number(/translate\\(([\\d.]+)/.exec(paper.getAttribute("transform"))[1])])"""
    )

    by_year = dict(places)
    assert [by_year[year] for year in sorted(by_year)] == sorted(by_year.values())
    assert all(by_year[year] == x for year, x in places)


def test_pointing_dims_the_rest_and_clicking_keeps_it(page: Any) -> None:
    draw(page)
    paper = page.locator(".map .paper").first

    paper.locator(".dot").hover()
    assert page.locator(".map .dim").count() == 1
    shown = page.locator(".map-card h3").inner_text()
    assert paper.get_attribute("aria-label").startswith(f"{shown}, ")

    paper.locator(".dot").click()
    page.mouse.move(5, 5)
    assert page.locator(".map .dim").count() == 1
    assert paper.get_attribute("aria-pressed") == "true"

    paper.locator(".dot").click()
    page.mouse.move(5, 5)
    assert page.locator(".map .dim").count() == 0


def test_the_keyboard_walks_over_the_map(page: Any) -> None:
    draw(page)
    page.locator(".map .paper[tabindex='0']").focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")

    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith(page.locator(".map-card h3").inner_text())
    assert page.locator(".map .pinned").get_attribute("aria-label") == focused


def test_the_map_knows_the_basket(page: Any) -> None:
    ask(page)
    cards(page).first.get_by_role("button", name="Add to basket").click()
    page.get_by_role("button", name="Map", exact=True).click()

    page.locator(".map .paper.basket").wait_for()
    assert page.locator(".map .paper.basket").count() == 1
    assert page.locator(".map .wish").count() == page.locator(".map .paper").count()


def test_wheel_zooms_and_dragging_moves(page: Any) -> None:
    draw(page)
    box = page.locator(".map svg").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    year = page.locator(".map .tick line").first
    first = float(year.get_attribute("x1"))

    page.mouse.move(*middle)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    zoomed = float(year.get_attribute("x1"))
    page.mouse.move(middle[0], box["y"] + 12)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, box["y"] + 12)
    page.mouse.up()
    moved = float(year.get_attribute("x1"))
    page.get_by_role("button", name="Whole").click()

    assert zoomed < first - 50
    assert round(moved - zoomed) == 60
    assert float(year.get_attribute("x1")) == first


def test_the_map_is_saved_as_a_drawing_of_its_own(page: Any) -> None:
    draw(page)

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    drawing = etree.fromstring(Path(download.value.path()).read_bytes())

    circles = list(drawing.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == page.locator(".map circle").count()
    assert all(str(circle.get("fill")).startswith("rgb") for circle in circles)
    assert not {"class", "style"} & {name for each in drawing.iter() for name in each.attrib}


def test_the_list_is_as_it_was_after_a_look_at_the_map(page: Any) -> None:
    ask(page)
    before = ids(page)
    page.get_by_role("button", name="Map", exact=True).click()
    page.locator(".map svg").wait_for()

    page.get_by_role("button", name="List", exact=True).click()

    assert ids(page) == before
