"""Reasons for a recommendation: facts as sentences that name papers, those behind most of its score
first.

The catalogue of signals (`citewise.signals`) says which kind of reason each signal can give. A new
kind is a function from the facts to a `Wording`, put into `KINDS`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable

from citewise.arrays import Rows
from citewise.explain.facts import Facts
from citewise.explain.sentence_reasons import SENTENCE_KINDS
from citewise.explain.wording import (
    NAMED,
    Wording,
    and_others,
    counted,
    listed,
    name_of,
    shared_words,
)
from citewise.scoring.similarity import TERM
from citewise.signals import CATALOGUES, Signal
from citewise.text.function_words import is_function_word
from citewise.text.tokens import words_by_stem
from citewise.types import Paper, Reason, Recommendation

LIMIT = 3
"""At most this many reasons are given for a paper."""

_NEAREST = 50
_NEAR_SHARE = 0.2
_TITLE_SHARE = 0.5
_FEWEST_WORDS = 2
_MANY_CITATIONS = 5


def reasons(facts: Facts, row: int, answer: Recommendation) -> tuple[Reason, ...]:
    """Return at most `LIMIT` reasons for a paper, by how much of its score their signals gave.

    Reasons whose signals lower the score are left out, unless there is no other: then one of them
    is given.
    """
    shares: dict[str, float] = defaultdict(float)
    for signal in answer.signals:
        if kind := kind_of(signal):
            shares[kind] += 0.0
    for part in answer.contributions:
        # a signal that is not known of this paper has a share of its score, but gives no reason
        is_known = part.signal in answer.signals or part.signal.startswith(TERM)
        if is_known and (kind := kind_of(part.signal)):
            shares[kind] += part.value

    given: list[Reason] = []
    for kind, share in sorted(shares.items(), key=lambda each: (-each[1], KINDS_ORDER[each[0]])):
        if len(given) == LIMIT or (share <= 0 and given):
            break
        wording = KINDS[kind](facts, row, answer.paper)
        if wording:
            given.append(
                Reason(
                    kind,
                    wording.sentence,
                    share,
                    wording.papers,
                    wording.words,
                    dict(wording.numbers),
                )
            )
    return tuple(given)


def kind_of(signal: str) -> str:
    """Return the kind of reason that a signal can give, "" where it gives none."""
    if signal.startswith(TERM):
        return "shared_words"
    declared = _declared(signal)
    return declared.reason if declared else ""


def label_of(signal: str) -> str:
    """Return the label that people read in place of a signal's name."""
    if signal.startswith(TERM):
        return f"the word “{signal.removeprefix(TERM)}”"
    declared = _declared(signal)
    return declared.label if declared else signal


def _declared(name: str) -> Signal | None:
    """Return the signal with this name that a stage computes: a derived one is in no answer, since
    its share of a score is credited to another.
    """
    signals = (each[name] for each in CATALOGUES if name in each)
    return next((signal for signal in signals if signal.by != "derived"), None)


