"""The encoder: a BERT model run by onnxruntime, its graph cached in the user's cache folder."""

import functools
import importlib.util
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Rows
from citewise.embed.bert import bert_graph
from citewise.embed.folder import MINILM, digest_of, folder_of, shape_of, weights_of
from citewise.errors import BadInput, MissingExtra
from citewise.protocols import EncodedBy, Precision

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_BATCH_TOKENS = 512
"""Tokens in a batch, padding included: with 2,048 it is slower by a tenth to a fifth."""

_PARTS = ("onnx", "onnxruntime", "safetensors", "tokenizers")

_RECIPE = 1
"""The version of `bert_graph`, part of a cached graph's name."""


class BertEncoder:
    """An encoder (`protocols.Encoder`) for the model `minilm` or that of a folder.

    The model is loaded on first use. With int8, a text's vector depends a little on the texts that
    it is encoded with (cosine above 0.99 in the mean).
    """

    def __init__(self, model: str, precision: Precision, threads: int = 1) -> None:
        if precision not in ("int8", "fp32"):
            raise BadInput(f"precision must be int8 or fp32, not {precision!r}")
        self._folder, self._precision, self._threads = folder_of(model), precision, threads
        self._shape = shape_of(self._folder)
        _require()

        named = model if model == MINILM else str(self._folder.resolve())
        self.about = EncodedBy(named, precision, digest_of(self._folder), self._shape.size)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text; texts with too many tokens are cut."""
        tokens = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        lengths = np.array([len(each) for each in tokens], np.int64)

        vectors = np.zeros((len(tokens), self._shape.size), np.float32)
        for positions in _batches(lengths):
            batch = [tokens[position] for position in positions.tolist()]
            vectors[positions] = self._vectors(batch, lengths[positions])
        return vectors

    def _vectors(self, tokens: list[list[int]], lengths: Rows) -> NDArray[np.float32]:
        """Return the vectors of a batch of texts, given as token numbers."""
        # lengths 3 1 give the mask  1 1 1   and the ids  a b c   of texts (a b c) and (d)
        #                            1 0 0                d 0 0
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        ids = np.zeros_like(mask)
        ids[mask > 0] = np.concatenate(tokens)
        return np.asarray(self._session.run(None, {"ids": ids, "mask": mask})[0], np.float32)

    @functools.cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self._shape.tokens)
        tokenizer.no_padding()
        return tokenizer

    @functools.cached_property
    def _session(self) -> "InferenceSession":
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = self._threads
        # A thread that has to wait leaves its core to other threads.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return InferenceSession(str(self._graph()), options, providers=["CPUExecutionProvider"])

    def _graph(self) -> Path:
        """Return the file with the graph, written first if need be: complete or not at all."""
        file = _cache() / f"{self.about.digest}-{self._precision}-{_RECIPE}.onnx"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
                _write_graph(Path(scratch) / file.name, self._folder, self._precision)
                (Path(scratch) / file.name).replace(file)
        return file


def _require() -> None:
    """Raise an error with the pip line where a package of the extra is missing."""
    missing = [name for name in _PARTS if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"an encoder (here: {', '.join(missing)})", "neural")


def _cache() -> Path:
    """Return the folder for graphs in the user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewise"


def _write_graph(file: Path, folder: Path, precision: Precision) -> None:
    """Write a model's graph to a file.

    int8 weights are quantised by channel and to 7 bits: with plain int8, the cosine to the fp32
    vectors is only 0.94.
    """
    import onnx

    graph = bert_graph(weights_of(folder), shape_of(folder))
    if precision == "fp32":
        onnx.save(graph, file)
        return

    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(graph, file, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


def _batches(lengths: Rows) -> Iterator[Rows]:
    """Yield the positions of texts of similar lengths, batch by batch.

    A batch of n texts takes n times the length of its longest one; at most `_BATCH_TOKENS`, unless
    it is a single text.
    """
    order = np.argsort(lengths, kind="stable")
    begin = 0
    for end in range(1, order.size + 1):
        # order[end] would be the batch's longest text, and its number end + 1 - begin
        if end == order.size or (end + 1 - begin) * lengths[order[end]] > _BATCH_TOKENS:
            yield order[begin:end]
            begin = end
