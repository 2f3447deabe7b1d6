"""Cross-encoders by what they were pretrained on: Navigation's table 5, BIR's table 3 (dev).

    python benchmarks/papers/pretrained.py FOLDER ... [--corpora cs elife] [--depth 100]

Each folder has a cross-encoder that was fine-tuned (`citewise train cross-encoder`), which re-ranks
the first papers of BM25 by its scores alone; the paper's re-ranked the first 1,000. Of the eleven
encoders of the papers none can be had offline; `starts.py` trains small ones on `cs`, whose dev
queries are asked without those that judged the trainings.
"""

import argparse
from pathlib import Path

from common import library_of, rows_of, saved
from starts import asked_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--corpora", nargs="+", default=["cs", "elife"])
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--sample", type=int, default=200, help="dev queries that are asked")
    chosen = parser.parse_args()

    systems = {"bm25": "bm25"} | {
        model.name: f"bm25+rerank(model={model},depth={chosen.depth},order=alone,threads=1)"
        for model in chosen.models
    }
    found = {}
    for corpus in chosen.corpora:
        library = library_of(corpus)
        questions = asked_of(corpus, library, chosen.sample)
        rows = rows_of(library, [*systems.values()], questions, "F1@20 MRR@1000")
        found[corpus] = {
            "queries": len(questions),
            "rows": dict(zip(systems, rows.values(), strict=True)),
        }
    saved("pretrained", {"part": "dev", "depth": chosen.depth, "corpora": found})


if __name__ == "__main__":
    main()
