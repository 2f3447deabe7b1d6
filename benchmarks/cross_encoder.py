"""Re-ranking `best` by a cross-encoder, and by an encoder on demand: on the field that the
cross-encoder was trained on and on one that it never saw.

    python benchmarks/cross_encoder.py train MODEL cs=LIBRARY            (half an hour on two cores)
    python benchmarks/cross_encoder.py measure MODEL cs=LIBRARY elife=LIBRARY [--test]

`train` writes the cross-encoder to the folder MODEL. `measure` asks dev papers; weights of the
final order are learned by five-fold cross-validation there. MODEL may be `none`, for the encoder by
itself. With --test it asks the test year as well, with the weights that were learned on all dev
papers that were asked: run it once, when all is decided.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import citewise
from citewise.embed.folder import CONFIG, json_object
from citewise.embed.located import located
from citewise.evaluate import Question, Run, Split
from citewise.evaluate.measures import Hits, parse_measures, significance
from citewise.protocols import Stores
from citewise.rank.final_order import COSINE, FIXED, LOGIT, FinalOrder
from citewise.reranking import Reranking
from citewise.train.cross_encoder.settings import CrossEncoderSettings
from citewise.train.ranker import spread
from citewise.train.reranking import (
    Read,
    cross_validated,
    first_papers,
    fitted,
    opinions_about,
)
from lab import CORPORA
from measuring import save
from protocol import WORK

SYSTEM = "best"
DEPTH = 1000
MEASURES = parse_measures("F1@20 MRR@1000")
SETTINGS = CrossEncoderSettings(
    split=CORPORA["cs"][0],
    most=800,
    rate=1e-4,
    warm_up=12,
    checks=3,
    saved_every=10,
    tuning=30,
    threads=2,
)
"""What the model of the committed results was trained with."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("train", "measure"))
    parser.add_argument("model", type=Path, help="a folder; none: only the encoder reads")
    parser.add_argument("libraries", nargs="+", metavar="CORPUS=FOLDER")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=WORK / "runs", help="for what is computed")
    parser.add_argument("--encoder", default="minilm", help="on demand; empty for none")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--name", default="", help="behind the corpus in the result file's name")
    given = parser.parse_args()

    libraries = dict(each.split("=", 1) for each in given.libraries)
    if given.verb == "train":
        train(given.model, libraries["cs"], given.folder)
        return
    given.model = None if str(given.model) == "none" else given.model
    trained = given.model and json_object(given.model / CONFIG).get("citewise")
    for corpus, folder in libraries.items():
        about = {"corpus": corpus, "system": SYSTEM, "encoder": given.encoder, "trained": trained}
        name = f"cross-encoder-{corpus}{given.name and '-'}{given.name}"
        save(name, {**about, **measured(corpus, folder, given)})


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


def measured(corpus: str, folder: str, given: argparse.Namespace) -> dict:
    """Return the figures of all orders on dev papers, and on test papers where they are asked."""
    stores = citewise.open(folder).stores
    parts = ("dev", "test") if given.test else ("dev",)
    split = Split.make(stores, CORPORA[corpus][0], parts=parts)
    reranking = Reranking(model=str(given.model or ""), encoder=given.encoder, threads=2)

    dev = asked(split.questions(stores, "dev"), given.queries, corpus == "cs" and bool(given.model))
    run, read, seconds = opinions(stores, reranking, dev, given.folder)
    parts = subsets(read)
    learned = {name: cross_validated(part) for name, part in parts.items()}
    found = {
        "dev": {
            **figures(run, read, learned),
            "seconds a query, kept vectors not encoded again": seconds,
        }
    }
    weights = {name: fitted(part).weights for name, part in parts.items()}
    if given.test:
        test = spread(split.questions(stores, "test"), given.queries)
        run, read, seconds = opinions(stores, reranking, test, given.folder)
        learned = {
            name: [each.ranked(FinalOrder(weights[name])) for each in part]
            for name, part in subsets(read).items()
        }
        plain = first_papers(stores, "bm25", DEPTH, test, folder=given.folder)
        found["test"] = {
            **figures(run, read, learned, plain),
            "seconds a query, kept vectors not encoded again": seconds,
        }
    return {"papers": len(stores.papers), "weights": weights, **found}


def asked(dev: list[Question], count: int, trained: bool) -> list[Question]:
    """Return the dev questions that are asked: where a model was trained on the library, none of
    those that stopped its training.
    """
    every = max(len(dev) // SETTINGS.tuning, 2)
    stopping = {each.id for each in dev[::every][: SETTINGS.tuning]} if trained else set()
    return [each for each in spread(dev, count) if each.id not in stopping]


def opinions(
    stores: Stores, reranking: Reranking, questions: list[Question], folder: Path
) -> tuple[Run, list[Read], float]:
    """Return a system's answers, what the models think of the first papers, and the seconds that
    this takes a query.
    """
    run = first_papers(stores, SYSTEM, DEPTH, questions, folder=folder)
    began = time.perf_counter()
    read = opinions_about(stores, reranking, questions, run)
    return run, read, round((time.perf_counter() - began) / len(questions), 3)


def subsets(read: list[Read]) -> dict[str, list[Read]]:
    """Return the same questions with one opinion, or with both, where there are two."""
    chosen = {"cross-encoder": (LOGIT,), "encoder": (COSINE,), "both": (LOGIT, COSINE)}
    known = {*read[0].opinions}
    chosen = {name: names for name, names in chosen.items() if {*names} <= known}
    return {
        name: [replace(each, opinions={own: each.opinions[own] for own in names}) for each in read]
        for name, names in chosen.items()
    }


def figures(
    run: Run, read: list[Read], learned: dict[str, list[np.ndarray]], plain: Run | None = None
) -> dict:
    """Return measures and p-values (paired, against the first order) of each order of the papers
    that were read, the others behind them; and of BM25's answers, if they are given as `plain`.
    """
    rankings = {"first order": [each.rows for each in read]}
    for name, signal in (("cross-encoder alone", LOGIT), ("encoder alone", COSINE)):
        if signal in read[0].opinions:
            rankings[name] = [
                each.rows[np.argsort(-each.opinions[signal], kind="stable")] for each in read
            ]
    for name, part in subsets(read).items():
        rankings[f"fixed: {name}"] = [each.ranked(FIXED) for each in part]
        rankings[f"learned: {name}"] = learned[name]

    gold = [each.question.gold for each in read]
    hits = {
        name: Hits.of(
            [
                np.append(own, rest[own.size :])
                for own, rest in zip(each, run.rankings, strict=True)
            ],
            gold,
            DEPTH,
        )
        for name, each in rankings.items()
    }
    if plain is not None:
        hits["bm25"] = Hits.of(plain.rankings, gold, DEPTH)
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
