"""Large-scale setups: the same questions over candidate sets of growing size, or of one field each.

Medić and Šnajder 2022, section 3. A candidate set becomes a library of its own, so that a system
knows no more than what is in it; it has the citations among its papers, and no trained model. All
that the questions cite is in it.
"""

import hashlib
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from citewise.api import add, open_stores
from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate.experiment import Estimate, Settings, answers
from citewise.evaluate.fields import Fields
from citewise.evaluate.measures import Hits, Measure, combined, interval, parse_measures
from citewise.evaluate.pool_building import draw_questions
from citewise.evaluate.pools import PoolSettings
from citewise.evaluate.runs import Progress
from citewise.evaluate.splits import Question, Split
from citewise.protocols import Stores
from citewise.types import Paper

MEASURES = "MAP@500 nDCG@500 R@30"
"""Those of the paper's tables 1, 2, 7 and 8."""

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """Questions, and the papers among which their references are searched."""

    name: str
    """A size or a field; sets of one name are repetitions."""
    questions: tuple[Question, ...]
    rows: Rows


@dataclass(frozen=True, slots=True)
class LargeScores:
    """The results of systems in the sets of one name; values are means over the repetitions."""

    name: str
    papers: int
    """In the first of them."""
    repeats: int
    queries: int
    values: dict[str, dict[str, Estimate]]
    """By system and measure."""


def sized_sets(
    stores: Stores,
    questions: Sequence[Question],
    sizes: Sequence[int],
    repeats: int = 1,
    seed: int = 0,
    fit: Rows | None = None,
) -> Iterator[CandidateSet]:
    """Yield for each size a set of all papers that the questions cite, filled up with random papers
    that are not younger than the last query (section 3.1); with `fit`, only with these.
    """
    last = max((question.query.year or 0 for question in questions), default=0)
    rows = stores.papers.rows if fit is None else fit
    years = stores.papers.years(rows)
    others = rows[(years > 0) & (years <= last)]

    for size in sizes:
        for repeat in range(repeats if size < others.size else 1):
            yield CandidateSet(
                f"{size}",
                tuple(questions),
                _filled(questions, others, size, f"{seed} {size} {repeat}"),
            )


def field_sets(
    stores: Stores,
    questions: Sequence[Question],
    fields: Fields,
    settings: PoolSettings,
    size: int = 100_000,
    repeats: int = 1,
    fit: Rows | None = None,
) -> Iterator[CandidateSet]:
    """Yield for each field a set of all papers that its questions cite, filled up with papers that
    some paper of the field cites (section 3.2).

    Of those citations, only the ones made before the field's last query count. With `fit`, sets are
    filled up only with these.
    """
    drawn = draw_questions(stores, questions, fields, settings)
    by_field = {
        name: [question for field, question in drawn if field == name]
        for name in dict.fromkeys(field for field, _ in drawn)
    }

    for name, members in fields.members(stores, by_field).items():
        years = stores.papers.years(members)
        last = max(question.query.year or 0 for question in by_field[name])
        others = np.unique(stores.graph.references(members[(years > 0) & (years < last)]).values)
        if fit is not None:
            others = others[np.isin(others, fit)]

        for repeat in range(repeats if size < others.size else 1):
            rows = _filled(by_field[name], others, size, f"{settings.seed} {name} {repeat}")
            yield CandidateSet(name, tuple(by_field[name]), rows)


def training_set(stores: Stores, split: Split, questions: Sequence[Question]) -> CandidateSet:
    """Return the questions with the papers that are no younger than the training part of a split
    and in no other part; what else they cite is not asked for.

    So do Ren et al. (2014) and those who compare with them on their DBLP and PubMed.
    """
    parts = {
        part: stores.papers.find([paper.id for paper in papers])
        for part, papers in split.parts.items()
    }
    if not parts.get("train", np.zeros(0)).size:
        raise BadInput("the split has no training papers that could be candidates")

    last = int(stores.papers.years(parts["train"]).max())
    years = stores.papers.years(stores.papers.rows)
    rows = stores.papers.rows[(years > 0) & (years <= last)]
    others = [found for part, found in parts.items() if part != "train"]
    rows = np.setdiff1d(rows, np.concatenate([np.zeros(0, np.int64), *others]))

    known = {*rows.tolist()}
    found = [
        replace(question, gold=tuple(row for row in question.gold if row in known))
        for question in questions
    ]
    return CandidateSet("training papers", tuple(each for each in found if each.gold), rows)


