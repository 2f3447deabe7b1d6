"""Makes the rankers that ship: trained on `cs` up to 2020, judged on 2021; 2022 is not looked at.

python benchmarks/ranker.py                 half an hour, with the ablation
python benchmarks/ranker.py --ship          also writes the model into the package
python benchmarks/ranker.py --quick --ship  the same model without the ablation
python benchmarks/ranker.py --texts ...     the one that reads vectors of MiniLM too

The library `cs` needs the word vectors that ship, and those of `benchmarks/folds.py`; with --texts
a copy of it gets the vectors of MiniLM, which takes from half an hour to some hours of both cores.
"""

import argparse
import shutil
from dataclasses import asdict
from pathlib import Path

import msgspec

import citewise
from citewise.embed.encoders import encoder_named
from citewise.embed.folder import MINILM
from citewise.library.vectors import VectorWriter, load_folder, set_folder, text_hashes
from citewise.protocols import Stores
from citewise.rank.trees import DRAFT_MODEL, DRAFT_MODEL_WITH_TEXTS
from citewise.train import RankerSettings, Training, train_ranker
from citewise.types import Paper
from lab import CORPORA, library_of
from measuring import COMMIT, save
from protocol import WORK

MODELS = Path(__file__).parents[1] / "src" / "citewise" / "rank" / "models"
FOLDS = ("nnselect-fold-0", "nnselect-fold-1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--texts", "--quick", "--ship"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()

    settings = RankerSettings(
        CORPORA["cs"][0],
        ablation=not given.quick,
        jobs=2,
        folds=FOLDS,
        encoder=MINILM if given.texts else "",
    )
    library = with_texts("cs") if given.texts else library_of("cs")
    found = train_ranker(library.stores, settings, show)
    if given.ship:
        kind = DRAFT_MODEL_WITH_TEXTS if given.texts else DRAFT_MODEL
        ship(found, settings, MODELS / kind.folder)

    # models are files of the package; the ablation, which takes longest, is a file of its own
    left_out = ("model", "calibrated", "ablation")
    report = {name: value for name, value in asdict(found).items() if name not in left_out}
    name = "cs-texts" if given.texts else "cs"
    save(f"ranker-{name}", {"corpus": "cs"} | report)
    if not given.quick:
        save(f"ranker-ablation-{name}", {"corpus": "cs", "ablation": found.ablation})


def with_texts(corpus: str) -> citewise.Library:
    """Return a copy of a corpus's library whose papers have vectors of MiniLM, too."""
    folder = WORK / f"{corpus}-texts-library"
    if not folder.exists():
        shutil.copytree(library_of(corpus).stores.info.location, folder)
    if citewise.open(folder).stores.vectors.papers(MINILM) is None:
        citewise.encode(folder, papers=True, spans=False, model=MINILM, threads=0)
    return citewise.open(folder)


def copy_texts(stores: Stores, folder: Path, papers: list[Paper]) -> None:
    """Give a library of some of a library's papers the vectors of MiniLM that these have there."""
    encoded = load_folder(set_folder(Path(stores.info.location), MINILM))
    if encoded is not None:
        writer = VectorWriter(set_folder(folder, MINILM), encoder_named(MINILM, "int8"))
        writer.copy(encoded, {"papers": text_hashes(papers)})


def show(what: str, done: int, total: int | None) -> None:
    """Print how far the training is, from time to time."""
    if done % 500 == 0:
        print(what, done, total, flush=True)


def ship(found: Training, settings: RankerSettings, folder: Path) -> None:
    """Write the model's three files."""
    about = {
        "corpus": "Papers of computer science (315,000, with titles, abstracts, years and "
        "references): the project's corpus cs.",
        "commit": COMMIT,
        **found.model.provenance,
        "trained by": "benchmarks/ranker.py --ship",
        "trees": settings.trees,
        "features": found.model.features,
        "definition": found.model.definition,
    }
    if settings.encoder:
        about["encoder"] = settings.encoder

    folder.mkdir(exist_ok=True)
    (folder / "trees.txt").write_text(found.model.trees, "utf-8")
    for name, value in (("linear", found.model.linear), ("provenance", about)):
        formatted = msgspec.json.format(msgspec.json.encode(value), indent=1)
        (folder / f"{name}.json").write_bytes(formatted + b"\n")


if __name__ == "__main__":
    main()
