"""Compressed streams that give all they have before they complain: .gz, .xz and .zst, several
members or one.
"""

import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Protocol

import zstandard

DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)
"""What reading a broken stream raises."""


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
"""First bytes, decoder, and how many bytes to decode at once: with each format's best ratio some 30
MB at most.
"""


def decompressed(file: IO[bytes], magic: bytes) -> IO[bytes] | io.RawIOBase:
    """Return the content of a file whose first bytes are `magic`; the file itself where it is not
    compressed.
    """
    for start, decoder, piece in _FORMATS:
        if magic.startswith(start):
            return _Decompressed(file, decoder, piece)
    return file


class _Decompressed(io.RawIOBase):
    """Raises at a broken place only after everything before it has been read, and at an end that
    comes too early.
    """

    def __init__(self, file: IO[bytes], new_decoder: Callable[[], _Decoder], piece: int) -> None:
        super().__init__()
        self._file, self._new_decoder, self._piece = file, new_decoder, piece
        self._decoder = new_decoder()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Return True: this is a stream to read."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Fill the buffer as far as the content at hand goes; 0 at the end."""
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
