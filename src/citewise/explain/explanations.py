"""Recommendations with what their scores are made of and why: made for the papers of an answer, where asked for."""

from dataclasses import replace

from citewise.explain.facts import Facts
from citewise.explain.reasons import reasons
from citewise.places import Places
from citewise.protocols import Explainer
from citewise.rank.preferences import SIGNALS
from citewise.types import Contributions, Query, Ranking, Recommendation, Rows


def contributions_of(stage: object, query: Query, made: Ranking, answer: Ranking) -> Contributions:
    """Return what the scores of an answer are made of: what the stage gave in `made`, and what was wished for."""
    rows = answer.rows
    found = stage.contributions(query, made, rows) if isinstance(stage, Explainer) else _whole(made, rows)
    wishes = {name: answer.signals[name] for name in SIGNALS if name in answer.signals}
    return Contributions(found.base, found.parts | wishes)


def _whole(made: Ranking, rows: Rows) -> Contributions:
    """Return scores whose parts nobody knows."""
    return Contributions(made.scores[Places(made.rows).of(rows)], {})


def explained(answers: list[Recommendation], found: Contributions, facts: Facts) -> list[Recommendation]:
    """Return the recommendations with their contributions, largest first, and reasons."""
    columns = {name: column.tolist() for name, column in found.parts.items()}
    told = []
    for place, (each, row) in enumerate(zip(answers, facts.rows.tolist(), strict=True)):
        parts = {name: column[place] for name, column in columns.items() if column[place]}
        parts = dict(sorted(parts.items(), key=lambda part: (-abs(part[1]), part[0])))
        full = replace(each, base=float(found.base[place]), contributions=parts)
        told.append(replace(full, reasons=reasons(facts, row, full)))
    return told
