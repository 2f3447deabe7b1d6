"""Tables of reading: real bibliographies, and damaged files."""

from measured import Result, Table, cell, result, titled


def bibliographies() -> str:
    """Return how much of real bibliographies is read, by format, before and after."""

    def rows(found: Result) -> Table:
        before, after = found["before"]["by format"], found["after"]["by format"]
        head = ["format", "files", "read whole, before", "now", "entries", "lost, before", "now"]
        shares = ["title", "year", "authors", "DOI"]
        return [*head, *(f"with {share}" for share in shares)], [
            [
                name,
                each["files"],
                before[name]["read whole"],
                each["read whole"],
                each["entries"],
                before[name]["lost"],
                each["lost"],
                *(_share(each, share) for share in shares),
            ]
            for name, each in after.items()
        ]

    found = result("bibliographies")
    if found is None:
        return titled("bibliographies", rows)
    before, after = found["before"], found["after"]
    return (
        f"{titled('bibliographies', rows)}\n\n"
        f"Of {found['files']} files, {before['read whole']} were read whole before, with "
        f"{cell(before['lost'])} entries lost, and {after['read whole']} are now, with "
        f"{cell(after['lost'])} lost."
    )


def _share(counts: dict[str, int], part: str) -> str:
    known = counts.get(f"with {part.lower()}", 0)
    return f"{known / max(counts['papers'], 1):.0%}"


def mutations() -> str:
    """Return what became of damaged files, by the kind of damage."""

    def rows(found: Result) -> Table:
        outcomes = ("read", "reported", "silent", "error")
        head = ["damage", "something read", "reported", "lost without a word", "error"]
        return head, [
            [kind, *(each.get(outcome, 0) for outcome in outcomes)]
            for kind, each in found["by mutation"].items()
        ]

    found = result("mutations")
    if found is None:
        return titled("mutations", rows)
    return (
        f"{titled('mutations', rows)}\n\n"
        f"{cell(found['inputs'])} inputs of {len(found['formats'])} formats: {found['errors']} "
        f"ended in an error, {found['lost without a word']} were lost without a word, "
        f"{found['over a second']} took more than a second."
    )
