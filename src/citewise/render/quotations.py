"""Sentences of the literature as a terminal shows them."""

from rich.text import Text

from citewise.types import EvidenceSpan, NamedPaper

LONGEST = 400
"""Characters of a sentence that a person is shown."""


def quoted(span: EvidenceSpan) -> Text:
    """Return a sentence with the words that it shares in bold, and who says so."""
    text = Text(f"“{span.text}”", "green")
    for start, end in span.words:
        text.stylize("bold", start + 1, end + 1)
    if len(text) > LONGEST:
        text.truncate(LONGEST, overflow="ellipsis")
    who = "; ".join(map(named, span.citing))
    return text.append(
        f" – {who}" + (f"; cited {span.support} times for it" if span.support > 1 else ""), "dim"
    )


def named(paper: NamedPaper) -> str:
    """Return a citing paper's title and year, or its id where the title is not known."""
    return f"{paper.title or paper.id}{f' ({paper.year})' if paper.year else ''}"
