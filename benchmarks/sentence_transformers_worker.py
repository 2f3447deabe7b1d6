"""Runs inside sentence-transformers's environment: reads a JSON list of texts a line, answers their
vectors.

    python sentence_transformers_worker.py FOLDER
"""

import json
import sys
import time

import sentence_transformers
import torch

torch.set_num_threads(1)
model = sentence_transformers.SentenceTransformer(sys.argv[1], device="cpu")
model.encode(["warm up"] * 50)
for line in sys.stdin:
    texts = json.loads(line)
    start = time.process_time()
    vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    print(
        json.dumps(
            {
                "seconds": time.process_time() - start,
                "vectors": vectors.tolist(),
                "versions": {
                    "sentence-transformers": sentence_transformers.__version__,
                    "torch": torch.__version__,
                },
            }
        ),
        flush=True,
    )
