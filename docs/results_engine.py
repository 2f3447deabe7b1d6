"""Tables of the engine: BM25 beside a rival's, building, growth, crashes."""

import statistics
from collections.abc import Mapping
from typing import Any

from measured import Result, Table, cell, fixed, result, rounds, titled

_GOAL = 1.5
_STEPS = ("finished", "killed before commit", "killed after commit")

_GROWTH = {
    "commit, building": "built at commit",
    "build s": "building, seconds",
    "papers a second": "papers built a second",
    "build peak MB": "peak memory of building, MB",
    "on disk MB": "size on disk, MB",
    "commit, answers": "asked at commit",
    "serving: open s": "`bm25`: opening, seconds",
    "serving: ms, top 1000 with their papers": "`bm25`: an answer with 1,000 papers, ms",
    "serving: ms, 95 of 100 answers": "`bm25`: 95 of 100 answers within, ms",
    "serving: peak MB": "`bm25`: peak memory, MB",
    "serving: peak MB before opening (queries, interpreter)": "of that, before opening, MB",
    "serving best: open s": "`best`: opening, seconds",
    "serving best: ms, top 1000 with their papers": "`best`: an answer with 1,000 papers, ms",
    "serving best: ms, 95 of 100 answers": "`best`: 95 of 100 answers within, ms",
    "serving best: peak MB": "`best`: peak memory, MB",
    "serving best: MB that are not mapped files": "of that, not mapped files, MB",
    "serving best within 5000 MB: peak MB, files read included": (
        "`best` within 5,000 MB: peak memory with what is cached of files, MB"
    ),
    "serving best within 5000 MB: ms, top 1000 with their papers": (
        "`best` within 5,000 MB: an answer with 1,000 papers, ms"
    ),
    "serving best within 5000 MB: ms, 95 of 100 answers": (
        "`best` within 5,000 MB: 95 of 100 answers within, ms"
    ),
    "add 1000 s": "adding 1,000 papers, seconds",
    "remove 10 s": "removing 10 papers, seconds",
}
"""What is shown of a library's growth, by its name in the result file."""


def quality() -> str:
    """Return what each form of BM25 finds, beside a rival's."""

    def rows(found: Result) -> Table:
        measures = [name for name in next(iter(found["quality"].values())) if name != "queries"]
        return ["system", *measures, "queries"], [
            [name, *(fixed(each[measure]) for measure in measures), each["queries"]]
            for name, each in found["quality"].items()
        ]

    return titled("bm25", rows)


def latency() -> str:
    """Return how long a query takes, the median of each round and how that compares."""

    def rows(found: Result) -> Table:
        taken, ratios = found["latency"]["rounds"], found["latency"]["ratio to pyserini"]
        numbers = range(1, len(next(iter(taken.values()))) + 1)
        return (
            ["median ms of a query", *(f"round {number}" for number in numbers), "over pyserini's"],
            [[name, *values, ratios[name]] for name, values in taken.items()],
        )

    return titled("bm25", rows)


def memory() -> str:
    """Return the peak memory of a process that answers queries, and how long opening takes."""

    def rows(found: Result) -> Table:
        ours = found["memory"]["citewise MB, serving"]
        opening = statistics.median(found["latency"]["opening the library, s"])
        return (
            ["", "citewise", "pyserini"],
            [
                [
                    "peak memory while answering, MB",
                    ours["peak MB"],
                    found["memory"]["pyserini MB, serving"],
                ],
                [
                    "of that, before the library is opened, MB",
                    ours["peak MB before opening (queries, interpreter)"],
                    "",
                ],
                [
                    "an answer with 1,000 papers, ms",
                    ours["ms, top 1000 with their papers"],
                    "",
                ],
                ["opening a library, ms (median)", f"{opening * 1000:.0f}", ""],
            ],
        )

    return titled("bm25", rows)


def build() -> str:
    """Return how fast libraries are built, and in words how that compares."""

    def rows(found: Result) -> Table:
        speeds = found["papers a second"]
        shown = []
        for name, seconds in found["seconds"].items():
            speed = speeds[name if name in speeds else name.partition(":")[0]]
            shown.append([name, speed, rounds(seconds)])
        return ["what is built", "papers a second", "seconds, by round"], shown

    return titled("build", rows) + verdict(result("build"))


