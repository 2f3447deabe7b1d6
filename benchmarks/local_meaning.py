"""What vectors of citing sentences bring to `evidence`: models that read them beside models that do
not, on held-out sentences of three collections.

    python benchmarks/local_meaning.py

The questions and the split are those of local_model.py, which keeps the features; encoding the
spans takes half an hour of one core. A model that reads vectors is also asked as if there were
none.
"""

from citewise.rank.sentence_signals import MEANING
from citewise.signals import plain
from citewise.train.examples import Examples
from citewise.train.fitting import fit_trees
from citewise.train.sentences import (
    BY_WORDS,
    TARGET,
    with_and_without_meaning,
    without_meaning,
)
from local_model import TREES, Sets, all_examples, quality
from measuring import save


def main() -> None:
    sets = all_examples()
    by_words = narrowed(sets)
    learned_from = Examples.join([each["train"] for each in sets.values()])

    plain_trees = fit_trees(
        Examples.join([each["train"] for each in by_words.values()]), BY_WORDS, TREES, 0
    )
    trees = fit_trees(with_and_without_meaning(learned_from), TARGET.features, TREES, 0)
    save(
        "local_meaning",
        {
            "trees": TREES,
            "signals": list(MEANING),
            "features": sum(plain(name) in MEANING for name in TARGET.features),
            "held out, MRR and hit@10": {
                "words alone": quality(plain_trees, by_words, BY_WORDS),
                "words and vectors": quality(trees, sets, TARGET.features),
                "words and vectors, asked without vectors": quality(
                    trees, unknown(sets), TARGET.features
                ),
            },
        },
    )


def narrowed(sets: Sets) -> Sets:
    """Return the sets without the features of meaning."""
    kept = [TARGET.features.index(name) for name in BY_WORDS]
    return {
        part: {kind: each.columns(kept) for kind, each in kinds.items()}
        for part, kinds in sets.items()
    }


def unknown(sets: Sets) -> Sets:
    """Return the sets as they are where no span has a vector."""
    return {
        part: {kind: without_meaning(each, TARGET.features) for kind, each in kinds.items()}
        for part, kinds in sets.items()
    }


if __name__ == "__main__":
    main()
