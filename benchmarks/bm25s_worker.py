"""Runs inside bm25s's environment: indexes a collection, answers queries, writes a TREC run.

python bm25s_worker.py papers.jsonl queries.jsonl RUN K1 B DEPTH
"""

import json
import statistics
import sys
import time

import bm25s
import Stemmer

papers, queries, run, k1, b, depth = sys.argv[1:]
stemmer = Stemmer.Stemmer("english")


def tokens(texts: list[str]):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


collection = [json.loads(line) for line in open(papers)]
asked = [json.loads(line) for line in open(queries)]
start = time.perf_counter()
engine = bm25s.BM25(method="lucene", k1=float(k1), b=float(b), backend="numba")
engine.index(tokens([paper["contents"] for paper in collection]), show_progress=False)
built = time.perf_counter() - start
taken = []
with open(run, "w") as file:
    for query in asked:
        start = time.perf_counter()
        rows, scores = engine.retrieve(
            tokens([query["contents"]]),
            k=min(int(depth), len(collection)),
            show_progress=False,
            n_threads=1,
        )
        taken.append(time.perf_counter() - start)
        hits = [
            (collection[row]["id"], score)
            for row, score in zip(rows[0].tolist(), scores[0].tolist(), strict=True)
        ]
        file.writelines(
            f"{query['id']} Q0 {paper} {rank} {score} bm25s\n"
            for rank, (paper, score) in enumerate(hits, 1)
            if score > 0
        )
print(
    json.dumps(
        {
            "version": bm25s.__version__,
            "build s": round(built, 1),
            "ms, median": round(statistics.median(taken[5:]) * 1000, 1),
        }
    )
)
