"""Table 5 of the paper on ILCiteR done anew: `ilciter` with vectors never, always and for long
claims, on dev queries.

    python benchmarks/local_dense.py [peerread] [scisummnet] [evoeco]

The encoder is all-MiniLM-L6-v2 in int8 (the paper has SciBERT), the threshold the paper's; nothing
is tuned on these queries. A library without vectors is given some: encoding the spans takes a
minute for scisummnet and some half an hour of one core for all three.
"""

import sys
import time

from citewise.evaluate import Question
from citewise.evaluate.sentences import MEASURES
from citewise.retrieve.ilciter import IlciterParameters
from citewise.text.tokens import word_count
from contexts import COLLECTIONS, dev_questions, with_span_vectors
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
    """Return what each variant finds for the sentences of a collection, all and long ones only."""
    library = with_span_vectors(name)
    about, questions = library.describe(), dev_questions(library, name, draft=False)
    long = [each for each in questions if is_long(each)]
    start = time.process_time()
    found = {
        variant: only(quality(library, (system,), questions)) for variant, system in SYSTEMS.items()
    }
    return {
        "encoder": about.encoder,
        "spans": about.spans,
        "with a vector": about.span_vectors,
        "queries": len(questions),
        "long queries": len(long),
        "all queries": found,
        "long queries only": {
            variant: only(quality(library, (SYSTEMS[variant],), long))
            for variant in ("without vectors", "vectors only", "BM25+ + vectors")
        },
        "CPU s": round(time.process_time() - start),
    }


def is_long(question: Question) -> bool:
    """Whether a claim is long enough for vectors to join by the paper's rule."""
    return word_count(question.query.claim) > IlciterParameters().threshold


def only(found: dict) -> dict:
    """Return the only value."""
    (values,) = found.values()
    return values


if __name__ == "__main__":
    main()
