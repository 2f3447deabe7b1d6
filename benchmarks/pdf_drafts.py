"""What is read from PDFs: real titles, authors, abstracts and texts in five layouts, and drafts as
their authors would compile them.

    python benchmarks/pdf_drafts.py --folder /tmp/pdfs [--every 9]    (some minutes)

- **layouts**: title, authors, abstract and text of some drafts of `../shared/data/drafts` are
  printed in the layouts of `tests/typesetting.py`, with twenty papers of the sample library as
  references; drafts in scripts that pdfLaTeX's fonts lack are printed as web pages only.
- **compiled**: the LaTeX drafts whose class is installed here (publishers' are not), with empty
  packages instead of missing ones; those are counted whose title is printed larger than the text.
"""

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citewise.api import Library
from citewise.drafts.draft import Draft
from citewise.drafts.reading import paragraphs_of, read_draft
from citewise.errors import CitewiseError
from citewise.ingest import read
from citewise.ingest.report import Report
from citewise.memory import MemoryStores
from citewise.types import CitingSentence, Paper
from drafts import DRAFTS, SAME_TITLE, is_abstract, is_near, is_same, is_same_people, normalised
from measuring import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))

from typesetting import LAYOUTS, Manuscript, typeset

SAMPLE = ROOT / "src" / "citewise" / "sample" / "papers.jsonl"
REFERENCES = 20
PARAGRAPHS = 24
ROUNDS = 15
"""Missing files of one draft that are replaced."""

CLASSES = ("article", "report", "book", "amsart", "scrartcl", "scrreprt")
MISSING = re.compile(r"File `([^']+)' not found")
MARK = re.compile(
    r"~?\\[a-zA-Z]*cite[a-zA-Z]*\*?(?:\[[^]]*\])*\{[^}]*\}|\[[^\]]{0,40}@[^\]]*\]|\[\d[\d,;–\s-]*\]"
)

Row = dict[str, Any]


def sample_papers() -> list[Paper]:
    """Return the papers of the sample that a printed reference can name."""
    found = (paper for paper, _ in read([SAMPLE], Report()) if isinstance(paper, Paper))
    return [paper for paper in found if paper.authors and paper.year and paper.title]


