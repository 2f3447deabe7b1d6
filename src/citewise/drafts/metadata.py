"""Read what a draft says of itself in YAML or JSON: front matter, and the files of its project."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import yaml

from citewise.text.encoding import text_of, with_plain_line_ends
from citewise.text.people import named, people
from citewise.text.tex_source import file_at

LARGEST = 256 * 1024
"""Bytes of a block of metadata; a longer one is not read."""

DEEPEST = 60
"""Brackets inside each other."""

MOST_FOLDERS_UP = 3
"""Folders above the draft's in which a project file is looked for."""

BESIDE = ("_metadata.yml", "metadata.yaml", "metadata.yml", "metadata.json")
"""Files of metadata in the draft's own folder: Quarto's, Manubot's and those of journals."""

PROJECT = ("_quarto.yml", "_quarto.yaml")
"""Files of metadata in the draft's folder or one above it."""

Fields = Mapping[str, Any]
"""Metadata by name; every scalar is a string."""

_FRONT_MATTER = re.compile(r"\ufeff?\s*?---[ \t]*\n")
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$", re.DOTALL | re.MULTILINE)
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)", re.MULTILINE)
_QUOTED = re.compile(r"^(['\"])(.*)\1$", re.DOTALL)
_BLOCK_MARK = re.compile(r"^[|>][+-]?\d?\s*\n")
_FIELDS = ("title", "abstract", "author", "description", "bibliography", "references")
"""The fields of a project that its drafts have."""

_AUTHOR_FIELDS = ("author", "authors", "by-author", "creators", "creator")
_PARTS_OF_PROJECTS = ("book", "manuscript", "website", "metadata")
"""Members of project files whose own members count like those of the file."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The fields of a draft, and which files they were read from."""

    fields: Fields
    lost: tuple[str, ...] = ()
    """What could not be read, in words."""

    def text(self, *names: str) -> str:
        """Return the first of some fields that has a text; lists are joined to paragraphs."""
        return next(filter(None, (_text(self.fields.get(name)) for name in names)), "")

    def authors(self) -> tuple[str, ...]:
        """Return the names of the authors; empty where the list is a template's."""
        return named(_names(self.fields.get("author")))

    def bibliographies(self) -> tuple[str, ...]:
        """Return the names of the bibliography files."""
        value = self.fields.get("bibliography")
        values = [*value.values()] if isinstance(value, dict) else value
        names = values if isinstance(values, list) else re.split(r"[,\n]", _text(values))
        return tuple(name for each in names if (name := _text(each).strip(" -\n\"'[]")))


def front_matter(text: str) -> tuple[Metadata, str]:
    """Return the front matter of a text, and the text after it."""
    toml = _TOML.match(text[: 2 * LARGEST])
    if toml:
        return _toml(toml[1]), text[toml.end() :]

    start = _FRONT_MATTER.match(text)
    end = _END.search(text, start.end()) if start else None
    if not start or not end:
        return _title_block(text)
    return parsed(text[start.end() : end.start()], "the front matter"), text[end.end() :]


def _toml(block: str) -> Metadata:
    """Return the fields of a block of TOML."""
    if len(block) > LARGEST or _is_deep(block):
        return Metadata({}, ("the front matter: too large or too deep, so not read",))
    try:
        return Metadata(_unified(tomllib.loads(block)))
    except (tomllib.TOMLDecodeError, RecursionError):
        return Metadata({}, ("the front matter: not valid TOML, so not read",))


def _title_block(text: str) -> tuple[Metadata, str]:
    """Return the fields of pandoc's title block ("% Title", "% Author; Author"), and the rest."""
    lines = text.split("\n", 4)
    block = [line[1:].strip() for line in lines[:3] if line.startswith("%")]
    if not text.startswith("% ") or not block:
        return Metadata({}), text

    names = [name.strip() for name in re.split(r";|\band\b", block[1])] if len(block) > 1 else []
    return Metadata({"title": block[0], "author": names}), "\n".join(lines[len(block) :])


def project_metadata(folder: Path) -> Metadata:
    """Return the metadata in the files of a draft's project, those nearest to it first."""
    fields: dict[str, Any] = {}
    lost: list[str] = []
    for file in _project_files(folder):
        found = _read(file)
        lost += found.lost
        own = _with_parts(found.fields)
        if own.get("bibliography"):
            own["bibliography"] = [
                os.path.relpath(file.parent / name, folder)
                for name in Metadata(own).bibliographies()
            ]
        fields = own | fields
    return Metadata(fields, tuple(lost))


def _project_files(folder: Path) -> Iterator[Path]:
    """Yield the files of metadata in a draft's folder, then the nearest project file above it."""
    yield from filter(None, (file_at(folder, name) for name in BESIDE))
    for place in [folder, *folder.resolve().parents][: MOST_FOLDERS_UP + 1]:
        found = [file for name in PROJECT if (file := file_at(place, name))]
        if found:
            yield found[0]
            return