def _filled(questions: Sequence[Question], others: Rows, size: int, seed: str) -> Rows:
    """Return the papers that the questions cite, filled up at random to `size`, sorted."""
    wanted = np.unique([row for question in questions for row in question.gold]).astype(np.int64)
    free = np.setdiff1d(others, wanted).tolist()

    if size < wanted.size:
        raise BadInput(
            f"{size:,} papers are too few: what the questions cite are {wanted.size:,} already"
        )

    generator = random.Random(seed)  # noqa: S311 (reproducible sampling)
    chosen = generator.sample(free, min(size - wanted.size, len(free)))
    return np.sort(np.concatenate((wanted, np.array(chosen, np.int64))))


def score_sets(
    stores: Stores,
    systems: Sequence[str],
    sets: Sequence[CandidateSet],
    folder: Path,
    settings: Settings | None = None,
    progress: Progress = lambda done, total: None,
) -> list[LargeScores]:
    """Ask the systems in each candidate set, and return their scores by the sets' names; libraries
    and answers stay in the folder and are used again.
    """
    settings = replace(settings or Settings(parse_measures(MEASURES)), folder=folder / "runs")

    hits: dict[str, list[tuple[CandidateSet, dict[str, Hits]]]] = {}
    for done, each in enumerate(sets, 1):
        scored = _hits(stores, systems, each, folder, settings)
        hits.setdefault(each.name, []).append((each, scored))
        progress(done, len(sets))
    return [_scores(name, repeats, settings) for name, repeats in hits.items()]


def _hits(
    stores: Stores, systems: Sequence[str], each: CandidateSet, folder: Path, settings: Settings
) -> dict[str, Hits]:
    """Return by system what it finds in a candidate set."""
    part = part_library(stores, each.rows, folder)
    questions = moved(each.questions, stores, part)

    depth = max(measure.k for measure in settings.measures)
    return {
        run.system: Hits.of(run.rankings, [question.gold for question in questions], depth)
        for run in answers(part, systems, questions, settings)
    }


def part_library(stores: Stores, rows: Rows, folder: Path) -> Stores:
    """Return a library of some papers of another; it is made in the folder unless it is there
    already.
    """
    key = stores.info.fingerprint.encode() + rows.tobytes()
    path = folder / f"part-{hashlib.blake2b(key, digest_size=8).hexdigest()}"
    if not (path / "manifest.json").exists():
        shutil.rmtree(path, ignore_errors=True)
        add(_papers(stores, rows), path, keep_versions=True)
    return open_stores(path)


def _papers(stores: Stores, rows: Rows) -> Iterator[Paper]:
    for start in range(0, rows.size, _BATCH):
        yield from stores.papers.read(rows[start : start + _BATCH])


def moved(questions: Sequence[Question], whole: Stores, part: Stores) -> list[Question]:
    """Return the same questions with the rows of another library, which must have all papers that
    they cite.
    """
    rows = np.unique([row for question in questions for row in question.gold]).astype(np.int64)
    there = part.papers.find([paper.id for paper in whole.papers.read(rows)])
    new_rows = dict(zip(rows.tolist(), there.tolist(), strict=True))

    return [
        replace(question, gold=tuple(new_rows[row] for row in question.gold))
        for question in questions
    ]


def _scores(
    name: str, repeats: Sequence[tuple[CandidateSet, dict[str, Hits]]], settings: Settings
) -> LargeScores:
    """Return the mean scores over the repetitions of a set."""
    first, hits = repeats[0]

    return LargeScores(
        name,
        first.rows.size,
        len(repeats),
        len(first.questions),
        {
            system: {
                str(measure): _estimate(
                    measure, [each[system] for _, each in repeats], settings.seed
                )
                for measure in settings.measures
            }
            for system in hits
        },
    )


def _estimate(measure: Measure, repeats: Sequence[Hits], seed: int) -> Estimate:
    """Return a measure whose numbers a query are means over the repetitions."""
    values = np.mean([measure.each(hits) for hits in repeats], 0)
    return Estimate(float(combined(values.mean(0, keepdims=True))[0]), *interval(values, seed))
