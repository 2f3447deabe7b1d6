"""Signals of citing sentences for a candidate: single spans, its profile, its title and abstract.

Similarities are relative to the total weight of the claim's terms, so that they mean the same in
another library.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Mask, RowIndex, Rows, highest, summed
from citewise.protocols import Citations, Profiles, Stores
from citewise.scoring.bm25 import idf, length_norm, saturation
from citewise.signals import SENTENCES
from citewise.spans.dense import DenseSimilarity
from citewise.spans.profiles import ClaimMatches, TermCounts
from citewise.text.proper_names import names
from citewise.types import Query, Scope

Matrix = NDArray[np.float64]
"""Papers x terms."""

_NEAR, _FAIRLY_NEAR = 50, 100
_LEADERS = 20
"""The first candidates by mass (the summed similarity of the spans that cite them): co-citation is
measured with these.
"""
_ENCODED_NOW = 20
"""Spans that came after the vectors were made are encoded for an answer if there are at most this
many among the nearest.
"""
_SAMPLED = 40
"""Spans at most of all that cite a candidate, of which vectors are compared."""
_LATEST = 9_999
"""A query's year may be any number."""
_OLDEST = 40
"""Years; older papers count as this old."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates with what several signals need to know about them."""

    rows: Rows
    matches: ClaimMatches
    citations: Citations
    """Of the candidates."""
    citing: tuple[Rows, Rows]
    """The distinct pairs of a candidate's position and a citing paper of the library."""
    profiles: Profiles
    scope: Scope

    @classmethod
    def of(cls, stores: Stores, rows: Rows, matches: ClaimMatches, scope: Scope) -> "Candidates":
        """Look up who cites the candidates."""
        citations = stores.evidence.citations_of(rows, scope)
        profiles = stores.evidence.profiles(rows, scope)
        return cls(rows, matches, citations, _pairs(citations), profiles, scope)


def _pairs(citations: Citations) -> tuple[Rows, Rows]:
    """Return the distinct pairs of a candidate's position and a citing paper of the library."""
    known = citations.citing >= 0
    # (position, citing paper) as one number: each pair once
    width = np.int64(citations.citing.max(initial=0)) + 1
    keys = np.unique(citations.positions[known] * width + citations.citing[known])
    return keys // width, keys % width


def span_signals(given: Candidates, nearest: tuple[Rows, Rows]) -> dict[str, Column]:
    """Return what the nearest spans say: sums of their similarity to powers, the best one, its
    ranks, and how many there are.
    """
    matches, count = given.matches, given.rows.size
    at, spans = nearest
    similarity = matches.similarity[spans]
    cubed = similarity**3
    # how many candidates each span supports
    width = np.bincount(spans, minlength=matches.nearest.size)[spans]
    # the argsort of an argsort is the rank of each span by BM25+, from 0
    order = np.argsort(-matches.similarity_plus, kind="stable")
    rank_plus = np.argsort(order, kind="stable")[spans]
    return {
        "mass": summed(at, similarity, count),
        "mass3": summed(at, cubed, count),
        "mass5": summed(at, similarity**5, count),
        "mass3_near": summed(at, cubed * (spans < _FAIRLY_NEAR), count),
        "mass3_narrow": summed(at, cubed / width, count),
        "best_span": highest(at, similarity, count),
        "span_nearness": highest(at, 1 / (1.0 + spans), count),
        "span_nearness_plus": highest(at, 1 / (1.0 + rank_plus), count),
        "near_spans": summed(at, (spans < _NEAR).astype(np.float64), count),
        "spans": summed(at, np.ones(at.size), count),
    }


def nearest_spans(stores: Stores, given: Candidates) -> tuple[Rows, Rows]:
    """Return (candidate, span) for each sentence that cites a candidate, with only the nearest of
    the sentence's spans; a span is its position in `given.matches.nearest`.
    """
    cited = stores.evidence.citations_for(given.matches.nearest, given.scope)
    at = RowIndex(given.rows).of(cited.rows)
    known = np.flatnonzero(at >= 0)
    # the nearest spans come first, and np.unique returns the first of equal keys
    keys = cited.sentences[known] * given.rows.size + at[known]
    _, first = np.unique(keys, return_index=True)
    known = known[first]
    return at[known], cited.positions[known]


MEANING = SENTENCES.names("sentences", "meaning of spans")


