"""Decode bytes whose encoding is not declared."""

import re

_UTF8_PAIR = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")


def is_utf8(content: bytes) -> bool:
    """Return whether the bytes are valid UTF-8 throughout."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def text_of(content: bytes) -> str:
    """Return the text of UTF-8 bytes, with or without a byte-order mark, or of Windows-1252 bytes.

    Bytes that are UTF-8 in part count as damaged UTF-8: the invalid ones become U+FFFD.
    """
    encoding = "utf-8-sig" if _UTF8_PAIR.search(content) or is_utf8(content) else "cp1252"
    return content.decode(encoding, "replace")


def with_plain_line_ends(text: str) -> str:
    """Return a text with line feeds as line ends, without byte-order mark and NUL characters."""
    text = text.removeprefix("\ufeff").replace("\x00", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n")