def manuscript_of(row: Row, number: int, sample: list[Paper]) -> Manuscript:
    """Return a draft as what is to be printed, with references to papers of the sample."""
    draft = read_draft(DRAFTS / row["main"])
    start = number * 7 % (len(sample) - REFERENCES)
    marks = itertools.cycle(range(1, REFERENCES + 1))
    texts = (" ".join(MARK.sub("", text).split()) for text in paragraphs_of(DRAFTS / row["main"]))
    long = [text for text in texts if len(text.split()) > 12 and not re.search(r"[\\{}$_^]", text)]
    prose = [f"{text.rstrip('.')} {{{next(marks)}}}." for text in long[:PARAGRAPHS]]
    names = ("Introduction", "Related work", "Methods", "Results", "Discussion")
    size = -(-len(prose) // len(names)) or 1
    sections = [(name, tuple(prose[at * size : (at + 1) * size])) for at, name in enumerate(names)]
    return Manuscript(
        title=draft.title,
        authors=draft.authors[:8],
        abstract=draft.abstract,
        sections=tuple(part for part in sections if part[1]),
        references=tuple(sample[start : start + REFERENCES]),
    )


def printed(manuscript: Manuscript, library: Library, file: Path) -> Row:
    """Return what is right about a printed manuscript."""
    start = time.perf_counter()
    draft = _draft(file)
    seconds = time.perf_counter() - start
    rows = [library.stores.papers.find_same(each) for each in draft.references]
    found = {library.stores.papers.read([row])[0].id for row in rows if row >= 0}
    sentences = [
        record
        for record, _ in read([file], Report())
        if isinstance(record, CitingSentence) and any(group.cited for group in record.groups)
    ]
    cited = sum(len(texts) for _, texts in manuscript.sections)
    true = {paper.id for paper in manuscript.references}
    return {
        "title": is_same(manuscript.title, draft.title, SAME_TITLE),
        "abstract": is_same(manuscript.abstract, draft.abstract, 0.95)
        if len(manuscript.abstract.split()) > 15
        else None,
        "authors": is_same_people(manuscript.authors, draft.authors)
        if manuscript.authors
        else None,
        "wrong authors": bool(draft.authors)
        and not is_same_people(manuscript.authors, draft.authors),
        "entries": len(draft.references) == len(manuscript.references),
        "found": [len(found & true), len(true)],
        "wrongly found": len(found - true),
        "sentences": [min(len(sentences), cited), cited],
        "seconds": round(seconds, 2),
        "read": {
            "title": draft.title,
            "authors": list(draft.authors),
            "abstract": draft.abstract[:60],
        },
    }


def _draft(file: Path) -> Draft:
    try:
        return read_draft(file)
    except CitewiseError:
        return Draft()


def layouts(index: list[Row], folder: Path) -> Row:
    """Return what is right about the drafts in every layout."""
    sample = sample_papers()
    library = Library(MemoryStores.of(sample))
    results: dict[str, dict[str, Row]] = {layout: {} for layout in LAYOUTS}
    for number, row in enumerate(index):
        manuscript = manuscript_of(row, number, sample)
        for layout in LAYOUTS:
            place = folder / "layouts" / layout.replace(" ", "-") / row["name"]
            file = place / "main.pdf"
            made = file if file.exists() else typeset(manuscript, layout, place)
            if made and (layout == "web page" or _is_complete(manuscript, place)):
                results[layout][row["name"]] = printed(manuscript, library, made)
    return {layout: _totals(rows) for layout, rows in results.items()}


def _is_complete(manuscript: Manuscript, place: Path) -> bool:
    """Return whether pdfLaTeX has printed all letters."""
    log = (place / "main.log").read_text(errors="replace")
    return "Missing character" not in log and "Unicode character" not in log


def _totals(rows: dict[str, Row]) -> Row:
    parts = ("title", "abstract", "authors", "entries")
    known = {part: [row[part] for row in rows.values() if row[part] is not None] for part in parts}
    return {
        "printed": len(rows),
        "right": {part: [sum(values), len(values)] for part, values in known.items()},
        "wrong authors": sum(row["wrong authors"] for row in rows.values()),
        "references found": [sum(row["found"][at] for row in rows.values()) for at in (0, 1)],
        "wrongly found": sum(row["wrongly found"] for row in rows.values()),
        "citing sentences": [sum(row["sentences"][at] for row in rows.values()) for at in (0, 1)],
        "seconds": round(sum(row["seconds"] for row in rows.values()) / max(1, len(rows)), 2),
        "misses": {
            part: {name: row["read"] for name, row in rows.items() if row[part] is False}
            for part in parts
        },
    }


def compiled(row: Row, folder: Path) -> Path:
    """Return where the PDF of a draft is, if it could be made."""
    return folder / "compiled" / f"{row['name']}.pdf"


def compile_draft(row: Row, folder: Path) -> None:
    """Make the PDF of a draft, unless it is there."""
    target = compiled(row, folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        work = folder / "build" / row["name"]
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(DRAFTS / row["name"], work)
        made = _compile(work / Path(row["main"]).relative_to(row["name"]))
        if made:
            shutil.copy(made, target)


def _compile(main: Path) -> Path | None:
    """Compile a document; missing packages are replaced one after the other."""
    for _ in range(ROUNDS):
        said = _run(["pdflatex", "-interaction=nonstopmode", main.name], main.parent)
        missing = MISSING.search(said)
        if not missing or not _replaced(missing[1], main.parent):
            break

    if not main.with_suffix(".bbl").exists():
        _run(["bibtex", main.stem], main.parent)
    _run(["pdflatex", "-interaction=nonstopmode", main.name], main.parent)
    made = main.with_suffix(".pdf")
    return made if made.exists() else None


def _replaced(name: str, folder: Path) -> bool:
    """Write an empty package in the place of a missing one; return whether it is one."""
    if not name.endswith(".sty") or (folder / name).exists():
        return False
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\\endinput\n")
    return True


def _run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "max_print_line": "1000"}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=30, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode(errors="replace")


def measured(row: Row, file: Path) -> Row:
    """Return what is right about a compiled draft."""
    draft = _draft(file)
    listed = len(read_draft(DRAFTS / row["main"]).references)
    return {
        "title": is_same(row["title"], draft.title, SAME_TITLE),
        "abstract": is_abstract(row["abstract"], draft) if row["abstract"] else None,
        "authors": is_same_people(row["authors"], draft.authors) if row["authors"] else None,
        "wrong authors": bool(draft.authors) and not is_same_people(row["authors"], draft.authors),
        "entries": is_near(listed, len(draft.references)) if listed else None,
        "read": {
            "title": draft.title,
            "authors": list(draft.authors),
            "abstract": draft.abstract[:60],
            "references": [len(draft.references), listed],
        },
    }


def printed_large(files: dict[str, Path], index: list[Row]) -> Iterator[tuple[Row, Path]]:
    """Yield the drafts whose whole title is printed in type larger than the text."""
    from citewise.pdf.layout import body_size
    from citewise.pdf.pages import read_pages

    for row in index:
        if row["name"] in files:
            pages = read_pages(files[row["name"]].read_bytes(), row["name"])
            lines = [line for page in pages.read for line in page.lines]
            body = body_size(lines)
            large = "".join(line.text for line in lines if line.size > 1.05 * body)
            if normalised(row["title"])[:30] in normalised(large):
                yield row, files[row["name"]]


def main() -> None:
    """Print and compile, read the PDFs, and write the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="where PDFs are made and kept")
    parser.add_argument("--every", type=int, default=3, help="print every third draft, or so")
    parser.add_argument("--made-only", action="store_true", help="compile no further drafts")
    arguments = parser.parse_args()
    folder = arguments.folder
    index = [*map(json.loads, (DRAFTS / "index.jsonl").read_text().splitlines())]

    latex = [row for row in index if row["kind"] == "latex" and row["class"].split()[0] in CLASSES]
    if not arguments.made_only:
        for row in latex:
            compile_draft(row, folder)
    made = {row["name"]: file for row in latex if (file := compiled(row, folder)).exists()}
    rows = {row["name"]: measured(row, file) for row, file in printed_large(made, latex)}
    parts = ("title", "abstract", "authors", "entries")
    known = {part: [row[part] for row in rows.values() if row[part] is not None] for part in parts}
    save(
        "pdf_drafts",
        {
            "layouts": layouts(index[:: arguments.every], folder),
            "compiled": {
                "drafts": len(latex),
                "with a PDF": len(made),
                "title printed": len(rows),
                "right": {part: [sum(values), len(values)] for part, values in known.items()},
                "wrong authors": sum(row["wrong authors"] for row in rows.values()),
                "misses": {
                    part: {name: row["read"] for name, row in rows.items() if row[part] is False}
                    for part in parts
                },
            },
        },
    )


if __name__ == "__main__":
    main()