def meaning_signals(
    dense: DenseSimilarity | None, query: Query, given: Candidates, nearest: tuple[Rows, Rows]
) -> dict[str, Column]:
    """Return what the vectors of the nearest spans say, by their cosine with the claim: sums of its
    powers, the best one, and its rank; NaN where most of them have no vector.
    """
    at, spans, count = *nearest, given.rows.size
    unknown = {name: np.full(count, np.nan) for name in MEANING}
    if dense is None:
        return unknown
    cosines = dense.spans(query.claim, given.matches.nearest, _ENCODED_NOW)
    if 2 * np.count_nonzero(np.isnan(cosines)) > cosines.size:
        return unknown

    cosines = _positive(cosines)
    # the argsort of an argsort is the rank of each span by its cosine, from 0
    order = np.argsort(-cosines, kind="stable")
    rank = np.argsort(order, kind="stable")[spans]
    cosine, words = cosines[spans], given.matches.similarity[spans]
    return {
        "meaning_best": highest(at, cosine, count),
        "meaning_mass": summed(at, cosine**4, count),
        "meaning_mass_near": summed(at, cosine**12, count),
        "meaning_and_words": summed(at, cosine**4 * words**2, count),
        "meaning_nearness": highest(at, 1 / (1.0 + rank), count),
        **_profile_meaning(dense, query, given),
    }


def _profile_meaning(dense: DenseSimilarity, query: Query, given: Candidates) -> dict[str, Column]:
    """Return what the vectors of all spans that cite a candidate say, whether or not they share a
    word with the claim; of a much cited one, a sample of them.
    """
    cited, count = given.citations, given.rows.size
    lengths = np.bincount(cited.positions, minlength=count)
    # the number of each citation among those of its candidate: 0, 1, 2, ...
    number = np.arange(cited.positions.size) - (np.cumsum(lengths) - lengths)[cited.positions]
    # evenly spread: of n citations, those at which floor(number * sampled / n) grows
    n = np.maximum(lengths, _SAMPLED)[cited.positions]
    taken = number * _SAMPLED // n != (number - 1) * _SAMPLED // n

    spans, positions = np.unique(cited.spans[taken], return_inverse=True)
    at, cosine = cited.positions[taken], _positive(dense.spans(query.claim, spans, 0))[positions]
    known = np.maximum(np.minimum(lengths, _SAMPLED), 1)
    return {
        "meaning_profile_best": highest(at, cosine, count),
        "meaning_profile_mean": summed(at, cosine, count) / known,
        "meaning_profile_mass": summed(at, cosine**12, count),
    }


def _positive(cosines: Column) -> Column:
    """Return cosines with 0 for those that are negative or unknown."""
    return np.clip(np.nan_to_num(cosines), 0.0, 1.0)


def profile_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return how a candidate's profile answers the claim's terms.

    `cover` is the weight of the terms that it has at all, `share` how usual they are in it, `lift`
    which part of all their occurrences it has; the same for the names in the claim alone, NaN
    where it has none.
    """
    matches, claim, count = given.matches, given.matches.claim, given.rows.size
    profile, support = matches.counts(given.rows), given.profiles.citations
    usual = profile.counts / (support[profile.rows] + 2)
    part = profile.counts / (matches.term_totals[profile.columns] + 2)
    all_citations = max(matches.profile_statistics.citations, 1.0)
    expected = matches.term_totals[profile.columns] / all_citations
    observed = profile.counts / (support[profile.rows] + 1)
    odds = np.log1p(observed / np.maximum(expected, 1e-9))

    total = _WeightedSum(profile, count)
    is_name = _is_name(stores, query, given)
    name_weight = claim.weights * is_name
    scale = 1 / name_weight.sum() if name_weight.any() else np.nan
    return {
        "cover": total(claim.weights) / claim.total,
        "share": total(claim.weights, usual) / claim.total,
        "lift": total(claim.weights, part),
        "log_odds": total(claim.counts, odds),
        "highest_lift": highest(profile.rows, claim.idf[profile.columns] * part, count),
        "names_cover": total(name_weight) * scale,
        "names_share": total(name_weight, usual) * scale,
        "names_lift": total(name_weight, part) * scale,
        "names": np.full(count, float(is_name.sum())),
    }


def _is_name(stores: Stores, query: Query, given: Candidates) -> Column:
    """Return 1 for each term of the claim that is written like a name, else 0."""
    terms, _ = stores.terms.of(names(query.claim))
    return np.isin(given.matches.claim.terms, terms).astype(np.float64)


class _WeightedSum:
    """Adds up weights of the terms in the candidates' profiles."""

    def __init__(self, profile: TermCounts, count: int) -> None:
        self._profile, self._count = profile, count

    def __call__(self, weights: Column, factors: Column | float = 1.0) -> Column:
        return summed(self._profile.rows, weights[self._profile.columns] * factors, self._count)


