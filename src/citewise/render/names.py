"""Split a person's name into the parts that bibliographies print and sort by."""

import re
from dataclasses import dataclass

_SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv"))
_CORPORATE = re.compile(
    r"\b(?:collaboration|consortium|team|group|organi[sz]ation|universit\w+|institut\w*"
    r"|committee|association|society|foundation|project|network|ministry|department"
    r"|cent(?:er|re)|council|agency|commission|developers|community|laborator\w+|company"
    r"|corporation|inc|ltd|gmbh|program(?:me)?|initiative|alliance|bureau|office|academy)\b\.?"
    r"|^the\s|[&/]|\d",
    re.IGNORECASE,
)

# Chinese, Japanese and Korean characters. Names in them are not split: which part is the family
# name is not known.
_FAMILY_FIRST = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Name:
    """The parts of a person's name; particles ("van") belong to the family name.

    A `whole` name, such as an organisation's, is not split: all of it is `family`.
    """

    family: str
    given: str = ""
    suffix: str = ""
    whole: bool = False


def parsed(name: str) -> Name:
    """Return the parts of "Given van Family Jr", "van Family, Given" or an organisation's name."""
    name = " ".join(name.split())
    parts = [part.strip() for part in name.split(",")]
    if _is_whole(name) or len(parts) > 3 or not all(parts):
        return Name(name, whole=True)
    if len(parts) > 1:
        return _inverted(parts)

    words = name.split(" ")
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in _SUFFIXES else ""
    start = _family_start(words)
    return Name(" ".join(words[start:]), " ".join(words[:start]), suffix)


def given_first(name: str) -> str:
    """Return a name as people say it: "Yelong Shen" for "Shen, Yelong"."""
    parts = parsed(name)
    return " ".join(part for part in (parts.given, parts.family, parts.suffix) if part)


def initials(given: str) -> str:
    """Return the initials of given names: "J.-P. M." for "Jean-Paul Marie"."""
    return " ".join(
        "-".join(f"{part[0]}." for part in word.split("-") if part) for word in given.split()
    )


def _is_whole(name: str) -> bool:
    """Return whether a name is not to be split: an organisation's, or one of unknown order."""
    reserved = not {"and", "others"}.isdisjoint(name.lower().split(" "))
    return reserved or bool(_CORPORATE.search(name) or _FAMILY_FIRST.search(name))


def _inverted(parts: list[str]) -> Name:
    """Return the name of [family, given], [family, suffix, given] or [full name, suffix]."""
    if len(parts) == 3 and parts[1].lower() in _SUFFIXES:
        return Name(parts[0], parts[2], parts[1])
    if len(parts) == 2 and parts[1].lower() in _SUFFIXES:
        whole = parsed(parts[0])
        return Name(whole.family, whole.given, parts[1])
    return Name(parts[0], parts[1], parts[2] if len(parts) == 3 else "")


def _family_start(words: list[str]) -> int:
    """Return the index of the family name's first word.

    That is the first particle ("van") after the first word, else the last word.
    """
    if len(words) == 2 and words[0].islower() and not words[1][:1].islower():
        return 0
    particles = (index for index in range(1, len(words) - 1) if words[index][0].islower())
    return next(particles, len(words) - 1)
