"""Tables of a library on a cluster: equality with one library, time, faults."""

import statistics
from collections.abc import Mapping
from typing import Any

from measured import MISSING, Result, Table, cell, result, titled

_COMPARED = ("cluster-equality-cs", "cluster-equality-scisummnet")


def equality() -> str:
    """Return for how many queries shards answer as one library does."""

    def rows(found: Result) -> Table:
        (same,) = {
            name
            for each in found["compared"].values()
            for name in each
            if name.startswith("the same") and "rows" in name
        }
        head = ["library and system", "queries", same, "the same first 20", "largest difference"]
        return head, [
            [
                name,
                each["queries"],
                each[same],
                each["the same first 20 in order"],
                f"{each['largest difference of a score']:.1g}",
            ]
            for name, each in found["compared"].items()
        ]

    return "\n\n".join(titled(name, rows) for name in _COMPARED)


def latency() -> str:
    """Return how long `best` takes over one library, its shards, and a cluster, in turns."""

    def rows(found: Result) -> Table:
        columns = (
            "ms, median",
            "ms, 95th percentile",
            "times the library",
            "processor ms a query",
            "processor time, times the library",
        )
        return ["", *columns], [
            [name, *(found[each][name] for each in columns)] for name in found[columns[0]]
        ]

    found = result("cluster-latency")
    if found is None:
        return titled("cluster-latency", rows)
    sent = ", ".join(
        f"{cell(value)} {name}" for name, value in found["a query on the cluster"].items()
    )
    before, after = found["load of the machine, before and after"]
    return (
        f"{titled('cluster-latency', rows)}\n\n{found['queries']} drafts of `{found['library']}`, "
        f"{found['rounds']} rounds, by `best` with the papers of the first 20. A query on the "
        f"cluster: {sent}. The machine's load average was {before} before and {after} after the "
        f"run, `OMP_NUM_THREADS` {found['OMP_NUM_THREADS here']}."
    )


def faults() -> str:
    """Return what a client saw of faults."""

    def rows(found: Result) -> Table:
        names = (
            "times",
            "questions",
            "wrong answers",
            "`unavailable`",
            "other errors",
            "median answer, s",
            "slowest answer, s",
            "full service after, s, median",
            "full service after, s, slowest",
        )
        return ["fault", *names], [
            [fault, *(each[name] for name in names)] for fault, each in found["faults"].items()
        ]

    return titled("cluster-faults", rows)


def head() -> str:
    """Return what a client saw while a cluster had no head, and how soon it was back."""

    def rows(found: Result) -> Table:
        told = [_told(run) for run in found["runs"]]
        return [*told[0]], [[cell(value) for value in each.values()] for each in told]

    return titled("cluster-head", rows)


