"""Trains small cross-encoders from several starts, and on the training sets of BIR's ablations.

    python benchmarks/papers/starts.py FOLDER [--only NAME ...]     (50 minutes of a core)

Each is trained on `cs`, papers up to 2020, and written to FOLDER/NAME; one that is there already is
only reported. With --only, the figures are in a result file of their own. `pretrained.py`,
`query_tokens.py` and `rounds.py` take these folders. What a laptop's core learns in half an hour is
little beside the papers' three days on a TPU: the tables show the order of the starts, and how far
such trainings get.
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
from common import SAMPLE, dev_of, library_of, saved
from safetensors.numpy import load_file, save_file

import citewise
from citewise.embed.folder import CONFIG, json_object
from citewise.embed.located import located
from citewise.evaluate import Question
from citewise.train.cross_encoder.settings import CrossEncoderSettings, preset
from lab import CORPORA, split_of

SHORT: dict[str, object] = {
    "truncation": "32+32",
    "batch": 40,
    "rate": 1e-4,
    "warm_up": 40,
    "checks": 3,
    "tuning": 60,
    "saved_every": 40,
    "threads": 1,
}
LISTS = {"system": "bm25", "depth": 50, "positives": 1, "negatives": 2, "random_negatives": 2}
PAPERS = {"most": 500, "epochs": 1, "dropout": 0.0, "words": False}

TRAINED: dict[str, tuple[str, str, dict[str, object]]] = {
    "minilm-2": ("first and last layer", "cpu", {**LISTS, "most": 5400}),
    "minilm-6": ("MiniLM", "cpu", {**LISTS, "most": 8000}),
    "random-2": ("random", "cpu", {**LISTS, "most": 5400, "words": True}),
    "paper-2": ("first and last layer", "paper", PAPERS),
    "extra-positives-2": ("first and last layer", "paper-extra-positives", PAPERS),
    "random-negatives-2": ("first and last layer", "paper-random-negatives", PAPERS),
}
"""Of each model: what it starts from, the preset of its pairs, and what differs from the preset."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*TRAINED], default=[])
    given = parser.parse_args()

    wanted = given.only or [*TRAINED]
    for name in wanted:
        if not (given.folder / name).exists():
            train(name, given.folder)
    rows = {name: json_object(given.folder / name / CONFIG)["citewise"] for name in wanted}
    saved("-".join(["starts", *given.only]), {"corpus": "cs", "part": "dev", "rows": rows})


def train(name: str, folder: Path) -> None:
    """Train a model and write it."""
    from citewise.train.cross_encoder.training import train_cross_encoder

    start, pairs, changes = TRAINED[name]
    settings: CrossEncoderSettings = preset(pairs, split=CORPORA["cs"][0], **{**SHORT, **changes})
    trained = train_cross_encoder(
        library_of("cs").stores, start_of(start, folder), settings, folder=folder / "runs"
    )
    trained.write(folder / name)
    print(name, round(trained.seconds), trained.quality, *trained.curves, sep="\n", flush=True)


def asked_of(corpus: str, library: citewise.Library, sample: int | None = None) -> list[Question]:
    """Return a sample of the dev queries; of those of `cs`, none by which the trainings were
    judged.
    """
    from citewise.train.cross_encoder.training import dev_questions

    questions, judges = dev_of(corpus, library, 10**6), set[str]()
    if corpus == "cs":
        split = split_of(corpus, library, CORPORA[corpus][0])
        judging, _ = dev_questions(library.stores, split, preset("cpu", **SHORT))
        judges = {each.id for each in judging}
    return [each for each in questions if each.id not in judges][: sample or SAMPLE[corpus]]


def start_of(start: str, folder: Path) -> Path:
    """Return the folder of a start: MiniLM, its first and last layer, or two random layers."""
    whole = located("minilm").folder
    if start == "MiniLM":
        return whole

    made = folder / "starts" / start.replace(" ", "-")
    if not made.exists():
        shutil.copytree(whole, made)
        weights = two_layers(load_file(whole / "model.safetensors"))
        if start == "random":
            weights = random_like(weights)
        save_file(weights, made / "model.safetensors", metadata={"format": "pt"})
        config = json_object(whole / CONFIG) | {"num_hidden_layers": 2}
        (made / CONFIG).write_text(json.dumps(config))
    return made


def two_layers(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of a model with the first and the last of six layers."""
    found = {}
    for name, values in weights.items():
        if ".layer." not in name or ".layer.0." in name:
            found[name] = values
        elif ".layer.5." in name:
            found[name.replace(".layer.5.", ".layer.1.")] = values
    return found


def random_like(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return random weights, as BERT's training begins with."""
    random, found = np.random.default_rng(5), {}
    for name, values in weights.items():
        if name.endswith("LayerNorm.weight"):
            found[name] = np.ones_like(values)
        elif name.endswith("bias"):
            found[name] = np.zeros_like(values)
        elif values.dtype.kind == "f":
            found[name] = random.normal(0, 0.02, values.shape).astype(values.dtype)
        else:
            found[name] = values
    return found


if __name__ == "__main__":
    main()
