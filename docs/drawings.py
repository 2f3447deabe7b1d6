"""Drawings of the architecture and of a query's life, as SVG for light and dark pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_BLUE, _GREEN, _ORANGE, _VIOLET, _GREY = "#2f6fa8", "#36805a", "#b0662a", "#7d55a0", "#808080"
_LINE = 16
"""Pixels from one line of text to the next."""


@dataclass(frozen=True, slots=True)
class Box:
    """A coloured box with a title and lines of text below it; all numbers are pixels."""

    x: int
    y: int
    width: int
    title: str
    lines: Sequence[str]
    colour: str

    @property
    def height(self) -> int:
        """Return how high it is with all its lines."""
        return 30 + _LINE * len(self.lines)

    def drawn(self) -> str:
        """Return it as SVG."""
        parts = [
            f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{self.height}" rx="6" '
            f'fill="{self.colour}"/>',
            _text(self.x + 12, self.y + 20, self.title, "white", bold=True),
        ]
        for number, line in enumerate(self.lines, 1):
            parts.append(_text(self.x + 12, self.y + 20 + _LINE * number, line, "white"))
        return "\n".join(parts)


def architecture() -> str:
    """Return the layers of the package: each imports only from those below it.

    The stores are the one exception: only `api.py` and `cli/` import a folder on disk.
    """
    layers = [
        ("the command line", ["cli/: words to calls"], _BLUE),
        (
            "laboratory",
            ["evaluate/: splits, leak guard, measures", "train/: what makes models"],
            _BLUE,
        ),
        ("the Python face", ["api.py: what citewise.open returns, and the verbs"], _BLUE),
        ("named systems", ["systems.py: settings to stages, each with its parts"], _BLUE),
        (
            "the composer",
            ["recommend.py: the one place where stages meet", "explain/: reasons for an answer"],
            _VIOLET,
        ),
        (
            "stages, which do not know each other",
            [
                "retrieve/: a query to candidates   ·   expand/: candidates to more candidates",
                "rank/: candidates to a better order   ·   ground.py: answers to evidence",
                "embed/: texts to vectors",
            ],
            _GREEN,
        ),
        (
            "what stages share",
            ["scoring/: one function a formula   ·   spans/: search in citing sentences"],
            _GREEN,
        ),
        (
            "in and out",
            ["drafts/: a file to a query   ·   render/: an answer to text"],
            _ORANGE,
        ),
        (
            "stores, known to all above by protocols.py alone",
            [
                "library/: a folder on disk   ·   memory/: the same promises in memory",
                "papers, graph, terms, lexical, evidence, vectors, models",
            ],
            _ORANGE,
        ),
        ("sources", ["ingest/: one module a format, to papers and citing sentences"], _ORANGE),
        (
            "foundation",
            [
                "types.py: values   ·   protocols.py: promises   ·   signals.py: the catalogue",
                "text/: words, names, LaTeX   ·   arrays.py, errors.py, preferences.py, plugins.py",
            ],
            _GREY,
        ),
    ]
    boxes, y = [], 8
    for title, lines, colour in layers:
        boxes.append(Box(8, y, 664, title, lines, colour))
        y += boxes[-1].height + 8
    return _svg(680, y, "\n".join(box.drawn() for box in boxes))


def life_of_a_query() -> str:
    """Return the steps from a draft to an answer, with the value that each hands on."""
    steps = [
        ("read", ["a draft, a title or a sentence, to a Query", "drafts/"], "Query", _BLUE),
        (
            "scope",
            ["what the query may see: years, hidden papers", "recommend.py"],
            "Query, Scope",
            _VIOLET,
        ),
        ("retrieve", ["each retriever asks its own store", "retrieve/"], "Rankings", _GREEN),
        ("fuse", ["several rankings become one", "scoring/fusion.py"], "Ranking", _VIOLET),
        (
            "expand",
            ["more candidates through citations, seeds, authors", "expand/"],
            "Ranking with signals",
            _GREEN,
        ),
        (
            "rank",
            ["a cascade: each ranker orders the best of those before", "rank/"],
            "Ranking",
            _GREEN,
        ),
        (
            "prefer",
            ["recent, much cited, varied, if asked", "rank/preferring.py"],
            "Ranking",
            _VIOLET,
        ),
        (
            "explain and ground",
            ["reasons, parts of the score, citing sentences, if asked", "explain/, ground.py"],
            "Answer",
            _GREEN,
        ),
        ("render", ["table, JSON, BibTeX, RIS, CSL, Markdown", "render/"], "text", _BLUE),
    ]
    parts, y = [], 8
    for title, lines, value, colour in steps:
        box = Box(8, y, 470, title, lines, colour)
        middle = y + box.height
        parts += [box.drawn(), _text(500, middle + 10, f"→ {value}", _GREY, bold=True)]
        if title != "render":
            parts.append(f'<path d="M243 {middle} v14" stroke="{_GREY}" stroke-width="2"/>')
            parts.append(f'<path d="M238 {middle + 9} l5 7 l5 -7 z" fill="{_GREY}"/>')
        y = middle + 18
    return _svg(680, y, "\n".join(parts))


def _text(x: int, y: int, words: str, colour: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" fill="{colour}"{weight}>{escape(words)}</text>'


def _svg(width: int, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="13">\n{content}\n</svg>\n'
    )
