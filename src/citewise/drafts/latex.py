"""Read LaTeX drafts: title, abstract, authors, citations and the bibliography."""

from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.latex_bibliography import listed_by
from citewise.drafts.latex_prose import prose_paragraphs, stand_in
from citewise.drafts.prose import count_words
from citewise.text import tex_source
from citewise.text.encoding import with_plain_line_ends
from citewise.text.latex_front import LatexFront, latex_front

__all__ = ["draft_from_latex", "prose_paragraphs", "read_latex"]

SHORT_ABSTRACT = 30
"""Words; a shorter abstract, often a template's, is completed by the introduction."""

SHORT_TEXT = 20
"""Words; a shorter text beside a title, often what is left of layout, is no abstract."""


def read_latex(path: Path) -> Draft:
    """Return the draft in a LaTeX file and the files that it includes."""
    source = tex_source.read_source(path)
    return _draft(source.text, source.folders, path.stem, source.lost)


def draft_from_latex(text: str, folder: Path | None) -> Draft:
    """Return the draft in a LaTeX text whose included files are in place already.

    `folder` is where the draft's main file is; without it (pasted text) no file is read.
    """
    plain = tex_source.without_comments(with_plain_line_ends(text))
    return _draft(plain, (folder.resolve(),) if folder else (), "", ())


def _draft(text: str, folders: tuple[Path, ...], stem: str, lost: tuple[str, ...]) -> Draft:
    """Return the draft in a text without comments; `lost` is what could not be included."""
    front = latex_front(text)
    listed = listed_by(front, text, folders, stem)
    abstract, abstract_from = _abstract(front, text)
    if front.had_placeholder and not front.abstract:
        lost = (*lost, "the abstract is a placeholder")

    return Draft(
        title=front.title,
        abstract=abstract,
        cited_keys=front.cited_keys,
        bibliographies=listed.bibliographies,
        authors=front.authors,
        abstract_from=abstract_from,
        references=listed.references,
        lost=(*lost, *listed.lost),
    )


def _abstract(front: LatexFront, text: str) -> tuple[str, str]:
    """Return the abstract, and what stands in for it, or completes one of few words."""
    words = len(front.abstract.split())
    if words >= SHORT_ABSTRACT or len(front.abstract) >= 10 * SHORT_ABSTRACT:
        return front.abstract, ""

    replacement, name = stand_in(text)
    if front.title and count_words(replacement) < SHORT_TEXT:
        replacement, name = "", ""
    if not front.abstract:
        return replacement, name
    if len(replacement.split()) < SHORT_ABSTRACT:
        return front.abstract, ""
    return f"{front.abstract} {replacement}", f"an abstract of {words} words and {name}"
