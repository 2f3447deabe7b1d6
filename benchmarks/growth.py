"""How time and memory grow with the library: 315k papers of `cs`, and millions resampled from them.

    python benchmarks/growth.py [PAPERS ...] [--step build|ask]

The sizes and steps that are not named keep the figures of an earlier run, and its commit. A minute
for 315k papers, half an hour for 7 million. All libraries are built first, and then asked one after
the other.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import citewise
from citewise.types import Paper
from measuring import COMMIT, RESULTS, forget, in_fresh_process, run_watched, save
from protocol import WORK, records, saved_queries

SIZES = (100_000, 315_077, 2_000_000, 7_000_000, 20_000_000)
ADDED = 1_000
SCARCE, SCARCE_AT = 5_000, 7_000_000
"""The library of the second number of papers is also asked by a process with this many megabytes of
memory, the library's files in the page cache included; that needs root.
"""
FEWER_FROM, FEWER = 7_000_001, 60
"""Queries that are asked from that number of papers on, which do not fit into memory, and where
memory is scarce.
"""
# Sources of more papers are compressed: 20 million papers are 23 GB of text.
PACKED_ABOVE = 7_000_000


def resampled(papers: list[dict], size: int) -> Iterator[dict]:
    """Yield `size` papers made from real ones: these themselves, then copies with new ids that lack
    a tenth of the words.
    """
    chance = random.Random(2018)
    for number in range(size):
        turn, position = divmod(number, len(papers))
        paper = papers[position]
        if turn:
            paper = {
                **paper,
                "id": f"{paper['id']}#{turn}",
                "title": _thinned(paper["title"], chance),
                "abstract": _thinned(paper.get("abstract") or "", chance),
                "references": [f"{name}#{turn}" for name in paper.get("references") or []],
            }
        yield paper


def _thinned(text: str, chance: random.Random) -> str:
    """Return a text without every tenth word, from a random one of the first ten on."""
    words = text.split()
    del words[int(chance.random() * 10) :: 10]
    return " ".join(words) or text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, metavar="PAPERS")
    parser.add_argument("--step", choices=("build", "ask"), help="only this; libraries are kept")
    given = parser.parse_args()

    papers = list(records("cs"))
    random.Random(1).shuffle(papers)
    saved_queries("cs", 2022, least=5)
    for size in given.sizes:
        if given.step != "ask":
            keep(size, built(papers, size))
    for size in given.sizes:
        if given.step != "build":
            keep(size, asked(papers, size))
            if not given.step:
                shutil.rmtree(folder_of(size))


def keep(size: int, measured: dict) -> None:
    """Add figures to those of a size in the result file."""
    file = RESULTS / "growth.json"
    before = json.loads(file.read_text())["rows"] if file.exists() else []
    rows = {each["papers"]: each for each in before}
    rows[size] = {"papers": size} | rows.get(size, {}) | measured
    ordered = [rows[each] for each in sorted(rows)]
    save("growth", {"corpus": "cs, resampled above 315,077", "rows": ordered})


def folder_of(size: int) -> Path:
    """Return the folder of the library with so many papers."""
    return WORK / f"growth-{size}"


def built(papers: list[dict], size: int) -> dict:
    """Build a library of `size` papers; return what that took."""
    library, source = folder_of(size), source_of(papers, size)
    shutil.rmtree(library, ignore_errors=True)
    command = [sys.executable, "-m", "citewise", "index", str(source), "--keep-versions"]
    seconds, peak = run_watched([*command, "--library", str(library)])
    source.unlink()
    return {
        "commit, building": COMMIT,
        "build s": round(seconds, 1),
        "papers a second": round(size / seconds),
        "build peak MB": peak,
        "on disk MB": round(_bytes(library) / 1e6),
    }


def source_of(papers: list[dict], size: int) -> Path:
    """Return a file of `size` papers; it is written unless it is there."""
    packed = size > PACKED_ABOVE
    source = WORK / f"growth-{size}.jsonl{'.gz' if packed else ''}"
    if not source.exists():
        part = source.with_name(f"{source.name}.part")
        with gzip.open(part, "wt", 1) if packed else part.open("w") as file:
            file.writelines(
                json.dumps(paper, ensure_ascii=False) + "\n" for paper in resampled(papers, size)
            )
        part.rename(source)
    return source


def asked(papers: list[dict], size: int) -> dict:
    """Return what answers and changes of a library take; it is left as it was."""
    library, fewer = folder_of(size), [str(FEWER)] if size >= FEWER_FROM else []
    found: dict = {
        "commit, answers": COMMIT,
        "serving": in_fresh_process("serving.py", str(library), "bm25", *fewer),
        "serving best": in_fresh_process("serving.py", str(library), "best", *fewer),
    }
    if size == SCARCE_AT:
        forget(library)
        found[f"serving best within {SCARCE} MB"] = in_fresh_process(
            *("serving.py", str(library), "best", str(FEWER)), megabytes=SCARCE
        )
    changed = WORK / "growth-changed"
    shutil.copytree(library, changed, copy_function=os.link)
    found |= time_changes(papers, changed)
    shutil.rmtree(changed)
    return found


def time_changes(papers: list[dict], library: Path) -> dict:
    """Return the seconds that adding and removing papers take: texts, authors and references of
    real ones, and a word that no other paper has.
    """
    new = [
        Paper(
            id=f"new{number}",
            title=f"{paper['title']} new{number}",
            abstract=paper.get("abstract") or "",
            authors=tuple(paper.get("authors") or ()),
            year=2024,
            references=(*(paper.get("references") or ()), paper["id"]),
        )
        for number, paper in enumerate(papers[:ADDED])
    ]

    start = time.perf_counter()
    citewise.add(new, library)
    added = time.perf_counter()
    citewise.remove(library, [paper.id for paper in new[:10]])
    return {
        f"add {ADDED} s": round(added - start, 2),
        "remove 10 s": round(time.perf_counter() - added, 2),
    }


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
