"""Evidence for papers: the sentences that cite each of them and are most similar to the query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citewise.arrays import Column, Rows
from citewise.protocols import Stores
from citewise.spans.profiles import ClaimSearch
from citewise.spans.search import Claim, search_spans
from citewise.text.highlight import matching_words
from citewise.types import EvidenceSpan, NamedPaper, Occurrence, Query, Scope

_TELLING = 20
"""Of a draft's title and abstract, this many of the most informative terms are searched for."""
_TRIED = 4
"""This many times the wanted spans are tried: several may be of one sentence."""
_CITING = 3
"""Citing papers that are named for a span."""
_WORTH_MARKING = 0.3
"""Words are marked whose idf among spans is at least this share of the highest."""


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Spans for which some papers are cited, one a position of these columns."""

    owners: Rows
    """Position of the cited paper."""
    spans: Rows
    scores: Column
    """The span's similarity to the claim."""
    support: Rows

    def best(self, limit: int, matching_only: bool) -> Rows:
        """Return the positions of each paper's best spans: by similarity, then by support."""
        # by paper, then by similarity, then by support, then by span
        order = np.lexsort((self.spans, -self.support, -self.scores, self.owners))

        if matching_only:
            order = order[self.scores[order] > 0]
        owners = self.owners[order]

        # the position of each span among its paper's: its own, less that of the paper's first
        nth = np.arange(order.size) - np.searchsorted(owners, owners)
        return order[nth < limit]


class EvidenceGrounder:
    """The grounder; `claims` is shared with the other stages of its system."""

    def __init__(self, stores: Stores, claims: ClaimSearch) -> None:
        self._stores, self._claims = stores, claims

    def ground(
        self, query: Query, rows: Rows, scope: Scope, limit: int
    ) -> list[tuple[EvidenceSpan, ...]]:
        """Return for each paper the sentences that cite it, most similar to the query first.

        No sentence is shown twice. For a sentence query, only sentences that share a word with it.
        """
        is_sentence = bool(query.sentence.strip())
        claim, spans, scores = self._matches(query, scope)
        candidates = self._candidates(spans, scores, rows, scope)
        chosen = candidates.best(limit * _TRIED, matching_only=is_sentence)
        occurrences = self._stores.evidence.occurrences(
            candidates.spans[chosen], rows[candidates.owners[chosen]], scope, _CITING
        )

        names, stems = self._names(occurrences), self._marked_stems(claim)
        evidence: list[dict[str, EvidenceSpan]] = [{} for _ in range(rows.size)]
        for position, sentences in zip(chosen.tolist(), occurrences, strict=True):
            shown = evidence[candidates.owners[position]]
            if len(shown) < limit and sentences and sentences[0].text not in shown:
                support, score = candidates.support[position], candidates.scores[position]
                shown[sentences[0].text] = _evidence(
                    sentences, names, stems, int(support), float(score)
                )
        return [tuple(each.values()) for each in evidence]

    def _matches(self, query: Query, scope: Scope) -> tuple[Claim, Rows, Column]:
        """Return the claim, the spans that share a term with it, sorted, and their similarity.

        For a sentence query the retriever has computed them already.
        """
        if query.sentence.strip():
            matches = self._claims.search(query.claim, scope)
            return matches.claim, matches.spans, matches.span_scores

        claim = Claim.of(self._stores, query.text).most_telling(_TELLING)
        hits = search_spans(self._stores, claim, scope)
        return claim, hits.spans, hits.scores(claim.weights) / claim.total

    def _candidates(self, matching: Rows, scores: Column, rows: Rows, scope: Scope) -> _Candidates:
        """Return every span for which one of the papers is cited, with its similarity."""
        cited = self._stores.evidence.citations_of(rows, scope)

        # (paper, span) as one number: each pair once, counted
        width = int(cited.spans.max(initial=0)) + 1
        pairs, support = np.unique(cited.positions * width + cited.spans, return_counts=True)
        spans = pairs % width

        # matching[at] == spans where a span shares a term with the claim; -1 is behind the last
        at = np.searchsorted(matching, spans)
        matches = np.append(matching, -1)[at] == spans
        similarity = np.where(matches, np.append(scores, 0.0)[at], 0.0)
        return _Candidates(pairs // width, spans, similarity, support)

    def _marked_stems(self, claim: Claim) -> list[str]:
        """Return the stems of the claim's words that are rare enough to be marked."""
        rare = claim.idf >= _WORTH_MARKING * claim.idf.max(initial=0.0)
        return self._stores.terms.words(claim.terms[rare])

    def _names(self, occurrences: Sequence[Sequence[Occurrence]]) -> dict[int, tuple[str, str]]:
        """Return id and title of the citing papers that the library has, by row."""
        rows = sorted(
            {each.row for sentences in occurrences for each in sentences if each.row >= 0}
        )
        papers = self._stores.papers.read(rows)
        return {row: (paper.id, paper.title) for row, paper in zip(rows, papers, strict=True)}


def _evidence(
    sentences: Sequence[Occurrence],
    names: dict[int, tuple[str, str]],
    stems: Sequence[str],
    support: int,
    score: float,
) -> EvidenceSpan:
    """Return a span as evidence: the latest sentence with it, and the papers that cite for it."""
    first = sentences[0]
    citing = (
        NamedPaper(*names.get(each.row, (each.citing, "")), each.year or None) for each in sentences
    )

    return EvidenceSpan(
        text=first.text,
        start=first.span.start,
        end=first.span.end,
        words=matching_words(first.text, stems, first.marks),
        marks=first.marks,
        section=first.section,
        citing=tuple(dict.fromkeys(citing)),
        support=support,
        score=score,
    )
