"""Trains the ranker of `evidence`: citing sentences are asked what they cite, of evidence that is older than they."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from citewise.claims.said import Claims
from citewise.errors import BadInput
from citewise.evaluate.runs import Workers
from citewise.evaluate.sentences import MEASURES, SentenceSplit, sentence_parts, sentence_questions
from citewise.evaluate.splits import Question, Years
from citewise.library.library import Library
from citewise.opened import OpenLibrary
from citewise.rank.boosted import Saved
from citewise.rank.features import columns
from citewise.rank.sentence_model import FEATURES, NAME, Model, features, shipped
from citewise.rank.sentences import signals_of
from citewise.recommend import scope_of
from citewise.systems import FOR_SENTENCES, EvidenceSettings, by_evidence
from citewise.train.cases import draws, kind_of
from citewise.train.examples import Examples, collected, nothing, of_query
from citewise.train.feature_families import SENTENCE_FAMILIES
from citewise.train.fitting import fit_trees
from citewise.train.training import LEAST_QUERIES, Fitted, RankerSettings, Stage, Target, Training, check_ready, judged
from citewise.types import Query

KINDS: Mapping[str, float] = MappingProxyType({"draft": 0.4, "draft and cited": 0.2, "title": 0.1, "alone": 0.3})
"""How large a share of the questions is of each kind: what is known of the draft around the sentence."""

TARGET = Target(NAME, FOR_SENTENCES, "ilciter", MEASURES, "MRR@1000", FEATURES, SENTENCE_FAMILIES, KINDS)

_BEST, _OTHERS = 100, 60
"""The trees learn from so many of the strongest candidates and so many drawn from the others."""
_STRONG = ("whole_score / best", "mass3 / best", "context_mass3 / best")


@dataclass(frozen=True, slots=True)
class Extraction:
    """How examples are made."""

    seed: int = 0
    whole: bool = False
    """Whether all candidates are taken: for tuning."""


def train_sentences(held: OpenLibrary, settings: RankerSettings | None = None,
                    stage: Stage = lambda what, done, total: None) -> Training[Saved]:
    """Train on a library's citing sentences; nothing is saved (see `save`)."""
    settings = settings or RankerSettings()
    check_ready(held, TARGET, shipped().trees is not None)
    began = time.perf_counter()
    train, dev = training_questions(held.library, settings)
    with Workers(held, settings.jobs) as workers:
        learned_from, _ = examples(workers, train, Extraction(settings.seed), "training sentences", stage)
        tuned_by, judged_by = examples(workers, dev, Extraction(settings.seed, whole=True), "dev sentences", stage)
    trees = fit_trees(learned_from, FEATURES, settings.trees, settings.seed,
                      lambda done, total: stage("trees", done, total))
    fitted = Fitted(Saved(trees, {}), learned_from, tuned_by, judged_by, len(train),
                    lambda made_anew: Model.of(Saved(made_anew, {})))
    return judged(held, TARGET, settings, fitted, began, stage)


def examples(workers: Workers, questions: Sequence[Question], extraction: Extraction, what: str,
             stage: Stage) -> tuple[Examples, list[Question]]:
    """Return the candidates of every question with their features, and of which questions there are any."""
    return collected(workers, questions, _worked, extraction, lambda done, total: stage(what, done, total))


def _worked(held: OpenLibrary, task: tuple[Question, Extraction]) -> Examples:
    (question, extraction), library = task, held.library
    claims, scope = Claims(library), scope_of(library, question.query)
    ranking = by_evidence(library, EvidenceSettings(), claims, shipped()).candidates(question.query, 1, scope)
    if not len(ranking):
        return nothing(len(FEATURES))
    signals = signals_of(library, claims, question.query, ranking, scope)
    cited, taken = np.isin(ranking.rows, question.gold), np.argsort(ranking.rows)  # equals are served by their rows
    if not extraction.whole:
        order = np.argsort(-np.nan_to_num(columns(signals, _STRONG)).sum(1), kind="stable")
        dice = draws(question, extraction.seed + 2)
        behind = dice.permutation(order[_BEST:])[:_OTHERS]
        taken = dice.permutation(np.union1d(np.append(order[:_BEST], behind), np.flatnonzero(cited)))
    return of_query(features(signals)[taken], cited[taken], np.ones(taken.size), len(question.gold))


def training_questions(library: Library, settings: RankerSettings) -> tuple[list[Question], list[Question]]:
    """Return questions of the youngest years of the train part, and some of the dev part.

    No paper is learned from that is asked for dev, nor a near-duplicate of one.
    """
    years = sentence_parts(library, settings.split)
    dev = _asked(library, SentenceSplit(years["dev"], settings.tuning, settings.seed), settings.split.least)
    kept_out = {key for question in dev for key in question.query.hidden}
    train: list[Question] = []
    for year in _from_last(years["train"]):
        found = _asked(library, SentenceSplit((year, year), None, settings.seed), settings.split.least)
        train += [each for each in found if kept_out.isdisjoint(each.query.hidden)][: settings.most - len(train)]
        if len(train) == settings.most:
            break
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(f"training needs at least {LEAST_QUERIES} citing sentences to learn from and as many to judge "
                       "by, each with a year, that cite papers of which older sentences tell; found "
                       f"{len(train)} and {len(dev)}. `evidence` goes on with the model that ships")
    return [poorer(library, each, settings.seed) for each in by_paper(train)], [
        poorer(library, each, settings.seed) for each in by_paper(dev)]


def _from_last(years: Years) -> range:
    return range(years[1], years[0] - 1, -1)


def _asked(library: Library, split: SentenceSplit, least: int) -> list[Question]:
    return [each for each in sentence_questions(library, split) if len(each.gold) >= least]


def by_paper(questions: Sequence[Question]) -> list[Question]:
    """Return the questions sorted by citing paper: equal scopes one after the other are faster."""
    return sorted(questions, key=lambda each: each.query.hidden)


def poorer(library: Library, question: Question, seed: int) -> Question:
    """Return the question with as much of the draft around it as its kind has: drawn, but always the same."""
    return replace(question, query=_poorer(library, question, seed))


def _poorer(library: Library, question: Question, seed: int) -> Query:
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