def _told(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return what many deaths of a head showed together."""
    each = run["each"]
    again = [kill["full service after starting again, s"] for kill in each]
    return {
        "without a head, s": run["seconds without a head"],
        "kills": len(each),
        "answers": sum(kill["answers"] for kill in each),
        "the fewest after a kill": min(kill["answers"] for kill in each),
        "wrong": sum(kill["wrong"] for kill in each),
        "`unavailable`": sum(kill["`unavailable`"] for kill in each),
        "slowest answer, s": max(kill["slowest, s"] for kill in each),
        "last right answer, s after the kill, earliest": min(
            kill["last right answer after, s"] for kill in each
        ),
        "full service after starting again, s, median": statistics.median(again),
        "slowest": max(again),
        "right after that": sum(kill["right after that"] for kill in each),
    }


_STEPS = {
    "index": "`citewise index`",
    "shard": "`citewise shard`",
    "build": "`citewise build`, two processes",
    "cluster": "`citewise build`, two Ray nodes",
}
_MEMORY, _WORK = "peak memory of all processes, MB", "largest work folder, MB"


def building() -> str:
    """Return what it costs to build shards from dumps, beside a library that is cut."""

    def rows(found: Result) -> Table:
        head = ["works", "", "seconds", "works a second", "processor seconds", _MEMORY]
        return [*head, "files beside the result at most, MB"], [
            [
                dump["works"],
                label,
                dump[step]["seconds"],
                round(dump["works"] / dump[step]["seconds"]),
                dump[step].get("processor seconds", ""),
                dump[step][_MEMORY],
                dump[step].get(_WORK, ""),
            ]
            for dump in found["dumps"]
            for step, label in _STEPS.items()
            if step in dump
        ]

    found = result("dump_build")
    if found is None:
        return MISSING
    return "\n\n".join([titled("dump_build", rows), *map(_about_dump, found["dumps"])])


def _about_dump(dump: Result) -> str:
    """Return what a dump is, whether all ways gave the same files, and what kills cost."""
    parts = [f"{cell(dump['works'])} works are {dump['files']} files of {cell(dump['dump MB'])} MB"]
    same = [
        value
        for step in dump.values()
        if isinstance(step, dict)
        for name, value in step.items()
        if name.startswith("the same files")
    ]
    if same:
        parts.append(f"all ways gave the same files but for the inverted index: {cell(all(same))}")
    if killed := dump.get("killed"):
        parts.append(
            f"a build on the nodes that was killed {killed['kills of the build']} times, each "
            f"{killed['each after, seconds']} seconds after its start, and then lost a node, took "
            f"{killed['all runs, seconds']} seconds in all, of which the last run took "
            f"{killed['last run, seconds']}"
        )
    loads = [step["load before"] for step in dump.values() if isinstance(step, dict)]
    parts.append(f"the machine's load was {min(loads)} to {max(loads)} before each step")
    return f"{'; '.join(parts)}."


_SYSTEMS = ("bm25", "best")
_PARTS = ("coordinator ms", "messages ms", "slowest shard ms", "all shards ms", "kB")


def parts() -> str:
    """Return what the parts of an answer take, by papers and shards."""

    def rows(found: Result) -> Table:
        head = ["papers", "shards", *(f"`{name}`: {part}" for name in _SYSTEMS for part in _PARTS)]
        return head, [
            [
                f"{row['papers']:,}",
                row["shards"],
                *(
                    "" if row[name][part] is None else row[name][part]
                    for name in _SYSTEMS
                    for part in _PARTS
                ),
            ]
            for row in found["rows"]
        ]

    return titled("planning", rows)


def model() -> str:
    """Return the factors of the model of an answer's time, with its errors."""

    def rows(found: Result) -> Table:
        head = ["part", "model, ms or kB"]
        return head, [
            [f"`{system}`: {part.removesuffix(' ms')}", _sum(factors)]
            for system, about in found["model"].items()
            for part, factors in about["factors"].items()
        ]

    found = result("planning")
    if found is None or "model" not in found:
        return MISSING
    errors = "; ".join(
        f"`{system}` {_percent(each['median absolute error'])} in the median and "
        f"{_percent(each['largest absolute error'])} at most, and for the largest library, from "
        "the smaller ones alone, " + ", ".join(f"{100 * error:+.0f}%" for error in ahead)
        for system, each in found["model"].items()
        for ahead in [each["errors at the most papers, fitted to fewer"]]
    )
    return (
        f"{titled('planning', rows)}\n\nErrors of an answer's time, each measurement by a model of "
        f"the others: {errors}."
    )


def _sum(factors: Mapping[str, float]) -> str:
    terms = [
        f"{value:.3g}" if name == "1" else f"{value:.3g} × {name}"
        for name, value in factors.items()
        if value
    ]
    return " + ".join(terms) or "0"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def plan() -> str:
    """Return what clusters of some sizes need, by the model."""

    def rows(found: Result) -> Table:
        head, *_ = found["plan"]
        return [*head], [[cell(value) for value in each.values()] for each in found["plan"]]

    found = result("planning")
    return titled("planning", rows) if found and "plan" in found else MISSING
