"""A library's own ranker in a field that the shipped one never saw, `elife`: with the word vectors
that ship, and with vectors of MiniLM.

    python benchmarks/own_ranker.py            dev queries (some forty minutes of one core)
    python benchmarks/own_ranker.py --test     the test queries: one look, when all is chosen

What `citewise encode --papers --model minilm` and `citewise train ranker --vectors minilm` do. A
library that has its vectors and its ranker from an earlier run is used as it is. Drafts are asked
without their authors. MiniLM learned, among much else, from citations between papers of years up to
2020: dev (2022) and test (2023) are younger.
"""

import argparse
import json
import shutil

import citewise
from citewise.evaluate import Settings, evaluate, parse_measures
from citewise.library.folder import LibraryFolder
from citewise.rank.trees import DRAFT_MODEL
from citewise.train import ranker, training
from lab import CORPORA, library_of, split_of
from measuring import RESULTS, save
from protocol import WORK

SETS = ("nnselect", "minilm")
SYSTEMS = ("bm25", "best(model=shipped)", "best")
MEASURES = parse_measures("F1@20 MRR@1000 R@1000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", action="store_true")
    part = "test" if parser.parse_args().test else "dev"

    libraries = {name: trained(name) for name in SETS}
    split = split_of("elife", library_of("elife"), CORPORA["elife"][0])
    found = {}
    for name, library in libraries.items():
        questions = split.questions(library.stores, part)
        systems = SYSTEMS if name == SETS[0] else SYSTEMS[2:]
        results = evaluate(library.stores, systems, questions, Settings(measures=MEASURES))
        for each in results.systems:
            label = f"best, trained with {name}" if each.system == "best" else each.system
            found[label] = {
                measure: [round(value.value, 4), round(value.low, 4), round(value.high, 4)]
                for measure, value in each.values.items()
            }
    for label, values in found.items():
        for measure in ("F1@20", "MRR@1000"):
            ratio = found[label][measure][0] / found["bm25"][measure][0]
            values[f"{measure} / bm25's"] = round(ratio, 3)
    save(
        "own-ranker-elife",
        {**before(), part: {"queries": len(questions), "quality": found}},
    )


def before() -> dict:
    """Return what an earlier run measured."""
    file = RESULTS / "own-ranker-elife.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    return {part: known[part] for part in ("dev", "test") if part in known}


def trained(vectors: str) -> citewise.Library:
    """Return a copy of the library with a ranker of its own that reads a set of vectors."""
    folder = WORK / f"elife-own-{vectors}"
    if not folder.exists():
        shutil.copytree(library_of("elife").stores.info.location, folder)
    stores = LibraryFolder(folder)
    if stores.vectors.papers(vectors) is None:
        citewise.encode(folder, papers=True, model=vectors, threads=1)
        stores = LibraryFolder(folder)
    if stores.models.load(DRAFT_MODEL.name) is None:
        settings = training.RankerSettings(split=CORPORA["elife"][0], vectors=vectors)
        training.save(stores, ranker.train_ranker(stores, settings))
    return citewise.open(folder)


if __name__ == "__main__":
    main()
