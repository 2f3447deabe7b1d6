"""The encoder: a BERT of a folder, run by onnxruntime; its graph is made once and kept in the
user's cache folder.
"""

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

_TOGETHER = 512
"""Tokens in a batch, padding counted: with 2,048 it is slower by a tenth to a fifth."""
_PARTS = ("onnx", "onnxruntime", "safetensors", "tokenizers")
_RECIPE = 1
"""Another one makes another graph of the same weights."""


class BertEncoder:
    """`protocols.Encoder` over a model that is named `minilm` or given by its folder; loaded when
    first asked.

    With int8 a text's vector depends a little on those that it is encoded with (cosine above 0.99
    in the mean).
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
        """Return one vector of length 1 a text; what is longer than the model's most tokens is cut."""
        tokens = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        lengths = np.array([len(each) for each in tokens], np.int64)
        found = np.zeros((len(tokens), self._shape.size), np.float32)
        for places in _batches(lengths):
            found[places] = self._vectors(
                [tokens[place] for place in places.tolist()], lengths[places]
            )
        return found

    def _vectors(self, tokens: list[list[int]], lengths: Rows) -> NDArray[np.float32]:
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        ids = np.zeros_like(mask)
        ids[mask > 0] = np.concatenate(tokens)
        return np.asarray(self._session.run(None, {"ids": ids, "mask": mask})[0], np.float32)

    @functools.cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        made = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        made.enable_truncation(self._shape.tokens)
        made.no_padding()
        return made

    @functools.cached_property
    def _session(self) -> "InferenceSession":
        from onnxruntime import InferenceSession, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = self._threads
        options.add_session_config_entry(
            "session.intra_op.allow_spinning", "0"
        )  # who waits leaves the core to others
        return InferenceSession(str(self._graph()), options, providers=["CPUExecutionProvider"])

    def _graph(self) -> Path:
        """Return the file with the graph; it is there whole or not at all."""
        file = _cache() / f"{self.about.digest}-{self._precision}-{_RECIPE}.onnx"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
                _write_graph(Path(scratch) / file.name, self._folder, self._precision)
                (Path(scratch) / file.name).replace(file)
        return file


def _require() -> None:
    """Name the extra where a part of it is missing."""
    missing = [name for name in _PARTS if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"an encoder (here: {', '.join(missing)})", "neural")


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewise"


def _write_graph(file: Path, folder: Path, precision: Precision) -> None:
    """Write a model's graph; int8 is by channel and of 7 bits, since plain int8 strays (cosine 0.94
    to fp32).
    """
    import onnx

    graph = bert_graph(weights_of(folder), shape_of(folder))
    if precision == "fp32":
        onnx.save(graph, file)
        return
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(graph, file, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


def _batches(lengths: Rows) -> Iterator[Rows]:
    """Yield places of texts of like lengths, as many as fit into a batch."""
    order = np.argsort(lengths, kind="stable")
    begin = 0
    for place in range(1, order.size + 1):
        if place == order.size or (place + 1 - begin) * lengths[order[place]] > _TOGETHER:
            yield order[begin:place]
            begin = place
