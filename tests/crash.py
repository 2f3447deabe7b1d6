"""Kills writers at random moments and reads while they write; shared by test_crash.py and benchmarks/crash.py.

Run as a program it is the writer that gets killed: it says "ready" when imports are done, works, and says "done".
"""

import contextlib
import dataclasses
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from corpora import random_papers

import citewise
from citewise.types import CitationGroup, CitingSentence, Paper, Scope

OPERATIONS = ("create", "index", "add", "remove", "compact")
_MOST_PAPERS = 500
_LATEST = 1.15
"""Kills fall between 0 and this many times an operation's usual duration after "ready"."""

State = dict[str, Paper] | None
"""The papers that a library should hold, by id; None where there is no library."""


class Job(msgspec.Struct):
    """What a writer is told to do."""

    operation: str
    library: str
    papers: list[Paper] = []
    ids: list[str] = []
    sources: list[str] = []


def sentences_of(papers: Iterable[Paper]) -> list[CitingSentence]:
    """Return the sentences that go with papers: each says one thing, and cites its first two references for it."""
    return [CitingSentence(paper.id, f"Paper {paper.id} speaks of it [REF].", (
        CitationGroup(20 + len(paper.id), 25 + len(paper.id), paper.references[:2]),), year=paper.year)
        for paper in papers if paper.references]


# The writer

def _work(job: Job) -> None:
    if job.operation in ("create", "index"):
        citewise.index(job.sources, job.library)
    elif job.operation == "add":
        citewise.add([*job.papers, *sentences_of(job.papers)], job.library)
    elif job.operation == "remove":
        citewise.remove(job.library, job.ids)
    elif job.operation == "compact":
        citewise.compact(job.library)
    else:
        raise ValueError(job.operation)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _main() -> None:
    jobs = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=list[Job])
    _say("ready")
    for job in jobs:
        _work(job)
        _say("done")


