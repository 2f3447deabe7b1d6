"""Training on a library's own papers and citing sentences, under the leak guard."""

from citewise.train.ranker import train_ranker
from citewise.train.sentences import train_sentences
from citewise.train.training import RankerSettings, Training, save

__all__ = ["RankerSettings", "Training", "save", "train_ranker", "train_sentences"]
