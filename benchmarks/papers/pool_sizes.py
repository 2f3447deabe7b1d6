"""Candidate sets of growing size: MDCR's table 1 (dev queries, prefiltered, three repeats).

    python benchmarks/papers/pool_sizes.py [elife] [--sizes 5000,10000,20000] [--systems ...]

The paper has 200,000 to two million of S2ORC's papers and four transformers; here are BM25 and what
a set's own library can have: the word vectors that ship. --systems names others, such as
`dense(vectors=NAME)` for an encoder.
"""

import argparse

from common import WORK, dev_of, library_of, saved

from citewise.evaluate import (
    Settings,
    of_papers,
    parse_measures,
    prefiltered,
    score_sets,
    sized_sets,
)
from citewise.evaluate.large import MEASURES

SYSTEMS = ("bm25", "dense", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default="elife")
    parser.add_argument("--sizes", default="5000,10000,20000")
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-prefilter", action="store_true")
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    stores = library.stores
    fit = None if chosen.no_prefilter else prefiltered(stores)
    questions = dev_of(chosen.corpus, library, 10**6)
    questions = (questions if fit is None else of_papers(stores, questions, fit))[:300]
    sizes = [int(size) for size in chosen.sizes.split(",")]
    sets = [*sized_sets(stores, questions, sizes, chosen.repeats, fit=fit)]
    found = score_sets(
        stores, chosen.systems, sets, WORK / "sets", Settings(parse_measures(MEASURES))
    )
    saved(
        "pool_sizes",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "prefiltered": None if fit is None else int(fit.size),
            "queries": len(questions),
            "sizes": {
                each.name: {
                    "papers": each.papers,
                    "repeats": each.repeats,
                    "rows": {
                        system: {
                            name: [round(value.value, 4), round(value.low, 4), round(value.high, 4)]
                            for name, value in values.items()
                        }
                        for system, values in each.values.items()
                    },
                }
                for each in found
            },
        },
    )


if __name__ == "__main__":
    main()
