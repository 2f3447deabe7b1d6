"""A person's name in the parts that bibliographies print and sort by."""

import re
from dataclasses import dataclass

_SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv"))
_CORPORATE = re.compile(
    r"\b(?:collaboration|consortium|team|group|organi[sz]ation|universit\w+|institut\w*|committee|association|society"
    r"|foundation|project|network|ministry|department|cent(?:er|re)|council|agency|commission|developers|community"
    r"|laborator\w+|company|corporation|inc|ltd|gmbh|program(?:me)?|initiative|alliance|bureau|office|academy)\b\.?"
    r"|^the\s|[&/]|\d",
    re.IGNORECASE,
)
_FAMILY_FIRST = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Chinese, Japanese and Korean letters: names in them are left whole, for their order cannot be
told.
"""


@dataclass(frozen=True, slots=True)
class Name:
    """A person's parts, particles ("van") with the family name; a `whole` name (an organisation's)
    is all family.
    """

    family: str
    given: str = ""
    suffix: str = ""
    whole: bool = False


def parsed(name: str) -> Name:
    """Return the parts of "Given van Family Jr", of "van Family, Given" or of an organisation's
    name.
    """
    name = " ".join(name.split())
    parts = [part.strip() for part in name.split(",")]
    if _is_whole(name) or len(parts) > 3 or not all(parts):
        return Name(name, whole=True)
    if len(parts) > 1:
        return _inverted(parts)
    words = name.split(" ")
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in _SUFFIXES else ""
    at = _family_start(words)
    return Name(" ".join(words[at:]), " ".join(words[:at]), suffix)


def _is_whole(name: str) -> bool:
    reserved = not {"and", "others"}.isdisjoint(name.lower().split(" "))
    return reserved or bool(_CORPORATE.search(name) or _FAMILY_FIRST.search(name))


def _inverted(parts: list[str]) -> Name:
    if len(parts) == 3 and parts[1].lower() in _SUFFIXES:
        return Name(parts[0], parts[2], parts[1])
    if len(parts) == 2 and parts[1].lower() in _SUFFIXES:
        whole = parsed(parts[0])
        return Name(whole.family, whole.given, parts[1])
    return Name(parts[0], parts[1], parts[2] if len(parts) == 3 else "")


def _family_start(words: list[str]) -> int:
    """Return where the family name begins: at the first particle after the first word, else at the
    last word.
    """
    if len(words) == 2 and words[0].islower() and not words[1][:1].islower():
        return 0
    particles = (at for at in range(1, len(words) - 1) if words[at][0].islower())
    return next(particles, len(words) - 1)
