"""What a cross-encoder learns: which of a query's candidates it cites."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from citewise.arrays import Rows
from citewise.embed.truncation import Truncation
from citewise.evaluate.measures import Hits, parse_measures
from citewise.evaluate.splits import Question
from citewise.protocols import Papers
from citewise.rank.paper_texts import paper_texts
from citewise.train.bert.learning import Curve
from citewise.train.bert.network import Batch, CrossEncoder, padded
from citewise.train.bert.tokens import Tokenizer, Tokens
from citewise.train.cross_encoder.pairs import List, steps_of
from citewise.train.cross_encoder.settings import CrossEncoderSettings

MEASURES = "MAP@50 MRR@50 P@5"
"""Of the order by logits alone; the first one decides which check is best."""

_SCORED = 32
"""Pairs that are scored at once."""

Judged = Sequence[tuple[Question, Rows]]
"""Dev questions, each with a system's first papers."""


class PairTask:
    """Lists of candidates that are learned from, and dev questions that judge."""

    def __init__(
        self,
        network: CrossEncoder,
        tokenizer: Tokenizer,
        papers: Papers,
        queries: Sequence[str],
        lists: Sequence[List],
        dev: Judged,
        settings: CrossEncoderSettings,
    ) -> None:
        """`queries` are the texts of the training queries."""
        self._network, self._tokenizer, self._papers = network, tokenizer, papers
        self._queries, self._lists, self._dev = queries, lists, dev
        self._settings, self._rule = settings, Truncation.parse(settings.truncation)

    def steps(self, epoch: int) -> list[list[List]]:
        """Return the lists of each step of an epoch."""
        return steps_of(self._lists, self._settings, epoch)

    def loss(self, examples: list[List], step: int) -> Tensor:
        """Return the mean loss of lists, or of pairs."""
        rows = np.concatenate([each.rows for each in examples])
        queries = self._tokenizer.read([self._queries[each.question] for each in examples])
        sizes = [each.rows.size for each in examples]
        repeated = [each for each, size in zip(queries, sizes, strict=True) for _ in range(size)]
        logits: Tensor = self._network(self._batch(repeated, self._tokens_of(rows)))

        if self._settings.loss == "pairs":
            labels = torch.from_numpy(np.concatenate([each.cited for each in examples])).float()
            return functional.binary_cross_entropy_with_logits(logits, labels)

        # of each cited paper: -ln(e^s / (e^s + the sum of e^t over the others)), s and t logits
        losses = []
        for each, own in zip(examples, torch.split(logits, sizes), strict=True):
            cited = torch.from_numpy(each.cited)
            others = torch.logsumexp(own[~cited], 0)
            losses.append(functional.softplus(others - own[cited]).mean())
        return torch.stack(losses).mean()

    def judged(self) -> Curve:
        """Return measures of the first papers of dev questions in the order of their logits."""
        ordered = []
        for question, ranking in self._dev:
            scores = self.scores(question.query.claim, ranking)
            ordered.append(ranking[np.argsort(-scores, kind="stable")])
        return figures([question for question, _ in self._dev], ordered)

    def scores(self, query: str, rows: Rows) -> NDArray[np.float32]:
        """Return the logit of each paper for a query; pairs of similar length go together."""
        read, candidates = self._tokenizer.read([query])[0], self._tokens_of(rows)
        order = np.argsort([len(each) for each in candidates], kind="stable")
        found = np.zeros(rows.size, np.float32)
        for start in range(0, rows.size, _SCORED):
            some = order[start : start + _SCORED]
            batch = self._batch([read] * some.size, [candidates[at] for at in some.tolist()])
            found[some] = self._network(batch).numpy()
        return found

    def _tokens_of(self, rows: Rows) -> list[Tokens]:
        return self._tokenizer.read(paper_texts(self._papers.read(rows)))

    def _batch(self, queries: Sequence[Tokens], candidates: Sequence[Tokens]) -> Batch:
        pairs = [
            self._tokenizer.pair(query, candidate, self._rule)
            for query, candidate in zip(queries, candidates, strict=True)
        ]
        return padded(pairs, self._tokenizer.padding)


def figures(questions: Sequence[Question], rankings: Sequence[Rows]) -> Curve:
    """Return the measures of rankings, the one that decides under the name `measure` as well."""
    measures = parse_measures(MEASURES)
    depth = max(measure.k for measure in measures)
    hits = Hits.of(rankings, [each.gold for each in questions], depth)
    found = {str(each): round(each.of(hits), 4) for each in measures}
    return {"measure": found[str(measures[0])], **found}
