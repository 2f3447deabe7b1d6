"""The texts that models read of papers."""

from collections.abc import Sequence

from citewise.protocols import TextForm
from citewise.types import Paper

_PLAIN = TextForm()


def paper_texts(papers: Sequence[Paper], form: TextForm = _PLAIN) -> list[str]:
    """Return the title and the abstract of each paper, as one text in a model's form."""
    return [form.paper(paper.title, paper.abstract) for paper in papers]
