"""What to cite for each sentence of a passage, and where a citation seems to be missing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from citewise.drafts.passages import DraftSentence
from citewise.render import BIBLIOGRAPHIES
from citewise.render.documents import formatted, recommendations
from citewise.render.markdown import escaped, markdown_item
from citewise.render.quotations import LONGEST, named
from citewise.types import Answer, EvidenceSpan, Paper, Recommendation

if TYPE_CHECKING:
    from rich.console import RenderableType

NEARLY_THE_SAME = 0.45
"""Similarity of a span to a sentence from which on others are said to cite for the same claim.

Measured on sentences of papers that cite (marks removed) and on sentences of abstracts, which do
not: 21% and 34% of the former are found in two collections, and 9% of the latter are taken for
such.
"""

_NOTHING = "No paper of the library shares a word with this sentence within these years."


@dataclass(frozen=True, slots=True)
class Advice:
    """What to cite for one sentence of a draft."""

    sentence: DraftSentence
    answer: Answer

    @property
    def wanted(self) -> bool:
        """Whether a citation seems needed and is missing: others cite for nearly the same words."""
        spans = (span.score for each in self.answer for span in each.evidence)
        return not self.sentence.cites and max(spans, default=0.0) >= NEARLY_THE_SAME

    @property
    def note(self) -> str:
        """What is said of the sentence beside its papers."""
        if self.sentence.cites:
            return "cites already"
        return "others cite for this, and there is no citation here" if self.wanted else ""


@dataclass(frozen=True, slots=True)
class PassageAnswer:
    """What to cite for the sentences of a passage; `to` writes it in any output format."""

    advice: tuple[Advice, ...]
    system: str

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.advice)

    def __len__(self) -> int:
        return len(self.advice)

    def to(self, format: str) -> str:
        """Return the answers as text; a bibliography lists every paper once."""
        if format in FORMATS:
            return FORMATS[format](self)
        return "".join(each.answer.to(format) for each in self)  # the format of a plug-in

    def papers(self) -> list[Paper]:
        """Return every paper that is recommended, once."""
        found = {one.paper.id: one.paper for each in self for one in each.answer}
        return [*found.values()]


def passage_table(found: PassageAnswer) -> "RenderableType":
    """Return what a terminal shows: each sentence, its papers, and the sentences that cite them."""
    from rich.console import Group
    from rich.text import Text

    from citewise.render.tables import answer_table

    parts: list[RenderableType] = []
    for each in found:
        if len(found) > 1:
            note = f" ({each.note})" if each.note else ""
            parts.append(Text.assemble((_short(each.sentence.written), "bold"), (note, "yellow")))
        parts.append(answer_table(each.answer) if len(each.answer) else Text(_NOTHING, "dim"))
        parts.append(Text())
    return Group(*parts)


def _as_table(found: PassageAnswer) -> str:
    from rich.console import Console

    console = Console(width=100, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(passage_table(found))
    return captured.get()


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _as_json(found: PassageAnswer) -> str:
    sentences = [
        {
            "sentence": each.sentence.text,
            "written": each.sentence.written,
            "cites": each.sentence.cites,
            "wanted": each.wanted,
            "served_by": asdict(each.answer.served_by),
            "recommendations": recommendations(each.answer),
        }
        for each in found
    ]
    return formatted({"system": found.system, "sentences": sentences})


def _as_markdown(found: PassageAnswer) -> str:
    return "\n".join("\n".join(_markdown_lines(each)) + "\n" for each in found)


def _markdown_lines(each: Advice) -> list[str]:
    lines = [f"> {escaped(each.sentence.written)}"]
    lines += [">", f"> *{each.note}*"] if each.note else []
    lines.append("")
    for number, one in enumerate(each.answer, 1):
        lines.append(f"{number}. {markdown_item(one.paper)}")
        lines += _details(one)
    return lines


def _details(one: Recommendation) -> list[str]:
    reasons = [f"   - {escaped(reason.sentence)}" for reason in one.reasons]
    return [*reasons, *map(_quotation, one.evidence)]


def _quotation(span: EvidenceSpan) -> str:
    """Return a sentence as an item below its paper, the shared words in bold."""
    parts, done = [], 0
    for start, end in span.words:
        parts += [escaped(span.text[done:start], False), f"**{escaped(span.text[start:end])}**"]
        done = end
    quoted = "".join([*parts, escaped(span.text[done:], False)])
    citing = escaped("; ".join(map(named, span.citing)))
    return f"   - “{' '.join(quoted.split())}” ({citing})"


def _bibliography(write: Callable[[Sequence[Paper]], str]) -> Callable[[PassageAnswer], str]:
    return lambda found: write(found.papers())


FORMATS: Mapping[str, Callable[[PassageAnswer], str]] = {
    "table": _as_table,
    "json": _as_json,
    **{name: _bibliography(write) for name, write in BIBLIOGRAPHIES.items()},
    "markdown": _as_markdown,
}
"""The output formats of passages, by name."""
