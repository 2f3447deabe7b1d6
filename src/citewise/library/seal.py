"""Small JSON files with their own checksum, as the last member of the object: an older citewise
passes it over, and a file that has none is an older one.
"""

import re
import zlib

_SEAL = re.compile(rb',"checksum":"([0-9a-f]{8})"\}', re.DOTALL)
_SHAPE = b',"checksum":"????????"}'
_LIKE_A_SEAL = 10
"""Of the 15 fixed bytes at the end of a file, those that make it a seal, though a damaged one."""


def sealed(content: bytes) -> bytes:
    """Return a JSON object with its checksum; other content stays as it is."""
    if not (content.startswith(b"{") and content.endswith(b"}") and len(content) > 2):
        return content
    return content[:-1] + b',"checksum":"%08x"}' % zlib.crc32(content)


def unsealed(content: bytes) -> bytes:
    """Return the content without its seal, or as it is where it has none; raise ValueError where
    the seal does not fit.
    """
    end = content[-len(_SHAPE) :]
    if len(end) < len(_SHAPE) or _fixed_bytes(end) < _LIKE_A_SEAL:
        return content

    body, seal = content[: -len(_SHAPE)] + b"}", _SEAL.fullmatch(end)
    if seal is None or int(seal[1], 16) != zlib.crc32(body):
        raise ValueError("its content has changed since it was written")
    return body


def _fixed_bytes(end: bytes) -> int:
    """Return how many of the bytes that every seal has are there."""
    return sum(one == other for one, other in zip(end, _SHAPE, strict=True) if other != ord("?"))
