"""Properties of answers beside their quality: the analyses of the seed papers, for any system.

Each compares the first papers that a system recommends with what the same queries really cite.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from citewise.arrays import Mask, Rows
from citewise.errors import BadInput
from citewise.evaluate.runs import Run
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.recommend import scope_of
from citewise.text import ids
from citewise.types import Paper

CITED = "what is cited"
"""The name of the row for what is really cited, beside the rows of systems."""

DEPTH = 20
CURVE = (1, *range(5, 101, 5))
"""The depths of the curve of self-citation."""
_RECENT = 3


@dataclass(frozen=True, slots=True)
class Analysis:
    """A table of numbers: a row for each system, and one for what is really cited."""

    name: str
    meaning: str
    depth: int
    rows: dict[str, dict[str, float]]


class _Papers:
    """Reads each paper once for all analyses of all systems."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._read: dict[int, Paper] = {}

    def at(self, rows: Iterable[int]) -> list[Paper]:
        wanted = list(rows)
        missing = [row for row in dict.fromkeys(wanted) if row not in self._read]
        self._read.update(zip(missing, self.stores.papers.read(missing), strict=True))
        return [self._read[row] for row in wanted]

    def of(self, question: Question) -> Paper:
        """Return the paper that a question was made from; one without data if it is not there."""
        row = int(self.stores.papers.find([question.id])[0])
        return self.at([row])[0] if row >= 0 else Paper(question.id, question.query.title)


@dataclass(frozen=True, slots=True)
class _Answers:
    """Papers for each question: recommended ones by rank, or (`ranked` is False) the cited ones."""

    papers: _Papers
    questions: Sequence[Question]
    rankings: Sequence[Rows]
    ranked: bool
    depth: int
    """How many answers a query could have."""

    def __iter__(self) -> Iterator[tuple[Question, Rows]]:
        return zip(self.questions, self.rankings, strict=True)


def analyse(
    stores: Stores,
    runs: Sequence[Run],
    questions: Sequence[Question],
    names: Sequence[str],
    depth: int = DEPTH,
) -> list[Analysis]:
    """Return the named analyses of some runs, over the first `depth` papers of each ranking."""
    check(names)
    papers = _Papers(stores)

    lists = {
        run.system: _Answers(
            papers, questions, [_known(ranking[:depth]) for ranking in run.rankings], True, depth
        )
        for run in runs
    }
    lists[CITED] = _Answers(
        papers,
        questions,
        [np.array(question.gold, np.int64) for question in questions],
        False,
        depth,
    )

    return [
        Analysis(name, meaning, depth, {system: compute(each) for system, each in lists.items()})
        for name, (meaning, compute) in ((name, ANALYSES[name]) for name in names)
    ]


def check(names: Sequence[str]) -> None:
    """Raise BadInput if there is no analysis of such a name."""
    unknown = [name for name in names if name not in ANALYSES]
    if unknown:
        raise BadInput(f"no analysis {unknown[0]!r}; known: {', '.join(ANALYSES)}")


def _known(ranking: Rows) -> Rows:
    return ranking[ranking >= 0]


def term_overlap(answers: _Answers) -> dict[str, float]:
    """Return the share of a candidate's terms, stop words aside, that the query has too (Nogueira
    et al., table 6).
    """
    shares, stores = [], answers.papers.stores
    for question, rows in answers:
        terms, _ = stores.terms.of(question.query.text)
        common = stores.terms.counts(rows, terms, "text").sum(1)
        shares.append(_mean(common / np.maximum(stores.terms.lengths(rows, "text"), 1)))
    return {"mean share": _mean(shares)}


def self_citation(answers: _Answers) -> dict[str, float]:
    """Return how many answers share an author with the query, and the mean and the best place of
    these and of the cited answers; means are over all queries (Bhagavatula et al. 2018, figure 4).
    """
    own = [_shared_authors(answers, question, rows) for question, rows in answers]
    shares = [_mean(each) for each in own]
    found = {"share of papers": _mean(shares)}
    if not answers.ranked:
        return found

    cited = [np.isin(rows, question.gold) for question, rows in answers]
    return {
        **found,
        **_places(own, answers.depth),
        "mean place of the cited": _places(cited, answers.depth)["mean place"],
    }


