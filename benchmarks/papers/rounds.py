"""Navigation by rounds and by what k_c counts (table 6), and the sweep of k_d of section 5.2.

    python benchmarks/papers/rounds.py [cs] [elife] [--ranker NAME] [--sweep]            (dev)

Without --ranker, BM25 ranks in every round; it cannot lift what a citation brought above what it
found itself, so that F1@20 and MRR hardly move. --ranker names a cross-encoder for
`navigation(ranker=NAME)`.
"""

import argparse

from common import MEASURES, dev_of, library_of, rows_of, saved

from citewise.evaluate import Settings, analyse, answers, parse_measures, score

STEPS = range(0, 1001, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=["elife"])
    parser.add_argument("--ranker", default="")
    parser.add_argument("--sweep", action="store_true")
    chosen = parser.parse_args()
    ranker = f",ranker={chosen.ranker}" if chosen.ranker else ""
    saved(
        "rounds" + (f"-{chosen.ranker}" if chosen.ranker else ""),
        {
            "part": "dev",
            "ranker": chosen.ranker or "bm25",
            "corpora": {
                corpus: measured(corpus, ranker, chosen.sweep) for corpus in chosen.corpora
            },
        },
    )


def measured(corpus: str, ranker: str, sweep: bool) -> dict:
    """Return the rows of table 6, and with a sweep R@1000 by k_d of each round."""
    library = library_of(corpus)
    questions = dev_of(corpus, library)
    settings = Settings(measures=parse_measures(MEASURES))

    rows = {}
    for rounds in range(4):
        for counted in ("new", "all") if rounds else ("new",):
            system = f"navigation(rounds={rounds},counted={counted}{ranker})"
            runs = answers(library.stores, [system], questions, settings)
            scored = score(library.stores, runs, questions, settings).systems[0]
            (overlap,) = analyse(library.stores, runs, questions, ["overlap"], 1000)
            rows[f"{rounds} rounds, k_c counts {counted}" if rounds else "0 rounds"] = {
                **{
                    name: [round(each.value, 4), round(each.low, 4), round(each.high, 4)]
                    for name, each in scored.values.items()
                },
                "term overlap": round(overlap.rows[runs[0].system]["mean share"], 4),
            }

    found = {"queries": len(questions), "rows": rows}
    if sweep:
        found["sweep"] = swept(library, questions, ranker)
    return found


def swept(library, questions, ranker: str) -> dict:
    """Return R@1000 by k_d (k_c = 1000 - k_d) of rounds 0, 1 and 2, each with the best of the
    rounds before.
    """
    fixed: list[str] = []
    found = {}
    for number in range(3):
        widths = {k_d: "/".join([*fixed, f"{k_d}+{1000 - k_d}"]) for k_d in STEPS}
        tried = {
            k_d: f"navigation(rounds={number + 1},widths={each},counted=all{ranker})"
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
