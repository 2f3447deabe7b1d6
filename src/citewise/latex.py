"""LaTeX to Unicode and back, in the pieces that bibliographies and drafts hold."""

import functools
import logging
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexencode import UnicodeToLatexEncoder

logging.getLogger("pylatexenc").addHandler(logging.NullHandler())  # else its warnings go to standard error

MOST_GROUPS = 2_000
"""Braces in one text; beyond that it is noise, and the converter's recursion would not end well."""

MOST_OPEN_OPTIONS = 4
"""Brackets open at once."""

_LATEX = re.compile(r"[\\{}$~]|--|``|''")
_BRACES = re.compile(r"(?<!\\)[{}]")
_MARKS = re.compile(r"\\.|[][{}]", re.DOTALL)
_WORD_MARKS = re.compile(r"\\[^A-Za-z]|[{}$]|\s+")
_BARE_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_SPACE = re.compile(r"\s+")
_RAW_SPECIAL = re.compile(r"(?<!\\)[%&#]")
_DOLLAR = re.compile(r"(?<!\\)\$")
_CURRENCY = re.compile(r"(?<!\\)\$(\d[^$]*\s)\$(?=\d)")
_SCRIPT = re.compile(r"\$\s*([_^])\s*\{?(\d+)\}?\s*\$")
_SCRIPTS = {"_": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"), "^": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")}
_ACCENT = re.compile(r"""\{\\[^{}\\]{1,12}(?:\{\\?[^{}\\]{0,3}\})?\}|\\['`^"~=.](?:[A-Za-z]|\{\\?[A-Za-z]\})""")
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "{": "", "}": ""}
_LIGATURE = re.compile("|".join(map(re.escape, _LIGATURES)))

_PLAIN = ("texttt", "textsf", "textmd", "textup", "mbox", "url", "mathsf", "mathtt", "mathit", "mathbf", "mathcal",
          "mathbb", "mathfrak", "mathscr")
"""Commands of which only the argument matters; pylatexenc drops some, and turns others into letters no one types."""

_ESCAPES = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "~": r"{\textasciitilde}",
            "^": r"{\textasciicircum}", "\\": r"{\textbackslash}", "{": r"{\ensuremath{\lbrace}}",
            "}": r"{\ensuremath{\rbrace}}", "<": r"{\ensuremath{<}}", ">": r"{\ensuremath{>}}",
            "|": r"{\ensuremath{|}}"}
_SPECIAL = re.compile(r"[&%$#_~^\\{}<>|]|[^\x00-\x7f]|(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[!?])(?=`)")
_COMBINING = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
              "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0328": "k",
              "\u0331": "b"}


def decode(text: str) -> str:
    """Return LaTeX as one line of Unicode text; what cannot be converted stays, without its braces."""
    if not _LATEX.search(text):
        return _SPACE.sub(" ", text).strip()
    if "$" in text:
        text = _SCRIPT.sub(lambda match: match[2].translate(_SCRIPTS[match[1]]), _with_honest_dollars(text))
    if "\\" in text and "$" not in text:
        text = _ACCENT.sub(_converted_match, text)
    if "\\" in text or "$" in text:
        text = _converted(_RAW_SPECIAL.sub(r"\\\g<0>", text))
    else:
        text = _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text)
    return _SPACE.sub(" ", text).strip()


def decode_long(text: str) -> str:
    """Return the same as `decode`, of running text many times as fast: word by word, the plain ones as they are."""
    if not _closes(text) or len(_DOLLAR.findall(text)) % 2:
        return decode(text)
    return _SPACE.sub(" ", " ".join(filter(None, map(_decoded_word, _words(text))))).strip()


def _words(text: str) -> Iterator[str]:
    """Split at white space outside groups and formulas; a command and what is separate from it may be its argument."""
    at = depth = 0
    formula = False
    for match in _WORD_MARKS.finditer(text):
        mark = match[0]
        if mark == "$":
            formula = not formula
        elif mark in "{}":
            depth += 1 if mark == "{" else -1
        elif mark[0].isspace() and depth == 0 and not formula and not _ends_bare(text, at, match.start()):
            yield text[at:match.start()]
            at = match.end()
    yield text[at:]


