"""An author's preferences beside relevance: every knob with its range, in one module.

The command line's options, the keys of a query file, the keyword arguments of `recommend` and the
JSON of an answer are all made from the fields of `Preferences`.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citewise.errors import BadInput


@dataclass(frozen=True, slots=True)
class Knob:
    """One preference: its name, its range and its help text; a range of None makes it a switch."""

    name: str
    default: float | bool
    range: tuple[float, float] | None
    help: str

    def check(self, value: object) -> None:
        """Raise BadInput unless the value is in range."""
        if self.range is None:
            if not isinstance(value, bool):
                raise BadInput(f"{self.name} is true or false, not {value!r}")
            return

        low, high = self.range
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and low <= value <= high):  # type: ignore[operator]
            raise BadInput(f"{self.name} is a number from {low:g} to {high:g}, not {value!r}")


def _weight(low: float, high: float, help: str) -> Any:
    return dataclasses.field(default=0.0, metadata={"range": (low, high), "help": help})


def _switch(help: str) -> Any:
    return dataclasses.field(default=False, metadata={"range": None, "help": help})


@dataclass(frozen=True, slots=True)
class Preferences:
    """How the answer should lean; a weight of 0 leaves it as the system ranks it."""

    prefer_recent: float = _weight(-1, 1, "Put younger papers forward: from -1 (older ones) to 1.")
    prefer_cited: float = _weight(
        -1, 1, "Put much cited papers forward: from -1 (little cited ones) to 1."
    )
    diversify: float = _weight(
        0, 1, "Put papers back that are similar to those before them: from 0 to 1."
    )
    no_self_citations: bool = _switch("Leave out papers of the draft's authors.")

    def __post_init__(self) -> None:
        """Raise BadInput for values out of range."""
        for knob in KNOBS:
            knob.check(getattr(self, knob.name))

    def __bool__(self) -> bool:
        """Return whether any preference differs from its default."""
        return any(self.given().values())

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Preferences":
        """Make preferences from names and values; an unknown name is an error."""
        names = [knob.name for knob in KNOBS]
        unknown = [name for name in values if name not in names]
        if unknown:
            raise BadInput(f"unknown preference {unknown[0]!r}; known: {', '.join(names)}")
        return cls(**values)

    def given(self) -> dict[str, float | bool]:
        """Return the preferences that differ from their defaults, by name."""
        values = {knob.name: getattr(self, knob.name) for knob in KNOBS}
        return {name: value for name, value in values.items() if value}


KNOBS = tuple(
    Knob(each.name, each.default, each.metadata["range"], each.metadata["help"])  # type: ignore[arg-type]
    for each in dataclasses.fields(Preferences)
)
"""Every preference, in the order in which help texts show them."""
