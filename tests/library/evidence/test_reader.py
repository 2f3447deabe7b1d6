"""Evidence in a library: what is cited for which words, by whom, as far as a query may see."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Plus

import citewise
from citewise.arrays import Rows
from citewise.library.folder import LibraryFolder
from citewise.recommend import scope_of
from citewise.types import Query, Scope
from citing import EVERYTHING, PAPERS, SENTENCES, cited_for, spans_citing


def _spans_with(stores: LibraryFolder, text: str, scope: Scope = EVERYTHING) -> Rows:
    """Return the numbers of the spans that a scope sees and that have a term of the text."""
    return np.unique(stores.evidence.search(stores.terms.of(text)[0], scope).rows)


def test_what_is_cited_for_what(stores: LibraryFolder) -> None:
    assert cited_for(stores) == {
        "bees dance": {"bees": (4, 2020), "survey": (1, 2020)},
        "bees dance and ants lay trails": {"ants": (1, 2005)},
        "and ants lay trails": {"ants": (1, 2005)},
        "it is known that bees dance": {"bees": (1, 2010)},
        "which robots do not": {"robots": (1, 2010)},
        "bees dance; they do": {"bees": (1, 2020), "survey": (1, 2020)},
        "bees dance everywhere": {"bees": (1, 2015)},
    }
    counts = stores.evidence.counts()
    assert (counts.sentences, counts.spans, counts.citations) == (5, 7, 12)


def test_a_scope_bounds_what_is_seen(stores: LibraryFolder) -> None:
    bees, survey, robots = stores.papers.find(["bees", "survey", "robots"]).tolist()

    assert cited_for(stores, Scope(year=2010))["bees dance"] == {"bees": (1, 2005)}, (
        "made before, in known years"
    )
    assert "it is known that bees dance" not in cited_for(stores, Scope(year=2010))
    assert cited_for(stores, Scope(year=2016))["bees dance"] == {"bees": (3, 2015)}
    assert "bees" not in cited_for(stores, Scope(since=1970))["bees dance"]
    assert cited_for(stores, Scope(unseen=(survey,)))["bees dance"] == {"bees": (3, 2020)}
    assert cited_for(stores, Scope(hidden=(bees,)))["bees dance"] == {"survey": (1, 2020)}
    assert cited_for(stores, Scope(within=(robots,))) == {
        "which robots do not": {"robots": (1, 2010)}
    }
    assert cited_for(stores, Scope(unseen_keys=("elsewhere",)))["bees dance"]["bees"] == (3, 2020)


def test_a_span_out_of_sight_is_not_found(stores: LibraryFolder) -> None:
    (bees,) = stores.papers.find(["bees"]).tolist()
    assert _spans_with(stores, "everywhere").size == 1
    assert _spans_with(stores, "everywhere", Scope(year=2015)).size == 0
    assert _spans_with(stores, "everywhere", Scope(unseen_keys=("elsewhere",))).size == 0
    assert _spans_with(stores, "everywhere", Scope(hidden=(bees,))).size == 0


def test_a_query_of_a_paper_that_the_library_lacks_does_not_see_its_own_sentences(
    stores: LibraryFolder,
) -> None:
    scope = scope_of(stores.papers, Query("Bees dance everywhere", id="elsewhere"))
    assert "bees dance everywhere" not in cited_for(stores, scope)


def test_occurrences_are_word_for_word_and_the_latest_first(stores: LibraryFolder) -> None:
    find = stores.papers.find
    spans = _spans_with(stores, "bees dance")
    number = spans[stores.evidence.texts(spans).index("Bees dance")]
    [found] = stores.evidence.occurrences(np.array([number]), find(["bees"]), EVERYTHING, 10)

    assert [each.year for each in found] == [2020, 2015, 2010, 2005]
    assert [each.citing for each in found] == ["late", "elsewhere", "survey", "robots"]
    assert [each.row for each in found] == [*find(["late"]), -1, *find(["survey", "robots"])]
    assert [each.text for each in found] == [SENTENCES[number].text for number in (3, 4, 2, 0)]
    assert [each.text[each.span.start : each.span.end] for each in found] == [
        "Bees dance",
        "Bees dance",
        "bees  dance",
        "Bees dance",
    ]
    assert [each.start for each in found] == [-1, -1, 40, -1]
    assert found[0].section == "Introduction"
    assert found[0].marks == ((11, 16),)


def test_occurrences_are_of_the_pair_in_scope_and_limited(stores: LibraryFolder) -> None:
    spans = _spans_with(stores, "bees dance")
    number = spans[stores.evidence.texts(spans).index("Bees dance")]
    rows = stores.papers.find(["survey", "bees"])
    pairs = stores.evidence.occurrences(np.array([number, number]), rows, Scope(year=2016), 1)
    assert [[each.citing for each in some] for some in pairs] == [[], ["elsewhere"]]


def _terms_of(stores: LibraryFolder, spans: Rows) -> list[Counter[int]]:
    """Return how often each term occurs in the text of each span."""
    found = (stores.terms.of(text) for text in stores.evidence.texts(spans))
    return [
        Counter(dict(zip(terms.tolist(), counts.tolist(), strict=True))) for terms, counts in found
    ]


def test_terms_are_counted_as_in_plain_text(stores: LibraryFolder) -> None:
    terms, _ = stores.terms.of("bees robots dance trails everywhere honey")
    spans = stores.evidence.cited_spans()
    plain = _terms_of(stores, spans)

    matches = stores.evidence.search(terms, EVERYTHING)
    columns = (matches.rows.tolist(), matches.columns.tolist(), matches.counts.tolist())
    assert list(zip(*columns, strict=True)) == sorted(
        (span, column, float(counts[term]))
        for span, counts in zip(spans.tolist(), plain, strict=True)
        for column, term in enumerate(terms.tolist())
        if counts[term]
    )
    assert stores.evidence.lengths(spans).tolist() == [counts.total() for counts in plain]

    known = stores.evidence.statistics(terms)
    assert known.documents == len(plain) == 7
    assert known.frequencies.tolist() == [
        sum(term in counts for counts in plain) for term in terms.tolist()
    ]
    assert known.mean_length == pytest.approx(sum(counts.total() for counts in plain) / 7)


def test_bm25_plus_can_be_computed_as_another_implementation_does(stores: LibraryFolder) -> None:
    terms, weights = stores.terms.of("where do bees dance for robots")
    spans = stores.evidence.cited_spans()
    matches, known = stores.evidence.search(terms, EVERYTHING), stores.evidence.statistics(terms)
    counts = np.zeros((spans.size, terms.size))
    counts[np.searchsorted(spans, matches.rows), matches.columns] = matches.counts

    # BM25+ with k1 = 1.5, b = 0.75, delta = 1
    seen = known.frequencies > 0
    idf = np.log((known.documents + 1) / np.maximum(known.frequencies, 1e-9)) * seen
    lengths = stores.evidence.lengths(spans)[:, None]
    norm = 1.5 * (0.25 + 0.75 * lengths / known.mean_length)
    ours = (weights * idf * (1 + counts * 2.5 / (counts + norm))).sum(1)

    corpus = [list(each.elements()) for each in _terms_of(stores, spans)]
    theirs = BM25Plus(corpus).get_scores(np.repeat(terms, weights).tolist())
    assert ours == pytest.approx(theirs)


def test_a_library_without_evidence_answers_too(tmp_path: Path) -> None:
    citewise.add(PAPERS, tmp_path, vectors=False)
    stores = LibraryFolder(tmp_path)
    assert stores.manifest.format == 1
    assert not (tmp_path / "evidence").exists()
    assert cited_for(stores) == {}
    assert _spans_with(stores, "bees dance", Scope(year=2000)).size == 0
    assert stores.evidence.statistics(stores.terms.of("bees dance")[0]).documents == 0
    assert citewise.open(tmp_path).describe().sentences == 0


def test_a_reader_keeps_its_generation(tmp_path: Path, stores: LibraryFolder) -> None:
    before = cited_for(stores)
    citewise.remove(tmp_path, ["late", "robots"])
    citewise.compact(tmp_path)
    assert cited_for(stores) == before

    ants = stores.papers.find(["ants"])
    [spans] = spans_citing(stores.evidence, ants)
    rows = np.repeat(ants, spans.size)
    [[first], _] = stores.evidence.occurrences(spans, rows, EVERYTHING, 5)
    assert first.citing == "robots"
