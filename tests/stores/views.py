"""What a store answers, in words.

Numbers of terms, spans and sentences are an implementation's own; here they are replaced by the
stems, texts and sentences that they stand for, so that implementations can be compared. The views
check what every answer promises on its own, such as that it is sorted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Ragged, Rows
from citewise.protocols import (
    FIELDS,
    Citations,
    Matches,
    PaperVectors,
    Stores,
    TermNumbers,
    TermStatistics,
)
from citewise.types import Paper, Scope

View = dict[str, Any]

_DIGITS = 9


def lists(ragged: Ragged) -> list[list[int]]:
    """Return lists of numbers."""
    assert ragged.values.dtype == ragged.starts.dtype == np.int64
    return [each.tolist() for each in ragged]


def papers(
    stores: Stores, rows: Rows, scope: Scope, keys: Sequence[str], authors: Sequence[str]
) -> View:
    """Return everything that a library says of papers."""
    store = stores.papers
    by_keys = [store.find_same(Paper(key, "Unknown")) for key in keys]
    known = store.read(rows)
    return {
        "len": len(store),
        "rows": store.rows.tolist(),
        "read": known,
        "titles": store.titles(rows),
        "find": store.find(keys).tolist(),
        "find_same by keys": by_keys,
        "find_same by title": [
            store.find_same(Paper("unknown", each.title, year=each.year, authors=tuple(authors)))
            for each in known
        ],
        "by_authors": lists(store.by_authors(authors)),
        "by_authors in scope": lists(store.by_authors(authors, scope)),
        "years": store.years(rows).tolist(),
        "in_scope": store.in_scope(rows, scope).tolist(),
    }


def graph(stores: Stores, rows: Rows, scope: Scope) -> View:
    """Return the citations that some papers make and receive, sorted."""
    answers = {
        "references": stores.graph.references(rows),
        "citers": stores.graph.citers(rows),
        "references in scope": stores.graph.references(rows, scope),
        "citers in scope": stores.graph.citers(rows, scope),
    }
    return {name: [sorted(each) for each in lists(found)] for name, found in answers.items()}


def statistics(stores: Stores, terms: TermNumbers, known: TermStatistics) -> View:
    """Return what is known of terms."""
    assert known.frequencies.dtype == np.int64
    return {
        "documents": known.documents,
        "frequencies": dict(
            zip(stores.terms.words(terms), known.frequencies.tolist(), strict=True)
        ),
        "mean_length": round(known.mean_length, _DIGITS),
    }


def terms(stores: Stores, rows: Rows, text: str) -> View:
    """Return everything that a library says of the terms of a text and of some papers."""
    store = stores.terms
    numbers, counts = store.of(text)
    words = store.words(numbers)
    view: View = {"of": dict(zip(words, counts.tolist(), strict=True)), "terms": stores.info.terms}

    for field in (*FIELDS, "text"):
        matrix = store.counts(rows, numbers, field)
        assert matrix.shape == (rows.size, numbers.size)
        view[f"{field} counts"] = [
            dict(zip(words, row, strict=True)) for row in matrix.astype(int).tolist()
        ]
        view[f"{field} lengths"] = store.lengths(rows, field).tolist()
        view[f"{field} statistics"] = statistics(stores, numbers, store.statistics(numbers, field))

    for field in FIELDS:
        matches = store.matches(rows, numbers, field)
        assert_sorted(matches)
        view[f"{field} matches"] = Counter(
            {
                (row, words[column]): int(count)
                for row, column, count in zip(
                    matches.rows.tolist(),
                    matches.columns.tolist(),
                    matches.counts.tolist(),
                    strict=True,
                )
            }
        )
        contents, occurring = store.contents(rows, field)
        assert contents.values.dtype == occurring.dtype == np.int64
        listed = store.lists(rows, field)
        assert listed.values.dtype == np.int64
        assert (listed.starts.tolist(), listed.values.tolist()) == (
            contents.starts.tolist(),
            contents.values.tolist(),
        )
        every = zip(
            contents.owners.tolist(),
            store.words(contents.values),
            occurring.tolist(),
            strict=True,
        )
        view[f"{field} contents"] = {(row, word): count for row, word, count in every}
    return view


def assert_sorted(matches: Matches) -> None:
    """Check that matches are sorted by row, then column, and that none is there twice."""
    assert matches.rows.dtype == matches.columns.dtype == np.int64
    assert matches.counts.dtype == np.float64
    pairs = list(zip(matches.rows.tolist(), matches.columns.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert (matches.counts > 0).all()


def spans_by_text(stores: Stores) -> dict[str, int]:
    """Return the numbers of the spans for which a paper is cited, by their texts."""
    found = stores.evidence.citations_of(stores.papers.rows, Scope())
    spans = np.unique(found.spans)
    texts = stores.evidence.texts(spans)
    assert len(set(texts)) == len(texts), "equal spans are merged"
    return dict(zip(texts, spans.tolist(), strict=True))


def citations(stores: Stores, found: Citations) -> Counter[Any]:
    """Return citations as a multiset of (position, span, cited, sentence, citing, year)."""
    assert {getattr(found, each.name).dtype for each in fields(found)} == {np.dtype(np.int64)}
    assert (np.diff(found.positions) >= 0).all()
    return Counter(
        zip(
            found.positions.tolist(),
            stores.evidence.texts(found.spans),
            found.rows.tolist(),
            stores.evidence.sentences(found.sentences),
            found.citing.tolist(),
            found.years.tolist(),
            strict=True,
        )
    )


def spans(stores: Stores, texts: Sequence[str], scope: Scope, words: str) -> View:
    """Return what a library says of spans, given by their texts, and of a text's terms in them."""
    store, numbers = stores.evidence, spans_by_text(stores)
    asked = np.array([numbers[text] for text in texts], np.int64)
    terms, _ = stores.terms.of(words)
    matches = store.search(terms, scope)
    assert_sorted(matches)

    cited = store.cited_for(asked, scope)
    assert all(each == sorted(set(each)) for each in lists(cited.rows))
    support = Ragged(cited.support, cited.rows.starts)
    found_words = [stores.terms.words(terms)[column] for column in matches.columns.tolist()]
    return {
        "texts": store.texts(asked),
        "lengths": store.lengths(asked).tolist(),
        "search": Counter(
            zip(store.texts(matches.rows), found_words, matches.counts.tolist(), strict=True)
        ),
        "statistics": statistics(stores, terms, store.statistics(terms)),
        "cited_for": lists(cited.rows),
        "support": lists(support),
        "citations_for": citations(stores, store.citations_for(asked, scope)),
    }


