"""What each departure from the papers was worth: figures before and after it was mended.

    python benchmarks/papers/departures.py [--mentions LIBRARY]

Those of key terms, rounds and span ranking are in query_forms.py, rounds.py and spans.py.
--mentions names a library of `scisummnet` that was made with mentions; without, it is made.
"""

import argparse
import random

import numpy as np
from common import dev_of, library_of, rows_of, saved

import citewise
from citewise.evaluate import (
    Pool,
    Pools,
    Settings,
    Split,
    SplitSettings,
    parse_measures,
    prefiltered,
    score_pools,
)
from citewise.recommend import scope_of
from citewise.spans.search import Claim
from citewise.text.tokens import word_count
from contexts import asked_elsewhere, dev_questions
from spans import drawn, newest, with_mentions

MEASURES = "MRR@1000 hit@1 hit@10"
ASKED = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mentions", default="")
    chosen = parser.parse_args()

    elife, plain = library_of("elife"), library_of("scisummnet")
    parsed = citewise.open(chosen.mentions) if chosen.mentions else with_mentions("scisummnet")
    saved(
        "departures",
        {
            "span queries": span_queries(parsed),
            "published pools": published_pools(elife),
            "pool papers without a score": unscored(elife),
            "mentions": mentions(plain, parsed),
            "prefilter": {"papers": len(elife), "kept": int(prefiltered(elife.stores).size)},
            "long claims": long_claims(plain),
            "splits": {name: splits(library_of(name)) for name in ("elife", "scisummnet")},
        },
    )


def span_queries(library: citewise.Library) -> dict:
    """Return `ilciter` on whole sentences and on their spans, of the same papers."""
    spans = drawn(newest(library), ASKED)
    whole = {}
    for each in newest(library, "sentences"):
        whole[each.id] = each
    asked = [whole[name] for name in {each.id.rpartition(".")[0] for each in spans} & {*whole}]
    return {
        "sentences": {"questions": len(asked)} | one(library, "ilciter(dense=never)", asked),
        "spans": {"questions": len(spans)} | one(library, "ilciter(dense=never)", spans),
    }


def one(library: citewise.Library, system: str, questions: list) -> dict:
    """Return the measures of one system."""
    (values,) = rows_of(library, [system], questions, MEASURES).values()
    return values


def published_pools(library: citewise.Library) -> dict:
    """Return what the guard took out of pools that were made without it, and BM25's MAP."""
    stores, dice = library.stores, random.Random(0)
    pools = []
    for question in dev_of("elife", library, 100):
        row = stores.papers.find([question.id])
        cited = stores.graph.references(row).values.tolist()
        others = dice.sample(stores.papers.rows.tolist(), 60)
        names = [paper.id for paper in stores.papers.read([*cited[:5], *others])]
        kept = {name for name in names[len(cited[:5]) :] if name != question.id}
        pools.append(
            Pool(
                id=question.id,
                field="elife",
                cited=tuple(names[: len(cited[:5])]),
                negatives={"random": tuple(sorted(kept - {*names[: len(cited[:5])]}))},
            )
        )

    settings = Settings(parse_measures("MAP@1000"))
    found = {}
    for name, made in (("guarded, as before", "another"), ("as published", "")):
        given = Pools(tuple(pools), library=made)
        results = score_pools(stores, ["bm25"], given, settings, stale=bool(made))
        found[name] = {
            "papers": results.papers,
            "taken out": results.unseen,
            "MAP": round(results.systems[0].average["MAP@1000"].value, 4),
        }
    return found


def unscored(library: citewise.Library) -> dict:
    """Return how many papers of pools no round of navigation reaches: before, they had no score."""
    stores, dice = library.stores, random.Random(0)
    recommender = library.recommender("navigation")
    total = reached = scored = 0
    for question in dev_of("elife", library, 40):
        scope = scope_of(stores.papers, question.query)
        drawn_rows = np.array(dice.sample(stores.papers.rows.tolist(), 60), np.int64)
        rows = np.union1d(drawn_rows, np.array(question.gold, np.int64))
        rows = rows[stores.papers.in_scope(rows, scope)]
        ranking = recommender.rank(question.query, rows.size, rows.tolist())
        total, scored = total + rows.size, scored + len(ranking)
        reached += int(np.count_nonzero(~np.isnan(ranking.signals["round"])))
    return {
        "papers": int(total),
        "without a score, before": int(total - reached),
        "after": int(total - scored),
    }


def mentions(plain: citewise.Library, parsed: citewise.Library) -> dict:
    """Return both systems for sentences over evidence without and with mentions, on the dev
    sentences and on spans.
    """
    spans = drawn(newest(parsed), ASKED)
    found = {}
    for name, library in (("without", plain), ("with", parsed)):
        asked = dev_questions(library, "scisummnet", draft=False)[:ASKED]
        moved = asked_elsewhere(parsed.stores, spans, library.stores)
        found[name] = {
            "spans of the library": library.stores.evidence.counts().spans,
            "dev sentences": rows_of(
                library, ["ilciter(dense=never)", "evidence"], asked, MEASURES
            ),
            "span queries": rows_of(library, ["ilciter(dense=never)", "evidence"], moved, MEASURES),
        }
    return found


def long_claims(library: citewise.Library) -> dict:
    """Return how many dev sentences are long by either way of counting."""
    questions = dev_questions(library, "scisummnet", draft=False)

    def by_terms(text: str) -> bool:
        claim = Claim.of(library.stores, text)
        mean = library.stores.evidence.statistics(claim.terms).mean_length
        return bool(claim.counts.sum() > 2.5 * mean)

    texts = [each.query.claim for each in questions]
    return {
        "sentences": len(texts),
        "long by known terms, 2.5 times the mean": sum(map(by_terms, texts)),
        "long by words, more than 50": sum(word_count(text) > 50 for text in texts),
    }


def splits(library: citewise.Library) -> dict:
    """Return the queries of each part, with shares of eligible and of all papers."""
    return {
        cut: {
            part: len(papers)
            for part, papers in Split.make(
                library.stores, SplitSettings(cut=cut), guard=False
            ).parts.items()
        }
        for cut in ("eligible", "all")
    }


if __name__ == "__main__":
    main()
