"""A draft among the papers of a library, by vectors, where the library has such vectors."""

import numpy as np

from citewise.arrays import spread
from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import shipped
from citewise.embed.word_vectors import WordVectors
from citewise.errors import BadInput, MissingData, MissingExtra
from citewise.protocols import FIELDS, Compared, EncodedBy, QueryVectors, Stores
from citewise.signals import TEXT_VECTORS, WORD_VECTORS, VectorSignals
from citewise.types import Query

_KNOWN, _SAMPLE = 0.95, 1_000
"""Where the model that ships knows a smaller share of the stems in papers (a sample of this many),
the ranker that ships is better without its vectors: it knows 0.99 in the field that both were
trained on, where vectors help, and 0.91 in `elife`, where F1@20 on dev was .203 with and .215
without them.
"""

_MODEL_GONE = (
    "without vectors (the model that made those of the papers is gone; make them anew with: "
    "citewise encode --library LIBRARY --model {})"
)

_ENOUGH = 0.9
"""Where a smaller share of the papers has vectors of a transformer, the ranker that reads them
would hold it against the others that they have none.
"""

_TOO_FEW = (
    "without vectors of {0} (only {1}% of the papers have one; make the others with: "
    "citewise encode --library LIBRARY --papers --model {0})"
)


class SetVectors:
    """`protocols.DraftVectors` over a named set: nothing is found where the library does not have
    the set, where the model that made it is gone, or where the model that ships made it and knows
    too little of what the library is about.
    """

    def __init__(self, stores: Stores, name: str, signals: VectorSignals = WORD_VECTORS) -> None:
        self._vectors: QueryVectors | None = None
        self.signals, self.note = signals, ""
        """What an answer says where papers have vectors that nothing can be compared with."""
        try:
            vectors = query_vectors(stores, name)
        except MissingData:  # whoever needs the set says so; here it is welcome, not required
            if stores.vectors.papers(name) is not None:
                self.note = _MODEL_GONE.format(name)
            return

        model = shipped()
        is_shipped = model is not None and vectors.papers.about == model.about
        if model is None or not is_shipped or known_share(stores, model) >= _KNOWN:
            self._vectors = vectors

    def of(self, query: Query) -> Compared | None:
        """Return the papers' vectors and the draft's; None where either is not to be had."""
        if self._vectors is None:
            return None
        vector = self._vectors.of(query)
        return None if np.isnan(vector).any() else (self._vectors.papers, vector)


def sets_of_vectors(stores: Stores, words: str, encoder: str = "") -> tuple[SetVectors, ...]:
    """Return the sets of papers' vectors that a system reads: one that is made from single words,
    and one that a transformer made; "" for no such set.
    """
    by_words = SetVectors(stores, words)
    return (by_words, SetVectors(stores, encoder, TEXT_VECTORS)) if encoder else (by_words,)


def covers(stores: Stores, encoder: str) -> tuple[bool, str]:
    """Return whether nearly all papers of a library have vectors of a transformer that can be run
    here; and a note where only some have one, or where it cannot be run.
    """
    papers = stores.vectors.papers(encoder)
    if papers is None:
        return False, ""
    share = len(papers) / max(len(stores.papers), 1)
    if share < _ENOUGH:
        return False, _TOO_FEW.format(encoder, round(100 * share))
    try:
        query_vectors(stores, encoder)
    except (BadInput, MissingData, MissingExtra) as error:
        return False, f"without vectors of {encoder} ({error})"
    return True, ""


def known_share(stores: Stores, model: WordVectors) -> float:
    """Return the share of the stems in a library's papers that a model has vectors for; a sample of
    the papers is looked at, once for each library and model.
    """
    key = stores.info.fingerprint, model.about
    if key not in _known_shares:
        _known_shares[key] = _known_share(stores, model)
    return _known_shares[key]


_known_shares: dict[tuple[str, EncodedBy], float] = {}
"""The shares that `known_share` has computed, by the library's fingerprint and the model."""


def _known_share(stores: Stores, model: WordVectors) -> float:
    rows, embedder = spread(stores.papers.rows, _SAMPLE), model.over(stores.terms.words)
    known = np.concatenate(
        [embedder.rows(stores.terms.contents(rows, field)[0].values) >= 0 for field in FIELDS]
    )
    return float(known.mean()) if known.size else 0.0
