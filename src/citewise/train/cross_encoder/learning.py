"""A cross-encoder in training: steps over lists of pairs, judged on dev queries in between."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from citewise.arrays import Rows
from citewise.embed.truncation import Truncation
from citewise.protocols import Papers
from citewise.rank.paper_texts import paper_texts
from citewise.train.bert.network import CrossEncoder, optimiser_of, padded, share_of_rate
from citewise.train.bert.tokens import Tokenizer, Tokens
from citewise.train.checkpoints import Checkpoint
from citewise.train.cross_encoder.pairs import List, steps_of
from citewise.train.cross_encoder.settings import CrossEncoderSettings
from citewise.train.training import Stage

_SCORED = 32
"""Pairs that are scored at once."""

Curve = dict[str, float]
Judge = Callable[["Learner"], Curve]
"""Measures a model on dev queries; `measure` is the one that decides."""


@dataclass(slots=True)
class Progress:
    """What is known after some steps."""

    step: int = 0
    curves: list[Curve] = field(default_factory=list)
    """What was measured at each check."""
    best: dict[str, Tensor] = field(default_factory=dict)
    """The weights of the best check."""
    best_check: int = 0
    loss: float = 0.0
    """The sum of the losses since the last check."""
    seconds: float = 0.0


class Learner:
    """A network with what it learns from; random numbers follow from the seed and the step alone,
    so that a training that was interrupted goes on as if it had not been.
    """

    def __init__(
        self,
        network: CrossEncoder,
        tokenizer: Tokenizer,
        papers: Papers,
        queries: Sequence[str],
        lists: Sequence[List],
        settings: CrossEncoderSettings,
    ) -> None:
        """`queries` are the texts of the training queries."""
        self.network, self._tokenizer, self._papers = network, tokenizer, papers
        self._queries, self._lists, self._settings = queries, lists, settings
        self._rule = Truncation.parse(settings.truncation)
        self._optimiser = optimiser_of(network, settings.rate, settings.weight_decay)
        self.progress = Progress()

    def run(self, judge: Judge, checkpoint: Checkpoint, stage: Stage) -> Progress:
        """Learn until the last epoch is done, or no check was better for long; return what was
        found.
        """
        saved = checkpoint.load()
        if saved is not None:
            self._restore(saved)

        settings, progress = self._settings, self.progress
        steps_of_epoch = functools.lru_cache(1)(
            lambda epoch: steps_of(self._lists, settings, epoch)
        )
        per_epoch = len(steps_of_epoch(0))
        total, between = per_epoch * settings.epochs, max(per_epoch // settings.checks, 1)

        while progress.step < total and not self._waited_too_long():
            began = time.perf_counter()
            epoch, number = divmod(progress.step, per_epoch)
            self._step(steps_of_epoch(epoch)[number], total)
            progress.seconds += time.perf_counter() - began
            stage("steps", progress.step, total)

            ended = progress.step == total
            if ended or progress.step % between == 0 < total - progress.step - between // 2:
                self._check(judge)
            if progress.step % settings.saved_every == 0 or ended:
                self._save(checkpoint)
        return progress

    def _waited_too_long(self) -> bool:
        waited = len(self.progress.curves) - 1 - self.progress.best_check
        return bool(self.progress.curves) and waited >= self._settings.patience

    def _step(self, lists: list[List], total: int) -> None:
        """Learn from some lists."""
        progress, settings = self.progress, self._settings
        torch.manual_seed(settings.seed * 1_000_003 + progress.step)
        share = share_of_rate(progress.step, min(settings.warm_up, max(total // 5, 1)), total)
        for group in self._optimiser.param_groups:
            group["lr"] = settings.rate * share

        self.network.train()
        rows = np.concatenate([each.rows for each in lists])
        texts = [self._queries[each.question] for each in lists for _ in range(each.rows.size)]
        logits = self.network(self._batch(self._tokens(texts), self._tokens_of(rows)))
        loss = self._loss(logits, lists)

        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimiser.step()
        progress.loss += float(loss.detach())
        progress.step += 1

    def _loss(self, logits: Tensor, lists: list[List]) -> Tensor:
        if self._settings.loss == "pairs":
            labels = torch.from_numpy(np.concatenate([each.cited for each in lists])).float()
            return functional.binary_cross_entropy_with_logits(logits, labels)

        # of each cited paper: -ln(e^s / (e^s + the sum of e^t over the others)), s and t logits
        sizes = [each.rows.size for each in lists]
        losses = []
        for each, own in zip(lists, torch.split(logits, sizes), strict=True):
            cited = torch.from_numpy(each.cited)
            others = torch.logsumexp(own[~cited], 0)
            losses.append(functional.softplus(others - own[cited]).mean())
        return torch.stack(losses).mean()

    def scores(self, query: str, rows: Rows) -> NDArray[np.float32]:
        """Return the logit of each paper for a query."""
        self.network.eval()
        read = self._tokens([query])[0]
        candidates = self._tokens_of(rows)
        order = np.argsort([len(each) for each in candidates], kind="stable")

        found = np.zeros(rows.size, np.float32)
        with torch.inference_mode():
            for start in range(0, rows.size, _SCORED):
                some = order[start : start + _SCORED]
                batch = self._batch([read] * some.size, [candidates[at] for at in some.tolist()])
                found[some] = self.network(batch).numpy()
        return found

    def _tokens(self, texts: list[str]) -> list[Tokens]:
        return self._tokenizer.read(texts)

    def _tokens_of(self, rows: Rows) -> list[Tokens]:
        return self._tokenizer.read(paper_texts(self._papers.read(rows)))

    def _batch(self, queries: list[Tokens], candidates: list[Tokens]) -> Any:
        pairs = [
            self._tokenizer.pair(query, candidate, self._rule)
            for query, candidate in zip(queries, candidates, strict=True)
        ]
        return padded(pairs, self._tokenizer.padding)

    def _check(self, judge: Judge) -> None:
        """Judge the model as it is now, and keep it if it is the best so far."""
        progress = self.progress
        figures = judge(self)
        before = max((each["measure"] for each in progress.curves), default=-1.0)
        steps = progress.step - (progress.curves[-1]["step"] if progress.curves else 0)
        progress.curves.append(
            {
                "step": progress.step,
                "loss": round(progress.loss / steps, 5),
                "seconds": round(progress.seconds, 1),
                **figures,
            }
        )
        progress.loss = 0.0
        if figures["measure"] > before:
            progress.best_check = len(progress.curves) - 1
            progress.best = {
                name: each.detach().clone() for name, each in self.network.state_dict().items()
            }

    def _save(self, checkpoint: Checkpoint) -> None:
        progress = self.progress
        checkpoint.write(
            {
                "step": progress.step,
                "curves": progress.curves,
                "best": progress.best,
                "best_check": progress.best_check,
                "loss": progress.loss,
                "seconds": progress.seconds,
                "network": self.network.state_dict(),
                "optimiser": self._optimiser.state_dict(),
            }
        )

    def _restore(self, saved: dict[str, Any]) -> None:
        names = ("step", "curves", "best", "best_check", "loss", "seconds")
        self.progress = Progress(**{name: saved[name] for name in names})
        self.network.load_state_dict(saved["network"])
        self._optimiser.load_state_dict(saved["optimiser"])
