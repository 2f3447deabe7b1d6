"""What an import did: counts by reason, and every skipped, repaired or merged record by file and
line.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

Action = Literal["skipped", "repaired", "merged", "near_duplicate"]

EXAMPLES = 5
"""How many records are remembered for each reason, to be shown without a report file."""


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Where a record stands."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Event:
    """What was done to one record, and why."""

    action: Action
    reason: str
    file: str
    line: int
    id: str = ""
    detail: str = ""


@dataclass(slots=True)
class Report:
    """Counts what happened to records; `listener` is told of each event as it happens."""

    listener: Callable[[Event], object] | None = None
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    sentences: int = 0
    """Citing sentences added."""
    known_sentences: int = 0
    """Citing sentences that were there already."""
    counts: Counter[tuple[Action, str]] = field(default_factory=Counter)
    examples: dict[tuple[Action, str], list[Event]] = field(default_factory=dict)

    def note(
        self, action: Action, reason: str, place: SourceLocation, paper: str = "", detail: str = ""
    ) -> None:
        """Record one event: what was done, why, to which record."""
        self.replay([Event(action, reason, place.file, place.line, paper, detail)])

    def replay(self, events: Iterable[Event], read: int = 0) -> None:
        """Record events that another report collected, and how many records it had read."""
        self.read += read
        for event in events:
            self.counts[event.action, event.reason] += 1
            shown = self.examples.setdefault((event.action, event.reason), [])
            if len(shown) < EXAMPLES:
                shown.append(event)
            if self.listener is not None:
                self.listener(event)

    def total(self, action: Action) -> int:
        """Return how many events of a kind there were."""
        return sum(count for (kind, _), count in self.counts.items() if kind == action)
