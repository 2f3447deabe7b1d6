"""Word vectors for training the ranker that ships, as sets of the library `cs`: of each share of
its training queries, a model that did not learn from their references.

    python benchmarks/folds.py             both (some ten minutes)
    python benchmarks/folds.py 0           one of them

The ranker (`benchmarks/ranker.py`) reads the sets `nnselect-fold-0` and `nnselect-fold-1`.
"""

import sys

from citewise.embed.encoders import encoder_named
from citewise.library import writer
from citewise.train.folds import fold_name
from citewise.train.nnselect.folds import train_fold
from citewise.train.nnselect.settings import preset
from lab import CORPORA, library_of, split_of
from protocol import WORK

FOLDS = 2


def main() -> None:
    years = CORPORA["cs"][0]
    for fold in map(int, sys.argv[1:] or range(FOLDS)):
        library = library_of("cs")
        trained = train_fold(
            library.stores,
            (fold, FOLDS),
            preset("shipped", split=years),
            encoder=encoder_named("minilm", "int8"),
            split=split_of("cs", library, years),
        )
        print(fold, trained.quality, trained.seconds, flush=True)
        library.stores.models.save(fold_name(fold), trained.model.encoded())
        writer.embed(WORK / "cs-library", fold_name(fold), trained.model)


if __name__ == "__main__":
    main()
