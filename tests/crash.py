"""Kills writers at random moments and reads while they write; shared by test_crash.py and
benchmarks/crash.py.
"""

import dataclasses
import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TypedDict

import numpy as np

import citewise
from citewise.library.folder import LibraryFolder
from citewise.protocols import Stores
from citewise.types import Paper
from citing import EVERYTHING, spans_citing
from corpora import random_papers
from crash_writer import VECTORS, Job, Writer, Writers, sentences_of, work
from word_models import StemModel, embedded

OPERATIONS = ("create", "index", "add", "remove", "compact", "embed")
_MOST_PAPERS = 500
_LATEST = 1.15
"""Kills fall between 0 and this many times an operation's usual duration after "ready"."""

State = dict[str, Paper] | None
"""The papers that a library should hold, by id; None where there is no library."""


class Killed(TypedDict):
    """What became of libraries whose writers were killed."""

    kills: int
    seconds: float
    failures: list[str]
    """Checks that failed."""
    leftovers: list[str]
    """Folders that nothing uses."""
    outcomes: dict[str, dict[str, int]]
    """By operation: how often it ended in which way."""


ReadBesideWriter = TypedDict(
    "ReadBesideWriter",
    {
        "adds": int,
        "opened": int,
        "queries": int,
        "generations seen": int,
        "last generation": int,
        "failures": list[str],
    },
)
"""What a reader saw while another process wrote."""


# Killing


