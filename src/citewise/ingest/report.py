"""What an import did: counts by reason, and every skipped, repaired or merged record by file and line."""

from collections import Counter
from dataclasses import dataclass, field
from typing import IO, Literal

import msgspec

Action = Literal["skipped", "repaired", "merged", "near_duplicate"]

EXAMPLES = 5
"""How many records are remembered for each reason, to be shown without a report file."""


@dataclass(slots=True)
class Place:
    """Where a record stands."""

    file: str
    line: int


@dataclass(slots=True)
class Report:
    """Collects what happened to records; writes each event as a JSON line where a stream is given."""

    stream: IO[bytes] | None = None
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    counts: Counter[tuple[Action, str]] = field(default_factory=Counter)
    examples: dict[tuple[Action, str], list[str]] = field(default_factory=dict)

    def note(self, action: Action, reason: str, place: Place, paper: str = "", detail: str = "") -> None:
        """Record one event: what was done, why, to which record."""
        self.counts[action, reason] += 1
        shown = self.examples.setdefault((action, reason), [])
        if len(shown) < EXAMPLES:
            shown.append(f"{place.file}:{place.line}" + (f" ({detail})" if detail else ""))
        if self.stream is not None:
            event = {"action": action, "reason": reason, "file": place.file, "line": place.line,
                     "id": paper, "detail": detail}
            self.stream.write(msgspec.json.encode(event) + b"\n")

    def total(self, action: Action) -> int:
        """Return how many events of a kind there were."""
        return sum(count for (kind, _), count in self.counts.items() if kind == action)
