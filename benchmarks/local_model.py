"""Trains the ranker for sentences that ships, on citing sentences older than the dev queries, and
measures it without families of signals and without collections.

    python benchmarks/local_model.py [--keep] [--tenth]

Some twenty minutes of one core, and half an hour more to encode the spans; features are kept.
--keep writes the model; --tenth asks a tenth of the questions, to see that it runs. Quality is
measured on sentences of the same years whose papers the model did not learn from; spans have
vectors, and local_meaning.py has what these bring.
"""

import json
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import citewise
from citewise.evaluate import Question, SentenceSplit, sentence_questions
from citewise.evaluate.runs import Workers
from citewise.protocols import Stores
from citewise.rank.trees import SENTENCE_MODEL, TreeModel
from citewise.train.examples import Examples
from citewise.train.findings import ablation, figures, scored
from citewise.train.fitting import fit_trees
from citewise.train.sentences import (
    KINDS,
    TARGET,
    Extraction,
    by_paper,
    examples,
    poorer,
    with_and_without_meaning,
)
from citewise.train.training import saved_model
from contexts import with_span_vectors
from measuring import COMMIT, save
from protocol import WORK

PARTS = (
    ("scisummnet", 2011, 1600),
    ("evoeco", 2022, 2600),
    ("peerread", 2016, 3000),
    ("scisummnet", 2010, 2500),
)
"""Collection, year, and how many questions there are at most."""
TREES, ABLATION_TREES, HELD_OUT = 70, 40, 400
ONE_IN = 5
"""One citing paper in this many is held out."""
SHARE, MARK = (10, "-tenth") if "--tenth" in sys.argv else (1, "")
MODEL = Path(citewise.__file__).parent / "rank" / "models" / "sentences"

FEATURES = TARGET.features
Sets = dict[str, dict[str, Examples]]


def main() -> None:
    sets = all_examples()
    learned_from = Examples.join([each["train"] for each in sets.values()])
    trees = fit_trees(with_and_without_meaning(learned_from), FEATURES, TREES, 0)

    about = {
        "trained by": "benchmarks/local_model.py",
        "commit": COMMIT,
        "trees": TREES,
        "features": FEATURES,
        "definition": SENTENCE_MODEL.definition(FEATURES),
        "questions": {part: int(each["train"].sizes.size) for part, each in sets.items()},
        "kinds of questions": dict(KINDS),
        "held out, MRR and hit@10": quality(trees, sets),
        "note": "The dev queries of the collections were not looked at.",
    }

    if "--keep" in sys.argv:
        MODEL.mkdir(exist_ok=True)
        (MODEL / "trees.txt").write_text(trees, "utf-8")
        (MODEL / "provenance.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    save(
        f"local_model{MARK}",
        {
            **about,
            f"of a third of the questions, {ABLATION_TREES} trees": {
                **parts_away(sets),
                **transfer(sets),
            },
        },
    )


def parts_away(sets: Sets) -> dict:
    """Return the quality without each family of signals, and with all."""
    small = every_third(Examples.join([each["train"] for each in sets.values()]))

    def without(kept: Sequence[int]) -> dict:
        trees = fit_trees(
            small.columns(kept), [FEATURES[column] for column in kept], ABLATION_TREES, 0
        )
        narrow = {
            part: {kind: examples.columns(kept) for kind, examples in each.items()}
            for part, each in sets.items()
        }
        return quality(trees, narrow, [FEATURES[column] for column in kept])

    return {
        f"without {family}": found
        for family, found in ablation(
            FEATURES, SENTENCE_MODEL.catalogue.families(), (), without
        ).items()
    }


def transfer(sets: Sets) -> dict:
    """Return the quality of models that saw nothing of a collection, on that collection."""
    found = {}
    for name in sorted({name for name, _, _ in PARTS}):
        rest = Examples.join(
            [each["train"] for part, each in sets.items() if not part.startswith(name)]
        )
        trees = fit_trees(every_third(rest), FEATURES, ABLATION_TREES, 0)
        found[f"trained without {name}"] = quality(
            trees, {part: each for part, each in sets.items() if part.startswith(name)}
        )
    return found


def all_examples() -> Sets:
    """Return the features of every part's questions, those of meaning included."""
    return {f"{name} {year}": examples_of(name, year, most // SHARE) for name, year, most in PARTS}


def examples_of(name: str, year: int, most: int) -> dict[str, Examples]:
    """Return the features of questions to learn from ("train"), and of held-out ones with the draft
    ("draft") and without ("alone"); files keep them from run to run.
    """
    files = {
        part: WORK / f"sentences-{name}-{year}-{part}{MARK}.npz"
        for part in ("train", "draft", "alone")
    }
    if not all(file.exists() for file in files.values()):
        stores = with_span_vectors(name).stores
        train, rest = held_out(sentence_questions(stores, SentenceSplit((year, year), most)))
        rest = rest[:: max(1, len(rest) * SHARE // HELD_OUT)][: HELD_OUT // SHARE]
        alone = [replace(each, query=replace(each.query, title="", abstract="")) for each in rest]

        keep(files["train"], stores, [poorer(stores, each, 0) for each in train])
        keep(files["draft"], stores, rest, whole=True)
        keep(files["alone"], stores, alone, whole=True)
    return {part: kept(file) for part, file in files.items()}


def held_out(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """Return the questions to learn from, and those of one citing paper in five to judge by; both
    sorted by citing paper.
    """
    parts: tuple[list[Question], list[Question]] = ([], [])
    for question in by_paper(questions):
        parts[zlib.crc32(question.query.hidden[0].encode()) % ONE_IN == 0].append(question)
    return parts


def keep(file: Path, stores: Stores, questions: Sequence[Question], whole: bool = False) -> None:
    """Write the features of questions; with `whole`, of all their candidates."""
    with Workers(stores) as workers:
        made, _ = examples(
            workers, questions, Extraction(whole=whole), file.stem, lambda what, done, total: None
        )
    np.savez(file, m=made.matrix, c=made.cited, w=made.weights, s=made.sizes, g=made.gold)


def kept(file: Path) -> Examples:
    """Return the features that a file keeps."""
    arrays = np.load(file)
    return Examples(*(arrays[name] for name in "mcwsg"))


def every_third(examples: Examples) -> Examples:
    """Return the features of every third question."""
    owners = np.repeat(np.arange(examples.sizes.size), examples.sizes)
    taken = owners % 3 == 0
    return Examples(
        examples.matrix[taken],
        examples.cited[taken],
        examples.weights[taken],
        examples.sizes[::3],
        examples.gold[::3],
    )


def quality(trees: str, sets: Sets, features: Sequence[str] = FEATURES) -> dict:
    """Return MRR and hit@10 of held-out questions by part, with the draft and without."""
    model = TreeModel.of(saved_model(TARGET, trees, features), SENTENCE_MODEL)
    return {
        part: {
            kind: [*figures(each[kind], scored(model, each[kind]), "MRR@1000 hit@10").values()]
            for kind in ("draft", "alone")
        }
        for part, each in sets.items()
    }


if __name__ == "__main__":
    main()
