"""Table 5 of the paper on ILCiteR done anew: `ilciter` with vectors never, always and for long
claims, on dev queries.

    python benchmarks/local_dense.py [peerread] [scisummnet] [evoeco]     (vectors that are missing are made: see below)

The encoder is all-MiniLM-L6-v2 in int8 (the paper has SciBERT), the threshold the paper's; nothing
is tuned on these queries. Encoding the spans takes a minute for scisummnet and some half an hour of
one core for all three.
"""

import sys
import time

import numpy as np

import citewise
from citewise.evaluate import Question
from citewise.evaluate.sentences import MEASURES
from citewise.retrieve.ilciter import IlciterSettings
from citewise.spans.search import Claim
from contexts import COLLECTIONS, dev_questions, library_of
from local import quality
from measuring import save

SYSTEMS = {
    "without vectors": "ilciter(dense=never)",
    "vectors only": "ilciter(dense=always,joined=none)",
    "BM25 + vectors": "ilciter(dense=always,joined=okapi)",
    "BM25+ + vectors": "ilciter(dense=always)",
    "BM25, BM25+ + vectors": "ilciter(dense=always,joined=both)",
    "conditional": "ilciter",
}


def main() -> None:
    save(
        "local_dense",
        {
            "measures": MEASURES,
            "collections": {name: measure(name) for name in sys.argv[1:] or COLLECTIONS},
        },
    )


def measure(name: str) -> dict:
    held = library_of(name)
    if held.library.encoded_by() is None:
        citewise.encode(held.library.path, threads=1)
        held = citewise.open(held.library.path)
    about, questions = held.describe(), dev_questions(held, name, draft=False)
    asked = [each for each in questions if is_long(held, each)]
    start, found = (
        time.process_time(),
        {what: only(quality(held, (system,), questions)) for what, system in SYSTEMS.items()},
    )
    return {
        "encoder": about.encoder,
        "spans": about.spans,
        "with a vector": about.span_vectors,
        "queries": len(questions),
        "long queries": len(asked),
        "all queries": found,
        "long queries only": {
            what: only(quality(held, (SYSTEMS[what],), asked))
            for what in ("without vectors", "vectors only", "BM25+ + vectors")
        },
        "CPU s": round(time.process_time() - start),
    }


def is_long(held: citewise.OpenLibrary, question: Question) -> bool:
    """Whether a claim is long enough for vectors to join by the paper's rule."""
    claim = Claim.of(held.library, question.query.claim)
    mean = held.library.span_statistics(np.zeros(0, np.int64)).mean_length
    return bool(claim.counts.sum() > IlciterSettings().threshold * mean)


def only(found: dict) -> dict:
    (values,) = found.values()
    return values


if __name__ == "__main__":
    main()
