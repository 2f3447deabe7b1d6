"""Local recommendation: `ilciter` and `evidence` on the dev queries of the three collections, none
tuned on them.

python benchmarks/local.py [peerread] [scisummnet] [evoeco] (some ten minutes, the libraries not
counted)
"""

import sys

import citewise
from citewise.evaluate import Question, Settings, evaluate, parse_measures
from citewise.evaluate.sentences import MEASURES
from contexts import COLLECTIONS, dev_questions, library_of, with_cited
from measuring import save

REFERENCE = {
    "peerread": {
        "ILCiteR's order, simple BM25": (0.240, 0.379),
        "best simple system": (0.283, 0.414),
    },
    "scisummnet": {
        "ILCiteR's order, simple BM25": (0.341, 0.529),
        "best simple system": (0.443, 0.653),
    },
    "evoeco": {
        "ILCiteR's order, simple BM25": (0.240, 0.365),
        "best simple system": (0.308, 0.474),
    },
}
"""MRR and hit@10 of simple systems on the same queries, measured by those who made the collections.
"""


def main() -> None:
    save(
        "local",
        {
            "measures": MEASURES,
            "reference": REFERENCE,
            "collections": {name: measure(name) for name in sys.argv[1:] or COLLECTIONS},
        },
    )


def measure(name: str) -> dict:
    held = library_of(name)
    questions, alone = dev_questions(held, name), dev_questions(held, name, draft=False)
    cited = [each for each in with_cited(held, questions) if each.query.cited]
    counts = held.library.evidence_counts()
    return {
        "sentences": counts.sentences,
        "spans": counts.spans,
        "queries": len(questions),
        "sentence alone": quality(held, ("bm25", "ilciter", "evidence"), alone),
        "with the draft's title and abstract": quality(held, ("evidence",), questions),
        "of sentences whose paper has others among them": {
            "queries": len(cited),
            "title and abstract": quality(
                held,
                ("evidence",),
                [each for each in questions if each.id in {asked.id for asked in cited}],
            ),
            "and what these cite": quality(held, ("evidence",), cited),
        },
    }


def quality(
    held: citewise.OpenLibrary, systems: tuple[str, ...], questions: list[Question]
) -> dict:
    found = evaluate(held, systems, questions, Settings(measures=parse_measures(MEASURES)))
    return {
        each.system: {
            measure: [round(value.value, 4), round(value.low, 4), round(value.high, 4)]
            for measure, value in each.values.items()
        }
        for each in found.systems
    }


if __name__ == "__main__":
    main()
