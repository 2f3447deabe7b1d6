"""Papers on disk: compressed in blocks of a few, so that one can be read without the others."""

import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from citewise.library.files import read_array, write_array
from citewise.types import Paper

BLOCK = 16
"""Papers in a block: larger compresses better, smaller reads a single paper faster."""

_LEVEL = 1
_LARGEST_BLOCK = 1 << 30
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Paper).decode
_decode_block = msgspec.msgpack.Decoder(list[bytes]).decode


class Texts(msgspec.Struct):
    """The fields of a paper whose terms are counted."""

    title: str
    abstract: str = ""


_decode_texts = msgspec.msgpack.Decoder(Texts).decode


def encode(paper: Paper) -> bytes:
    """Return a paper encoded as in the file."""
    return _encode(paper)


def decode_texts(content: bytes) -> Texts:
    """Return the texts of an encoded paper, at half the cost of `decode`."""
    return _decode_texts(content)


def decode(content: bytes) -> Paper:
    """Return an encoded paper."""
    return _decode(content)


class RecordWriter:
    """Appends papers to a file; what is written can be read back before it is closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = (folder / "records.zst").open("w+b")
        self._starts, self._firsts = [0], [0]
        self._pending: list[bytes] = []
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def extend(self, contents: list[bytes]) -> None:
        """Add encoded papers behind the last."""
        self._pending += contents
        while len(self._pending) >= BLOCK:
            self._write_block()

    def read(self, number: int) -> Paper:
        """Return the paper that was appended as number `number`, counted from 0."""
        block, inside = divmod(number, BLOCK)
        if block == len(self._starts) - 1:
            return _decode(self._pending[inside])
        return _decode(self._block(block)[inside])

    def _block(self, block: int) -> list[bytes]:
        self.file.seek(self._starts[block])
        content = self.file.read(self._starts[block + 1] - self._starts[block])
        self.file.seek(0, 2)
        return _block(content)

    def texts(self) -> Iterator[Texts]:
        """Yield the texts of all papers so far, in order."""
        for block in range(len(self._starts) - 1):
            yield from map(_decode_texts, self._block(block))
        yield from map(_decode_texts, self._pending)

    def close(self) -> None:
        """Write what is pending, and where each block starts."""
        if self._pending:
            self._write_block()
        self.file.close()
        write_array(self._folder / "records.starts", np.array(self._starts), np.int64)
        write_array(self._folder / "records.firsts", np.array(self._firsts), np.int64)

    def _write_block(self) -> None:
        block = self._pending[:BLOCK]
        content = self._compressor.compress(_encode(block))
        self.file.write(content)
        self._starts.append(self._starts[-1] + len(content))
        self._firsts.append(self._firsts[-1] + len(block))
        del self._pending[:BLOCK]


class RecordReader:
    """Reads papers by their numbers, which count from 0 in the order of the file."""

    def __init__(self, folder: Path) -> None:
        self._content: NDArray[np.uint8] = read_array(folder / "records.zst", np.uint8)
        self._starts: NDArray[np.int64] = read_array(folder / "records.starts", np.int64)
        self._firsts: NDArray[np.int64] = read_array(folder / "records.firsts", np.int64)

    def read(self, numbers: NDArray[np.int64]) -> list[Paper]:
        """Return the papers with these numbers, in that order."""
        return [_decode(content) for content in self.raw(numbers)]

    def raw(self, numbers: NDArray[np.int64]) -> list[bytes]:
        """Return the encoded papers with these numbers, in that order; each block is read once."""
        # firsts[b] is the number of the first paper of block b
        blocks = np.searchsorted(self._firsts, numbers, "right") - 1
        inside = (numbers - self._firsts[blocks]).tolist()

        contents = {block: self._block(block) for block in set(blocks.tolist())}
        return [
            contents[block][number] for block, number in zip(blocks.tolist(), inside, strict=True)
        ]

    def _block(self, block: int) -> list[bytes]:
        return _block(self._content[self._starts[block] : self._starts[block + 1]].tobytes())


class _PerThread(threading.local):
    """A decompressor for each thread: making one takes as long as half of a block's content, and no
    two threads may use the same.
    """

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


_per_thread = _PerThread()


def _block(content: bytes) -> list[bytes]:
    plain = _per_thread.decompressor.decompress(content, max_output_size=_LARGEST_BLOCK)
    return _decode_block(plain)