def self_citation_curve(
    stores: Stores, run: Run, questions: Sequence[Question], depths: Sequence[int] = CURVE
) -> dict[int, dict[str, float]]:
    """Return for several depths k the mean and the best place of the answers among the first k that
    share an author with the query; k + 1 where none does (Bhagavatula et al. 2018, figure 4).
    """
    rankings = [_known(ranking[: max(depths)]) for ranking in run.rankings]
    answers = _Answers(_Papers(stores), questions, rankings, True, max(depths))
    own = [_shared_authors(answers, question, rows) for question, rows in answers]
    return {k: _places([each[:k] for each in own], k) for k in depths}


def _shared_authors(answers: _Answers, question: Question, rows: Rows) -> Mask:
    """Return for each paper whether it shares an author with the paper of a question."""
    authors = _names(answers.papers.of(question))
    papers = answers.papers.at(rows.tolist())
    return np.array([bool(authors & _names(paper)) for paper in papers], np.bool_)


def _places(marked: Sequence[Mask], depth: int) -> dict[str, float]:
    """Return the mean over queries of the mean and of the best place of the marked answers; a query
    without one counts as depth + 1.
    """
    places = [1 + np.flatnonzero(each) for each in marked]
    places = [each if each.size else np.array([depth + 1]) for each in places]
    return {
        "mean place": _mean([each.mean() for each in places]),
        "best place": _mean([each.min() for each in places]),
    }


def _names(paper: Paper) -> set[frozenset[str]]:
    """Return the authors' names as sets of words: "Dong, Xin Luna" is "Xin Luna Dong"."""
    return {_name_words(author) for author in paper.authors} - {frozenset()}


@functools.lru_cache(maxsize=100_000)
def _name_words(author: str) -> frozenset[str]:
    return frozenset(ids.title_words(author))


def popularity(answers: _Answers) -> dict[str, float]:
    """Return how often the papers were cited, as far as the query may see it."""
    stores = answers.papers.stores
    counts = _joined(
        stores.graph.citers(rows, scope_of(stores.papers, question.query)).lengths
        for question, rows in answers
    )
    return {
        "mean citations": _mean(counts),
        "median citations": _median(counts),
        "never cited": _mean(counts == 0),
    }


def recency(answers: _Answers) -> dict[str, float]:
    """Return how much older than the query the papers are, in years."""
    stores = answers.papers.stores
    ages = _joined(
        question.query.year - stores.papers.years(rows)
        for question, rows in answers
        if question.query.year
    )

    return {
        "mean age": _mean(ages),
        "median age": _median(ages),
        f"under {_RECENT} years": _mean(ages < _RECENT),
    }


def venues(answers: _Answers) -> dict[str, float]:
    """Return how much the papers concentrate in few venues: the query's own, the ten largest, the
    Herfindahl index.
    """
    counted: Counter[str] = Counter()
    own = []

    for question, rows in answers:
        named = [paper.venue for paper in answers.papers.at(rows.tolist()) if paper.venue]
        here = answers.papers.of(question).venue
        counted.update(named)
        own += [_mean([venue == here for venue in named])] if here and named else []

    total = max(counted.total(), 1)
    return {
        "the query's own": _mean(own),
        "ten largest": sum(count for _, count in counted.most_common(10)) / total,
        "Herfindahl index": sum((count / total) ** 2 for count in counted.values()),
        "venues": len(counted),
    }


def _joined(arrays: Iterable[Rows]) -> Rows:
    return np.concatenate([np.zeros(0, np.int64), *arrays])


def _mean(values: ArrayLike) -> float:
    numbers = np.asarray(values, np.float64)
    return float(numbers.mean()) if numbers.size else 0.0


def _median(values: Rows) -> float:
    return float(np.median(values)) if values.size else 0.0


ANALYSES: dict[str, tuple[str, Callable[[_Answers], dict[str, float]]]] = {
    "overlap": ("share of a paper's terms that the query has too", term_overlap),
    "self-citation": ("papers that share an author with the query", self_citation),
    "popularity": ("citations of the papers, as far as the query may see them", popularity),
    "recency": ("years between the papers and the query", recency),
    "venues": ("how far the papers gather in few venues", venues),
}
"""By name: what the analysis means, and the function that computes it."""
