"""What NNSelect learns from: a library's papers as counted stems, and which of them cites which.

Nothing of the dev years or later is used: neither their citations nor their words.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Mask, Ragged, Rows
from citewise.embed.word_vectors import damped
from citewise.errors import BadInput
from citewise.evaluate.splits import cited
from citewise.protocols import FIELDS, Stores
from citewise.train.nnselect.settings import NNSelectSettings

Floats = NDArray[np.float32]

LEAST_PAIRS = 100
"""Fewer citations teach nothing."""


@dataclass(frozen=True)
class Corpus:
    """Papers up to a year; everywhere here, a paper is its position in `rows`."""

    year: int
    """The last year that is used."""
    rows: Rows
    stems: tuple[str, ...]
    rarity: Floats
    """ln(1 + papers / document frequency) of each stem."""
    fields: tuple[Any, Any]
    """Damped counts in titles and in abstracts: scipy's sparse rows, a paper a row."""
    references: Ragged
    """The papers that each paper cites, sorted; of papers that may not be learned from, none."""
    in_citations: NDArray[np.int64]

    @property
    def citing(self) -> Rows:
        """The papers that cite."""
        return np.flatnonzero(self.references.lengths)

    @classmethod
    def of(cls, stores: Stores, year: int, settings: NNSelectSettings, left_out: Rows) -> "Corpus":
        """Return the papers of a library up to a year; nothing is learned from what the papers at
        the rows `left_out` cite.
        """
        rows = stores.papers.rows
        years = stores.papers.years(rows)
        rows = rows[(years > 0) & (years <= year)]
        if not rows.size:
            raise BadInput(f"{stores.info.location}: no paper is of {year} or before")

        counted = [stores.terms.contents(rows, field) for field in FIELDS]
        terms, rarity = _vocabulary(stores, counted, rows.size, settings)
        fields = [_matrix(*each, terms, settings) for each in counted]
        references = references_among(stores, rows, left_out)
        if references.values.size < LEAST_PAIRS:
            raise BadInput(
                f"training needs at least {LEAST_PAIRS} citations between papers up to {year}; "
                f"{stores.info.location} has {references.values.size}"
            )
        return cls(
            year=year,
            rows=rows,
            stems=tuple(stores.terms.words(terms)),
            rarity=rarity,
            fields=(fields[0], fields[1]),
            references=references,
            in_citations=np.bincount(references.values, minlength=rows.size),
        )

    def pairs(self, settings: NNSelectSettings, random: np.random.Generator) -> tuple[Rows, Rows]:
        """Return the pairs of a citing and a cited paper that an epoch learns from, shuffled."""
        least, most = settings.positives
        citing, cited_ = self.references.owners, self.references.values

        # the rank of each pair among those of its citing paper, in a random order
        order = np.lexsort((random.random(citing.size), citing))
        rank = np.zeros(citing.size, np.int64)
        rank[order] = np.arange(citing.size) - self.references.starts[citing[order]]

        kept = (self.references.lengths[citing] >= least) & (rank < most)
        chosen = random.permutation(np.flatnonzero(kept))
        return citing[chosen], cited_[chosen]

    def cites(self, citing: Rows, others: Rows) -> Mask:
        """Return for each pair of papers whether the first cites the second; of equal shapes."""
        asked = citing * self.rows.size + others
        at = np.minimum(np.searchsorted(self._keys, asked), self._keys.size - 1)
        found: Mask = self._keys[at] == asked
        return found

    def citing_matrix(self, citing: Rows, others: Rows) -> Mask:
        """Return the citing x others matrix of who cites whom."""
        columns, places = np.unique(others, return_inverse=True)
        references = self.references.take(citing)
        at = np.minimum(np.searchsorted(columns, references.values), columns.size - 1)
        known = columns[at] == references.values

        found = np.zeros((citing.size, columns.size), np.bool_)
        found[references.owners[known], at[known]] = True
        return found[:, places]

    @functools.cached_property
    def _keys(self) -> Rows:
        """Each citation as one number, sorted."""
        keys: Rows = self.references.owners * self.rows.size + self.references.values
        return keys


def _vocabulary(
    stores: Stores,
    counted: list[tuple[Ragged, NDArray[np.int64]]],
    papers: int,
    settings: NNSelectSettings,
) -> tuple[Rows, Floats]:
    """Return the sorted numbers of the terms that are learned, and how rare each is."""
    frequencies = np.zeros(stores.info.terms, np.int64)
    title, abstract = (terms for terms, _ in counted)
    key = np.unique(
        np.concatenate([each.owners * frequencies.size + each.values for each in (title, abstract)])
    )
    frequencies += np.bincount(key % frequencies.size, minlength=frequencies.size)

    common = np.flatnonzero(frequencies >= settings.least_papers)
    common = common[np.argsort(-frequencies[common], kind="stable")][: settings.vocabulary]
    terms = np.sort(common)
    if not terms.size:
        raise BadInput(
            f"{stores.info.location}: no stem is in {settings.least_papers} papers or more"
        )
    return terms, np.log(1 + papers / frequencies[terms]).astype(np.float32)


def _matrix(
    contents: Ragged, counts: NDArray[np.int64], terms: Rows, settings: NNSelectSettings
) -> Any:
    """Return the papers x stems matrix of damped counts."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    at = np.minimum(np.searchsorted(terms, contents.values), terms.size - 1)
    known = terms[at] == contents.values
    kept = contents.kept(known)
    columns = at[known].astype(np.int32)
    values = damped(counts[known], settings.damping)
    return csr_matrix((values, columns, kept.starts), shape=(len(contents), terms.size))


def references_among(stores: Stores, rows: Rows, left_out: Rows) -> Ragged:
    """Return the positions of the papers that each of some papers cites among them, sorted and each
    once; of those `left_out`, none.
    """
    references = cited(stores, rows)
    owners, values = references.owners, np.searchsorted(rows, references.values)
    known = (values < rows.size) & ~np.isin(rows, left_out)[owners]
    known &= rows[np.minimum(values, rows.size - 1)] == references.values

    key = np.unique(owners[known] * rows.size + values[known])
    counts = np.bincount(key // rows.size, minlength=rows.size)
    return Ragged(key % rows.size, np.concatenate(([0], np.cumsum(counts))))
