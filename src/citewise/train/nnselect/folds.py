"""Word vectors for the training of a ranker: of each share of its queries, a model that did not
learn from their references.
"""

import numpy as np

from citewise.evaluate.splits import Split
from citewise.protocols import Encoder, Stores
from citewise.train.folds import fold_of
from citewise.train.nnselect.settings import NNSelectSettings
from citewise.train.nnselect.training import NNSelectTraining, train_nnselect
from citewise.train.ranker import training_questions
from citewise.train.training import RankerSettings, Stage


def train_fold(
    stores: Stores,
    fold: tuple[int, int],
    settings: NNSelectSettings,
    stage: Stage = lambda what, done, total: None,
    encoder: Encoder | None = None,
    split: Split | None = None,
) -> NNSelectTraining:
    """Train without one share of the ranker's training queries; `fold` is its number, from 0, and
    the number of shares.
    """
    number, count = fold
    questions = training_questions(stores, RankerSettings(settings.split))
    asked = [each.id for each in questions if fold_of(each.id, count) == number]
    without = np.sort(stores.papers.find(asked))
    return train_nnselect(stores, settings, stage, encoder=encoder, split=split, without=without)
