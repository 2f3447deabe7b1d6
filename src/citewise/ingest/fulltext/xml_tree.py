"""Parse XML safely: no external files, entities or network, bounded in size and depth."""

import html
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, content_of

DEEPEST = 200
"""Levels of elements."""

LARGEST_EXPORT = 128 * 1024 * 1024
"""Bytes of a bibliography in XML."""

_FORBIDDEN = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));",
    re.IGNORECASE,
)
"""Characters that XML does not allow, also by their number; some programs write them anyway."""
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,32};)")

_DECLARES_ENTITIES = "declares entities, which are not expanded"

_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_PROLOGUE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*+"
    rb"<(?:\w+:)?([A-Za-z][\w.-]*)",
    re.DOTALL,
)

Element = Any
"""An element of lxml, which comes without types."""


def root_name(head: bytes) -> str:
    """Return the name, without prefix, of the root element in a source's first bytes, or ""."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        return ""
    prologue = _PROLOGUE.match(head[:20_000])
    return prologue[1].decode() if prologue else ""


def parsed(source: Source, report: Report) -> Element | None:
    """Return the root of a source's XML document.

    None, and a report, where it is malformed, too large or too deep, or declares entities.
    """
    content = _harmless(content_of(source, report), source, report)
    if content is None:
        return None
    try:
        return _checked(_root(content, source.transcoded), source, report)
    except (etree.XMLSyntaxError, ValueError) as error:
        _note_malformed(error, source, report)
        return None


def parsed_export(source: Source, report: Report) -> Element | None:
    """Return the root of a bibliography in XML, which may be larger than a full text.

    Characters that XML does not allow are left out, an "&" that starts no entity is read as it
    is; of malformed XML, what can be read is read, and
    what is wrong reported.
    """
    content = _harmless(content_of(source, report, LARGEST_EXPORT), source, report)
    if content is None:
        return None
    content = _FORBIDDEN.sub(b" ", content)
    escaped = _BARE_AMPERSAND.sub(b"&amp;", content)
    if escaped != content:
        report.note("repaired", "bare_ampersand", SourceLocation(source.name, 1))
    try:
        root = _root(escaped, source.transcoded)
    except (etree.XMLSyntaxError, ValueError) as error:
        _note_malformed(error, source, report)
        root = _root(escaped, source.transcoded, recover=True)
    return _checked(root, source, report) if root is not None else None


def _harmless(content: bytes | None, source: Source, report: Report) -> bytes | None:
    """Return the content; None, and a report, where it declares entities."""
    if content is not None and _ENTITY.search(content):
        _note_entities(source, report)
        return None
    return content


def _note_entities(source: Source, report: Report) -> None:
    location = SourceLocation(source.name, 1)
    report.note("skipped", "xml_entities", location, detail=_DECLARES_ENTITIES)


def _note_malformed(error: Exception, source: Source, report: Report) -> None:
    line = getattr(error, "lineno", None) or 1
    detail = str(error)[:200]
    report.note("skipped", "malformed_xml", SourceLocation(source.name, line), detail=detail)


def _root(content: bytes, transcoded: bool, recover: bool = False) -> Element | None:
    parser = etree.XMLParser(
        encoding="utf-8" if transcoded else None,  # whatever the document declares
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )
    return etree.fromstring(content, parser)


def _checked(root: Element, source: Source, report: Report) -> Element | None:
    """Return a root; None, and a report, where entities are declared or elements nested deep."""
    # In another encoding, the search in the bytes does not see the entities.
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        _note_entities(source, report)
        return None
    if _is_deep(root):
        detail = f"more than {DEEPEST} levels of elements"
        report.note("skipped", "xml_too_deep", SourceLocation(source.name, 1), detail=detail)
        return None
    return root


def _is_deep(root: Element) -> bool:
    """Return whether elements are nested deeper than `DEEPEST`."""
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > DEEPEST:
            return True
    return False


def name_of(element: Element) -> str:
    """Return an element's name without its namespace; "" for an entity, comment or instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element | None, *names: str) -> list[Element]:
    """Return the child elements of the given names."""
    return [child for child in element if name_of(child) in names] if element is not None else []


def descendants(element: Element | None, *names: str) -> list[Element]:
    """Return the elements of the given names inside an element, in document order."""
    if element is None:
        return []
    return [each for each in element.iter() if name_of(each) in names and each is not element]


def first(element: Element | None, *path: str) -> Element | None:
    """Return the element at a path of names, the first child of each name, or None."""
    for name in path:
        element = next(iter(children(element, name)), None)
    return element


def text_of(element: Element | None, *left_out: str) -> str:
    """Return an element's text with single spaces, without elements of the names `left_out`."""
    return " ".join("".join(_texts(element, left_out)).split()) if element is not None else ""


def _texts(element: Element, left_out: tuple[str, ...]) -> Iterator[str]:
    yield own_text(element)
    for child in element:
        if name_of(child) and name_of(child) not in left_out:
            yield from _texts(child, left_out)
        elif not name_of(child):
            yield own_text(child)
        yield child.tail or ""


def own_text(element: Element) -> str:
    """Return the text before an element's first child; for an entity, its character in HTML."""
    text = element.text or ""
    return html.unescape(text) if not name_of(element) else text
