"""Trains the ranker of `evidence`: citing sentences are asked what they cite, of evidence that is older than they."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from citewise.claims.said import Claims
from citewise.evaluate.runs import Progress
from citewise.evaluate.sentences import SentenceSplit, sentence_questions
from citewise.evaluate.splits import Question
from citewise.library.library import Library
from citewise.rank.features import columns
from citewise.rank.sentences import FEATURES, signals_of, with_trend
from citewise.recommend import scope_of
from citewise.systems import EvidenceSettings, by_evidence
from citewise.train.cases import draws, kind_of
from citewise.train.examples import Examples
from citewise.train.fitting import fit_trees
from citewise.types import Query

KINDS: Mapping[str, float] = MappingProxyType({"draft": 0.4, "draft and cited": 0.2, "title": 0.1, "alone": 0.3})
"""How large a share of the training questions is of each kind: what is known of the draft around the sentence."""

_BEST, _OTHERS = 100, 60
"""The trees learn from so many of the strongest candidates and so many drawn from the others."""


_ONE_IN = 5
"""One citing paper in so many is held out."""


def sentence_examples(library: Library, questions: Sequence[Question], seed: int = 0, whole: bool = False,
                      progress: Progress = lambda done, total: None) -> Examples:
    """Return the candidates of every question with their features; with `whole`, all of them and the full draft."""
    claims = Claims(library)
    made = []
    for number, question in enumerate(questions, 1):
        made.append(_examples(library, claims, question, seed, whole))
        progress(number, len(questions))
    return Examples.join(made)


def _examples(library: Library, claims: Claims, question: Question, seed: int, whole: bool) -> Examples:
    query = question.query if whole else poorer(library, question, seed)
    scope = scope_of(library, query)
    ranking = by_evidence(library, EvidenceSettings(), claims).candidates(query, 1, scope)
    signals = signals_of(library, claims, query, ranking, scope)
    cited, matrix = np.isin(ranking.rows, question.gold), columns(with_trend(signals), FEATURES)
    taken = np.arange(cited.size)
    if not whole:
        strong = columns(signals, ("whole_score / best", "mass3 / best", "context_mass3 / best"))
        order = np.argsort(-np.nan_to_num(strong).sum(1), kind="stable")
        dice = draws(question, seed + 2)
        behind = dice.permutation(order[_BEST:])[:_OTHERS]
        taken = dice.permutation(np.union1d(np.append(order[:_BEST], behind), np.flatnonzero(cited)))
    return Examples(matrix[taken].astype(np.float32), cited[taken], np.ones(taken.size, np.float32),
                    np.array([taken.size]), np.array([len(question.gold)]))


def poorer(library: Library, question: Question, seed: int) -> Query:
    """Return the question's query with as much of the draft around it as its kind has."""
    kind, query = kind_of(question, seed, KINDS), question.query
    if kind == "alone":
        return replace(query, title="", abstract="")
    if kind == "title":
        return replace(query, abstract="")
    return replace(query, cited=cited_elsewhere(library, question, seed)) if kind == "draft and cited" else query


def cited_elsewhere(library: Library, question: Question, seed: int) -> tuple[str, ...]:
    """Return what half of the citing paper's other sentences cite, drawn, but always the same."""
    row = library.rows_of(question.query.hidden[:1])
    numbers = library.evidence.sentences_by(row[row >= 0])
    numbers = numbers[numbers != int(question.id.rpartition("#")[2])]
    taken = numbers[draws(question, seed + 1).random(numbers.size) < 0.5]
    keys = (key for each in library.evidence.sentences(taken) for group in each.groups for key in group.cited)
    return tuple(dict.fromkeys(keys))


def train_sentences(library: Library, split: SentenceSplit, trees: int = 70,
                    progress: Progress = lambda done, total: None) -> str:
    """Learn from a library's citing sentences; return the trees as LightGBM writes them.

    One citing paper in five is not learned from, so that its sentences can tell the quality.
    """
    train, _ = held_out(sentence_questions(library, split))
    return fit_trees(sentence_examples(library, train, split.seed, progress=progress), FEATURES, trees, split.seed)


def held_out(questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """Return the questions to learn from, and those of one citing paper in five; sorted by citing paper."""
    parts: tuple[list[Question], list[Question]] = ([], [])
    for question in sorted(questions, key=lambda each: each.query.hidden):  # equal scopes one after the other: faster
        parts[zlib.crc32(question.query.hidden[0].encode()) % _ONE_IN == 0].append(question)
    return parts
