"""What each preference changes in the answers of `best`: quality, age, citations, self-citations,
similarity.

    python benchmarks/knobs.py            (about ten minutes)

On a sample of `cs` dev 2021; self-citations on papers of 2021 of `elife`, since those of `cs` have
no authors. Of the first 20 answers: mean age in years, mean and median citations that the query may
see, how similar two of them are (cosine of their citers, as far as the query may see these), and
the share that has an author in common with the query.
"""

import random
import statistics
from dataclasses import replace
from typing import Any

import numpy as np

import citewise
from citewise.arrays import Rows
from citewise.evaluate import Hits, Question, Split, SplitSettings, parse_measures
from citewise.preferences import Preferences
from citewise.rank.diversity import cosines
from citewise.rank.preferring import written_by
from citewise.recommend import scope_of
from lab import CORPORA, library_of, split_of
from measuring import save

MEASURES = parse_measures("F1@20 MRR@1000")
SAMPLE, SHOWN, K = 200, 20, 1000
WEIGHTS = {
    "prefer_recent": (-0.5, 0.25, 0.5, 1.0),
    "prefer_cited": (-1.0, -0.5, -0.25, 0.5),
    "diversify": (0.1, 0.3, 0.5, 0.7),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "as ranked": {},
    **{
        f"{name} {weight:g}": {"preferences": Preferences.of({name: weight})}
        for name, weights in WEIGHTS.items()
        for weight in weights
    },
    "since 2016": {"since": 2016},
}
"""The fields of a query that each setting changes."""

OF_OTHERS: dict[str, dict[str, Any]] = {
    "as ranked": {},
    "no_self_citations": {"preferences": Preferences(no_self_citations=True)},
}
ELIFE_2021 = SplitSettings(dev=(2021, 2021), test=(2022, 2022), least=3)


def main() -> None:
    library = library_of("cs")
    split = split_of("cs", library, CORPORA["cs"][0])
    questions = sample(split.questions(library.stores, "dev"))
    found = {
        name: measured(library, questions, changes, "self-citations")
        for name, changes in SETTINGS.items()
    }

    elife = library_of("elife")
    elife_split = Split.make(elife.stores, ELIFE_2021, parts=("dev",))
    signed = sample(elife_split.questions(elife.stores, "dev"))
    others = {name: measured(elife, signed, changes) for name, changes in OF_OTHERS.items()}
    save(
        "knobs-cs",
        {
            "corpus": "cs",
            "split": "dev 2021, a sample",
            "queries": len(questions),
            "system": "best",
            "settings": found,
            "elife 2021": {"queries": len(signed), "settings": others},
        },
    )


def sample(questions: list[Question]) -> list[Question]:
    return random.Random(0).sample(questions, SAMPLE)


def measured(
    library: citewise.Library,
    questions: list[Question],
    changes: dict[str, Any],
    left_out: str = "",
) -> dict:
    """Return measures and properties of the answers to queries of which some fields are changed.

    `left_out` is the name of a property that the library has no data for.
    """
    recommender, rankings, seen = library.recommender("best"), [], []
    for question in questions:
        paper = library[question.id]
        query = replace(question.query, authors=paper.authors, **changes)
        rankings.append(recommender.rank(query, K).rows)
        seen.append(properties(library, paper, question, rankings[-1][:SHOWN]))

    hits = Hits.of(rankings, [question.gold for question in questions], K)
    found = {
        **{str(measure): round(measure.of(hits), 4) for measure in MEASURES},
        **{
            name: round(statistics.fmean(each[name] for each in seen if each), 3)
            for name in seen[0]
            if name != left_out
        },
    }
    print(changes, found, flush=True)
    return found


def properties(
    library: citewise.Library, paper: citewise.Paper, question: Question, rows: Rows
) -> dict[str, float]:
    """Return age, citations, self-citations and similarity of some answers; nothing for fewer than
    two. `paper` is the one that the question was made from.
    """
    if rows.size < 2:
        return {}

    papers, year = library.stores.papers, question.query.year or 0
    citers = library.stores.graph.citers(rows, scope_of(papers, question.query))
    similarity = cosines(citers.owners, citers.values, np.ones(citers.values.size), rows.size)
    pairs = similarity[np.triu_indices(rows.size, 1)]

    return {
        "mean age": float((year - papers.years(rows)).mean()),
        "mean citations": float(citers.lengths.mean()),
        "median citations": float(np.median(citers.lengths)),
        "self-citations": statistics.fmean(
            written_by(each, paper.authors) for each in papers.read(rows)
        ),
        "similarity of the answers": float(pairs.mean()),
    }


if __name__ == "__main__":
    main()
