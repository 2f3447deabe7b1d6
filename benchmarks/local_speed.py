"""The time of an answer for a sentence: `evidence` and `ilciter` beside rank_bm25's Okapi and Plus
over the same spans, in turns.

    python benchmarks/local_speed.py [peerread]

About five minutes; rank_bm25 needs its spans in memory.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from rank_bm25 import BM25Okapi, BM25Plus

import citewise
from citewise.evaluate import Question
from citewise.text.tokens import TermNumbering
from citewise.types import Scope
from contexts import dev_questions, with_span_vectors
from measuring import save

SPANS, TIMED, ROUNDS, K = 200_000, 30, 3, 10


def main() -> None:
    name = (sys.argv[1:] or ["peerread"])[0]
    library = with_span_vectors(name)
    stores = library.stores
    questions = dev_questions(library, name)[:: 1000 // TIMED][:TIMED]
    spans = np.unique(stores.evidence.citations_of(stores.papers.rows, Scope()).spans)
    texts = stores.evidence.texts(spans[:SPANS])

    # each contestant opens the library for itself, so that none finds what another has loaded
    location = stores.info.location
    evidence = citewise.open(location).recommender("evidence(dense=never)")
    with_vectors = citewise.open(location).recommender("evidence")
    ilciter = citewise.open(location).recommender("ilciter(dense=never)")
    grounded = citewise.open(location).recommender("evidence(dense=never)")
    contestants: dict[str, Callable[[Question], object]] = {
        "rank_bm25 Okapi + Plus": rank_bm25(texts),
        "evidence": lambda question: evidence.rank(question.query, K),
        "evidence with vectors": lambda question: with_vectors.rank(question.query, K),
        "ilciter": lambda question: ilciter.rank(question.query, K),
        "evidence with 3 sentences each": lambda question: grounded.answer(
            question.query, K, evidence=3
        ),
    }
    save(
        "local_speed",
        {
            "collection": name,
            "spans of the library": int(spans.size),
            "spans of rank_bm25": len(texts),
            "queries": len(questions),
            "rounds": ROUNDS,
            "k": K,
            **measured(contestants, questions),
        },
    )


def rank_bm25(texts: list[str]) -> Callable[[Question], object]:
    """Return a function that ranks texts for a question by Okapi and by Plus."""
    numbered: dict[str, int] = {}
    terms = TermNumbering(
        lambda stems: [numbered.setdefault(stem, len(numbered)) for stem in stems]
    )
    numbers, starts = terms.numbers(texts)
    tokens = [numbers[start:end].tolist() for start, end in itertools.pairwise(starts.tolist())]
    rivals = BM25Okapi(tokens), BM25Plus(tokens)

    def ranked(question: Question) -> None:
        words = terms.numbers([question.query.sentence])[0].tolist()
        for rival in rivals:
            np.argsort(-rival.get_scores(words))[:50]

    return ranked


def measured(
    contestants: dict[str, Callable[[Question], object]], questions: list[Question]
) -> dict:
    """Return the median milliseconds of each contestant, and how they compare; all answer each
    question in turns.
    """
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