def _with_parts(fields: Fields) -> dict[str, Any]:
    """Return the fields that a draft can have, with those of a project's book or manuscript."""
    parts = [part for name in _PARTS_OF_PROJECTS if isinstance(part := fields.get(name), dict)]
    known: dict[str, Any] = {}
    for source in (fields, *map(_unified, parts)):
        known |= {name: source[name] for name in _FIELDS if source.get(name) and name not in known}
    return known


def _read(file: Path) -> Metadata:
    """Return the metadata in a file, YAML or JSON."""
    if file.stat().st_size > LARGEST:
        return Metadata({}, (f"{file.name}: too large for metadata, so not read",))

    text = with_plain_line_ends(text_of(file.read_bytes()))
    if file.suffix != ".json":
        return parsed(_END.sub("", text), file.name)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return Metadata({}, (f"{file.name}: not JSON, so not read",))
    return Metadata(_unified(value) if isinstance(value, dict) else {})


def parsed(block: str, name: str) -> Metadata:
    """Return the fields of a YAML block; where it is not valid, each field is read on its own, and
    the ones that cannot be read are named.
    """
    block = block.replace("\t", "    ")
    if len(block) > LARGEST or _is_deep(block):
        return Metadata({}, (f"{name}: too large or too deep for metadata, so not read",))

    value = _loaded(block)
    if isinstance(value, dict):
        return Metadata(_unified(value))
    return _by_field(block, name)


def _unified(fields: Mapping[Any, Any]) -> dict[str, Any]:
    """Return fields with lower-case names, and the authors under one name whatever the tool."""
    known = {str(key).lower(): value for key, value in fields.items()}
    authors = next((known[name] for name in _AUTHOR_FIELDS if known.get(name)), None)
    return known | {"author": authors} if authors else known


def _by_field(block: str, name: str) -> Metadata:
    """Return the fields of a YAML block that is not valid as a whole."""
    starts = [*_FIELD.finditer(block)]
    ends = [match.start() for match in starts[1:]] + [len(block)] * bool(starts)

    fields: dict[str, Any] = {}
    lost = []
    for match, end in zip(starts, ends, strict=True):
        value = _loaded(block[match.start() : end])
        key, source = match[1].lower(), block[match.end() : end]
        if isinstance(value, dict):
            fields[key] = next(iter(value.values()))
        else:
            fields[key] = _QUOTED.sub(r"\2", _BLOCK_MARK.sub("", source.strip()).strip())
            if key in ("author", "authors", "bibliography"):
                lost.append(f"{name}: the field “{match[1]}” is not valid YAML")
    return Metadata(_unified(fields), tuple(lost))


def _loaded(block: str) -> Any:
    """Return the value of a YAML block, every scalar as a string; None where it is not valid."""
    try:
        # the base loader builds strings, lists and dicts only
        return yaml.load(block, yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _is_deep(block: str) -> bool:
    """Return whether brackets are nested too deep, on which YAML parsers take quadratic time."""
    depth = 0
    for bracket in re.findall(r"[][{}]", block):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            return True
    return False


def _text(value: Any, depth: int = 3) -> str:
    """Return a value as text: a string, the paragraphs of a list, the parts of a mapping."""
    if isinstance(value, str | int | float):
        return str(value).strip()
    if isinstance(value, dict):
        value = [value[name] for name in ("text", "main", "plain") if name in value] or [
            *value.values()
        ]
    if isinstance(value, list) and depth:
        return "\n\n".join(filter(None, (_text(each, depth - 1) for each in value[:50])))
    return ""


def _names(value: Any) -> list[str]:
    """Return the names in a field of authors: a line, a list, or a list of mappings."""
    if isinstance(value, str):
        return [*people(value)] or ([value] if len(value.split()) <= 5 else [])
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return []
    return [name for each in value[:1000] for name in _names_of_one(each)]


def _names_of_one(person: Any) -> list[str]:
    """Return the name of an author: a string, or a mapping with a name or with its parts."""
    if isinstance(person, str):
        return [*people(person)] or [person]
    if not isinstance(person, dict):
        return []

    lowered = {
        str(key).lower().replace("_", "").replace("-", ""): each for key, each in person.items()
    }
    name = lowered.get("name") or lowered.get("literal") or lowered.get("fullname")
    if isinstance(name, dict):
        return _names_of_one(name)
    if isinstance(name, str) and name.strip():
        return [name.strip()]

    given = _first(lowered, "given", "givenname", "givennames", "first", "firstname", "forename")
    family = _first(lowered, "family", "familyname", "familynames", "last", "lastname", "surname")
    particle = _first(lowered, "droppingparticle", "nondroppingparticle", "particle")
    if family:
        return [" ".join(filter(None, (given, particle, family)))]

    # "- Jane Doe: {institute: here}"
    only = next(iter(person), "")
    return [str(only)] if len(person) == 1 and people(str(only)) else []


def _first(values: Mapping[str, Any], *names: str) -> str:
    return next((text for name in names if (text := _text(values.get(name)))), "")
