"""Tables of a library on a cluster: equality with one library, time, faults."""

from measured import Result, Table, cell, result, titled

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


def building() -> str:
    """Return what it costs to build shards from a dump, beside a library that is cut."""
    memory, work = "peak memory of all processes, MB", "largest work folder, MB"

    def rows(found: Result) -> Table:
        head = ["", "seconds", "processor seconds", memory, "other files at most, MB"]
        return head, [
            [
                f"`citewise {name}`",
                found[name]["seconds"],
                found[name]["processor seconds"],
                found[name][memory],
                found[name].get(work, found[name].get("library MB", "")),
            ]
            for name in ("index", "shard", "build")
        ]

    found = result("dump_build")
    if found is None:
        return titled("dump_build", rows)
    speed, cheap = found["works a second"], found["works a processor second"]
    killed, shards = found["killed"], found["build"]["shards MB"]
    return (
        f"{titled('dump_build', rows)} {cell(found['works'])} works in {found['files']} files of "
        f"{cell(found['dump MB'])} MB, {found['shards']} shards of {cell(shards)} MB, "
        f"{found['workers']} workers; a load of {found['load, mean of 15 minutes']}.\n\n"
        f"Works a second: {cell(speed['index and shard'])} by `index` and `shard`, "
        f"{cell(speed['build'])} by `build`; works a processor second: "
        f"{cell(cheap['index and shard'])} and {cell(cheap['build'])}. The same files but for the "
        f"inverted index: {cell(found['same files as index and shard'])}. Killed "
        f"{killed['kills']} times, {killed['each after, seconds']} seconds after its start each "
        f"time, a build was done after {killed['last run, seconds']} seconds more; the same files: "
        f"{cell(killed['same files'])}."
    )
