"""What an answer takes: `evidence` and `ilciter` against rank_bm25's Okapi and Plus over the same
spans, in turns.

python benchmarks/local_speed.py [peerread] (about five minutes; rank_bm25 holds its spans in
memory)
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from rank_bm25 import BM25Okapi, BM25Plus

import citewise
from citewise.evaluate import Question
from citewise.recommend import scope_of
from citewise.text.tokens import Terms
from citewise.types import Query
from contexts import dev_questions, library_of
from measuring import save

SPANS, TIMED, ROUNDS, K = 200_000, 30, 3, 10


def main() -> None:
    name = (sys.argv[1:] or ["peerread"])[0]
    held = library_of(name)
    library = held.library
    spans = np.unique(library.said_of(library.rows, scope_of(library, Query(sentence="x"))).values)
    numbered: dict[str, int] = {}
    terms = Terms(lambda stem: numbered.setdefault(stem, len(numbered)))
    words = [*library.span_texts(spans[:SPANS])]
    numbers, starts = terms.numbers(words)
    tokens = [numbers[starts[place] : starts[place + 1]].tolist() for place in range(len(words))]
    rivals = BM25Okapi(tokens), BM25Plus(tokens)
    questions = dev_questions(held, name)[:: 1000 // TIMED][:TIMED]

    def rank_bm25(question: Question) -> None:
        asked = terms.numbers([question.query.sentence])[0].tolist()
        for rival in rivals:
            np.argsort(-rival.get_scores(asked))[:50]

    own = {
        system: citewise.open(library.path) for system in ("evidence", "ilciter", "grounded")
    }  # nothing is shared
    contestants: dict[str, Callable[[Question], object]] = {
        "rank_bm25 Okapi + Plus": rank_bm25,
        **{
            system: (
                lambda question, system=system: (
                    own[system].recommender(system).rank(question.query, K)
                )
            )
            for system in ("evidence", "ilciter")
        },
        "evidence with 3 sentences each": lambda question: own["grounded"].grounded(
            question.query, K, 3, "evidence"
        ),
    }
    save(
        "local_speed",
        {
            "collection": name,
            "spans of the library": int(spans.size),
            "spans of rank_bm25": len(words),
            "queries": len(questions),
            "rounds": ROUNDS,
            "k": K,
            **measured(contestants, questions),
        },
    )


def measured(
    contestants: dict[str, Callable[[Question], object]], questions: list[Question]
) -> dict:
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for contestant in contestants.values():
        contestant(questions[0])
    for _ in range(ROUNDS):
        for question in questions:
            for name, contestant in contestants.items():
                start = time.perf_counter()
                contestant(question)
                taken[name].append(1000 * (time.perf_counter() - start))
    medians = {name: round(statistics.median(times), 1) for name, times in taken.items()}
    rival = medians["rank_bm25 Okapi + Plus"]
    return {
        "median milliseconds": medians,
        "of rank_bm25": {name: round(value / rival, 3) for name, value in medians.items()},
    }


if __name__ == "__main__":
    main()
