"""Turn raw records into papers: the one module where bad fields are repaired or dropped."""

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
"""Characters."""

LONGEST_VENUE = 300
LONGEST_NAME = 200
LONGEST_FIELD = 300
"""Characters of a venue, of an author's name, and of a field of study or key phrase."""

MOST_AUTHORS = 5_000
MOST_FIELDS = 50
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
MOST_DETAILS = 100
LONGEST_DETAIL = 20_000
"""Details of a paper, and characters of each."""

Raw = Mapping[str, Any]
"""A record as read from its format.

Keys: id, title, abstract, year, authors, venue, ids (a mapping of scheme to value), references,
fields, key_phrases, date, kind, details; any may be absent, None or of a wrong type.
"""

_TEXTS = ("title", "id", "abstract", "venue", "date")
_Text = Callable[[Any, list[str]], str]
"""Returns a string field as one clean line, and adds the reasons of repairs to a list."""

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
    """Return a paper as a raw record, to be cleaned."""
    return {field.name: getattr(paper, field.name) for field in fields(paper)}


class Cleaner:
    """Turns raw records into papers, and reports what it repairs or skips."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.last_year = datetime.date.today().year + 1

    def paper(self, raw: Raw, location: SourceLocation) -> Paper | None:
        """Return the paper of a record, or None where it has neither an id nor a title.

        A paper with an id but without a title is a patch: the library merges it into that paper.
        """
        repairs: list[str] = []
        text = _stripped if _all_clean(raw) else _text

        title = _title(text(raw.get("title"), repairs), repairs)
        keys = _keys(raw.get("ids"))
        own = text(raw.get("id"), repairs)[: ids.LONGEST_KEY]
        own = ids.key(own) if own else _first_key(keys, title)
        if not own:
            self.report.note("skipped", "no_id_no_title", location)
            return None
        if not (title[:1].isalnum() or any(character.isalnum() for character in title)):
            title = ""

        year, date = self._dated(raw.get("year"), raw.get("date"), text, repairs)
        kind = raw.get("kind")
        paper = Paper(
            id=own,
            title=title,
            abstract=kept_abstract(text(raw.get("abstract"), repairs), title, repairs),
            year=year,
            authors=_names(raw.get("authors"), text, repairs),
            venue=text(raw.get("venue"), repairs)[:LONGEST_VENUE],
            ids=tuple([name for name in keys if name != own]),
            references=kept_references(raw.get("references"), {own, *keys}, repairs),
            fields=_strings(raw.get("fields"))[:MOST_FIELDS],
            date=date,
            kind=kind if kind and kind in KINDS else "",
            details=_details(raw.get("details"), repairs),
            key_phrases=_strings(raw.get("key_phrases"))[:MOST_FIELDS],
        )

        for reason in dict.fromkeys(repairs):
            self.report.note("repaired", reason, location, own)
        return paper

    def year_and_date(self, year: Any, date: Any, repairs: list[str]) -> tuple[int | None, str]:
        """Return the year, taken from the date if need be, and the date; "" if it does not fit."""
        return self._dated(year, date, _text, repairs)

    def _dated(
        self, year: Any, date: Any, text: _Text, repairs: list[str]
    ) -> tuple[int | None, str]:
        """Return the same as `year_and_date`, with `text` to clean the date."""
        known, written = self._year(year, repairs), text(date, repairs)
        if not written or not _DATE.fullmatch(written):
            return known, ""
        if known is None:
            known = self._year(written[:4], repairs)
        return known, written if known and written.startswith(str(known)) else ""

    def _year(self, value: Any, repairs: list[str]) -> int | None:
        """Return a year that is a number or in a text, or None; a year out of range is a repair."""
        if type(value) is int and FIRST_YEAR <= value <= self.last_year:
            return value
        if value is None or value == "":
            return None

        is_number = isinstance(value, int) and not isinstance(value, bool)
        match = None if is_number else _YEAR.search(str(value))
        year: int = value if is_number else int(match[1]) if match else 0
        if FIRST_YEAR <= year <= self.last_year:
            return year

        repairs.append("bad_year")
        return None


def clean_line(value: Any) -> str:
    """Return a string field as one clean line, "" for another type; repairs are not reported."""
    return _text(value, [])


def without_control(text: str) -> str:
    """Return a text with a space instead of each character that cannot be shown."""
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def _all_clean(raw: Raw) -> bool:
    """Return whether no text of a record needs a repair.

    One look at all texts, joined, is faster than a look at each.
    """
    authors = raw.get("authors") or []
    if not isinstance(authors, (list, tuple)) or len(authors) > MOST_AUTHORS:
        return False

    texts = [value for value in map(raw.get, _TEXTS) if value is not None]
    try:
        return is_clean("|".join([*texts, *authors]))
    except TypeError:  # one is no string
        return False


def _stripped(value: Any, repairs: list[str]) -> str:
    """Return what `_text` does for a string field that is known to be clean."""
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
    return text.strip() if is_clean(text) else _repaired(text, repairs)


def is_clean(text: str) -> bool:
    """Return whether a text needs no repair; written for speed, as it sees millions of texts."""
    if "&" in text or "<" in text or "  " in text:
        return False
    if text.isascii():
        return not text.encode().translate(None, _PRINTABLE)  # twice as fast as isprintable
    return text.isprintable() and "\ufffd" not in text


def _repaired(value: str, repairs: list[str]) -> str:
    """Return a text without control characters, broken bytes, entities, tags and double spaces."""
    # Entities come first: they may be characters that the next steps repair.
    if "&" in value:
        value = html.unescape(value)

    if _CONTROL.search(value):
        repairs.append("control_characters")
        value = _CONTROL.sub(" ", value)
    if "\ufffd" in value:
        repairs.append("broken_encoding")
        value = value.replace("\ufffd", " ")
    if "<" in value:
        value = _TAG.sub("", value)

    return " ".join(value.split())


def kept_abstract(abstract: str, title: str, repairs: list[str]) -> str:
    """Return an abstract without its label, cut to length; "" for "n/a" and similar texts."""
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
    """Return the distinct strings in a list, () for another type."""
    if not value or not isinstance(value, (list, tuple)):
        return ()
    return tuple(dict.fromkeys([_label(item) for item in value if item and isinstance(item, str)]))


@functools.lru_cache(maxsize=1 << 12)
def _label(text: str) -> str:
    return " ".join(text.split())[:LONGEST_FIELD]


def _names(value: Any, text: _Text, repairs: list[str]) -> tuple[str, ...]:
    """Return the authors in a list, or in a string with ";" or "and" between them."""
    if isinstance(value, str):
        value = re.split(r"\s*;\s*|\s+and\s+", value)
    if not value:
        return ()
    if not isinstance(value, (list, tuple)):
        repairs.append("field_of_wrong_type")
        return ()

    if text is _stripped:  # all are strings
        names = tuple([name for item in value if (name := item.strip()[:LONGEST_NAME])])
    else:
        given = [_name(item) if isinstance(item, dict) else item for item in value]
        names = tuple([name for item in given if (name := text(item, repairs)[:LONGEST_NAME])])
    if len(names) > MOST_AUTHORS:
        repairs.append("authors_cut")
    return names[:MOST_AUTHORS]


def _name(author: dict[str, Any]) -> Any:
    """Return the name of an author given as {"name": ...} or {"given": ..., "family": ...}."""
    whole = author.get("name") or author.get("literal")
    return whole or " ".join(
        str(author[part]) for part in ("given", "first", "family", "last") if author.get(part)
    )


def _keys(value: Any) -> list[str]:
    """Return the keys in a mapping of scheme to id, or in a list of keys."""
    if not value:
        return []

    keys: list[str] = []
    if isinstance(value, dict):
        pairs = [
            (str(scheme).lower(), item) for scheme, item in value.items() if item and _is_key(item)
        ]
        keys = [
            ids.key(str(item), scheme if scheme in ids.SCHEMES else "") for scheme, item in pairs
        ]
    elif isinstance(value, (list, tuple)):
        keys = [ids.key(item) for item in value if isinstance(item, str) and item.strip()]

    return [name for name in dict.fromkeys(keys) if name and len(name) <= ids.LONGEST_KEY]


def _is_key(item: Any) -> bool:
    return isinstance(item, str | int) and not isinstance(item, bool)


def _first_key(keys: list[str], title: str) -> str:
    """Return an identity for a record without an id: its best key, else its title's letters."""
    for scheme in ids.SCHEMES:
        for name in keys:
            if ids.scheme_of(name) == scheme:
                return name

    if keys:
        return keys[0]
    letters = ids.title_key(title)
    return f"title:{letters[:200]}" if letters else ""


