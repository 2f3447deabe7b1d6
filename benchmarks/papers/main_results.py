"""The main results: Navigation's tables 2 to 4, BIR's and Citeomatic's table 2, on dev queries.

    python benchmarks/papers/main_results.py [cs] [elife] [--systems "bm25+rerank(model=M)" ...]

Test years are asked by benchmarks/best.py, citeomatic.py and navigation.py, whose results the page
shows beside these.
"""

import argparse

from common import dev_of, library_of, rows_of, saved

SYSTEMS = ("bm25", "navigation(rounds=1)", "navigation(rounds=2)", "nnselect", "best")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["elife"])
    parser.add_argument("--systems", nargs="*", default=[], help="further systems, fully spelled")
    chosen = parser.parse_args()

    found = {}
    for corpus in chosen.corpora:
        library = library_of(corpus)
        questions = dev_of(corpus, library)
        rows = rows_of(library, [*SYSTEMS, *chosen.systems], questions)
        found[corpus] = {"queries": len(questions), "rows": rows}
    saved("main_results", {"part": "dev", "corpora": found})


if __name__ == "__main__":
    main()
