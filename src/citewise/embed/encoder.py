"""The encoder: a transformer run by onnxruntime that turns texts into vectors."""

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewise.embed.folder import digest_of
from citewise.embed.located import Located, located
from citewise.embed.networks.batches import inputs
from citewise.embed.networks.outputs import encoder_graph
from citewise.embed.networks.sessions import Network, require_runtime
from citewise.embed.pooling import token_shares
from citewise.embed.presets import preset_of
from citewise.embed.tokenizer import separator_of, tokenizer_of
from citewise.embed.weights import weights_of
from citewise.protocols import EncodedBy, Precision, TextForm

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


class TransformerEncoder:
    """An encoder (`protocols.ArticleEncoder`) for the model of a name or of a folder.

    The model is loaded on first use. A text's vector does not depend on the texts that it is
    encoded with.
    """

    def __init__(self, model: str | Located, precision: Precision, threads: int = 1) -> None:
        self._model = model if isinstance(model, Located) else located(model)
        self._shape = self._model.shape()
        self._preset = self._model.preset or preset_of(self._model.folder)
        self._precision, self._threads = precision, threads
        require_runtime(precision)

        digest = digest_of(self._model.folder)
        if self._model.preset is not None:  # what the folder does not say is part of the model too
            content = f"{digest} {self._preset}".encode()
            digest = hashlib.blake2b(content, digest_size=8).hexdigest()
        self.about = EncodedBy(
            self._model.name, precision, digest, self._shape.size, self._preset.distance
        )

    @functools.cached_property
    def form(self) -> TextForm:
        """How titles and abstracts become the texts that are encoded."""
        by_token = self._preset.separator == "sep"
        return TextForm(
            separator_of(self._tokenizer) if by_token else " ",
            self._preset.query_prefix,
            self._preset.paper_prefix,
        )

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text, of length 1 where the distance is the cosine; texts with
        too many tokens are cut.
        """
        if not len(texts):
            return np.zeros((0, self._shape.size), np.float32)

        tokens = self._tokenizer.encode_batch(list(texts))
        lengths = np.array([len(each) for each in tokens], np.int64)
        vectors = self._network.run(
            lengths,
            lambda some: self._inputs([tokens[at] for at in some], [texts[at] for at in some]),
        )
        if self._preset.normalised:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def _inputs(self, tokens: list["Encoding"], texts: list[str]) -> dict[str, NDArray[Any]]:
        """Return the inputs of the network for a batch of texts."""
        given = inputs(tokens, self._shape)
        shares = token_shares(self._preset.pooling, tokens, texts, self.form.separator)
        return given if shares is None else given | {"shares": shares}

    @functools.cached_property
    def _tokenizer(self) -> "Tokenizer":
        tokenizer = tokenizer_of(self._model.folder, self._shape.architecture)
        tokenizer.enable_truncation(min(self._preset.tokens, self._shape.tokens))
        return tokenizer

    @functools.cached_property
    def _network(self) -> Network:
        shape, folder, pooling = self._shape, self._model.folder, self._preset.pooling
        return Network(
            f"{self.about.digest}-{pooling}",
            self._precision,
            self._threads,
            lambda: encoder_graph(
                weights_of(folder, shape.architecture.prefix),
                shape,
                pooling,
                self._precision,
                str(folder),
            ),
        )
