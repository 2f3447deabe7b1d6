"""Convert LaTeX to Unicode and back, for the fields of bibliographies and the text of drafts."""

import functools
import logging
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexencode import UnicodeToLatexEncoder

from citewise.text.latex_commands import ENCODED, MATH, TEXT

# Without a handler, the warnings of pylatexenc go to standard error.
logging.getLogger("pylatexenc").addHandler(logging.NullHandler())

MAX_GROUPS = 2_000
"""Braces in one text; a text with more is noise, and too deep for the converter's recursion."""

MAX_OPEN_OPTIONS = 4
"""Brackets open at once."""

_COMMANDS = re.compile(r"\\([A-Za-z]+)")

# Anything that makes a text LaTeX rather than plain text.
_ACCENT_ON_DOTLESS = re.compile(r"""\\(['`^"])\s*(?:\{\\([ij])\s*\}|\\([ij])(?![A-Za-z])\s*)""")
_LATEX = re.compile(r"[\\{}$~]|--|``|''")
_BRACES = re.compile(r"(?<!\\)[{}]")
_MARKS = re.compile(r"\\.|[][{}]", re.DOTALL)

# Where the words of a text may end: an escaped character is skipped, braces and dollars nest.
_WORD_MARKS = re.compile(r"\\[^A-Za-z]|[{}$]|\s+")
_BARE_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_SPACE = re.compile(r"\s+")
_RAW_SPECIAL = re.compile(r"(?<!\\)[%&#]")
_DOLLAR = re.compile(r"(?<!\\)\$")

# Two amounts of money: "$5 and $6".
_CURRENCY = re.compile(r"(?<!\\)\$(\d[^$]*\s)\$(?=\d)")

# A line break, as reference managers escape it: "$\\backslash$n"; "$\\backslash$textit" is none.
_ESCAPED_BREAK = re.compile(
    r"\$\\backslash\s?\$(?!text[a-z]|(?:times|theta|tau|rho|rm|nu|neq|nabla)(?![a-z]))[nrt]"
)

# A number as subscript or superscript: "$_2$", "$^{13}$", "$^{2+}$".
_SCRIPT = re.compile(r"\$\s*([_^])\s*\{?([\d+-]+)\}?\s*\$")
_NUMBERS = "0123456789+-"
_SMALL_NUMBERS = {"_": "₀₁₂₃₄₅₆₇₈₉₊₋", "^": "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"}
_SCRIPTS = {mark: str.maketrans(_NUMBERS, small) for mark, small in _SMALL_NUMBERS.items()}
_FROM_SCRIPTS = {mark: str.maketrans(small, _NUMBERS) for mark, small in _SMALL_NUMBERS.items()}
_DEGREE = re.compile(r"\$\s*\^\s*(?:\\circ|\{\s*\\circ\s*\})\s*\$")

# An accented or special letter: "{\"u}", "{\'{\i}}", "{\ss}", "\'e", "\~{n}".
_ACCENT = re.compile(
    r"""\{\\[^{}\\]{1,12}(?:\{\\?[^{}\\]{0,3}\})?\}|\\['`^"~=.](?:[A-Za-z]|\{\\?[A-Za-z]\})"""
)

_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "{": "", "}": ""}
_LIGATURE = re.compile("|".join(map(re.escape, _LIGATURES)))

_PLAIN = (
    "texttt",
    "textsf",
    "textmd",
    "textup",
    "mbox",
    "url",
    "mathsf",
    "mathtt",
    "mathit",
    "mathbf",
    "mathcal",
    "mathbb",
    "mathfrak",
    "mathscr",
)
"""Commands whose argument is the text.

pylatexenc drops some of these arguments and turns others into letters that nobody types.
"""

_ESCAPES = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "\\": r"{\textbackslash}",
    "{": r"{\ensuremath{\lbrace}}",
    "}": r"{\ensuremath{\rbrace}}",
    "<": r"{\ensuremath{<}}",
    ">": r"{\ensuremath{>}}",
    "|": r"{\ensuremath{|}}",
}

