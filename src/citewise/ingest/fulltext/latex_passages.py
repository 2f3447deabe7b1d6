"""Turn the body of a LaTeX document into passages of running text with citation marks."""

import re
from collections.abc import Iterator

from citewise.ingest.fulltext.passages import Passage, PassageWriter
from citewise.text import tex_citations, tex_commands

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
    r"\\(?:author|title|affil(?:iation)?|altaffil(?:iation|text)?|address|email|institute|date"
    r"|keywords|icmltitle|bibliography|bibliographystyle|correspondingauthor|titlerunning"
    r"|authorrunning|shorttitle|shortauthors|journalinfo|submitted"
    rf"|[vh]space|setlength|setcounter|newtheorem|pagestyle|thispagestyle){_ARGUMENT}"
)
_LAYOUT = re.compile(
    r"\\begin\s*\{(?:adjustwidth|minipage|multicols)\*?\}\s*(?:\[[^][]{0,100}\]\s*){0,3}"
    r"(?:\{[^{}]{0,100}\}\s*){0,2}"
)
_REFERENCE = re.compile(r"\\(?:eq|auto|[cC]|page|v|name|sub|nice)?ref\*?\s*\{[^{}]*\}")
_HEADING = re.compile(rf"\\(?:part|chapter|(?:sub){{0,2}}section|(?:sub)?paragraph){_ARGUMENT}")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\*?\}|\\abstract\s*(?=\{)")
_ABSTRACT_END = re.compile(r"\\end\s*\{abstract\*?\}")
_BREAK = re.compile(
    r"\n[ \t]*\n\s*|\\item\b\s*(?:\[[^][]*\])?"
    r"|\\(?:begin|end)\s*\{\s*(?:itemize|enumerate|description|quote|quotation|center|figure"
    r"|table|wrapfigure|theorem|proof|lemma|definition|remark)\*?\s*\}(?:\s*\[[^][]*\])?"
    r"|\\(?:par|maketitle|newpage|clearpage|noindent|bigskip|medskip|smallskip)(?![A-Za-z])"
)
_MARK = re.compile(r"\ue000(\d+)\ue001")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")


def passages(body: str) -> Iterator[Passage]:
    """Yield the passages of a document's body; footnotes and captions follow their paragraph."""
    text = _without_environments(_PRIVATE.sub("", body))
    text = _MATH.sub(lambda match: _formula(match[1] or match[2] or ""), text)
    text = _REFERENCE.sub("REF", _without(_LAYOUT.sub(" ", text), _REMOVED))

    for section, part in _sections(text):
        for paragraph in _BREAK.split(part):
            main, moved = _moved(paragraph)
            for piece in (main, *moved):
                passage = _passage(piece, section)
                if passage.text:
                    yield passage


def _formula(content: str) -> str:
    """Return what replaces a displayed formula: its full stop, if it ends with one, and a space."""
    return ". " if _STOPPED.search(content) else " "


def _without_environments(text: str) -> str:
    """Return LaTeX without tables, listings and formulas; environments without an end stay."""
    parts: list[str] = []
    position, name, start, inner, depth = 0, "", 0, 0, 0
    for match in _ENVIRONMENT.finditer(text):
        if not name and match[1] == "begin" and match[2] in (*_DISPLAY, *_UNREAD):
            name, start, inner, depth = match[2], match.start(), match.end(), 1
        elif match[2] == name:
            depth += 1 if match[1] == "begin" else -1
            if depth == 0:
                shown = _formula(text[inner : match.start()]) if name in _DISPLAY else " "
                parts += [text[position:start], shown]
                position, name = match.end(), ""

    return "".join([*parts, text[position:]])


def _without(text: str, command: re.Pattern[str]) -> str:
    """Return LaTeX without a kind of commands and their arguments."""
    return "".join(piece for piece, _ in tex_commands.cut(text, command))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, text) of each section; the text before the first heading has heading ""."""
    section = ""
    text = _ABSTRACT_END.sub(r"\\section{}", _ABSTRACT.sub(r"\\section{Abstract} ", text))
    for part, heading in tex_commands.cut(text, _HEADING):
        yield section, part
        section = tex_commands.plain_text(heading[:500], {})


def _moved(paragraph: str) -> tuple[str, list[str]]:
    """Return a paragraph without its footnotes and captions, and a list of these."""
    cut = list(tex_commands.cut(paragraph, _MOVED))
    return "".join(piece for piece, _ in cut), [argument for _, argument in cut if argument]


def _passage(piece: str, section: str) -> Passage:
    """Return a piece of LaTeX as a passage, in which citations are printed as "[key1, key2]"."""
    with_placeholders, cited = _with_placeholders(piece)
    text = tex_commands.plain_text(tex_commands.closed(with_placeholders), {})

    writer, position = PassageWriter(), 0
    for match in _MARK.finditer(text):
        keys = cited[int(match[1])]
        writer.add(text[position : match.start()])
        writer.mark(f"[{', '.join(keys)}]", keys)
        position = match.end()
    writer.add(text[position:])
    return writer.passage(section)


def _with_placeholders(piece: str) -> tuple[str, list[tuple[str, ...]]]:
    """Return LaTeX with a placeholder for each citation, and the keys cited there.

    Placeholder n is U+E000, the number n, U+E001, which the conversion to text leaves unchanged.
    """
    parts: list[str] = []
    cited: list[tuple[str, ...]] = []
    position = 0
    for start, end, name, keys in tex_citations.citations(piece):
        parts.append(piece[position:start])
        if keys and name != "nocite":
            parts.append(f"\ue000{len(cited)}\ue001")
            cited.append(keys)
        position = end

    return "".join([*parts, piece[position:]]), cited
