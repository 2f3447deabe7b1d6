"""Why a paper is recommended: facts as sentences that name papers, those behind most of its score
first.

The catalogue of signals (`citewise.signals`) says which kind of reason each signal can give. A new
kind is a function from the facts to a `Wording`, put into `KINDS`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

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
from citewise.signals import CATALOGUES, Catalogue
from citewise.text.tokens import words_by_stem
from citewise.types import Paper, Reason, Recommendation

LIMIT = 3
"""Reasons for one paper."""

_NEAREST = 50
_TITLE_SHARE = 0.5
_FEWEST_WORDS = 2
_MANY_CITATIONS = 5


def reasons(facts: Facts, row: int, answer: Recommendation) -> tuple[Reason, ...]:
    """Return at most three reasons for a paper, by how much of its score their signals gave.

    Reasons whose signals do not speak for the paper are left out, unless there is no other: then
    one of them is given.
    """
    shares: dict[str, float] = defaultdict(float)
    for signal in answer.signals:
        if kind := kind_of(signal):
            shares[kind] += 0.0
    for part in answer.contributions:
        if kind := kind_of(part.signal):
            shares[kind] += part.value

    found: list[Reason] = []
    for kind, share in sorted(shares.items(), key=lambda each: (-each[1], KINDS_ORDER[each[0]])):
        if len(found) == LIMIT or (share <= 0 and found):
            break
        wording = KINDS[kind](facts, row, answer.paper)
        if wording:
            found.append(
                Reason(
                    kind,
                    wording.sentence,
                    share,
                    wording.papers,
                    wording.words,
                    dict(wording.numbers),
                )
            )
    return tuple(found)


def kind_of(signal: str) -> str:
    """Return the kind of reason that a signal can give, "" where it gives none."""
    if signal.startswith(TERM):
        return "shared_words"
    return next((each[signal].reason for each in CATALOGUES if signal in each), "")


def label_of(signal: str, catalogues: Sequence[Catalogue] = CATALOGUES) -> str:
    """Return what people read in place of a signal's name."""
    if signal.startswith(TERM):
        return f"the word “{signal.removeprefix(TERM)}”"
    return next((each[signal].label for each in catalogues if signal in each), signal)


def _cited_by_similar(facts: Facts, row: int, paper: Paper) -> Wording | None:
    every = facts.near_count
    for depth in dict.fromkeys((min(_NEAREST, every), every)):
        citers = facts.near_citers(row, depth)
        if citers.size:
            named = facts.named(citers[:NAMED].tolist())
            among = "" if citers.size <= NAMED else "among them "
            of = f"{citers.size} of the {depth} papers" if depth > 1 else "the paper"
            return Wording(
                f"Cited by {of} most similar to your draft whose references are known: "
                f"{among}{listed(named)}.",
                named,
                numbers={"citers": int(citers.size), "papers": depth},
            )
    return None


def _cited_by_titles(facts: Facts, row: int, paper: Paper) -> Wording | None:
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


def _title_words(facts: Facts, row: int, paper: Paper) -> Wording | None:
    title, draft = words_by_stem(paper.title), words_by_stem(facts.query.text)
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
    counts = facts.citation_counts(row, paper)
    if counts is None or counts[0] < _MANY_CITATIONS:
        return None
    every, recent, since = counts
    lately = f", {recent} of them of {since} or later" if recent else ""
    return Wording(
        f"Cited by {every:,} papers of this library{lately}.",
        numbers={"citations": every, "recent": recent, "since": since},
    )


Tell = Callable[[Facts, int, Paper], Wording | None]
"""Words a kind of reason for a paper; None where the facts give none."""

KINDS: dict[str, Tell] = {
    **SENTENCE_KINDS,
    "cited_by_similar": _cited_by_similar,
    "cited_with_cited": _cited_with_cited,
    "linked_to_cited": _linked_to_cited,
    "cited_with_answers": _cited_with_answers,
    "linked_to_answers": _linked_to_answers,
    "cited_by_titles": _cited_by_titles,
    "own_paper": _own_paper,
    "cited_by_own": _cited_by_own,
    "shared_words": _shared_words,
    "title_words": _title_words,
    "citations": _citations,
}
"""Every kind of reason."""

KINDS_ORDER = {kind: position for position, kind in enumerate(KINDS)}
"""The order of kinds that gave an equal share."""