@contextlib.contextmanager
def _writer(jobs: list[Job], folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Give a writer that has just said "ready"; it is gone afterwards."""
    file = folder / "jobs.json"
    file.write_bytes(msgspec.json.encode(jobs))
    command = [sys.executable, str(Path(__file__).resolve()), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise RuntimeError(f"the writer did not start: {process.stderr.read() if process.stderr else ''}")
            yield process
        finally:
            process.kill()


# Killing

class _Life:
    """A library through many operations, with what it should hold kept beside it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.dice, self.folder = random.Random(seed), folder
        self.library, self.held, self.generation = folder / "library-0", {}, 0
        self._numbered, self._libraries = 0, 0
        self.held = self._fresh(300)
        citewise.add([*self.held.values(), *sentences_of(self.held.values())], self.library)
        self.generation = 1

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
        after = dict(self.held)
        if operation in ("index", "add"):
            changed = {name: dataclasses.replace(self.held[name], abstract=f"Rewritten {self.dice.random()}.")
                       for name in self.dice.sample(sorted(self.held), min(len(self.held), 10))}
            given = {**self._fresh(self.dice.randint(20, 150)), **changed}
            job.papers, job.sources = list(given.values()), self._sources(given)
            after |= given
        elif operation == "remove":
            job.ids = self.dice.sample(sorted(self.held), self.dice.randint(1, max(len(self.held) // 3, 1)))
            for name in job.ids:
                del after[name]
        return job, self.held, after, self.generation

    def _sources(self, papers: dict[str, Paper]) -> list[str]:
        """Write papers and their sentences; return the files, in a random order."""
        contexts = [{"citing_id": each.citing, "text": each.text, "cited_ids": each.groups[0].cited, "year": each.year}
                    for each in sentences_of(papers.values())]
        files = {"papers.jsonl": [dataclasses.asdict(paper) for paper in papers.values()], "contexts.jsonl": contexts}
        for name, records in files.items():
            (self.folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
        return [str(self.folder / name) for name in self.dice.sample(sorted(files), 2)]

    def settle(self, state: State, generation: int) -> None:
        """Take over what a check found; where a library was never made, make one without being killed."""
        if not state:
            state, generation = self._fresh(100), generation + 1
            citewise.add([*state.values(), *sentences_of(state.values())], self.library)
        self.held, self.generation = state, generation

    def operation(self) -> str:
        if len(self.held) > _MOST_PAPERS:
            return self.dice.choice(["create", "remove"])
        return self.dice.choice(OPERATIONS)


def check(library: Path, before: State, after: State, generation: int) -> tuple[str, State]:
    """Return which side of the commit a library is on, "before" or "after"; raise AssertionError if on neither."""
    if before is None and not (library / "manifest.json").exists():
        return "before", None
    found = citewise.verify(library)
    assert found.sound, found.problems
    held = citewise.open(library)
    papers = {paper.id: paper for paper in held.library.papers(held.library.rows)}
    number = held.library.manifest.generation
    assert number in (generation, generation + 1), f"generation {number} came after {generation}"
    side, expected = ("before", before) if number == generation else ("after", after)
    assert expected is not None and papers.keys() == expected.keys(), f"not the papers from {side} the commit"
    assert all(_same(papers[name], expected[name]) for name in expected), "a paper is not as it was written"
    assert held.library.evidence_counts().sentences == len(sentences_of(expected.values())), "sentences went astray"
    names = {key: paper.id for paper in expected.values() for key in (paper.id, *paper.ids)}
    assert _cited(held) == {(each.text, names[key]) for each in sentences_of(expected.values())
                            for key in each.groups[0].cited if key in names and names[key] != each.citing}
    answers = held.recommend("neural citation ranking of bees", k=len(papers) + 1)
    assert answers or not papers, "a query found nothing"
    assert {each.paper.id for each in answers} <= expected.keys()
    return side, expected


def _cited(held: citewise.OpenLibrary) -> set[tuple[str, str]]:
    """Return which sentences cite which papers of a library."""
    library, found = held.library, set()
    for paper, row, spans in zip(library.papers(library.rows), library.rows, library.said_of(library.rows, Scope()),
                                 strict=True):
        places = library.occurrences(spans, spans * 0 + row, Scope(), 1000)
        found |= {(each.text, paper.id) for some in places for each in some}
    return found


def _same(found: Paper, written: Paper) -> bool:
    """Whether a paper is the one written; reading a source drops a paper's references to itself."""
    return dataclasses.replace(found, references=()) == dataclasses.replace(written, references=()) and (
        {*found.references} | {found.id} == {*written.references} | {found.id})


def run(kills: int, seed: int, folder: Path) -> dict[str, object]:
    """Kill writers until `kills` signals were sent; return outcomes by operation, and every failed check."""
    start = time.perf_counter()
    life = _Life(seed, folder)
    outcomes = {operation: Counter() for operation in OPERATIONS}
    failures: list[str] = []
    usual = dict.fromkeys(OPERATIONS, 0.0)
    sent = 0
    while sent < kills:
        operation = life.operation()
        job, before, after, generation = life.next_job(operation)
        with _writer([job], folder) as process:
            outcome, seconds = _interrupted(process, usual[operation] and life.dice.uniform(0, _LATEST)
                                            * usual[operation])
        sent += outcome == "killed"
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
    return {"kills": sent, "seconds": round(time.perf_counter() - start, 1), "failures": failures,
            "leftovers": leftovers, "outcomes": {name: dict(sorted(each.items())) for name, each in outcomes.items()}}


def _interrupted(process: "subprocess.Popen[str]", delay: float) -> tuple[str, float]:
    """Kill a writer after a delay (0: let it finish, to learn how long that takes); return the outcome, and seconds."""
    start = time.perf_counter()
    if delay:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    code = process.wait()
    seconds = time.perf_counter() - start
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"the writer ended with code {code}: {process.stderr.read() if process.stderr else ''}")
    return ("killed" if code else "finished"), seconds


def _subfolder(folder: Path, number: int) -> Path:
    place = folder / f"after-failure-{number}"
    place.mkdir()
    return place


def _leftovers(life: _Life) -> list[str]:
    """Return what killed writers left behind and the next one, which finishes, did not clear away."""
    job, _, _, _ = life.next_job("add")
    _work(job)
    manifest = citewise.open(life.library).library.manifest
    used = {f"segments/{entry.name}" for entry in manifest.segments}
    used |= {f"tables/{manifest.tables}", f"lexical/{manifest.lexical}"}
    used |= {f"evidence/{name}" for name in manifest.evidence}
    present = {f"{kind}/{each.name}" for kind in ("segments", "tables", "lexical", "evidence")
               for each in (life.library / kind).glob("*")}
    return sorted(present - used)


# Reading while another process writes

def read_while_writing(adds: int, folder: Path) -> dict[str, object]:
    """Open and query a library while a writer adds to it; each answer must be that of one whole generation."""
    library, size, base = folder / "library", 15, 60
    papers = [Paper(f"p{number}", f"Bees and the number {number}", f"All of these speak of bees, {number % 7} times.")
              for number in range(base + adds * size)]
    citewise.add(papers[:base], library)
    jobs = [Job("add", str(library), papers[start: start + size]) for start in range(base, len(papers), size)]
    seen: Counter[int] = Counter()
    failures: list[str] = []
    first = citewise.open(library)
    queries = 0
    with _writer(jobs, folder) as process:
        running = True
        while running:
            running = process.poll() is None  # and once more after the writer's end
            try:
                held = citewise.open(library)
                generation = held.library.manifest.generation
                for reader, number in ((held, generation), (first, 1)):
                    answers = reader.recommend("bees", k=len(papers) + 1)
                    expected = {paper.id for paper in papers[: base + (number - 1) * size]}
                    assert {each.paper.id for each in answers} == expected, f"generation {number}: other papers"
                    assert len(reader) == len(expected), f"generation {number}: {len(reader)} papers"
                    queries += 1
                seen[generation] += 1
            except (AssertionError, citewise.CitewiseError, OSError, ValueError) as error:
                failures.append(f"{type(error).__name__}: {error}")
        if process.returncode:
            failures.append(f"the writer failed: {process.stderr.read() if process.stderr else ''}")
    return {"adds": adds, "opened": seen.total(), "queries": queries, "generations seen": len(seen),
            "last generation": max(seen, default=0), "failures": failures}


if __name__ == "__main__":
    _main()
