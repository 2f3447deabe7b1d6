"""Statistics of the corpora: table 1 of Navigation, BIR and Citeomatic, table 2 of ILCiteR.

python benchmarks/papers/corpora.py [cs] [elife] [scisummnet] [peerread] [evoeco]
"""

import sys
import time
from dataclasses import asdict

from common import library_of, saved

import lab
from citewise.evaluate import Split, SplitSettings
from citewise.evaluate.splits import PARTS

NAMES = ("elife", "scisummnet")


def main() -> None:
    saved("corpora", {"corpora": {name: measured(name) for name in sys.argv[1:] or NAMES}})


def measured(name: str) -> dict:
    """Return the statistics of a library, and the queries and pairs of its parts."""
    library = library_of(name)
    start = time.process_time()
    found = asdict(library.statistics())
    seconds = time.process_time() - start

    settings = lab.CORPORA[name][0] if name in lab.CORPORA else SplitSettings(cut="all")
    split = Split.make(library.stores, settings, guard=False)
    return {
        "statistics": found,
        "CPU s": round(seconds, 1),
        "split": "years of the corpus" if name in lab.CORPORA else "80, 10, 10% of all papers",
        "parts": {
            part: {
                "queries": len(questions),
                "pairs": sum(len(each.gold) for each in questions),
            }
            for part in PARTS
            for questions in [split.questions(library.stores, part, guard=False)]
        },
    }


if __name__ == "__main__":
    main()
