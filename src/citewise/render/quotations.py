"""Format citing sentences as quotations for a terminal."""

from typing import TYPE_CHECKING

from citewise.types import EvidenceSpan, NamedPaper

if TYPE_CHECKING:
    from rich.text import Text

LONGEST = 400
"""Characters of a sentence that are shown."""


def quoted(span: EvidenceSpan) -> "Text":
    """Return a citing sentence, the words it shares with the query in bold, and its papers."""
    from rich.text import Text  # not loaded where no table is written

    text = Text(f"“{span.text}”", "green")
    for start, end in span.words:
        text.stylize("bold", start + 1, end + 1)
    if len(text) > LONGEST:
        text.truncate(LONGEST, overflow="ellipsis")

    papers = "; ".join(map(named, span.citing))
    times = f"; cited {span.support} times for it" if span.support > 1 else ""
    return text.append(f" – {papers}{times}", "dim")


def named(paper: NamedPaper) -> str:
    """Return a citing paper's title and year, or its id where the title is not known."""
    return f"{paper.title or paper.id}{f' ({paper.year})' if paper.year else ''}"
