"""Read BibTeX entries one at a time, with macros and cross-references resolved.

Macros and parents may stand in any .bib file of the import, before or after their use.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from citewise.errors import CitewiseError
from citewise.ingest.bibtex_inheritance import PARENT_TYPES, inheritable, inheriting
from citewise.ingest.bibtex_syntax import Block, blocks
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import LONGEST_RECORD, Source, open_source
from citewise.ingest.text_lines import text_lines

LONGEST_MACRO = 10_000
"""Characters; without bounds, macros that concatenate macros grow exponentially."""

MOST_MACROS = 20_000
MOST_PARENTS = 50_000
MOST_PENDING = 10_000
LARGEST_PENDING = 1 << 26
"""What is kept for cross-references: parents, and children whose parent has not been read yet, in
number and in characters.
"""

MOST_ANCESTORS = 20
MOST_SHARED = 1 << 26
"""Characters of the import's .bib files that are searched for macros and parents."""

START = re.compile(r"\s*+@\s*+([A-Za-z][\w.+-]*+)[ \t]*+[{(]")
_NOT_PAPERS = ("set", "xdata", "control")
_IGNORED = ("bibnote", "jabref-meta")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@dataclass(frozen=True, slots=True)
class BibEntry:
    """An entry: type and field names in lower case, values as LaTeX without delimiters."""

    line: int
    type: str
    key: str
    fields: dict[str, str]
    inherited: frozenset[str] = frozenset()
    """The fields that its parents gave."""


@dataclass(slots=True)
class Shared:
    """Macros and parents by name, of one file or of all files of an import."""

    macros: dict[str, str] = field(default_factory=dict)
    parents: dict[str, dict[str, str]] = field(default_factory=dict)

    def learn(self, block: Block) -> None:
        """Keep the macros that a block defines, or what its children inherit."""
        if block.type == "string":
            for name, value in block.fields.items():
                if len(self.macros) < MOST_MACROS:
                    self.macros[name] = value[:LONGEST_MACRO]
        elif block.type in PARENT_TYPES and len(self.parents) < MOST_PARENTS:
            whole = block.type == "xdata"
            self.parents.setdefault(block.key.lower(), inheritable(block.fields, whole))


def entries(source: Source, report: Report) -> Iterator[BibEntry]:
    """Yield the entries in the order of the file; those whose parent comes later are at the end."""
    known = Shared({month[:3].lower(): month for month in MONTHS})
    pending: list[BibEntry] = []
    size = 0
    for entry in _entries(source, report, known):
        missing = [name for name in _parents(entry) if name not in known.parents]
        room = len(pending) < MOST_PENDING and size < LARGEST_PENDING
        if missing and room:
            pending.append(entry)
            size += sum(map(len, entry.fields.values()))
        else:
            yield _complete(entry, known)

    for entry in pending:
        missing = [name for name in _parents(entry) if name not in known.parents]
        if missing:
            known.parents.update({name: _shared(source).parents.get(name, {}) for name in missing})
        if any(not known.parents[name] for name in missing):
            location = SourceLocation(source.name, entry.line)
            report.note("repaired", "unknown_crossref", location, entry.key, ", ".join(missing))
        yield _complete(entry, known)


def _parents(entry: BibEntry) -> list[str]:
    """Return the keys of the entries that an entry inherits from, xdata first."""
    names = [*entry.fields.get("xdata", "").split(","), entry.fields.get("crossref", "")]
    keys = (name.strip().lower() for name in names)
    return [key for key in keys if key and key != entry.key.lower()]


def _complete(entry: BibEntry, known: Shared) -> BibEntry:
    """Return an entry with what it inherits from its parents and theirs."""
    fields, depth = entry.fields, 0
    generation, seen = _parents(entry), {entry.key.lower()}
    while generation and len(seen) < MOST_ANCESTORS:
        depth += 1
        seen.update(generation)
        older: list[str] = []
        for name in generation:
            parent = known.parents.get(name, {})
            # To a chapter, the title of its book's series is what it is to the book.
            fields = inheriting(entry.type if depth == 1 else "collection", fields, parent)
            older += _parents(replace(entry, fields=parent))
        generation = [name for name in dict.fromkeys(older) if name not in seen]
    return replace(entry, fields=fields, inherited=frozenset(fields) - frozenset(entry.fields))


def _entries(source: Source, report: Report, known: Shared) -> Iterator[BibEntry]:
    """Yield the entries with macros resolved; what cannot be read is reported."""

    def macro(name: str) -> str | None:
        return known.macros[name] if name in known.macros else _shared(source).macros.get(name)

    for start, text in _chunks(source, report):
        for block in blocks(text, macro):
            line = start + text.count("\n", 0, block.offset)
            location = SourceLocation(source.name, line)
            known.learn(block)

            if block.error:
                detail = f"{block.key}: {block.error}" if block.key else block.error
                report.note("skipped", "malformed_bibtex", location, block.key, detail)
            elif block.type in _NOT_PAPERS:
                report.note("skipped", "not_a_paper", location, block.key, f"@{block.type}")
            elif block.type != "string" and block.type not in _IGNORED:
                _note_repairs(block, report, location)
                yield BibEntry(line, block.type, block.key, block.fields)


def _note_repairs(block: Block, report: Report, location: SourceLocation) -> None:
    for reason, detail in dict(block.repairs).items():
        report.note("repaired", reason, location, block.key, detail)
    if not block.key:
        report.note("repaired", "no_citation_key", location)


def _chunks(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line, text) from each line that starts an entry up to the next such line.

    So an entry that is not closed costs only itself.
    """
    start, size, parts = 1, 0, list[str]()
    for number, line in text_lines(source, report):
        if START.match(line):
            if parts:
                yield start, "\n".join(parts)
            start, size, parts = number, 0, []
        elif not parts and "@" not in line:
            continue

        # Empty lines are left out by `text_lines`; they are put back, so that lines count right.
        gap = number - start - len(parts) if parts else 0
        start = start if parts else number
        parts += ["" for _ in range(min(gap, 1_000))]
        parts.append(line)

        size += len(line) + 1
        if size > LONGEST_RECORD:
            report.note("skipped", "record_too_long", SourceLocation(source.name, start))
            parts = []

    if parts:
        yield start, "\n".join(parts)


def _shared(source: Source) -> Shared:
    """Return the macros and parents of all .bib files of the import; they are searched once, and
    only where a file uses what it does not define.
    """
    found = source.siblings.found.get("bibtex")
    if not isinstance(found, Shared):
        found = source.siblings.found["bibtex"] = Shared()
        _search(source.siblings.files, found)
    return found


def _search(files: tuple[str, ...], found: Shared) -> None:
    """Collect the macros and parents of .bib files; what is wrong with a file is reported when it
    is read.
    """
    left = MOST_SHARED
    for path in files:
        if not path.lower().endswith((".bib", ".bibtex", ".bib.gz")):
            continue
        try:
            source = open_source(path)
        except CitewiseError:
            continue

        try:
            for _, text in _chunks(source, Report()):
                left -= len(text)
                if left < 0:
                    return
                for block in blocks(text, found.macros.get):
                    found.learn(block)
        finally:
            source.close()
