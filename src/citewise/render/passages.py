"""Write the advice for a passage, sentence by sentence, in any output format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from citewise.drafts.advice import Advice
from citewise.render import BIBLIOGRAPHIES
from citewise.render.json_answers import formatted, recommendations
from citewise.render.markdown import escaped, markdown_item
from citewise.render.quotations import LONGEST, named
from citewise.types import EvidenceSpan, Paper, Recommendation, Understanding

if TYPE_CHECKING:
    from rich.console import RenderableType

_NOTHING = "No paper of the library shares a word with this sentence within these years."


@dataclass(frozen=True, slots=True)
class PassageAnswer:
    """The advice for each sentence of a passage; `to` writes it in any output format."""

    advice: tuple[Advice, ...]
    system: str
    read: Understanding | None = None
    """What was read from the draft around the passage."""

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.advice)

    def __len__(self) -> int:
        return len(self.advice)

    def to(self, format: str) -> str:
        """Return the advice as text; a bibliography lists every paper once."""
        if format in FORMATS:
            return FORMATS[format](self)
        return "".join(each.answer.to(format) for each in self)  # the format of a plug-in

    def papers(self) -> list[Paper]:
        """Return every recommended paper, once."""
        papers = {one.paper.id: one.paper for each in self for one in each.answer}
        return [*papers.values()]


def passage_table(passage: PassageAnswer) -> "RenderableType":
    """Return a table for a terminal: each sentence, its papers, and sentences that cite them."""
    from rich.console import Group
    from rich.text import Text

    from citewise.render.tables import answer_body, chance_note

    parts: list[RenderableType] = []
    for each in passage:
        if len(passage) > 1:
            note = f" ({each.note})" if each.note else ""
            parts.append(Text.assemble((_short(each.sentence.written), "bold"), (note, "yellow")))
        parts.append(answer_body(each.answer) if len(each.answer) else Text(_NOTHING, "dim"))
        parts.append(Text())

    learned_from = {each.answer.calibrated_by for each in passage} - {""}
    parts += [chance_note(source, "sentence") for source in sorted(learned_from)]
    return Group(*parts)


def _as_table(passage: PassageAnswer) -> str:
    from rich.console import Console

    console = Console(width=100, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(passage_table(passage))
    return captured.get()


def _short(text: str) -> str:
    """Return a text, cut where it is too long to show."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _as_json(passage: PassageAnswer) -> str:
    sentences = [
        {
            "sentence": each.sentence.text,
            "written": each.sentence.written,
            "cites": each.sentence.cites,
            "wanted": each.wanted,
            "served_by": asdict(each.answer.served_by),
            "match": each.answer.match,
            "confidence": each.answer.confidence,
            "calibrated_by": each.answer.calibrated_by,
            "recommendations": recommendations(each.answer),
        }
        for each in passage
    ]

    read = {"read": asdict(passage.read)} if passage.read else {}
    return formatted({"system": passage.system, **read, "sentences": sentences})


def _as_markdown(passage: PassageAnswer) -> str:
    return "\n".join("\n".join(_markdown_lines(each)) + "\n" for each in passage)


def _markdown_lines(each: Advice) -> list[str]:
    """Return a sentence as a quotation, then its papers as a numbered list."""
    lines = [f"> {escaped(each.sentence.written)}"]
    lines += [">", f"> *{each.note}*"] if each.note else []
    lines.append("")

    for number, one in enumerate(each.answer, 1):
        lines.append(f"{number}. {markdown_item(one.paper)}")
        lines += _details(one)
    return lines


def _details(one: Recommendation) -> list[str]:
    """Return a paper's reasons and quotations as items below it."""
    reasons = [f"   - {escaped(reason.sentence)}" for reason in one.reasons]
    return [*reasons, *map(_quotation, one.evidence)]


def _quotation(span: EvidenceSpan) -> str:
    """Return a citing sentence as a list item, the words it shares with the query in bold."""
    parts, position = [], 0
    for start, end in span.words:
        plain, bold = escaped(span.text[position:start], False), escaped(span.text[start:end])
        parts += [plain, f"**{bold}**"]
        position = end

    quoted = "".join([*parts, escaped(span.text[position:], False)])
    citing = escaped("; ".join(map(named, span.citing)))
    return f"   - “{' '.join(quoted.split())}” ({citing})"


def _bibliography(write: Callable[[Sequence[Paper]], str]) -> Callable[[PassageAnswer], str]:
    return lambda passage: write(passage.papers())


FORMATS: Mapping[str, Callable[[PassageAnswer], str]] = {
    "table": _as_table,
    "json": _as_json,
    **{name: _bibliography(write) for name, write in BIBLIOGRAPHIES.items()},
    "markdown": _as_markdown,
}
"""The output formats of passages, by name."""
