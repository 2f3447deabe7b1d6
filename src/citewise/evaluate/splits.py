"""Splits: which papers of a library are queries, for training, for tuning and for reporting."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.errors import BadInput, MissingData
from citewise.evaluate import guard as guards
from citewise.protocols import Stores
from citewise.statistics import cited as cited  # noqa: PLC0414 (training imports it from here)
from citewise.types import Paper, Query

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")

Cut = Literal["eligible", "all"]

Years = tuple[int, int]
"""The first and the last year."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the rows that it should find: the papers that its own paper cites."""

    id: str
    query: Query
    gold: tuple[int, ...]
    within: tuple[int, ...] | None = None
    """The only rows that are ranked for it; None: all that it may see."""
    as_given: bool = False
    """Whether all rows of `within` are ranked, even those that it may not see."""
    guarded: bool = True
    """False: it sees what no draft can see, and its score is no measure of quality."""


class SplitSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which papers are queries, and in which part; years for `test` (and `dev`) take precedence
    over fractions.
    """

    test: Years | None = None
    dev: Years | None = None
    fractions: tuple[float, float, float] = (0.8, 0.1, 0.1)
    """Shares of the papers, the oldest first; papers of one date stay together."""
    cut: Cut = "eligible"
    """What the shares are of: `eligible`, the papers that can be queries; `all`, every paper with a
    year, of which those that cannot be queries are then left out, as in Bhagavatula et al. (2018)
    and Nogueira et al. (2020).
    """
    least: int = 1
    """How many papers of the library, none younger than itself, a paper must cite."""
    abstract: bool = True
    """Whether only papers with an abstract are queries."""
    sample: int | None = None
    """At most this many queries a part, drawn at random."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise BadInput for a setting that makes no sense."""
        if min(self.fractions) < 0 or abs(sum(self.fractions) - 1) > 1e-6:
            raise BadInput(f"fractions must be three shares that add up to 1, not {self.fractions}")
        if self.cut not in ("eligible", "all"):
            raise BadInput(f"fractions are cut from eligible or all papers, not {self.cut!r}")
        if self.least < 1 or (self.sample is not None and self.sample < 1):
            raise BadInput("a query needs at least one reference, and a sample at least one query")
        if self.dev and not self.test:
            raise BadInput("years for dev need years for test as well")
        if self.dev and self.test and self.dev[1] >= self.test[0]:
            raise BadInput(
                f"dev ({self.dev[0]}-{self.dev[1]}) must end before test ({self.test[0]}) begins"
            )


class SplitPaper(msgspec.Struct, frozen=True):
    """A paper that is a query, and the papers that are hidden from it."""

    id: str
    hidden: tuple[str, ...] = ()


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """Papers that are queries, by part, in the order of rows; made for one state of a library."""

    library: str
    """The library's fingerprint."""
    settings: SplitSettings
    guarded: bool = True
    """Whether near-duplicates of dev and test papers were kept out of the training part."""
    parts: dict[str, tuple[SplitPaper, ...]]

    @classmethod
    def make(
        cls,
        stores: Stores,
        settings: SplitSettings,
        *,
        guard: bool = True,
        parts: Sequence[Part] = PARTS,
    ) -> "Split":
        """Split a library's papers; with fewer `parts`, the time for the others is saved."""
        members = _members(stores, eligible(stores, settings), settings)
        near = guards.near(stores, np.concatenate([members[part] for part in parts]))

        if guard and "train" in parts:
            evaluated = {row: near[row] for row in near.keys() - {*members["train"].tolist()}}
            members["train"] = guards.fit_for_training(members["train"], evaluated)

        return cls(
            library=stores.info.fingerprint,
            settings=settings,
            guarded=guard,
            parts={
                part: _split_papers(stores, _sampled(members[part], settings), near)
                for part in parts
            },
        )

    def questions(
        self,
        stores: Stores,
        part: Part = "test",
        *,
        guard: bool = True,
        stale: bool = False,
        authors: bool = False,
    ) -> list[Question]:
        """Return the queries of a part, guarded unless that is switched off; with `authors`, each
        query names its paper's authors, and its venue and key phrases where they are known.

        What is hidden from a query is not among its gold rows either. With `stale`, the library may
        have changed since: papers that are gone, or cite nothing any more, are then left out, and
        what must be hidden is computed again.
        """
        changed = stores.info.fingerprint != self.library
        if changed and not stale:
            raise BadInput(
                f"the split was made for a library with fingerprint {self.library}, "
                f"and {stores.info.location} now "
                f"has {stores.info.fingerprint}: make the split again, or proceed with --stale "
                "(in Python: stale=True)"
            )
        if part not in self.parts:
            raise BadInput(f"the split has no part {part!r}; it has {', '.join(self.parts)}")

        papers = self.parts[part]
        rows = stores.papers.find([each.id for each in papers])
        if changed:
            rows = rows[rows >= 0]
            papers = _split_papers(stores, rows, guards.near(stores, rows))
        return _questions(stores, rows, papers, guard, authors)

    def save(self, path: str | Path) -> None:
        """Write the split as JSON."""
        Path(path).write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> "Split":
        """Read a saved split."""
        try:
            return msgspec.json.decode(Path(path).read_bytes(), type=cls)
        except FileNotFoundError:
            raise MissingData(f"{path}: no such file; make it with: citewise split") from None
        except msgspec.MsgspecError as error:
            raise BadInput(f"{path}: not a split file ({error})") from None


