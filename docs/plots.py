"""Plots of measured results, as SVG that is readable on light and on dark pages."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from measured import MISSING, result
from results_engine import flat

_GREY = "#808080"
_COLOURS = ("#2f80c9", "#d9772b", "#3d9a5f", "#a05cb8")
_STYLE = {
    "svg.fonttype": "none",  # text stays text, so that pages can be compared by their words
    "svg.hashsalt": "citewise",
    "font.size": 9,
    "axes.edgecolor": _GREY,
    "axes.labelcolor": _GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "text.color": _GREY,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}

_COLLECTIONS = ("peerread, with draft", "scisummnet, with draft", "evoeco, with draft")

Line = tuple[Sequence[float], Sequence[float]]
"""The x and the y values of a line."""


def growth() -> str:
    """Return time and memory of answers, and the time of building, by the size of a library."""
    found = result("growth")
    if found is None:
        return _empty()
    columns = [flat(row) for row in found["rows"]]

    def line(name: str) -> Line:
        known = [column for column in columns if name in column]
        return [column["papers"] / 1000 for column in known], [column[name] for column in known]

    answer, memory = "ms, top 1000 with their papers", "peak MB"
    return _drawn(
        {
            "an answer, ms": {
                "bm25": line(f"serving: {answer}"),
                "best": line(f"serving best: {answer}"),
            },
            "peak memory, MB": {
                "bm25": line(f"serving: {memory}"),
                "best": line(f"serving best: {memory}"),
                "building": line("build peak MB"),
            },
            "building, seconds": {"citewise": line("build s")},
        },
        "papers, thousands",
    )


def pools() -> str:
    """Return what BM25 finds in ever larger parts of a corpus, beside its rivals."""
    found = result("lab-cs")
    if found is None:
        return _empty()
    lines: dict[str, dict[str, Line]] = {}
    for measure in ("F1@20", "R@1000"):
        values: dict[str, Line] = {}
        for size, pool in found["pools"].items():
            for name, each in pool["systems"].items():
                system = name.rpartition("-")[2] if name.startswith("cs-") else name
                if system in ("bm25", "pyserini", "bm25s"):
                    xs, ys = values.get(system, ([], []))
                    values[system] = ([*xs, int(size) / 1000], [*ys, each[measure][0]])
        lines[measure] = values
    return _drawn(lines, "papers, thousands")


def calibration() -> str:
    """Return the share of candidates that are cited, by the share that is expected."""
    panels: dict[str, dict[str, Line]] = {}
    for what, names in (("drafts", ("cs test", "elife test")), ("sentences", _COLLECTIONS)):
        found = result(f"calibration-{what}")
        if found is None:
            continue

        lines = {name: _reliability(found["by kind"][name]["tenths"]) for name in names}
        most = max(value for line in lines.values() for values in line for value in values)
        panels[f"{what}: cited, share"] = {**lines, "perfect": ([0.0, most], [0.0, most])}
    return _drawn(panels, "expected, share") if panels else _empty()


def _reliability(tenths: Sequence[Mapping[str, float]]) -> Line:
    return [each["expected"] for each in tenths], [each["cited"] for each in tenths]


def _drawn(panels: Mapping[str, Mapping[str, Line]], along: str) -> str:
    """Return panels side by side, each with its lines; their numbers are in the description."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(3.2 * len(panels), 2.6))
        every: Any = figure.subplots(1, len(panels), squeeze=False)
        for axes, (title, lines) in zip(every[0], panels.items(), strict=True):
            for colour, (name, (xs, ys)) in zip(_COLOURS, lines.items(), strict=False):
                axes.plot(xs, ys, marker="o", markersize=3, color=colour, label=name)
            axes.set(title=title, xlabel=along)
            axes.set_ylim(bottom=0)
            axes.legend()
        written = io.StringIO()
        about = {"Date": None, "Creator": None, "Description": _numbers(panels)}
        figure.savefig(written, format="svg", transparent=True, metadata=about)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _numbers(panels: Mapping[str, Mapping[str, Line]]) -> str:
    return "; ".join(
        f"{title}, {name}: {', '.join(f'{x:g} {y:g}' for x, y in zip(*line, strict=True))}"
        for title, lines in panels.items()
        for name, line in lines.items()
    )


def _empty() -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="40">'
        f'<text x="8" y="24" fill="{_GREY}">{MISSING}</text></svg>\n'
    )
