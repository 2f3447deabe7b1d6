"""Explained recommendations: the parts of each score, and the reasons for each paper."""

from dataclasses import replace

from citewise.arrays import RowIndex, Rows
from citewise.explain.facts import Facts
from citewise.explain.reasons import label_of, reasons
from citewise.protocols import Explainer, Stage
from citewise.signals import written_by
from citewise.types import Contribution, Contributions, Query, Ranking, Recommendation


def contributions_of(
    stage: Stage | None, query: Query, ranking: Ranking, answer: Ranking
) -> Contributions:
    """Return the parts of an answer's scores: those of the stage that computed them in `ranking`,
    and those of the author's preferences.
    """
    rows = answer.rows
    if isinstance(stage, Explainer):
        scored = stage.contributions(query, ranking, rows)
    else:
        scored = _whole(ranking, rows)

    preferences = {
        name: answer.signals[name]
        for name in sorted(written_by("preferences"))
        if name in answer.signals
    }

    return Contributions(scored.base, {**scored.parts, **preferences})


def _whole(ranking: Ranking, rows: Rows) -> Contributions:
    """Return the scores of rows as one part: the base."""
    return Contributions(ranking.scores[RowIndex(ranking.rows).of(rows)], {})


def explained(
    answers: list[Recommendation], contributions: Contributions, facts: Facts
) -> list[Recommendation]:
    """Return the recommendations with their contributions, largest first, and reasons."""
    columns = {name: column.tolist() for name, column in contributions.parts.items()}

    result = []
    for position, (each, row) in enumerate(zip(answers, facts.rows.tolist(), strict=True)):
        parts = [
            Contribution(name, label_of(name), column[position])
            for name, column in columns.items()
            if column[position]
        ]
        parts.sort(key=lambda part: (-abs(part.value), part.signal))

        base = float(contributions.base[position])
        full = replace(each, base=base, contributions=tuple(parts))
        result.append(replace(full, reasons=reasons(facts, row, full)))
    return result