def word_signals(stores: Stores, query: Query, given: Candidates) -> dict[str, Column]:
    """Return the BM25 scores by title, by title and abstract, by profile, and by all together."""
    rows, matches, claim = given.rows, given.matches, given.matches.claim
    in_titles = stores.terms.counts(rows, claim.terms, "title")
    in_texts = in_titles + stores.terms.counts(rows, claim.terms, "abstract")
    everything, profile = in_texts.copy(), matches.counts(rows)
    np.add.at(everything, (profile.rows, profile.columns), profile.counts)

    texts = stores.terms.statistics(claim.terms, "text")
    titles = stores.terms.statistics(claim.terms, "title")
    title_idf = idf(titles)
    text_lengths = stores.terms.lengths(rows, "text").astype(np.float64)
    title_lengths = stores.terms.lengths(rows, "title")
    mean_text = _mean_length(text_lengths, given.profiles.terms > 0)
    mean_profile = matches.profile_statistics.mean_length
    profile_weights = claim.counts * matches.profile_idf

    has_term = in_titles > 0
    named = _is_name(stores, query, given) * claim.weights
    by_profile = _bm25(
        everything - in_texts, given.profiles.terms / max(mean_profile, 1e-9), profile_weights
    )
    by_text = _bm25(in_texts, text_lengths / mean_text, claim.counts * idf(texts))
    by_title = _bm25(
        in_titles, title_lengths / max(titles.mean_length, 1e-9), claim.counts * title_idf
    )
    by_everything = _bm25(
        everything,
        (text_lengths + given.profiles.terms) / (mean_profile + mean_text),
        profile_weights,
    )
    return {
        "profile_score": by_profile / claim.total,
        "text_score": by_text / claim.total,
        "title_score": by_title / claim.total,
        "whole_score": by_everything / claim.total,
        "title_cover": has_term @ claim.weights / claim.total,
        "title_in_sentence": has_term @ title_idf / np.maximum(_title_weight(stores, rows), 1e-9),
        "names_title": (
            has_term @ named / named.sum() if named.any() else np.full(rows.size, np.nan)
        ),
        "has_abstract": (stores.terms.lengths(rows, "abstract") > 0).astype(np.float64),
    }


def _mean_length(lengths: Column, has_profile: Mask) -> float:
    """Return the mean length of the texts of candidates that have a profile.

    In a library of citing sentences the others differ: the citing papers may have titles alone.
    """
    chosen = lengths[has_profile] if has_profile.any() else lengths
    return max(float(chosen.mean()), 1e-9) if chosen.size else 1.0


def _bm25(counts: Matrix, relative_lengths: Column, weights: Column) -> Column:
    """Return the BM25 scores of the rows of a papers x terms matrix of counts."""
    scores: Column = saturation(counts, length_norm(relative_lengths)[:, None]) @ weights
    return scores


def _title_weight(stores: Stores, rows: Rows) -> Column:
    """Return the sum of the idf of the words of each title."""
    terms = stores.terms.lists(rows, "title")
    weights = idf(stores.terms.statistics(terms.values, "title"))
    return summed(terms.owners, weights, rows.size)


def standing_signals(stores: Stores, given: Candidates) -> dict[str, Column]:
    """Return support, citing papers, citations of the year before, age, and the claim's size."""
    count, citations = given.rows.size, given.citations
    now = min(given.scope.year or int(citations.years.max(initial=0)) + 1, _LATEST)
    years, (cited, _) = stores.papers.years(given.rows), given.citing
    recent = (citations.years >= now - 1).astype(np.float64)
    age = np.where(years > 0, np.clip(now - years, 0, _OLDEST), np.nan)
    return {
        "support": summed(citations.positions, np.ones(citations.positions.size), count),
        "citers": summed(cited, np.ones(cited.size), count),
        "recent": summed(citations.positions, recent, count),
        "age": age.astype(np.float64),
        "terms": np.full(count, float(given.matches.claim.terms.size)),
        "nearest": np.full(count, given.matches.similarity.max(initial=0.0)),
    }


def cocited(given: Candidates, mass: Column) -> Column:
    """Return the co-citation of each candidate with the leaders by mass."""
    leaders = np.argsort(-mass, kind="stable")[:_LEADERS]
    weights = np.zeros(given.rows.size)
    weights[leaders] = mass[leaders] / max(mass.max(initial=0.0), 1e-9)
    return cited_together(given, weights)


def cited_together(given: Candidates, weights: Column) -> Column:
    """Return the co-citation of each candidate with weighted ones of them, not with itself.

    As in Salton's cosine: sum over common citers of weight / sqrt(citers + 1), over
    sqrt(citers + 1).
    """
    cited, citing = given.citing
    citers = np.bincount(cited, minlength=given.rows.size)
    share = weights / np.sqrt(citers + 1)
    pull = np.bincount(citing, share[cited]) if citing.size else np.zeros(0)
    return summed(cited, pull[citing] - share[cited], given.rows.size) / np.sqrt(citers + 1)
