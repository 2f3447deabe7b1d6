"""Tables of PDFs that were read, and of the server under load."""

from typing import Any

from measured import Result, Table, cell, result, titled


def pdf() -> str:
    """Return what is read of typeset drafts, by layout, and of compiled ones."""

    def rows(found: Result) -> Table:
        names = {
            "title": "title",
            "abstract": "abstract, whole",
            "authors": "authors",
            "entries": "number of references",
        }
        compiled = {"as compiled": found["compiled"]} if found["compiled"]["title printed"] else {}
        columns = {**found["layouts"], **compiled}
        head = ["right, of those that have it", *columns]
        table = [
            [label, *(_of(each["right"][part]) for each in columns.values())]
            for part, label in names.items()
        ]
        table.append(["wrong authors", *(each["wrong authors"] for each in columns.values())])
        for part, label in (
            ("references found", "references found in the sample library"),
            ("citing sentences", "citing sentences with what they cite"),
        ):
            table.append([label, *(_of(each.get(part)) for each in columns.values())])
        return head, table

    return titled("pdf_drafts", rows)


def _of(pair: list[int] | None) -> str:
    return f"{pair[0]} of {pair[1]}" if pair else ""


def load() -> str:
    """Return requests a second and latencies by the number of connections."""

    def rows(found: Result) -> Table:
        head = ["processes", "connections", "answers a second", "p50 ms", "p95 ms", "p99 ms"]
        tables = {1: "one process, by connections", 2: "two processes, by connections"}
        return head, [
            [count, connections, *(seen[name] for name in head[2:])]
            for count, name in tables.items()
            for connections, seen in found[name].items()
        ]

    found = result("serve")
    if found is None:
        return titled("serve", rows)
    return f"{titled('serve', rows)}\n\n{_sentences(found)}"


def _sentences(found: dict[str, Any]) -> str:
    """Return in words what a server costs, refuses and keeps."""
    cost, beyond = found["own cost of the server"], found["beyond capacity"]
    after, memory = beyond["next request"], found["memory"]
    steps = memory["own memory"]
    busy, ratio = found["load of the machine before"][0], found["sixteen connections against one"]

    return " ".join(
        (
            f"The load of the machine was {busy} when it began: others worked on it.",
            f"Sixteen connections had {ratio} times the throughput of one.",
            f"For the same drafts in turns, the library took {cost['library ms']} ms and the",
            f"server {cost['server ms']} ms (medians), {cost['difference ms']} ms more.",
            f"A server with room for {beyond['room for requests']} requests, asked by",
            f"{beyond['connections']} connections, answered {beyond['answers a second']} a second",
            f"and refused {cell(beyond['refused a second'])} a second with 503 and `Retry-After`;",
            f"the next request after that got {after['status']} in {after['ms']} ms.",
            f"Over {cell(memory['requests'])} cheap requests, the memory of its two processes went",
            f"from {steps[0]['MB']} to {steps[-1]['MB']} MB.",
        )
    )
