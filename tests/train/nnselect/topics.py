"""What tests of NNSelect share: settings, and a library whose papers cite by topic."""

from pathlib import Path

import numpy as np

import citewise
from citewise.evaluate import SplitSettings
from citewise.protocols import Stores
from citewise.train.nnselect.corpus import Corpus
from citewise.train.nnselect.settings import NNSelectSettings
from corpora import topical

SETTINGS = NNSelectSettings(
    SplitSettings(dev=(2008, 2009), test=(2010, 2010), least=2),
    dimension=16,
    least_papers=2,
    batch=64,
    epochs=3,
    tuning=40,
    measure="R@20",
)


def library(folder: Path) -> Stores:
    citewise.add(topical(600), folder, keep_versions=True, vectors=False)
    return citewise.open(folder).stores


def corpus_of(stores: Stores, settings: NNSelectSettings = SETTINGS) -> Corpus:
    return Corpus.of(stores, 2007, settings, np.zeros(0, np.int64))
