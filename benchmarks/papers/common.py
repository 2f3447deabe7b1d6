"""What the scripts of this folder share: libraries, dev queries, rows of measures, result files.

Libraries are looked for in the folder that the environment variable CITEWISE_LIBRARIES names, under
their names (`elife`, `scisummnet`, ...); one that is not there is made in benchmarks/work. Choices
and sweeps are made on dev years; test years are left to the scripts of benchmarks/.
"""

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import citewise
import contexts
import lab
from citewise.evaluate import Question, Settings, evaluate, parse_measures
from citewise.evaluate.large import part_library
from measuring import RESULTS, save
from protocol import WORK

MEASURES = "F1@20 MRR@1000 R@1000"
SAMPLE = {"cs": 200, "elife": 300}
"""Dev queries that are asked."""

NEEDS_A_MODEL = "needs a model"


def library_of(name: str) -> citewise.Library:
    """Return a library by its name; it is made where it is not there."""
    ready = Path(os.environ.get("CITEWISE_LIBRARIES", WORK)) / name
    if (ready / "manifest.json").exists():
        return citewise.open(ready)
    return (contexts if name in contexts.COLLECTIONS else lab).library_of(name)


def dev_of(name: str, library: citewise.Library, sample: int | None = None) -> list[Question]:
    """Return a sample of the dev queries of `cs` or `elife`."""
    split = lab.split_of(name, library, lab.CORPORA[name][0])
    questions = split.questions(library.stores, "dev")
    return random.Random(0).sample(questions, min(sample or SAMPLE[name], len(questions)))


def rows_of(
    library: citewise.Library,
    systems: Sequence[str],
    questions: Sequence[Question],
    measures: str = MEASURES,
) -> dict[str, dict]:
    """Return each system's measures as value, lower and upper bound; "needs a model" for one whose
    model is not there.
    """
    found: dict[str, dict] = {}
    settings = Settings(measures=parse_measures(measures))
    for system in systems:
        try:
            (scored,) = evaluate(library.stores, [system], questions, settings).systems
        except (citewise.MissingData, citewise.BadInput) as error:
            found[system] = {"not measured": f"{NEEDS_A_MODEL}: {error}"}
            continue
        found[scored.system] = {
            measure: [round(each.value, 4), round(each.low, 4), round(each.high, 4)]
            for measure, each in scored.values.items()
        } | {"ms, median": round((scored.milliseconds or {}).get("median", 0.0), 1)}
        print(system, found[scored.system], file=sys.stderr, flush=True)
    return found


def saved(name: str, result: dict) -> None:
    """Write a result file of this folder, with the commit that was measured."""
    (RESULTS / "papers").mkdir(parents=True, exist_ok=True)
    save(f"papers/{name}", result)


__all__ = ["WORK", "dev_of", "library_of", "part_library", "rows_of", "saved"]