def verdict(built: Mapping[str, Any] | None) -> str:
    """Return in words how building compares, and how far rounds of the same work differ."""
    if not built:
        return ""
    spread = max(max(seconds) / min(seconds) for seconds in built["seconds"].values())
    ratios = {
        name.removeprefix("than "): value for name, value in built["citewise is faster by"].items()
    }
    compared = "; ".join(
        f"×{value} the papers a second of {name}" for name, value in ratios.items()
    )
    missed = " and ".join(name for name, value in ratios.items() if value < _GOAL)
    peaks = " and ".join(
        f"{max(values):,} MB for {name}" for name, values in built["peak MB"].items()
    )
    goal = f" The goal was ×{_GOAL}: **missed against {missed}.**" if missed else ""
    return (
        f"\n\nBuilding: {compared}. citewise stores documents and vectors, too. Rounds of the same "
        f"work differ by up to ×{spread:.1f}.{goal} The highest peak of memory of all rounds was "
        f"{peaks}."
    )


def growth() -> str:
    """Return how time, memory and disk grow with a library, one column a size."""

    def rows(found: Result) -> Table:
        columns = [flat(row) for row in found["rows"]]
        head = ["papers", *(f"{column['papers']:,}" for column in columns)]
        return head, [
            [label, *(column.get(name, "") for column in columns)]
            for name, label in _GROWTH.items()
            if any(name in column for column in columns)
        ]

    return titled("growth", rows)


def arrays() -> str:
    """Return what looking rows and terms up costs, one column a size of the library."""

    def rows(found: Result) -> Table:
        sizes = found["ms, median, by rows of the library"]
        names = next(iter(sizes.values()))
        return ["ms, median", *(f"{size} papers" for size in sizes)], [
            [name, *(each[name] for each in sizes.values())] for name in names
        ]

    return titled("arrays", rows)


def in_parts() -> str:
    """Return what searching large indexes in parts takes, beside searching them as a whole."""

    def rows(found: Result) -> Table:
        head, *_ = found["rows"]
        return [*head], [
            [
                ", ".join(map(cell, value)) if isinstance(value, list) else cell(value)
                for value in each.values()
            ]
            for each in found["rows"]
        ]

    return titled("parts", rows)


def kernels() -> str:
    """Return what compiled code would gain, beside numpy."""

    def rows(found: Result) -> Table:
        operations = {name: each for name, each in found.items() if "numba, ms" in str(each)}
        names = next(iter(operations.values()))
        return ["operation", *names], [
            [operation, *(cell(value) for value in each.values())]
            for operation, each in operations.items()
        ]

    return titled("kernels", rows)


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return the values of all depths by name; names within names are joined by a colon."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{name}: ")
        else:
            found[f"{before}{name}"] = value
    return found


def crash() -> str:
    """Return what happened to libraries whose writer was killed, and to readers beside a writer."""

    def rows(found: Result) -> Table:
        outcomes = found["killed writers"]["outcomes"]
        return ["change", *_STEPS], [
            [name, *(each.get(step, 0) for step in _STEPS)] for name, each in outcomes.items()
        ]

    found = result("crash")
    if found is None:
        return titled("crash", rows)
    killed, read = found["killed writers"], found["reader beside a writer"]
    broken = len(killed["failures"]) + len(killed["leftovers"])
    finished = sum(each.get("finished", 0) for each in killed["outcomes"].values())
    failed = len(read["failures"]) or "none"
    return (
        f"{titled('crash', rows)}\n\n"
        f"{cell(killed['kills'])} writers were killed, and {finished} finished before that; "
        f"{broken or 'no'} libraries were damaged or kept files of an unfinished generation. "
        f"Beside a writer that added papers {read['adds']} times, a reader opened the library "
        f"{read['opened']} times and asked {read['queries']} queries: {failed} failed."
    )


def flips() -> str:
    """Return what readers and `verify` made of damaged files."""
    outcomes = ("clear error", "same answer", "silently different", "raw exception")
    shown = (*outcomes, "crash or hang", "found by verify")

    def rows(found: Result) -> Table:
        libraries = {name: each for name, each in found.items() if name.endswith("on opening")}
        return ["library", "damages", *shown], [
            [name, each["damages"], *(each[outcome] for outcome in shown)]
            for name, each in libraries.items()
        ]

    return titled("flips", rows)
