"""The texts that models read of papers."""

from collections.abc import Sequence

from citewise.types import Paper


def paper_texts(papers: Sequence[Paper]) -> list[str]:
    """Return the title and the abstract of each paper, as one text."""
    return [f"{paper.title} {paper.abstract}".strip() for paper in papers]
