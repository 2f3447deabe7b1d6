"""Write papers as a numbered Markdown list."""

import re
from collections.abc import Sequence

from citewise.render.citation_keys import own_key
from citewise.render.links import web_address
from citewise.types import Answer, Paper

MOST_AUTHORS = 3
"""Authors named before the rest become "et al."."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#]")

# A key that pandoc reads as it is; others need braces.
_PLAIN_KEY = re.compile(r"\w+(?:[:.#$%&+?<>~/-]\w+)*")
_LIST_MARK = re.compile(r"(\d*)([-+=.)])")


def markdown(papers: Sequence[Paper]) -> str:
    """Return a numbered list of papers: authors, year, title (with a link, if any),
    venue, and the citation by the user's own key, if any.
    """
    return "".join(f"{number}. {markdown_item(paper)}\n" for number, paper in enumerate(papers, 1))


def markdown_answer(answer: Answer) -> str:
    """Return an answer as a numbered list of papers.

    An explained answer has the reasons below each paper, and the system's name at the end.
    """
    if not answer.explained:
        return markdown([each.paper for each in answer.recommendations])

    lines = []
    for each in answer.recommendations:
        mark = f"{each.rank}. "
        lines.append(f"{mark}{markdown_item(each.paper)}")
        lines += [f"{' ' * len(mark)}- {escaped(reason.sentence)}" for reason in each.reasons]
    return "\n".join([*lines, "", f"Answered by {escaped(str(answer.served_by))}.", ""])


def markdown_item(paper: Paper) -> str:
    """Return a paper as a list item without its number."""
    parts = [
        _authors(paper),
        f"({paper.year})." if paper.year else "",
        _title(paper),
        f"*{escaped(paper.venue).rstrip('.')}*." if paper.venue.strip() else "",
        _citation(paper),
    ]
    text = " ".join(part for part in parts if part)

    # A title such as "5. Experiments" would start a list within the list.
    mark = _LIST_MARK.match(text)
    return f"{mark[1]}\\{text[mark.start(2) :]}" if mark else text


def _citation(paper: Paper) -> str:
    """Return the citation of a paper by the user's own key, as pandoc reads it; "" without one."""
    key = own_key(paper)
    plain = _PLAIN_KEY.fullmatch(key)
    return f"[@{key}]" if plain else f"[@{{{escaped(key)}}}]" if key else ""


def _authors(paper: Paper) -> str:
    names = ", ".join(escaped(name) for name in paper.authors[:MOST_AUTHORS])
    names += ", et al." if len(paper.authors) > MOST_AUTHORS else ""
    return names if paper.year or not names or names.endswith(".") else names + "."


def _title(paper: Paper) -> str:
    title = escaped(paper.title) or escaped(paper.id)
    end = "" if title.endswith(("?", "!", ".")) else "."
    address = web_address(paper).replace("(", "%28").replace(")", "%29")
    return f"[{title}]({address}){end}" if address else title + end


def escaped(text: str, folded: bool = True) -> str:
    """Return a text with Markdown's special characters escaped, and single spaces if `folded`."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()) if folded else text)
