"""Every state without an answer: asking, nothing found, an error, no server, no scripts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from browsing import ABSTRACT, TITLE, ask, called, cards, serving

pytestmark = pytest.mark.slow


def test_a_skeleton_is_drawn_while_asking(page: Any) -> None:
    waiting: list[Any] = []
    page.route("**/v1/recommend", lambda route: waiting.extend([route]))
    page.fill("#title", TITLE)

    page.click("#ask")
    page.get_by_role("heading", name="Looking for papers …").wait_for()
    assert page.locator(".skeleton").count() == 4
    assert page.locator("#answer").get_attribute("aria-busy") == "true"

    waiting[0].continue_()
    cards(page).first.wait_for()
    assert page.locator(".skeleton").count() == 0


def test_nothing_found_says_what_the_library_is_about(page: Any) -> None:
    page.fill("#abstract", "Zwiebelkuchen Flammkuchen Sauerkraut")

    page.click("#ask")

    page.get_by_role("heading", name="Nothing here seems close to your draft.").wait_for()
    said = page.locator("#answer").inner_text()
    assert re.search(
        r"This library has 239 papers of 1955 to 2024, most about \w+, \w+ and \w+\.", said
    )
    page.get_by_role("button", name="Start again").click()
    assert page.locator("#abstract").input_value() == ""


def test_an_error_shows_the_servers_words(open_page: Any, address: str) -> None:
    page = open_page(address, errors="status of 422")
    document = {"type": "about:blank", "title": "What was sent cannot be used", "status": 422}
    document |= {"detail": "k is at most 10, not 20", "code": "bad_input"}
    page.route(
        "**/v1/recommend",
        lambda route: route.fulfill(
            status=422, body=json.dumps(document), content_type="application/problem+json"
        ),
    )
    page.fill("#title", TITLE)

    page.click("#ask")
    page.get_by_role("heading", name="What was sent cannot be used").wait_for()
    alert = page.get_by_role("alert").filter(has_text="bad_input")
    assert "k is at most 10, not 20" in alert.inner_text()

    page.unroute("**/v1/recommend")
    page.get_by_role("button", name="Try again").click()
    cards(page).first.wait_for()


def test_a_server_that_went_away_is_found_again(
    open_page: Any, library_folder: Path, tmp_path: Path
) -> None:
    with serving(library_folder, tmp_path) as address:
        page = open_page(address, errors="net::ERR_")
        ask(page)

    page.get_by_label("Recent papers").fill("1")
    page.get_by_text("this page looks for it every few seconds").wait_for()
    assert page.get_by_role("heading", name="The server does not answer.").is_visible()
    assert page.locator("#title").input_value() == TITLE

    with serving(library_folder, tmp_path, int(address.split(":")[2].strip("/"))):
        cards(page).first.wait_for()
        assert not page.locator("#offline").is_visible()


def test_the_form_works_without_scripts(open_page: Any, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    page.fill("#title", TITLE)
    page.fill("#abstract", ABSTRACT)

    page.click("#ask")

    answer = called(address, "v1/recommend", {"title": TITLE, "abstract": ABSTRACT, "k": 20})
    titles = [each["paper"]["title"] for each in answer["recommendations"]]
    assert page.locator(".card h3").all_inner_texts() == titles
    assert page.locator("#title").input_value() == TITLE
    assert page.locator("#abstract").input_value() == ABSTRACT


def test_without_scripts_nothing_is_taken_for_markup(open_page: Any, address: str) -> None:
    page = open_page(address, java_script_enabled=False)
    hostile = '"><script>alert(1)</script></textarea><h1>'
    page.fill("#title", f"citation {hostile}")
    page.fill("#abstract", hostile)

    page.click("#ask")

    assert page.locator("#title").input_value() == f"citation {hostile}"
    assert page.locator("#abstract").input_value() == hostile
    assert page.locator("script").count() == 0


def test_hostile_papers_are_text(page: Any) -> None:
    markup = "<img src=x onerror=alert(1)>"
    answer = {
        "system": "best",
        "recommendations": [
            {
                "rank": 1,
                "score": 1.0,
                "confidence": None,
                "citation_key": markup,
                "paper": {"id": markup, "title": markup, "authors": [markup], "venue": markup},
                "reasons": [
                    {"kind": "new", "sentence": markup, "share": 1, "papers": [], "words": []}
                ],
                "evidence": [],
            }
        ],
    }
    page.route("**/v1/recommend", lambda route: route.fulfill(json=answer))
    page.fill("#title", TITLE)

    page.click("#ask")
    cards(page).first.wait_for()

    assert page.locator("#answer img").count() == 0
    assert page.locator(".card h3").inner_text() == markup
