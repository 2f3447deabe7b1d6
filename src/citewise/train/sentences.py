"""Trains the ranker of `evidence`: citing sentences are queries, answered from older evidence."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from citewise.embed.encoders import encoder_of
from citewise.errors import BadInput
from citewise.evaluate.runs import Subject, Workers
from citewise.evaluate.sentences import MEASURES, SentenceSplit, sentence_parts, sentence_questions
from citewise.evaluate.splits import Question, Years
from citewise.protocols import Stores
from citewise.rank.features import feature_matrix
from citewise.rank.sentence_ranker import sentence_signals
from citewise.rank.sentence_signals import MEANING
from citewise.rank.trees import SENTENCE_MODEL, TreeModel
from citewise.recommend import Recommender, Stages, scope_of
from citewise.signals import plain
from citewise.spans.dense import DenseSimilarity
from citewise.spans.profiles import ClaimSearch
from citewise.systems import FOR_SENTENCES, EvidenceSettings
from citewise.train.cases import draws, kind_of
from citewise.train.examples import Examples, collected, nothing, of_query
from citewise.train.fitting import fit_trees
from citewise.train.training import (
    LEAST_QUERIES,
    Fitted,
    RankerSettings,
    Stage,
    Target,
    Training,
    check_ready,
    judged,
    saved_model,
)
from citewise.types import Query

KINDS: Mapping[str, float] = MappingProxyType(
    {"draft": 0.4, "draft and cited": 0.2, "title": 0.1, "alone": 0.3}
)
"""How large a share of the questions is of each kind: what is known of the draft around the
sentence.
"""


def _stages(stores: Stores, model: TreeModel) -> Stages:
    return EvidenceSettings().stages(stores, ClaimSearch(stores), model)


TARGET = Target(
    SENTENCE_MODEL, FOR_SENTENCES, "ilciter", MEASURES, "MRR@1000", KINDS, stages=_stages
)

BY_WORDS = tuple(name for name in TARGET.features if plain(name) not in MEANING)
"""The features of a model that reads no vectors: a library's own where its spans have none."""

_BEST, _OTHERS = 100, 60
"""How many of the strongest candidates the trees learn from, and how many drawn from the others."""
_STRONG = ("whole_score / best", "mass3 / best", "context_mass3 / best")


@dataclass(frozen=True, slots=True)
class Extraction:
    """How examples are made."""

    seed: int = 0
    whole: bool = False
    """Whether all candidates are taken: for tuning."""


def train_sentences(
    stores: Stores,
    settings: RankerSettings | None = None,
    stage: Stage = lambda what, done, total: None,
) -> Training:
    """Train on a library's citing sentences; nothing is saved (see `save`)."""
    settings = settings or RankerSettings()
    check_ready(stores, TARGET)
    began = time.perf_counter()
    train, dev = training_questions(stores, settings)
    with Workers(stores, settings.jobs) as workers:
        learned_from, _ = examples(
            workers, train, Extraction(settings.seed), "training sentences", stage
        )
        tuned_by, judged_by = examples(
            workers, dev, Extraction(settings.seed, whole=True), "dev sentences", stage
        )
    features = TARGET.features if stores.vectors.span_count() else BY_WORDS
    if features == BY_WORDS:
        kept = [TARGET.features.index(name) for name in BY_WORDS]
        learned_from, tuned_by = learned_from.columns(kept), tuned_by.columns(kept)
    else:
        learned_from = with_and_without_meaning(learned_from)
    trees = fit_trees(
        learned_from,
        features,
        settings.trees,
        settings.seed,
        lambda done, total: stage("trees", done, total),
    )
    saved = saved_model(TARGET, trees, features)
    fitted = Fitted(saved, learned_from, tuned_by, judged_by, len(train))
    return judged(stores, TARGET, settings, fitted, began, stage)


def examples(
    workers: Workers, questions: Sequence[Question], extraction: Extraction, what: str, stage: Stage
) -> tuple[Examples, list[Question]]:
    """Return every question's candidates with their features, and the questions that have any."""
    return collected(
        workers, questions, _worked, extraction, lambda done, total: stage(what, done, total)
    )


