"""F1@20 of the ten fields with the most papers among the queries, in place of Citeomatic's
figure 3, which has ten venues (dev).

    python benchmarks/papers/venues.py [elife] [--by venue] [--systems bm25 best]

The paper's figure is of NNRank on PubMed. Every query of `cs` is from arXiv's cs.LG and every one
of `elife` from one journal, whose subjects are the nearest thing to venues.
"""

import argparse
from collections import Counter

from common import dev_of, library_of, saved

from citewise.evaluate import Settings, evaluate, parse_measures

SHOWN = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", default="elife")
    parser.add_argument("--systems", nargs="*", default=["bm25", "best"])
    parser.add_argument("--by", choices=("field", "venue"), default="field")
    parser.add_argument("--sample", type=int, default=400)
    chosen = parser.parse_args()

    library = library_of(chosen.corpus)
    questions = dev_of(chosen.corpus, library, chosen.sample)
    settings = Settings(measures=parse_measures("F1@20"), by=(chosen.by,))
    results = evaluate(library.stores, chosen.systems, questions, settings)
    sizes = Counter(
        {name: each.queries for name, each in results.systems[0].groups[chosen.by].items()}
    )
    saved(
        "venues",
        {
            "part": "dev",
            "corpus": chosen.corpus,
            "by": chosen.by,
            "queries": len(questions),
            "venues": {
                name: {
                    "queries": count,
                    **{
                        each.system: round(each.groups[chosen.by][name].values["F1@20"], 4)
                        for each in results.systems
                    },
                }
                for name, count in sizes.most_common(SHOWN)
            },
        },
    )


if __name__ == "__main__":
    main()
