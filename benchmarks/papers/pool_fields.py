"""Pools by field and by kind of negative: MDCR's tables 3 and 4 on `elife` (dev queries).

    python benchmarks/papers/pool_fields.py [elife] [--queries 20] [--systems ...]

A field is a label that at least ten dev queries have.

Negatives of models come from BM25, the word vectors that ship, and BM25 of titles; the paper took
BM25, SPECTER and SciNCL. benchmarks/pools.py has `cs`, with tables 2, 7 and 8.
"""

import argparse
from collections import Counter

from common import dev_of, library_of, saved

import citewise
from citewise.evaluate import (
    Fields,
    PoolSettings,
    Question,
    Settings,
    build_pools,
    parse_measures,
    score_pools,
)
from citewise.evaluate.pool_scores import MEASURES
from pools import intervals, rounded

FEWEST = 10
NEGATIVES = ("bm25", "dense", "bm25-title")
SYSTEMS = ("bm25", "dense", "bm25-title", "navigation", "best")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default="elife")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    settings = PoolSettings(systems=NEGATIVES, queries=chosen.queries)
    questions = dev_of(chosen.corpus, library, 10**6)
    pools = build_pools(library.stores, questions, settings, fields_of(library, questions))
    results = score_pools(
        library.stores, [*chosen.systems], pools, Settings(parse_measures(MEASURES))
    )
    saved(
        "pool_fields",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "queries": results.queries,
            "papers": results.papers,
            "overlaps": rounded(pools.overlaps or {}),
            "fields": {
                each.system: {
                    **{field: intervals(found) for field, found in each.fields.items()},
                    "average": intervals(each.average),
                }
                for each in results.systems
            },
            "kinds": {
                each.system: {kind: intervals(found) for kind, found in each.kinds.items()}
                for each in results.systems
            },
            "unscored": {each.system: each.unscored for each in results.systems},
        },
    )


def fields_of(library: citewise.Library, questions: list[Question]) -> Fields:
    """Return the labels that enough of the questions' papers have, each as a field."""
    labels = Counter(label for each in questions for label in library[each.id].fields)
    return Fields({label: (label,) for label, count in labels.items() if count >= FEWEST})


if __name__ == "__main__":
    main()
