"""How a pair of texts is cut to the tokens that a model can read."""

import re
from dataclasses import dataclass

from citewise.errors import BadInput

_LONGEST_FIRST = re.compile(r"longest-first(?:@(\d{1,4}))?")
_BUDGETS = re.compile(r"(\d{1,4})\+(\d{1,4})")

_LEAST = 8
"""Tokens that a side, or a pair, has at least: fewer hold nothing but special tokens."""


@dataclass(frozen=True, slots=True)
class Truncation:
    """A truncation rule, which prints as it parses.

    `longest-first@512` takes tokens from the longer text until both have at most 512 together (the
    model's limit where nothing follows `longest-first`). `256+256` cuts the first text to 256
    tokens and the second to 256, whatever the other's length. Special tokens count: [CLS] and the
    first [SEP] on the first side, the others on the second.
    """

    tokens: int = 0
    """Of both texts together; 0 for the model's limit."""
    query: int = 0
    candidate: int = 0
    """Budgets of the two sides; 0 for none."""

    def __post_init__(self) -> None:
        given = [each for each in (self.tokens, self.query, self.candidate) if each]
        if min(given, default=_LEAST) < _LEAST or bool(self.query) != bool(self.candidate):
            raise BadInput(f"a truncation rule needs at least {_LEAST} tokens for each text")

    @classmethod
    def parse(cls, text: str) -> "Truncation":
        """Return the rule that a text such as `longest-first` or `256+256` describes."""
        whole, sides = _LONGEST_FIRST.fullmatch(text), _BUDGETS.fullmatch(text)
        if whole:
            return cls(tokens=int(whole[1] or 0))
        if sides and int(sides[1]) and int(sides[2]):
            return cls(query=int(sides[1]), candidate=int(sides[2]))
        raise BadInput(
            f"no truncation rule: {text!r}; such are longest-first, longest-first@256 and 256+256"
        )

    @property
    def total(self) -> int:
        """Tokens of both texts together; 0 for the model's limit."""
        return self.tokens or self.query + self.candidate

    def __str__(self) -> str:
        if self.query:
            return f"{self.query}+{self.candidate}"
        return f"longest-first@{self.tokens}" if self.tokens else "longest-first"


LONGEST_FIRST = Truncation()
