"""Runs inside sentence-transformers's environment: reads a JSON list of threads and texts, or
pairs, a line; answers their vectors, or scores.

    python sentence_transformers_worker.py FOLDER TOKENS ENGINE     (TOKENS of a pair; 0 for texts)
"""

import json
import resource
import sys
import time

import sentence_transformers
import torch

folder, tokens = sys.argv[1], int(sys.argv[2])
if tokens:
    scorer = sentence_transformers.CrossEncoder(folder, device="cpu", max_length=tokens)
else:
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")


def run(given):
    """Return vectors of texts, or scores of pairs."""
    if tokens:
        linear = torch.nn.Identity()
        return scorer.predict(given, activation_fn=linear, show_progress_bar=False)
    return model.encode(given, normalize_embeddings=True, show_progress_bar=False)


for line in sys.stdin:
    threads, given = json.loads(line)
    torch.set_num_threads(threads)
    run(given[:1])

    cpu, wall = time.process_time(), time.perf_counter()
    values = run(given)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = {"cpu": cpu, "wall": wall, "values": values.tolist(), "memory": memory}
    print(json.dumps(answer), flush=True)
