"""Read a draft in any format: LaTeX, Markdown, plain text, Word, PDF or a Jupyter notebook."""

import re
import sys
from pathlib import Path

from citewise.drafts.draft import Draft
from citewise.drafts.latex import draft_from_latex, prose_paragraphs, read_latex
from citewise.drafts.markdown import draft_from_markdown, read_markdown
from citewise.drafts.markdown_text import paragraphs
from citewise.drafts.metadata import front_matter
from citewise.drafts.notebook import draft_from_notebook, notebook_markdown
from citewise.drafts.pdf import pdf_paragraphs, read_pdf
from citewise.drafts.plain import draft_from_text, split_references
from citewise.drafts.word import read_word, word_paragraphs
from citewise.errors import BadInput, MissingData
from citewise.pdf.pages import START as PDF
from citewise.text import tex_source
from citewise.text.encoding import text_of, with_plain_line_ends

LARGEST_DRAFT = 20 * 1024 * 1024
"""Bytes."""

LARGEST_WITH_FIGURES = 100 * 1024 * 1024
"""Bytes of a Word file, a PDF or a notebook, in which figures are stored."""

KINDS = {
    **dict.fromkeys((".tex", ".ltx", ".latex"), "tex"),
    **dict.fromkeys((".md", ".markdown", ".rmd", ".qmd", ".mdown", ".rmarkdown"), "md"),
    **dict.fromkeys((".txt", ".text"), "txt"),
    **dict.fromkeys((".docx", ".docm", ".dotx"), "docx"),
    ".pdf": "pdf",
    ".ipynb": "ipynb",
}
"""The kind of a draft by the suffix of its file."""

NOT_READ = (".doc", ".odt", ".rtf", ".pages", ".html", ".htm", ".epub")
"""Suffixes of files that people may take for drafts."""

LONGEST_PATH = 1_000
"""Characters."""

_AS_DOCX = "save it as Word (.docx), Markdown or plain text first"
_BINARY = {
    b"\xd0\xcf\x11\xe0": f"a Word file of the old format (.doc); {_AS_DOCX}",
    b"{\\rtf": f"an RTF file; {_AS_DOCX}",
}
_HTML = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_LATEX = re.compile(r"\\(?:documentclass|title\s*[{[]|begin\s*\{(?:abstract|document)\})")
_MARKDOWN = re.compile(
    r"\s*(?:---[ \t]*\n(?:[^\n]*\n){0,500}?\s*title\s*:|#{1,6}\s+\S|[^\n]+\n={3,}[ \t]*\n)"
)
_NOTEBOOK = re.compile(r"\s*\{[^{]{0,500}\"(?:cells|nbformat|worksheets|metadata)\"")


def read_draft(path: str | Path) -> Draft:
    """Return the draft in a file, or on standard input for "-".

    Its kind is recognised by the file's suffix, else by the content. A file with neither a title
    nor any text is an error.
    """
    return checked(unchecked_draft(path), _named(path))


def unchecked_draft(path: str | Path) -> Draft:
    """Return the draft in a file; it may be without title and text."""
    content, name = _content(path), _named(path)
    file = None if str(path) == "-" else Path(path)
    if content.startswith(_ZIP):
        return read_word(content, name)
    if PDF.match(content):
        return read_pdf(content, name)

    text = with_plain_line_ends(_decoded(content, name))
    kind = (KINDS.get(file.suffix.lower()) if file else "") or kind_of(text)
    if kind in ("docx", "pdf"):
        what = "Word document" if kind == "docx" else "PDF"
        raise BadInput(f"{name}: not a {what}, whatever its name says; save it again")
    if file is None or kind == "txt":
        return unchecked_draft_of(text, kind, name)
    if kind == "tex":
        return read_latex(file)
    if kind == "ipynb":
        return draft_from_notebook(text, file.resolve().parent, name)
    return read_markdown(file, text)


def draft_of(text: str, kind: str = "", name: str = "the draft") -> Draft:
    """Return the draft in a text; messages call it `name`, and no file that it names is read.

    `kind` is "txt", "md", "tex" or "ipynb"; without it, the text's kind is recognised. A text with
    nothing to read is an error.
    """
    return checked(unchecked_draft_of(text, kind, name), name)


