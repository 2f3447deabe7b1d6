"""The laboratory: splits of a library, guarded questions, measures, experiments and what is made of their results."""

from citewise.evaluate.analyses import Analysis, analyse
from citewise.evaluate.experiment import (
    Comparison,
    Estimate,
    Group,
    Results,
    Scored,
    Settings,
    answers,
    evaluate,
    score,
)
from citewise.evaluate.interchange import gold_names, read_qrels, read_run, write_beir, write_qrels, write_queries
from citewise.evaluate.measures import Hits, Measure, parse_measures
from citewise.evaluate.plots import save_plots
from citewise.evaluate.runs import Run
from citewise.evaluate.splits import Question, Split, SplitSettings

__all__ = [
    "Analysis",
    "Comparison",
    "Estimate",
    "Group",
    "Hits",
    "Measure",
    "Question",
    "Results",
    "Run",
    "Scored",
    "Settings",
    "Split",
    "SplitSettings",
    "analyse",
    "answers",
    "evaluate",
    "gold_names",
    "parse_measures",
    "read_qrels",
    "read_run",
    "save_plots",
    "score",
    "write_beir",
    "write_qrels",
    "write_queries",
]
