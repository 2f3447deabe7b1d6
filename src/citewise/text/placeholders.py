"""Recognise what stands where something is still to be written."""

import re

UNWRITTEN = r"(?:to[\s-]?do|tbd|tba|fixme|xxx+)"
"""A pattern of what authors write where something is missing."""

_LONGEST = 2_000
"""Characters of a text that can be a placeholder without being filler text."""

_PLACEHOLDER = re.compile(
    rf"\W*(?:{UNWRITTEN}|todo\b.{{0,80}}|to[\s-]do\s?:.{{0,80}}|n/?a|none|coming soon"
    r"|work in progress|lorem ipsum\b.*|(?:your |the )?(?:text|summary) (?:goes |comes )?here"
    r"|(?:your |the |insert |put |write |type )*"
    r"abstract(?: (?:(?:text )?(?:goes |comes )?here|in|of|your|should|must|is|about)\b.{0,200})?"
    r"|(?:here|hier|aqu[ií])\b.{0,30}\babstract\b.{0,80}"
    r"|(?:please )?(?:insert|write|add|put|enter|type|paste|provide|include) .{0,60}"
    r"(?:here|abstract(?: text)?)|(?:the )?(?:text|body) of (?:your|the|an) abstract(?: here)?"
    r"|(?:escrib[ae]|insert[ae]|insira|inserire|ins[ée]rez|entrez|tapez|digite|skriv|schreiben sie)"
    r"\b.{0,40}\b(?:aqu[ií]|qui|ici|hier|h[äe]r|resum(?:en|o)|r[ée]sum[ée]|abstract|sommario)"
    r"\b.{0,40})?\W*",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(r"\blorem ipsum dolor sit amet\b", re.IGNORECASE)


def is_placeholder(text: str) -> bool:
    """Return whether a text is empty, filler, or says only that something is still to be written.

    It is made for abstracts and other texts of some sentences.
    """
    is_short = len(text) < _LONGEST
    return bool((is_short and _PLACEHOLDER.fullmatch(text)) or _FILLER.search(text))
