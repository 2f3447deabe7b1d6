"""Re-ranking by models that read texts: by one model alone, or by opinions in a final order."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from citewise.arrays import Column, RowIndex, Rows
from citewise.protocols import Explainer, PairScorer, Stage, Stores
from citewise.rank.final_order import FinalOrder
from citewise.rank.paper_texts import paper_texts
from citewise.types import Contributions, Query, Ranking, Scope

Opinion = Callable[[Query, Rows], Column]
"""What a model that reads texts thinks of papers for a query: the higher, the better."""

_QUERIES_KEPT = 4
"""Queries whose scores are remembered."""

_AT_ONCE = 8
"""Pairs between two looks at the clock, where there is a time budget."""


class PairScores:
    """An opinion: the scores of a cross-encoder. No pair of a query is scored twice, however often
    it is asked for.
    """

    def __init__(self, stores: Stores, scorer: PairScorer) -> None:
        self._stores, self._scorer = stores, scorer
        self._known: OrderedDict[str, dict[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, query: Query, rows: Rows) -> Column:
        """Return the score of each paper for a query."""
        known = self._of_query(query.claim)
        missing = np.array([row for row in rows.tolist() if row not in known], np.int64)
        if missing.size:
            texts = paper_texts(self._stores.papers.read(missing))
            scores = self._scorer.score([(query.claim, text) for text in texts])
            known.update(zip(missing.tolist(), scores.tolist(), strict=True))
        return np.array([known[row] for row in rows.tolist()], np.float64)

    def _of_query(self, claim: str) -> dict[int, float]:
        """Return the scores that are known for a query; the oldest queries are forgotten."""
        with self._lock:
            known = self._known.setdefault(claim, {})
            self._known.move_to_end(claim)
            while len(self._known) > _QUERIES_KEPT:
                self._known.popitem(last=False)
            return known


class OpinionRanker:
    """Ranks by what one model thinks and nothing else: by a cross-encoder's scores (Nogueira et al.
    2020, section 3), or by the similarity of an encoder's vectors.
    """

    reads: frozenset[str] = frozenset()

    def __init__(self, signal: str, opinion: Opinion) -> None:
        """`signal` is the name under which answers have the model's scores."""
        self._signal, self._opinion = signal, opinion
        self.writes = frozenset({signal})

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by falling score, equal ones by row."""
        scores = self._opinion(query, candidates.rows)
        order = np.lexsort((candidates.rows, -scores))
        return candidates.scored(scores, {self._signal: scores}).take(order)

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return the scores as one part; the base is what a cascade took from papers behind those
        that were ranked.
        """
        positions = RowIndex(ranking.rows).of(rows)
        scores = np.nan_to_num(ranking.signals[self._signal][positions])
        return Contributions(ranking.scores[positions] - scores, {self._signal: scores})


class Reranker:
    """Adds the opinions of models that read texts to the scores of the system before it."""

    reads: frozenset[str] = frozenset()

    def __init__(
        self,
        opinions: Mapping[str, Opinion],
        order: FinalOrder,
        before: Stage | None,
        seconds: float = 0.0,
    ) -> None:
        """`before` is the stage that gave the first scores; `seconds` is the time for reading, 0
        for as much as it takes.
        """
        self._opinions = {name: opinions[name] for name in opinions if order.weights.get(name)}
        self._order, self._before, self._seconds = order, before, seconds
        self.writes = frozenset({"first_score", *opinions})

    def rank(self, query: Query, candidates: Ranking, pool: Ranking, scope: Scope) -> Ranking:
        """Return the candidates by their scores with all opinions; those that were not read in time
        follow behind, in their first order.
        """
        columns = self._read(query, candidates.rows)
        count = next((column.size for column in columns.values()), len(candidates))
        unknown = {name: np.full(count, np.nan) for name in self.writes}
        first = candidates.take(slice(count))
        known = first.with_signals({**unknown, **columns, "first_score": first.scores})

        scores = first.scores + sum(self._order.parts(first.scores, columns).values())
        found = known.scored(scores, {}).take(np.argsort(-scores, kind="stable"))
        found = found.above(candidates.take(slice(count, None)))

        notes = (found.served_by.note, self._note(count, len(candidates)))
        note = ", ".join(filter(None, notes))
        return replace(found, served_by=replace(found.served_by, note=note))

    def _read(self, query: Query, rows: Rows) -> dict[str, Column]:
        """Return the opinions about the first papers, as many as there is time for."""
        if not self._seconds:
            return {name: opinion(query, rows) for name, opinion in self._opinions.items()}

        until = time.monotonic() + self._seconds
        found: dict[str, list[Column]] = {name: [] for name in self._opinions}
        for start in range(0, rows.size, _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            for name, opinion in self._opinions.items():
                found[name].append(opinion(query, some))
            if time.monotonic() >= until:
                break
        none = np.zeros(0)
        return {name: np.concatenate([none, *parts]) for name, parts in found.items()}

    def _note(self, read: int, given: int) -> str:
        if not self._opinions:
            return "not re-ranked (on this library the models' opinions did not help)"
        how = "learned on this library" if self._order.learned else "fixed weights"
        return f"re-ranked: {read} of {given} papers read, {how}"

    def contributions(self, query: Query, ranking: Ranking, rows: Rows) -> Contributions:
        """Return the parts of the first scores, and what each opinion added."""
        positions = RowIndex(ranking.rows).of(rows)
        scores = ranking.scores[positions]
        first = ranking.signals["first_score"]
        parts: dict[str, Column] = {}
        if isinstance(self._before, Explainer):
            as_before = replace(ranking, scores=np.where(np.isnan(first), ranking.scores, first))
            parts |= self._before.contributions(query, as_before, rows).parts

        read = ~np.isnan(first)
        columns = {name: ranking.signals[name][read] for name in self._opinions}
        for name, part in self._order.parts(first[read], columns).items():
            whole = np.zeros(len(ranking))
            whole[read] = part
            parts[name] = whole[positions]
        return Contributions(scores - sum(parts.values(), np.zeros(rows.size)), parts)
