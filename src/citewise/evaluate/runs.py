"""Answers of systems: computed by the recommender that serves, on several cores, and written to a
journal meanwhile.

A journal is a file of JSON lines, one a query. Its name is a hash of the library's fingerprint, the
system, the queries and the depth, so that an interrupted run goes on where it stopped and is never
mixed up with another.
"""

import contextlib
import functools
import hashlib
import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.api import open_stores
from citewise.arrays import Rows
from citewise.errors import BadInput, BadLibrary
from citewise.evaluate.interchange import read_run, token
from citewise.evaluate.splits import Question, questions_digest
from citewise.protocols import Stores
from citewise.recommend import Recommender, scope_of
from citewise.systems import System

FOREIGN = "run:"
"""Begins the spelling of a system that is a run file of another program."""

Progress = Callable[[int, int | None], None]
"""Called with the number of answers so far, and of all questions."""

_CHUNK = 8
"""Queries that a process gets at a time."""


@dataclass(frozen=True, slots=True)
class Run:
    """A system's answers to some questions, in their order: rows, best first (-1: a paper that the
    library does not have).
    """

    system: str
    rankings: tuple[Rows, ...]
    scores: tuple[NDArray[np.float64], ...] = ()
    seconds: NDArray[np.float64] | None = None
    """The time of each answer, within the system; None for a run file."""
    dropped: int = 0
    """Papers of a run file that its queries may not see; they were taken out."""


class _Answer(msgspec.Struct):
    """A line of a journal."""

    query: str
    seconds: float
    rows: list[int]
    scores: list[float]


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class Subject:
    """A library under evaluation, with the systems that were built over it."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._recommenders: dict[str, Recommender] = {}

    def recommender(self, system: str, first: Question, depth: int) -> Recommender:
        """Return a system over the library; a new one answers a first question at once, so that
        what is loaded on first use is not timed.
        """
        if system not in self._recommenders:
            recommender = System.parse(system).over(self.stores)
            self._recommenders[system] = recommender
            _answer(recommender, first, depth)
        return self._recommenders[system]


class Workers:
    """Does work in this process, or in several that each open the library for themselves."""

    def __init__(self, stores: Stores, jobs: int = 1) -> None:
        if jobs < 1:
            raise BadInput(f"jobs must be at least 1, not {jobs}")
        self._subject, self.jobs = Subject(stores), jobs
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def answers(self, system: str, questions: Sequence[Question], depth: int) -> Iterator[_Answer]:
        """Yield the answers in order."""
        starts = range(0, len(questions), _CHUNK)
        tasks = [(system, list(questions[start : start + _CHUNK]), depth) for start in starts]
        yield from itertools.chain.from_iterable(self.map(_answers, tasks))

    def map(
        self, work: Callable[[Subject, _Task], _Result], tasks: Iterable[_Task]
    ) -> Iterator[_Result]:
        """Yield the result of `work`, a function of a module, for each task, in order."""
        if self.jobs == 1:
            return (work(self._subject, task) for task in tasks)
        return self._processes().map(functools.partial(_in_process, work), tasks)

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            info = self._subject.stores.info
            self._pool = ProcessPoolExecutor(
                self.jobs,
                multiprocessing.get_context("spawn"),
                _open,
                (info.location, info.fingerprint),
            )
        return self._pool


def _answers(subject: Subject, task: tuple[str, list[Question], int]) -> list[_Answer]:
    system, questions, depth = task
    recommender = subject.recommender(system, questions[0], depth)
    return [_answer(recommender, question, depth) for question in questions]


_here: list[Subject] = []
"""The library of a process that `Workers` started."""


def _open(location: str, fingerprint: str) -> None:
    """Open the library of a new process; raise if it is not in the same state any more."""
    stores = open_stores(location)
    if stores.info.fingerprint != fingerprint:
        raise BadLibrary(
            f"{location}: the library changed while it was being evaluated; run the evaluation "
            "again"
        )
    _here.append(Subject(stores))


def _in_process(work: Callable[[Subject, _Task], _Result], task: _Task) -> _Result:
    return work(_here[0], task)


def _answer(recommender: Recommender, question: Question, depth: int) -> _Answer:
    """Return the answer to a question and how long it took."""
    start = time.perf_counter()
    ranking = recommender.rank(question.query, depth, question.within, question.as_given)
    seconds = time.perf_counter() - start
    return _Answer(question.id, seconds, ranking.rows.tolist(), ranking.scores.tolist())


def ask(
    workers: Workers,
    stores: Stores,
    system: str,
    questions: Sequence[Question],
    depth: int,
    folder: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Run:
    """Return a system's answers; with a folder, those in a journal there are not computed again."""
    path = folder / f"{journal_name(stores, system, questions, depth)}.jsonl" if folder else None
    answers = _read_journal(path) if path else []

    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(path.open("ab")) if path else None
        for answer in workers.answers(system, questions[len(answers) :], depth):
            if journal:
                journal.write(msgspec.json.encode(answer) + b"\n")
            answers.append(answer)
            progress(len(answers), len(questions))

    return Run(
        system,
        tuple(np.array(each.rows, np.int64) for each in answers),
        tuple(np.array(each.scores) for each in answers),
        np.array([each.seconds for each in answers]),
    )


