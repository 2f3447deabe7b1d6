"""Read drafts in Jupyter notebooks, of format 3 to 5."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from citewise.drafts.draft import Draft
from citewise.drafts.latex import draft_from_latex
from citewise.drafts.markdown import draft_from_markdown
from citewise.drafts.metadata import Metadata
from citewise.errors import BadInput
from citewise.text.encoding import with_plain_line_ends

_LATEX = (r"\title", r"\begin{abstract}", r"\documentclass", r"\section", r"\chapter")


class _Cell(msgspec.Struct):
    """A cell; what it printed is not read."""

    cell_type: Any = ""
    source: Any = ""
    level: Any = 1


class _Worksheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []
    worksheets: list[_Worksheet] = []
    """Where format 3 has the cells."""
    metadata: Any = None


def draft_from_notebook(content: str, folder: Path | None, name: str) -> Draft:
    """Return the draft in a notebook: its Markdown, headings and raw cells; messages call it
    `name`.

    LaTeX in raw cells is read as LaTeX, and goes before what the Markdown says.
    """
    notebook = _decoded(content, name)
    metadata = notebook.metadata if isinstance(notebook.metadata, dict) else {}
    names = {"title": "title", "authors": "author", "abstract": "abstract"}
    about = {names[key]: metadata[key] for key in names if metadata.get(key)}
    draft = draft_from_markdown(_joined(notebook, latex=False), folder, Metadata(about))

    source = _joined(notebook, latex=True)
    return _combined(draft_from_latex(source, folder), draft) if source else draft


def notebook_markdown(content: str, name: str) -> str:
    """Return the Markdown of a notebook, LaTeX cells left out."""
    return _joined(_decoded(content, name), latex=False)


def _decoded(content: str, name: str) -> _Notebook:
    try:
        return msgspec.json.decode(content, type=_Notebook)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadInput(f"{name}: not a Jupyter notebook ({str(error)[:100]})") from None


def _joined(notebook: _Notebook, latex: bool) -> str:
    """Return the text of all cells that are LaTeX, or of all others that are no code."""
    cells = [*notebook.cells, *(cell for sheet in notebook.worksheets for cell in sheet.cells)]
    texts = [(cell, _source(cell)) for cell in cells]
    return "\n\n".join(
        with_plain_line_ends(text)
        for cell, text in texts
        if text.strip() and cell.cell_type != "code" and _is_latex(cell, text) == latex
    )


def _source(cell: _Cell) -> str:
    parts = cell.source if isinstance(cell.source, list) else [cell.source]
    text = "".join(part for part in parts if isinstance(part, str))
    level = cell.level if isinstance(cell.level, int) else 1
    return f"{'#' * min(max(level, 1), 6)} {text}" if cell.cell_type == "heading" else text


def _is_latex(cell: _Cell, text: str) -> bool:
    return cell.cell_type == "raw" and any(command in text for command in _LATEX)


def _combined(latex: Draft, markdown: Draft) -> Draft:
    """Return what LaTeX says, and what the Markdown around it says where LaTeX says nothing."""
    written = latex if latex.abstract and not latex.abstract_from else markdown
    abstract = written if written.abstract else latex

    return replace(
        markdown,
        title=latex.title or markdown.title,
        abstract=abstract.abstract,
        abstract_from=abstract.abstract_from,
        cited_keys=tuple(dict.fromkeys([*latex.cited_keys, *markdown.cited_keys])),
        bibliographies=tuple(dict.fromkeys([*latex.bibliographies, *markdown.bibliographies])),
        authors=latex.authors or markdown.authors,
        references=(*latex.references, *markdown.references),
        lost=tuple(dict.fromkeys([*latex.lost, *markdown.lost])),
    )