def _cited_by_similar(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word how many of the papers most similar to the draft cite the paper."""
    every = facts.near_count

    for depth in dict.fromkeys((min(_NEAREST, every), every)):
        citers = facts.near_citers(row, depth)
        if citers.size:
            return _cited_by_near(facts, citers, depth, "most similar to your draft")
    return None


def _cited_by_close(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word how many of the papers closest to the draft in meaning cite the paper."""
    citers = facts.close_citers(row)
    if facts.close is None or not citers.size:
        return None
    return _cited_by_near(facts, citers, facts.close.rows.size, "closest to your draft in meaning")


def _cited_by_near(facts: Facts, citers: Rows, papers: int, what: str) -> Wording:
    """Word which of the papers near to the draft cite the paper."""
    named = facts.named(citers[:NAMED].tolist())
    among = "" if citers.size <= NAMED else "among them "
    of = f"{citers.size} of the {papers} papers" if papers > 1 else "the paper"
    return Wording(
        f"Cited by {of} {what} whose references are known: {among}{listed(named)}.",
        named,
        numbers={"citers": int(citers.size), "papers": papers},
    )


def _cited_by_titles(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word the citers whose titles share words with the draft."""
    rows = facts.citers_by_title(row)
    if not rows:
        return None

    named = facts.named(rows[:NAMED])
    return Wording(
        f"Cited by {counted(len(rows), 'paper')} whose titles share words with your draft: "
        f"{listed(named)}{and_others(len(rows))}.",
        named,
        numbers={"papers": len(rows)},
    )


def _cited_with_cited(facts: Facts, row: int, paper: Paper) -> Wording | None:
    return _together(facts, facts.cited_together(row, facts.seeds), "you cite")


def _cited_with_answers(facts: Facts, row: int, paper: Paper) -> Wording | None:
    together = facts.cited_together(row, facts.companions)
    return _together(facts, together, "are recommended here too")


def _together(facts: Facts, counts: Counter[int], what: str) -> Wording | None:
    """Word the two papers of `counts` that are most often cited together with the paper."""
    best = sorted(counts, key=lambda row: (-counts[row], row))[:2]
    if not best:
        return None

    named = facts.named(best)
    pairs = list(zip(named, best, strict=True))
    parts = [f"{name_of(each)} (by {counted(counts[row], 'paper')})" for each, row in pairs]

    return Wording(
        f"Cited together with papers that {what}: {', '.join(parts)}.",
        named,
        numbers={each.id: counts[row] for each, row in pairs},
    )


def _linked_to_cited(facts: Facts, row: int, paper: Paper) -> Wording | None:
    others = facts.seeds
    return _linked(facts, facts.citing(row, others), facts.cited_by(row, others), "which you cite")


def _linked_to_answers(facts: Facts, row: int, paper: Paper) -> Wording | None:
    others = facts.companions
    citing, cited = facts.citing(row, others), facts.cited_by(row, others)
    return _linked(facts, citing, cited, "recommended here too")


def _linked(facts: Facts, citing: list[int], cited: list[int], what: str) -> Wording | None:
    """Word the papers that cite the paper, or else those that it cites."""
    for verb, rows in (("Cited by", citing), ("Cites", cited)):
        if rows:
            named = facts.named(rows[:NAMED])
            return Wording(
                f"{verb} {listed(named)}{and_others(len(rows))}, {what}.",
                named,
                numbers={"papers": len(rows)},
            )
    return None


def _own_paper(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word which of the draft's authors wrote the paper."""
    authors = facts.written_by(row)
    if not authors:
        return None

    names = f"{', '.join(authors[:NAMED])}{and_others(len(authors))}"
    return Wording(
        f"By {names}: of your draft's authors.",
        words=tuple(authors),
        numbers={"authors": len(authors)},
    )


def _cited_by_own(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word the papers of the draft's authors that cite the paper."""
    rows = facts.citing(row, facts.own_papers.values)
    if not rows:
        return None

    named = facts.named(rows[:NAMED])
    among = "" if len(rows) <= NAMED else "among them "
    return Wording(
        f"Cited by {counted(len(rows), 'paper')} of your draft's authors: {among}{listed(named)}.",
        named,
        numbers={"papers": len(rows)},
    )


def _shared_words(facts: Facts, row: int, paper: Paper) -> Wording | None:
    what = "draft" if facts.query.has_draft else "sentence"
    return shared_words(facts.shared_words(row), len(facts.stores.papers), what)


def _similar_meaning(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word how near the paper's vector is to the draft's, where few candidates are nearer."""
    what = "draft" if facts.query.has_draft else "sentence"
    rank, of = facts.rank_by_meaning(row)
    if not rank or rank > max(_NEAREST, _NEAR_SHARE * of):
        return None
    return Wording(
        f"Similar in meaning to your {what}: number {rank:,} of those found.",
        numbers={"rank": rank, "candidates": of},
    )


def _title_words(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word how many words of the title are in the draft, where that is at least half of them."""
    words, draft = words_by_stem(paper.title), words_by_stem(facts.query.text)
    title = {stem: word for stem, word in words.items() if not is_function_word(word)}
    shared = [word for stem, word in title.items() if stem in draft]
    if len(shared) < _FEWEST_WORDS or len(shared) < _TITLE_SHARE * len(title):
        return None

    every = len(shared) == len(title)
    which = f"All {len(title)}" if every else f"{len(shared)} of the {len(title)}"
    return Wording(
        f"{which} telling words of its title are in your draft.",
        words=tuple(shared),
        numbers={"shared": len(shared), "words": len(title)},
    )


def _citations(facts: Facts, row: int, paper: Paper) -> Wording | None:
    """Word how often the paper is cited, where that is often."""
    counts = facts.citation_counts(row, paper)
    if counts is None or counts[0] < _MANY_CITATIONS:
        return None

    every, recent, since = counts
    lately = f", {recent} of them of {since} or later" if recent else ""
    return Wording(
        f"Cited by {every:,} papers of this library{lately}.",
        numbers={"citations": every, "recent": recent, "since": since},
    )


WordReason = Callable[[Facts, int, Paper], Wording | None]
"""Returns the wording of one kind of reason for a paper; None where the facts give none."""

KINDS: dict[str, WordReason] = {
    **SENTENCE_KINDS,
    "cited_by_similar": _cited_by_similar,
    "cited_by_close": _cited_by_close,
    "cited_with_cited": _cited_with_cited,
    "linked_to_cited": _linked_to_cited,
    "cited_with_answers": _cited_with_answers,
    "linked_to_answers": _linked_to_answers,
    "cited_by_titles": _cited_by_titles,
    "own_paper": _own_paper,
    "cited_by_own": _cited_by_own,
    "similar_meaning": _similar_meaning,
    "shared_words": _shared_words,
    "title_words": _title_words,
    "citations": _citations,
}
"""By kind: the function that words such a reason."""

KINDS_ORDER = {kind: position for position, kind in enumerate(KINDS)}
"""The order of kinds with equal shares."""
