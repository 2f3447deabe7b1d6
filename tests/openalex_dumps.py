"""Dumps in the layouts of OpenAlex and Semantic Scholar, made from plain records; shared by tests
and benchmarks/dump_build.py.
"""

import gzip
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]
"""A paper as in a file of JSON lines: id, title, abstract, year, venue, authors, references."""

_WORK = "https://openalex.org/W"


class Numbers:
    """Gives ids the numbers of works."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def work(self, name: str) -> str:
        """Return the address of a work."""
        return f"{_WORK}{self._numbers.setdefault(name, len(self._numbers) + 1_000_000)}"


def work(record: Record, numbers: Numbers, doi: str = "") -> dict[str, Any]:
    """Return a record as a work of OpenAlex."""
    year = record.get("year")
    return {
        "id": numbers.work(record["id"]),
        "doi": f"https://doi.org/{doi}" if doi else None,
        "title": record.get("title"),
        "publication_year": year,
        "authorships": [{"author": {"display_name": name}} for name in record.get("authors") or ()],
        "primary_location": {"source": {"display_name": record.get("venue") or None}},
        "referenced_works": [numbers.work(name) for name in record.get("references") or ()],
        "abstract_inverted_index": inverted(record.get("abstract") or ""),
        "type": "article",
    }


def inverted(text: str) -> dict[str, list[int]] | None:
    """Return a text as OpenAlex has abstracts: the positions of each word."""
    index: dict[str, list[int]] = {}
    for position, word in enumerate(text.split()):
        index.setdefault(word, []).append(position)
    return index or None


def write_works(folder: Path, works: Sequence[Mapping[str, Any] | bytes], files: int = 4) -> Path:
    """Write works in OpenAlex's layout, in as many files; bytes are written as they are, a line
    each. Return the folder.
    """
    size = -(-len(works) // files)
    for number in range(files):
        day = folder / f"updated_date=2025-01-{number // 2 + 1:02d}"
        write_lines(day / f"part_{number % 2:03d}.gz", works[number * size : (number + 1) * size])
    return folder


def write_lines(file: Path, lines: Iterable[Mapping[str, Any] | bytes]) -> None:
    """Write objects as gzipped JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(file, "wb", compresslevel=1) as opened:
        for line in lines:
            opened.write(line if isinstance(line, bytes) else json.dumps(line).encode())
            opened.write(b"\n")


def write_s2ag(folder: Path, records: Sequence[Record], seed: int = 0) -> Path:
    """Write records as datasets of Semantic Scholar: papers, abstracts and citations apart, each in
    an order of its own. Return the folder.
    """
    numbers = {record["id"]: number for number, record in enumerate(records, 1)}
    papers = [
        {
            "corpusid": numbers[record["id"]],
            "title": record["title"],
            "year": record.get("year"),
            "authors": [{"name": name} for name in record.get("authors") or ()],
            "externalids": {"CorpusId": str(numbers[record["id"]])},
        }
        for record in records
    ]
    abstracts = [
        {"corpusid": numbers[record["id"]], "abstract": record["abstract"]}
        for record in records
        if record.get("abstract")
    ]
    citations = list(_citations(records, numbers))

    dice = random.Random(seed)
    for name, dataset in (("papers", papers), ("abstracts", abstracts), ("citations", citations)):
        dice.shuffle(dataset)
        half = len(dataset) // 2
        for number, part in enumerate((dataset[:half], dataset[half:])):
            write_lines(folder / name / f"{number:03d}.gz", part)
    return folder


def _citations(records: Sequence[Record], numbers: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for record in records:
        for name in record.get("references") or ():
            if name in numbers:
                yield {"citingcorpusid": numbers[record["id"]], "citedcorpusid": numbers[name]}
