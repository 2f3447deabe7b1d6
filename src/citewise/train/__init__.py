"""Training on a library's own papers, under the leak guard."""

from citewise.train.ranker import RankerSettings, Training, save, train_ranker

__all__ = ["RankerSettings", "Training", "save", "train_ranker"]
