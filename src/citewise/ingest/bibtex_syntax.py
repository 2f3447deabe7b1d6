"""Find the entries in BibTeX text, and repair the slips that people and programs make in them.

Everything is found in one pass; a text that repeats the start of an entry costs no more than
`MOST_FAILURES` scans.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

LONGEST_VALUE = 1_000_000
"""Characters; without a bound, macros that concatenate macros grow exponentially."""

MOST_FIELDS = 500
"""Fields of one entry that are kept."""

MOST_WRITTEN = 5_000
"""Fields of one entry, repeated ones and those that are not kept included."""

MOST_FAILURES = 20
"""Entries that start on one line and cannot be read, before the rest of that line is given up."""

HEAD = re.compile(r"@\s*([A-Za-z][\w.+-]*+)\s*+([{(])")

# A citation key; EndNote leaves it empty, and some entries begin with their first field instead.
_KEY = re.compile(r'\s*+([^\s,={}"]{0,400}+)(?:\s*+,|(?=\s++[A-Za-z][\w-]*+\s*+=)|(?=\s*+[)}]))')
_LOOSE_KEY = re.compile(r'\s*+([^,={}"\n]{1,400}+),')

# The name of a field; Scopus writes some with spaces, "funding_text 1".
_NAME = re.compile(
    r"([A-Za-z_][^\s=,{}\"#%()']{0,100}+(?:[^\S\n][^\s=,{}\"#%()']{1,20}+){0,2}+)\s*+="
)
_WORD = re.compile(r'[^\s{}",#=%()]++')

# White space and comments, which may stand between fields.
_GAP = re.compile(r"(?:\s++|%[^\n]*+(?:\n|$))*+")
_BETWEEN = re.compile(r"(?:\s++|%[^\n]*+(?:\n|$)|,)*+")
_END_OF_VALUE = re.compile(r"(?:\s++|%[^\n]*+(?:\n|$))*+(?:[,#)}]|$|@|[A-Za-z_][\w-]{0,100}+\s*+=)")
_LOST_FIELDS = re.compile(r'\s*+,\s*+[A-Za-z][\w-]*+\s*+=\s*+[{"\d]')

_BRACE = re.compile(r"[{}]")
_UNESCAPED_BRACE = re.compile(r"(?<!\\)[{}]")
_QUOTE = re.compile(r'(?<!\\)[{}"]')

Macros = Callable[[str], str | None]
"""Returns the text of a macro, None where it is not defined."""


class MalformedError(Exception):
    """The text of an entry is not BibTeX; the message gives the reason."""


@dataclass(slots=True)
class Block:
    """An entry or a command as it was written: `type` and the names of fields in lower case, values
    as LaTeX without delimiters.
    """

    type: str
    key: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    repairs: list[tuple[str, str]] = field(default_factory=list)
    """What had to be repaired: reasons, with a detail each."""
    offset: int = 0
    """Where it starts in the text."""
    error: str = ""
    """Why it cannot be read, "" where it can."""


def blocks(text: str, macros: Macros) -> Iterator[Block]:
    """Yield what starts with @ outside other entries; comments and preambles are left out."""
    position = failures = 0
    while failures < MOST_FAILURES:
        head = _next_head(text, position)
        if head is None:
            return

        block = Block(head[1].lower(), offset=head.start())
        position = head.end()
        if block.type in ("comment", "preamble"):
            position = _after_command(text, position)
            continue
        try:
            position = _Parser(text, macros, block, head).parse()
        except MalformedError as error:
            failures += 1
            block.error = str(error)
        yield block


def _next_head(text: str, position: int) -> re.Match[str] | None:
    """Return the next start of an entry that is not commented out by %."""
    for head in HEAD.finditer(text, position):
        line = text.rfind("\n", position, head.start()) + 1
        if not text[max(line, position) : head.start()].lstrip().startswith("%"):
            return head
    return None


def _after_command(text: str, position: int) -> int:
    """Return where a comment or preamble ends; one that is not closed ends where it starts."""
    end = closing_brace(text, position - 1) if text[position - 1] == "{" else 0
    return end + 1 if end else position


class _Parser:
    """Reads one entry into a block."""

    def __init__(self, text: str, macros: Macros, block: Block, head: re.Match[str]) -> None:
        self._text, self._macros, self._block = text, macros, block
        self._position = head.end()
        self._close = "}" if head[2] == "{" else ")"
        self._comma = True

    def parse(self) -> int:
        """Fill the block, and return where the entry ends."""
        if self._block.type != "string":
            self._read_key()

        for _ in range(MOST_WRITTEN):
            if not self._next_field():
                break
            self._read_field()
        else:
            raise MalformedError("it has too many fields")
        if not self._block.fields:
            raise MalformedError("it has no fields")
        return self._position

    def _read_key(self) -> None:
        if _NAME.match(self._text, _after(_GAP, self._text, self._position)):
            return
        key = _KEY.match(self._text, self._position) or _LOOSE_KEY.match(self._text, self._position)
        if not key:
            raise MalformedError("it has no fields")
        self._block.key = " ".join(key[1].split())
        self._position = key.end()

    def _next_field(self) -> bool:
        """Move to the next field; return whether there is one."""
        end = _after(_BETWEEN, self._text, self._position)
        self._comma = not self._block.fields or "," in self._text[self._position : end]
        self._position = end

        mark = self._text[end : end + 1]
        if mark == self._close:
            self._position += 1
            if not _LOST_FIELDS.match(self._text, self._position):
                return False
            self._block.repairs.append(("closed_early", ""))
            return self._next_field()
        if not mark:
            self._block.repairs.append(("not_closed", ""))
            return False
        return True

    def _read_field(self) -> None:
        name = _NAME.match(self._text, self._position)
        if not name:
            found = self._text[self._position : self._position + 20].split("\n")[0]
            raise MalformedError(f"no field starts at {found!r}")
        if not self._comma:
            self._block.repairs.append(("missing_comma", f"before {name[1]}"))
        self._position = name.end()

        value = self._value(name[1])
        self._add("_".join(name[1].lower().split()), value)

    def _add(self, name: str, value: str) -> None:
        """Keep a field; as in BibTeX, the first of repeated ones counts."""
        fields = self._block.fields
        if name in fields:
            self._block.repairs.append(("duplicate_field", name))
        elif len(fields) >= MOST_FIELDS:
            self._block.repairs.append(("fields_cut", name))
        else:
            fields[name] = value

    def _value(self, name: str) -> str:
        """Return the text of a field: braces, quotes, numbers and macros, joined by #."""
        parts: list[str] = []
        while True:
            parts.append(self._piece(name))
            if sum(map(len, parts)) > LONGEST_VALUE:
                raise MalformedError(f"the field {name} is too long")

            end = _after(_GAP, self._text, self._position)
            if self._text[end : end + 1] != "#":
                return "".join(parts)
            self._position = end + 1

    def _piece(self, name: str) -> str:
        start = self._position = _after(_GAP, self._text, self._position)

        delimiter = self._text[start : start + 1]
        if delimiter == "{":
            end = self._end_of_braces(start)
        elif delimiter == '"':
            end = self._end_of_quotes(start)
        else:
            return self._bare(name)
        self._position = end + 1
        return self._text[start + 1 : end]

    def _bare(self, name: str) -> str:
        """Return a number, or the text of a macro; an undefined one stands for itself."""
        word = _WORD.match(self._text, self._position)
        if not word:
            self._block.repairs.append(("field_without_value", name))
            return ""
        self._position = word.end()

        value = word[0] if word[0].isdigit() else self._macros(word[0].lower())
        if value is None:
            self._block.repairs.append(("undefined_macro", word[0]))
            return word[0]
        return value

    def _end_of_braces(self, start: int) -> int:
        r"""Return where a value in braces ends: the first place by either rule, that \{ is a brace
        (BibTeX) or a character (LaTeX), where a value can end.
        """
        ends = [closing_brace(self._text, start, rule) for rule in (_BRACE, _UNESCAPED_BRACE)]
        for end in sorted(filter(None, ends)):
            if _END_OF_VALUE.match(self._text, end + 1):
                return end
        raise MalformedError(
            "no comma or brace follows a value" if any(ends) else "a brace is not closed"
        )

    def _end_of_quotes(self, start: int) -> int:
        """Return where a value in quotes ends: quotes that no comma or brace follows are text."""
        depth = 0
        for match in _QUOTE.finditer(self._text, start + 1, start + LONGEST_VALUE):
            if match[0] != '"':
                depth += 1 if match[0] == "{" else -1
            elif depth == 0:
                if _END_OF_VALUE.match(self._text, match.end()):
                    return match.start()
                self._block.repairs.append(("stray_quote", ""))
            if depth < 0:
                break
        raise MalformedError("a value in quotes is not closed")


def _after(gap: re.Pattern[str], text: str, position: int) -> int:
    """Return where a gap that starts at a position ends."""
    match = gap.match(text, position)
    return match.end() if match else position


def closing_brace(text: str, start: int, braces: re.Pattern[str] = _BRACE) -> int:
    """Return the position of the brace that closes the one at `start`, 0 where none does."""
    depth = 0
    for match in braces.finditer(text, start, start + LONGEST_VALUE):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return 0
