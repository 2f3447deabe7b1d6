"""Find the names of people in a draft's list of authors; no names where that is not certain."""

import re
from collections.abc import Iterable

LONGEST_LIST = 20_000
"""Characters of a list of names that are read."""

MOST = 500
"""Authors of a draft that are kept."""

_MARKS = re.compile(
    r"\^[^^\s]{1,40}\^|\^\[[^\]]{0,300}\]|\\(?:textsuperscript|thanks|footnote)\{[^{}]{0,300}\}"
    r"|\$[^$]{0,60}\$|<sup>.{0,60}?</sup>|\([^()]{0,200}\)|[\d¹²³⁴⁵⁶⁷⁸⁹⁰*†‡§¶‖#✉]+(?:,[\d*†‡§¶]+)*"
)
_SUFFIXES = re.compile(
    r"(?:,\s*|\s+)(?:Ph\.?\s?D|M\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|MPH|RN|FRCP|Dr\.?\s?rer\.?\s?nat|Prof|Esq)"
    r"\.?(?=\s*(?:[,;&]|$|\band\b))",
    re.IGNORECASE,
)
_GENERATION = re.compile(r",\s*((?:Jr|Sr)\.?|I{2,3}|IV)(?=\s*(?:[,;&]|$|and\b))")
_BY = re.compile(r"(?:by|authors?|von|par|por|autor(?:en|es)?)\s*[:：]?\s+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\s*(?:[,;，、；|•·]|\\and\b|\n)\s*(?:(?:&|and|und|et|y)\s+)?|\s+(?:&|and|und|et|y|e|en|och|og)\s+|\s*&\s*"
)
_SEMICOLONS = re.compile(r"\s*(?:;|；|\n)\s*|\s+(?:&|and|und|et)\s+")
_WORD = r"[^\W\d_](?:[^\W\d_]|[.'’‐-])*"
_PARTICLE = (
    r"(?:de|del|della|der|den|van|von|zu|zur|da|das|do|dos|di|du|la|le|el|al|bin|ibn|ben|ter|ten"
    r"|y|e|af|av)"
)
_NAME = re.compile(rf"(?:{_WORD}\s+){{1,5}}{_WORD}")
_TOGETHER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,5}")
_NO_NAME = re.compile(
    r"\b(?:universit\w*|department|dept|institut\w*|school|college|faculty|laborator\w*|lab|cent(?:er|re)"
    r"|hospital|academy|division|group|ministry|inc|ltd|gmbh|llc|company|corporation|foundation"
    r"|report|article|paper|review|research|original|case|study|manuscript|supplementa\w*|information"
    r"|materials?|appendix|draft|version|preprint|submitted|submission|chapter|thesis|dissertation"
    r"|proposal|working|running|head|title|abstract|keywords?|introduction|corresponding|email|e-mail"
    r"|street|road|city|usa|uk|germany|france|china|the|of|in|on|for|with|from|to|by|an?|is|are|we|our"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|technical|annual|conference|journal|proceedings|project|team|consortium|collaboration|data"
    r"|analysis|method|model|system|software|package|library|guide|manual|notes?|tutorial|how|why|what)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\bauthors?\b|\b(?:your|first|last|given|family|full|some)[\s-]?name\b|^(?:first|last)\s+last\w*$"
    r"|\banonym\w*|\bfirstname\b|\blastname\b|\bto\s?do\b|\btbd\b|^x{2,}$|^name$|@|https?:",
    re.IGNORECASE,
)


def people(text: str) -> tuple[str, ...]:
    """Return the names in a line that lists authors; empty where anything in it is no name."""
    if len(text) > LONGEST_LIST:
        return ()

    lines = (" ".join(line.split()) for line in _MARKS.sub(" ", text).split("\n"))
    line = _BY.sub("", _SUFFIXES.sub("", "\n".join(filter(None, lines))), count=1)
    line = _GENERATION.sub(r" \1", line).strip(" ,;.&")
    inverted = ";" in line and all("," in part for part in line.split(";"))
    between = _SEMICOLONS if inverted else _BETWEEN
    names = [" ".join(part.split()) for part in between.split(line) if part and part.strip(" .")]
    return named(names) if names and all(map(_is_name, names)) else ()


def named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names of a list, cleaned of marks; none where one of them is a
    placeholder, since the list is then a template's.
    """
    cleaned = [" ".join(_MARKS.sub(" ", name[:500]).split()).strip(" ,;*") for name in names]
    known = [name for name in dict.fromkeys(cleaned) if name]
    return () if any(map(_PLACEHOLDER.search, known)) else tuple(known[:MOST])


def _is_name(text: str) -> bool:
    """Return whether a text is surely a person's name: two to six words, none of other things."""
    if len(text) > 80 or _NO_NAME.search(text) or _PLACEHOLDER.search(text):
        return False
    if _TOGETHER.fullmatch(text):
        return True

    name = text.replace(",", " ")
    words = [word for word in name.split() if not re.fullmatch(_PARTICLE, word, re.IGNORECASE)]
    capitals = all(word[0].isupper() or not word[0].islower() for word in words)
    return _NAME.fullmatch(" ".join(name.split())) is not None and capitals and len(words) > 1
