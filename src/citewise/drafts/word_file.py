"""Open a Word document (.docx): its paragraphs with their styles, and the fields in them."""

import base64
import binascii
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from citewise.drafts.embedded import source_of
from citewise.errors import BadInput
from citewise.ingest.fulltext.xml_tree import (
    Element,
    descendants,
    first,
    name_of,
    parsed,
    text_of,
)
from citewise.ingest.report import Report

LARGEST_PART = 30 * 1024 * 1024
"""Bytes of an unpacked part of a document."""

MOST_PARTS = 20_000
MOST_FIELDS = 20_000

_DOCUMENT = "word/document.xml"
_STYLES = "word/styles.xml"
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback", "txbxContent", "instrText", "delText", "pPr"))
"""Elements whose text is not part of a paragraph: deleted text, text boxes, fields."""

_LEVEL = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|заголовок)\s*(\d)?$")
_SPACES = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a Word document."""

    text: str
    raised: str
    """The same without what is set above the line, such as marks of affiliations."""
    style: str
    """The name of its style in lower case, "" for the usual one."""
    level: int = 0
    """From 1 for a heading, 0 for text."""
    in_table: bool = False
    bold: bool = False
    """Whether all of it is bold, as headings without a style are."""


@dataclass(frozen=True, slots=True)
class WordFile:
    """The paragraphs of a document, and the instructions of the fields in it."""

    paragraphs: tuple[Paragraph, ...]
    fields: tuple[str, ...]
    """Such as `ADDIN ZOTERO_ITEM CSL_CITATION {...}`, and the tags of content controls."""


def open_word(content: bytes, name: str) -> WordFile:
    """Return the content of a .docx file, which messages call `name`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_kind(archive, name)
            document = _tree(_part(archive, _main_part(archive), name), name)
            styles = _style_names(archive, name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadInput(f"{name}: not a whole Word document ({error}); save it again") from None

    return WordFile(tuple(_paragraphs(document, styles)), tuple(_fields(document)))


def _check_kind(archive: zipfile.ZipFile, name: str) -> None:
    """Raise BadInput for an archive that is no Word document, with what to do."""
    members = archive.namelist()
    if len(members) > MOST_PARTS:
        raise BadInput(f"{name}: more than {MOST_PARTS} parts are no Word document")
    if "content.xml" in members and "mimetype" in members:
        raise BadInput(f"{name}: this is an OpenDocument file; save it as Word (.docx) first")
    if _main_part(archive) not in members:
        raise BadInput(f"{name}: a zip archive that is no Word document; unpack it first")


def _main_part(archive: zipfile.ZipFile) -> str:
    """Return the name of the part with the text; strict and unusual writers number it."""
    others = (each for each in archive.namelist() if re.fullmatch(r"word/document\d*\.xml", each))
    return _DOCUMENT if _DOCUMENT in archive.namelist() else next(others, _DOCUMENT)


def _part(archive: zipfile.ZipFile, part: str, name: str) -> bytes:
    """Return a part of the document; too large is an error, by what it claims and what it has."""
    with archive.open(part) as stream:
        declared = archive.getinfo(part).file_size
        content = stream.read(LARGEST_PART + 1) if declared <= LARGEST_PART else b""
    if declared > LARGEST_PART or len(content) > LARGEST_PART:
        raise BadInput(f"{name}: its text is larger than {LARGEST_PART >> 20} MB; is it a draft?")
    return content


def _tree(content: bytes, name: str) -> Element:
    report = Report()
    root = parsed(source_of(name, content), report)
    if root is None:
        reasons = ", ".join(str(reason) for _, reason in report.counts) or "malformed"
        raise BadInput(f"{name}: the XML in this Word document cannot be read ({reasons})")
    return root


def _style_names(archive: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Return the names of paragraph styles by their ids, which depend on the language."""
    if _STYLES not in archive.namelist():
        return {}
    styles = descendants(_tree(_part(archive, _STYLES, name), name), "style")
    return {_value(style, "styleId"): _value(first(style, "name")).lower() for style in styles}


def _value(element: Element | None, attribute: str = "val") -> str:
    """Return an attribute of an element, whatever its namespace."""
    if element is None:
        return ""
    values = (value for key, value in element.attrib.items() if key.rpartition("}")[2] == attribute)
    return str(next(values, ""))


def _paragraphs(document: Element, styles: dict[str, str]) -> Iterator[Paragraph]:
    """Yield the paragraphs of the text that are not empty; those of text boxes are left out."""
    for element in descendants(document, "p"):
        above = {name_of(each) for each in element.iterancestors()}
        if above & _LEFT_OUT:
            continue

        pieces = [*_pieces(element)]
        text = "".join(piece for piece, _ in pieces)
        if text.strip():
            style = _value(first(element, "pPr", "pStyle"))
            name = styles.get(style, style).lower()
            without = "".join(piece for piece, raised in pieces if not raised)
            level = _level(element, name)
            in_table, bold = "tbl" in above, _is_bold(element)
            yield Paragraph(_lines(text), _lines(without), name, level, in_table, bold)


def _pieces(paragraph: Element) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a paragraph's runs, and whether each is above the line."""
    for run in descendants(paragraph, "r"):
        above = {name_of(each) for each in run.iterancestors()}
        if above & (_LEFT_OUT - {"txbxContent"}) or _of_inner(run, paragraph):
            continue
        raised = _value(first(run, "rPr", "vertAlign")) == "superscript"
        for child in run:
            if name_of(child) == "t":
                yield child.text or "", raised
            elif name_of(child) in _SPACES:
                yield _SPACES[name_of(child)], raised


def _of_inner(run: Element, paragraph: Element) -> bool:
    """Return whether a run belongs to a paragraph inside this one (in a text box)."""
    nearest = next((each for each in run.iterancestors() if name_of(each) == "p"), None)
    return nearest is not paragraph


def _is_bold(paragraph: Element) -> bool:
    """Return whether every run of a paragraph that has text is bold."""
    runs = [run for run in descendants(paragraph, "r") if text_of(run)]
    marks = [first(run, "rPr", "b") for run in runs]
    return bool(runs) and all(
        mark is not None and _value(mark) not in ("0", "false") for mark in marks
    )


def _level(element: Element, style: str) -> int:
    heading = _LEVEL.match(style)
    if heading:
        return int(heading[1] or 1)
    outline = _value(first(element, "pPr", "outlineLvl"))
    return int(outline) + 1 if outline.isdecimal() and int(outline) < 9 else 0


def _lines(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))


def _fields(document: Element) -> Iterator[str]:
    """Yield the instructions of fields and the tags of content controls, in their order."""
    parts: list[list[str]] = []
    count = 0
    for element in document.iter():
        kind = name_of(element)
        found = ""
        if kind == "fldChar":
            found = _begun_or_ended(element, parts)
        elif kind == "instrText" and parts:
            parts[-1].append(element.text or "")
        elif kind == "fldSimple":
            found = _value(element, "instr")
        elif kind == "tag" and name_of(element.getparent()) == "sdtPr":
            found = _value(element)

        count += bool(found)
        if found and count <= MOST_FIELDS:
            yield found


def _begun_or_ended(mark: Element, parts: list[list[str]]) -> str:
    """Begin a field, or return the instruction of the one that ends; its data counts as part."""
    kind = _value(mark, "fldCharType")
    if kind == "begin":
        parts.append(
            [decoded(mark_data.text or "") for mark_data in mark if name_of(mark_data) == "fldData"]
        )
    elif kind == "end" and parts:
        return "".join(parts.pop())
    return ""


def decoded(data: str) -> str:
    """Return the text of base64 data, "" where it is none."""
    try:
        return base64.b64decode("".join(data.split()) + "==").decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
