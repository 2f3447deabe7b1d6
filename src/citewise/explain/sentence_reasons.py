"""Reasons for a paper that is recommended for a sentence: what others cite it for, and who."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from citewise.explain.facts import Facts
from citewise.explain.wording import (
    NAMED,
    Wording,
    and_others,
    counted,
    listed,
    quoted,
    shared_words,
)
from citewise.text.marks import unmarked
from citewise.types import Paper

_MANY = 5
"""From this many citing sentences on, their number is a reason."""


def _cited_for(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word the claim for which others cite the paper, and who they are."""
    span = facts.evidence(row)
    if span is None:
        return None

    words = quoted(unmarked(span.text, span.marks, span.start, span.end).rstrip(" ."))
    by = listed(span.citing)
    often = f"{counted(span.support, 'time')}, among others by {by}"
    who = f"by {by}" if span.support <= len(span.citing) else often

    return Wording(f"Cited for {words} {who}.", span.citing, numbers={"support": span.support})


def _cited_by_similar_to_draft(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word the citing papers that share words with the draft."""
    rows = facts.citing_similar_to_draft(row)
    if not rows:
        return None

    named = facts.named(rows[:NAMED])
    return Wording(
        f"Cited by papers that share words with your draft: {listed(named)}"
        f"{and_others(len(rows))}.",
        named,
        numbers={"papers": len(rows)},
    )


def _sentence_words(facts: Facts, row: int, paper: Paper) -> Wording | None:
    return shared_words(facts.sentence_words(row), len(facts.stores.papers), "sentence")


def _cited_elsewhere(facts: Facts, row: int, paper: Paper) -> Wording | None:
    return Wording("Your draft cites it elsewhere.") if row in facts.seeds else None


def _support(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word in how many sentences the paper is cited, where these are many."""
    sentences, papers = facts.sentence_counts(row)
    if sentences < _MANY:
        return None
    return Wording(
        f"Cited in {counted(sentences, 'sentence')} of {counted(papers, 'paper')} of this library.",
        numbers={"sentences": sentences, "papers": papers},
    )


SENTENCE_KINDS: Mapping[str, Callable[[Facts, int, Paper], Wording | None]] = MappingProxyType(
    {
        "cited_for": _cited_for,
        "cited_by_similar_to_draft": _cited_by_similar_to_draft,
        "sentence_words": _sentence_words,
        "cited_elsewhere": _cited_elsewhere,
        "support": _support,
    }
)
"""The kinds of reasons that only sentences have."""
