"""What the tables and plots of measured results share: reading result files, writing Markdown."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Result = dict[str, Any]
"""A file of benchmarks/results."""

Table = tuple[Sequence[str], Sequence[Sequence[object]]]
"""A heading and rows."""

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
MISSING = "not measured yet"


@functools.cache
def result(name: str) -> Result | None:
    """Return a result file; None where that was not measured."""
    file = FOLDER / f"{name}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else None


def titled(name: str, rows_of: Callable[[Result], Table]) -> str:
    """Return a table of a result file, with what was measured below it."""
    found = result(name)
    if found is None:
        return MISSING
    return f"{markdown(*rows_of(found))}\n\n{measured(found)}"


def measured(found: Mapping[str, Any]) -> str:
    """Return what was measured, where and with what."""
    machine = found["machine"]
    corpus = f"corpus {found['corpus']}, " if "corpus" in found else ""
    return (
        f"Commit `{found['commit']}`, {corpus}{machine['cores']} cores, Python {machine['python']}."
    )


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown: the first column to the left, the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def cell(value: object) -> str:
    """Return a value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def in_words(name: str) -> str:
    """Return a name of a result file in words that people read."""
    for raw, words in _WORDS.items():
        name = name.replace(raw, words)
    return name


_WORDS = {
    "authors told": "authors given",
    "co-citation likeness": "similarity of the answers",
    "likeness": "similarity",
    "prefer_recent": "`--prefer-recent`",
    "prefer_cited": "`--prefer-cited`",
    "diversify": "`--diversify`",
    "no_self_citations": "`--no-self-citations`",
    "since ": "`--since` ",
    "all that is said": "profiles",
    "without nothing": "with all signals",
}


def fixed(value: float) -> str:
    """Return a measure with three digits."""
    return f"{value:.3f}"


def estimate(found: Sequence[float]) -> str:
    """Return (value, low, high) as a value with its interval."""
    value, low, high = found
    return f"{value:.3f} [{low:.3f}–{high:.3f}]"


def chance(p: float) -> str:
    """Return a p-value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def change(before: float, after: float, p: float) -> str:
    """Return two values of a measure and the p-value of their difference."""
    return f"{before:.3f} → {after:.3f} ({chance(p)})"


def rounds(values: Sequence[float]) -> str:
    """Return the values of several rounds."""
    return ", ".join(map(cell, values))
