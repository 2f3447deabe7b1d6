"""Re-ranking `best` by a cross-encoder, and by an encoder on demand: on the field that the
cross-encoder was trained on and on one that it never saw.

    python benchmarks/cross_encoder.py train MODEL cs=LIBRARY            (half an hour on two cores)
    python benchmarks/cross_encoder.py measure MODEL cs=LIBRARY elife=LIBRARY [--test]

`train` writes the cross-encoder to the folder MODEL. `measure` asks dev papers; weights of the final
order are learned by five-fold cross-validation there. With --test it asks the test year as well, with
the weights that were learned on all dev papers that were asked: run it once, when all is decided.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import citewise
from citewise.embed.located import located
from citewise.evaluate import Question, Split
from citewise.evaluate.measures import Hits, parse_measures, significance
from citewise.protocols import Stores
from citewise.rank.final_order import COSINE, FIXED, LOGIT, FinalOrder
from citewise.reranking import Reranking
from citewise.train.cross_encoder.settings import CrossEncoderSettings
from citewise.train.folds import fold_of
from citewise.train.ranker import spread
from citewise.train.reranking import Read, first_papers, fitted, opinions_about
from lab import CORPORA
from measuring import save
from protocol import WORK

SYSTEM, ENCODER = "best", "minilm"
DEPTH = 1000
FOLDS = 5
MEASURES = parse_measures("F1@20 MRR@1000")
SETTINGS = CrossEncoderSettings(
    split=CORPORA["cs"][0],
    truncation="64+64",
    positives=1,
    negatives=2,
    batch=24,
    warm_up=30,
    rate=8e-5,
    checks=2,
    tuning=30,
    threads=2,
)
"""What the model of the committed results was trained with."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("train", "measure"))
    parser.add_argument("model", type=Path)
    parser.add_argument("libraries", nargs="+", metavar="CORPUS=FOLDER")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=WORK / "runs", help="for what is computed")
    parser.add_argument("--test", action="store_true")
    given = parser.parse_args()

    libraries = dict(each.split("=", 1) for each in given.libraries)
    if given.verb == "train":
        train(given.model, libraries["cs"], given.folder)
        return
    save(
        "cross-encoder",
        {
            "system": SYSTEM,
            "encoder": ENCODER,
            "trained": located(str(given.model)).shape().layers and about(given.model),
            "corpora": {
                corpus: measured(corpus, folder, given) for corpus, folder in libraries.items()
            },
        },
    )


def train(model: Path, library: str, folder: Path) -> None:
    """Train the cross-encoder and write it; an interrupted training goes on."""
    from citewise.train.bert.trained import as_json
    from citewise.train.cross_encoder.training import train_cross_encoder

    def stage(what: str, done: int, total: int | None) -> None:
        if done % 10 == 0:
            print(what, done, total, flush=True)

    start = located("minilm").folder
    trained = train_cross_encoder(
        citewise.open(library).stores, start, SETTINGS, stage, folder / "cross-encoder"
    )
    trained.write(model)
    print(as_json(trained))


def about(model: Path) -> dict:
    """Return where the model is from, as its folder says."""
    import json

    return json.loads((model / "config.json").read_text()).get("citewise", {})


def measured(corpus: str, folder: str, given: argparse.Namespace) -> dict:
    """Return the figures of all orders on dev papers, and on test papers where they are asked."""
    stores = citewise.open(folder).stores
    parts = ("dev", "test") if given.test else ("dev",)
    split = Split.make(stores, CORPORA[corpus][0], parts=parts)
    reranking = Reranking(model=str(given.model), encoder=ENCODER, threads=2)

    dev = asked(split.questions(stores, "dev"), given.queries, corpus)
    read, seconds = opinions(stores, reranking, dev, given.folder)
    found = {"dev": {**figures(read, cross_validated(read)), "seconds a query": seconds}}
    weights = {name: fitted(part).weights for name, part in subsets(read).items()}
    if given.test:
        test = spread(split.questions(stores, "test"), given.queries)
        read, seconds = opinions(stores, reranking, test, given.folder)
        orders = {f"learned: {name}": FinalOrder(each) for name, each in weights.items()}
        rankings = {name: [each.ranked(order) for each in read] for name, order in orders.items()}
        found["test"] = {**figures(read, rankings), "seconds a query": seconds}
    return {"papers": len(stores.papers), "weights": weights, **found}


