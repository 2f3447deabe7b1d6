"""Makes the ranker that ships: trained on `cs` up to 2020, judged on 2021; 2022 is not looked at.

python benchmarks/ranker.py                 half an hour, with the ablation
python benchmarks/ranker.py --ship          also writes the model into the package
python benchmarks/ranker.py --quick --ship  the same model without the ablation

The library `cs` needs the word vectors that ship, and those of `benchmarks/folds.py`.
"""

import sys
from dataclasses import asdict
from pathlib import Path

import msgspec

from citewise.train import RankerSettings, Training, train_ranker
from lab import CORPORA, library_of
from measuring import COMMIT, save

PACKAGE = Path(__file__).parents[1] / "src" / "citewise" / "rank" / "models" / "default"
QUICK = "--quick" in sys.argv
FOLDS = ("nnselect-fold-0", "nnselect-fold-1")
SETTINGS = RankerSettings(CORPORA["cs"][0], ablation=not QUICK, jobs=2, folds=FOLDS)


def main() -> None:
    found = train_ranker(library_of("cs").stores, SETTINGS, show)
    if "--ship" in sys.argv:
        ship(found)
    # models are files of the package; the ablation, which takes longest, is a file of its own
    left_out = ("model", "calibrated", "ablation")
    report = {name: value for name, value in asdict(found).items() if name not in left_out}
    save("ranker-cs", {"corpus": "cs"} | report)
    if not QUICK:
        save("ranker-ablation-cs", {"corpus": "cs", "ablation": found.ablation})


def show(what: str, done: int, total: int | None) -> None:
    """Print how far the training is, from time to time."""
    if done % 500 == 0:
        print(what, done, total, flush=True)


def ship(found: Training) -> None:
    """Write the model's three files."""
    about = {
        "corpus": "Papers of computer science (315,000, with titles, abstracts, years and "
        "references): the project's corpus cs.",
        "commit": COMMIT,
        **found.model.provenance,
        "trained by": "benchmarks/ranker.py --ship",
        "trees": SETTINGS.trees,
        "features": found.model.features,
        "definition": found.model.definition,
    }

    (PACKAGE / "trees.txt").write_text(found.model.trees, "utf-8")
    for name, value in (("linear", found.model.linear), ("provenance", about)):
        formatted = msgspec.json.format(msgspec.json.encode(value), indent=1)
        (PACKAGE / f"{name}.json").write_bytes(formatted + b"\n")


if __name__ == "__main__":
    main()
