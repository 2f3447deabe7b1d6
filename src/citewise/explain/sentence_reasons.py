"""Why a paper is recommended for a sentence: for what others cite it, and who they are.

| kind | tells | from the signals |
| --- | --- | --- |
| `cited_for` | for which words most like the sentence it is cited, by whom | spans, all that is said of it |
| `cited_by_like_draft` | which papers like the draft cite it | `context_` … |
| `sentence_words` | the words that its title and abstract share with the sentence | `text_score`, `title_score` … |
| `cited_elsewhere` | that the draft cites it elsewhere | `cited_elsewhere` |
| `support` | in how many sentences it is cited, of how many papers | `support`, `citers`, `recent` |
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from citewise.explain.facts import Facts
from citewise.explain.wording import NAMED, Told, counted, listed, quoted, shared
from citewise.marks import unmarked
from citewise.types import Paper

_MANY = 5
"""Sentences from which on support is worth telling."""


def _cited_for(facts: Facts, row: int, paper: Paper) -> Told | None:
    span = facts.said(row)
    if span is None:
        return None
    words, by = quoted(unmarked(span.text, span.marks, span.start, span.end).rstrip(" .")), listed(span.citing)
    told = (f"Cited for {words} by {by}." if span.support <= len(span.citing) else
            f"Cited for {words} {counted(span.support, 'time')}, among others by {by}.")
    return told, span.citing, (), {"support": span.support}


def _cited_by_like_draft(facts: Facts, row: int, paper: Paper) -> Told | None:
    rows = facts.citing_like_draft(row)
    named = facts.named(rows[:NAMED])
    others = f" and {counted(len(rows) - NAMED, 'other')}" if len(rows) > NAMED else ""
    return (f"Cited by papers that share words with your draft: {listed(named)}{others}.", named, (),
            {"papers": len(rows)}) if rows else None


def _sentence_words(facts: Facts, row: int, paper: Paper) -> Told | None:
    return shared(facts.sentence_words(row), len(facts.stores), "sentence")


def _cited_elsewhere(facts: Facts, row: int, paper: Paper) -> Told | None:
    return ("Your draft cites it elsewhere.", (), (), {}) if row in facts.seeds else None


def _support(facts: Facts, row: int, paper: Paper) -> Told | None:
    sentences, papers = facts.said_counts(row)
    return (f"Cited in {counted(sentences, 'sentence')} of {counted(papers, 'paper')} of this library.", (), (),
            {"sentences": sentences, "papers": papers}) if sentences >= _MANY else None


SENTENCE_KINDS: Mapping[str, tuple[Callable[[Facts, int, Paper], Told | None], tuple[str, ...]]] = MappingProxyType({
    "cited_for": (_cited_for, ("mass", "best_span", "span_", "near_spans", "spans", "said_score", "whole_score",
                               "cover", "share", "lift", "highest_lift", "log_odds", "names_cover", "names_share",
                               "names_lift")),
    "cited_by_like_draft": (_cited_by_like_draft, ("context_votes", "context_lift", "context_mass", "context_nearest",
                                                   "context_mean")),
    "sentence_words": (_sentence_words, ("text_score", "title_score", "title_cover", "title_said", "names_title")),
    "cited_elsewhere": (_cited_elsewhere, ("cited_elsewhere",)),
    "support": (_support, ("support", "citers", "recent")),
})
"""How a kind is told, and with what the names of its signals begin."""
