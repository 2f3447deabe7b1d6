"""The speed of this checkout beside that of another one: building `cs`, answers of `best` over it,
and answers of `evidence` over two collections of citing sentences.

    python benchmarks/old_and_new.py /path/to/other            (some half an hour)

The other checkout has a .venv of its own, with its package installed in it. Each side builds its
own libraries and answers in its own process; the two build in turns, and answer each query in
turns.
"""

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import citewise
from build import processor_time, source_of
from citewise.evaluate import Question
from contexts import dev_questions
from measuring import ROOT, commit_of, run_watched, save
from protocol import DATA, WORK, saved_queries

CORPUS, YEAR, LEAST = "cs", 2021, 5
"""The corpus of `best`, and which of its papers are queries: the development year's, with at least
this many references.
"""

COLLECTIONS = ("scisummnet", "peerread")
ROUNDS, TIMED = 5, 100
FOLDER = WORK / "old-and-new"
FIELDS = ("title", "abstract", "id", "year", "hidden", "sentence")
"""The fields of a query that are sent to both sides."""

Values = dict[str, list[float]]
"""What was measured, by side."""


@dataclass(frozen=True)
class Side:
    """A checkout, with a process that answers queries by its code."""

    name: str
    checkout: Path

    @property
    def python(self) -> str:
        """The interpreter of the checkout's own environment."""
        return str(self.checkout / ".venv" / "bin" / "python")

    def library(self, corpus: str) -> Path:
        """Return the folder of the side's own library of a corpus."""
        return FOLDER / f"{self.name}-{corpus}"

    def build(self, corpus: str, sources: Sequence[Path]) -> tuple[float, float]:
        """Build a library anew; return wall seconds and processor seconds."""
        folder = self.library(corpus)
        shutil.rmtree(folder, ignore_errors=True)
        command = [self.python, "-m", "citewise", "index", *map(str, sources)]
        before = processor_time()
        seconds, _ = run_watched([*command, "--library", str(folder)])
        return seconds, processor_time() - before

    @cached_property
    def process(self) -> "subprocess.Popen[str]":
        """The worker's process; -P keeps the modules of this folder out of its way."""
        return subprocess.Popen(
            [self.python, "-P", str(Path(__file__).with_name("old_and_new_worker.py"))],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, **command: Any) -> Any:
        """Return the worker's answer to a command."""
        print(json.dumps(command), file=self.process.stdin, flush=True)
        for line in self.process.stdout or ():
            if line.startswith('{"answer"'):
                return json.loads(line)["answer"]
        sys.exit(f"the worker of {self.checkout} ended; its error is above")

    def check(self) -> None:
        """End the benchmark unless the side runs the package of its own checkout."""
        package = Path(self.ask(do="package")).resolve()
        if not package.is_relative_to(self.checkout):
            sys.exit(f"{self.python} imports {package}, which is not in {self.checkout}")

    def close(self) -> None:
        """End the worker."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sides = [Side("old", Path(sys.argv[1]).resolve()), Side("new", ROOT)]
    commits = {side.name: commit_of(side.checkout) for side in sides}
    for side in sides:
        side.check()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)

    found = {
        "commits": commits,
        "rounds": ROUNDS,
        f"building {CORPUS}": building(sides),
        f"best, {CORPUS}": answering(sides, CORPUS, "best", drafts(), k=20),
        **{
            f"evidence, {name}": answering(sides, name, "evidence", sentences(sides, name), k=10)
            for name in COLLECTIONS
        },
    }
    for side in sides:
        side.close()
    save("old-and-new", found)


def building(sides: Sequence[Side]) -> dict:
    """Return wall and processor seconds of building the corpus, by side and round."""
    wall: Values = {side.name: [] for side in sides}
    processor: Values = {side.name: [] for side in sides}
    for number in range(ROUNDS):
        for side in in_turn(sides, number):
            seconds, spent = side.build(CORPUS, [source_of(CORPUS)])
            wall[side.name].append(seconds)
            processor[side.name].append(spent)

    return {
        "wall seconds": compared(wall),
        "processor seconds": compared(processor),
    }


def answering(sides: Sequence[Side], corpus: str, system: str, queries: list[dict], k: int) -> dict:
    """Return the median milliseconds of an answer, by side and round.

    A first round that is not counted loads what is loaded on first use. "same answers" is the share
    of queries for which both sides found the same papers in the same order.
    """
    name = f"{system} {corpus}"
    for side in sides:
        side.ask(do="open", name=name, folder=str(side.library(corpus)), system=system)

    medians: Values = {side.name: [] for side in sides}
    share = 0.0
    for number in range(ROUNDS + 1):
        taken, share = answered(sides, name, queries, k, number)
        for side in sides if number else ():
            medians[side.name].append(statistics.median(taken[side.name]))

    return {
        "queries": len(queries),
        "k": k,
        "same answers": round(share, 3),
        "ms, median": compared(medians),
    }


def answered(
    sides: Sequence[Side], name: str, queries: list[dict], k: int, number: int
) -> tuple[Values, float]:
    """Ask both sides every query once; return the milliseconds of each answer, by side, and the
    share of queries with the same answer of both. `number` is the round's.
    """
    taken: Values = {side.name: [] for side in sides}
    same = 0
    for position, query in enumerate(queries):
        rows = []
        for side in in_turn(sides, position + number):
            answer = side.ask(do="rank", name=name, query=query, k=k)
            taken[side.name].append(answer["seconds"] * 1000)
            rows.append(answer["rows"])
        same += rows[0] == rows[1]
    return taken, same / len(queries)


def in_turn(sides: Sequence[Side], number: int) -> Sequence[Side]:
    """Return both sides; which one is first changes with the number."""
    return sides if number % 2 == 0 else sides[::-1]


def compared(rounds: Values) -> dict:
    """Return the values by round, their medians, and the ratio new / old of each round and of the
    medians.
    """
    medians = {name: statistics.median(values) for name, values in rounds.items()}
    ratios = [new / old for old, new in zip(rounds["old"], rounds["new"], strict=True)]
    return {
        "by round": {name: [round(each, 2) for each in values] for name, values in rounds.items()},
        "median": {name: round(value, 2) for name, value in medians.items()},
        "new / old, by round": [round(each, 3) for each in ratios],
        "new / old": round(medians["new"] / medians["old"], 3),
    }


def drafts() -> list[dict]:
    """Return titles and abstracts of papers of the corpus, as queries without a year."""
    papers = saved_queries(CORPUS, YEAR, LEAST)
    return [
        {"title": each.title, "abstract": each.abstract, "id": each.id} for each in spread(papers)
    ]


def sentences(sides: Sequence[Side], name: str) -> list[dict]:
    """Build both sides' libraries of a collection; return its dev sentences as queries."""
    files = [DATA / f"{name}-contexts" / f"{part}.jsonl.xz" for part in ("papers", "contexts")]
    for side in sides:
        side.build(name, files)

    own = next(side for side in sides if side.checkout == ROOT)
    questions: list[Question] = dev_questions(citewise.open(own.library(name)), name)
    return [
        {field: value for field in FIELDS if (value := getattr(each.query, field))}
        for each in spread(questions)
    ]


def spread(items: list) -> list:
    """Return at most `TIMED` of the items, evenly spread."""
    return items[:: max(len(items) // TIMED, 1)][:TIMED]


if __name__ == "__main__":
    main()