def _worked(subject: Subject, task: tuple[Question, Extraction]) -> Examples:
    (question, extraction), stores = task, subject.stores
    claims, scope = ClaimSearch(stores), scope_of(stores.papers, question.query)
    stages = EvidenceSettings().candidate_stages(stores, claims)
    ranking = Recommender(stores, stages).candidates(question.query, 1, scope)
    if not len(ranking):
        return nothing(len(TARGET.features))

    signals = sentence_signals(stores, claims, question.query, ranking, scope, _dense(stores))
    cited = np.isin(ranking.rows, question.gold)
    taken = np.argsort(ranking.rows)  # equal scores are served in the order of rows
    if not extraction.whole:
        strength = np.nan_to_num(feature_matrix(signals, _STRONG)).sum(1)
        order = np.argsort(-strength, kind="stable")
        dice = draws(question, extraction.seed + 2)
        behind = dice.permutation(order[_BEST:])[:_OTHERS]
        chosen = np.union1d(np.append(order[:_BEST], behind), np.flatnonzero(cited))
        taken = dice.permutation(chosen)
    matrix = SENTENCE_MODEL.features(signals, TARGET.features)[taken]
    return of_query(matrix, cited[taken], np.ones(taken.size), len(question.gold))


def with_and_without_meaning(examples: Examples) -> Examples:
    """Return examples twice: as they are, and as they would be if no span had a vector; so that one
    model serves libraries with vectors and without.
    """
    return Examples.join([examples, without_meaning(examples, TARGET.features)])


def without_meaning(examples: Examples, features: Sequence[str]) -> Examples:
    """Return examples as they are where no span has a vector: every form of NaN is NaN."""
    matrix = examples.matrix.copy()
    matrix[:, [plain(name) in MEANING for name in features]] = np.nan
    return replace(examples, matrix=matrix)


def _dense(stores: Stores) -> DenseSimilarity | None:
    """Return what compares spans by their vectors; None where the library has none."""
    encoder = encoder_of(stores.vectors)
    return DenseSimilarity(stores, encoder) if encoder is not None else None


def training_questions(
    stores: Stores, settings: RankerSettings
) -> tuple[list[Question], list[Question]]:
    """Return questions of the youngest years of the train part, and some of the dev part.

    No paper is learned from that is asked for dev, nor a near-duplicate of one.
    """
    years = sentence_parts(stores, settings.split)
    dev = _asked(
        stores, SentenceSplit(years["dev"], settings.tuning, settings.seed), settings.split.least
    )
    kept_out = {key for question in dev for key in question.query.hidden}
    train: list[Question] = []
    for year in _from_last(years["train"]):
        found = _asked(
            stores, SentenceSplit((year, year), None, settings.seed), settings.split.least
        )
        train += [each for each in found if kept_out.isdisjoint(each.query.hidden)][
            : settings.most - len(train)
        ]
        if len(train) == settings.most:
            break
    if min(len(train), len(dev)) < LEAST_QUERIES:
        raise BadInput(
            f"training needs at least {LEAST_QUERIES} citing sentences to learn from and as many "
            "to judge by, each with a year, that cite papers which older sentences cite too; "
            f"found {len(train)} and {len(dev)}. `evidence` goes on with the model that ships"
        )
    return [poorer(stores, each, settings.seed) for each in by_paper(train)], [
        poorer(stores, each, settings.seed) for each in by_paper(dev)
    ]


def _from_last(years: Years) -> range:
    return range(years[1], years[0] - 1, -1)


def _asked(stores: Stores, split: SentenceSplit, least: int) -> list[Question]:
    return [each for each in sentence_questions(stores, split) if len(each.gold) >= least]


def by_paper(questions: Sequence[Question]) -> list[Question]:
    """Return the questions sorted by citing paper: answering equal scopes in a row is faster."""
    return sorted(questions, key=lambda each: each.query.hidden)


def poorer(stores: Stores, question: Question, seed: int) -> Question:
    """Return a question that knows less of its draft: how much is drawn, but always the same."""
    return replace(question, query=_poorer(stores, question, seed))


def _poorer(stores: Stores, question: Question, seed: int) -> Query:
    kind, query = kind_of(question, seed, KINDS), question.query
    if kind == "alone":
        return replace(query, title="", abstract="")
    if kind == "title":
        return replace(query, abstract="")
    return (
        replace(query, cited=cited_elsewhere(stores, question, seed))
        if kind == "draft and cited"
        else query
    )


def cited_elsewhere(stores: Stores, question: Question, seed: int) -> tuple[str, ...]:
    """Return what half of the citing paper's other sentences cite, drawn, but always the same."""
    row = stores.papers.find(question.query.hidden[:1])
    table = stores.evidence.sentence_table()
    numbers = table.numbers[np.isin(table.citing, row[row >= 0])]
    numbers = numbers[numbers != int(question.id.rpartition("#")[2])]
    taken = numbers[draws(question, seed + 1).random(numbers.size) < 0.5]
    keys = (
        key
        for each in stores.evidence.sentences(taken)
        for group in each.groups
        for key in group.cited
    )
    return tuple(dict.fromkeys(keys))
