"""What is still to be written, and short texts that are written."""

import pytest

from citewise.text.placeholders import is_placeholder


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "...",
            "TODO",
            "TODO: say what we found",
            "to do",
            "TBD.",
            "[Insert your abstract here]",
        ),
        *("Your abstract goes here.", "The abstract should have 200 words.", "Abstract"),
        *("Enter the text of your abstract here.", "Please type your abstract here"),
        *("Escriba aquí su resumen.", "Insérez votre résumé ici."),
        *("Lorem ipsum", "Lorem ipsum dolor sit amet " * 200),
    ],
)
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    ["To do or not to do", "None of the bees dance.", "The abstract goes on.", "Abstract text"],
)
def test_texts(text: str) -> None:
    assert not is_placeholder(text)
