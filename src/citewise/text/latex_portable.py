"""LaTeX that pdfLaTeX compiles without packages: other people's, repaired, and definitions for the
rest.
"""

import re
import unicodedata

from citewise.text.latex import encode, encoded_character, with_dots
from citewise.text.latex_commands import (
    ENCODED,
    MATH,
    NAMED_BY_BIBER,
    PROVIDED,
    PROVIDED_MATH,
    TEXT,
    TO_TEXT,
    TRANSLITERATED,
    WITH_ARGUMENT,
)

_TOKEN = re.compile(r"\\([A-Za-z]+)\s*|\\(.?)|([{}$&#%_^])|([^\x00-\x7f])", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:[A-Za-z0-9{\[]|\\[A-Za-z])")
_AFTER_SCRIPT = re.compile(r"\s*[^\s{}$_^&#%]|\s*\{")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_IN_ADDRESS = re.compile(r"(?<!\\)[%#]")

_ACCENTS = "'`^\"~=."
_SYMBOLS = " ,;:!-/@&%$#_{}"

# Defines what pdfLaTeX prints for a character, unless the document or a package does. Other
# engines look up characters in another way, and never see it.
_CHARACTER = (
    r"\providecommand{\citewisechar}[2]{\ifcsname u8:\detokenize{#1}\endcsname\else"
    r"\expandafter\def\csname u8:\detokenize{#1}\endcsname{#2}\fi}"
)


def portable(latex: str) -> str | None:
    """Return LaTeX as pdfLaTeX compiles it, or None where it cannot: unknown commands, braces or
    formulas that are not closed.

    Special characters outside formulas are escaped, and characters become commands.
    """
    return _Repair(with_dots(unicodedata.normalize("NFC", latex))).result()


class _Repair:
    """Goes through LaTeX once.

    `_stack` has, for each open group, whether there is a formula around it; `_opened` the depth of
    groups at which each open formula starts; `_next` whether the next group is one, None for no
    change.
    """

    def __init__(self, latex: str) -> None:
        self._latex, self._parts = latex, list[str]()
        self._math, self._stack = False, list[bool]()
        self._opened: list[int] = []
        self._next: bool | None = None
        self._position = 0

    def result(self) -> str | None:
        """Return the repaired text, or None."""
        while match := _TOKEN.search(self._latex, self._position):
            self._parts.append(self._latex[self._position : match.start()])
            if self._latex[self._position : match.start()].strip():
                self._next = None
            self._position = match.end()
            if not self._accept(match):
                return None

        self._parts.append(self._latex[self._position :])
        return None if self._stack or self._math else "".join(self._parts)

    def _accept(self, match: re.Match[str]) -> bool:
        """Add a token; return whether it can stand where it does."""
        command, symbol, mark, character = match.groups()
        if command == "url":
            return self._address(match)
        if command:
            return self._command(command, match)
        if symbol is not None:
            return self._symbol(symbol, match)

        if character:
            latex = encoded_character(character)
            boxed = self._math and "ensuremath" not in latex
            self._parts.append(rf"\mbox{{{latex}}}" if boxed else latex)
            return True
        return self._mark(mark)

    def _command(self, command: str, match: re.Match[str]) -> bool:
        known = MATH if self._math else TEXT | ENCODED.keys()
        provided = command in PROVIDED and (self._math == (command in PROVIDED_MATH))
        if command not in known and not provided and command != "degree":
            return False
        if command in WITH_ARGUMENT and not _ARGUMENT.match(self._latex, match.end()):
            return False

        self._parts.append(match[0])
        self._next = True if command == "ensuremath" else False if command in TO_TEXT else None
        return True

    def _symbol(self, symbol: str, match: re.Match[str]) -> bool:
        accent = bool(symbol) and symbol in _ACCENTS
        if accent and (self._math or not _ARGUMENT.match(self._latex, match.end())):
            return False
        self._parts.append(match[0])
        return accent or (bool(symbol) and symbol in _SYMBOLS)

    def _mark(self, mark: str) -> bool:
        """Add a special character: a brace or dollar as it is, another one escaped in a text."""
        if mark == "{":
            self._stack.append(self._math)
            self._math = self._math if self._next is None else self._next
            self._next = None
        elif mark == "}":
            if not self._stack or self._opened[-1:] == [len(self._stack)]:
                return False
            self._math = self._stack.pop()
        elif mark == "$":
            return self._dollar()
        elif self._math and mark in "_^":
            self._parts.append(mark)
            return bool(_AFTER_SCRIPT.match(self._latex, self._position))
        else:
            mark = r"{\textasciicircum}" if mark == "^" else f"\\{mark}"
        self._parts.append(mark)
        return True

    def _dollar(self) -> bool:
        """Open a formula, or close it in the group where it was opened."""
        depth = len(self._stack)
        if self._math and self._opened[-1:] == [depth]:
            self._opened.pop()
        elif not self._math and self._latex[self._position : self._position + 1] != "$":
            self._opened.append(depth)
        else:
            return False
        self._math = not self._math
        self._parts.append("$")
        return True

    def _address(self, match: re.Match[str]) -> bool:
        r"""Add \url with its address, in which only % and # mean anything."""
        end = self._latex.find("}", match.end())
        if self._math or self._latex[match.end() : match.end() + 1] != "{" or end < 0:
            return False
        address = self._latex[match.end() + 1 : end]
        if "{" in address:
            return False
        self._parts.append(r"\url{" + _IN_ADDRESS.sub(r"\\\g<0>", address) + "}")
        self._position = end + 1
        return True


def definitions(text: str) -> list[str]:
    """Return definitions of what a bibliography uses and pdfLaTeX may lack, for its preamble.

    They take effect only where neither the document nor a package has one.
    """
    used = dict.fromkeys(_COMMAND.findall(text))
    used |= {NAMED_BY_BIBER[name]: None for name in used if name in NAMED_BY_BIBER}
    lines = [rf"\providecommand{{\{name}}}{PROVIDED[name]}" for name in used if name in PROVIDED]
    lines += [
        rf"\ProvideTextCommandDefault{{\{name}}}{ENCODED[name]}" for name in used if name in ENCODED
    ]

    characters = dict.fromkeys(_NOT_ASCII.findall(text))
    if characters:
        lines.append(_CHARACTER)
    lines += [rf"\citewisechar{{{each}}}{{{stand_in(each)}}}" for each in characters]
    return lines


def stand_in(character: str) -> str:
    """Return what pdfLaTeX prints for a character that it cannot: Latin letters, the letter without
    its accents, nothing for invisible ones, else a question mark.
    """
    if unicodedata.category(character)[0] in "MC":
        return ""
    plain = unicodedata.normalize("NFKD", character)
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    latin = encode("".join(TRANSLITERATED.get(each, each) for each in letters))
    return latin if latin.isascii() and latin else "?"
