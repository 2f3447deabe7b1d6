"""The learned system in another field and where it has little to go by: a sample of `elife` dev 2022.

    python benchmarks/best_slices.py            (some minutes)

"learned" is `best` without its fallback to BM25 where no citation is seen: what the fallback is for.
"""

from dataclasses import replace

import numpy as np
from lab import CORPORA, library_of, split_of
from measuring import save

from citewise.evaluate import Run, Settings, parse_measures, score
from citewise.library.library import Library
from citewise.protocols import Ragged
from citewise.rank import learned
from citewise.recommend import Recommender
from citewise.systems import System
from citewise.types import Rows, Scope

MEASURES = parse_measures("F1@20 MRR@1000 R@1000")
SAMPLE = 100


class NoGraph:
    """A library whose citations are unknown."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __len__(self) -> int:
        return len(self._library)

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        return Ragged(np.zeros(0, np.int64), np.zeros(rows.size + 1, np.int64))

    citers = references


def main() -> None:
    held = library_of("elife")
    questions = split_of("elife", held, CORPORA["elife"][0]).questions(held, "dev")
    questions = questions[:: max(len(questions) // SAMPLE, 1)]
    words, best = System.parse("bm25").over(held.library), System.parse("best")

    def run(name: str, system: Recommender, title: bool) -> Run:
        queries = [replace(each.query, abstract="") if title else each.query for each in questions]
        return Run(name, tuple(system.rank(query, 1000).rows for query in queries))

    found = []
    for title in (False, True):
        form = "title only: " if title else ""
        found += [run(f"{form}bm25", words, title), run(f"{form}best", best.over(held.library), title),
                  run(f"{form}best, no graph", best.over(NoGraph(held.library)), title)]
        kept, learned.spoken_for = learned.spoken_for, lambda ranking: True
        found.append(run(f"{form}learned, no graph", best.over(NoGraph(held.library)), title))
        learned.spoken_for = kept
    results = score(held, found, questions, Settings(measures=MEASURES))
    save("best-slices-elife", {"corpus": "elife", "split": "dev 2022, a sample", "queries": len(questions), "quality": {
        each.system: {name: round(value.value, 4) for name, value in each.values.items()} for each in results.systems}})


if __name__ == "__main__":
    main()
