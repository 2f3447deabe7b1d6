"""Identify papers: keys such as `doi:10.1145/1390334`, and what versions of a title share."""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

import numpy as np

from citewise.arrays import Hashes
from citewise.types import Paper

SCHEMES = ("doi", "arxiv", "openalex", "s2", "pmid", "pmcid", "acl", "dblp", "mag")
"""The registries whose ids are recognised; `scheme:value` names a paper in one of them."""

LONGEST_KEY = 400
"""Characters of a key."""

TELLING_WORDS = 3
"""Titles of fewer words ("Introduction", "Editorial") do not identify a work."""

MAX_INITIALS = 3
"""A given name of at most this many letters, all capitals, is read as initials."""

_DOI = r"10\.\d{4,9}/\S+"

# "1706.03762", "1706.03762v2", "cs.LG/0102003", "hep-th/9901001"
_ARXIV = r"(?:\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{7})(?:v\d+)?"

# How each scheme's ids are written, bare, with a prefix or as an address; group 1 is the id.
_PATTERNS = [
    ("doi", rf"(?:doi:\s*)?(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/)?({_DOI})"),
    (
        "arxiv",
        r"(?:arxiv:\s*|(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)?"
        rf"({_ARXIV})(?:\.pdf|\s*\[[a-z.-]+\])?",
    ),
    ("openalex", r"(?:openalex:|(?:https?://)?(?:api\.)?openalex\.org/(?:works/)?)?(w\d{5,})"),
    (
        "s2",
        r"(?:s2:|corpusid:|s2cid:"
        r"|(?:https?://)?(?:www\.|api\.)?semanticscholar\.org/(?:corpusid:|paper/(?:[^/]+/)?))"
        r"(\d+|[0-9a-f]{40})",
    ),
    ("s2", r"([0-9a-f]{40})"),
    (
        "pmid",
        r"(?:pmid:\s*|medline:|(?:https?://)?(?:www\.)?pubmed\.ncbi\.nlm\.nih\.gov/"
        r"|(?:https?://)?(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/)(\d+)/?",
    ),
    (
        "pmcid",
        r"(?:pmcid:\s*|(?:https?://)?(?:"
        r"www\.ncbi\.nlm\.nih\.gov/pmc|ncbi\.nlm\.nih\.gov/pmc|pmc\.ncbi\.nlm\.nih\.gov"
        r")/articles/)?(pmc\d+)/?",
    ),
    (
        "acl",
        r"(?:acl:|(?:https?://)?(?:www\.)?aclanthology\.org/)"
        r"([a-z]\d{2}-\d{4}|\d{4}\.[a-z0-9-]+\.\d+)(?:/|\.pdf)?",
    ),
    ("dblp", r"(?:dblp:|(?:https?://)?dblp\.org/rec/)(\S+)"),
    ("mag", r"mag:(\d+)"),
]
_COMPILED = [(scheme, re.compile(pattern, re.IGNORECASE)) for scheme, pattern in _PATTERNS]

# What every id of a known scheme begins with; anything else needs no closer look.
_MAYBE_KNOWN = re.compile(
    r"10\.|\d{4}\.\d{4}|[a-z-]+(\.[a-z]{2})?/\d{7}|w\d{5}|[0-9a-f]{40}$|pmc\d|https?:"
    r"|(doi|arxiv|openalex|s2|s2cid|corpusid|pmid|medline|pmcid|acl|dblp|mag):"
    r"|(dx\.|www\.)?doi\.org"
    r"|(www\.|export\.|api\.)?(arxiv|openalex|semanticscholar|aclanthology|dblp)\.org"
    r"|(www\.|pubmed\.|pmc\.)?ncbi\.nlm",
    re.IGNORECASE,
)

# Keys that are surely canonical already, so `key` returns them without a closer look.
_CANONICAL = re.compile(
    r"doi:10\.(?!48550/)[0-9]{4,9}/[a-z0-9()/._-]*[a-z0-9)]"
    r"|openalex:W\d+|s2:(?:\d+|[0-9a-f]{40})|arxiv:\d{4}\.\d{4,5}"
    r"|acl:(?:[A-Z]\d\d-\d{4}|[0-9]{4}\.[a-z0-9-]+\.[0-9]+)"
)

_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)")
_VERSION = re.compile(r"(?:v\d+)+$")
_NOT_WORD = re.compile(r"[\W_]+")
_LOWER_ASCII = bytes(range(256)).lower()
_NOT_WORD_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_BLANKED_ASCII = dict.fromkeys(_NOT_WORD_ASCII, " ")
_COMBINING_MARKS = re.compile(r"[\u0300-\u036f]")


def key(value: str, scheme: str = "") -> str:
    """Return the canonical key of an id in any usual spelling; other ids are returned unchanged."""
    return value if _CANONICAL.fullmatch(value) else _key(value, scheme)


