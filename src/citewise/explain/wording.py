"""How papers, words and numbers are written in reasons."""

from collections.abc import Sequence

from citewise.explain.facts import SharedWord
from citewise.types import NamedPaper

Told = tuple[str, tuple[NamedPaper, ...], tuple[str, ...], dict[str, int]]
"""A sentence, the papers and words that it names, and its numbers."""

NAMED = 3
"""Papers or words that a reason names."""

_SHORT = 70


def listed(papers: Sequence[NamedPaper]) -> str:
    """Return papers as a list in a sentence."""
    names = [name_of(paper) for paper in papers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def name_of(paper: NamedPaper) -> str:
    """Return a paper's title, or its id, with its year."""
    return f"{quoted(paper.title.strip() or paper.id)}{f' ({paper.year})' if paper.year else ''}"


def quoted(text: str) -> str:
    """Return a text in quotation marks, a long one cut."""
    whole = " ".join(text.split())
    short = whole if len(whole) <= _SHORT else f"{whole[:_SHORT].rsplit(' ', 1)[0]} …"
    return f"“{short}”"


def counted(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def shared(words: Sequence[SharedWord], papers: int, what: str) -> Told | None:
    """Tell which words a paper shares with something of the author's, rare ones where there are any."""
    telling = [each for each in words if each.telling]
    rare = [each for each in telling if each.papers <= _most_of_rare(papers)]
    shown = (rare or telling or words)[:NAMED]
    if not shown:
        return None
    which = "rare terms" if rare else "terms"
    list_ = ", ".join(f"“{each.word}” (in {counted(each.papers, 'paper')})" for each in shown)
    return (f"Shares {which} with your {what}: {list_}.", (), tuple(each.word for each in shown),
            {each.word: each.papers for each in shown})


def _most_of_rare(papers: int) -> float:
    """Return in how many papers a rare word stands at most: in 1 of 200, in a small library in three."""
    return min(max(papers / 200, 3), papers / 10)