class _Life:
    """A library through many operations; `papers` are those that it should hold, by id."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.dice, self.folder = random.Random(seed), folder
        self._numbered, self._libraries = 0, 0
        self.library, self.generation = folder / "library-0", 1
        self.papers = self._fresh(300)
        citewise.add([*self.papers.values(), *sentences_of(self.papers.values())], self.library)

    def _fresh(self, count: int) -> dict[str, Paper]:
        papers = random_papers(count, self.dice.randrange(10**9), first=self._numbered)
        self._numbered += count
        return {paper.id: paper for paper in papers}

    def next_job(self, operation: str) -> tuple[Job, State, State, int]:
        """Return a job, the states before and after it, and the generation before it."""
        if operation == "create":
            self._libraries += 1
            self.library = self.folder / f"library-{self._libraries}"
            fresh = self._fresh(self.dice.randint(50, 300))
            return Job("create", str(self.library), sources=self._sources(fresh)), None, fresh, 0

        job = Job(operation, str(self.library))
        after = dict(self.papers)
        if operation in ("index", "add"):
            changed = self._rewritten(10)
            given = {**self._fresh(self.dice.randint(20, 150)), **changed}
            job.papers, job.sources = list(given.values()), self._sources(given)
            after |= given
        elif operation == "remove":
            count = self.dice.randint(1, max(len(self.papers) // 3, 1))
            job.ids = self.dice.sample(sorted(self.papers), count)
            for name in job.ids:
                del after[name]
        return job, self.papers, after, self.generation

    def _rewritten(self, most: int) -> dict[str, Paper]:
        """Return some of the papers, each with a new abstract."""
        names = self.dice.sample(sorted(self.papers), min(len(self.papers), most))
        return {
            name: dataclasses.replace(
                self.papers[name], abstract=f"Rewritten {self.dice.random()}."
            )
            for name in names
        }

    def _sources(self, papers: dict[str, Paper]) -> list[str]:
        """Write papers and their sentences; return the files, in a random order."""
        contexts = [
            {
                "citing_id": each.citing,
                "text": each.text,
                "cited_ids": each.groups[0].cited,
                "year": each.year,
            }
            for each in sentences_of(papers.values())
        ]
        files = {
            "papers.jsonl": [dataclasses.asdict(paper) for paper in papers.values()],
            "contexts.jsonl": contexts,
        }
        for name, records in files.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (self.folder / name).write_text(lines)
        return [str(self.folder / name) for name in self.dice.sample(sorted(files), 2)]

    def settle(self, state: State, generation: int) -> None:
        """Take over what a check found; where a library was never made, make one without being
        killed.
        """
        if not state:
            state, generation = self._fresh(100), generation + 1
            citewise.add([*state.values(), *sentences_of(state.values())], self.library)
        self.papers, self.generation = state, generation

    def operation(self) -> str:
        """Return what to do next; a library that has grown large is left, or loses papers."""
        if len(self.papers) > _MOST_PAPERS:
            return self.dice.choice(["create", "remove"])
        return self.dice.choice(OPERATIONS)


def check(library: Path, before: State, after: State, generation: int) -> tuple[str, State]:
    """Return which side of the commit a library is on, "before" or "after"; raise AssertionError if
    on neither.
    """
    if before is None and not (library / "manifest.json").exists():
        return "before", None
    found = citewise.verify(library)
    assert found.sound, found.problems
    stores = LibraryFolder(library)
    number = stores.manifest.generation
    assert number in (generation, generation + 1), f"generation {number} came after {generation}"

    side, expected = ("before", before) if number == generation else ("after", after)
    papers = {paper.id: paper for paper in stores.papers.read(stores.papers.rows)}
    assert expected is not None and papers.keys() == expected.keys(), (
        f"not the papers from {side} the commit"
    )
    assert all(_same(papers[name], expected[name]) for name in expected), (
        "a paper is not as it was written"
    )
    _check_sentences(stores, expected)
    _check_vectors(stores)

    answer = citewise.open(library).recommend("neural citation ranking of bees", k=len(papers) + 1)
    assert len(answer) or not papers, "a query found nothing"
    assert {each.paper.id for each in answer} <= expected.keys()
    return side, expected


def _check_sentences(stores: Stores, papers: dict[str, Paper]) -> None:
    """Raise AssertionError unless the library has the sentences that go with the papers."""
    sentences = sentences_of(papers.values())
    assert stores.evidence.counts().sentences == len(sentences), "sentences went astray"

    names = {key: paper.id for paper in papers.values() for key in (paper.id, *paper.ids)}
    expected = {
        (each.text, names[key])
        for each in sentences
        for key in each.groups[0].cited
        if key in names and names[key] != each.citing
    }
    assert _cited(stores) == expected, "sentences cite other papers"


def _check_vectors(stores: Stores) -> None:
    """Raise AssertionError unless each paper has the vector that the model makes of it, or none."""
    found, rows = stores.vectors.papers(VECTORS), stores.papers.rows
    if found is None:
        return
    vectors = found.of(rows)
    known = ~np.isnan(vectors[:, 0])
    expected = embedded(stores, StemModel(), rows[known])
    assert np.allclose(vectors[known], expected, atol=1e-6), "vectors belong to other papers"


def _cited(stores: Stores) -> set[tuple[str, str]]:
    """Return which sentences cite which papers of a library, by text and id."""
    found, rows = set(), stores.papers.rows
    for paper, row, spans in zip(
        stores.papers.read(rows), rows.tolist(), spans_citing(stores.evidence, rows), strict=True
    ):
        cited = np.full(spans.size, row)
        occurrences = stores.evidence.occurrences(spans, cited, EVERYTHING, 1000)
        found |= {(each.text, paper.id) for some in occurrences for each in some}
    return found


def _same(found: Paper, written: Paper) -> bool:
    """Whether a paper is the one written; reading a source drops a paper's references to itself."""
    one, other = (dataclasses.replace(paper, references=()) for paper in (found, written))
    own = {found.id}
    return one == other and {*found.references} | own == {*written.references} | own


def run(kills: int, seed: int, folder: Path) -> Killed:
    """Kill writers until `kills` signals were sent; return what became of their libraries."""
    start = time.perf_counter()
    life = _Life(seed, folder)
    outcomes: dict[str, Counter[str]] = {operation: Counter() for operation in OPERATIONS}
    failures: list[str] = []
    usual = dict.fromkeys(OPERATIONS, 0.0)
    sent = 0

    with Writers(folder) as writers:
        while sent < kills:
            operation = life.operation()
            job, before, after, generation = life.next_job(operation)
            with writers.writer([job]) as writer:
                delay = usual[operation] and life.dice.uniform(0, _LATEST) * usual[operation]
                outcome, seconds = _interrupted(writer, delay)
            sent += outcome == "killed"
            if outcome == "failed":
                raise RuntimeError(f"a writer failed: {writers.errors()}")
            if outcome == "finished":
                usual[operation] = seconds

            try:
                side, state = check(life.library, before, after, generation)
                if outcome == "finished" and side == "before":
                    raise AssertionError("a writer that finished had not committed")
            except (AssertionError, citewise.CitewiseError, OSError, ValueError) as error:
                failures.append(f"{operation}, {outcome}: {type(error).__name__}: {error}")
                life = _Life(seed + len(failures), _subfolder(folder, len(failures)))
                continue
            outcomes[operation][outcome if outcome == "finished" else f"killed {side} commit"] += 1
            life.settle(state, generation + (side == "after"))

    leftovers = _leftovers(life)
    return Killed(
        kills=sent,
        seconds=round(time.perf_counter() - start, 1),
        failures=failures,
        leftovers=leftovers,
        outcomes={name: dict(sorted(each.items())) for name, each in outcomes.items()},
    )


