"""The lines of a PDF with their places, read by a process of its own that cannot do harm."""

import importlib.util
import re
import subprocess
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import msgspec

from citewise.errors import BadInput, MissingExtra

LARGEST = 100 * 1024 * 1024
"""Bytes of a PDF."""

SECONDS = 30
"""How long the process may take for a PDF."""

START = re.compile(rb"\s{0,1000}%PDF-")
"""What a PDF begins with."""

_GLYPHS = Path(__file__).with_name("glyphs.py")

_LIGATURES = str.maketrans(
    {
        **{
            chr(0xFB00 + number): text
            for number, text in enumerate(["ff", "fi", "fl", "ffi", "ffl", "ft", "st"])
        },
        "\u2010": "-",
        "\u2011": "-",
        "\u00a0": " ",
        "\ufffd": " ",
    }
)
# Fonts without accented letters print an accent, then the letter; the cedilla comes after it.
_COMBINING = {
    **{"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304"},
    **{"˘": "\u0306", "˙": "\u0307", "˚": "\u030a", "ˇ": "\u030c", "˝": "\u030b"},
}
_ACCENT = re.compile(rf"([{''.join(_COMBINING)}]) ?([A-Za-zıȷ])")
_CEDILLA = re.compile(r"([cCsStT]) ?¸")
_DOTLESS = {"ı": "i", "ȷ": "j"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, or a part of one beside a gap; lengths in points, y from the page's top."""

    text: str
    left: float
    right: float
    y: float
    """Of the baseline."""
    size: float
    """Of most of its characters."""
    bold: bool
    """Whether most of its characters are."""
    page: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page; its lines are in the order of the file, which is mostly that of reading."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Pages:
    """What was read of a PDF."""

    count: int
    """Pages of the file; `read` has fewer where they are too many."""
    read: tuple[Page, ...]
    metadata: dict[str, str]
    aside: str
    """Turned text, such as arXiv's stamp in the margin."""


class _Page(msgspec.Struct):
    number: int
    width: float
    height: float
    lines: list[tuple[str, float, float, float, float, float]]


class _Output(msgspec.Struct):
    error: str = ""
    pages: int = 0
    metadata: dict[str, str] = {}
    aside: str = ""
    read: list[_Page] = []


def read_pages(content: bytes, name: str, seconds: int = SECONDS) -> Pages:
    """Return the pages of a PDF, which messages call `name`.

    A file that is locked, damaged, too large or too slow, or has no text, is an error.
    """
    if importlib.util.find_spec("pypdfium2") is None:
        raise MissingExtra(f"{name}: reading PDF", "pdf")
    if len(content) > LARGEST:
        raise BadInput(f"{name}: a PDF of more than {LARGEST >> 20} MB is not read")

    output = _output(content, name, seconds)
    if output.error == "password":
        raise BadInput(
            f"{name}: this PDF needs a password; save a copy without one (print it to a file), "
            "or use the draft's source"
        )
    if output.error:
        raise BadInput(f"{name}: this PDF is damaged or not whole; get it again")

    pages = Pages(output.pages, tuple(map(_page, output.read)), output.metadata, output.aside)
    if not any(any(map(str.isalnum, line.text)) for page in pages.read for line in page.lines):
        raise BadInput(
            f"{name}: this PDF has {output.pages} pages and no text, as scans have; let a program "
            "recognise the text first (ocrmypdf scan.pdf text.pdf)"
        )
    return pages


def _output(content: bytes, name: str, seconds: int) -> _Output:
    """Return what the reading process says of a PDF."""
    try:
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-P", str(_GLYPHS), str(seconds)],
            input=content,
            capture_output=True,
            timeout=seconds + 5,
            check=False,
        )
        return msgspec.json.decode(done.stdout, type=_Output)
    except subprocess.TimeoutExpired:
        raise BadInput(f"{name}: this PDF could not be read within {seconds} seconds") from None
    except msgspec.DecodeError:  # it was stopped by a limit, or crashed
        raise BadInput(
            f"{name}: this PDF could not be read within {seconds} seconds and the memory that is "
            "allowed, or broke the program that reads it; print it to a new PDF and try that"
        ) from None


def _page(page: _Page) -> Page:
    lines = (
        Line(text, left, right, y, size, bold > 0.6, page.number)
        for raw, left, right, y, size, bold in page.lines
        if (text := readable(raw))
    )
    return Page(page.number, page.width, page.height, tuple(lines))


def readable(text: str) -> str:
    """Return text with ligatures and accents as letters, and single spaces."""
    plain = _CEDILLA.sub("\\1\u0327", text.translate(_LIGATURES))
    plain = _ACCENT.sub(lambda match: _accented(match[2], match[1]), plain)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _accented(letter: str, accent: str) -> str:
    return _DOTLESS.get(letter, letter) + _COMBINING[accent]
