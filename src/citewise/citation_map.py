"""Lay papers out on a map: years from left to right, papers of similar citations side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.protocols import Stores
from citewise.render.citation_keys import citation_keys

Role = Literal["recommended", "basket", "cited"]

_DIRECT = 0.5
"""What a citation between two papers adds to their similarity."""


@dataclass(frozen=True, slots=True)
class CitationMap:
    """Papers with their places (from 0 to 1), the citations among them, and the years' places."""

    papers: list[dict[str, Any]]
    edges: list[tuple[str, str]]
    """Pairs of ids: citing, cited."""
    years: list[dict[str, float]]


def citation_map(stores: Stores, roles: Mapping[str, Role]) -> CitationMap:
    """Return a map of the papers with these ids; ids that the library does not have are left out.

    The same papers always get the same places.
    """
    keys = [*roles]
    found = stores.papers.find(keys).tolist()
    by_row = {row: roles[key] for key, row in zip(keys, found, strict=True) if row >= 0}
    rows = np.array(sorted(by_row), np.int64)
    if not rows.size:
        return CitationMap([], [], [])

    cited, citing = stores.graph.references(rows), stores.graph.citers(rows)
    edges = _edges(rows, cited)
    years = stores.papers.years(rows)
    across, ticks = _years(years)
    down = _order(_similarity(rows.size, cited, citing, edges))

    papers = stores.papers.read(rows)
    places = zip(papers, citation_keys(papers), rows.tolist(), strict=True)
    documents = [
        {
            "id": paper.id,
            "title": paper.title,
            "authors": list(paper.authors),
            "year": paper.year,
            "venue": paper.venue,
            "citations": int(citing.lengths[position]),
            "role": by_row[row],
            "x": round(float(across[position]), 4),
            "y": round(float(down[position]), 4),
            "key": key,
        }
        for position, (paper, key, row) in enumerate(places)
    ]
    named = [(papers[source].id, papers[target].id) for source, target in edges.tolist()]
    return CitationMap(documents, named, ticks)


def _edges(rows: Rows, cited: Ragged) -> NDArray[np.int64]:
    """Return the citations among sorted rows as pairs of positions."""
    sources = cited.owners
    targets = np.searchsorted(rows, cited.values)
    inside = np.append(rows, -1)[targets] == cited.values
    return np.stack((sources[inside], targets[inside]), axis=1)


def _years(years: NDArray[np.int64]) -> tuple[NDArray[np.float64], list[dict[str, float]]]:
    """Return each paper's place by the rank of its year, and the place of each year.

    Years are spaced by rank, so that one old paper does not push the others together; papers of
    unknown year (0) are put with the earliest.
    """
    known = np.unique(years[years > 0])
    ranks = np.searchsorted(known, np.maximum(years, known[0] if known.size else 0))
    places = (np.arange(known.size) + 0.5) / max(known.size, 1)
    across = places[ranks] if known.size else np.full(years.size, 0.5)
    ticks = [
        {"year": int(year), "x": round(float(place), 4)}
        for year, place in zip(known.tolist(), places.tolist(), strict=True)
    ]
    return across, ticks


def _similarity(
    size: int, cited: Ragged, citing: Ragged, edges: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the papers x papers matrix of similarity: the mean of the cosines of what they cite
    (coupling) and of what cites them (co-citation), more where one cites the other.
    """
    similarity = (_cosines(cited) + _cosines(citing)) / 2
    similarity[edges[:, 0], edges[:, 1]] += _DIRECT
    similarity[edges[:, 1], edges[:, 0]] += _DIRECT
    np.fill_diagonal(similarity, 0.0)
    return similarity


def _cosines(lists: Ragged) -> NDArray[np.float64]:
    """Return the cosine of each pair of different lists, each a list of distinct values; 0 on the
    diagonal.

    Time and memory grow with the values and with the pairs that share one: a matrix of lists x
    values would need gigabytes where papers have thousands of citers.
    """
    size, order = len(lists), np.argsort(lists.values, kind="stable")
    values, owners = lists.values[order], lists.owners[order]
    common = np.zeros(size * size, np.int64)

    # values  3 3 3 7 9 9    sorted, each with its list: one and the next, one and the next but one
    # owners  0 1 4 2 0 1    at step 1: 0-1, 1-4, 0-1; at step 2: 0-4
    first, step = np.arange(values.size), 1
    while first.size:
        first = first[first < values.size - step]
        first = first[values[first] == values[first + step]]
        common += np.bincount(owners[first] * size + owners[first + step], minlength=common.size)
        step += 1

    lengths = np.sqrt(np.maximum(lists.lengths, 1))
    shared = common.reshape(size, size)
    cosines: NDArray[np.float64] = (shared + shared.T) / lengths[:, None] / lengths[None, :]
    return cosines


def _order(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places from 0 to 1 at which similar papers are close: ranks by the Fiedler vector, the
    second eigenvector of the normalised Laplacian I - D^-1/2 S D^-1/2.
    """
    size = similarity.shape[0]
    if size == 1:
        return np.array([0.5])

    weak = similarity + 1e-3  # all hang together, if only weakly
    np.fill_diagonal(weak, 0.0)
    scale = 1 / np.sqrt(weak.sum(axis=1))
    laplacian = np.eye(size) - scale[:, None] * weak * scale[None, :]
    fiedler = np.linalg.eigh(laplacian)[1][:, 1] * scale

    # an eigenvector has two signs: the largest entry is made positive
    fiedler = np.round(fiedler * np.sign(fiedler[np.argmax(np.abs(np.round(fiedler, 9)))]), 9)
    ranks = np.empty(size)
    ranks[np.argsort(fiedler, kind="stable")] = np.arange(size)
    placed: NDArray[np.float64] = (ranks + 0.5) / size
    return placed


def roles_of(
    recommended: Sequence[str], basket: Sequence[str], cited: Sequence[str]
) -> dict[str, Role]:
    """Return the role of each id; of several, that which the author gave: basket, then cited."""
    roles: dict[str, Role] = dict.fromkeys(recommended, "recommended")
    roles |= dict.fromkeys(cited, "cited")
    return roles | dict.fromkeys(basket, "basket")
