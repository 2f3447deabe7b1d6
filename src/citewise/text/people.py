"""Find the names of people in a draft's list of authors; no names where that is not certain."""

import re
from collections.abc import Iterable

from citewise.text.person_names import is_name, is_template_name

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
_NO_NAME = re.compile(
    r"\b(?:report|article|paper|review|original|case|study|manuscript|supplementa\w*|information"
    r"|materials?|appendix|preprint|submitted|submission|chapter|dissertation|proposal|running|head"
    r"|keywords?|introduction|from|to|by|an?(?!\.)|is|are|we|our|project|data|analysis|method|model|system"
    r"|software|package|library|guide|manual|notes?|tutorial|how|why|what|technical|annual|journal"
    r"|conference|proceedings|january|february|march|april|june|july|august|september|october"
    r"|november|december|changelog|reference|api|documentation|contents|license|readme|status)\b|@|https?:",
    re.IGNORECASE,
)
"""Words of subtitles and dates, which may look like names: "Original Article", "Case Report"."""


def people(text: str) -> tuple[str, ...]:
    """Return the names in a line that lists authors; empty where anything in it is no name.

    Of several lines all must be names, or else the first.
    """
    if len(text) > LONGEST_LIST:
        return ()

    lines = (" ".join(line.split()) for line in _MARKS.sub(" ", text).split("\n"))
    line = _BY.sub("", _SUFFIXES.sub("", "\n".join(filter(None, lines))), count=1)
    line = _GENERATION.sub(r" \1", line).strip(" ,;.&")
    inverted = ";" in line and all("," in part for part in line.split(";"))
    between = _SEMICOLONS if inverted else _BETWEEN
    names = [" ".join(part.split()) for part in between.split(line) if part and part.strip(" .")]
    if names and all(map(_is_name, names)):
        return named(names)
    first, more, _ = line.partition("\n")
    return people(first) if more else ()


def named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names of a list, cleaned of marks; none where one of them is a
    placeholder, since the list is then a template's.
    """
    cleaned = [" ".join(_MARKS.sub(" ", name[:500]).split()).strip(" ,;*") for name in names]
    known = [name for name in dict.fromkeys(cleaned) if name]
    return () if any(map(is_template_name, known)) else tuple(known[:MOST])


def _is_name(text: str) -> bool:
    """Return whether a text is surely a person's name."""
    return is_name(" ".join(text.replace(",", " ").split())) and not _NO_NAME.search(text)
