"""Plots of results: recall by depth, quality against latency, bars with intervals (PNG, SVG)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citewise.errors import MissingExtra
from citewise.evaluate.experiment import Results

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Okabe and Ito's colours, which people with any colour vision can tell apart; each system also has
a marker of its own.
"""

MARKS = "osD^vPX*"
FORMATS = ("png", "svg")


def save_plots(results: Results, folder: str | Path) -> list[Path]:
    """Write every plot in every format; return the files."""
    matplotlib = require_matplotlib()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    written = []
    style = {
        "svg.hashsalt": "citewise",
        "svg.fonttype": "none",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "figure.constrained_layout.use": True,
    }

    with matplotlib.rc_context(style):
        for name, draw in {"recall": _recall, "latency": _latency, "measures": _measures}.items():
            figure = matplotlib.figure.Figure(figsize=(6.4, 4.2))
            draw(figure.subplots(), results)
            if not results.guarded:
                figure.suptitle("UNGUARDED: not a measure of quality", color="#D55E00")
            for kind in FORMATS:
                written.append(folder / f"{name}.{kind}")
                figure.savefig(
                    written[-1], dpi=150, metadata={"Date": None} if kind == "svg" else None
                )

    return written


def require_matplotlib() -> Any:
    """Return matplotlib; raise MissingExtra, which says how to install it, if it is absent."""
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise MissingExtra("drawing plots", "plots") from None
    return matplotlib


def _styles(names: Sequence[str]) -> list[dict[str, str]]:
    return [
        {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKS[number % len(MARKS)],
            "label": name,
        }
        for number, name in enumerate(names)
    ]


def _recall(axes: Any, results: Results) -> None:
    for scored, style in zip(
        results.systems, _styles([each.system for each in results.systems]), strict=True
    ):
        axes.plot(
            list(scored.recall), list(scored.recall.values()), linewidth=1.5, markersize=5, **style
        )

    axes.set(xscale="log", ylim=(0, None), xlabel="depth", ylabel="recall", title="Recall by depth")
    _plain_ticks(axes)
    axes.legend(frameon=False)


def _latency(axes: Any, results: Results) -> None:
    """Draw the first measure with its interval over the median time; run files have no time and are
    left out.
    """
    measure = results.measures[0]

    timed = [each for each in results.systems if each.milliseconds]
    for scored, style in zip(timed, _styles([each.system for each in timed]), strict=True):
        estimate = scored.values[measure]
        axes.errorbar(
            (scored.milliseconds or {})["median"],
            estimate.value,
            yerr=[[estimate.value - estimate.low], [estimate.high - estimate.value]],
            linestyle="",
            capsize=3,
            **style,
        )

    axes.set(
        xscale="log",
        xlabel="milliseconds a query (median)",
        ylabel=measure,
        title=f"{measure} against latency",
    )
    _plain_ticks(axes)

    if timed:
        axes.legend(frameon=False)


def _plain_ticks(axes: Any) -> None:
    """Write 1, 2, 5, 10 … along a logarithmic axis in place of powers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")


def _measures(axes: Any, results: Results) -> None:
    """Draw for each measure one bar a system, with its interval."""
    width = 0.8 / len(results.systems)
    for number, scored in enumerate(results.systems):
        estimates = [scored.values[measure] for measure in results.measures]
        at = [measure - 0.4 + width * (number + 0.5) for measure in range(len(estimates))]
        axes.bar(
            at,
            [each.value for each in estimates],
            width * 0.9,
            color=COLOURS[number % len(COLOURS)],
            label=scored.system,
            capsize=3,
            yerr=[
                [each.value - each.low for each in estimates],
                [each.high - each.value for each in estimates],
            ],
        )

    axes.set_xticks(range(len(results.measures)), results.measures)
    axes.set(title=f"{results.queries:,} queries, 95% intervals")
    axes.legend(frameon=False)
