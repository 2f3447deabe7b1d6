"""The sentence view: what wants a citation is underlined, and keys go where the cursor is."""

from typing import Any

import pytest

from browsing import called, until

pytestmark = pytest.mark.slow

PARAGRAPH = (
    "𝛼 is small. "
    "Pretrains a deep bidirectional Transformer by masked language modelling. "
    "We thank our colleagues. "
    "Papers are related when others cite both \\cite{small1973cocitation}."
)


def check(page: Any) -> None:
    page.get_by_role("tab", name="Sentences").click()
    page.fill("#passage", PARAGRAPH)
    page.get_by_role("button", name="Check paragraph").click()
    page.locator(".sentence-list").wait_for()


def test_sentences_are_marked_as_the_api_says(page: Any, address: str) -> None:
    check(page)
    sentences = called(address, "v1/passage", {"text": PARAGRAPH, "k": 0})["sentences"]

    wanting = [each["text"] for each in sentences if each["wants_citation"]]
    having = [each["text"] for each in sentences if each["has_citation"]]
    assert wanting and having
    assert page.locator("#marks .wants").all_text_contents() == wanting
    assert page.locator("#marks .has").all_text_contents() == having


def test_a_click_on_a_sentence_shows_what_to_cite_for_it(page: Any, address: str) -> None:
    check(page)
    sentence = page.locator("#marks .wants").first.text_content()

    page.locator("#passage").evaluate(
        """(field, sentence) => {
            const at = field.value.indexOf(sentence) + 8;
            field.focus();
            field.setSelectionRange(at, at);
            field.click();
        }""",
        sentence,
    )
    page.locator(".suggestion").first.wait_for()

    body = {"sentence": sentence, "k": 6, "explain": True, "evidence": 2}
    answer = called(address, "v1/cite", body)["sentences"][0]["recommendations"]
    titles = [each["paper"]["title"] for each in answer]
    assert page.locator(".suggestion h3").all_inner_texts() == titles
    assert page.locator(".suggestion blockquote").count() >= 1
    assert page.locator("#marks .chosen").text_content() == sentence


def test_a_key_is_put_where_the_cursor_is_and_is_copied(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    check(page)
    page.locator(".sentence-list button").nth(1).click()
    page.locator(".suggestion").first.wait_for()
    name = page.locator(".suggestion .add").first.inner_text()
    cite = name.removeprefix("Insert ")

    page.locator(".suggestion .add").first.click()
    assert f"language modelling {cite}. We thank" in page.locator("#passage").input_value()
    page.get_by_role("button", name="Copy paragraph").click()
    page.get_by_text("Copied the paragraph").wait_for()
    assert cite in page.evaluate("navigator.clipboard.readText()")

    page.focus("#passage")
    page.keyboard.press("Control+Z")  # a citation is undone like typed text
    assert page.locator("#passage").input_value() == PARAGRAPH


def test_a_changed_paragraph_is_read_again(page: Any) -> None:
    check(page)

    page.fill("#passage", "One sentence only.")

    until(page, "document.querySelectorAll('.sentence-list li').length === 1")


def test_tabs_go_there_and_back_by_the_arrow_keys(page: Any) -> None:
    page.get_by_role("tab", name="Draft").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Sentences").get_attribute("aria-selected") == "true"
    assert page.get_by_role("heading", name="Which sentences want a citation?").is_visible()

    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("tab", name="Draft").get_attribute("aria-selected") == "true"
    assert page.get_by_role("heading", name="What should your draft cite?").is_visible()
