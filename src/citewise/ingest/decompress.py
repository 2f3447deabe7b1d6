"""Decompress .gz, .xz and .zst streams of one or more members.

A damaged stream gives all of its content before the damage, then an error.
"""

import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Protocol

import zstandard

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)
"""The errors that reading a broken stream raises."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


_FORMATS: list[tuple[bytes, Callable[[], _Decoder], int]] = [
    (b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31), 1 << 12),
    (b"\xfd7zXZ\x00", lzma.LZMADecompressor, 1 << 12),
    (b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor().decompressobj(), 1 << 10),
]
"""First bytes, decoder, and the bytes to decode at once: some 30 MB at most come out of them."""


def decompressed(file: IO[bytes], magic: bytes) -> IO[bytes] | io.RawIOBase:
    """Return a stream of a file's decompressed content, or the file where it is not compressed.

    `magic` are the first bytes of the file.
    """
    for start, decoder, piece in _FORMATS:
        if magic.startswith(start):
            return _Decompressed(file, decoder, piece)
    return file


class _Decompressed(io.RawIOBase):
    """A stream of decompressed bytes; damage raises once everything before it has been read."""

    def __init__(self, file: IO[bytes], new_decoder: Callable[[], _Decoder], piece: int) -> None:
        super().__init__()
        self._file, self._new_decoder, self._piece = file, new_decoder, piece
        self._decoder = new_decoder()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True: this is a stream to read."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Copy decoded bytes into the buffer and return their number, 0 at the end."""
        while not self._ready:
            data = self._file.read(self._piece)
            if not data:
                if not self._decoder.eof:
                    raise EOFError("the compressed data ends too early")
                return 0
            self._ready = memoryview(self._decoded(data))

        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decoded(self, data: bytes) -> bytes:
        """Return the content of some compressed bytes, which may go on in the next member."""
        output = []
        while data:
            if self._decoder.eof:
                data = data.lstrip(b"\0")  # padding between members
                if not data:
                    break
                self._decoder = self._new_decoder()

            output.append(self._decoder.decompress(data))
            data = self._decoder.unused_data if self._decoder.eof else b""
        return b"".join(output)
