"""How papers, words and numbers are written in reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citewise.explain.facts import SharedWord
from citewise.types import NamedPaper

NAMED = 3
"""At most this many papers or words are named in a reason."""

_SHORT = 70


@dataclass(frozen=True, slots=True)
class Wording:
    """A reason's sentence, with the papers, words and numbers that it names."""

    sentence: str
    papers: tuple[NamedPaper, ...] = ()
    words: tuple[str, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)


def listed(papers: Sequence[NamedPaper]) -> str:
    """Return papers as an enumeration: "a", "a and b", "a, b and c"."""
    names = [name_of(paper) for paper in papers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def and_others(count: int) -> str:
    """Return " and 2 others" for 5 papers of which three are named; "" where all are."""
    return f" and {counted(count - NAMED, 'other')}" if count > NAMED else ""


def name_of(paper: NamedPaper) -> str:
    """Return a paper's title, or its id, with its year."""
    year = f" ({paper.year})" if paper.year else ""
    return f"{quoted(paper.title.strip() or paper.id)}{year}"


def quoted(text: str) -> str:
    """Return a text in quotation marks, a long one cut."""
    whole = " ".join(text.split())
    short = whole if len(whole) <= _SHORT else f"{whole[:_SHORT].rsplit(' ', 1)[0]} …"
    return f"“{short}”"


def counted(number: int, what: str) -> str:
    """Return a number of things: "1 paper", "2 papers"."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def shared_words(words: Sequence[SharedWord], papers: int, what: str) -> Wording | None:
    """Return a reason that names words shared with the author's text, rare ones if there are any;
    None where none is shared.
    """
    telling = [each for each in words if each.telling]
    rare = [each for each in telling if each.papers <= _rare_limit(papers)]
    shown = (rare or telling or words)[:NAMED]
    if not shown:
        return None

    which = "rare terms" if rare else "terms"
    terms = ", ".join(f"“{each.word}” (in {counted(each.papers, 'paper')})" for each in shown)
    return Wording(
        f"Shares {which} with your {what}: {terms}.",
        words=tuple(each.word for each in shown),
        numbers={each.word: each.papers for each in shown},
    )


def _rare_limit(papers: int) -> float:
    """Return the most papers that a rare word is in: 1 of 200, in a small library three."""
    return min(max(papers / 200, 3), papers / 10)
