"""A hundred thousand damaged files of every format: how many end in an error, take long, or lose
something without a word.

    python benchmarks/mutations.py [inputs]      (some minutes)

The inputs are made from the samples of the tests, from real bibliographies and from full texts,
each cut to a few kilobytes, with fixed seeds. What is read is cleaned too; nothing is written.
"""

import collections
import io
import json
import random
import sys
import time

from measuring import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))

from citewise.ingest import FORMATS, _recognised, _records
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from ingest.mutated import RARE, mutated
from ingest.samples import SAMPLES

DATA = ROOT.parent / "shared" / "data"
INPUTS = 100_000
LONGEST = 1.0
"""Seconds of the processor; what takes longer is listed."""

SIZE = 1_500
"""Bytes that are taken of a real file, so that a hundred thousand inputs take minutes."""

HUGE_EVERY = 500


def main() -> None:
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else INPUTS
    originals = originals_by_format()
    dice = random.Random(2026)
    counts, slow, failed, silent = collections.Counter(), [], [], []
    start = time.perf_counter()
    for number in range(inputs):
        format = dice.choice([*originals])
        name, data = dice.choice(originals[format])
        if number % HUGE_EVERY == 0:
            kind, changed = "huge field", RARE["huge field"](data, dice)
        else:
            kind, changed = mutated(data, dice)
        forced = format if number % 2 and format in FORMATS else ""

        began = time.process_time()
        outcome = read(changed, forced)
        taken = time.process_time() - began

        counts[kind, outcome] += 1
        what = {"original": name, "mutation": kind, "number": number, "forced": forced}
        if outcome == "error":
            failed.append(what)
        elif outcome == "silent":
            silent.append(what)
        if taken > LONGEST:
            slow.append({**what, "seconds": round(taken, 2)})

    by_kind: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for (kind, outcome), count in sorted(counts.items()):
        by_kind[kind][outcome] = count
    save(
        "mutations",
        {
            "inputs": inputs,
            "formats": {name: len(each) for name, each in originals.items()},
            "seconds": round(time.perf_counter() - start),
            "errors": len(failed),
            "lost without a word": len(silent),
            "over a second": len(slow),
            "by mutation": by_kind,
            "failed": failed[:20],
            "silent": silent[:20],
            "slow": slow[:20],
        },
    )


def originals_by_format() -> dict[str, list[tuple[str, bytes]]]:
    """Return (name, content) of what is mutated, by the format that reads it."""
    found: dict[str, list[tuple[str, bytes]]] = collections.defaultdict(list)
    for name, (format, text) in SAMPLES.items():
        found[format].append((name, text.encode()))

    index = DATA / "bibliographies" / "index.jsonl"
    paths = [DATA / "bibliographies" / json.loads(line)["path"] for line in index.open()]
    texts = (path for path in sorted((DATA / "fulltext").rglob("*")) if path.is_file())
    for path in [*paths, *texts]:
        data = path.read_bytes()[:SIZE]
        format = next((name for name, each in FORMATS.items() if each.detects(data)), "")
        if format and format != "latex":  # which reads other files of its folder
            found[format].append((str(path.relative_to(DATA)), data))
    return found


def read(data: bytes, format: str) -> str:
    """Return what became of an input: read, reported, silent or error."""
    report = Report()
    source = Source("mutated", buffered(data))
    try:
        module = FORMATS[format] if format else _recognised(source, report, alone=False)
        found = 0
        if module is not None:
            found = sum(1 for _ in _records(module, source, report, lambda reading: None))
    except Exception:
        return "error"
    if ("skipped", "reader_failed") in report.counts:
        return "error"
    return "read" if found else "reported" if report.total("skipped") else "silent"


def buffered(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data), 65_536)


if __name__ == "__main__":
    main()
