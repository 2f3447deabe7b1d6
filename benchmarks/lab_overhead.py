"""What an evaluation costs beside the system that it measures: 971 queries of `cs` at depth 1000.

python benchmarks/lab_overhead.py
"""

import shutil
import time

import numpy as np

from citewise.evaluate import Settings, answers, score
from citewise.evaluate.splits import Split
from lab import CORPORA, WORK, library_of, split_of
from measuring import save

ROUNDS = 3


def main() -> None:
    start = time.perf_counter()
    Split.make(library_of("cs").stores, CORPORA["cs"][0], parts=("test",))
    made = time.perf_counter() - start

    rounds = [measured() for _ in range(ROUNDS)]
    shares = sorted(each["overhead"] for each in rounds)
    save(
        "lab-overhead",
        {
            "corpus": "cs",
            "queries": 971,
            "depth": 1000,
            "system": "bm25",
            "rounds": rounds,
            "overhead, median": shares[len(shares) // 2],
            "making the split, once, s": round(made, 1),
        },
    )


def measured() -> dict:
    """Return the seconds of a whole evaluation with a journal, from the split file to the results
    with intervals, and the share of them that is outside the system.
    """
    folder = WORK / "overhead-runs"
    shutil.rmtree(folder, ignore_errors=True)
    start = time.perf_counter()
    library = library_of("cs")
    questions = split_of("cs", library, CORPORA["cs"][0]).questions(library.stores)
    settings = Settings(folder=folder)
    (run,) = answers(library.stores, ["bm25"], questions, settings)
    answered = time.perf_counter()
    score(library.stores, [run], questions, settings)
    whole = time.perf_counter() - start

    inside = float(np.sum(run.seconds))
    return {
        "whole s": round(whole, 2),
        "inside the system s": round(inside, 2),
        "scoring s": round(whole - (answered - start), 2),
        "overhead": round(whole / inside - 1, 4),
    }


if __name__ == "__main__":
    main()
