"""Report what an import did: counts by reason, and each skipped, repaired or merged record."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

Action = Literal["skipped", "repaired", "merged", "near_duplicate"]

EXAMPLES = 5
"""Events that are remembered for each reason, to be shown without a report file."""


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The file and the line (from 1) where a record starts."""

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
    """Counts what happened to records; `listener` is called with each event as it happens."""

    listener: Callable[[Event], object] | None = None
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    sentences: int = 0
    """Citing sentences added."""
    known_sentences: int = 0
    """Citing sentences that the library had already."""
    counts: Counter[tuple[Action, str]] = field(default_factory=Counter)
    examples: dict[tuple[Action, str], list[Event]] = field(default_factory=dict)

    def note(
        self,
        action: Action,
        reason: str,
        location: SourceLocation,
        paper: str = "",
        detail: str = "",
    ) -> None:
        """Count one event: what was done to which record, and why."""
        self.replay([Event(action, reason, location.file, location.line, paper, detail)])

    def replay(self, events: Iterable[Event], read: int = 0) -> None:
        """Count the events that another report collected, and the number of records it read."""
        self.read += read
        for event in events:
            self.counts[event.action, event.reason] += 1
            examples = self.examples.setdefault((event.action, event.reason), [])
            if len(examples) < EXAMPLES:
                examples.append(event)
            if self.listener is not None:
                self.listener(event)

    @property
    def imported(self) -> int:
        """How many papers and citing sentences were added, or were in the library already."""
        papers = self.added + self.updated + self.unchanged
        return papers + self.sentences + self.known_sentences

    def total(self, action: Action) -> int:
        """Return the number of events with an action."""
        return sum(count for (kind, _), count in self.counts.items() if kind == action)