def kept_references(value: Any, own: set[str], repairs: list[str]) -> tuple[str, ...]:
    """Return the distinct keys in a list of references, without the paper's own keys."""
    if not value:
        return ()
    if not isinstance(value, (list, tuple)):
        repairs.append("field_of_wrong_type")
        return ()

    plain = set(map(type, value)) == {str} and max(map(len, value)) <= ids.LONGEST_KEY
    keys = dict.fromkeys(map(ids.key, value if plain else _plain_keys(value, repairs)))
    if "" in keys:
        repairs.append("bad_reference")
    if not own.isdisjoint(keys):
        repairs.append("reference_to_itself")

    kept = [name for name in keys if name and name not in own]
    if len(kept) > MOST_REFERENCES:
        repairs.append("references_cut")
    return tuple(kept[:MOST_REFERENCES])


def _plain_keys(value: Iterable[Any], repairs: list[str]) -> Iterable[str]:
    """Yield the items that can be keys, as strings."""
    for item in value:
        if isinstance(item, int) and not isinstance(item, bool):
            yield str(item)
        elif isinstance(item, str) and len(item) <= ids.LONGEST_KEY:
            yield item
        else:
            repairs.append("bad_reference")


def _details(value: Any, repairs: list[str]) -> dict[str, str]:
    """Return the details that are texts, in order; what is too much or too long is cut."""
    if not value or not isinstance(value, dict):
        return {}

    details: dict[str, str] = {}
    for name, item in value.items():
        if item is None or item == "" or not isinstance(name, str):
            continue
        text = _text(item, [])
        if len(text) > LONGEST_DETAIL or len(name) > 100 or len(details) >= MOST_DETAILS:
            repairs.append("details_cut")
        if text and len(name) <= 100 and len(details) < MOST_DETAILS:
            details[name] = text[:LONGEST_DETAIL]
    return details
