"""The laboratory: splits of a library, guarded questions, measures, experiments, and the tables and
plots of their results.
"""

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
from citewise.evaluate.fields import Fields
from citewise.evaluate.interchange import (
    gold_names,
    read_qrels,
    read_run,
    write_beir,
    write_qrels,
    write_queries,
)
from citewise.evaluate.large import (
    LargeScores,
    field_sets,
    score_sets,
    sized_sets,
    training_set,
)
from citewise.evaluate.measures import Hits, Measure, parse_measures
from citewise.evaluate.plots import save_plots
from citewise.evaluate.pool_building import build_pools
from citewise.evaluate.pool_scores import PoolResults, PoolScores, score_pools
from citewise.evaluate.pools import Pool, Pools, PoolSettings
from citewise.evaluate.prefilter import of_papers, prefiltered, read_ids, sampled, without
from citewise.evaluate.published import read_pools, read_texts
from citewise.evaluate.runs import Run
from citewise.evaluate.sentences import SentenceSplit, read_sentence_questions, sentence_questions
from citewise.evaluate.splits import Question, Split, SplitSettings

__all__ = [
    "Analysis",
    "Comparison",
    "Estimate",
    "Fields",
    "Group",
    "Hits",
    "LargeScores",
    "Measure",
    "Pool",
    "PoolResults",
    "PoolScores",
    "PoolSettings",
    "Pools",
    "Question",
    "Results",
    "Run",
    "Scored",
    "SentenceSplit",
    "Settings",
    "Split",
    "SplitSettings",
    "analyse",
    "answers",
    "build_pools",
    "evaluate",
    "field_sets",
    "gold_names",
    "of_papers",
    "parse_measures",
    "prefiltered",
    "read_ids",
    "read_pools",
    "read_qrels",
    "read_run",
    "read_sentence_questions",
    "read_texts",
    "sampled",
    "save_plots",
    "score",
    "score_pools",
    "score_sets",
    "sentence_questions",
    "sized_sets",
    "training_set",
    "without",
    "write_beir",
    "write_qrels",
    "write_queries",
]
