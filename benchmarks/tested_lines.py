"""How much of the source the tests run, from the report that coverage wrote.

    python benchmarks/tested_lines.py build/coverage.json            (`make cover` calls it)

Only what runs in the tests' own processes counts, not what runs in processes that they start.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from measuring import save

LEAST_FILES = 10
"""How many files are listed: those with the most lines that no test runs."""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    report = json.loads(Path(sys.argv[1]).read_text())
    files = {_name(path): each["summary"] for path, each in report["files"].items()}
    rooms: dict[str, list[dict]] = defaultdict(list)
    for name, counts in files.items():
        rooms[name.partition("/")[0] if "/" in name else "(root)"].append(counts)

    least = sorted(files, key=lambda name: -files[name]["missing_lines"])[:LEAST_FILES]
    save(
        "coverage",
        {
            "lines": report["totals"]["num_statements"],
            "lines run": _share([report["totals"]], "covered_lines", "num_statements"),
            "branches": report["totals"]["num_branches"],
            "branches run": _share([report["totals"]], "covered_branches", "num_branches"),
            "lines run, by room": {
                room: _share(counts, "covered_lines", "num_statements")
                for room, counts in sorted(rooms.items())
            },
            "most lines not run": {name: files[name]["missing_lines"] for name in least},
        },
    )


def _name(path: str) -> str:
    """Return a file's path below the package."""
    return path.partition("citewise/")[2]


def _share(counts: list[dict], part: str, whole: str) -> float:
    """Return the share of all files together, rounded."""
    total = sum(each[whole] for each in counts)
    return round(sum(each[part] for each in counts) / total, 4) if total else 1.0


if __name__ == "__main__":
    main()
