"""Decode bytes whose encoding is not declared: a byte-order mark, then UTF-8, then a guess."""

import codecs
import re
from collections.abc import Callable

_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_HIGH = re.compile(rb"[\x80-\xff]+")
_WORD = re.compile(r"[^\W\d_]+")

_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark is the first half of this one
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_WESTERN = (
    "äöüß",
    "éèêëàâçîïôûùüœæ",
    "áéíóúñüç",
    "áâãàçéêíóôõú",
    "àèéìòù",
    "åäöæøéü",
    "áðéíóúýþæö",
)
_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýžôľĺŕä", "áéíóöőúüű", "čćđšž", "ăâîşţ")
_CYRILLIC = ("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґў",)
_GREEK = ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰς",)
_LANGUAGES: dict[str, tuple[str, ...]] = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "mac_roman": _WESTERN,
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "cp1253": _GREEK,
    "cp1254": ("çğıöşüâ",),
}
"""Encodings of one byte a letter, likeliest first, with the letters of some of their languages."""

_COMMON: dict[str, Callable[[str], bool]] = {
    "euc_jp": lambda letter: "\u3040" <= letter <= "\u30ff",
    "shift_jis": lambda letter: "\u3040" <= letter <= "\u30ff",
    "euc_kr": lambda letter: "\uac00" <= letter <= "\ud7a3",
    "gb18030": lambda letter: b"\xb0" <= letter.encode("gb18030")[:1] <= b"\xd7",
    "big5": lambda letter: b"\xa4" <= letter.encode("big5")[:1] <= b"\xc6",
}
"""Encodings of two bytes a character, and whether a character is one of their frequent ones."""

_LEAST_COMMON = {"euc_jp": 0.25, "shift_jis": 0.25, "euc_kr": 0.9, "gb18030": 0.75, "big5": 0.75}
"""The share of frequent characters from which a text counts as one of an encoding."""


def is_utf8(content: bytes) -> bool:
    """Return whether the bytes are valid UTF-8 throughout."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def marked_encoding(start: bytes) -> str:
    """Return the encoding with two or four bytes a character of which these are the first, or "".

    It is known by its byte-order mark, or by a zero in every second byte.
    """
    for mark, encoding in _MARKS.items():
        if start.startswith(mark):
            return encoding

    even, odd = start[0:200:2], start[1:200:2]
    if len(odd) > 1 and not any(odd) and all(even[: len(odd)]):
        return "utf-16-le"
    return "utf-16-be" if len(odd) > 1 and not any(even[: len(odd)]) and all(odd) else ""


def guessed_encoding(content: bytes) -> str:
    """Return the likeliest encoding of bytes that are not valid UTF-8.

    Where more than half of the bytes beyond ASCII are UTF-8, it is damaged UTF-8. Where the others
    come in runs, they may be Chinese, Japanese or Korean; else the encoding is taken in which most
    words have the letters of one language, and Windows-1252 where that does not decide.
    """
    runs = [len(run) for run in _HIGH.findall(content)]
    if sum(map(len, _UTF8_SEQUENCE.findall(content))) > sum(runs) / 2:
        return "utf-8"

    if sum(run for run in runs if run > 1) > sum(runs) / 2:
        for encoding in _COMMON:
            if _is_common(content, encoding):
                return encoding
    return max(_LANGUAGES, key=lambda encoding: _fitting_words(content, encoding))


def _is_common(content: bytes, encoding: str) -> bool:
    """Return whether all bytes are valid in an encoding, and most characters frequent there."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return False
    letters = [letter for letter in text if letter.isalpha() and not letter.isascii()]
    common = sum(map(_COMMON[encoding], letters))
    return bool(letters) and common >= _LEAST_COMMON[encoding] * len(letters)


def _fitting_words(content: bytes, encoding: str) -> int:
    """Return how many words have letters beyond ASCII that are all of one language."""
    words = _WORD.findall(content.decode(encoding, "replace"))
    return sum(_fits(word, _LANGUAGES[encoding]) for word in words if not word.isascii())


def _fits(word: str, languages: tuple[str, ...]) -> bool:
    """Return whether a word is written in one case, and in the letters of one language."""
    if len(word) < 2 or not (word.islower() or word.isupper() or word[1:].islower()):
        return False
    letters = {letter for letter in word.lower() if not letter.isascii()}
    is_latin = languages[0] not in (*_CYRILLIC, *_GREEK)
    has_ascii = any(map(str.isascii, word))
    return has_ascii == is_latin and any(letters.issubset(each) for each in languages)


def text_of(content: bytes) -> str:
    """Return the text of bytes, with or without a byte-order mark, whose encoding is not known.

    What is not valid UTF-8 is decoded as `guessed_encoding` says; invalid bytes become U+FFFD.
    """
    marked = marked_encoding(content)
    if marked:
        return content.decode(marked, "replace").removeprefix("\ufeff")
    encoding = "utf-8" if is_utf8(content) else guessed_encoding(content[:1_000_000])
    return content.decode(encoding, "replace").removeprefix("\ufeff")


def with_plain_line_ends(text: str) -> str:
    """Return a text with line feeds as line ends, without byte-order mark and NUL characters."""
    text = text.removeprefix("\ufeff").replace("\x00", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n")
