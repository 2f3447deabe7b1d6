"""Read the references of a LaTeX document: its .bib files, else a .bbl or thebibliography."""

import re
from collections.abc import Iterator
from pathlib import Path

from citewise.ingest.bibtex import record_of
from citewise.ingest.bibtex_entries import entries
from citewise.ingest.clean import Raw
from citewise.ingest.fulltext.biblatex_list import from_biblatex
from citewise.ingest.fulltext.printed_reference import printed
from citewise.ingest.report import Report
from citewise.ingest.source import LONGEST_RECORD, open_source
from citewise.text import tex_citations, tex_commands, tex_source
from citewise.text.encoding import text_of

_LIST = re.compile(
    r"\\begin\s*\{thebibliography\}(.*?)(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL
)
_ITEM = re.compile(r"\\bibitem\b")
_BLOCK = re.compile(r"\\newblock\b")
_INFO = re.compile(
    r"\\bib(?:info|namefont)\s*\{\s*(author|title|year|journal|booktitle)\s*\}\s*(?=\{)"
)
_LINK = re.compile(r"\\(?:href|path|url|dodoi|doi|doarXiv|eprint)\b\s*+(?:@noop)?\s*+\{([^{}]*)\}")
_NOISE = re.compile(
    r"\\Bibitem(?:Open|Shut)\s*(?:\{[^{}]*\})?|\\bib(?:field|info|namefont|fnamefont)\s*\{[^{}]*\}"
    r"|\\natexlab\s*\{[^{}]*\}|\\(?:bibAnnoteFile|translation|enquote|penalty\d*|hskip[^\\]*)"
)


def references(main: Path, text: str, body: str, report: Report) -> list[tuple[str, Raw]]:
    """Return (key, record) of a document's references.

    Cited ones come first, in the order of their citations, then the others that are listed.
    """
    cited = [key for keys in tex_citations.keys_of(body) for key in keys]
    listed: dict[str, Raw] = {}
    for path in _files(main, tex_citations.bibliographies(text)):
        records = _from_bibtex(path, set(cited), report)
        listed |= {key: raw for key, raw in records.items() if key not in listed}

    if any(key not in listed for key in cited):
        for source in (text, *_lists(main)):
            listed |= {key: raw for key, raw in from_list(source) if key not in listed}

    return [(key, listed[key]) for key in dict.fromkeys([*cited, *listed]) if key in listed]


def _files(main: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of the given names that are in the document's own folder or below."""
    folder = main.resolve().parent
    for name in names:
        path = tex_source.file_at(folder, name)
        if path is not None and path.is_relative_to(folder):
            yield path


def _from_bibtex(path: Path, cited: set[str], report: Report) -> dict[str, Raw]:
    """Return the raw records of the cited entries in a .bib file, by citation key."""
    source = open_source(str(path))

    try:
        return {
            entry.key: {**record_of(entry), "id": None}
            for entry in entries(source, report)
            if entry.key in cited
        }
    finally:
        source.close()


def _lists(main: Path) -> Iterator[str]:
    """Yield the content of the .bbl files in the document's folder, its own before others."""
    if main.is_file():
        files = sorted(
            main.resolve().parent.glob("*.bbl"),
            key=lambda path: (path.stem != main.stem, path.name),
        )
        for path in files:
            if path.is_file() and path.stat().st_size <= LONGEST_RECORD:
                yield tex_source.without_comments(text_of(path.read_bytes()))


def from_list(text: str) -> Iterator[tuple[str, Raw]]:
    """Yield (key, record) of the items of all lists of references in a text: thebibliography, or
    what biber writes.
    """
    yield from from_biblatex(text)
    for environment in _LIST.finditer(text):
        unclosed = 0
        for item in _ITEM.split(environment[1])[1:]:
            start = _after_label(item)
            key = tex_commands.group(item, start) if unclosed < tex_commands.MAX_UNCLOSED else None
            unclosed += key is None
            if key and key[0].strip():
                yield key[0].strip(), _record(item[key[1] :])


def _after_label(item: str) -> int:
    """Return where an item's optional label ends, 0 without one: 10 for "[Doe{[a]}]{key}"."""
    start = re.match(r"\s*\[", item)
    if not start:
        return 0

    depth = 0
    for match in re.finditer(r"(?<!\\)[{}\]]", item[start.end() : start.end() + 20_000]):
        depth += {"{": 1, "}": -1, "]": 0}[match[0]]
        if match[0] == "]" and depth <= 0:
            return start.end() + match.end()
    return 0


def _record(item: str) -> Raw:
    """Return the raw record of an item.

    BibTeX separates its blocks (authors, title, venue) by commands, REVTeX names its fields.
    """
    item = item[:20_000]
    fields = {
        match[1]: tex_commands.plain_text(group[0], {})
        for match in list(_INFO.finditer(item))[:100]
        if (group := tex_commands.group(item, match.end()))
    }
    links = " ".join(_LINK.findall(item))

    item = _NOISE.sub(" ", item)
    blocks = [tex_commands.plain_text(block, {}) for block in _BLOCK.split(item)]
    guessed = {**printed(" ".join(blocks))}
    guessed["ids"] = {
        name: value or printed(links)["ids"][name] for name, value in guessed["ids"].items()
    }
    if len(blocks) > 1 and not fields.get("title"):
        guessed["title"] = blocks[1].strip(" .,")
        guessed["authors"] = printed(blocks[0])["authors"] or guessed["authors"]

    return {
        **guessed,
        **{name: fields[name] for name in ("title", "year") if fields.get(name)},
        "venue": fields.get("journal") or fields.get("booktitle") or "",
    }
