"""Makes the word vectors that ship, and measures what their settings are worth: trained on `cs` up
to 2020, judged on 2021; 2022 is not looked at.

python benchmarks/nnselect.py --ship         trains once and writes the model into the package
python benchmarks/nnselect.py --seeds 5      as many trainings: means and deviations
python benchmarks/nnselect.py --compare      losses, starts and the paper's presets, short runs
python benchmarks/nnselect.py --compare --only "ours, triplets" citeomatic-dblp       some of them
python benchmarks/nnselect.py --epochs 1     fewer epochs, with any of the above

What was measured before stays in benchmarks/results/nnselect.json beside what is measured now.
"""

import argparse
import json
import resource
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import citewise
from citewise.embed.encoders import encoder_named
from citewise.embed.word_models import packed
from citewise.evaluate import Split
from citewise.train.nnselect.judging import judged
from citewise.train.nnselect.settings import PRESETS, NNSelectSettings, preset
from citewise.train.nnselect.training import NNSelectTraining, train_nnselect
from lab import CORPORA, library_of, split_of
from measuring import RESULTS, save

PACKAGE = Path(__file__).parents[1] / "src" / "citewise" / "embed" / "models" / "nnselect.bin"
OURS = preset("shipped", split=CORPORA["cs"][0], tuning=2_000)
MEASURES = ("F1@20", "MRR@1000", "R@1000")
SHORT = 400_000
"""Triplets in a short run of the paper's presets."""


def main() -> None:
    asked = arguments()
    settings = replace(OURS, epochs=asked.epochs or OURS.epochs, threads=asked.threads)
    library = library_of("cs")
    split = split_of("cs", library, CORPORA["cs"][0])

    found = {}
    if asked.ship or asked.seeds == 1:
        trained = train(library, split, replace(settings, seed=asked.seed))
        found["once"] = {**figures(trained), "curves": trained.curves, "elife": on_elife(trained)}
        if asked.ship:
            ship(trained)
    if asked.seeds > 1:
        found["seeds"] = over_seeds(library, split, settings, asked.seeds)
    if asked.compare:
        known = before().get("compared", {})
        found["compared"] = {**known, **compared(library, split, asked.epochs or 2, asked.only)}
    save("nnselect", {"corpus": "cs", **before(), **found})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ship", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", nargs="*", default=(), metavar="VARIANT")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def before() -> dict:
    """Return what an earlier run measured."""
    file = RESULTS / "nnselect.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    return {name: known[name] for name in ("once", "seeds", "compared") if name in known}


def train(
    library: citewise.Library, split: Split, settings: NNSelectSettings, encoder: str = ""
) -> NNSelectTraining:
    needed = encoder or ("minilm" if settings.start in ("words", "both") else "")
    made = encoder_named(needed, "int8", settings.threads) if needed else None
    return train_nnselect(library.stores, settings, show, encoder=made, split=split)


def show(what: str, done: int, total: int | None) -> None:
    """Print how far the training is, from time to time."""
    if done % 100 == 0:
        print(what, done, total, flush=True)


def figures(trained: NNSelectTraining) -> dict:
    """Return what is worth knowing about a training."""
    return {
        "dev": trained.quality,
        "best epoch": trained.best_epoch,
        "counts": trained.counts,
        "minutes": round(trained.seconds / 60, 1),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "MB of the model": round(len(packed(trained.model)) / 1e6, 1),
    }


def on_elife(trained: NNSelectTraining) -> dict[str, float]:
    """Return the quality on a library of another field, which the model never saw."""
    library = library_of("elife")
    questions = split_of("elife", library, CORPORA["elife"][0]).questions(library.stores, "dev")
    return judged(library.stores, trained.model, questions)


def over_seeds(
    library: citewise.Library, split: Split, settings: NNSelectSettings, count: int
) -> dict:
    """Return means and deviations over several seeds."""
    runs = [train(library, split, replace(settings, seed=seed)) for seed in range(count)]
    trained = [run.quality["trained"] for run in runs]
    return {
        "seeds": count,
        "minutes": [round(run.seconds / 60, 1) for run in runs],
        "best epochs": [run.best_epoch for run in runs],
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        **{
            measure: {
                "mean": round(statistics.mean(each[measure] for each in trained), 4),
                "deviation": round(statistics.stdev(each[measure] for each in trained), 4),
            }
            for measure in MEASURES
        },
    }


def compared(
    library: citewise.Library, split: Split, epochs: int, only: Sequence[str] = ()
) -> dict:
    """Return short runs: other losses, starts and settings of ours, and the paper's presets; of
    `only`, where there are some.
    """
    ours = replace(OURS, epochs=epochs, tuning=500)
    variants: dict[str, tuple[NNSelectSettings, str]] = {
        "ours": (ours, ""),
        "ours, triplets": (replace(ours, loss="triplet", batch=1_536), ""),
        "ours, triplets without neighbours": (
            replace(ours, loss="triplet", batch=1_536, neighbours=False),
            "",
        ),
        "ours, triplets, percentile 0.05": (
            replace(ours, loss="triplet", batch=1_536, percentile=0.05),
            "",
        ),
        "ours, random start": (replace(ours, start="random"), ""),
        "ours, start from LSA": (replace(ours, start="lsa"), ""),
        "ours, no random negatives": (replace(ours, random_negatives=0), ""),
        "ours, start from words": (replace(ours, start="words"), "minilm"),
        "ours, unit directions": (replace(ours, unit_directions=True), ""),
        "ours, without a matrix": (replace(ours, start="lsa", matrix=False), ""),
        "ours, no word dropout": (replace(ours, word_dropout=0.0), ""),
        "ours, word dropout .4": (replace(ours, word_dropout=0.4), ""),
        "ours, dimension 128": (replace(ours, dimension=128), ""),
    }
    for name in [each for each in PRESETS if each.startswith("citeomatic")]:
        short = preset(name, split=ours.split, tuning=500, triplets=SHORT, patience=9)
        variants[name] = (short, "minilm" if short.start == "words" else "")

    found = {}
    for name in only or variants:
        settings, encoder = variants[name]
        found[name] = figures(train(library, split, settings, encoder))
        print(name, found[name]["dev"], flush=True)
    return found


def ship(trained: NNSelectTraining) -> None:
    """Write the model's file."""
    about = {
        "corpus": "Papers of computer science (315,000, with titles, abstracts, years and "
        "references): the project's corpus cs.",
        **trained.model.provenance,
        "trained by": "benchmarks/nnselect.py --ship",
    }
    PACKAGE.parent.mkdir(exist_ok=True)
    PACKAGE.write_bytes(packed(replace(trained.model, provenance=about)))


if __name__ == "__main__":
    main()
