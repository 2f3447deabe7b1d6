"""Tables of the laboratory: tuning, pools of growing size, pools by field and kind."""

from measured import Result, Table, estimate, titled

_TUNED_SHOWN = 10
_OVERHEAD = {
    "whole s": "the whole evaluation, seconds",
    "inside the system s": "inside the system, seconds",
    "scoring s": "scoring, seconds",
    "overhead": "share outside the system",
}


def tuning() -> str:
    """Return the best settings of BM25 on the development year."""

    def rows(found: Result) -> Table:
        grid = found["grid"]["rows"]
        ranked = sorted(grid.items(), key=lambda item: -item[1]["F1@20"][0])
        measures = [name for name in ranked[0][1] if "@" in name]
        return (
            [f"system (best {_TUNED_SHOWN} of {len(ranked)})", *measures],
            [
                [f"`{name}`", *(estimate(each[measure]) for measure in measures)]
                for name, each in ranked[:_TUNED_SHOWN]
            ],
        )

    return titled("lab-cs", rows)


def laboratory(corpus: str) -> str:
    """Return every system's measures with their intervals, on pools of growing size."""

    def rows(found: Result) -> Table:
        measures = [name for name in next(iter(found["grid"]["rows"].values())) if "@" in name]
        measures += ["MAP@500", "nDCG@500", "R@30"]
        return (
            ["papers", "system", *measures],
            [
                [
                    f"{int(size):,}",
                    system_of(name, corpus),
                    *(estimate(each[measure]) for measure in measures),
                ]
                for size, pool in found["pools"].items()
                for name, each in pool["systems"].items()
            ],
        )

    return titled(f"lab-{corpus}", rows)


def system_of(name: str, corpus: str) -> str:
    """Return a system's name; that of a rival is the end of its run file's."""
    return name.rpartition("-")[2] if name.startswith(corpus) else f"`{name}`"


def overhead() -> str:
    """Return what an evaluation costs beside the system that it measures."""

    def rows(found: Result) -> Table:
        each_round = found["rounds"]
        return (
            ["", *(f"round {number}" for number in range(1, len(each_round) + 1))],
            [
                [_OVERHEAD.get(name, name), *(each[name] for each in each_round)]
                for name in each_round[0]
            ],
        )

    return titled("lab-overhead", rows)


def pools(which: str) -> str:
    """Return what systems score on pools, by field or by kind of negative."""

    def rows(found: Result) -> Table:
        table = found[which]
        columns = [
            (system, measure) for system in table for measure in next(iter(table[system].values()))
        ]
        return (
            ["", *(f"`{system}` {measure}" for system, measure in columns)],
            [
                [name, *(estimate(table[system][name][measure]) for system, measure in columns)]
                for name in next(iter(table.values()))
            ],
        )

    return titled("pools-cs", rows)


def large_pools(measure: str = "MAP@500") -> str:
    """Return what systems score in large sets of one field each."""

    def rows(found: Result) -> Table:
        systems = [*found["table 3"]]
        return (
            ["", *(f"`{system}` {measure}" for system in systems)],
            [
                [name, *(estimate(each[system][measure]) for system in systems)]
                for name, each in found["table 2"].items()
            ],
        )

    return titled("pools-cs", rows)
