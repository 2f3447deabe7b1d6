"""What is read from PDFs of real drafts: titles, abstracts, authors, lists of references.

    python benchmarks/pdf_drafts.py --folder /tmp/pdfs    (some minutes; writes results/pdf_drafts.json)

The LaTeX drafts of `../shared/data/drafts` are compiled here with pdfLaTeX; what is true of each is
in their `index.jsonl`. Publishers' classes and many packages are not installed: a missing package is
replaced by an empty one, a missing class by `article` (in two columns where it has two), so that
pages look less like a publisher's than like a preprint's, and some macros print what they should
not. Drafts that do not compile even so are counted and left out.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from citewise.drafts.draft import Draft
from citewise.drafts.reading import read_draft
from citewise.errors import CitewiseError
from drafts import DRAFTS, SAME_TITLE, is_abstract, is_near, is_same, is_same_people, totals
from measuring import save

ROUNDS = 40
"""Missing files of one draft that are replaced."""

TWO_COLUMNS = ("IEEEtran", "ieeeconf", "revtex4-2", "revtex4-1", "acmart", "aastex7", "mnras")
MISSING = re.compile(r"File `([^']+)' not found")
CLASS = r"""
\ProvidesClass{%(name)s}
\LoadClass[%(columns)s]{article}
\RequirePackage{natbib,amsmath,amssymb,graphicx,hyperref,xcolor}
\newcommand\affiliation[1]{}\newcommand\email[1]{}\newcommand\orcid[1]{}
\newcommand\keywords[1]{\par Keywords: #1\par}
"""


def compiled(row: dict[str, Any], folder: Path) -> Path | None:
    """Return the PDF of a draft, None where it cannot be made."""
    target = folder / f"{row['name']}.pdf"
    if not target.exists():
        work = folder / "build" / row["name"]
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(DRAFTS / row["name"], work)
        main = work / Path(row["main"]).relative_to(row["name"])
        made = _compile(main)
        if made:
            shutil.copy(made, target)
    return target if target.exists() else None


def _compile(main: Path) -> Path | None:
    """Compile a document; missing packages and classes are replaced one after the other."""
    for _ in range(ROUNDS):
        said = _run(["pdflatex", "-interaction=nonstopmode", main.name], main.parent)
        missing = MISSING.search(said)
        if not missing or not _replaced(missing[1], main.parent):
            break

    if not [*main.parent.glob(f"{main.stem}.bbl")]:
        _run(["bibtex", main.stem], main.parent)
    for _ in range(2):
        _run(["pdflatex", "-interaction=nonstopmode", main.name], main.parent)
    made = main.with_suffix(".pdf")
    return made if made.exists() else None


def _replaced(name: str, folder: Path) -> bool:
    """Write a stand-in for a missing file; return whether there is one for its kind."""
    stem, suffix = os.path.splitext(name)
    if suffix not in (".cls", ".sty") or (folder / name).exists():
        return False
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    columns = "twocolumn" if stem in TWO_COLUMNS else "onecolumn"
    content = CLASS % {"name": stem, "columns": columns} if suffix == ".cls" else "\\endinput\n"
    (folder / name).write_text(content)
    return True


def _run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "max_print_line": "1000"}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=60, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode(errors="replace")


def measured(row: dict[str, Any], file: Path) -> dict[str, Any]:
    """Return what is right about a draft: True, False, or None where there is nothing to find."""
    start = time.perf_counter()
    try:
        draft, refused = read_draft(file), ""
    except CitewiseError as error:
        draft, refused = Draft(), str(error).replace(str(file.parent), "")

    listed = len(read_draft(DRAFTS / row["main"]).references) or row["cited"]
    return {
        "title": is_same(row["title"], draft.title, SAME_TITLE),
        "abstract": is_abstract(row["abstract"], draft) if row["abstract"] else None,
        "authors": is_same_people(row["authors"], draft.authors) if row["authors"] else None,
        "wrong authors": bool(draft.authors) and not is_same_people(row["authors"], draft.authors),
        "cited": is_near(listed, len(draft.references)) if listed else None,
        "read": not refused,
        "refused": refused,
        "found": {
            "title": draft.title,
            "authors": list(draft.authors),
            "abstract": draft.abstract[:80],
            "instead of an abstract": draft.abstract_from,
            "references": [len(draft.references), listed],
        },
        "seconds": round(time.perf_counter() - start, 2),
    }


def main() -> None:
    """Compile every LaTeX draft, read the PDFs, and write the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="where PDFs are made and kept")
    parser.add_argument("--compile-only", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)

    lines = (DRAFTS / "index.jsonl").read_text().splitlines()
    index = [row for row in map(json.loads, lines) if row["kind"] == "latex"]
    files = {row["name"]: compiled(row, arguments.folder) for row in index}
    if arguments.compile_only:
        return

    rows = {row["name"]: measured(row, file) for row in index if (file := files[row["name"]])}
    parts = ("title", "abstract", "authors", "cited")
    save(
        "pdf_drafts",
        {
            "drafts": len(index),
            "compiled": len(rows),
            "right": totals(rows.values()),
            "wrong authors": sum(row["wrong authors"] for row in rows.values()),
            "misses": {
                part: [name for name, row in rows.items() if row[part] is False] for part in parts
            },
            "seconds": round(sum(row["seconds"] for row in rows.values()), 1),
            "each": rows,
        },
    )


if __name__ == "__main__":
    main()
