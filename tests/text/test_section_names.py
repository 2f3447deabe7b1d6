"""Headings in several languages: introductions, abstracts, asides, and what is none of them."""

import pytest

from citewise.text import section_names


@pytest.mark.parametrize(
    "heading",
    ["Abstract", "1. SUMMARY", "Résumé", "RESUME", "Özetçe", "摘 要", "Abstract in English"],
)
def test_abstracts(heading: str) -> None:
    assert section_names.is_abstract(heading)
    assert section_names.is_usual(heading)


@pytest.mark.parametrize("heading", ["Abstract interpretation", "Summary statistics", ""])
def test_no_abstracts(heading: str) -> None:
    assert not section_names.is_abstract(heading)


@pytest.mark.parametrize(
    "heading", ["1 Introduction", "GİRİŞ", "II. Einführung", "Background", "引言"]
)
def test_introductions(heading: str) -> None:
    assert section_names.is_introduction(heading)
    assert section_names.introduces(heading)


def test_a_heading_says_more_than_a_line_that_may_be_a_title() -> None:
    heading = "Introduction to bees"
    assert section_names.introduces(heading)
    assert not section_names.is_introduction(heading)
    assert not section_names.is_usual(heading), "it may be the title"
    assert not section_names.introduces("Background subtraction")


@pytest.mark.parametrize(
    "heading", ["Acknowledgements and funding", "Tack", "TEŞEKKÜR", "References"]
)
def test_asides(heading: str) -> None:
    assert section_names.is_aside(heading)


@pytest.mark.parametrize(
    "heading", ["Appendix A", "Abkürzungen", "Conflicts of interest", "Licence", "Liste des tables"]
)
def test_margins_are_text_but_do_not_stand_in(heading: str) -> None:
    assert section_names.is_margin(heading)
    assert not section_names.is_aside(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "Tackling noise",
        "Dedicated hardware",
        "Declarative bees",
        "License plates",
        "Engagement in games",
    ],
)
def test_words_that_only_begin_alike(heading: str) -> None:
    assert not section_names.is_margin(heading)
