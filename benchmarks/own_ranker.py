"""A field that the shipped rankers never saw, `elife`: what ships and a library's own ranker, each
with and without vectors of MiniLM.

    python benchmarks/own_ranker.py            dev queries (some twenty minutes of one core)
    python benchmarks/own_ranker.py --test     the test queries: one look, when all is chosen

What `citewise encode --papers --model minilm` and `citewise train ranker [--encoder minilm]` do. A
library that has its vectors and its ranker from an earlier run is used as it is. Drafts are asked
without their authors, but for the rows that say otherwise. MiniLM learned, among much else, from
citations between papers of years up to 2020: dev (2022) and test (2023) are younger.
"""

import argparse
import json
import shutil

import citewise
from citewise.embed.folder import MINILM
from citewise.evaluate import Question, Settings, evaluate, parse_measures
from citewise.library.folder import LibraryFolder
from citewise.rank.trees import DRAFT_MODEL
from citewise.train import ranker, training
from lab import CORPORA, library_of, split_of
from measuring import RESULTS, save
from protocol import WORK
from ranker import with_texts

MEASURES = parse_measures("F1@20 MRR@1000 R@1000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", action="store_true")
    part = "test" if parser.parse_args().test else "dev"

    texts, own_with_texts = with_texts("elife"), trained(MINILM)
    asked = {
        "bm25": (texts, "bm25", False),
        "as it ships, without MiniLM": (texts, "best(encoder=none)", False),
        "as it ships, with MiniLM": (texts, "best", False),
        "own ranker, without MiniLM": (trained(""), "best", False),
        "own ranker, with MiniLM": (own_with_texts, "best", False),
        "as it ships, with MiniLM and authors": (texts, "best", True),
        "own ranker, with MiniLM and authors": (own_with_texts, "best", True),
    }
    found = {}
    for label, (library, system, authors) in asked.items():
        split = split_of("elife", library, CORPORA["elife"][0])
        questions = split.questions(library.stores, part, authors=authors)
        found[label] = measured(library, system, questions)
        for measure in ("F1@20", "MRR@1000"):
            ratio = found[label][measure][0] / found["bm25"][measure][0]
            found[label][f"{measure} / bm25's"] = round(ratio, 3)
    save(
        "own-ranker-elife",
        {**before(), part: {"queries": len(questions), "quality": found}},
    )


def measured(library: citewise.Library, system: str, questions: list[Question]) -> dict:
    """Return a system's measures as value, lower and upper bound."""
    results = evaluate(library.stores, [system], questions, Settings(measures=MEASURES))
    return {
        measure: [round(value.value, 4), round(value.low, 4), round(value.high, 4)]
        for measure, value in results.systems[0].values.items()
    }


def before() -> dict:
    """Return what an earlier run measured."""
    file = RESULTS / "own-ranker-elife.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    return {part: known[part] for part in ("dev", "test") if part in known}


def trained(encoder: str) -> citewise.Library:
    """Return a copy of the library with a ranker of its own, which reads vectors of an encoder."""
    folder = WORK / f"elife-own-{encoder or 'words'}"
    if not folder.exists():
        source = with_texts("elife") if encoder else library_of("elife")
        shutil.copytree(source.stores.info.location, folder)
    stores = LibraryFolder(folder)
    if stores.models.load(DRAFT_MODEL.name) is None:
        settings = training.RankerSettings(split=CORPORA["elife"][0], encoder=encoder)
        training.save(stores, ranker.train_ranker(stores, settings))
    return citewise.open(folder)


if __name__ == "__main__":
    main()
