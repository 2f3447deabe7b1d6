"""Pools by field and by kind of negative: MDCR's tables 3 and 4 (dev queries).

    python benchmarks/papers/pool_fields.py [elife] [cs] [--systems ...]

A field is a label that at least ten dev queries have; those of `cs` are all of cs.LG, and
benchmarks/pools.py has pools of its other fields, with tables 2, 7 and 8. The libraries need
vectors of MiniLM (`citewise encode --papers --no-spans --model minilm`).

Negatives of models come from those three of BM25, BM25 of titles, the word vectors that ship and
MiniLM that have the least in common, as the paper chose BM25, SPECTER and SciNCL.
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
from pools import ENCODER, intervals, rounded

FEWEST = 10
QUERIES = {"elife": 20, "cs": 200}
"""Of a field."""

NEGATIVES = ("bm25", "bm25-title", "dense", ENCODER)
SYSTEMS = ("bm25", "bm25-title", "dense", ENCODER, "hybrid", "hybrid(vectors=minilm)", "best")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["elife"])
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    chosen = parser.parse_args()

    corpora = {corpus: measured(corpus, chosen.systems) for corpus in chosen.corpora}
    saved("pool_fields", {"part": "dev", "corpora": corpora})


def measured(corpus: str, systems: list[str]) -> dict:
    """Return what systems score on the pools of a corpus, by field and by kind of negative."""
    library = library_of(corpus)
    settings = PoolSettings(systems=NEGATIVES, queries=QUERIES[corpus])
    questions = dev_of(corpus, library, 10**6)
    pools = build_pools(library.stores, questions, settings, fields_of(library, questions))
    results = score_pools(library.stores, [*systems], pools, Settings(parse_measures(MEASURES)))
    return {
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
    }


def fields_of(library: citewise.Library, questions: list[Question]) -> Fields:
    """Return the labels that enough of the questions' papers have, each as a field."""
    labels = Counter(label for each in questions for label in library[each.id].fields)
    return Fields({label: (label,) for label, count in labels.items() if count >= FEWEST})


if __name__ == "__main__":
    main()
