"""Papers for sentences: `ilciter` and `evidence` on the dev queries of the three collections, on
which neither was tuned.

    python benchmarks/local.py [peerread] [scisummnet] [evoeco]

Some twenty minutes, the libraries and their vectors not counted. `evidence` is asked with the
vectors of spans and without, `ilciter` without (local_dense.py has it with them).
"""

import sys

import citewise
from citewise.evaluate import Question, Settings, evaluate, parse_measures
from citewise.evaluate.sentences import MEASURES
from contexts import COLLECTIONS, dev_questions, with_cited, with_span_vectors
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

EVIDENCE = ("evidence(dense=never)", "evidence")


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
    """Return what the systems find for the sentences of a collection, by what they know of the
    draft.
    """
    library = with_span_vectors(name)
    questions, alone = dev_questions(library, name), dev_questions(library, name, draft=False)
    with_others = [each for each in with_cited(library, questions) if each.query.cited]
    ids = {each.id for each in with_others}
    counts = library.stores.evidence.counts()

    return {
        "sentences": counts.sentences,
        "spans": counts.spans,
        "queries": len(questions),
        "sentence alone": quality(library, ("bm25", "ilciter(dense=never)", *EVIDENCE), alone),
        "with the draft's title and abstract": quality(library, EVIDENCE, questions),
        "of sentences whose paper has others among them": {
            "queries": len(with_others),
            "title and abstract": quality(
                library, EVIDENCE, [each for each in questions if each.id in ids]
            ),
            "and what these cite": quality(library, EVIDENCE, with_others),
        },
    }


def quality(library: citewise.Library, systems: tuple[str, ...], questions: list[Question]) -> dict:
    """Return by system each measure as value, lower and upper bound."""
    settings = Settings(measures=parse_measures(MEASURES))
    found = evaluate(library.stores, systems, questions, settings)
    return {
        each.system: {
            measure: [round(value.value, 4), round(value.low, 4), round(value.high, 4)]
            for measure, value in each.values.items()
        }
        for each in found.systems
    }


if __name__ == "__main__":
    main()
