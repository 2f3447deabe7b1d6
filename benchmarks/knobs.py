"""What each preference changes in the answers of `best`: quality, age, citations, self-citations,
likeness.

    python benchmarks/knobs.py            (about ten minutes)

On a sample of `cs` dev 2021; self-citations on papers of 2021 of `elife`, for those of `cs` have no
authors. Of the first 20 answers: mean age in years, mean and median citations that the query may
see, how alike two of them are (cosine of their citers, as far as the query may see), and the share
that has an author in common with the query.
"""

import random
import statistics
from dataclasses import replace

import numpy as np
from citewise.rank.preferences import written_by

import citewise
from citewise.evaluate import Hits, Question, Split, SplitSettings, parse_measures
from citewise.rank.diversity import cosines
from citewise.recommend import scope_of
from lab import CORPORA, library_of, split_of
from measuring import save

MEASURES = parse_measures("F1@20 MRR@1000")
SAMPLE, SHOWN, K = 200, 20, 1000
SETTINGS: dict[str, dict] = {
    "as ranked": {},
    **{f"prefer_recent {weight:g}": {"prefer_recent": weight} for weight in (-0.5, 0.25, 0.5, 1.0)},
    **{f"prefer_cited {weight:g}": {"prefer_cited": weight} for weight in (-1.0, -0.5, -0.25, 0.5)},
    **{f"diversify {weight:g}": {"diversify": weight} for weight in (0.1, 0.3, 0.5, 0.7)},
    "since 2016": {"since": 2016},
}
OF_OTHERS: dict[str, dict] = {"as ranked": {}, "no_self_citations": {"no_self_citations": True}}
ELIFE_2021 = SplitSettings(dev=(2021, 2021), test=(2022, 2022), least=3)


def main() -> None:
    held, life = library_of("cs"), library_of("elife")
    questions = sample(split_of("cs", held, CORPORA["cs"][0]).questions(held, "dev"))
    found = {
        name: measured(held, questions, wishes, "self-citations")
        for name, wishes in SETTINGS.items()
    }
    asked = sample(Split.make(life, ELIFE_2021, parts=("dev",)).questions(life, "dev"))
    others = {name: measured(life, asked, wishes) for name, wishes in OF_OTHERS.items()}
    save(
        "knobs-cs",
        {
            "corpus": "cs",
            "split": "dev 2021, a sample",
            "queries": len(questions),
            "system": "best",
            "settings": found,
            "elife 2021": {"queries": len(asked), "settings": others},
        },
    )


def sample(questions: list[Question]) -> list[Question]:
    return random.Random(0).sample(questions, SAMPLE)


def measured(
    held: citewise.OpenLibrary, questions: list[Question], wishes: dict, left_out: str = ""
) -> dict:
    recommender, rankings, seen = held.recommender("best"), [], []
    for question in questions:
        paper = held[question.id]
        rows = recommender.rank(replace(question.query, authors=paper.authors, **wishes), K).rows
        rankings.append(rows)
        seen.append(looks(held, paper, question, rows[:SHOWN]))
    hits = Hits.of(rankings, [question.gold for question in questions], K)
    found = {
        **{str(measure): round(measure.of(hits), 4) for measure in MEASURES},
        **{
            name: round(statistics.fmean(each[name] for each in seen if each), 3)
            for name in seen[0]
            if name != left_out
        },
    }
    print(wishes, found, flush=True)
    return found


def looks(
    held: citewise.OpenLibrary, paper: citewise.Paper, question: Question, rows: np.ndarray
) -> dict:
    """Return what some answers are like."""
    library, scope = held.library, scope_of(held.library, question.query)
    citers = library.citers(rows, scope)
    owners = np.repeat(np.arange(rows.size), citers.lengths)
    alike = cosines(owners, citers.values, np.ones(owners.size), rows.size)
    pairs = alike[np.triu_indices(rows.size, 1)]
    return (
        {
            "mean age": float((question.query.year - library.years(rows)).mean()),
            "mean citations": float(citers.lengths.mean()),
            "median citations": float(np.median(citers.lengths)),
            "self-citations": statistics.fmean(
                written_by(each, paper.authors) for each in library.papers(rows)
            ),
            "co-citation likeness": float(pairs.mean()),
        }
        if rows.size > 1
        else {}
    )


if __name__ == "__main__":
    main()
