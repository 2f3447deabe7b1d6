"""Identify records whose own id is only local: a citation key, a number in an export."""

import re

from citewise.text import ids

_WELL_FORMED = re.compile(
    r"doi:10\.\d{4,9}/\S+|arxiv:(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
    r"|pmid:\d+|pmcid:PMC\d+|(?:acl|openalex|s2|dblp|mag):\S+"
)


def registry_key(value: str, scheme: str = "") -> str:
    """Return the key of an id in a registry, or "" where the value is no such id."""
    key = ids.key(value, scheme)
    return key if _WELL_FORMED.fullmatch(key) else ""


def identity(keys: list[str], local: str, prefix: str) -> dict[str, object]:
    """Return the `id` and `ids` of a raw record.

    The local id is among `ids` as `prefix:local`; it is the paper's `id` only where no DOI or arXiv
    id is known.
    """
    known = list(dict.fromkeys(key for key in keys if key))
    named = [*known, f"{prefix}:{local}"] if local else known
    has_registry = any(key.startswith(("doi:", "arxiv:")) for key in known)
    return {"id": None if has_registry or not local else local, "ids": named}
