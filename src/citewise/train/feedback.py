"""The user's verdicts as training queries: what was accepted is cited, what was rejected is not.

A draft that is, or is nearly, a paper by which models are judged is left out; so is one without a
title, of which nobody can tell. What nobody judged among the best candidates is not learned from:
the user may not have looked at it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate.runs import Progress, Subject, Workers
from citewise.evaluate.splits import Question, Split
from citewise.feedback import Feedback, FeedbackEntry, asked
from citewise.protocols import Stores
from citewise.text.titles import similar_titles
from citewise.train.cases import case_of, draws
from citewise.train.examples import (
    BEST,
    OTHERS,
    Examples,
    Extraction,
    collected,
    known_candidates,
    nothing,
    of_query,
    ranked_by_linear,
)
from citewise.train.findings import Scorer
from citewise.types import Query

LEAST_DRAFTS = 20
"""Drafts with an accepted answer that training with feedback needs."""

_HELD_OUT = 5
"""One draft in this many is not learned from: models are compared on it."""


@dataclass(frozen=True, slots=True)
class FeedbackQuestions:
    """The drafts of a feedback file, and what was left out of them."""

    learned_from: tuple[Question, ...]
    """Gold rows were accepted; rows `within` were accepted or rejected."""
    held_out: tuple[Question, ...]
    counts: dict[str, int]
    """How much was found, and how much was left out, by reason."""


@dataclass(frozen=True, slots=True)
class FeedbackFindings:
    """Whether feedback helped."""

    counts: dict[str, int]
    """How much was found, and how much was left out, by reason."""
    pairs: int
    """Pairs of an accepted and a rejected paper of the same held-out draft."""
    without: float | None
    """The share of these pairs that a model trained without feedback has in the right order; None
    where there are none.
    """
    trained: float | None
    """The same of the model trained with feedback."""


def feedback_questions(stores: Stores, feedback: Feedback, split: Split) -> FeedbackQuestions:
    """Return a user's drafts as questions; where there are too few, BadInput says how many."""
    content, verdicts = feedback.read(), feedback.verdicts()
    drafts = _by_draft(verdicts)
    evaluated = {each.id for part in ("dev", "test") for each in split.parts[part]}
    versions = _versions(stores, [entries[-1].query or Query() for entries in drafts])

    questions, near, untitled = [], 0, 0
    for entries, own in zip(drafts, versions, strict=True):
        if evaluated & {*own}:
            near += 1
        elif not asked(entries[-1])[0].strip():
            untitled += 1
        elif question := _question(stores, entries, own):
            questions.append(question)

    counts = {
        "accepted": sum(entry.verdict == "accepted" for entry in verdicts),
        "rejected": sum(entry.verdict == "rejected" for entry in verdicts),
        "drafts used": len(questions),
        "drafts of dev and test papers": near,
        "drafts without a title": untitled,
        "drafts without an accepted paper of the library": (
            len(drafts) - near - untitled - len(questions)
        ),
        "verdicts on sentences": sum(bool(asked(entry)[2]) for entry in verdicts),
        "verdicts without a draft": sum(not any(asked(entry)) for entry in verdicts),
        "damaged lines": len(content.damaged),
    }
    if len(questions) < LEAST_DRAFTS:
        raise BadInput(_too_few(feedback, counts))
    return FeedbackQuestions(
        tuple(each for n, each in enumerate(questions) if n % _HELD_OUT),
        tuple(questions[::_HELD_OUT]),
        counts,
    )


def _too_few(feedback: Feedback, counts: Mapping[str, int]) -> str:
    found = ", ".join(f"{name}: {count}" for name, count in counts.items())
    return (
        f"{feedback.path}: training with feedback needs at least {LEAST_DRAFTS} drafts with an "
        f"accepted answer, and there are {counts['drafts used']} ({found}). Accept and reject "
        "answers to more drafts, or train without --feedback"
    )


