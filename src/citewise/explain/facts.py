"""What the library knows about the recommended papers: the facts that reasons are made of.

Every fact obeys the query's scope: nothing is shown that a draft of its year could not have known.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from citewise.arrays import Column, Ragged, Rows
from citewise.expand.dense import citing_papers, dense_neighbourhood
from citewise.expand.neighbours import neighbourhood
from citewise.expand.votes import Neighbourhood
from citewise.protocols import DraftVectors, Grounder, Stores
from citewise.rank.text_signals import title_similarity
from citewise.scoring.similarity import Bag, similarity, similarity_by_term
from citewise.signals import VECTORS
from citewise.text.function_words import is_function_word
from citewise.text.tokens import words_by_stem
from citewise.types import EvidenceSpan, NamedPaper, Paper, Query, Ranking, Scope

_NEIGHBOURS = 500
"""The number of papers that vote in the system `best`."""

_COMPANIONS = 20
"""The number of best answers that are checked for papers often cited together."""

_COMMON, _MANY_PAPERS = 0.5, 50
"""In a library of this many papers, a word that more than this share of them has tells nothing: so
function words of every language are left out.
"""

_COMMAND = re.compile(r"\\[A-Za-z]+")
"""A command of TeX, which is no word to a reader."""


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word that the draft and a paper share."""

    word: str
    """As the draft writes it."""
    papers: int
    """How many papers of the library have it."""
    telling: bool
    """Not a single letter or digit, nor a command of TeX."""


