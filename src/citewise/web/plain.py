"""The page for browsers without scripts: the same form, and the answer as a list."""

import re
from functools import cache
from html import escape

from citewise.render.links import web_address
from citewise.types import Answer, Paper, Recommendation
from citewise.web import FOLDER

MOST_AUTHORS = 3
"""Authors named before the rest are counted."""

_SCRIPT = re.compile(r"\s*<script[^>]*></script>")
_ANSWER = re.compile(r"(<section id=\"answer\"[^>]*>).*?(</section>)", re.DOTALL)
_TITLE = re.compile(r"(<input id=\"title\"[^>]* value=\")\"")
_ABSTRACT = re.compile(r"(<textarea id=\"abstract\"[^>]*>)</textarea>")


def plain_page(title: str, abstract: str, answer: Answer | None = None, problem: str = "") -> str:
    """Return the page as HTML without scripts: the form with this draft, the answer or what went
    wrong.
    """
    content = _problem(problem) if problem else "" if answer is None else _answer(answer)

    html = _TITLE.sub(lambda match: f'{match[1]}{escape(title)}"', _form())
    html = _ABSTRACT.sub(lambda match: f"{match[1]}\n{escape(abstract)}</textarea>", html)
    return _ANSWER.sub(lambda match: f"{match[1]}{content}{match[2]}", html)


@cache
def _form() -> str:
    return _SCRIPT.sub("", (FOLDER / "index.html").read_text(encoding="utf-8"))


def _problem(text: str) -> str:
    head = "<h2>That did not work.</h2>"
    return f'<div class="state wrong" role="alert">{head}<p>{escape(text)}</p></div>'


def _answer(answer: Answer) -> str:
    if not len(answer):
        return '<div class="state"><h2>Nothing here seems close to your draft.</h2></div>'

    found = len(answer)
    head = f"<h2>{found} paper{'' if found == 1 else 's'} for your draft</h2>"
    cards = "".join(_card(each) for each in answer)
    return (
        f'<div class="answer-head">{head}</div>'
        f'<ol class="cards" aria-label="Recommended papers">{cards}</ol>'
    )


def _card(found: Recommendation) -> str:
    paper = found.paper
    reasons = "".join(f"<li><span></span>{escape(each.sentence)}</li>" for each in found.reasons)
    why = f'<ul class="why" aria-label="Why">{reasons}</ul>' if reasons else ""
    body = f'<h3>{_linked(paper)}</h3><p class="meta">{escape(_facts(paper))}</p>{why}'
    return (
        f'<li class="card"><span class="rank">{found.rank}</span>'
        f'<div class="body">{body}</div>{_chance(found.confidence)}</li>'
    )


def _linked(paper: Paper) -> str:
    address, title = web_address(paper), escape(paper.title or paper.id)
    return f'<a href="{escape(address)}" rel="noreferrer">{title}</a>' if address else title


def _facts(paper: Paper) -> str:
    """Return authors, venue and year in one line."""
    others = len(paper.authors) - MOST_AUTHORS
    names = ", ".join(paper.authors[:MOST_AUTHORS])
    rest = f" and {others} other{'' if others == 1 else 's'}" if others > 0 else ""
    parts = (f"{names}{rest}", paper.venue, str(paper.year or ""))
    return " · ".join(part for part in parts if part)


def _chance(confidence: float | None) -> str:
    if confidence is None:
        return '<span class="chance"></span>'
    return f'<span class="chance"><b>{confidence:.0%}</b></span>'
