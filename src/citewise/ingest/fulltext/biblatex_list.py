r"""Read the list of references that biber writes for biblatex: a .bbl file with \entry commands."""

import re
from collections.abc import Iterator

from citewise.ingest.clean import Raw
from citewise.ingest.keys import registry_key
from citewise.text import tex_commands

LONGEST_ENTRY = 100_000
"""Characters of an entry that are read."""

MOST_NAMES = 1_000

_ENTRY = re.compile(r"\\entry\s{0,9}\{([^{}]{1,500})\}\s{0,9}\{([^{}]{0,50})\}")
_END = re.compile(r"\\endentry\b")
_FIELD = re.compile(r"\\field\s{0,9}\{([a-z]{1,30})\}\s{0,9}(?=\{)")
_AUTHORS = re.compile(
    r"\\name\s{0,9}\{author\}\s{0,9}\{\d{1,5}\}\s{0,9}\{[^{}]{0,200}\}\s{0,9}(?=\{)"
)
_PERSON = re.compile(r"\bhash=[0-9a-f]{1,64}\}\s{0,9}(?=\{)")
_PART = re.compile(r"\b(family|given|prefix)=\s{0,9}(?=\{)")
_VERBATIM = re.compile(r"\\verb\s{0,9}\{(doi|eprint|url)\}\s{1,50}\\verb[ \t]{1,9}(\S{1,1000})")
_DELIMITER = re.compile(r"\\bib(?:name|init)delim[a-z]?\b|\\bibrangessep\b")
_WANTED = ("title", "subtitle", "year", "journaltitle", "booktitle", "eprinttype")


def from_biblatex(text: str) -> Iterator[tuple[str, Raw]]:
    """Yield (key, record) of the entries of a .bbl file of biblatex; each key once."""
    seen: set[str] = set()
    for match in _ENTRY.finditer(text):
        key = match[1].strip()
        if key in seen:
            continue

        seen.add(key)
        end = _END.search(text, match.end(), match.end() + LONGEST_ENTRY)
        entry = text[match.end() : end.start() if end else match.end() + LONGEST_ENTRY]
        yield key, _record(_DELIMITER.sub(" ", entry))


def _record(entry: str) -> Raw:
    """Return the raw record of an entry."""
    fields = {
        match[1]: tex_commands.plain_text(value, {})
        for match, value in tex_commands.arguments(entry, _FIELD, 200)
        if match[1] in _WANTED
    }
    title = ": ".join(filter(None, (fields.get("title"), fields.get("subtitle"))))
    return {
        "title": title,
        "authors": _authors(entry),
        "year": fields.get("year"),
        "venue": fields.get("journaltitle") or fields.get("booktitle") or "",
        "ids": _ids(dict(_VERBATIM.findall(entry)), fields.get("eprinttype", "")),
    }


def _authors(entry: str) -> list[str]:
    """Return the authors of an entry, each as "First von Last"."""
    names = []
    for _, block in tex_commands.arguments(entry, _AUTHORS, 1):
        for _, person in tex_commands.arguments(block, _PERSON, MOST_NAMES):
            parts = {
                match[1]: tex_commands.plain_text(value, {})
                for match, value in tex_commands.arguments(person, _PART, 10)
            }
            words = (parts.get(name, "") for name in ("given", "prefix", "family"))
            names.append(" ".join(filter(None, words)))
    return [name for name in names if name]


def _ids(links: dict[str, str], archive: str) -> dict[str, str]:
    is_arxiv = archive.lower() == "arxiv"
    return {
        "doi": registry_key(links.get("doi", ""), "doi"),
        "arxiv": registry_key(links.get("eprint", ""), "arxiv") if is_arxiv else "",
    }
