"""Answers for sentences: papers with their evidence, for people and for other programs."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import msgspec
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text

from citewise.passages import Advice
from citewise.render import BIBLIOGRAPHIES, recommended
from citewise.render.markdown import escaped, markdown_item
from citewise.render.quotations import LONGEST, named
from citewise.render.tables import answer
from citewise.types import EvidenceSpan, Paper

_NOTHING = "No paper of the library shares a word with this sentence within these years."


def as_table(found: Sequence[Advice]) -> RenderableType:
    """Return what a terminal shows: each sentence, its papers, and what others say who cite them."""
    return Group(*(part for each in found for part in _parts(each, len(found) > 1)))


def _parts(advice: Advice, several: bool) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if several:
        note = _note(advice)
        parts.append(Text.from_markup(f"[bold]{escape(_short(advice.sentence.written))}[/bold]"
                                      + (f" [yellow]({note})[/yellow]" if note else "")))
    parts.append(answer(advice.answer) if advice.answers else Text(_NOTHING, "dim"))
    return [*parts, Text()]


def _note(advice: Advice) -> str:
    if advice.sentence.cites:
        return "cites already"
    return "others cite for this, and no citation stands here" if advice.wanted else ""


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _as_json(found: Sequence[Advice], system: str) -> str:
    document = {"system": system, "sentences": [
        {"sentence": each.sentence.text, "written": each.sentence.written, "cites": each.sentence.cites,
         "wanted": each.wanted, "served_by": asdict(each.answer.served_by),
         "recommendations": recommended(each.answer)} for each in found]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _as_markdown(found: Sequence[Advice], _: str) -> str:
    return "\n".join(f"> {escaped(each.sentence.written)}\n"
                     + (f">\n> *{_note(each)}*\n" if _note(each) else "") + "\n"
                     + "".join(f"{number}. {markdown_item(one.paper)}\n"
                               + "".join(f"   - {escaped(reason.sentence)}\n" for reason in one.reasons)
                               + "".join(map(_item, one.evidence))
                               for number, one in enumerate(each.answers, 1)) for each in found)


def _item(span: EvidenceSpan) -> str:
    """Return a sentence as an item below its paper, the shared words in bold."""
    parts, done = [], 0
    for start, end in span.words:
        parts += [escaped(span.text[done:start], False), f"**{escaped(span.text[start:end])}**"]
        done = end
    said = "".join([*parts, escaped(span.text[done:], False)])
    return f"   - “{' '.join(said.split())}” ({escaped('; '.join(map(named, span.citing)))})\n"


def _bibliography(format: str) -> Callable[[Sequence[Advice], str], str]:
    def rendered(found: Sequence[Advice], _: str) -> str:
        papers: dict[str, Paper] = {one.paper.id: one.paper for each in found for one in each.answers}
        return BIBLIOGRAPHIES[format]([*papers.values()])
    return rendered


FORMATS: dict[str, Callable[[Sequence[Advice], str], str]] = {
    **{name: _bibliography(name) for name in BIBLIOGRAPHIES}, "json": _as_json, "markdown": _as_markdown}
"""Name to what writes it; of bibliographies, every paper once."""
