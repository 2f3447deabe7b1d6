"""Evidence for papers: the sentences that cite each of them and are most like the query."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from citewise.claims.marking import shared_words
from citewise.claims.search import Claim, Stores, find
from citewise.protocols import Papers
from citewise.types import Column, EvidenceSpan, NamedPaper, Occurrence, Query, Rows, Scope

_TELLING = 20
"""Of a draft's title and abstract, so many of the most telling terms are looked for."""
_LOOKED_AT = 4
"""Times as many spans are looked at as are wanted: several may be of one sentence."""
_CITING = 3
_WORTH_MARKING = 0.3
"""Words that are rare among spans are marked, by their idf relative to the rarest."""


class _Stores(Papers, Stores, Protocol):
    """What this stage reads."""


class Grounding:
    """The grounder."""

    def __init__(self, stores: _Stores) -> None:
        self._stores = stores

    def ground(self, query: Query, rows: Rows, scope: Scope, most: int) -> list[tuple[EvidenceSpan, ...]]:
        """Return for each paper the sentences that cite it, most like the query first, no sentence twice.

        Of equally like ones those with more support go first. For a sentence, only such as share a word with it.
        """
        claim = self._claim(query)
        owners, spans, scores, support = self._scored(claim, rows, scope)
        kept = scores > 0 if query.sentence else np.ones(scores.size, np.bool_)
        order = np.lexsort((spans, -support, -scores, owners))
        order = order[kept[order]]
        nth = np.arange(order.size) - np.searchsorted(owners[order], owners[order])
        order = order[nth < most * _LOOKED_AT]
        found = self._stores.occurrences(spans[order], rows[owners[order]], scope, _CITING)
        named = self._named(found)
        stems = self._stores.words(claim.terms[claim.rarity >= _WORTH_MARKING * claim.rarity.max(initial=0.0)])
        grounds: list[dict[str, EvidenceSpan]] = [{} for _ in range(rows.size)]
        for place, occurrences in zip(order.tolist(), found, strict=True):
            held = grounds[owners[place]]
            if len(held) < most and occurrences and occurrences[0].text not in held:
                held[occurrences[0].text] = _evidence(occurrences, named, stems, int(support[place]),
                                                      float(scores[place]))
        return [tuple(each.values()) for each in grounds]

    def _claim(self, query: Query) -> Claim:
        claim = Claim.of(self._stores, query.sentence or query.text)
        if query.sentence:
            return claim
        kept = np.sort(np.argsort(-claim.weights, kind="stable")[:_TELLING])
        return Claim(claim.terms[kept], claim.counts[kept], claim.rarity[kept])

    def _scored(self, claim: Claim, rows: Rows, scope: Scope) -> tuple[Rows, Rows, Column, Rows]:
        """Return (place of the paper, span, the span's likeness, its support) for all spans that tell of the papers."""
        cited = self._stores.citations_of(rows, scope)
        width = int(cited.spans.max(initial=0)) + 1
        pairs, support = np.unique(cited.places * width + cited.spans, return_counts=True)
        spans = pairs % width
        hits = find(self._stores, claim, scope)
        scores = np.append(hits.scores(claim.weights) / claim.total, 0.0)
        at = np.searchsorted(hits.spans, spans)
        held = np.append(hits.spans, -1)[at] == spans
        return pairs // width, spans, np.where(held, scores[at], 0.0), support

    def _named(self, found: Sequence[Sequence[Occurrence]]) -> dict[int, tuple[str, str]]:
        """Return id and title of the citing papers that the library has, by row."""
        rows = sorted({each.row for occurrences in found for each in occurrences if each.row >= 0})
        return {row: (paper.id, paper.title) for row, paper in zip(rows, self._stores.papers(rows), strict=True)}


def _evidence(occurrences: Sequence[Occurrence], named: dict[int, tuple[str, str]], stems: Sequence[str], support: int,
              score: float) -> EvidenceSpan:
    first = occurrences[0]
    citing = (NamedPaper(*named.get(each.row, (each.citing, "")), each.year or None) for each in occurrences)
    return EvidenceSpan(first.text, first.span.start, first.span.end, shared_words(first.text, stems, first.marks),
                        first.marks, first.section, tuple(dict.fromkeys(citing)), support, score)
