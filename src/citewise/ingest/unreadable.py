"""Recognise files that hold papers but cannot be read, to say what to do instead."""

import re

_EXPORT = "export BibTeX, RIS or CSL-JSON from the program that made it, and index that"

_KINDS: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(start, re.DOTALL), advice)
    for start, advice in (
        (
            rb"PK\x03\x04.{26,300}?(?:word/|\[Content_Types\]\.xml)",
            "a Word or other Office file; a draft can be asked about with `citewise recommend`, "
            "but to index its references, export BibTeX or RIS from your reference manager",
        ),
        (
            rb"PK\x03\x04.{26,80}?mimetypeapplication/epub",
            "an e-book; citewise reads no EPUB: " + _EXPORT,
        ),
        (rb"PK[\x03\x05]", "a zip archive; unpack it and index the files in it"),
        (rb"(?:\x37\x7a\xbc\xaf|Rar!)", "an archive; unpack it and index the files in it"),
        (rb"BZh[1-9]", "compressed by bzip2, which is not read; unpack it first (bunzip2)"),
        (rb".{257}ustar", "a tar archive; unpack it and index the files in it"),
        (
            rb"SQLite format 3\x00",
            "an SQLite database, as Zotero, Mendeley and Papers keep; in the program, " + _EXPORT,
        ),
        (
            rb"\x00\x01\x00\x00Standard (?:Jet|ACE) DB",
            "an Access database, as JabRef's and Citavi's relatives keep; " + _EXPORT,
        ),
        (
            rb"\x00{2,16}[\x00-\xff]{0,60}(?:EndNote|Microsoft Access)",
            "a library of EndNote; in EndNote, export it as XML, RIS or BibTeX, and index that",
        ),
        (
            rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "a file of an old Office program; save it as plain text, or " + _EXPORT,
        ),
        (
            rb"(?:\x89PNG|\xff\xd8\xff|GIF8|II\*\x00|MM\x00\*|RIFF....WEBP)",
            "an image, which has no text to index",
        ),
        (rb"(?i:\s{0,1000}<(?:!doctype html|html))", "a web page; " + _EXPORT),
        (rb"\{\\rtf", "a text in RTF; save it as plain text, or " + _EXPORT),
    )
)


def advice(head: bytes) -> str:
    """Return what a file is and what to do with it, given its first bytes; "" where not known."""
    return next((text for start, text in _KINDS if start.match(head)), "")
