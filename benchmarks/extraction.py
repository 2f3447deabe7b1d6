"""What the readers of full texts find in real documents, by format.

    python benchmarks/extraction.py            (some minutes)
    python benchmarks/extraction.py --sample   draws groups of citations to be checked by hand

The checked sample is `extraction_checked.csv` beside this file: where each group is and what was
found, no text.
"""

import csv
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from nupunkt import sent_spans

import citewise
from citewise.ingest.document import Document
from citewise.ingest.fulltext import (
    jats,
    latex_project,
    parscit,
    s2orc,
    science_parse,
    tei,
    unarxive,
)
from citewise.ingest.report import Report
from citewise.ingest.source import open_source
from citewise.text.ids import scheme_of
from citewise.types import CitationGroup, CitingSentence
from measuring import ROOT, save

CORPORA = ROOT.parent / "shared" / "data"
SAMPLES = CORPORA / "fulltext"
WORK = ROOT / "benchmarks" / "work" / "extraction"
CHECKED = Path(__file__).with_name("extraction_checked.csv")
FORMATS: dict[str, tuple[ModuleType, str]] = {
    "TEI (GROBID)": (tei, "tei/*.xml"),
    "JATS": (jats, "jats/*ml"),
    "S2ORC": (s2orc, "s2orc/*.json"),
    "unarXive": (unarxive, "unarxive/*.json*"),
    "science-parse": (science_parse, "scienceparse/*.json"),
    "ParsCit": (parscit, "parscit/*.xml"),
    "LaTeX": (latex_project, "latex/**/*.tex"),
}
DRAWN = 12
"""Groups drawn for each format."""


def read(name: str, report: Report) -> Iterator[tuple[str, Document]]:
    """Yield the documents of a format, each with its file and line."""
    module, pattern = FORMATS[name]
    for path in sorted(SAMPLES.glob(pattern)):
        source = open_source(str(path))
        if module.detects(source.head()):
            for line, document in module.documents(source, report):
                yield f"{path.relative_to(SAMPLES)}:{line}", document
        source.close()


def measured(name: str) -> dict:
    """Return how many documents, sentences and citations of a format were read."""
    report = Report()
    start = time.perf_counter()
    documents = [document for _, document in read(name, report)]
    seconds = time.perf_counter() - start

    count: Counter[str] = Counter()
    for document in documents:
        groups = [group for sentence in document.sentences for group in sentence.groups]
        count.update(
            {
                "documents": 1,
                "sentences": sum(len(sent_spans(part)) for part in document.text.split("\n\n")),
                "citing sentences": len(document.sentences),
                "groups": len(groups),
                "groups of several": sum(len(group.cited) > 1 for group in groups),
                "groups that name nothing known": sum(not group.cited for group in groups),
                "citations": sum(len(group.cited) for group in groups),
                "references": len(document.cited),
                "references with an id": sum(bool(scheme_of(paper.id)) for paper in document.cited),
                "references cited in a sentence": len(
                    {key for group in groups for key in group.cited}
                ),
            }
        )
    failures = {
        reason: number
        for (action, reason), number in sorted(report.counts.items())
        if action == "skipped"
    }
    return {
        **count,
        "documents a second": round(len(documents) / seconds, 1),
        "skipped, by reason": failures,
    }


def resolved() -> dict:
    """Return how many references are whole papers of a library with the corpora cs and elife, by
    format.
    """
    library = WORK / "library"
    shutil.rmtree(library, ignore_errors=True)
    citewise.index(
        [CORPORA / "cs" / "papers.jsonl.xz", CORPORA / "elife" / "papers.jsonl.xz"], library
    )
    citewise.index(
        [
            SAMPLES / folder
            for folder in ("tei", "jats", "s2orc", "unarxive", "scienceparse", "parscit", "latex")
        ],
        library,
    )

    built = citewise.open(library)
    found = {}
    for name in FORMATS:
        papers = [
            built[paper.id]
            for _, document in read(name, Report())
            for paper in document.cited
            if paper.id in built
        ]
        found[name] = sum(not paper.light for paper in papers)
    return found


def checked() -> dict:
    """Return how many of the groups that were checked by hand were right, by format."""
    with CHECKED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        name: {
            "checked": len(mine),
            **{
                what: sum(row[what] == "right" for row in mine)
                for what in ("sentence", "group", "references")
            },
            "all three": sum(
                all(row[what] == "right" for what in ("sentence", "group", "references"))
                for row in mine
            ),
        }
        for name in FORMATS
        if (mine := [row for row in rows if row["format"] == name])
    }


def sample(name: str) -> Iterator[tuple[str, Document, CitingSentence, int]]:
    """Yield groups of citations drawn at random, from different documents as long as there are any:
    where the document is, the document, the sentence, and the group's number in it.
    """
    dice = random.Random(f"extraction {name} 3")
    found = [each for each in read(name, Report()) if each[1].sentences]
    dice.shuffle(found)
    for location, document in (found * DRAWN)[:DRAWN]:
        sentence = dice.choice(document.sentences)
        yield location, document, sentence, dice.randrange(len(sentence.groups))


def show_sample() -> None:
    for name in FORMATS:
        for location, document, sentence, number in sample(name):
            show_group(f"{name} | {location}", document, sentence, sentence.groups[number])


def show_group(
    where: str, document: Document, sentence: CitingSentence, group: CitationGroup
) -> None:
    """Print a group of citations with the text around it, and what it was found to cite."""
    text, start, end = sentence.text, sentence.start, sentence.start + len(sentence.text)
    print(f"\n=== {where} | {start} | {group.start}-{group.end} | {sentence.section}")
    print(f"...{document.text[max(0, start - 120) : start]!r}")
    print(f">>> {text[: group.start]}⟦{text[group.start : group.end]}⟧{text[group.end :]}")
    print(f"{document.text[end : end + 100]!r}...")

    papers = {paper.id: paper for paper in document.cited}
    for paper in (papers[key] for key in group.cited):
        position = document.cited.index(paper) + 1
        print(f"   {position}: {paper.authors[:2]} {paper.year} {paper.title[:90]}")


if __name__ == "__main__":
    if "--sample" in sys.argv:
        show_sample()
    else:
        formats, whole = {name: measured(name) for name in FORMATS}, resolved()
        for name, each in formats.items():
            each["references that are papers of a library"] = whole[name]
        save("extraction", {"formats": formats, "checked by hand": checked()})
