"""Raw records to papers: the one room where fields that lie are repaired or refused, each with a
reason.
"""

import datetime
import functools
import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from citewise.ingest.report import Report, SourceLocation
from citewise.text import ids
from citewise.types import Paper

LONGEST_TITLE = 1_000
LONGEST_ABSTRACT = 20_000
MOST_AUTHORS = 5_000
MOST_REFERENCES = 20_000
FIRST_YEAR = 1450
"""No paper is older than the printing press."""

KINDS = (
    "article",
    "inproceedings",
    "book",
    "chapter",
    "thesis",
    "report",
    "preprint",
    "dataset",
    "software",
)
DETAILS = ("volume", "number", "pages", "publisher", "url", "note")

Raw = Mapping[str, Any]
"""A record as its format gave it. Keys: id, title, abstract, year, authors, venue, ids (a mapping
of scheme to value), references, fields, date, kind, details; any may be absent, None or of a wrong
type.
"""

_TEXTS = ("title", "id", "abstract", "venue", "date")
_Text = Callable[[Any, list[str]], str]
_EMPTY_ABSTRACT = re.compile(
    r"(?:n/?a|none|null|nil|unknown|tbd|missing|[-–—.…?]+|no abstract(?: (?:is )?available)?"
    r"|\[?abstract (?:not|un)[- ]?available\]?|not available|abstract)\.?",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_PRINTABLE = bytes(range(32, 127))
_TAG = re.compile(
    r"</?(?:jats:)?(?:p|i|b|em|strong|sub|sup|italic|bold|sc|title|sec|scp|inline-formula|span|br)"
    r"(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ABSTRACT_LABEL = re.compile(r"(?i:abstract)[:.]?\s+(?=[A-Z])")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def raw_paper(paper: Paper) -> dict[str, Any]:
    """Return a paper made in Python, or by a reader of full texts, as a record to be cleaned."""
    return {field.name: getattr(paper, field.name) for field in fields(paper)}


class Cleaner:
    """Turns raw records into papers and notes in the report whatever it had to repair or to skip."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._last_year = datetime.date.today().year + 1

    def paper(self, raw: Raw, place: SourceLocation) -> Paper | None:
        """Return the paper, or None where the record is none; a record with an id but without a
        title is a patch.
        """
        repairs: list[str] = []
        text = _stripped if _all_clean(raw) else _text
        title = _title(text(raw.get("title"), repairs), repairs)
        keys = _keys(raw.get("ids"))
        own = text(raw.get("id"), repairs)[: ids.LONGEST_KEY]
        own = ids.key(own) if own else _first_key(keys, title)
        if not own:
            self.report.note("skipped", "no_id_no_title", place)
            return None
        if not (title[:1].isalnum() or any(character.isalnum() for character in title)):
            title = ""
        year, date = self._dated(raw.get("year"), raw.get("date"), text, repairs)
        kind = raw.get("kind")
        paper = Paper(
            id=own,
            title=title,
            abstract=_abstract(text(raw.get("abstract"), repairs), title, repairs),
            year=year,
            authors=_names(raw.get("authors"), text, repairs),
            venue=text(raw.get("venue"), repairs)[:300],
            ids=tuple([name for name in keys if name != own]),
            references=_references(raw.get("references"), {own, *keys}, repairs),
            fields=_strings(raw.get("fields"))[:50],
            date=date,
            kind=kind if kind and kind in KINDS else "",
            details=_details(raw.get("details")),
        )
        for reason in dict.fromkeys(repairs):
            self.report.note("repaired", reason, place, own)
        return paper

    def year_and_date(self, year: Any, date: Any, repairs: list[str]) -> tuple[int | None, str]:
        """Return a year, taken from the date if need be, and the date if it is one and of that
        year.
        """
        return self._dated(year, date, _text, repairs)

    def _dated(
        self, year: Any, date: Any, text: _Text, repairs: list[str]
    ) -> tuple[int | None, str]:
        known, written = self._year(year, repairs), text(date, repairs)
        if not written or not _DATE.fullmatch(written):
            return known, ""
        if known is None:
            known = self._year(written[:4], repairs)
        return known, written if known and written.startswith(str(known)) else ""

    def _year(self, value: Any, repairs: list[str]) -> int | None:
        if type(value) is int and FIRST_YEAR <= value <= self._last_year:
            return value
        if value is None or value == "":
            return None
        found = (
            _YEAR.search(str(value))
            if not isinstance(value, int) or isinstance(value, bool)
            else None
        )
        year = int(found[1]) if found else value
        if (
            isinstance(year, int)
            and not isinstance(year, bool)
            and FIRST_YEAR <= year <= self._last_year
        ):
            return year
        repairs.append("bad_year")
        return None


def clean_line(value: Any) -> str:
    """Return a string field as one clean line, "" where it is none; repairs are not reported."""
    return _text(value, [])


def without_control(text: str) -> str:
    """Return a text with a space in the place of each character that cannot be shown."""
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def _all_clean(raw: Raw) -> bool:
    """Whether there is nothing to repair in any text of a record: one look at all is faster than a
    look at each.
    """
    authors = raw.get("authors") or []
    if not isinstance(authors, (list, tuple)) or len(authors) > MOST_AUTHORS:
        return False
    try:
        return _is_clean(
            "|".join([value for value in map(raw.get, _TEXTS) if value is not None] + [*authors])
        )
    except TypeError:  # one is no string
        return False


def _stripped(value: Any, repairs: list[str]) -> str:
    """Return a string field that is known to be clean as `_text` does."""
    text: str = value.strip() if value else ""
    return text


def _title(title: str, repairs: list[str]) -> str:
    if len(title) > LONGEST_TITLE:
        repairs.append("title_cut")
        title = title[:LONGEST_TITLE].rsplit(" ", 1)[0]
    return title


def _text(value: Any, repairs: list[str]) -> str:
    """Return a string field as one clean line."""
    if not isinstance(value, str):
        if value is None:
            return ""
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            repairs.append("field_of_wrong_type")
            return ""
        value = str(value)
    text: str = value
    return text.strip() if _is_clean(text) else _repaired(text, repairs)


def _is_clean(text: str) -> bool:
    """Whether there is nothing in a text to repair; spelt out, as millions of texts pass here."""
    if "&" in text or "<" in text or "  " in text:
        return False
    if text.isascii():
        return not text.encode().translate(None, _PRINTABLE)  # twice as fast as isprintable
    return text.isprintable() and "\ufffd" not in text


def _repaired(value: str, repairs: list[str]) -> str:
    """Return a text without control characters, broken bytes, entities and tags, its white space
    folded.
    """
    if "&" in value:
        value = html.unescape(value)  # first, for it may bring in what the next steps repair
    if _CONTROL.search(value):
        repairs.append("control_characters")
        value = _CONTROL.sub(" ", value)
    if "\ufffd" in value:
        repairs.append("broken_encoding")
        value = value.replace("\ufffd", " ")
    if "<" in value:
        value = _TAG.sub("", value)
    return " ".join(value.split())


def _abstract(abstract: str, title: str, repairs: list[str]) -> str:
    if not abstract:
        return ""
    if abstract[:8].lower() == "abstract":
        abstract = _ABSTRACT_LABEL.sub("", abstract, count=1)
    if (len(abstract) < 40 and _EMPTY_ABSTRACT.fullmatch(abstract)) or abstract == title:
        repairs.append("empty_abstract")
        return ""
    if len(abstract) > LONGEST_ABSTRACT:
        repairs.append("abstract_cut")
        abstract = abstract[:LONGEST_ABSTRACT].rsplit(" ", 1)[0]
    return abstract


def _strings(value: Any) -> tuple[str, ...]:
    if not value or not isinstance(value, (list, tuple)):
        return ()
    return tuple(dict.fromkeys([_label(item) for item in value if item and isinstance(item, str)]))


@functools.lru_cache(maxsize=1 << 12)
def _label(text: str) -> str:
    return " ".join(text.split())[:300]


def _names(value: Any, text: _Text, repairs: list[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"\s*;\s*|\s+and\s+", value)
    if not value:
        return ()
    if not isinstance(value, (list, tuple)):
        repairs.append("field_of_wrong_type")
        return ()
    given = [_name(item) if isinstance(item, dict) else item for item in value]
    names = tuple([name for item in given if (name := text(item, repairs)[:200])])
    if len(names) > MOST_AUTHORS:
        repairs.append("authors_cut")
    return names[:MOST_AUTHORS]


def _name(author: dict[str, Any]) -> Any:
    """Return the name in an author given as {"name": ...} / {"given": ..., "family": ...}."""
    whole = author.get("name") or author.get("literal")
    return whole or " ".join(
        str(author[part]) for part in ("given", "first", "family", "last") if author.get(part)
    )


def _keys(value: Any) -> list[str]:
    """Return the keys in a mapping of scheme to id, or in a list of keys."""
    if not value:
        return []
    if isinstance(value, dict):
        pairs = [
            (str(scheme).lower(), item) for scheme, item in value.items() if item and _is_key(item)
        ]
        found = [
            ids.key(str(item), scheme if scheme in ids.SCHEMES else "") for scheme, item in pairs
        ]
    else:
        found = (
            [ids.key(item) for item in value if isinstance(item, str) and item.strip()]
            if isinstance(value, (list, tuple))
            else []
        )
    return [name for name in dict.fromkeys(found) if name and len(name) <= ids.LONGEST_KEY]


def _is_key(item: Any) -> bool:
    return isinstance(item, str | int) and not isinstance(item, bool)


def _first_key(keys: list[str], title: str) -> str:
    """Return an identity for a record without an id: its best key, else its title's letters."""
    for scheme in ids.SCHEMES:
        for name in keys:
            if ids.scheme_of(name) == scheme:
                return name
    return (
        keys[0] if keys else (f"title:{ids.title_key(title)[:200]}" if ids.title_key(title) else "")
    )


def _references(value: Any, own: set[str], repairs: list[str]) -> tuple[str, ...]:
    if not value:
        return ()
    if not isinstance(value, (list, tuple)):
        repairs.append("field_of_wrong_type")
        return ()
    plain = set(map(type, value)) == {str} and max(map(len, value)) <= ids.LONGEST_KEY
    found = dict.fromkeys(map(ids.key, value if plain else _plain_keys(value, repairs)))
    if "" in found:
        repairs.append("bad_reference")
    if not own.isdisjoint(found):
        repairs.append("reference_to_itself")
    kept = [name for name in found if name and name not in own]
    if len(kept) > MOST_REFERENCES:
        repairs.append("references_cut")
    return tuple(kept[:MOST_REFERENCES])


def _plain_keys(value: Iterable[Any], repairs: list[str]) -> Iterable[str]:
    for item in value:
        if isinstance(item, int) and not isinstance(item, bool):
            yield str(item)
        elif isinstance(item, str) and len(item) <= ids.LONGEST_KEY:
            yield item
        else:
            repairs.append("bad_reference")


def _details(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    cleaned = {name: _text(value.get(name), [])[:500] for name in DETAILS}
    return {name: text for name, text in cleaned.items() if text}
