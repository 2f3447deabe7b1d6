"""F1@20 by the tokens of the query out of 512: Navigation's figure 2, BIR's figure 1 (dev).

    python benchmarks/papers/query_tokens.py NAME [--depth 1000] [--corpus elife]

The model, a cross-encoder, re-ranks the first papers of BM25 by its scores alone; the candidate
gets the tokens that the query leaves.
"""

import argparse

from common import dev_of, library_of, rows_of, saved

BUDGETS = (64, 128, 256, 384, 448)
LIMIT = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--corpus", default="elife")
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    questions = dev_of(chosen.corpus, library)
    asked = f"model={chosen.model},depth={chosen.depth},order=alone"
    systems = [f"bm25+rerank({asked},truncation={tokens}+{LIMIT - tokens})" for tokens in BUDGETS]
    rows = rows_of(library, systems, questions, "F1@20")
    saved(
        "query_tokens",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "queries": len(questions),
            "rows": dict(zip(map(str, BUDGETS), rows.values(), strict=True)),
        },
    )


if __name__ == "__main__":
    main()