def _by_draft(verdicts: Sequence[FeedbackEntry]) -> list[list[FeedbackEntry]]:
    """Return the verdicts on answers to each draft; those on sentences are left out."""
    drafts: dict[tuple[str, str, str], list[FeedbackEntry]] = {}
    for entry in verdicts:
        text = asked(entry)
        if any(text) and not text[2]:
            drafts.setdefault(text, []).append(entry)
    return [*drafts.values()]


def _versions(stores: Stores, queries: Sequence[Query]) -> list[list[str]]:
    """Return the ids of the papers that are each draft itself: those with nearly its title, and
    those that it names as itself or as other versions.
    """
    every = stores.papers.rows
    named = (stores.papers.find([query.id, *query.hidden]).tolist() for query in queries)
    near: list[list[int]] = [[row for row in rows if row >= 0] for rows in named]
    titles = [query.title for query in queries]
    for one, other in similar_titles(titles, stores.papers.titles(every)):
        near[one].append(int(every[other]))
    return [[paper.id for paper in stores.papers.read(rows)] for rows in near]


def _question(
    stores: Stores, entries: Sequence[FeedbackEntry], own: Sequence[str]
) -> Question | None:
    """Return a draft as a question; None where no paper of the library was accepted for it."""
    rows = stores.papers.find([entry.paper for entry in entries]).tolist()
    hidden = {*stores.papers.find(own).tolist(), -1}
    verdict = {row: entry.verdict for row, entry in zip(rows, entries, strict=True)}
    judged = tuple(sorted({*verdict} - hidden))
    gold = tuple(row for row in judged if verdict[row] == "accepted")
    if not gold:
        return None

    query = entries[-1].query or Query()
    cited = stores.papers.find(query.cited).tolist()
    kept = [name for name, row in zip(query.cited, cited, strict=True) if row not in verdict]
    query = replace(query, cited=tuple(kept), hidden=(*query.hidden, *own))
    name = hashlib.blake2b("\n".join(asked(entries[-1])).encode(), digest_size=8).hexdigest()
    return Question(f"feedback {name}", query, gold, judged)


def feedback_examples(
    workers: Workers,
    questions: Sequence[Question],
    extraction: Extraction,
    progress: Progress = lambda done, total: None,
) -> Examples:
    """Return the judged papers of drafts, and candidates far behind them as not cited; with
    `whole`, the judged papers alone.
    """
    return collected(workers, questions, _worked, extraction, progress)[0]


def _worked(subject: Subject, task: tuple[Question, Extraction]) -> Examples:
    question, extraction = task
    if extraction.linear is None:
        raise ValueError("the linear step does not learn from feedback")
    judged: Rows = np.array(question.within or (), np.int64)
    case = case_of(subject.stores, question, "whole", extraction.seed)
    known = known_candidates(case, extraction, tuple(judged.tolist()))
    if known is None:
        return nothing(len(extraction.names))

    best, matrix = ranked_by_linear(case, known, extraction, extraction.linear, judged)
    is_judged = np.isin(best.rows, judged)
    behind = np.flatnonzero(~is_judged & (np.arange(len(best)) >= BEST))
    dice = draws(question, extraction.seed + 2)
    others = dice.permutation(behind)[: 0 if extraction.whole else OTHERS]

    taken = dice.permutation(np.append(np.flatnonzero(is_judged), others))
    weights = np.where(is_judged[taken], 1.0, max(behind.size / OTHERS, 1.0))
    cited = np.isin(best.rows[taken], case.gold)
    return of_query(matrix[taken], cited, weights, case.gold.size)


def pairs_in_order(model: Scorer, examples: Examples) -> tuple[int, float | None]:
    """Return how many pairs of an accepted and a rejected paper of one draft there are, and the
    share of them that a model orders right; equal scores count half.
    """
    pairs, right = 0, 0.0
    ends = np.cumsum(examples.sizes)
    for start, end in zip(ends - examples.sizes, ends, strict=True):
        scores, cited = model.scored(examples.matrix[start:end]), examples.cited[start:end]
        apart = scores[cited][:, None] - scores[~cited][None, :]
        pairs += apart.size
        right += float((apart > 0).sum() + (apart == 0).sum() / 2)
    return pairs, round(right / pairs, 4) if pairs else None
