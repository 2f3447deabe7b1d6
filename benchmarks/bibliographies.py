"""What is read of real bibliographies: 150 files of many programs, each imported into a fresh
library of its own.

    python benchmarks/bibliographies.py [--before]      (half a minute)

A file is read whole where every entry is added, merged into another, or named as skipped; there
may be more than were counted, as where one record lacks the tag by which they were. With
`--before`, the result is kept beside later ones, for comparison.
"""

import collections
import json
import sys
import tempfile
import time
from pathlib import Path

import citewise
from citewise.api import open_stores
from citewise.errors import CitewiseError
from citewise.ingest import FORMATS
from citewise.ingest.source import open_source
from measuring import COMMIT, RESULTS, ROOT, save

FOLDER = ROOT.parent / "shared" / "data" / "bibliographies"
NAME = "bibliographies"
PARTS = ("title", "year", "authors", "doi")


def main() -> None:
    entries = [json.loads(line) for line in (FOLDER / "index.jsonl").open()]
    measured = {"commit": COMMIT, **summary([imported(entry) for entry in entries])}

    saved = RESULTS / f"{NAME}.json"
    earlier = json.loads(saved.read_text()).get("before") if saved.exists() else None
    before = measured if "--before" in sys.argv else earlier
    save(NAME, {"files": len(entries), "before": before, "after": measured})


def imported(entry: dict) -> dict:
    """Return what became of the entries of one file."""
    start = time.perf_counter()
    row = {"path": entry["path"], "format": entry["format"], "entries": entry["entries"]}
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        try:
            report = citewise.index([FOLDER / entry["path"]], library)
        except CitewiseError as error:
            return {**row, "read as": "", "accounted": 0, "error": str(error)}
        papers = _papers(library)

    merged = sum(count for (action, _), count in report.counts.items() if action == "merged")
    skipped = {reason: n for (action, reason), n in report.counts.items() if action == "skipped"}
    known = {
        part: sum(map(test, papers))
        for part, test in zip(
            PARTS,
            (
                lambda paper: bool(paper.title),
                lambda paper: paper.year is not None,
                lambda paper: bool(paper.authors),
                lambda paper: any(key.startswith("doi:") for key in (paper.id, *paper.ids)),
            ),
            strict=True,
        )
    }
    return {
        **row,
        "read as": _format_of(FOLDER / entry["path"]),
        "accounted": report.added + report.updated + report.unchanged + sum(skipped.values()),
        "added": report.added,
        "merged": merged,
        "skipped": skipped,
        "repaired": {
            reason: n for (action, reason), n in report.counts.items() if action == "repaired"
        },
        "papers": len(papers),
        "known": known,
        "seconds": round(time.perf_counter() - start, 2),
    }


def _papers(library: Path) -> list[citewise.Paper]:
    if not (library / "manifest.json").exists():
        return []
    papers = open_stores(library).papers
    return papers.read(papers.rows)


def _format_of(path: Path) -> str:
    source = open_source(str(path))
    head = source.head()
    source.close()
    return next((name for name, module in FORMATS.items() if module.detects(head)), "")


def summary(rows: list[dict]) -> dict:
    """Return the totals, by format, and the files that are not read whole."""
    by_format: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for row in rows:
        counts = by_format[row["format"]]
        counts["files"] += 1
        counts["read whole"] += row["accounted"] >= row["entries"]
        counts["entries"] += row["entries"]
        counts["lost"] += max(row["entries"] - row["accounted"], 0)
        counts["skipped"] += sum(row.get("skipped", {}).values())
        counts["papers"] += row.get("papers", 0)
        counts.update({f"with {part}": n for part, n in row.get("known", {}).items()})

    return {
        "read whole": sum(row["accounted"] >= row["entries"] for row in rows),
        "entries": sum(row["entries"] for row in rows),
        "lost": sum(max(row["entries"] - row["accounted"], 0) for row in rows),
        "by format": {name: dict(counts) for name, counts in sorted(by_format.items())},
        "not whole": [row for row in rows if row["accounted"] < row["entries"]],
        "skipped": [{"path": row["path"], **row["skipped"]} for row in rows if row.get("skipped")],
    }


if __name__ == "__main__":
    main()
