"""Pair scorers: cross-encoders run by onnxruntime, and those of plug-ins."""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewise import plugins
from citewise.embed.folder import digest_of
from citewise.embed.located import Located, located
from citewise.embed.networks.batches import inputs
from citewise.embed.networks.outputs import scorer_graph
from citewise.embed.networks.sessions import Network, require_runtime
from citewise.embed.tokenizer import tokenizer_of
from citewise.embed.truncation import LONGEST_FIRST, Truncation
from citewise.embed.weights import weights_of
from citewise.errors import BadInput
from citewise.protocols import PairScorer, Precision, ScoredBy

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


def pair_scorer_named(
    model: str,
    precision: Precision,
    threads: int = 1,
    truncation: Truncation = LONGEST_FIRST,
) -> PairScorer:
    """Return a plug-in's pair scorer of this name, else the cross-encoder of a name or a folder."""
    make = plugins.parts("pair_scorers").get(model)
    if make is not None:
        scorer: PairScorer = make()
        return scorer
    return CrossEncoder(model, precision, threads, truncation)


class CrossEncoder:
    """A pair scorer (`protocols.PairScorer`): a transformer with a classification head.

    The model is loaded on first use. A pair's score does not depend on the pairs that it is scored
    with.
    """

    def __init__(
        self,
        model: str | Located,
        precision: Precision,
        threads: int = 1,
        truncation: Truncation = LONGEST_FIRST,
    ) -> None:
        self._model = model if isinstance(model, Located) else located(model)
        self._shape = self._model.shape()
        self._precision, self._threads, self._truncation = precision, threads, truncation
        require_runtime(precision)

        if truncation.total > self._shape.tokens:
            raise BadInput(
                f"{self._model.name}: {truncation} asks for {truncation.total} tokens, and this "
                f"model reads {self._shape.tokens}"
            )
        digest = digest_of(self._model.folder)
        self.about = ScoredBy(self._model.name, precision, digest, str(truncation))

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return one score a pair: a logit, or the log-odds of the second of two labels."""
        if not len(pairs):
            return np.zeros(0, np.float32)

        tokens = self._tokens(pairs)
        lengths = np.array([len(each) for each in tokens], np.int64)
        return self._network.run(
            lengths, lambda some: inputs([tokens[at] for at in some], self._shape)
        )

    def _tokens(self, pairs: Sequence[tuple[str, str]]) -> list["Encoding"]:
        """Return the tokens of each pair, cut by the truncation rule."""
        if not self._truncation.query:
            return self._tokenizer.encode_batch(list(pairs))

        first, second = (
            self._tokenizer.encode_batch([pair[side] for pair in pairs], add_special_tokens=False)
            for side in (0, 1)
        )
        for query, candidate in zip(first, second, strict=True):
            query.truncate(self._truncation.query - 2)  # [CLS] A [SEP]
            candidate.truncate(self._truncation.candidate - self._behind)
        return [
            self._tokenizer.post_process(query, candidate)
            for query, candidate in zip(first, second, strict=True)
        ]

    @property
    def _behind(self) -> int:
        """The number of special tokens on the second side: B [SEP], or </s> B </s>."""
        return self._tokenizer.num_special_tokens_to_add(is_pair=True) - 2

    @functools.cached_property
    def _tokenizer(self) -> "Tokenizer":
        tokenizer = tokenizer_of(self._model.folder, self._shape.architecture)
        if not self._truncation.query:
            tokens = self._truncation.tokens or self._shape.tokens
            tokenizer.enable_truncation(tokens, strategy="longest_first")
        return tokenizer

    @functools.cached_property
    def _network(self) -> Network:
        shape, folder = self._shape, self._model.folder
        return Network(
            f"{self.about.digest}-pairs",
            self._precision,
            self._threads,
            lambda: scorer_graph(
                weights_of(folder, shape.architecture.prefix), shape, self._precision, str(folder)
            ),
        )