def _ends_bare(text: str, start: int, end: int) -> bool:
    """Whether a part of a text ends with a command that has no argument yet."""
    last = text.rfind("\\", start, end)
    return last >= 0 and _BARE_COMMAND.fullmatch(text, last, end) is not None


@functools.lru_cache(maxsize=1 << 14)
def _decoded_word(word: str) -> str:
    return decode(word)


def _with_honest_dollars(text: str) -> str:
    """Escape the dollar signs that mean money: an odd one out, and pairs such as "$5 and $6"."""
    if len(_DOLLAR.findall(text)) % 2:
        return _DOLLAR.sub(r"\\$", text)
    return _CURRENCY.sub(r"\\$\1\\$", text)


@functools.cache
def _converter() -> LatexNodes2Text:
    context = get_default_latex_context_db()
    own = [MacroTextSpec("textasciicircum", "^"), MacroTextSpec("textless", "<"), MacroTextSpec("textgreater", ">"),
           MacroTextSpec("textbar", "|"), MacroTextSpec("textbraceleft", "{"), MacroTextSpec("textbraceright", "}"),
           MacroTextSpec("xspace", ""), MacroTextSpec("LaTeX", "LaTeX"), MacroTextSpec("TeX", "TeX"),
           *(MacroTextSpec(name, "%s") for name in _PLAIN)]
    context.add_context_category("citewise", prepend=True, macros=own)
    return LatexNodes2Text(latex_context=context, math_mode="text", strict_latex_spaces=False)


def _converted(text: str) -> str:
    if text.count("{") > MOST_GROUPS or not _closes(text):
        return _BRACES.sub("", text)
    try:
        return str(_converter().latex_to_text(text))
    except Exception:  # the converter meets hostile input with errors of any type
        return _BRACES.sub("", text)


def _closes(text: str) -> bool:
    """Whether braces have their partners and brackets nest little: pylatexenc's time doubles with each open one."""
    braces = brackets = 0
    for mark in _MARKS.findall(text):
        braces += {"{": 1, "}": -1}.get(mark, 0)
        brackets += {"[": 1, "]": -1}.get(mark, 0)
        if braces < 0 or brackets > MOST_OPEN_OPTIONS:
            return False
    return braces == 0


@functools.lru_cache(maxsize=1 << 14)
def _converted_group(text: str) -> str:
    return _converted(text)


def _converted_match(match: re.Match[str]) -> str:
    """Convert a short group and leave it a group, for it may be an argument; what comes out special has to wait."""
    plain = _converted_group(match[0])
    return match[0] if not plain or _LATEX.search(plain) or _RAW_SPECIAL.search(plain) else f"{{{plain}}}"


def encode(text: str) -> str:
    """Return text as LaTeX that BibTeX too can sort and print; `decode` undoes it.

    Braces are balanced whatever the text holds. Characters that LaTeX has no command for stay as they are.
    """
    return _SPECIAL.sub(_encoded_match, unicodedata.normalize("NFC", text))


def _encoded_match(match: re.Match[str]) -> str:
    return _encoded(match[0]) if match[0] else "{}"


@functools.lru_cache(maxsize=1 << 14)
def _encoded(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if unicodedata.name(character, "").startswith("CYRILLIC"):  # its commands need the same fonts as its letters
        return character
    for latex in (str(_encoder().unicode_to_latex(character)), _accented(character)):
        if latex.isascii() and _converted(latex) == character:
            return latex
    return character


def _accented(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    known = len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _COMBINING
    return f"{{\\{_COMBINING[parts[1]]}{{{parts[0]}}}}}" if known else character


@functools.cache
def _encoder() -> Any:
    return UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False,
                                 replacement_latex_protection="braces-all")
