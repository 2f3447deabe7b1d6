"""Papers as a numbered Markdown list."""

import re
from collections.abc import Sequence

from citewise.render.links import web_address
from citewise.types import Paper

MOST_AUTHORS = 3
"""Authors named before the rest become "et al."."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#]")
_LIST_MARK = re.compile(r"(\d*)([-+=.)])")


def markdown(papers: Sequence[Paper]) -> str:
    """Return one list item a paper: authors, year, title (linked where the paper has an address) and venue."""
    return "".join(f"{number}. {_item(paper)}\n" for number, paper in enumerate(papers, 1))


def _item(paper: Paper) -> str:
    parts = [_authors(paper), f"({paper.year})." if paper.year else "", _title(paper),
             f"*{_escaped(paper.venue).rstrip('.')}*." if paper.venue.strip() else ""]
    text = " ".join(part for part in parts if part)
    mark = _LIST_MARK.match(text)  # "5. Experiments" as a title would start a list within the list
    return f"{mark[1]}\\{text[mark.start(2):]}" if mark else text


def _authors(paper: Paper) -> str:
    names = ", ".join(_escaped(name) for name in paper.authors[:MOST_AUTHORS])
    names += ", et al." if len(paper.authors) > MOST_AUTHORS else ""
    return names if paper.year or not names or names.endswith(".") else names + "."


def _title(paper: Paper) -> str:
    title = _escaped(paper.title) or _escaped(paper.id)
    end = "" if title.endswith(("?", "!", ".")) else "."
    address = web_address(paper).replace("(", "%28").replace(")", "%29")
    return f"[{title}]({address}){end}" if address else title + end


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
