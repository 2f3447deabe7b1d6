"""Lines of PDFs, and files that are locked, damaged, empty or hostile."""

import importlib.util
import time

import pytest

from citewise.errors import BadInput, MissingExtra
from citewise.pdf.layout import lines_of
from citewise.pdf.pages import read_pages, readable
from pdf_files import bomb, endless, locked, nested, pdf

PLAIN = pdf([(50, 700, 18, "Bees and clocks"), (50, 660, 10, "How bees read clocks.")])


@pytest.mark.slow
def test_lines_have_places_and_sizes() -> None:
    pages = read_pages(PLAIN, "bees.pdf")
    title, text = pages.read[0].lines

    assert (pages.count, title.text, title.size, title.left) == (1, "Bees and clocks", 18, 51.3)
    assert (text.text, text.size, text.y - title.y) == ("How bees read clocks.", 10, 40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eﬃcient ﬁlters of diﬀerent ﬂow", "efficient filters of different flow"),
        ("Schr¨odinger, G´erard, Erd˝os", "Schrödinger, Gérard, Erdős"),
        ("Garc´ıa and Fran¸cois and Muc¸a", "García and Fran¸cois and Muça"),
        ("  two   spaces\u00a0here ", "two spaces here"),
    ],
)
def test_ligatures_and_accents_become_letters(text: str, expected: str) -> None:
    assert readable(text) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (locked(), "needs a password"),
        (PLAIN[: len(PLAIN) // 3], "is damaged or not whole"),
        (b"%PDF-1.7\n" + b"\x00\xff" * 500, "is damaged or not whole"),
        (pdf([]), "1 pages and no text, as scans have; .*ocrmypdf"),
        (nested(200_000), "could not be read|is damaged|no text"),
        (endless(), "could not be read|is damaged|no text"),
    ],
    ids=["locked", "truncated", "garbage", "scan", "nested", "endless"],
)
def test_what_cannot_be_read_says_what_to_do(content: bytes, said: str) -> None:
    begun = time.monotonic()
    with pytest.raises(BadInput, match=f"x.pdf: this PDF .*({said})"):
        read_pages(content, "x.pdf")

    assert time.monotonic() - begun < 60


@pytest.mark.slow
def test_a_bomb_does_no_harm() -> None:
    begun = time.monotonic()
    with pytest.raises(BadInput, match="could not be read within 5 seconds and the memory"):
        read_pages(bomb(2_000_000_000), "bomb.pdf", seconds=5)

    assert time.monotonic() - begun < 60


@pytest.mark.slow
def test_a_long_file_is_read_at_its_ends() -> None:
    pages = read_pages(pdf(*([(50, 700, 10, f"Page {n}")] for n in range(1, 501))), "long.pdf")
    numbers = [page.number for page in pages.read]

    assert pages.count == 500
    assert numbers == [*range(1, 201), *range(301, 501)]


def test_without_the_extra_its_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"a.pdf: reading PDF .*pip install 'citewise\[pdf\]'"):
        read_pages(PLAIN, "a.pdf")


def test_columns_that_are_drawn_row_by_row_are_read_one_after_the_other() -> None:
    rows = [
        line
        for number in range(12)
        for line in (
            (60, 700 - 14 * number, 10, f"left line {number} of the first column"),
            (310, 700 - 14 * number, 10, f"right line {number} of the second column"),
        )
    ]
    lines, _ = lines_of(
        read_pages(pdf([(60, 760, 18, "A title over both columns"), *rows]), "x").read
    )

    assert [line.text.split()[0] for line in lines] == ["A", *["left"] * 12, *["right"] * 12]


def test_running_heads_and_page_numbers_are_no_text() -> None:
    pages = [
        [
            (200, 810, 9, f"Bees et al. / Journal of Bees {number}"),
            (60, 600, 10, f"What page {number} says about bees."),
            (290, 30, 9, str(number)),
        ]
        for number in range(1, 4)
    ]
    text, margins = lines_of(read_pages(pdf(*pages), "x").read)

    assert [line.text for line in text] == [f"What page {n} says about bees." for n in (1, 2, 3)]
    assert len(margins) == 6
