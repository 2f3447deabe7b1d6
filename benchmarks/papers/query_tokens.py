"""F1@20 by the tokens of the query out of 512: Navigation's figure 2, BIR's figure 1 (dev).

    python benchmarks/papers/query_tokens.py "rerank(model=NAME,query_tokens={tokens})"

The system is spelled with {tokens} where the query's budget goes; the candidate gets the rest.
"""

import argparse

from common import dev_of, library_of, rows_of, saved

BUDGETS = (64, 128, 256, 384, 448)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system")
    parser.add_argument("--corpus", default="elife")
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    questions = dev_of(chosen.corpus, library)
    systems = [chosen.system.replace("{tokens}", str(each)) for each in BUDGETS]
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
