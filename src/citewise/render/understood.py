"""Say in words what was read from a draft."""

from collections.abc import Sequence

from citewise.types import Understanding

MOST_NAMES = 5
"""Works, keys and authors that are named; the rest is counted."""

LONGEST = 120
"""Characters of one name."""


def understood(read: Understanding) -> list[str]:
    """Return sentences for the draft's author: what was read, then what was lost or left out."""
    parts = [
        "title" if read.title else "no title",
        _abstract(read),
        _citations(read),
        f"authors: {_named(read.authors)}" if read.authors else "no authors",
    ]
    return [f"Read: {', '.join(parts)}.", *remarks(read)]


def remarks(read: Understanding) -> list[str]:
    """Return a sentence for each thing that the author of a draft should know about its reading."""
    count = len(read.without_entry)
    keys = "1 key has" if count == 1 else f"{count} keys have"
    found = [f"{keys} no entry in a bibliography: {_named(read.without_entry)}."] if count else []
    found += [f"Not read: {_shown(each)}." for each in read.lost[:MOST_NAMES]]
    if len(read.lost) > MOST_NAMES:
        found.append(f"Not read: {len(read.lost) - MOST_NAMES} more.")
    found += [f"Note: {_shown(each)}." for each in read.notes]
    found += [
        f"Left out: “{_shown(paper.title)}” ({paper.id}) has your draft's title."
        for paper in read.left_out[:MOST_NAMES]
    ]
    return found


def _abstract(read: Understanding) -> str:
    if not read.abstract_words:
        return "no abstract"
    if read.abstract_from.startswith("an abstract"):
        return f"{read.abstract_from} ({read.abstract_words} words in all)"
    if read.abstract_from:
        return f"no abstract; in its place {read.abstract_from} ({read.abstract_words} words)"
    return f"{read.abstract_words} words of abstract"


def _citations(read: Understanding) -> str:
    if not read.citations:
        return "no citations"
    number = f"{read.in_library} of {read.citations} citations"
    missing = len(read.not_in_library)
    if not missing:
        return number
    return f"{number} ({missing} not in your library: {_named(read.not_in_library, '; ')})"


def _named(names: Sequence[str], between: str = ", ") -> str:
    """Return the first names, and how many more there are."""
    shown = between.join(_shown(name) for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _shown(text: str) -> str:
    """Return a text from a file as it can be shown: printable, and not too long."""
    line = "".join(character if character.isprintable() else " " for character in text)
    return line[:LONGEST] + ("…" if len(line) > LONGEST else "")
