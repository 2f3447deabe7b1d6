"""Bibliographies read and written back: fields compared with those that pybtex finds, and the
result compiled by pdfLaTeX with BibTeX and with biber.

    python benchmarks/roundtrip.py      (some minutes; needs pdflatex, bibtex and biber)
    python benchmarks/roundtrip.py --verbose     prints every field that differs
"""

import json
import re
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

import pybtex.errors
from pybtex.database import BibliographyData, Entry, Person
from pybtex.database.input.bibtex import Parser
from pylatexenc.latex2text import LatexNodes2Text

from citewise import ingest
from citewise.ingest.report import Report
from citewise.render.bibtex import bibtex
from citewise.render.citation_keys import citation_keys, own_key
from citewise.text.encoding import text_of
from citewise.types import Paper
from measuring import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))

from compiling import entries_set, errors_of

BIBLIOGRAPHIES = ROOT.parent / "shared" / "data" / "bibliographies"
GROUP = 50
"""Entries that biber is given at once; with more it often crashes (see `compiling.ATTEMPTS`)."""

RESOLVED = ("crossref", "xdata")
"""Fields that are left out because what they refer to has been filled in."""

_TEXT = LatexNodes2Text(math_mode="text")
_SPACE = re.compile(r"\s+")
_DASHES = re.compile(r"[-‐-―−]+")
_SPECIAL = re.compile(r"(?<!\\)[%&#]")
_COMMAND = re.compile(r"\\(?:url|_|%|&|#|\s)|[{}$\\~]")


def papers_of(path: Path, report: Report) -> list[Paper]:
    """Return the papers of a file, as the library gets them."""
    return [record for record, _ in ingest.read([path], report) if isinstance(record, Paper)]


def parsed(text: str) -> BibliographyData:
    """Return what pybtex reads; its complaints about real files are not ours."""
    with pybtex.errors.capture():
        return Parser(encoding="utf-8").parse_string(text)


def normal(value: str) -> str:
    """Return a field as text, by pylatexenc, without what LaTeX may spell in several ways."""
    try:
        value = _TEXT.latex_to_text(_SPECIAL.sub(r"\\\g<0>", value))
    except Exception:
        value = _COMMAND.sub("", value)
    value = unicodedata.normalize("NFKC", _COMMAND.sub("", value))
    return _SPACE.sub("", _DASHES.sub("-", value)).strip()


def people(persons: list[Person]) -> str:
    """Return the names of a role, part by part."""
    return ";".join(
        "|".join(
            normal(" ".join(part))
            for part in (
                person.first_names + person.middle_names,
                person.prelast_names + person.last_names,
                person.lineage_names,
            )
        )
        for person in persons
    )


def fields(entry: Entry) -> dict[str, str]:
    """Return the fields that are not empty, normalised, names of people included."""
    found = {name.lower(): normal(value) for name, value in entry.fields.items()}
    found |= {role.lower(): people(persons) for role, persons in entry.persons.items()}
    return {
        name: value for name, value in found.items() if value.strip("|; ") and name not in RESOLVED
    }


def compared(path: Path, counts: Counter[str], differences: Counter[str]) -> None:
    """Count the fields of a file that come back the same, changed or not at all."""
    papers = papers_of(path, Report())
    pairs = [*zip(papers, citation_keys(papers), strict=True)]
    keys = {own_key(paper): key for paper, key in reversed(pairs)}  # of the same key, the first
    before, after = parsed(text_of(path.read_bytes())), parsed(bibtex(papers))
    for key, entry in before.entries.items():
        counts["entries"] += 1
        own = keys.get(key)
        if own is None or own not in after.entries:
            counts["entries without a counterpart"] += 1
            continue
        counts["keys kept"] += own == key
        counts["types kept"] += entry.type.lower() == after.entries[own].type.lower()

        found = fields(after.entries[own])
        for name, value in fields(entry).items():
            state = "same" if found.get(name) == value else "changed" if name in found else "lost"
            counts[f"fields {state}"] += 1
            if state != "same":
                differences[f"{name} {state}"] += 1
                if "--verbose" in sys.argv:
                    print(path.name, key, name, state, value[:150], found.get(name, "")[:150])


def compiled(bibliographies: list[list[Paper]], backend: str) -> dict:
    """Return how many entries get into the documents, and what errors there are."""
    papers, printed, errors = 0, 0, list[str]()
    for bibliography in filter(None, bibliographies):
        with tempfile.TemporaryDirectory() as folder:
            errors += errors_of(bibtex(bibliography), Path(folder), backend)
            papers, printed = papers + len(bibliography), printed + entries_set(Path(folder))
    return {
        "entries": papers,
        "in the bibliography": printed,
        "errors": len(errors),
        "first errors": errors[:5],
    }


def main() -> None:
    """Compare every file, then compile all entries together."""
    index = map(json.loads, (BIBLIOGRAPHIES / "index.jsonl").read_text().splitlines())
    files = [each for each in index if each["format"] in ("bibtex", "biblatex")]
    result: dict = {}
    by_file: list[list[Paper]] = []
    for format in ("bibtex", "biblatex"):
        counts: Counter[str] = Counter()
        differences: Counter[str] = Counter()
        for each in (each for each in files if each["format"] == format):
            path = BIBLIOGRAPHIES / each["path"]
            counts["files"] += 1
            compared(path, counts, differences)
            by_file.append(papers_of(path, Report()))
        result[format] = {**counts, "differences": dict(differences.most_common())}

    everything = [paper for papers in by_file for paper in papers]
    result["compiled with bibtex, all files together"] = compiled([everything], "bibtex")
    save("roundtrip", result)  # biber takes minutes
    groups = [everything[start : start + GROUP] for start in range(0, len(everything), GROUP)]
    result[f"compiled with biber, {GROUP} entries at a time"] = compiled(groups, "biber")
    save("roundtrip", result)


if __name__ == "__main__":
    main()
