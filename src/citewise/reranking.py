"""Re-ranking as part of a system's value: `best+rerank(model=M,depth=50)`."""

import dataclasses
import functools
import re
from dataclasses import dataclass
from typing import Any

from citewise.embed.encoders import encoder_named
from citewise.embed.folder import CONFIG, json_object
from citewise.embed.located import located
from citewise.embed.on_demand import TextCosines
from citewise.embed.pair_scorers import pair_scorer_named
from citewise.embed.truncation import LONGEST_FIRST, Truncation
from citewise.errors import BadInput, CitewiseError
from citewise.protocols import Encoder, PairScorer, Precision, Stores
from citewise.rank.cross_encoder import Opinion, OpinionRanker, PairScores, Reranker
from citewise.rank.final_order import (
    COSINE,
    FIXED,
    LOGIT,
    FinalOrder,
    order_digest,
    order_key,
    saved_orders,
)
from citewise.recommend import RankStep, Stages

_USUAL_TRUNCATION = "128+128"
"""For models that do not say with which they were trained."""

SUFFIX = re.compile(r"(?P<system>.*?)\s*\+\s*rerank\((?P<settings>.*)\)\s*", re.DOTALL)
"""A system that is re-ranked."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """Which models read the first papers of a system, and what their opinions are worth."""

    model: str = ""
    """A cross-encoder: a name, or a folder as transformers saves it."""
    encoder: str = ""
    """An encoder that reads papers on demand: a name, or a folder."""
    depth: int = 50
    """How many of the first papers are read."""
    seconds: float = 0.0
    """Reading ends after this time; 0 for no limit."""
    order: str = "learned"
    """`learned`: as learned on the library, fixed weights where nothing was; `fixed`: always these;
    `alone`: by what the one model thinks and nothing else.
    """
    truncation: str = ""
    """How pairs are cut: `256+256` for the tokens of each side, `longest-first@512` for both; as
    the model was trained where it is not given and the model says so, else `128+128`.
    """
    precision: str = "int8"
    threads: int = 2

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        if not (self.model or self.encoder):
            raise BadInput("re-ranking needs a model: rerank(model=M), or rerank(encoder=M)")
        if self.depth < 1 or self.threads < 1 or self.seconds < 0:
            raise BadInput(
                "re-ranking needs a depth and threads of at least 1, and seconds of 0 or more; got "
                f"depth={self.depth}, threads={self.threads}, seconds={self.seconds}"
            )
        if self.order not in ("learned", "fixed", "alone"):
            raise BadInput(f"re-ranking has order learned, fixed or alone, not {self.order!r}")
        if self.order == "alone" and ((self.model and self.encoder) or self.seconds):
            raise BadInput("order=alone is for one model, model or encoder, without a time limit")
        if self.precision not in ("int8", "fp32"):
            raise BadInput(f"precision must be int8 or fp32, not {self.precision!r}")
        if self.truncation:
            Truncation.parse(self.truncation)

    def scorer(self) -> PairScorer | None:
        """Return the cross-encoder; None where there is none."""
        if not self.model:
            return None
        cut = self.truncation or truncation_of(self.model)
        return _scorer(self.model, self.precision, self.threads, cut)

    def opinions(self, stores: Stores) -> dict[str, Opinion]:
        """Return the models' opinions about the papers of a library, by signal."""
        found: dict[str, Opinion] = {}
        scorer = self.scorer()
        if scorer is not None:
            found[LOGIT] = PairScores(stores, scorer)
        if self.encoder:
            encoder = _encoder(self.encoder, self.precision, self.threads)
            found[COSINE] = TextCosines(stores.papers, encoder)
        return found

    def alone(self, stores: Stores) -> OpinionRanker:
        """Return a ranker by the one model's opinion and nothing else."""
        ((signal, opinion),) = self.opinions(stores).items()
        return OpinionRanker(signal, opinion)

    def key(self, system: str) -> str:
        """Return what a learned order for this re-ranking of a system is kept under."""
        scorer = self.scorer()
        logits = f"{scorer.about.digest}/{scorer.about.truncation}" if scorer else ""
        by = _encoder(self.encoder, self.precision, self.threads).about if self.encoder else None
        return order_key(system, logits, by.digest if by else "")

    def final_order(self, stores: Stores, system: str) -> FinalOrder:
        """Return how opinions are weighed for a system over a library."""
        if self.order == "learned":
            learned = saved_orders(stores.models).orders.get(self.key(system))
            if learned is not None:
                return learned
        return FIXED

    def applied(self, stages: Stages, stores: Stores, system: str) -> Stages:
        """Return the stages of a system followed by re-ranking; chances, which were learned for
        other scores, are not given.
        """
        if self.order == "alone":
            step = RankStep(self.alone(stores), self.depth, always=True)
        else:
            order = self.final_order(stores, system)
            ranker = Reranker(self.opinions(stores), order, stages.scorer, self.seconds)
            step = RankStep(ranker, self.depth, always=True)
        return dataclasses.replace(stages, rankers=(*stages.rankers, step), calibrator=None)

    def identity(self, stores: Stores, system: str) -> str:
        """Return what the re-ranked answers depend on besides the system: models and weights."""
        order = "" if self.order == "alone" else order_digest(self.final_order(stores, system))
        return f"{self.key(system)} {order}".strip()


RERANKING_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in dataclasses.fields(Reranking)
}
"""What settings are where they are not given."""


def reranked(system: str, model: str, depth: int, seconds: float) -> str:
    """Return the spelling of a system whose first papers a cross-encoder re-ranks; of the system
    alone where no model is given.
    """
    if not model:
        return system
    given = {"model": model, "depth": depth, "seconds": seconds}
    changed = [
        f"{name}={value}" for name, value in given.items() if value != RERANKING_DEFAULTS[name]
    ]
    return f"{system}+rerank({','.join(changed)})"


def truncation_of(model: str) -> str:
    """Return how pairs were cut when a model was trained, where its folder says so; else what is
    usual, or all that the model can read where that is less.
    """
    try:
        found = located(model)
        about: Any = json_object(found.folder / CONFIG).get("citewise")
        most = found.shape().tokens
    except CitewiseError:  # a plug-in's model has no folder, and cuts pairs as it likes
        return _USUAL_TRUNCATION

    settings = about.get("settings") if isinstance(about, dict) else None
    if isinstance(settings, dict) and settings.get("truncation"):
        return str(settings["truncation"])
    fits = Truncation.parse(_USUAL_TRUNCATION).total <= most
    return _USUAL_TRUNCATION if fits else str(LONGEST_FIRST)


@functools.lru_cache(maxsize=2)
def _scorer(model: str, precision: Precision, threads: int, truncation: str) -> PairScorer:
    return pair_scorer_named(model, precision, threads, Truncation.parse(truncation))


@functools.lru_cache(maxsize=2)
def _encoder(model: str, precision: Precision, threads: int) -> Encoder:
    return encoder_named(model, precision, threads)
