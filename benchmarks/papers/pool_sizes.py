"""Candidate sets of growing size: MDCR's table 1 (dev queries).

    python benchmarks/papers/pool_sizes.py [elife] [cs] [--systems ...]

The paper has 200,000 to two million of S2ORC's papers and four transformers. A set's own library
has the word vectors that ship, and vectors of MiniLM where the whole library has some (`citewise
encode --papers --model minilm`). The paper's candidates have three citations or more; ours have any
number, since few papers of `elife` have that many within their corpus.
"""

import argparse
from dataclasses import dataclass

from common import WORK, dev_of, library_of, saved

from citewise.evaluate import Settings, parse_measures, score_sets, sized_sets
from citewise.evaluate.large import MEASURES
from pools import ENCODER, intervals, with_vectors

SYSTEMS = ("bm25", "dense", ENCODER, "hybrid", "hybrid(vectors=minilm)", "best")
ASKED = 300


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a corpus's sets are, and how many there are of each size."""

    papers: tuple[int, ...]
    repeats: int


SIZES = {
    "elife": Sizes((5_000, 10_000, 20_000), repeats=3),
    "cs": Sizes((50_000, 100_000, 200_000), repeats=1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["elife"])
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    chosen = parser.parse_args()

    corpora = {corpus: measured(corpus, chosen.systems) for corpus in chosen.corpora}
    saved("pool_sizes", {"part": "dev", "corpora": corpora})


def measured(corpus: str, systems: list[str]) -> dict:
    """Return what systems find in the sets of a corpus, by size."""
    library, sizes = library_of(corpus), SIZES[corpus]
    stores = library.stores
    questions = dev_of(corpus, library, ASKED)

    sets = sized_sets(stores, questions, sizes.papers, sizes.repeats)
    folder = WORK / "sets"
    found = score_sets(
        stores,
        systems,
        [*with_vectors(stores, sets, folder)],
        folder,
        Settings(parse_measures(MEASURES)),
    )
    return {
        "queries": len(questions),
        "sizes": {
            each.name: {
                "papers": each.papers,
                "repeats": each.repeats,
                "rows": {system: intervals(values) for system, values in each.values.items()},
            }
            for each in found
        },
    }


if __name__ == "__main__":
    main()
