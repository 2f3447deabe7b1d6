"""Answers queries in this process and prints its peak resident memory and times, as JSON; used
by bm25.py, best.py and growth.py.

    python benchmarks/serving.py LIBRARY [SYSTEM [QUERIES]]
"""

import json
import statistics
import sys
import time

import citewise
from citewise.types import Query
from measuring import own_memory, peak_memory
from protocol import saved_queries

asked = saved_queries("cs", 2022, least=5)[: int(sys.argv[3]) if len(sys.argv) > 3 else 300]
before = peak_memory()
start = time.perf_counter()
recommender = citewise.open(sys.argv[1]).recommender(sys.argv[2] if len(sys.argv) > 2 else "bm25")
opening = time.perf_counter() - start

taken = []
for each in asked:
    start = time.perf_counter()
    recommender.answer(Query(each.title, each.abstract, each.id, each.year), 1000)
    taken.append(time.perf_counter() - start)
print(
    json.dumps(
        {
            "queries": len(asked),
            "peak MB": peak_memory(),
            "peak MB before opening (queries, interpreter)": before,
            "open s": round(opening, 4),
            "ms, top 1000 with their papers": round(statistics.median(taken) * 1000, 1),
            "ms, 95 of 100 answers": round(statistics.quantiles(taken, n=20)[-1] * 1000, 1),
            "MB that are not mapped files": own_memory(),
        }
    )
)
