"""A network in training, step by step; dev queries judge it in between."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from citewise.train.bert.network import optimiser_of, share_of_rate
from citewise.train.bert.schedule import Schedule
from citewise.train.checkpoints import Checkpoint
from citewise.train.training import Stage

_LONGEST_STEP = 1.0
"""Gradients are scaled down to this length."""

Curve = dict[str, float]
"""What was measured at a check; `measure` is the one that decides which check is best."""


class Task(Protocol):
    """What a network learns."""

    def steps(self, epoch: int) -> Sequence[Any]:
        """Return the examples of each step of an epoch: the same for the same number, and as many
        steps in every epoch.
        """
        ...

    def loss(self, examples: Any, step: int) -> Tensor:
        """Return the loss of the examples of a step."""
        ...

    def judged(self) -> Curve:
        """Return what dev queries say of the network as it is."""
        ...


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
    """A network and its optimiser; random numbers follow from the seed and the step alone, so that
    a training that was interrupted goes on as if it had not been.
    """

    def __init__(self, network: nn.Module, task: Task, schedule: Schedule) -> None:
        self._network, self._task, self._schedule = network, task, schedule
        self._optimiser = optimiser_of(
            network, schedule.rate, schedule.weight_decay, schedule.words
        )
        self._progress = Progress()

    def run(self, checkpoint: Checkpoint, stage: Stage) -> Progress:
        """Learn until the last epoch is done, or no check was better for long; return what was
        found.
        """
        saved = checkpoint.load()
        if saved is not None:
            self._restore(saved)

        progress, schedule = self._progress, self._schedule
        steps_of: Callable[[int], Sequence[Any]] = functools.lru_cache(1)(self._task.steps)
        in_epoch = len(steps_of(0))
        total, between = in_epoch * schedule.epochs, max(in_epoch // schedule.checks, 1)

        while progress.step < total and not self._waited_too_long():
            epoch, number = divmod(progress.step, in_epoch)
            self._step(steps_of(epoch)[number], total)
            stage("steps", progress.step, total)

            ended = progress.step == total
            if ended or (progress.step % between == 0 and total - progress.step >= between // 2):
                self._check()
            if ended or progress.step % schedule.saved_every == 0:
                self._save(checkpoint)
        return progress

    def _waited_too_long(self) -> bool:
        waited = len(self._progress.curves) - 1 - self._progress.best_check
        return bool(self._progress.curves) and waited >= self._schedule.patience

    def _step(self, examples: Any, total: int) -> None:
        """Learn from some examples."""
        began, progress, schedule = time.perf_counter(), self._progress, self._schedule
        torch.manual_seed(schedule.seed * 1_000_003 + progress.step)
        warm_up = min(schedule.warm_up, max(total // 5, 1))
        for group in self._optimiser.param_groups:
            group["lr"] = schedule.rate * share_of_rate(progress.step, warm_up, total)

        self._network.train()
        loss = self._task.loss(examples, progress.step)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), _LONGEST_STEP)
        self._optimiser.step()

        progress.loss += float(loss.detach())
        progress.step += 1
        progress.seconds += time.perf_counter() - began

    def _check(self) -> None:
        """Judge the model as it is now, and keep it if it is the best so far."""
        progress = self._progress
        self._network.eval()
        with torch.inference_mode():
            figures = self._task.judged()

        before = max((each["measure"] for each in progress.curves), default=-1.0)
        steps = progress.step - (progress.curves[-1]["step"] if progress.curves else 0)
        about = {
            "step": progress.step,
            "loss": round(progress.loss / steps, 5),
            "seconds": round(progress.seconds, 1),
        }
        progress.curves.append(about | figures)
        progress.loss = 0.0
        if figures["measure"] > before:
            progress.best_check = len(progress.curves) - 1
            weights = self._network.state_dict()
            progress.best = {name: each.detach().clone() for name, each in weights.items()}

    def _save(self, checkpoint: Checkpoint) -> None:
        progress = self._progress
        checkpoint.write(
            {
                "step": progress.step,
                "curves": progress.curves,
                "best": progress.best,
                "best_check": progress.best_check,
                "loss": progress.loss,
                "seconds": progress.seconds,
                "network": self._network.state_dict(),
                "optimiser": self._optimiser.state_dict(),
            }
        )

    def _restore(self, saved: dict[str, Any]) -> None:
        names = ("step", "curves", "best", "best_check", "loss", "seconds")
        self._progress = Progress(**{name: saved[name] for name in names})
        self._network.load_state_dict(saved["network"])
        self._optimiser.load_state_dict(saved["optimiser"])