def occurrences(stores: Stores, scope: Scope, limit: int) -> View:
    """Return the sentences behind every span and cited paper, and how many a limit leaves."""
    store = stores.evidence
    found = store.citations_of(stores.papers.rows, Scope())
    pairs = np.unique(np.stack([found.spans, found.rows], axis=1), axis=0)
    everything = store.occurrences(pairs[:, 0], pairs[:, 1], scope, found.rows.size)
    limited = store.occurrences(pairs[:, 0], pairs[:, 1], scope, limit)

    for every, some in zip(everything, limited, strict=True):
        assert [each.year for each in every] == sorted((each.year for each in every), reverse=True)
        assert some == every[:limit]
    names = zip(store.texts(pairs[:, 0]), pairs[:, 1].tolist(), strict=True)
    return {
        "occurrences": {name: Counter(every) for name, every in zip(names, everything, strict=True)}
    }


def cited_papers(stores: Stores, rows: Rows, scope: Scope) -> View:
    """Return what a library says of the citations of papers, and of its sentences as a whole."""
    store = stores.evidence
    profiles, everything = store.profiles(rows, scope), store.profile_statistics(scope)
    table = store.sentence_table()
    assert (np.diff(table.numbers) > 0).all()
    return {
        "citations_of": citations(stores, store.citations_of(rows, scope)),
        "citations_by": citations(stores, store.citations_by(rows, scope)),
        "profiles": (profiles.terms.tolist(), profiles.citations.tolist()),
        "profile_statistics": everything,
        "mean profile": round(everything.mean_length, _DIGITS),
        "sentence_table": Counter(
            zip(
                store.sentences(table.numbers),
                table.years.tolist(),
                table.citing.tolist(),
                strict=True,
            )
        ),
        "counts": store.counts(),
    }


def vectors(stores: Stores, rows: Rows) -> View:
    """Return the vectors of papers and of all spans; None for a text that has none."""
    spans = spans_by_text(stores)
    of_spans = stores.vectors.of_spans(np.array(list(spans.values()), np.int64))
    assert of_spans.dtype == np.float32
    return {
        "papers": {name: _set(stores, name, rows) for name in stores.vectors.names()},
        "spans": {text: _vector(each) for text, each in zip(spans, of_spans, strict=True)},
    }


def paper_vectors(stores: Stores, name: str) -> PaperVectors:
    """Return a set of papers' vectors that must be there."""
    found = stores.vectors.papers(name)
    assert found is not None, name
    return found


def _set(stores: Stores, name: str, rows: Rows) -> View:
    found = paper_vectors(stores, name)
    vectors = found.of(rows)
    assert vectors.dtype == np.float32 and vectors.shape == (rows.size, found.about.size)
    return {
        "about": found.about,
        "len": len(found),
        "of": [_rounded(_vector(each)) for each in vectors],
    }


def _rounded(vector: list[float] | None) -> list[float] | None:
    return None if vector is None else [round(number, 6) for number in vector]


def _vector(vector: NDArray[np.float32]) -> list[float] | None:
    return None if np.isnan(vector).all() else vector.tolist()