# A character that needs a command, a small number, or the empty position inside what LaTeX would
# read as a ligature ("--", "``", "''", "!`", "?`"), where "{}" goes.
_SPECIAL = re.compile(
    rf"[{_SMALL_NUMBERS['_']}]+|[{_SMALL_NUMBERS['^']}]+"
    r"|[&%$#_~^\\{}<>|]|[^\x00-\x7f]|(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[!?])(?=`)"
)

_COMBINING = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0328": "k",
    "\u0331": "b",
}


def decode(text: str) -> str:
    """Return LaTeX as one line of Unicode text; what cannot be converted only loses its braces."""
    if not _LATEX.search(text):
        return _SPACE.sub(" ", text).strip()

    if "$" in text:
        text = _with_escaped_currency(_ESCAPED_BREAK.sub(" ", text))
        text = _DEGREE.sub("°", text)
        text = _SCRIPT.sub(lambda match: match[2].translate(_SCRIPTS[match[1]]), text)
    if "\\" in text and "$" not in text:
        text = _ACCENT.sub(_converted_match, text)

    if "\\" in text or "$" in text:
        text = _converted(_RAW_SPECIAL.sub(r"\\\g<0>", text))
    else:
        text = _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text)
    return _SPACE.sub(" ", text).strip()


def decode_long(text: str) -> str:
    """Return the same as `decode`, many times as fast for running text.

    It converts word by word, so plain words cost little and frequent ones come from a cache.
    """
    if not _is_balanced(text) or len(_DOLLAR.findall(text)) % 2:
        return decode(text)
    words = filter(None, map(_decoded_word, _words(text)))
    return _SPACE.sub(" ", " ".join(words)).strip()


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, split at white space outside groups and formulas.

    A command without an argument stays with the word after it, which may be its argument.
    """
    position = depth = 0
    formula = False
    for match in _WORD_MARKS.finditer(text):
        mark = match[0]
        outside = depth == 0 and not formula

        if mark == "$":
            formula = not formula
        elif mark in "{}":
            depth += 1 if mark == "{" else -1
        elif mark[0].isspace() and outside:
            end = match.start()
            if not _ends_with_command(text, position, end):
                yield text[position:end]
                position = match.end()
    yield text[position:]


def _ends_with_command(text: str, start: int, end: int) -> bool:
    """Return whether `text[start:end]` ends with a command that has no argument yet."""
    last = text.rfind("\\", start, end)
    return last >= 0 and _BARE_COMMAND.fullmatch(text, last, end) is not None


@functools.lru_cache(maxsize=1 << 14)
def _decoded_word(word: str) -> str:
    return decode(word)


def _with_escaped_currency(text: str) -> str:
    """Return a text with the dollar signs of money escaped: an odd number, and "$5 and $6"."""
    if len(_DOLLAR.findall(text)) % 2:
        return _DOLLAR.sub(r"\\$", text)
    return _CURRENCY.sub(r"\\$\1\\$", text)


@functools.cache
def _converter() -> LatexNodes2Text:
    own_macros = [
        MacroTextSpec("textasciicircum", "^"),
        MacroTextSpec("textless", "<"),
        MacroTextSpec("textgreater", ">"),
        MacroTextSpec("textbar", "|"),
        MacroTextSpec("textbraceleft", "{"),
        MacroTextSpec("textbraceright", "}"),
        MacroTextSpec("xspace", ""),
        MacroTextSpec("hyphen", "-"),
        MacroTextSpec("ndash", "–"),
        MacroTextSpec("mdash", "—"),
        MacroTextSpec("LaTeX", "LaTeX"),
        MacroTextSpec("TeX", "TeX"),
        *(MacroTextSpec(name, "%s") for name in _PLAIN),
    ]

    context = get_default_latex_context_db()
    context.add_context_category("citewise", prepend=True, macros=own_macros)
    return LatexNodes2Text(latex_context=context, math_mode="text", strict_latex_spaces=False)


def _converted(text: str) -> str:
    """Return LaTeX as text, or only without its braces where pylatexenc cannot convert it."""
    if text.count("{") > MAX_GROUPS or not _is_balanced(text):
        return _BRACES.sub("", text)
    try:
        return str(_converter().latex_to_text(text))
    # The converter raises errors of any type on hostile input.
    except Exception:
        return _BRACES.sub("", text)


def _is_balanced(text: str) -> bool:
    """Return whether all braces are closed and brackets are nested no deeper than allowed.

    The time pylatexenc takes doubles with each open bracket.
    """
    braces = brackets = 0
    for mark in _MARKS.findall(text):
        braces += {"{": 1, "}": -1}.get(mark, 0)
        brackets += {"[": 1, "]": -1}.get(mark, 0)
        if braces < 0 or brackets > MAX_OPEN_OPTIONS:
            return False
    return braces == 0


@functools.lru_cache(maxsize=1 << 14)
def _converted_group(text: str) -> str:
    return _converted(text)


def _converted_match(match: re.Match[str]) -> str:
    """Return an accented letter as a group of text, unless the text has a special meaning in LaTeX.

    It stays in braces because it may be the argument of a command.
    """
    plain = _converted_group(match[0])
    if not plain or _LATEX.search(plain) or _RAW_SPECIAL.search(plain):
        return match[0]
    return f"{{{plain}}}"


def encode(text: str) -> str:
    """Return text as LaTeX that BibTeX can sort and pdfLaTeX prints without packages; `decode`
    reverses it.

    Braces are balanced for any text. Characters that pdfLaTeX has no command for are left
    unchanged.
    """
    return _SPECIAL.sub(_encoded_match, unicodedata.normalize("NFC", text))


def with_dots(latex: str) -> str:
    r"""Return LaTeX with \'{i} in place of \'\i: the same in print, and biber reads the latter as
    a letter without dot and an accent, which pdfLaTeX cannot print.
    """
    return _ACCENT_ON_DOTLESS.sub(r"\\\1{\2\3}", latex)


def encoded_character(character: str) -> str:
    """Return a character as LaTeX, in a text or in a formula."""
    return _encoded(character)


def _encoded_match(match: re.Match[str]) -> str:
    return _encoded(match[0]) if match[0] else "{}"


@functools.lru_cache(maxsize=1 << 14)
def _encoded(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    for mark, small in _SMALL_NUMBERS.items():
        if character[0] in small:
            number = character.translate(_FROM_SCRIPTS[mark])
            return f"${mark}{number}$" if len(number) == 1 else f"${mark}{{{number}}}$"

    # The commands for Cyrillic letters need the same fonts as the letters themselves.
    if unicodedata.name(character, "").startswith("CYRILLIC"):
        return character

    spellings = str(_encoder().unicode_to_latex(character)), _accented(character)
    for latex in map(with_dots, spellings):
        if latex.isascii() and _is_known(latex) and _converted(latex) == character:
            return latex
    return character


def _is_known(latex: str) -> bool:
    """Return whether pdfLaTeX knows every command without packages."""
    known = TEXT | ENCODED.keys()
    commands = _COMMANDS.findall(latex)
    return (known | MATH if "ensuremath" in commands else known).issuperset(commands)


def _accented(character: str) -> str:
    r"""Return a letter with an accent as a LaTeX command, "{\'{e}}"; anything else unchanged."""
    parts = unicodedata.normalize("NFD", character)
    known = len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _COMBINING
    if not known:
        return character

    letter, accent = parts[0], _COMBINING[parts[1]]
    return f"{{\\{accent}{{{letter}}}}}"


@functools.cache
def _encoder() -> Any:
    return UnicodeToLatexEncoder(
        unknown_char_policy="keep",
        unknown_char_warning=False,
        replacement_latex_protection="braces-all",
    )
