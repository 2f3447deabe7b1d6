"""Citeomatic's tables and figures (Bhagavatula et al. 2018), in shape, on `cs` and `elife`: quality
(table 2), NNRank's features left out one by one (table 3), with and without metadata (table 4),
recall by the number of neighbours (figure 3), self-citation (figure 4); and milliseconds.

python benchmarks/citeomatic.py                dev queries of both corpora
python benchmarks/citeomatic.py cs --sample 200
python benchmarks/citeomatic.py --test         the test queries: one look, when all is chosen

Trains NNRank on each corpus. The libraries are copies, and need a word model: that which ships, or
the file of `citewise train nnselect` given by --words.
"""

import argparse
import json
import shutil
import statistics
from dataclasses import replace
from pathlib import Path

import citewise
from citewise.embed.word_models import NNSELECT, required_model, unpacked
from citewise.evaluate import (
    Question,
    Settings,
    Split,
    answers,
    evaluate,
    parse_measures,
    score,
)
from citewise.evaluate.analyses import self_citation_curve
from citewise.library import writer
from citewise.library.folder import LibraryFolder
from citewise.rank.nnrank_features import METADATA, NAMES, SHARED
from citewise.train.nnrank.settings import NNRankSettings
from citewise.train.nnrank.training import save_nnrank, train_nnrank
from citewise.train.ranker import spread
from lab import CORPORA, library_of, split_of
from measuring import RESULTS, save
from protocol import WORK

MEASURES = parse_measures("F1@20 MRR@1000 R@1000")
SYSTEMS = ("bm25", "dense", "nnselect", "hybrid", "citeomatic(metadata=ignored)", "citeomatic")
NEIGHBOURS = (0, 5, 10, 20, 50, 100, 200, 500)
LEFT_OUT = {
    "nothing": (),
    "words in both": SHARED,
    "fields' cosines": ("nnrank_title", "nnrank_abstract"),
    "citations": ("nnrank_citations",),
    "NNSelect's cosine": ("vector_cosine",),
    "metadata": METADATA,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=[*CORPORA])
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--sample", type=int, default=100_000)
    parser.add_argument("--most", type=int, default=4000)
    parser.add_argument("--words", type=Path)
    parser.add_argument("--quick", action="store_true", help="no feature is left out")
    asked = parser.parse_args()

    part = "test" if asked.test else "dev"
    found = {corpus: measured(corpus, part, asked) for corpus in asked.corpora}
    known = before()
    save("citeomatic", {**known, part: {**known.get(part, {}), **found}})


def before() -> dict:
    """Return what an earlier run measured."""
    file = RESULTS / "citeomatic.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    return {part: known[part] for part in ("dev", "test") if part in known}


def measured(corpus: str, part: str, asked: argparse.Namespace) -> dict:
    library = embedded(corpus, asked.words)
    settings = NNRankSettings(split=CORPORA[corpus][0], most=asked.most)
    split = Split.make(library.stores, settings.split, parts=("train", "dev"))

    trained = {
        name: train_nnrank(
            library.stores,
            replace(settings, features=tuple(each for each in NAMES if each not in without)),
            split=split,
        )
        for name, without in LEFT_OUT.items()
        if not (asked.quick and without)
    }
    whole = trained["nothing"]
    save_nnrank(library.stores, whole)
    library = citewise.open(library.stores.info.location)

    asked_split = split_of(corpus, library_of(corpus), settings.split)
    questions, signed = (
        spread(asked_split.questions(library.stores, part, stale=True, authors=given), asked.sample)
        for given in (False, True)
    )
    return {
        "queries": len(questions),
        "training": {"queries": whole.queries, "seconds": whole.seconds, "curve": whole.curve},
        "quality": quality(library, questions),
        "quality, metadata given": quality(library, signed),
        "left out, dev": {name: each.quality["trained"] for name, each in trained.items()},
        "neighbours": by_neighbours(library, questions),
        "self-citation": bias(library, signed),
    }


def embedded(corpus: str, words: Path | None) -> citewise.Library:
    """Return a copy of a corpus's library whose papers have vectors."""
    folder = WORK / f"{corpus}-citeomatic"
    if not folder.exists():
        shutil.copytree(library_of(corpus).stores.info.location, folder)
    stores = LibraryFolder(folder)
    if words is not None:
        stores.models.save(NNSELECT, unpacked(words.read_bytes()).encoded())
        stores = LibraryFolder(folder)
    model = required_model(stores.models)
    known = stores.vectors.papers(NNSELECT)
    if known is None or known.about != model.about:
        writer.embed(folder, NNSELECT, model)
    return citewise.open(folder)


def quality(library: citewise.Library, questions: list[Question]) -> dict:
    """Return what each system finds, its ratio to BM25's, and its median milliseconds."""
    runs = answers(library.stores, SYSTEMS, questions, Settings(measures=MEASURES))
    results = score(library.stores, runs, questions, Settings(measures=MEASURES))
    rows = {
        each.system: {name: round(value.value, 4) for name, value in each.values.items()}
        for each in results.systems
    }
    for run in runs:
        rows[run.system]["F1@20 / bm25's"] = round(
            rows[run.system]["F1@20"] / rows["bm25"]["F1@20"], 3
        )
        rows[run.system]["ms"] = round(1000 * statistics.median(run.seconds.tolist()), 1)
    return rows


def by_neighbours(library: citewise.Library, questions: list[Question]) -> dict:
    """Return the recall of candidates by how many neighbours' references join them."""
    systems = [f"nnselect(neighbours={count})" for count in NEIGHBOURS]
    some = spread(questions, 500)
    results = evaluate(library.stores, systems, some, Settings(measures=MEASURES))
    return {
        str(count): {name: round(value.value, 4) for name, value in each.values.items()}
        for count, each in zip(NEIGHBOURS, results.systems, strict=True)
    }


def bias(library: citewise.Library, questions: list[Question]) -> dict:
    """Return the mean and the best place of papers by the query's own authors, by depth."""
    systems = ["bm25", "citeomatic(metadata=ignored)", "citeomatic"]
    runs = answers(library.stores, systems, questions, Settings(measures=MEASURES))
    return {run.system: self_citation_curve(library.stores, run, questions) for run in runs}


if __name__ == "__main__":
    main()
