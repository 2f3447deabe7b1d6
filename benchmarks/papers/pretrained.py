"""Cross-encoders by what they were pretrained on: Navigation's table 5, BIR's table 3 (dev).

    python benchmarks/papers/pretrained.py --models NAME ... [--corpus elife]

Each model re-ranks the first 1,000 of BM25 by its scores alone (--depth 100: a tenth of the time),
and must have been fine-tuned before (`citewise train cross-encoder`). Of the eleven encoders of the
papers none can be had offline; `starts.py` trains small ones, and any that is in a folder can be
named.
"""

import argparse

from common import NEEDS_A_MODEL, dev_of, library_of, rows_of, saved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--corpus", default="elife")
    parser.add_argument("--sample", type=int, help="dev queries that are asked")
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    questions = dev_of(chosen.corpus, library, chosen.sample)
    systems = {
        name: f"bm25+rerank(model={name},depth={chosen.depth},order=alone)"
        for name in chosen.models
    }
    rows = rows_of(library, ["bm25", *systems.values()], questions, "F1@20 MRR@1000")
    missing = [name for name, each in rows.items() if "not measured" in each]
    if missing:
        print(f"{', '.join(missing)}: {NEEDS_A_MODEL}")
    saved(
        "pretrained",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "queries": len(questions),
            "depth": chosen.depth,
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