class Facts:
    """The facts about the rows of one answer; each kind is computed on first use."""

    def __init__(
        self,
        stores: Stores,
        grounder: Grounder,
        query: Query,
        ranking: Ranking,
        rows: Rows,
        scope: Scope,
        vectors: DraftVectors | None = None,
    ) -> None:
        """`ranking` has all candidates as the system ranked them, `rows` are the answer's;
        `vectors` are those that the system read.
        """
        self.stores, self.query, self.rows = stores, query, rows
        self.scope, self.signals = replace(scope, within=None), ranking.signals
        self._grounder, self._ranking, self._vectors = grounder, ranking, vectors
        self._citers: dict[int, frozenset[int]] = {}
        self._words: dict[str, dict[int, list[SharedWord]]] = {}

    # Similar papers

    @cached_property
    def near(self) -> Neighbourhood:
        """The papers whose votes were counted: those most similar to the draft among the hits of
        the search whose references are seen.
        """
        hits = self._ranking.rows
        if "hit_rank" in self.signals:
            rank = self.signals["hit_rank"]
            # NaN sorts last: the papers with a rank, best first
            hits = hits[np.argsort(rank, kind="stable")[: np.count_nonzero(~np.isnan(rank))]]

        return neighbourhood(self.stores, self.query, hits, self.scope, _NEIGHBOURS)

    @property
    def near_count(self) -> int:
        """The number of these papers that share a word with the draft."""
        return int((self.near.similarity > 0).sum())

    def near_citers(self, row: int, depth: int) -> Rows:
        """Return which of the `depth` papers most similar to the draft cite a paper, most similar
        first.
        """
        by = np.unique(self.near.by[self.near.cited == row])
        citers: Rows = self.near.rows[by[by < depth]]
        return citers

    @cached_property
    def close(self) -> Neighbourhood | None:
        """The papers whose votes were counted by vectors; None where there are none."""
        known = self._vectors.of(self.query) if self._vectors is not None else None
        if known is None:
            return None
        citing = citing_papers(self.stores)
        return dense_neighbourhood(self.stores, known, self.scope, citing, _NEIGHBOURS)

    def close_citers(self, row: int) -> Rows:
        """Return which of the papers closest to the draft in meaning cite a paper, closest
        first.
        """
        if self.close is None:
            return self.rows[:0]
        citers: Rows = self.close.rows[np.unique(self.close.by[self.close.cited == row])]
        return citers

    def citers_by_title(self, row: int) -> list[int]:
        """Return the papers that cite a paper and whose titles share a word with the draft, most
        similar first.
        """
        citers = self.stores.graph.citers(np.array([row]), self.scope).values
        bag = Bag.of_draft(self.stores, self.query)
        return _by_score(citers, title_similarity(self.stores, citers, bag))

    # The citation graph

    @cached_property
    def seeds(self) -> Rows:
        """The papers that the draft cites already, as far as the library has them."""
        cited = self.stores.papers.find(self.query.cited)
        return np.unique(cited[cited >= 0])

    def citers(self, rows: Rows) -> list[frozenset[int]]:
        """Return the papers that cite each paper."""
        wanted = np.array([row for row in rows.tolist() if row not in self._citers], np.int64)
        lists = self.stores.graph.citers(wanted, self.scope)
        for position, row in enumerate(wanted.tolist()):
            self._citers[row] = frozenset(lists[position].tolist())
        return [self._citers[row] for row in rows.tolist()]

    def cited_together(self, row: int, others: Rows) -> Counter[int]:
        """Return how many papers cite both a paper and each of the others, where any does."""
        own, *theirs = self.citers(np.append(row, others))
        pairs = zip(others.tolist(), theirs, strict=True)
        both = {other: len(own & citers) for other, citers in pairs if other != row}
        return Counter({other: count for other, count in both.items() if count})

    @property
    def companions(self) -> Rows:
        """The best answers."""
        return self.rows[:_COMPANIONS]

    def citing(self, row: int, others: Rows) -> list[int]:
        """Return which of the others cite a paper."""
        return sorted(self.citers(np.array([row]))[0] & set(others.tolist()))

    def cited_by(self, row: int, others: Rows) -> list[int]:
        """Return which of the others a paper cites."""
        cited = self.stores.graph.references(np.array([row]), self.scope).values
        return sorted(set(cited.tolist()) & set(others.tolist()))

    def citation_counts(self, row: int, paper: Paper) -> tuple[int, int, int] | None:
        """Return the citations of a paper, those since a year, and that year; None where this is
        not known.
        """
        if "age" not in self.signals or "citations2" not in self.signals or not paper.year:
            return None
        position = int(np.flatnonzero(self._ranking.rows == row)[0])
        age, every, recent = (
            int(self.signals[name][position]) for name in ("age", "citations", "citations2")
        )
        return every, recent, paper.year + age - 2

    def rank_by_meaning(self, row: int) -> tuple[int, int]:
        """Return the rank of a paper by how similar its vector is to the draft's, and how many
        candidates have a vector; 0 where the paper has none.
        """
        names = [each.cosine for each in VECTORS if each.cosine in self.signals]
        column = self.signals[names[-1]] if names else np.zeros(0)
        at = np.flatnonzero(self._ranking.rows == row)
        if not column.size or not at.size or np.isnan(column[at[0]]):
            return 0, 0
        return 1 + int((column > column[at[0]]).sum()), int((~np.isnan(column)).sum())

    # The draft's authors

    @cached_property
    def own_papers(self) -> Ragged:
        """The papers of each of the draft's authors, those that the draft cites included."""
        known = replace(self.scope, since=None, hidden=self.scope.unseen)
        return self.stores.papers.by_authors(self.query.authors, known)

    def written_by(self, row: int) -> list[str]:
        """Return the draft's authors who wrote a paper."""
        authors = enumerate(self.query.authors)
        return [author for position, author in authors if row in self.own_papers[position]]

    # Words

    def shared_words(self, row: int) -> list[SharedWord]:
        """Return the words that a paper shares with the draft, most important ones first."""
        return self._shared(self.query.text)[row]

    def sentence_words(self, row: int) -> list[SharedWord]:
        """Return the words that a paper shares with the sentence, most important ones first."""
        return self._shared(self.query.claim)[row]

    def _shared(self, text: str) -> dict[int, list[SharedWord]]:
        if text not in self._words:
            self._words[text] = self._find_words(text)
        return self._words[text]

    def _find_words(self, text: str) -> dict[int, list[SharedWord]]:
        """Return for each paper of the answer the words that it shares with a text."""
        bag = Bag.of(self.stores, text)

        written = words_by_stem(_COMMAND.sub(" ", text))
        frequencies = self.stores.terms.statistics(bag.terms, "text").frequencies.tolist()
        words = [
            SharedWord(written.get(stem, stem), count, len(written.get(stem, "")) > 1)
            for stem, count in zip(self.stores.terms.words(bag.terms), frequencies, strict=True)
        ]
        named = [self._names_something(each) for each in words]

        parts = similarity_by_term(self.stores, self.rows, bag)
        # papers x terms: each paper's terms by falling share of its similarity
        orders = np.argsort(-parts, axis=1, kind="stable")
        return {
            row: [words[number] for number in order.tolist() if part[number] > 0 and named[number]]
            for row, order, part in zip(self.rows.tolist(), orders, parts, strict=True)
        }

    def _names_something(self, word: SharedWord) -> bool:
        """Whether a word is neither a function word nor in most papers of a large library."""
        papers = len(self.stores.papers)
        common = papers >= _MANY_PAPERS and word.papers > _COMMON * papers
        return not (common or is_function_word(word.word))

    # Citing sentences

    @cached_property
    def _evidence(self) -> dict[int, EvidenceSpan]:
        evidence = self._grounder.ground(self.query, self.rows, self.scope, 1)
        pairs = zip(self.rows.tolist(), evidence, strict=True)
        return {row: spans[0] for row, spans in pairs if spans}

    def evidence(self, row: int) -> EvidenceSpan | None:
        """Return the sentence that cites a paper and is most similar to the query."""
        return self._evidence.get(row)

    def sentence_counts(self, row: int) -> tuple[int, int]:
        """Return in how many sentences a paper is cited, and in how many papers of the library."""
        cited = self.stores.evidence.citations_of(np.array([row]), self.scope)
        papers = cited.citing[cited.citing >= 0]
        return np.unique(cited.sentences).size, np.unique(papers).size

    def citing_similar_to_draft(self, row: int) -> list[int]:
        """Return the papers whose sentences cite a paper and that share a word with the draft, most
        similar first.
        """
        citing = self.stores.evidence.citations_of(np.array([row]), self.scope).citing
        rows = np.unique(citing[citing >= 0])
        bag = Bag.of_draft(self.stores, self.query)
        return _by_score(rows, similarity(self.stores, rows, bag))

    def named(self, rows: Iterable[int]) -> tuple[NamedPaper, ...]:
        """Return the ids, titles and years of papers, as a reason names them."""
        papers = self.stores.papers.read([*rows])
        return tuple(NamedPaper(paper.id, paper.title, paper.year) for paper in papers)


def _by_score(rows: Rows, scores: Column) -> list[int]:
    """Return the rows with a score above 0, highest first."""
    order = np.lexsort((rows, -scores))
    return [int(rows[position]) for position in order.tolist() if scores[position] > 0]
