"""Navigation by rounds and by what k_c counts (table 6), and the sweep of k_d of section 5.2.

    python benchmarks/papers/rounds.py [cs] [elife]                                      (dev)
    python benchmarks/papers/rounds.py cs elife --ranker FOLDER --depth 100 --counted new
    python benchmarks/papers/rounds.py cs elife --encoder minilm --sample 100 --counted new
    python benchmarks/papers/rounds.py --sweep

By default BM25 ranks in every round; it cannot lift what a citation brought above what it found
itself, so that F1@20 and MRR hardly move. --encoder names an article encoder for
`navigation(encoder=NAME)`, --ranker a cross-encoder for `navigation(ranker=NAME)`; papers that an
encoder reads are encoded once and kept. With a depth of 100 instead of 1,000, rounds are a tenth as
wide, and a cross-encoder takes a tenth of the time.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from common import dev_of, library_of, rows_of, saved
from starts import asked_of

import citewise
from citewise.evaluate import Question, Settings, analyse, answers, parse_measures, score
from pools import intervals

DEPTH = 1000
STEPS = range(0, DEPTH + 1, 100)
WIDTHS = ((300, 700), (700, 300), (900, 100))
"""The paper's k_d and k_c by round, of a depth of 1,000."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["elife"])
    parser.add_argument("--ranker", default="", metavar="FOLDER")
    parser.add_argument("--encoder", default="")
    parser.add_argument("--sample", type=int, help="dev queries; usually 200 of cs, 300 of elife")
    parser.add_argument("--counted", nargs="*", default=["new", "all"], help="what k_c counts")
    parser.add_argument("--depth", type=int, default=DEPTH, help="papers that are ranked")
    parser.add_argument("--sweep", action="store_true", help="the sweep, and not the rounds")
    chosen = parser.parse_args()

    model = chosen.ranker or chosen.encoder
    given = f",{'ranker' if chosen.ranker else 'encoder'}={model}" if model else ""
    found = {}
    for corpus in chosen.corpora:
        library = library_of(corpus)
        questions = (
            asked_of(corpus, library, chosen.sample)
            if chosen.ranker
            else dev_of(corpus, library, chosen.sample)
        )
        measured = (
            swept(library, questions, given)
            if chosen.sweep
            else rows_by_round(library, questions, given, chosen.counted, chosen.depth)
        )
        found[corpus] = {"queries": len(questions), "rows": measured}
    what = Path(model).name
    name = "-".join(filter(None, ("sweep" if chosen.sweep else "rounds", what)))
    saved(name, {"part": "dev", "ranker": what or "bm25", "corpora": found})


def rows_by_round(
    library: citewise.Library,
    questions: Sequence[Question],
    given: str,
    counted: Sequence[str],
    depth: int,
) -> dict:
    """Return the rows of table 6."""
    settings = Settings(measures=parse_measures(f"F1@20 MRR@{depth} R@{depth}"))
    share = DEPTH // depth
    widths = "/".join(f"{k_d // share}+{k_c // share}" for k_d, k_c in WIDTHS)
    rows = {}
    for rounds in range(4):
        for each in counted if rounds else counted[:1]:
            system = f"navigation(rounds={rounds},widths={widths},counted={each}{given})"
            runs = answers(library.stores, [system], questions, settings)
            scored = score(library.stores, runs, questions, settings).systems[0]
            (overlap,) = analyse(library.stores, runs, questions, ["overlap"], depth)
            rows[f"{rounds} rounds, k_c counts {each}" if rounds else "0 rounds"] = {
                **intervals(scored.values),
                "term overlap": round(overlap.rows[runs[0].system]["mean share"], 4),
            }
    return rows


def swept(library: citewise.Library, questions: Sequence[Question], given: str) -> dict:
    """Return R@1000 by k_d (k_c = 1000 - k_d) of rounds 0, 1 and 2, each with the best of the
    rounds before.
    """
    fixed: list[str] = []
    found = {}
    for number in range(3):
        widths = {k_d: "/".join([*fixed, f"{k_d}+{1000 - k_d}"]) for k_d in STEPS}
        tried = {
            k_d: f"navigation(rounds={number + 1},widths={each},counted=all{given})"
            for k_d, each in widths.items()
        }
        rows = rows_of(library, [*tried.values()], questions, "R@1000")
        values = dict(zip(tried, (each["R@1000"][0] for each in rows.values()), strict=True))
        best = max(values, key=values.__getitem__)
        fixed.append(f"{best}+{1000 - best}")
        found[f"round {number}"] = {"R@1000 by k_d": values, "best": best}
    return found


if __name__ == "__main__":
    main()
