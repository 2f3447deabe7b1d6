"""Read LaTeX drafts: title, abstract, authors, citations and the bibliography."""

from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.latex_prose import prose_paragraphs
from citewise.text import tex_source
from citewise.text.latex_front import latex_front

__all__ = ["draft_from_latex", "prose_paragraphs", "read_latex"]


def read_latex(path: Path) -> Draft:
    """Return the draft in a LaTeX file and the files that it includes."""
    return draft_from_latex(tex_source.read_document(path), path.resolve().parent)


def draft_from_latex(text: str, folder: Path | None) -> Draft:
    """Return the draft in a LaTeX text whose included files are in place already.

    `folder` is where the draft's main file is; without it (pasted text) no file is read.
    """
    front = latex_front(text)
    return Draft(front.title, front.abstract, front.cited_keys, front.bibliographies)
