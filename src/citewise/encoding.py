"""Bytes of an encoding that nobody declared, to text."""

import re

_UTF8_PAIR = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")


def is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8 throughout."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_of(content: bytes) -> str:
    """Return text from UTF-8 bytes, with or without a byte-order mark, or else from Windows-1252.

    Bytes that are UTF-8 in part are taken for damaged UTF-8: what is broken becomes U+FFFD.
    """
    encoding = "utf-8-sig" if _UTF8_PAIR.search(content) or is_utf8(content) else "cp1252"
    return content.decode(encoding, "replace")
