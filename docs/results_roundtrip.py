"""The table of bibliographies that are read and written back."""

from measured import Result, Table, titled

_FORMATS = {"bibtex": "BibTeX", "biblatex": "biblatex"}


def roundtrip() -> str:
    """Return what of real .bib files comes back, and whether it compiles."""

    def rows(found: Result) -> Table:
        head = ["", "files", "entries", "own key", "own type", "fields", "same", "changed", "lost"]
        return head, [_row(found[name], label) for name, label in _FORMATS.items()]

    return titled("roundtrip", rows)


def _row(counts: Result, label: str) -> list[object]:
    """Return the counts of one format, fields as shares too."""
    states = [counts.get(f"fields {state}", 0) for state in ("same", "changed", "lost")]
    total = sum(states)
    shares = [f"{states[0]:,} ({states[0] / total:.1%})", *states[1:]]
    columns = ("files", "entries", "keys kept", "types kept")
    return [label, *(counts.get(name, 0) for name in columns), total, *shares]


def compiled() -> str:
    """Return how many entries compile, by program."""

    def rows(found: Result) -> Table:
        ways = [name for name in found if name.startswith("compiled")]
        columns = ("entries", "in the bibliography", "errors")
        return ["", *columns], [[name, *(found[name][each] for each in columns)] for name in ways]

    return titled("roundtrip", rows)
