"""Why a paper is recommended: facts as sentences that name papers, those behind most of its score first.

| kind | tells | from the signals |
| --- | --- | --- |
| `cited_by_similar` | which of the papers most like the draft cite it | votes, nearest citers |
| `cited_with_cited` | with which papers that the draft cites it is cited together | `seeds_cocited` … |
| `tied_to_cited` | which papers that the draft cites cite it or are cited by it | `seeds_cite`, `cites_seeds` |
| `cited_with_answers` | with which other answers it is cited together | `cocited` … |
| `own_paper` | which of the draft's authors wrote it | `authored` … |
| `cited_by_own` | which papers of the draft's authors cite it | `authors_cite`, `authors_tied` |
| `shared_words` | the words that it shares with the draft | BM25 of all kinds, `term:` … |
| `title_words` | how many words of its title the draft has | `title_in_draft` |
| `citations` | how often it is cited, and how often lately | `citations` … |

Those for sentences are in `citewise.explain.sentence_reasons`. A new kind is a function from the facts to a reason, put
into `_KINDS` with the beginnings of its signals' names.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from citewise.explain.facts import Facts
from citewise.explain.sentence_reasons import SENTENCE_KINDS
from citewise.explain.wording import NAMED, Told, counted, listed, name_of, shared
from citewise.likeness import TERM
from citewise.text import words_by_stem
from citewise.types import Paper, Reason, Recommendation

MOST = 3
"""Reasons for one paper."""

_NEAREST = 50
_TITLE_SHARE = 0.5
_FEWEST_WORDS = 2
_MANY_CITATIONS = 5

def reasons(facts: Facts, row: int, answer: Recommendation) -> tuple[Reason, ...]:
    """Return at most three reasons for a paper, by how much of its score their signals gave.

    Reasons whose signals do not speak for the paper are left out, unless there is no other: then one of them stands.
    """
    known = {*answer.signals, *answer.contributions}
    shares = [(_share(answer.contributions, signals), kind, tell) for kind, (tell, signals) in _KINDS.items()
              if any(name.startswith(signals) for name in known)]
    found: list[Reason] = []
    for share, kind, tell in sorted(shares, key=lambda each: -each[0]):
        if len(found) == MOST or (share <= 0 and found):
            break
        told = tell(facts, row, answer.paper)
        if told:
            found.append(Reason(kind, told[0], share, *told[1:]))
    return tuple(found)


def _share(contributions: Mapping[str, float], signals: tuple[str, ...]) -> float:
    return sum(value for name, value in contributions.items() if name.startswith(signals))


def _cited_by_similar(facts: Facts, row: int, paper: Paper) -> Told | None:
    most = facts.near_count
    for depth in dict.fromkeys((min(_NEAREST, most), most)):
        citers = facts.near_citers(row, depth)
        if citers.size:
            named = facts.named(citers[:NAMED].tolist())
            among = "" if citers.size <= NAMED else "among them "
            of = f"{citers.size} of the {depth} papers" if depth > 1 else "the paper"
            return (f"Cited by {of} most like your draft whose references are known: {among}{listed(named)}.", named,
                    (), {"citers": int(citers.size), "papers": depth})
    return None


def _cited_with_cited(facts: Facts, row: int, paper: Paper) -> Told | None:
    return _together(facts, facts.cited_together(row, facts.seeds), "you cite")


def _cited_with_answers(facts: Facts, row: int, paper: Paper) -> Told | None:
    return _together(facts, facts.companions(row), "are recommended here too")


def _together(facts: Facts, counts: Counter[int], what: str) -> Told | None:
    best = sorted(counts, key=lambda row: (-counts[row], row))[:2]
    if not best:
        return None
    named = facts.named(best)
    parts = [f"{name_of(each)} (by {counted(counts[row], 'paper')})" for each, row in zip(named, best, strict=True)]
    numbers = {each.id: counts[row] for each, row in zip(named, best, strict=True)}
    return f"Cited together with papers that {what}: {', '.join(parts)}.", named, (), numbers


def _tied_to_cited(facts: Facts, row: int, paper: Paper) -> Told | None:
    for verb, rows in (("Cited by", facts.citing_seeds(row)), ("Cites", facts.cited_seeds(row))):
        if rows:
            named = facts.named(rows[:NAMED])
            others = f" and {counted(len(rows) - NAMED, 'other')}" if len(rows) > NAMED else ""
            return f"{verb} {listed(named)}{others}, which you cite.", named, (), {"papers": len(rows)}
    return None


def _own_paper(facts: Facts, row: int, paper: Paper) -> Told | None:
    authors = facts.written_by(row)
    if not authors:
        return None
    others = f" and {counted(len(authors) - NAMED, 'other')}" if len(authors) > NAMED else ""
    return (f"By {', '.join(authors[:NAMED])}{others}: of your draft's authors.", (), tuple(authors),
            {"authors": len(authors)})


def _cited_by_own(facts: Facts, row: int, paper: Paper) -> Told | None:
    rows = facts.own_citing(row)
    if not rows:
        return None
    named = facts.named(rows[:NAMED])
    among = "" if len(rows) <= NAMED else "among them "
    return (f"Cited by {counted(len(rows), 'paper')} of your draft's authors: {among}{listed(named)}.", named, (),
            {"papers": len(rows)})


def _shared_words(facts: Facts, row: int, paper: Paper) -> Told | None:
    return shared(facts.shared_words(row), len(facts.stores), "draft")


def _title_words(facts: Facts, row: int, paper: Paper) -> Told | None:
    title, draft = words_by_stem(paper.title), words_by_stem(facts.query.text)
    shared = [word for stem, word in title.items() if stem in draft]
    if len(shared) < _FEWEST_WORDS or len(shared) < _TITLE_SHARE * len(title):
        return None
    which = f"All {len(title)}" if len(shared) == len(title) else f"{len(shared)} of the {len(title)}"
    return (f"{which} telling words of its title are in your draft.", (), tuple(shared),
            {"shared": len(shared), "words": len(title)})


def _citations(facts: Facts, row: int, paper: Paper) -> Told | None:
    counts = facts.citation_counts(row, paper)
    if counts is None or counts[0] < _MANY_CITATIONS:
        return None
    every, recent, since = counts
    lately = f", {recent} of them of {since} or later" if recent else ""
    return (f"Cited by {every:,} papers of this library{lately}.", (), (),
            {"citations": every, "recent": recent, "since": since})


_KINDS: dict[str, tuple[Callable[[Facts, int, Paper], Told | None], tuple[str, ...]]] = {
    **SENTENCE_KINDS,
    "cited_by_similar": (_cited_by_similar, ("vote", "nearest_citer")),
    "cited_with_cited": (_cited_with_cited, ("seeds_cocited", "seeds_tied")),
    "tied_to_cited": (_tied_to_cited, ("seeds_cite", "cites_seeds")),
    "cited_with_answers": (_cited_with_answers, ("cocited",)),
    "own_paper": (_own_paper, ("authored",)),
    "cited_by_own": (_cited_by_own, ("authors_cite", "authors_tied")),
    "shared_words": (_shared_words, (TERM, "bm25", "title_title", "title_abstract", "abstract_", "title_shared",
                                     "feedback", "hit_rank", "seeds_words", "cosine")),
    "title_words": (_title_words, ("title_in_draft",)),
    "citations": (_citations, ("citations",)),
}
"""How a kind is told, and with what the names of its signals begin."""