def journal_name(stores: Stores, system: str, questions: Sequence[Question], depth: int) -> str:
    """Return a file name that begins with the system's name and is unique to this run."""
    key = [
        stores.info.fingerprint,
        System.parse(system).identity(stores),
        questions_digest(questions),
        depth,
    ]

    digest = hashlib.blake2b(msgspec.json.encode(key), digest_size=8).hexdigest()
    return f"{system.partition('(')[0]}-{digest}"


def _read_journal(path: Path) -> list[_Answer]:
    """Return the answers of a journal, and cut off a last line that is not whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.read_bytes() if path.exists() else b""
    answers, end = [], 0

    for line in whole.splitlines(keepends=True):
        try:
            answers.append(msgspec.json.decode(line, type=_Answer))
        except msgspec.MsgspecError:
            break
        if not line.endswith(b"\n"):
            answers.pop()
            break
        end += len(line)

    if end < len(whole):
        with path.open("r+b") as file:
            file.truncate(end)
    return answers


def foreign(stores: Stores, system: str, questions: Sequence[Question], depth: int) -> Run:
    """Return the answers of a run file, without papers that a question may not see."""
    listed = read_run(system.removeprefix(FOREIGN))
    names = list({paper for papers in listed.values() for paper in papers})
    rows = dict(zip(names, _rows(stores, names), strict=True))

    rankings, dropped = [], 0
    for question in questions:
        ranking = np.array([rows[paper] for paper in listed.get(token(question.id), ())], np.int64)
        # unknown papers (-1) are kept: row 0 stands for them while the others are checked
        known = np.maximum(ranking, 0)
        kept = (ranking < 0) | stores.papers.in_scope(
            known,
            scope_of(stores.papers, question.query, question.within, question.as_given),
        )
        dropped += int(ranking.size - kept.sum())
        rankings.append(ranking[kept][:depth])

    if not any(ranking.size for ranking in rankings):
        raise BadInput(
            f"{system.removeprefix(FOREIGN)}: no query of this run is among those that are "
            "evaluated"
        )
    return Run(system, tuple(rankings), dropped=dropped)


def _rows(stores: Stores, names: Sequence[str]) -> list[int]:
    """Return the rows of a run file's ids, in which %20 may stand for white space."""
    if not names:
        return []
    rows = stores.papers.find(names)

    escaped = [
        position for position in np.flatnonzero(rows < 0).tolist() if "%20" in names[position]
    ]
    rows[escaped] = stores.papers.find(
        [names[position].replace("%20", " ") for position in escaped]
    )
    return [int(row) for row in rows]
