"""Read a stream of another encoding as UTF-8."""

import codecs
import io
from typing import IO

_PIECE = 1 << 16


class Transcoded(io.RawIOBase):
    """A stream of UTF-8 bytes, made from one of another encoding; invalid bytes become U+FFFD."""

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        super().__init__()
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        """Return True: this is a stream to read."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Copy bytes into the buffer and return their number, 0 at the end."""
        while not self._ready and not self._ended:
            data = self._file.read(_PIECE)
            self._ended = not data
            text = self._decoder.decode(data, final=self._ended)
            self._ready = memoryview(text.encode("utf-8", "replace"))

        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
