r"""Turn the body of a LaTeX draft into paragraphs of running text that keep their citations."""

import re

from citewise.ingest.fulltext.latex_passages import passages
from citewise.ingest.fulltext.passages import Passage
from citewise.text import tex_commands, tex_source
from citewise.text.encoding import with_plain_line_ends

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")


def prose_paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a LaTeX text as readable text, with citations as `\cite{key}`.

    The preamble, comments, headings, displayed formulas, tables and the bibliography are left out;
    footnotes and captions follow their paragraph. A text without `\begin{document}` is read whole.
    """
    source = tex_source.without_comments(with_plain_line_ends(text))
    body, commands = tex_commands.split_commands(source)
    begin = _BEGIN.search(body)
    end = _END.search(body, begin.end()) if begin else None
    body = body[begin.end() if begin else 0 : end.start() if end else len(body)]

    pieces = tex_commands.pieces(body)
    expanded = "\n\n".join(tex_commands.expanded(piece, commands) for piece in pieces)
    return [_with_commands(passage) for passage in passages(expanded)]


def _with_commands(passage: Passage) -> str:
    r"""Return a passage's text with `\cite{key1,key2}` for each of its citation marks."""
    parts: list[str] = []
    position = 0
    for mark in passage.marks:
        command = rf"\cite{{{','.join(mark.targets)}}}"
        parts += [passage.text[position : mark.start], command]
        position = mark.end
    return "".join([*parts, passage.text[position:]])
