"""Fields of papers: groups of labels and venues that the user gives, or each label by itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput, MissingData
from citewise.protocols import Stores
from citewise.types import Paper

NONE = "none"
"""The field of papers that have no label, where no groups are given."""

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Fields:
    """Says which fields a paper is in.

    With groups, a paper is in each group that has one of its labels or its venue, whatever their
    case, and may be in none. Without, each of its labels is a field.
    """

    groups: Mapping[str, Sequence[str]]

    @classmethod
    def load(cls, path: str | Path) -> "Fields":
        """Read groups: a JSON object of a field's name to the labels and venues in it."""
        try:
            groups = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, tuple[str, ...]])
        except FileNotFoundError:
            raise MissingData(f"{path}: no such file") from None
        except msgspec.MsgspecError as error:
            raise BadInput(
                f'{path}: fields are written as {{"name": ["label", ...], ...}} ({error})'
            ) from None
        if not groups:
            raise BadInput(f"{path}: names no field")

        return cls(groups)

    def of(self, papers: Iterable[Paper]) -> list[tuple[str, ...]]:
        """Return the fields of each paper."""
        if not self.groups:
            return [tuple(dict.fromkeys(paper.fields)) or (NONE,) for paper in papers]

        names: dict[str, list[str]] = {}
        for name, labels in self.groups.items():
            for label in {label.casefold() for label in labels}:
                names.setdefault(label, []).append(name)

        return [
            tuple(
                dict.fromkeys(
                    name
                    for label in (*paper.fields, paper.venue)
                    for name in names.get(label.casefold(), ())
                )
            )
            for paper in papers
        ]

    def members(self, stores: Stores, wanted: Iterable[str]) -> dict[str, Rows]:
        """Return the papers of some fields, in the order of rows; reads the whole library."""
        members: dict[str, list[int]] = {name: [] for name in wanted}
        for start in range(0, stores.papers.rows.size, _BATCH):
            rows = stores.papers.rows[start : start + _BATCH]
            for row, names in zip(rows.tolist(), self.of(stores.papers.read(rows)), strict=True):
                for name in members.keys() & {*names}:
                    members[name].append(row)
        return {name: np.array(rows, np.int64) for name, rows in members.items()}
