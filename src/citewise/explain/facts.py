"""What the library knows of the recommended papers: the facts that reasons tell, found for all of an answer at once.

Every fact obeys the query's scope: nothing is told that a draft of its year could not have known.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from citewise.evidence.grounding import Grounding
from citewise.expand.neighbours import Neighbourhood, neighbourhood
from citewise.likeness import Bag, likeness, likeness_by_term
from citewise.protocols import Evidence, Graph, Papers, Ragged, Terms
from citewise.text import words_by_stem
from citewise.types import EvidenceSpan, NamedPaper, Paper, Query, Ranking, Rows, Scope

_NEIGHBOURS = 500
"""As many as `best` lets vote."""

_COMPANIONS = 20
"""So many of the best answers are looked at for papers that are often cited together."""


_COMMAND = re.compile(r"\\[A-Za-z]+")
"""A command of TeX, which is no word to a reader."""


class Stores(Papers, Graph, Terms, Evidence, Protocol):
    """What facts are read from."""


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word that the draft and a paper have, as the draft writes it, and how many papers of the library have it."""

    word: str
    papers: int
    telling: bool
    """Not a single letter or digit, nor a command of TeX."""


class Facts:
    """The facts about the rows of one answer; each kind is found on first use."""

    def __init__(self, stores: Stores, query: Query, ranking: Ranking, rows: Rows, scope: Scope) -> None:
        """`ranking` are all candidates as the system ranked them, `rows` those that are answered."""
        self.stores, self.query, self.rows = stores, query, rows
        self.scope = replace(scope, within=None)
        self.signals = ranking.signals
        self._ranking = ranking
        cited = stores.rows_of(query.cited)
        self.seeds: Rows = np.unique(cited[cited >= 0])
        self._near: Neighbourhood | None = None
        self._own: Ragged | None = None
        self._citers: dict[int, frozenset[int]] = {}
        self._words: dict[str, dict[int, list[SharedWord]]] = {}
        self._said: dict[int, EvidenceSpan] | None = None

    @property
    def near(self) -> Neighbourhood:
        """The papers whose votes were counted: those most like the draft of the candidates whose references are seen.

        Candidates that the votes brought themselves had none; they are told by an unknown tie to what the draft cites.
        """
        if self._near is None:
            rank, tied = self.signals["hit_rank"], self.signals["seeds_tied"]
            order = np.lexsort((self._ranking.rows, -tied, rank))  # what was not found stands last, most tied first
            asked = self._ranking.rows[order[~np.isnan(tied[order])]]
            self._near = neighbourhood(self.stores, self.query, asked, self.scope, _NEIGHBOURS)
        return self._near

    @property
    def near_count(self) -> int:
        """How many of these share a word with the draft."""
        return int((self.near.likeness > 0).sum())

    def near_citers(self, row: int, depth: int) -> Rows:
        """Return which of the `depth` papers most like the draft cite a paper, most alike first."""
        near = self.near
        by = np.unique(near.by[near.cited == row])
        found: Rows = near.rows[by[by < depth]]
        return found

    def citers(self, rows: Rows) -> list[frozenset[int]]:
        """Return what cites each paper."""
        wanted = np.array([row for row in rows.tolist() if row not in self._citers], np.int64)
        lists = self.stores.citers(wanted, self.scope)
        self._citers.update((row, frozenset(lists[place].tolist())) for place, row in enumerate(wanted.tolist()))
        return [self._citers[row] for row in rows.tolist()]

    def cited_together(self, row: int, others: Rows) -> Counter[int]:
        """Return how many papers cite both a paper and each of the others, where any does."""
        own, *theirs = self.citers(np.append(row, others))
        both = {other: len(own & citers) for other, citers in zip(others.tolist(), theirs, strict=True) if other != row}
        return Counter({other: count for other, count in both.items() if count})

    def companions(self, row: int) -> Counter[int]:
        """Return the same of the best other answers."""
        return self.cited_together(row, self.rows[:_COMPANIONS])

    def references(self, row: int) -> set[int]:
        """Return what a paper cites."""
        return set(self.stores.references(np.array([row]), self.scope).values.tolist())

    def citing_seeds(self, row: int) -> list[int]:
        """Return which papers that the draft cites cite a paper."""
        return sorted(self.citers(np.array([row]))[0] & set(self.seeds.tolist()))

    def cited_seeds(self, row: int) -> list[int]:
        """Return which papers that the draft cites a paper cites."""
        return sorted(self.references(row) & set(self.seeds.tolist()))

    @property
    def own(self) -> Ragged:
        """The papers in scope of each of the draft's authors."""
        if self._own is None:
            self._own = self.stores.papers_by(self.query.authors, self.scope)
        return self._own

    def written_by(self, row: int) -> list[str]:
        """Return the draft's authors who wrote a paper."""
        return [author for place, author in enumerate(self.query.authors) if row in self.own[place]]

    def own_citing(self, row: int) -> list[int]:
        """Return the papers of the draft's authors that cite a paper."""
        return sorted(self.citers(np.array([row]))[0] & set(self.own.values.tolist()))

    def shared_words(self, row: int) -> list[SharedWord]:
        """Return the words that a paper shares with the draft, those that make it most alike first."""
        return self._shared(self.query.text)[row]

    def sentence_words(self, row: int) -> list[SharedWord]:
        """Return the same of the sentence."""
        return self._shared(self.query.claim)[row]

    def _shared(self, text: str) -> dict[int, list[SharedWord]]:
        if text not in self._words:
            self._words[text] = self._find_words(text)
        return self._words[text]

    def _find_words(self, text: str) -> dict[int, list[SharedWord]]:
        bag = Bag.of(self.stores, text)
        parts = likeness_by_term(self.stores, self.rows, bag)
        written = words_by_stem(_COMMAND.sub(" ", text))
        held = self.stores.statistics(bag.terms, "text").frequencies.tolist()
        words = [SharedWord(written.get(stem, stem), count, len(written.get(stem, "")) > 1)
                 for stem, count in zip(self.stores.words(bag.terms), held, strict=True)]
        orders = np.argsort(-parts, axis=1, kind="stable")
        return {row: [words[at] for at in order.tolist() if part[at] > 0]
                for row, order, part in zip(self.rows.tolist(), orders, parts, strict=True)}

    def said(self, row: int) -> EvidenceSpan | None:
        """Return for what a paper is cited that is most like the sentence."""
        if self._said is None:
            found = Grounding(self.stores).ground(self.query, self.rows, self.scope, 1)
            self._said = {row: spans[0] for row, spans in zip(self.rows.tolist(), found, strict=True) if spans}
        return self._said.get(row)

    def said_counts(self, row: int) -> tuple[int, int]:
        """Return in how many sentences a paper is cited, and of how many papers of the library."""
        cited = self.stores.citations_of(np.array([row]), self.scope)
        return np.unique(cited.sentences).size, np.unique(cited.citing[cited.citing >= 0]).size

    def citing_like_draft(self, row: int) -> list[int]:
        """Return the papers whose sentences cite a paper and that share a word with the draft, most alike first."""
        citing = self.stores.citations_of(np.array([row]), self.scope).citing
        rows = np.unique(citing[citing >= 0])
        alike = likeness(self.stores, rows, Bag.of_draft(self.stores, self.query))
        order = np.lexsort((rows, -alike))
        return [int(rows[place]) for place in order.tolist() if alike[place] > 0]

    def citation_counts(self, row: int, paper: Paper) -> tuple[int, int, int] | None:
        """Return the citations of a paper, those since a year, and that year; None where this is not known."""
        if "age" not in self.signals or not paper.year:
            return None
        place = int(np.flatnonzero(self._ranking.rows == row)[0])
        since = paper.year + int(self.signals["age"][place]) - 2
        return int(self.signals["citations"][place]), int(self.signals["citations2"][place]), since

    def named(self, rows: Iterable[int]) -> tuple[NamedPaper, ...]:
        """Return papers as a reason names them."""
        return tuple(NamedPaper(paper.id, paper.title, paper.year) for paper in self.stores.papers([*rows]))