def asked(dev: list[Question], count: int, corpus: str) -> list[Question]:
    """Return the dev questions that are asked: none of those that stopped the training."""
    every = max(len(dev) // SETTINGS.tuning, 2)
    stopping = {each.id for each in dev[::every][: SETTINGS.tuning]} if corpus == "cs" else set()
    return [each for each in spread(dev, count) if each.id not in stopping]


def opinions(
    stores: Stores, reranking: Reranking, questions: list[Question], folder: Path
) -> tuple[list[Read], float]:
    """Return what the models think of the first papers, and the seconds that this takes a query.

    Behind the papers that are read, the first order follows.
    """
    run = first_papers(stores, SYSTEM, DEPTH, questions, folder=folder)
    began = time.perf_counter()
    read = opinions_about(stores, reranking, questions, run)
    seconds = round((time.perf_counter() - began) / len(questions), 3)
    return [
        replace(each, rows=rows, scores=scores, opinions={**each.opinions})
        for each, rows, scores in zip(read, run.rankings, run.scores, strict=True)
    ], seconds


def subsets(read: list[Read]) -> dict[str, list[Read]]:
    """Return the same questions with one opinion, or with both."""
    chosen = {"cross-encoder": (LOGIT,), "encoder": (COSINE,), "both": (LOGIT, COSINE)}
    return {
        name: [first_only(each, names) for each in read] for name, names in chosen.items()
    }


def first_only(each: Read, names: tuple[str, ...]) -> Read:
    """Return a question's papers that were read, with some of the opinions about them."""
    opinions = {name: each.opinions[name] for name in names}
    count = opinions[names[0]].size
    return replace(each, rows=each.rows[:count], scores=each.scores[:count], opinions=opinions)


def cross_validated(read: list[Read]) -> dict[str, list[np.ndarray]]:
    """Return the rankings by weights that were learned without the question that they rank."""
    folds = [fold_of(each.question.id, FOLDS) for each in read]
    found = {}
    for name, part in subsets(read).items():
        orders = {
            fold: fitted([each for each, own in zip(part, folds, strict=True) if own != fold])
            for fold in sorted({*folds})
        }
        found[f"learned: {name}"] = [
            each.ranked(orders[fold]) for each, fold in zip(part, folds, strict=True)
        ]
    return found


def figures(read: list[Read], learned: dict[str, list[np.ndarray]]) -> dict:
    """Return measures and p-values (paired, against the first order) of each order."""
    parts = subsets(read)
    first = [each.rows for each in read]
    rankings = {
        "first order": first,
        "cross-encoder alone": [
            each.rows[np.argsort(-each.opinions[LOGIT], kind="stable")]
            for each in parts["cross-encoder"]
        ],
        **{
            f"fixed: {name}": [each.ranked(FIXED) for each in part] for name, part in parts.items()
        },
        **learned,
    }
    gold = [each.question.gold for each in read]
    hits = {
        name: Hits.of(
            [np.append(own, rest[own.size :]) for own, rest in zip(each, first, strict=True)],
            gold,
            DEPTH,
        )
        for name, each in rankings.items()
    }
    rows = {
        name: {
            str(measure): [
                round(measure.of(each), 4),
                round(significance(measure.each(hits["first order"]), measure.each(each)), 4),
            ]
            for measure in MEASURES
        }
        for name, each in hits.items()
    }
    return {"queries": len(read), "rows": rows}


if __name__ == "__main__":
    main()