@functools.lru_cache(maxsize=1 << 17)
def _key(value: str, scheme: str) -> str:
    if not value.isprintable():
        value = "".join(character if character.isprintable() else " " for character in value)
    value = " ".join(value.split())

    if scheme and not value.lower().startswith((scheme + ":", "http:", "https:")):
        value = f"{scheme}:{value}"
    if not _MAYBE_KNOWN.match(value):
        return value

    prefix = value.partition(":")[0].lower()
    for name, pattern in _COMPILED:
        if prefix in SCHEMES and prefix != name:
            continue
        match = pattern.fullmatch(value)
        if match:
            return _canonical(name, match[1])
    return value


def _canonical(scheme: str, value: str) -> str:
    """Return the key of a bare id: percent-decoded, in the scheme's case, without arXiv version."""
    while "%" in value and (plain := "".join(filter(_is_visible, unquote(value)))) != value:
        value = plain

    if scheme == "doi":
        value = value.lower().rstrip(".,;")
        arxiv = _ARXIV_DOI.fullmatch(value)
        if not arxiv:
            return f"doi:{value}"
        scheme, value = "arxiv", arxiv[1]

    if scheme == "arxiv":
        return f"arxiv:{_VERSION.sub('', value.lower())}"
    if scheme in ("openalex", "pmcid") or (scheme == "acl" and value[0].isalpha()):
        return f"{scheme}:{value.upper()}"
    return f"{scheme}:{value.lower() if scheme == 's2' else value}"


def scheme_of(name: str) -> str:
    """Return the scheme of a key, or "" for an id of the user's own."""
    scheme, colon, _ = name.partition(":")
    return scheme if colon and scheme in SCHEMES else ""


def digest(text: str) -> int:
    """Return a 64-bit hash of a key; the same on every machine and in every run."""
    return int.from_bytes(_digest(text), "little")


def digests(texts: Iterable[str]) -> Hashes:
    """Return `digest` of each text; in bulk at less than half the cost."""
    return np.frombuffer(b"".join(map(_digest, texts)), "<u8").astype(np.uint64)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _plain(text: str) -> str:
    """Return a text without case and accents, its words separated by single spaces."""
    return _NOT_WORD.sub(" ", unaccented(text).casefold()).strip()


def unaccented(text: str) -> str:
    """Return a text without accents."""
    if text.isascii():
        return text
    return _COMBINING_MARKS.sub("", unicodedata.normalize("NFKD", text))


def title_words(title: str) -> list[str]:
    """Return a title's words without case, accents and special characters."""
    # The same as `_plain`, many times as fast.
    if title.isascii():
        return title.lower().translate(_BLANKED_ASCII).split()
    return _plain(title).split()


def title_key(title: str) -> str:
    """Return what the titles of two versions of one work share: the letters and digits in order."""
    if title.isascii():
        return title.encode().translate(_LOWER_ASCII, _NOT_WORD_ASCII).decode()
    return _plain(title).replace(" ", "")


def jaccard(one: str, other: str) -> float:
    """Return the Jaccard coefficient of two titles' word sets (Nogueira et al. 2020, sec. 4.2)."""
    left, right = set(title_words(one)), set(title_words(other))
    return len(left & right) / len(left | right) if left or right else 0.0


@functools.lru_cache(maxsize=4096)
def surname(author: str) -> str:
    """Return an author's family name, folded: "dong" for "Dong, Xin Luna" and "Xin Luna Dong"."""
    family, comma, _ = author.partition(",")
    words = _plain(family if comma else author).split()
    return words[-1] if words else ""


@functools.lru_cache(maxsize=4096)
def _given(author: str) -> tuple[str, ...]:
    """Return an author's given names, folded; "XL" written together gives "x" and "l"."""
    author = unicodedata.normalize("NFC", author)
    _, comma, given = author.partition(",")
    words = _NOT_WORD.sub(" ", given if comma else author).split()
    words = words if comma else words[:-1]

    parts = (
        " ".join(word) if word.isupper() and len(word) <= MAX_INITIALS else word for word in words
    )
    return tuple(_plain(" ".join(parts)).split())


def first_name(author: str) -> str:
    """Return an author's first given name, folded, or its initial; "" where none is given."""
    return next(iter(_given(author)), "")


def same_person(one: str, other: str) -> bool:
    """Return whether two names can mean one person: same family name, no conflicting given name.

    An initial agrees with every name that begins with it, and a missing name with any.
    """
    family = surname(one)
    if not family or family != surname(other):
        return False
    return all(
        left == right or left == right[:1] or right == left[:1]
        for left, right in zip(_given(one), _given(other), strict=False)
    )


def _is_visible(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def keys_of(paper: Paper) -> tuple[str, ...]:
    """Return every key that identifies a paper, its id first."""
    if not paper.ids:
        return (paper.id,)
    return (paper.id, *(name for name in paper.ids if name != paper.id))


def title_digest(title: str) -> int:
    """Return a hash that versions of a title share; 0 where it is too short to identify a work."""
    return int(title_digests([title])[0])


def title_digests(titles: list[str]) -> Hashes:
    """Return `title_digest` of each title."""
    hashes = np.maximum(digests(map(title_key, titles)), np.uint64(1))
    words = (title.replace("-", " ").split(None, TELLING_WORDS) for title in titles)
    short = [len(each) < TELLING_WORDS for each in words]
    return np.where(short, np.uint64(0), hashes)
