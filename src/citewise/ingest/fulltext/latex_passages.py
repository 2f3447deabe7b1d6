"""The body of a LaTeX document to passages: what is no running text taken out, citations made
marks.
"""

import re
from collections.abc import Iterator

from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.text import tex_source

_DISPLAY = (
    "equation",
    "align",
    "alignat",
    "flalign",
    "eqnarray",
    "gather",
    "multline",
    "displaymath",
    "math",
    "split",
)
_UNREAD = (
    "tabular",
    "tabularx",
    "tabulary",
    "longtable",
    "deluxetable",
    "array",
    "verbatim",
    "lstlisting",
    "minted",
    "tikzpicture",
    "algorithmic",
    "algorithm",
    "algorithm2e",
    "thebibliography",
    "picture",
    "filecontents",
    "CCSXML",
    "Verbatim",
    "alltt",
    "python",
    "code",
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z0-9]+)\*?\s*\}")
_MATH = re.compile(r"\\\[((?:(?!\\\[).){0,5000}?)\\\]|\$\$([^$]{0,5000})\$\$", re.DOTALL)
_STOPPED = re.compile(
    r"\.[\s{}]*(?:\\(?:label|tag)\s*\{[^{}]*\}[\s{}]*|\\\\[\s{}]*|\\end\s*\{[a-z]+\*?\}[\s{}]*)*$"
)
_ARGUMENT = r"\*?\s*+(?:\[[^][]*\])?\s*+(?=\{)"
_MOVED = re.compile(
    rf"[~\s]{{0,20}}\\(?:caption|footnote(?:text)?|tablecomments|thanks|figcaption){_ARGUMENT}"
)
_REMOVED = re.compile(
    r"\\(?:author|title|affil(?:iation)?|altaffil(?:iation|text)?|address|email|institute|date|keywords|icmltitle|bibliography"
    r"|bibliographystyle|correspondingauthor|titlerunning|authorrunning|shorttitle|shortauthors|journalinfo|submitted"
    rf"|[vh]space|setlength|setcounter|newtheorem|pagestyle|thispagestyle){_ARGUMENT}"
)
_REFERENCE = re.compile(r"\\(?:eq|auto|[cC]|page|v|name|sub|nice)?ref\*?\s*\{[^{}]*\}")
_HEADING = re.compile(rf"\\(?:part|chapter|(?:sub){{0,2}}section|(?:sub)?paragraph){_ARGUMENT}")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\*?\}|\\abstract\s*(?=\{)")
_ABSTRACT_END = re.compile(r"\\end\s*\{abstract\*?\}")
_BREAK = re.compile(
    r"\n[ \t]*\n\s*|\\item\b\s*(?:\[[^][]*\])?"
    r"|\\(?:begin|end)\s*\{\s*(?:itemize|enumerate|description|quote|quotation|center|figure|table|wrapfigure|theorem|proof"
    r"|lemma|definition|remark)\*?\s*\}(?:\s*\[[^][]*\])?"
    r"|\\(?:par|maketitle|newpage|clearpage|noindent|bigskip|medskip|smallskip)(?![A-Za-z])"
)
_MARK = re.compile(r"\ue000(\d+)\ue001")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")


def passages(body: str) -> Iterator[Passage]:
    """Yield the passages of a document's body; a footnote or a caption follows the paragraph in
    which it stands.
    """
    text = _without_environments(_PRIVATE.sub("", body))
    text = _MATH.sub(lambda match: _formula(match[1] or match[2] or ""), text)
    text = _REFERENCE.sub("REF", _without(text, _REMOVED))
    for section, part in _sections(text):
        for paragraph in _BREAK.split(part):
            main, moved = _moved(paragraph)
            for piece in (main, *moved):
                passage = _passage(piece, section)
                if passage.text:
                    yield passage


def _formula(content: str) -> str:
    """Return what stands for a formula of its own lines: the full stop that may end it."""
    return ". " if _STOPPED.search(content) else " "


def _without_environments(text: str) -> str:
    """Take out tables, listings and formulas; what an environment that never ends holds stays."""
    parts: list[str] = []
    at, name, start, inner, depth = 0, "", 0, 0, 0
    for match in _ENVIRONMENT.finditer(text):
        if not name and match[1] == "begin" and match[2] in (*_DISPLAY, *_UNREAD):
            name, start, inner, depth = match[2], match.start(), match.end(), 1
        elif match[2] == name:
            depth += 1 if match[1] == "begin" else -1
            if depth == 0:
                shown = _formula(text[inner : match.start()]) if name in _DISPLAY else " "
                parts += [text[at:start], shown]
                at, name = match.end(), ""
    return "".join([*parts, text[at:]])


def _without(text: str, command: re.Pattern[str]) -> str:
    """Remove commands with their argument."""
    return "".join(piece for piece, _ in tex_source.cut(text, command))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, text below it)."""
    section = ""
    text = _ABSTRACT_END.sub(r"\\section{}", _ABSTRACT.sub(r"\\section{Abstract} ", text))
    for part, heading in tex_source.cut(text, _HEADING):
        yield section, part
        section = tex_source.plain_text(heading[:500], {})


def _moved(paragraph: str) -> tuple[str, list[str]]:
    """Return a paragraph without its notes and captions, and these."""
    cut = list(tex_source.cut(paragraph, _MOVED))
    return "".join(piece for piece, _ in cut), [argument for _, argument in cut if argument]


def _passage(piece: str, section: str) -> Passage:
    with_places, cited = _with_places(piece)
    text = tex_source.plain_text(with_places, {})
    writer, at = PassageWriter(), 0
    for match in _MARK.finditer(text):
        keys = cited[int(match[1])]
        writer.add(text[at : match.start()])
        writer.mark(f"[{', '.join(keys)}]", keys)
        at = match.end()
    writer.add(text[at:])
    return writer.passage(section)


def _with_places(piece: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return LaTeX with a place holder for each citation, which conversion leaves alone, and what
    is cited there.
    """
    parts: list[str] = []
    cited: list[tuple[str, ...]] = []
    at = 0
    for start, end, name, keys in tex_source.citations(piece):
        parts.append(piece[at:start])
        if keys and name != "nocite":
            parts.append(f"\ue000{len(cited)}\ue001")
            cited.append(keys)
        at = end
    return "".join([*parts, piece[at:]]), cited
