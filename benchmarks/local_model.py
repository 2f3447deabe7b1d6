"""Trains the ranker for sentences that ships, on citing sentences older than the dev queries, and takes parts away.

    python benchmarks/local_model.py [--keep]            (about an hour; features are kept; --keep writes the model)

Quality here is of sentences of citing papers that were held out, as of the year that is trained on.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from contexts import library_of
from lightgbm import Booster
from measuring import commit, save
from protocol import WORK

import citewise
from citewise.evaluate import SentenceSplit, sentence_questions
from citewise.rank.sentences import FEATURES
from citewise.train.examples import Examples
from citewise.train.fitting import fit_trees
from citewise.train.sentences import KINDS, held_out, sentence_examples

PARTS = (("scisummnet", 2011, 1600), ("evoeco", 2022, 2600), ("peerread", 2016, 3000), ("scisummnet", 2010, 2500))
"""Collection, year, most questions."""
TREES, ABLATION_TREES, HELD_OUT = 70, 40, 400
MODEL = Path(citewise.__file__).parent / "rank" / "models" / "sentences"
FAMILIES = {
    "spans one by one": ("mass", "best_span", "span_nearness", "near_spans", "spans"),
    "all that is said": ("said_score", "whole_score", "cover", "share", "lift", "highest_lift", "log_odds"),
    "title and abstract": ("text_score", "title_score", "title_cover", "title_said", "has_abstract", "names_title"),
    "names": ("names",), "support and recency": ("support", "citers", "recent", "age", "trend"),
    "co-citation with the first": ("cocited",), "the draft": ("context",),
    "what it cites": ("seeds", "cited_elsewhere")}
"""Families of signals, by how their names begin."""


def main() -> None:
    sets = {f"{name} {year}": examples_of(name, year, most) for name, year, most in PARTS}
    trees = fit_trees(Examples.join([each["train"] for each in sets.values()]), FEATURES, TREES, 0)
    about = {"trained by": "benchmarks/local_model.py", "commit": commit(), "trees": TREES,
             "questions": {part: int(each["train"].sizes.size) for part, each in sets.items()},
             "kinds of questions": dict(KINDS),
             "held out, MRR and hit@10": quality(trees, [*range(len(FEATURES))], sets),
             "note": "The dev queries of the collections were not looked at."}
    if "--keep" in sys.argv:
        MODEL.mkdir(exist_ok=True)
        (MODEL / "trees.txt").write_text(trees, "utf-8")
        (MODEL / "provenance.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    save("local_model", {**about, f"of a third of the questions, {ABLATION_TREES} trees": {**ablation(sets),
                                                                                        **transfer(sets)}})


def ablation(sets: dict[str, dict[str, Examples]]) -> dict:
    """Return the quality without each family of signals, and with all."""
    small, found = every_third(Examples.join([each["train"] for each in sets.values()])), {}
    for family, begins in {"nothing": ("-",), **FAMILIES}.items():
        kept = [place for place, name in enumerate(FEATURES) if not plain(name).startswith(begins)]
        trees = fit_trees(small.columns(kept), [FEATURES[place] for place in kept], ABLATION_TREES, 0)
        found[f"without {family}"] = quality(trees, kept, sets)
    return found


def transfer(sets: dict[str, dict[str, Examples]]) -> dict:
    """Return the quality of models that saw nothing of a collection, on that collection."""
    found = {}
    for name in sorted({name for name, _, _ in PARTS}):
        rest = Examples.join([each["train"] for part, each in sets.items() if not part.startswith(name)])
        trees = fit_trees(every_third(rest), FEATURES, ABLATION_TREES, 0)
        found[f"trained without {name}"] = quality(trees, [*range(len(FEATURES))], {
            part: each for part, each in sets.items() if part.startswith(name)})
    return found


def plain(feature: str) -> str:
    return feature.removeprefix("rank ").removeprefix("log ")


def examples_of(name: str, year: int, most: int) -> dict[str, Examples]:
    """Return features to learn from, and of held-out questions with the draft and without; kept from run to run."""
    files = {part: WORK / f"sentences-{name}-{year}-{part}.npz" for part in ("train", "draft", "alone")}
    if not all(file.exists() for file in files.values()):
        library = library_of(name).library
        train, rest = held_out(sentence_questions(library, SentenceSplit((year, year), most)))
        rest = rest[:: max(1, len(rest) // HELD_OUT)][:HELD_OUT]
        alone = [replace(each, query=replace(each.query, title="", abstract="")) for each in rest]
        keep(files["train"], sentence_examples(library, train))
        keep(files["draft"], sentence_examples(library, rest, whole=True))
        keep(files["alone"], sentence_examples(library, alone, whole=True))
    return {part: kept(file) for part, file in files.items()}


def keep(file: Path, examples: Examples) -> None:
    np.savez(file, m=examples.matrix, c=examples.cited, w=examples.weights, s=examples.sizes, g=examples.gold)


def kept(file: Path) -> Examples:
    held = np.load(file)
    return Examples(*(held[name] for name in "mcwsg"))


def every_third(examples: Examples) -> Examples:
    owners = np.repeat(np.arange(examples.sizes.size), examples.sizes)
    taken = owners % 3 == 0
    return Examples(examples.matrix[taken], examples.cited[taken], examples.weights[taken], examples.sizes[::3],
                    examples.gold[::3])


def quality(trees: str, columns: list[int], sets: dict[str, dict[str, Examples]]) -> dict:
    """Return MRR and hit@10 of held-out questions, with the draft's title and abstract and without."""
    model = Booster(model_str=trees)
    return {part: {kind: figures(model, each[kind], columns) for kind in ("draft", "alone")}
            for part, each in sets.items()}


def figures(model: Booster, examples: Examples, columns: list[int]) -> list[float]:
    scores = model.predict(examples.matrix[:, columns], num_threads=1)
    ends = np.cumsum(examples.sizes)
    ranks = [first_rank(scores[end - size: end], examples.cited[end - size: end])
             for size, end in zip(examples.sizes.tolist(), ends.tolist(), strict=True)]
    return [round(float(np.mean(each)), 4) for each in ([1 / rank for rank in ranks], [rank <= 10 for rank in ranks])]


def first_rank(scores: np.ndarray, cited: np.ndarray) -> float:
    return 1 + float((scores > scores[cited].max()).sum()) if cited.any() else float("inf")


if __name__ == "__main__":
    main()
