"""F1@20 by the tokens of the query: Navigation's figure 2, BIR's figure 1 (dev).

    python benchmarks/papers/query_tokens.py FOLDER [--corpora cs elife] [--limit 64] [--depth 100]

The folder has a cross-encoder, which re-ranks the first papers of BM25 by its scores alone; the
candidate gets the tokens that the query leaves. Of a limit of 64 tokens instead of the paper's 512,
all shares are the same; it is what the models of `starts.py` were trained with.
"""

import argparse
from pathlib import Path

from common import library_of, rows_of, saved
from starts import asked_of

SHARES = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8)
"""Of the tokens for the query: 64, 128, 256, 384 and 448 of 512."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, metavar="FOLDER")
    parser.add_argument("--corpora", nargs="+", default=["cs", "elife"])
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--limit", type=int, default=64, help="tokens of a pair")
    parser.add_argument("--sample", type=int, default=100, help="dev queries that are asked")
    chosen = parser.parse_args()

    asked = f"model={chosen.model},depth={chosen.depth},order=alone,threads=1"
    budgets = [round(share * chosen.limit) for share in SHARES]
    systems = [
        f"bm25+rerank({asked},truncation={tokens}+{chosen.limit - tokens})" for tokens in budgets
    ]
    found = {}
    for corpus in chosen.corpora:
        library = library_of(corpus)
        questions = asked_of(corpus, library, chosen.sample)
        rows = rows_of(library, systems, questions, "F1@20")
        found[corpus] = {
            "queries": len(questions),
            "rows": dict(zip(map(str, budgets), rows.values(), strict=True)),
        }
    saved(
        "query_tokens",
        {
            "part": "dev",
            "model": chosen.model.name,
            "limit": chosen.limit,
            "depth": chosen.depth,
            "corpora": found,
        },
    )


if __name__ == "__main__":
    main()
