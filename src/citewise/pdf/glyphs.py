"""The process that reads the lines of a PDF: `python glyphs.py < file.pdf`, JSON on its output.

PDFs are programs of strangers, read by a library in C++: this runs apart from everything else and
with limits, and imports nothing of the package, so that it starts fast.
"""

import contextlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from ctypes import byref, c_double, create_string_buffer
from dataclasses import dataclass, field
from typing import Any

MEMORY = 1 << 30
"""Bytes that the process may take beside the file."""

MOST_PAGES = 400
"""Pages that are read of a longer file: half of them from its start, half from its end."""

MOST_CHARACTERS = 4_000_000
MOST_ON_A_PAGE = 60_000

_HYPHENS = {0x2: "-", 0xAD: "-", 0xFFFE: "-"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_ACCENTS = frozenset("´`¨ˆ˜¯˘˙˚ˇ˝")

# What TeX's fonts of type 3, which say nothing of Unicode, mean by their codes: those of T1, and
# the ligatures of OT1.
_TEX: dict[int, str] = dict(
    zip(
        range(0x80, 0x100),
        "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
        "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß",
        strict=True,
    )
) | {
    **dict(
        zip((*range(11, 16), *range(27, 32)), ("ff", "fi", "fl", "ffi", "ffl") * 2, strict=True)
    ),
    **dict(zip(range(16, 23), "“”„«»–—", strict=True)),
    0x7F: "-",
}
_COLUMN_GAP = 1.8
"""Font sizes between two pieces of text from which on they are no longer one line."""


@dataclass(slots=True)
class Glyph:
    """A character and where it stands; y grows downwards."""

    text: str
    x: float
    y: float
    right: float
    size: float
    bold: bool


@dataclass(slots=True)
class Line:
    """Characters that follow each other on one baseline."""

    glyphs: list[Glyph] = field(default_factory=list)
    spaces: set[int] = field(default_factory=set)
    """Positions before which there is a space."""

    def takes(self, glyph: Glyph) -> bool:
        """Return whether a character continues the line."""
        if not self.glyphs:
            return True
        last, size = self.glyphs[-1], max(glyph.size, self.glyphs[0].size, self.glyphs[-1].size)
        near = any(abs(each.y - glyph.y) < 0.5 * size for each in (last, self.glyphs[0]))
        smaller = min(glyph.size, last.size)  # much smaller are the numbers of lines
        most = 1.5 * smaller if smaller < 0.65 * size else _COLUMN_GAP * size
        return near and -1.2 * size < glyph.x - last.right < most

    def put_accent(self, accent: Glyph) -> bool:
        """Put an accent before the letter below it; return whether there is one."""
        middle = (accent.x + accent.right) / 2
        for each in self.glyphs:
            near = abs(each.y - accent.y) < 0.6 * each.size
            if near and each.x <= middle <= each.right and each.text.isalpha():
                each.text = accent.text + each.text
                return True
        return False

    def as_list(self) -> list[Any]:
        """Return [text, left, right, baseline, size, share of bold characters]."""
        size = Counter(round(each.size, 1) for each in self.glyphs).most_common(1)[0][0]
        full = [each for each in self.glyphs if each.size > 0.85 * size]
        baseline = Counter(round(each.y, 1) for each in full).most_common(1)[0][0]
        pieces = []
        for number, each in enumerate(self.glyphs):
            pieces.append(" " * (number in self.spaces) + _raised(each, size, baseline))
        left, right = min(each.x for each in self.glyphs), max(each.right for each in self.glyphs)
        bold = sum(each.bold for each in self.glyphs) / len(self.glyphs)
        return ["".join(pieces), round(left, 1), round(right, 1), baseline, size, round(bold, 2)]


def _raised(glyph: Glyph, size: float, baseline: float) -> str:
    """Return a character; a digit above the line as a superscript."""
    small = glyph.size < 0.85 * size and baseline - glyph.y > 0.15 * size
    return glyph.text.translate(_RAISED) if small else glyph.text


def limit(seconds: int) -> None:
    """Bound what this process may use; systems without such bounds have the parent's clock."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read(content: bytes) -> dict[str, Any]:
    """Return what a PDF has: pages, metadata, lines; or {"error": "password" or "damaged"}."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        document = pypdfium2.PdfDocument(content)
        count = len(document)
    except pypdfium2.PdfiumError:
        locked = raw.FPDF_GetLastError() in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        return {"error": "password" if locked else "damaged"}

    numbers = [*range(count)]
    if count > MOST_PAGES:
        numbers = [*numbers[: MOST_PAGES // 2], *numbers[-MOST_PAGES // 2 :]]
    room, pages, aside = MOST_CHARACTERS, [], ""
    for number in numbers:
        page = _page(raw, document, number, min(room, MOST_ON_A_PAGE))
        room -= page.pop("characters")
        aside = aside or page.pop("aside", "")
        pages.append({"number": number + 1, **page})
        if room <= 0:
            break
    return {"pages": count, "metadata": _metadata(document), "aside": aside, "read": pages}


def _metadata(document: Any) -> dict[str, str]:
    names = ("Title", "Author", "Subject", "doi")
    return {name: document.get_metadata_value(name)[:2_000] for name in names}


def _page(raw: Any, document: Any, number: int, room: int) -> dict[str, Any]:
    """Return the size and the lines of a page; no lines where it cannot be read."""
    page = raw.FPDF_LoadPage(document, number)
    text = raw.FPDFText_LoadPage(page) if page else None
    if not text:
        return {"width": 0, "height": 0, "lines": [], "characters": 0}

    try:
        count = min(raw.FPDFText_CountChars(text), room)
        height = raw.FPDF_GetPageHeightF(page)
        lines, aside = _lines(_glyphs(raw, text, count, height))
        return {
            "width": raw.FPDF_GetPageWidthF(page),
            "height": height,
            "lines": lines,
            "aside": aside,
            "characters": count,
        }
    finally:
        raw.FPDFText_ClosePage(text)
        raw.FPDF_ClosePage(page)


def _lines(glyphs: Iterator[Glyph | str]) -> tuple[list[list[Any]], str]:
    """Return the lines of a page in the order of the file, and the text that is turned."""
    lines, aside, line = [], [], Line()
    for glyph in glyphs:
        if isinstance(glyph, str):
            aside.append(glyph)
        elif glyph.text.isspace():
            line.spaces.add(len(line.glyphs))
        else:
            if not line.takes(glyph):
                lines.append(line)
                line = Line()
            elif line.glyphs and glyph.x - line.glyphs[-1].right > 0.9 * glyph.size:
                line.spaces.add(len(line.glyphs))
            line.glyphs.append(glyph)
    lines.append(line)
    return [each.as_list() for each in _with_accents(lines) if each.glyphs], "".join(aside)


def _with_accents(lines: list[Line]) -> list[Line]:
    """Return lines without those of accents alone, which stand over capital letters of others."""
    kept: list[Line] = []
    for line in lines:
        if line.glyphs and all(each.text in _ACCENTS for each in line.glyphs):
            for accent in line.glyphs:
                any(each.put_accent(accent) for each in reversed(kept[-3:]))
        else:
            kept.append(line)
    return kept


def _glyphs(raw: Any, text: Any, count: int, height: float) -> Iterator[Glyph | str]:
    """Yield the characters of a page; of those that are turned, the text alone."""
    left, right, bottom, top = c_double(), c_double(), c_double(), c_double()
    x, y = c_double(), c_double()
    for index in range(count):
        character = _character(raw, text, index)
        if not character:
            continue
        raw.FPDFText_GetCharOrigin(text, index, byref(x), byref(y))
        raw.FPDFText_GetCharBox(text, index, byref(left), byref(right), byref(bottom), byref(top))
        if abs(raw.FPDFText_GetCharAngle(text, index)) % 6.28 > 0.1 and not character.isspace():
            yield character
            continue
        size = _size(raw, text, index)
        yield Glyph(
            text=character,
            x=left.value,
            y=height - y.value,
            right=right.value,
            size=size,
            bold=_is_bold(raw, text, index),
        )


def _character(raw: Any, text: Any, index: int) -> str:
    """Return a character, or the letters of a ligature; "" where it is none."""
    code: int = raw.FPDFText_GetUnicode(text, index)
    if code in _TEX and raw.FPDFText_HasUnicodeMapError(text, index) == 1:
        return _TEX[code]
    if code in _HYPHENS:
        return _HYPHENS[code]
    if 0xD800 <= code < 0xE000 or code > 0x10FFFF or (code < 32 and code not in (9, 10, 13)):
        return ""
    return chr(code)


def _size(raw: Any, text: Any, index: int) -> float:
    """Return the size in points at which a character is printed."""
    matrix = raw.FS_MATRIX()
    size: float = raw.FPDFText_GetFontSize(text, index)
    if raw.FPDFText_GetMatrix(text, index, byref(matrix)):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5
    return size or 1.0


def _is_bold(raw: Any, text: Any, index: int) -> bool:
    """Return whether a character's font is bold, by its weight or its name."""
    if raw.FPDFText_GetFontWeight(text, index) >= 600:
        return True
    name = create_string_buffer(64)
    raw.FPDFText_GetFontInfo(text, index, name, 64, None)
    plain = name.value.lower()
    return b"bold" in plain or b"bx" in plain or plain.endswith((b"-b", b"-bd", b".b"))


def main() -> None:
    """Read a PDF from standard input; the first argument is the number of seconds."""
    content = sys.stdin.buffer.read()
    limit(int(sys.argv[1]))
    json.dump(read(content), sys.stdout)


if __name__ == "__main__":
    main()
