"""Runs one of our models: reads a JSON list of threads and texts, or pairs, a line; answers their
vectors, or scores.

    python encoder_worker.py FOLDER TOKENS PRECISION        (TOKENS of a pair; 0 for texts)
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from citewise.embed.encoders import encoder_named
from citewise.embed.pair_scorers import pair_scorer_named
from citewise.embed.truncation import Truncation

folder, tokens, precision = sys.argv[1], int(sys.argv[2]), sys.argv[3]


@cache
def run(threads: int) -> Callable[[Any], Any]:
    """Return what encodes texts, or scores pairs."""
    if tokens:
        rule = Truncation(tokens=tokens)
        return pair_scorer_named(folder, precision, threads, rule).score  # type: ignore[arg-type]
    return encoder_named(folder, precision, threads).encode  # type: ignore[arg-type]


for line in sys.stdin:
    threads, given = json.loads(line)
    given = [tuple(each) for each in given] if tokens else given
    run(threads)(given[:1])

    cpu, wall = time.process_time(), time.perf_counter()
    values = run(threads)(given)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = {"cpu": cpu, "wall": wall, "values": values.tolist(), "memory": memory}
    print(json.dumps(answer), flush=True)
