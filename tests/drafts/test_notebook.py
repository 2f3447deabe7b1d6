"""Notebooks of format 3 to 5 are drafts: Markdown, headings, LaTeX in raw cells, and no code."""

import json
from pathlib import Path
from typing import Any

import pytest

from citewise.drafts.draft import Draft
from citewise.drafts.reading import draft_of, kind_of, paragraphs_of, read_draft
from citewise.errors import BadInput

CODE = {"cell_type": "code", "source": "# not a title\n", "outputs": [{"data": "x" * 1000}]}


def cell(text: str, kind: str = "markdown", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), **more}


def notebook(*cells: dict[str, Any], **metadata: Any) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def test_markdown_cells_are_one_draft(tmp_path: Path) -> None:
    content = notebook(
        CODE, cell("# On bees\n\nAda Lowe"), cell("## Abstract\nThey dance [@frisch].\n"),
        cell("## Introduction\n\nSee <cite data-cite='roe'>(Roe)</cite>."),
    )  # fmt: skip
    (tmp_path / "paper.ipynb").write_text(content)
    assert read_draft(tmp_path / "paper.ipynb") == Draft(
        "On bees", "They dance.", ("frisch", "roe"), authors=("Ada Lowe",)
    )
    assert paragraphs_of(tmp_path / "paper.ipynb") == [
        "Ada Lowe",
        "They dance [@frisch].",
        "See <cite data-cite='roe'>(Roe)</cite>.",
    ]
    assert kind_of(content) == "ipynb"


def test_format_3_has_worksheets_and_headings() -> None:
    old = {"worksheets": [{"cells": [cell("Bees dance", "heading", level=1), cell("They do.")]}]}
    draft = draft_of(json.dumps({"metadata": {"name": ""}, "nbformat": 3, **old}))
    assert (draft.title, draft.abstract) == ("Bees dance", "They do.")


def test_latex_in_raw_cells() -> None:
    raw = "\\title{Bees in \\LaTeX}\n\\begin{abstract}They \\emph{dance} \\cite{a}.\\end{abstract}"
    draft = draft_of(notebook(cell(raw, "raw"), cell("# Introduction\n\nSee [@b].")))
    assert draft.title.startswith("Bees in")
    assert (draft.abstract, draft.abstract_from) == ("They dance.", "")
    assert draft.cited_keys == ("a", "b")


def test_metadata_and_front_matter() -> None:
    draft = draft_of(notebook(cell("Bees."), title="From metadata", authors=[{"name": "Ada Lowe"}]))
    assert (draft.title, draft.authors) == ("From metadata", ("Ada Lowe",))
    quarto = draft_of(
        notebook(cell("---\ntitle: Own\nauthor: Ann Poe\n---\n", "raw"), cell("Bees."))
    )
    assert (quarto.title, quarto.authors) == ("Own", ("Ann Poe",))


def test_a_notebook_without_a_title_is_its_text() -> None:
    draft = draft_of(notebook(cell("# Introduction\n\nBees dance."), CODE))
    assert (draft.title, draft.abstract) == ("", "Bees dance.")
    assert draft.abstract_from == "the introduction"


@pytest.mark.parametrize(
    "content",
    [
        '{"cells": 5}',
        '{"cells": [',
        '{"cells": [' + "[" * 100_000,
        '{"metadata": ' + '{"a": ' * 100_000,
        "[1, 2]",
        "",
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.ipynb").write_text(content)
    with pytest.raises(BadInput, match="not a Jupyter notebook"):
        read_draft(tmp_path / "a.ipynb")


def test_odd_cells_are_survived() -> None:
    odd: list[dict[str, Any]] = [
        {"cell_type": None},
        {"source": 5},
        {"cell_type": "markdown", "source": [None, "Bees."]},
        {"cell_type": "heading", "level": "x", "source": "Dance of the bees"},
    ]
    assert draft_of(notebook(*odd)).title == "Dance of the bees"


def test_a_huge_notebook_is_read_without_what_it_printed() -> None:
    printed = {"cell_type": "code", "source": "", "outputs": [{"data": ["y" * 1000] * 5_000}]}
    assert draft_of(notebook(cell("# Bees dance well\n\nYes."), printed)).abstract == "Yes."
