"""Read LaTeX projects: the main file, the files it includes, and its bibliography."""

import re
from collections.abc import Iterator
from pathlib import Path

from citewise.ingest.clean import Raw
from citewise.ingest.document import Document
from citewise.ingest.fulltext.assemble import assembled
from citewise.ingest.fulltext.latex_passages import passages
from citewise.ingest.fulltext.latex_references import references
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import Source, content_of
from citewise.text import tex_commands, tex_source
from citewise.text.encoding import text_of, with_plain_line_ends
from citewise.text.latex_front import latex_front

NAME = "latex"

_HEAD = re.compile(
    rb"^[^%\n]*\\document(?:class|style)\b"
    rb"|^[ \t]*\\(?:begin\s*\{|(?:sub)*section|chapter|paragraph|input|include"
    rb"|(?:re)?newcommand|bibitem|usepackage|item\b)",
    re.MULTILINE,
)
_ARXIV = re.compile(r"(?:^|arxiv[-_: ]?)(\d{4}\.\d{4,5})(?:v\d+)?$", re.IGNORECASE)


def detects(head: bytes) -> bool:
    """Return whether the source looks like LaTeX, a whole document or a part of one."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"[", b"<")
        and _HEAD.search(head) is not None
    )


def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
    """Yield (1, the document); a file that is only part of a document is reported and skipped."""
    location = SourceLocation(source.name, 1)
    whole = _text(source, report)
    if whole is None:
        return
    if not tex_source.BEGIN_DOCUMENT.search(whole):
        report.note("skipped", "part_of_a_latex_project", location, detail="no \\begin{document}")
        return

    text, commands = tex_commands.split_commands(whole)
    expanded = tex_commands.expanded_pieces(tex_source.body_of(text), commands)
    entries = references(Path(source.name), text, expanded, report)

    document = assembled(_paper(whole, source), passages(expanded), entries, location, report)
    if document is not None:
        yield 1, document


def _text(source: Source, report: Report) -> str | None:
    """Return a document without comments, and with its included files unless it is compressed.

    None, and a report, where it is damaged.
    """
    path = Path(source.name)
    if path.is_file() and path.suffix.lower() not in (".gz", ".xz", ".zst"):
        return tex_source.read_document(path)
    content = content_of(source, report)
    return tex_source.without_comments(text_of(content)) if content is not None else None


def _paper(whole: str, source: Source) -> Raw:
    """Return the raw record of the paper; an arXiv id in its file's name gives the date, too."""
    path = Path(source.name)
    arxiv = _ARXIV.search(path.parent.name) or _ARXIV.search(path.stem)
    date = f"20{arxiv[1][:2]}-{arxiv[1][2:4]}" if arxiv else ""
    front = latex_front(with_plain_line_ends(whole))

    return {
        "title": front.title,
        "abstract": front.abstract,
        "authors": list(front.authors),
        "ids": {"arxiv": arxiv[1]} if arxiv else {},
        "year": date[:4] or None,
        "date": date,
    }