def questions_digest(questions: Sequence[Question]) -> str:
    """Return a hash of queries, of what they may see and of what they should find."""
    return hashlib.blake2b(msgspec.json.encode(list(questions)), digest_size=8).hexdigest()


def eligible(stores: Stores, settings: SplitSettings) -> Rows:
    """Return the papers that can be queries: with a year, enough references and, where required, an
    abstract.
    """
    rows = stores.papers.rows[stores.papers.years(stores.papers.rows) > 0]
    rows = rows[cited(stores, rows).lengths >= settings.least]
    return rows[stores.terms.lengths(rows, "abstract") > 0] if settings.abstract else rows


def _members(stores: Stores, rows: Rows, settings: SplitSettings) -> dict[Part, Rows]:
    """Return the rows of each part, by years or by fractions."""
    if settings.test:
        years = stores.papers.years(rows)
        dev = settings.dev or (settings.test[0], settings.test[0] - 1)
        return {
            "train": rows[years < dev[0]],
            "dev": rows[_between(years, dev)],
            "test": rows[_between(years, settings.test)],
        }

    every = rows
    if settings.cut == "all":
        every = stores.papers.rows[stores.papers.years(stores.papers.rows) > 0]

    dates = [_date(paper) for paper in stores.papers.read(every)]
    order = sorted(range(every.size), key=dates.__getitem__)
    in_order = [dates[position] for position in order]
    cuts = [cut(in_order, share) for share in np.cumsum(settings.fractions)[:2]]

    bounds = [0, cuts[0], max(cuts), every.size]
    parts = {
        part: np.sort(every[order[bounds[number] : bounds[number + 1]]])
        for number, part in enumerate(PARTS)
    }
    return {part: members[np.isin(members, rows)] for part, members in parts.items()}


def _between(years: NDArray[np.int64], bounds: Years) -> NDArray[np.bool_]:
    return (years >= bounds[0]) & (years <= bounds[1])


def _date(paper: Paper) -> str:
    """Return a paper's date, or its year where the date is unknown or of another year."""
    return paper.date if paper.date.startswith(str(paper.year)) else f"{paper.year:04d}"


def cut(dates: Sequence[str], share: float) -> int:
    """Return how many of the sorted dates come before a share of them; equal dates stay together,
    behind the cut.
    """
    position = round(share * len(dates))
    while 0 < position < len(dates) and dates[position] == dates[position - 1]:
        position -= 1
    return position


def _sampled(rows: Rows, settings: SplitSettings) -> Rows:
    """Return at most `settings.sample` of the rows, sorted."""
    if settings.sample is None or rows.size <= settings.sample:
        return rows
    generator = random.Random(settings.seed)  # noqa: S311 (reproducible sampling)
    return np.array(sorted(generator.sample(rows.tolist(), settings.sample)), np.int64)


def _split_papers(
    stores: Stores, rows: Rows, near: Mapping[int, Sequence[int]]
) -> tuple[SplitPaper, ...]:
    """Return papers that are queries, with the ids of the papers near them as hidden."""
    named = sorted({other for row in rows.tolist() for other in (row, *near[row])})
    names = dict(zip(named, (paper.id for paper in stores.papers.read(named)), strict=True))
    return tuple(
        SplitPaper(names[row], tuple(names[other] for other in near[row])) for row in rows.tolist()
    )


def _questions(
    stores: Stores, rows: Rows, papers: Sequence[SplitPaper], guard: bool, authors: bool
) -> list[Question]:
    """Return the questions of papers; one that cites nothing that it may see has none."""
    gold = cited(stores, rows)

    questions = []
    for position, (paper, each) in enumerate(zip(stores.papers.read(rows), papers, strict=True)):
        hidden = set(stores.papers.find(each.hidden).tolist()) if guard and each.hidden else set()
        wanted = tuple(row for row in gold[position].tolist() if row not in hidden)
        if wanted:
            query = guards.query_of(paper, each.hidden, guard, authors)
            questions.append(Question(paper.id, query, wanted, guarded=guard))
    return questions
