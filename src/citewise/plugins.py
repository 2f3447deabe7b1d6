"""What other packages add: systems, formats, renderers, stages, models and library engines.

A package adds a part by an entry point of one of the groups below, for example in its
`pyproject.toml`:

    [project.entry-points."citewise.systems"]
    mine = "my_package:settings"

A part that cannot be loaded is left out, and `citewise plugins` says why.
"""

import functools
import importlib.metadata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

GROUPS: Mapping[str, str] = {
    "systems": "a settings value with `over(stores)` and `identity(stores)`",
    "formats": "a module with `NAME`, `detects(head)` and `records`, `sentences` or `documents`",
    "renderers": "a function from an `Answer` to text",
    "retrievers": "a function from stores to a `Retriever`",
    "expanders": "a function from stores to an `Expander`",
    "rankers": "a function from stores to a `Ranker`",
    "encoders": "a function without arguments that returns an `Encoder`",
    "pair_scorers": "a function without arguments that returns a `PairScorer`",
    "stores": "a function from an address to `Stores`; its name is the address's scheme",
}
"""The kinds of parts, and what an entry point of each must name."""

_PREFIX = "citewise."


@dataclass(frozen=True, slots=True)
class Plugin:
    """A part that another package adds."""

    group: str
    name: str
    package: str
    value: Any = None
    """What the entry point names; None where it cannot be loaded."""
    problem: str = ""
    """Why it cannot be loaded."""


@functools.cache
def plugins() -> tuple[Plugin, ...]:
    """Return every plug-in that is installed, those that cannot be loaded included."""
    return tuple(_found())


def parts(group: str) -> dict[str, Any]:
    """Return the parts of a group that can be used, by name."""
    return {each.name: each.value for each in plugins() if each.group == group and not each.problem}


def problems() -> list[str]:
    """Return one line for each plug-in that cannot be loaded."""
    return [
        f"the plug-in {each.name!r} of {each.package} is left out: {each.problem}"
        for each in plugins()
        if each.problem
    ]


def _found() -> Iterator[Plugin]:
    installed = importlib.metadata.entry_points()  # looks at every installed package: once
    for group in GROUPS:
        for point in installed.select(group=f"{_PREFIX}{group}"):
            package = point.dist.name if point.dist is not None else "an unknown package"
            try:
                value = point.load()
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                yield Plugin(group, point.name, package, problem=problem)
            else:
                yield Plugin(group, point.name, package, value)
