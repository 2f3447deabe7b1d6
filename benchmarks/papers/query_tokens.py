"""F1@20 by the tokens of the query: Navigation's figure 2, BIR's figure 1 (dev).

    python benchmarks/papers/query_tokens.py NAME [--depth 1000] [--corpus elife] [--limit 512]

The model, a cross-encoder, re-ranks the first papers of BM25 by its scores alone; the candidate
gets the tokens that the query leaves. With a limit of 128 instead of the paper's 512, all shares
stay the same, at a fraction of the time.
"""

import argparse

from common import dev_of, library_of, rows_of, saved

SHARES = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8)
"""Of the tokens for the query: 64, 128, 256, 384 and 448 of 512."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--corpus", default="elife")
    parser.add_argument("--limit", type=int, default=512, help="tokens of a pair")
    parser.add_argument("--sample", type=int, help="dev queries that are asked")
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    questions = dev_of(chosen.corpus, library, chosen.sample)
    asked = f"model={chosen.model},depth={chosen.depth},order=alone"
    budgets = [round(share * chosen.limit) for share in SHARES]
    systems = [
        f"bm25+rerank({asked},truncation={tokens}+{chosen.limit - tokens})" for tokens in budgets
    ]
    rows = rows_of(library, systems, questions, "F1@20")
    saved(
        "query_tokens",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "queries": len(questions),
            "limit": chosen.limit,
            "depth": chosen.depth,
            "rows": dict(zip(map(str, budgets), rows.values(), strict=True)),
        },
    )


if __name__ == "__main__":
    main()