def unchecked_draft_of(text: str, kind: str = "", name: str = "the draft") -> Draft:
    """Return the draft in a text; it may be without title and text."""
    text = with_plain_line_ends(text)
    kind = kind or kind_of(text)
    if kind == "ipynb":
        return draft_from_notebook(text, None, name)
    if kind == "tex":
        return draft_from_latex(text, None)
    return draft_from_markdown(text, None) if kind == "md" else draft_from_text(text)


def checked(draft: Draft, name: str) -> Draft:
    """Return a draft, or raise BadInput where it has neither a title nor any text."""
    if not draft.title and not draft.abstract:
        raise BadInput(
            f"{name}: neither a title nor an abstract found; give them with --title and --abstract"
        )
    return draft


def paragraphs_of(path: str | Path) -> list[str]:
    """Return the paragraphs of running text in a draft's file ("-": standard input), with their
    citations; headings, code, comments and the list of references are left out.
    """
    content, name = _content(path), _named(path)
    if content.startswith(_ZIP):
        return word_paragraphs(content, name)
    if PDF.match(content):
        return pdf_paragraphs(content, name)

    text = with_plain_line_ends(_decoded(content, name))
    kind = (KINDS.get(Path(path).suffix.lower()) if str(path) != "-" else "") or kind_of(text)
    if kind == "tex":
        whole = text if str(path) == "-" else tex_source.read_document(Path(path))
        return prose_paragraphs(whole)
    if kind == "txt":
        return re.split(r"\n[ \t]*\n", split_references(text)[0])
    _, body = front_matter(notebook_markdown(text, name) if kind == "ipynb" else text)
    return paragraphs(body)


def read_text(path: str | Path) -> str:
    """Return the text of a file as it is, or of standard input for "-"."""
    content, name = _content(path), _named(path)
    if content.startswith(_ZIP):
        return "\n".join(word_paragraphs(content, name))
    if PDF.match(content):
        return "\n".join(pdf_paragraphs(content, name))
    return _decoded(content, name)


def looks_like_path(text: str) -> bool:
    """Return whether a text is surely meant to be a file's name: "drafts/paper.tex", "./notes".

    A mention with a slash or a dot in it ("TCP/IP", "word2vec", "node.js") is none.
    """
    if not text or len(text) > LONGEST_PATH or len(text.split()) != 1:
        return False
    path = Path(text)
    return (
        path.suffix.lower() in {*KINDS, *NOT_READ}
        or text.startswith(("/", "./", "../", "~/"))
        or (len(path.parts) > 1 and path.parent.is_dir())
    )


def kind_of(text: str) -> str:
    """Return what a text looks like: "ipynb", "tex", "md" or "txt"."""
    if _NOTEBOOK.match(text[:2_000]):
        return "ipynb"
    if _LATEX.search(text):
        return "tex"
    return "md" if _MARKDOWN.match(text[:100_000]) else "txt"


def _named(path: str | Path) -> str:
    """Return what messages call a file."""
    return "standard input" if str(path) == "-" else str(path)


def _decoded(content: bytes, name: str) -> str:
    """Return the text of a file; binary formats are an error that says what to do."""
    for start, what in _BINARY.items():
        if content.startswith(start):
            raise BadInput(f"{name}: this is {what}")
    if _HTML.match(content[:1_000]):
        raise BadInput(f"{name}: this is a web page; {_AS_DOCX}")
    return text_of(content)


def _content(path: str | Path) -> bytes:
    """Return the bytes of a file, or of standard input."""
    name = _named(path)
    kind = KINDS.get(Path(path).suffix.lower())
    with_figures = kind in ("docx", "pdf", "ipynb") or str(path) == "-"
    largest = LARGEST_WITH_FIGURES if with_figures else LARGEST_DRAFT
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(largest + 1)
        else:
            with Path(path).open("rb") as stream:
                content = stream.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise MissingData(
            f"{name}: cannot be read ({reason}); give the path of a draft, or - to pipe one in"
        ) from None

    if len(content) > largest:
        raise BadInput(f"{name}: more than {largest >> 20} MB is no draft; is it the right file?")
    return content