def _interrupted(writer: Writer, delay: float) -> tuple[str, float]:
    """Kill a writer after a delay (0: let it finish, to learn how long that takes); return the
    outcome, and seconds.
    """
    start = time.perf_counter()
    if delay and writer.wait(delay) is None:
        writer.kill()
    code = writer.wait()
    seconds = time.perf_counter() - start
    return {0: "finished", -signal.SIGKILL: "killed"}.get(code or 0, "failed"), seconds


def _subfolder(folder: Path, number: int) -> Path:
    subfolder = folder / f"after-failure-{number}"
    subfolder.mkdir()
    return subfolder


def _leftovers(life: _Life) -> list[str]:
    """Return what killed writers left behind and the next one, which finishes, did not remove."""
    job, _, _, _ = life.next_job("add")
    work(job)

    manifest = LibraryFolder(life.library).manifest
    used = {f"segments/{entry.name}" for entry in manifest.segments}
    used |= {f"tables/{name}" for name in manifest.table_folders}
    used |= {f"lexical/{manifest.lexical}"}
    used |= {f"evidence/{name}" for name in manifest.evidence}
    present = {
        f"{kind}/{each.name}"
        for kind in ("segments", "tables", "lexical", "evidence")
        for each in (life.library / kind).glob("*")
    }
    vectors = {
        file.relative_to(life.library).as_posix()
        for file in (life.library / "embeddings").glob("*/*")
    }
    return sorted((present - used) | (vectors - manifest.files.keys()))


# Reading while another process writes


def read_while_writing(adds: int, folder: Path) -> ReadBesideWriter:
    """Open and query a library while a writer adds to it; each answer must be that of one whole
    generation.
    """
    library, size, base = folder / "library", 15, 60
    papers = [
        Paper(
            f"p{number}",
            f"Bees and the number {number}",
            f"All of these speak of bees, {number % 7} times.",
        )
        for number in range(base + adds * size)
    ]
    citewise.add(papers[:base], library)
    parts = [papers[start : start + size] for start in range(base, len(papers), size)]
    jobs = [Job("add", str(library), part) for part in parts]

    seen: Counter[int] = Counter()
    failures: list[str] = []
    first, queries = citewise.open(library), 0
    with Writers(folder) as writers, writers.writer(jobs) as writer:
        code = None
        running = True
        while running:
            code = writer.wait(0)
            running = code is None  # and once more after the writer's end
            try:
                reader = citewise.open(library)
                generation = reader.stores.info.generation
                for each, number in ((reader, generation), (first, 1)):
                    _check_answer(each, number, papers[: base + (number - 1) * size])
                    queries += 1
                seen[generation] += 1
            except (AssertionError, citewise.CitewiseError, OSError, ValueError) as error:
                failures.append(f"{type(error).__name__}: {error}")
        if code:
            failures.append(f"the writer failed: {writers.errors()}")

    return {
        "adds": adds,
        "opened": seen.total(),
        "queries": queries,
        "generations seen": len(seen),
        "last generation": max(seen, default=0),
        "failures": failures,
    }


def _check_answer(reader: citewise.Library, generation: int, papers: list[Paper]) -> None:
    """Raise AssertionError unless a reader of a generation finds exactly these papers."""
    answer = reader.recommend("bees", k=len(papers) + 1)
    found = {each.paper.id for each in answer}
    assert found == {paper.id for paper in papers}, f"generation {generation}: other papers"
    assert len(reader) == len(papers), f"generation {generation}: {len(reader)} papers"
