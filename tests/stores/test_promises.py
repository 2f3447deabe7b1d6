"""What the stores of a library promise, worked out by hand, for every implementation."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from citewise.arrays import Rows
from citewise.errors import BadInput, MissingData
from citewise.protocols import EvidenceCounts, ProfileStatistics, Stores
from citewise.types import Paper, Scope
from citing import EVERYTHING, SENTENCES, citing
from citing import PAPERS as CITED
from corpora import GOLDEN, GOLDEN_CITATIONS
from stores import views
from stores.implementations import IMPLEMENTATIONS, Given, Record, TableEncoder

Make = Callable[[Given], Stores]

BEES, ANTS, ROBOTS, SURVEY, LATE = range(5)


@pytest.fixture(scope="module", params=IMPLEMENTATIONS)
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a library, by each implementation."""
    return lambda given: IMPLEMENTATIONS[request.param](
        tmp_path_factory.mktemp("promises") / "library", given
    )


@pytest.fixture(scope="module")
def golden(make: Make) -> Stores:
    """The golden papers; there are no sentences."""
    return make(Given(GOLDEN))


@pytest.fixture(scope="module")
def cited(make: Make) -> Stores:
    """Five papers and the five sentences that cite them."""
    return make(Given([*CITED, *SENTENCES]))


def rows(*numbers: int) -> Rows:
    return np.array(numbers, np.int64)


def terms_of(stores: Stores, text: str) -> Rows:
    return stores.terms.of(text)[0]


# Papers


@pytest.mark.slow
def test_papers_are_read_in_the_order_asked_for(golden: Stores) -> None:
    assert len(golden.papers) == 8
    assert golden.papers.rows.tolist() == list(range(8))
    assert golden.papers.read([6, 0, 6]) == [GOLDEN[6], GOLDEN[0], GOLDEN[6]]
    assert golden.papers.read(rows()) == []
    assert golden.papers.titles(rows(2, 1)) == [GOLDEN[2].title, GOLDEN[1].title]
    assert golden.papers.years(rows(7, 0)).tolist() == [0, 1967]


@pytest.mark.parametrize("row", [-1, 8])
def test_a_row_without_a_paper_is_refused(golden: Stores, row: int) -> None:
    with pytest.raises(MissingData, match=f"no paper at row {row}"):
        golden.papers.read([0, row])


def test_keys_are_found_in_any_spelling(golden: Stores) -> None:
    keys = ["https://doi.org/10.1000/DANCE", "PMID: 101", "own 8", "unknown", "arXiv:1203.00002v3"]
    assert golden.papers.find(keys).tolist() == [0, 0, 7, -1, 3]
    assert golden.papers.find([]).tolist() == []


@pytest.mark.parametrize(
    ("record", "row"),
    [
        (Paper("pmid:101", "Another title altogether"), 0),
        (Paper("x", "the Dance Language of Honey-Bees", authors=("O. Wabe",)), 0),
        (Paper("x", "The dance language of honey bees"), 0),
        (Paper("x", "The dance language of honey bees", year=1990), 0),
        (Paper("x", "The dance language of honey bees", year=1969, authors=("Wabe",)), 0),
        (Paper("x", "The dance language of honey bees", year=1970, authors=("Wabe",)), -1),
        (Paper("x", "The dance language of honey bees", authors=("A. Nother",)), -1),
        (Paper("x", "The dance language of bees", authors=("Otto Wabe",)), -1),
    ],
)
def test_a_record_is_known_by_its_keys_else_by_title_and_authors(
    golden: Stores, record: Paper, row: int
) -> None:
    assert golden.papers.find_same(record) == row


def test_an_initial_means_every_name_that_it_begins(golden: Stores) -> None:
    names = ["Wabe, O.", "Otto Wabe", "Oskar Wabe", "Karla Frischmann", "Wabe", ""]
    found = golden.papers.by_authors(names)
    assert views.lists(found) == [[0, 2], [0, 2], [], [0, 6], [], []]
    bounded = golden.papers.by_authors(names[:1], Scope(since=2000))
    assert views.lists(bounded) == [[2]]


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (Scope(), [0, 1, 2, 3, 4, 5, 6, 7]),
        (Scope(year=2012), [0, 1, 2, 3]),
        (Scope(since=2012), [3, 4, 5, 6]),
        (Scope(year=2012, since=1985), [1, 2, 3]),
        (Scope(hidden=(0, 7)), [1, 2, 3, 4, 5, 6]),
        (Scope(within=(7, 2)), [2, 7]),
        (Scope(within=(7, 2), year=2019), [2]),
        (Scope(within=()), []),
        (Scope(unseen=(0,), unseen_keys=("own-7",)), [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_which_papers_a_scope_includes(golden: Stores, scope: Scope, seen: list[int]) -> None:
    """The last paper has no year."""
    every = golden.papers.rows
    assert every[golden.papers.in_scope(every, scope)].tolist() == seen


# The graph


def citations(stores: Stores, scope: Scope | None = None) -> dict[str, set[str]]:
    """Return the ids of the papers that each paper cites, by references and by citers alike."""
    every = stores.papers.rows
    names = [paper.id for paper in stores.papers.read(every)]
    cited, citing = stores.graph.references(every, scope), stores.graph.citers(every, scope)
    pairs = sorted(zip(cited.owners.tolist(), cited.values.tolist(), strict=True))
    assert pairs == sorted(zip(citing.values.tolist(), citing.owners.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs), "each once"
    return {
        names[row]: {names[other] for source, other in pairs if source == row} for row, _ in pairs
    }


def test_references_and_citers_are_the_same_citations(golden: Stores) -> None:
    assert citations(golden) == GOLDEN_CITATIONS
    assert views.lists(golden.graph.references(rows(3, 5, 3)))[1:2] == [[]]


def test_a_scope_sees_citations_made_before_its_year(golden: Stores) -> None:
    assert citations(golden, Scope(year=2012)) == {
        "doi:10.1000/clock": {"doi:10.1000/dance"},
        "arxiv:1101.00001": {"doi:10.1000/dance"},
    }
    dated = {name: cited for name, cited in GOLDEN_CITATIONS.items() if name != "own 8"}
    assert citations(golden, Scope(year=3000)) == dated, "a citation without a year is not seen"
    assert citations(golden, Scope(since=2015, hidden=(0,), within=(1,))) == GOLDEN_CITATIONS


def test_a_scope_does_not_see_citations_of_and_by_unseen_papers(golden: Stores) -> None:
    assert citations(golden, Scope(unseen=(1, 7))) == {
        "arxiv:1101.00001": {"doi:10.1000/dance"},
        "arxiv:1203.00002": {"arxiv:1101.00001"},
        "openalex:W2015000100": {"arxiv:1203.00002"},
        "own-7": {"doi:10.1000/dance"},
    }


@pytest.mark.slow
def test_citing_sentences_are_citations_too(cited: Stores) -> None:
    expected = {"robots": {"bees", "ants"}, "survey": {"bees", "robots"}}
    assert citations(cited, Scope(year=2015)) == expected
    assert citations(cited) == {**expected, "late": {"bees", "survey"}}


@pytest.mark.slow
def test_the_graph_does_not_know_a_sentence_that_is_younger_than_its_paper(make: Make) -> None:
    late = citing("survey", "Bees dance [REF].", ("bees",), year=2011)
    stores = make(Given([*CITED, late]))
    assert citations(stores) == {}
    assert stores.evidence.citations_by(rows(SURVEY), EVERYTHING).years.tolist() == [2011]


# Terms


def test_the_terms_of_a_text(golden: Stores) -> None:
    terms, counts = golden.terms.of("Bees, the BEE and a dancing zebra")
    found = dict(zip(golden.terms.words(terms), counts.tolist(), strict=True))
    assert found == {"bee": 2, "danc": 1}
    assert [each.tolist() for each in golden.terms.of("zebra")] == [[], []]


def test_terms_are_counted_by_field(golden: Stores) -> None:
    terms = terms_of(golden, "dance")
    known = {
        field: golden.terms.statistics(terms, field) for field in ("title", "abstract", "text")
    }
    frequencies = {field: each.frequencies.tolist() for field, each in known.items()}
    assert frequencies == {"title": [1], "abstract": [2], "text": [2]}
    assert {each.documents for each in known.values()} == {8}

    asked = rows(3, 0)
    assert golden.terms.counts(asked, terms, "title").tolist() == [[0], [1]]
    assert golden.terms.counts(asked, terms, "text").tolist() == [[1], [2]]
    assert golden.terms.lengths(rows(0, 6), "title").tolist() == [4, 4]
    assert golden.terms.lengths(rows(6), "abstract").tolist() == [0]


def test_matches_and_contents_are_counts_without_zeros(golden: Stores) -> None:
    terms = terms_of(golden, "dance bees walls")
    words = golden.terms.words(terms)
    matches = golden.terms.matches(rows(4, 0), terms, "title")
    views.assert_sorted(matches)
    found = [
        (int(row), words[column]) for row, column in zip(matches.rows, matches.columns, strict=True)
    ]
    assert sorted(found) == [(0, "wall"), (1, "bee"), (1, "danc")]
    assert matches.counts.tolist() == [1, 1, 1]

    contents, counts = golden.terms.contents(rows(6, 0), "title")
    assert [sorted(golden.terms.words(each)) for each in contents] == [
        ["bee", "honey", "neonicotinoid", "pesticid"],
        ["bee", "danc", "honey", "languag"],
    ]
    assert counts.tolist() == [1] * 8


# The inverted index


def search(
    stores: Stores, text: str, k: int = 10, scope: Scope = EVERYTHING, minimum: int | None = None
) -> list[int]:
    terms, weights = stores.terms.of(text)
    return [int(row) for row in stores.lexical.search(terms, weights, k, scope, minimum)]


def test_a_search_finds_every_paper_that_shares_a_term(golden: Stores) -> None:
    assert set(search(golden, "bees")) == {0, 1, 3, 6, 7}
    assert search(golden, "pheromone trails") == [2]
    assert search(golden, "zebra") == []
    assert search(golden, "neonicotinoid bees")[0] == 6
    assert search(golden, "robots build walls swarm")[0] == 4


def test_a_term_weighs_what_it_counts_in_the_query(golden: Stores) -> None:
    assert search(golden, "termites pheromone pheromone pheromone") == [2, 4]
    assert search(golden, "termites termites termites pheromone") == [4, 2]


@pytest.mark.parametrize("minimum", [None, 1])
def test_a_search_keeps_to_k_and_to_its_scope(golden: Stores, minimum: int | None) -> None:
    for k in range(1, 6):
        found = search(golden, "bees", k, minimum=minimum)
        assert (minimum or k) <= len(found) <= k
        assert len(set(found)) == len(found)
    scope = Scope(year=2019, since=1970, hidden=(6,))
    assert set(search(golden, "bees", 10, scope)) == {1, 3}
    assert search(golden, "bees", 10, Scope(within=(7, 2))) == [7]


def test_a_search_for_nothing_is_refused(golden: Stores) -> None:
    with pytest.raises(BadInput, match="k must be at least 1, not 0"):
        search(golden, "bees", 0)


# Evidence


def support(stores: Stores, scope: Scope = EVERYTHING) -> dict[str, dict[int, int]]:
    """Return how often each paper is cited for each span, by the span's text in small letters."""
    spans = views.spans_by_text(stores)
    found = stores.evidence.cited_for(np.array(list(spans.values()), np.int64), scope)
    owners, texts = found.rows.owners.tolist(), [text.lower().strip(".,;") for text in spans]
    supported: dict[str, dict[int, int]] = {}
    for owner, row, count in zip(
        owners, found.rows.values.tolist(), found.support.tolist(), strict=True
    ):
        supported.setdefault(texts[owner], {})[row] = count
    return supported


def span(stores: Stores, text: str) -> Rows:
    """Return the number of the span with a text."""
    return rows(views.spans_by_text(stores)[text])


def test_what_is_cited_for_what(cited: Stores) -> None:
    assert support(cited) == {
        "bees dance": {BEES: 4, SURVEY: 1},
        "bees dance and ants lay trails": {ANTS: 1},
        "and ants lay trails": {ANTS: 1},
        "it is known that bees dance": {BEES: 1},
        "which robots do not": {ROBOTS: 1},
        "bees dance; they do": {BEES: 1, SURVEY: 1},
        "bees dance everywhere": {BEES: 1},
    }
    assert cited.evidence.counts() == EvidenceCounts(sentences=5, spans=7, citations=12)


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (Scope(year=2010), {BEES: 1}),
        (Scope(year=2016), {BEES: 3}),
        (Scope(since=1970), {SURVEY: 1}),
        (Scope(hidden=(BEES,)), {SURVEY: 1}),
        (Scope(unseen=(BEES,)), {SURVEY: 1}),
        (Scope(unseen=(SURVEY,)), {BEES: 3}),
        (Scope(unseen_keys=("elsewhere",)), {BEES: 3, SURVEY: 1}),
        (Scope(within=(SURVEY,)), {SURVEY: 1}),
        (Scope(within=(ROBOTS,)), {}),
    ],
)
def test_which_citations_a_scope_sees(cited: Stores, scope: Scope, seen: dict[int, int]) -> None:
    """For "bees dance": in robots (2005), survey (2010), elsewhere (2015) and late (2020)."""
    assert support(cited, scope).get("bees dance", {}) == seen


def test_a_span_out_of_sight_is_not_found_though_it_counts(cited: Stores) -> None:
    terms = terms_of(cited, "everywhere")
    assert cited.evidence.texts(cited.evidence.search(terms, EVERYTHING).rows) == [
        "Bees dance everywhere."
    ]
    for scope in (
        Scope(year=2015),
        Scope(unseen_keys=("elsewhere",)),
        Scope(hidden=(BEES,)),
        Scope(unseen=(BEES,)),
    ):
        assert cited.evidence.search(terms, scope).rows.size == 0
    known = cited.evidence.statistics(terms)
    assert (known.documents, known.frequencies.tolist()) == (7, [1])


def test_terms_of_spans_are_counted(cited: Stores) -> None:
    assert cited.evidence.statistics(terms_of(cited, "dance")).frequencies.tolist() == [5]
    texts = ("Bees dance", "Bees dance everywhere.", "which robots do not")
    lengths = [cited.evidence.lengths(span(cited, text)).tolist() for text in texts]
    assert lengths == [[2], [3], [3]]
    mean = cited.evidence.statistics(terms_of(cited, "dance")).mean_length
    assert mean == pytest.approx((2 + 5 + 3 + 3 + 3 + 3 + 3) / 7)


def test_citations_of_and_by_papers(cited: Stores) -> None:
    of = cited.evidence.citations_of(rows(LATE, BEES, ROBOTS), EVERYTHING)
    assert of.positions.tolist() == [1] * 7 + [2]
    assert sorted(of.citing[of.positions == 1].tolist()) == [-1, -1, 2, 3, 3, 4, 4]
    assert sorted(of.years[of.positions == 1].tolist()) == [
        2005,
        2010,
        2010,
        2015,
        2015,
        2020,
        2020,
    ]

    by = cited.evidence.citations_by(rows(ROBOTS, BEES), EVERYTHING)
    assert by.positions.tolist() == [0, 0, 0]
    assert sorted(by.rows.tolist()) == [BEES, ANTS, ANTS]
    assert {each.citing for each in cited.evidence.sentences(by.sentences)} == {"robots"}


def test_citations_for_a_span(cited: Stores) -> None:
    found = cited.evidence.citations_for(span(cited, "Bees dance"), Scope(year=2016))
    assert sorted(found.years.tolist()) == [2005, 2010, 2015]
    assert found.rows.tolist() == [BEES] * 3


def test_occurrences_come_latest_first(cited: Stores) -> None:
    bees_dance = span(cited, "Bees dance")
    (every,) = cited.evidence.occurrences(bees_dance, rows(BEES), EVERYTHING, 10)
    assert [(each.citing, each.row, each.year) for each in every] == [
        ("late", LATE, 2020),
        ("elsewhere", -1, 2015),
        ("survey", SURVEY, 2010),
        ("robots", ROBOTS, 2005),
    ]
    survey = every[2]
    assert (survey.text, survey.start, survey.section) == (SENTENCES[2].text, 40, "Introduction")
    assert survey.text[survey.span.start : survey.span.end] == "bees  dance"
    assert [survey.text[start:end] for start, end in survey.marks] == ["[REF]", "[REF]"]

    pairs = np.repeat(bees_dance, 2), rows(BEES, ANTS)
    assert cited.evidence.occurrences(*pairs, EVERYTHING, 2) == [every[:2], []]
    assert cited.evidence.occurrences(*pairs, Scope(year=2015), 2) == [every[2:], []]


def test_profiles(cited: Stores) -> None:
    found = cited.evidence.profiles(rows(BEES, ANTS, ROBOTS, SURVEY, LATE), EVERYTHING)
    assert found.terms.tolist() == [17, 8, 3, 5, 0]
    assert found.citations.tolist() == [7, 2, 1, 2, 0]
    every = cited.evidence.profile_statistics(EVERYTHING)
    assert every == ProfileStatistics(papers=4, terms=33, citations=12)
    early = cited.evidence.profile_statistics(Scope(year=2010))
    assert early == ProfileStatistics(papers=2, terms=10, citations=3)


def test_sentences_have_the_year_of_their_paper_unless_theirs_is_later(cited: Stores) -> None:
    table = cited.evidence.sentence_table()
    assert cited.evidence.sentences(table.numbers) == list(SENTENCES)
    assert table.years.tolist() == [2005, 2010, 2010, 2020, 2015]
    assert table.citing.tolist() == [ROBOTS, SURVEY, SURVEY, LATE, -1]
    assert cited.evidence.sentences(table.numbers[[4, 0]]) == [SENTENCES[4], SENTENCES[0]]


@pytest.mark.slow
def test_a_sentence_without_a_year_is_seen_only_without_a_year(make: Make) -> None:
    stores = make(Given([*CITED, citing("elsewhere", "Bees dance [REF].", ("bees",))]))
    assert stores.evidence.citations_of(rows(BEES), EVERYTHING).years.tolist() == [0]
    assert stores.evidence.citations_of(rows(BEES), Scope(year=3000)).years.size == 0


@pytest.mark.slow
def test_a_sentence_that_comes_twice_is_one(make: Make) -> None:
    """With another year it stays one, as young as the later of the two."""
    again = citing("survey", "Bees dance [REF].", ("bees",), year=2011)
    later = citing("survey", "Bees dance [REF].", ("bees", "ants"), year=2013)
    stores = make(Given([*CITED, again, again, later]))
    assert stores.evidence.counts() == EvidenceCounts(sentences=1, spans=1, citations=2)
    assert stores.evidence.citations_of(rows(BEES, ANTS), EVERYTHING).years.tolist() == [2013] * 2


def test_a_library_without_sentences_has_no_evidence(golden: Stores) -> None:
    terms, every = terms_of(golden, "bees"), golden.papers.rows
    assert golden.evidence.counts() == EvidenceCounts(0, 0, 0)
    assert golden.evidence.search(terms, EVERYTHING).rows.size == 0
    assert golden.evidence.statistics(terms).frequencies.tolist() == [0]
    assert golden.evidence.citations_of(every, EVERYTHING).rows.size == 0
    assert golden.evidence.citations_by(every, EVERYTHING).rows.size == 0
    assert golden.evidence.profile_statistics(EVERYTHING) == ProfileStatistics(0, 0, 0)
    assert golden.evidence.sentence_table().numbers.size == 0


# Vectors and models

ENCODER = TableEncoder(
    {
        "Bees in spring": (1.0, 0.0),
        "Ants in autumn": (0.0, 1.0),
        "Bees and ants": (0.6, 0.8),
        "Bees in spring again": (1.0, 0.0),
        "Ants lay trails.": (0.0, 1.0),
        "Ants lay trails": (0.0, 1.0),
    }
)
ENCODED = (
    Paper("a", "Bees in spring", year=2000),
    Paper("b", "Ants in autumn", year=2001),
    Paper("c", "Bees and ants", year=2002),
    Paper("d", "Bees in spring again", year=2003),
    citing("e", "Ants lay trails [REF].", ("b",), year=2005),
)


@pytest.fixture(scope="module")
def encoded(make: Make) -> Stores:
    """Four papers and a sentence with vectors; a paper and a sentence that came later without."""
    later: list[Record] = [
        Paper("late", "Wasps in winter", year=2004),
        citing("e", "Wasps sting [REF].", ("late",), year=2005),
    ]
    return make(Given(ENCODED, ENCODER, later))


def nearest(
    stores: Stores, vector: Sequence[float], k: int = 10, scope: Scope = EVERYTHING
) -> tuple[list[int], list[float]]:
    found, cosines = views.paper_vectors(stores, "table").nearest(
        np.array(vector, np.float32), k, scope
    )
    return found.tolist(), cosines.tolist()


@pytest.mark.slow
def test_the_nearest_papers_come_first_and_equals_by_row(encoded: Stores) -> None:
    found, cosines = nearest(encoded, (1, 0))
    assert found == [0, 3, 2, 1], "the paper without a vector is not found"
    assert cosines == pytest.approx([1, 1, 0.6, 0], abs=1e-3)
    assert nearest(encoded, (0, 1))[0] == [1, 2, 0, 3]
    assert nearest(encoded, (1, 0), k=1)[0] == [0]
    assert nearest(encoded, (1, 0), scope=Scope(hidden=(0,), year=2002))[0] == [2, 1]
    assert nearest(encoded, (1, 0), scope=Scope(within=())) == ([], [])


LONG = TableEncoder(
    {
        "Bees in spring": (3.0, 0.0),
        "Ants in autumn": (0.0, 1.0),
        "Bees and ants": (0.5, 0.0),
        "Bees in spring again": (3.0, 4.0),
        "Ants lay trails.": (0.0, 2.0),
        "Ants lay trails": (0.0, 2.0),
    },
    "l2",
)


@pytest.mark.slow
def test_vectors_of_any_length_are_compared_by_their_distance(make: Make) -> None:
    stores = make(Given(ENCODED, LONG))
    found, similarities = nearest(stores, (1, 0))
    assert found == [2, 1, 0, 3], "by 0.5, the root of 2, 2, and the root of 20"
    distances = np.array([0.5, 2**0.5, 2, 20**0.5])
    assert similarities == pytest.approx(1 / (1 + distances), abs=1e-3)
    assert nearest(stores, (1, 0), k=2, scope=Scope(hidden=(2,)))[0] == [1, 0]

    papers, vector = views.paper_vectors(stores, "table"), np.array([1, 0], np.float32)
    every = rows(0, 1, 2, 3)
    by_row = papers.similarities(vector, every)
    assert by_row[found].tolist() == pytest.approx(similarities)
    cosines = papers.cosines(vector, every)
    assert cosines.tolist() == pytest.approx([1, 0, 1, 0.6], abs=1e-3)
    assert papers.about.distance == "l2"
    assert papers.of(rows(3)).tolist() == [[3, 4]], "vectors keep their length"


def test_similarities_of_unit_vectors_are_cosines(encoded: Stores) -> None:
    papers, vector = views.paper_vectors(encoded, "table"), np.array([0.6, 0.8], np.float32)
    every = encoded.papers.rows
    assert papers.similarities(vector, every) == pytest.approx(
        papers.cosines(vector, every), nan_ok=True
    )
    assert papers.about.distance == "cosine"


def test_vectors_of_papers_and_spans(encoded: Stores) -> None:
    papers = views.paper_vectors(encoded, "table").of(rows(4, 2))
    assert np.isnan(papers[0]).all()
    assert papers[1].tolist() == pytest.approx([0.6, 0.8], abs=1e-3)
    spans = views.spans_by_text(encoded)
    vectors = encoded.vectors.of_spans(rows(spans["Wasps sting."], spans["Ants lay trails."]))
    assert np.isnan(vectors[0]).all()
    assert vectors[1].tolist() == [0, 1]
    assert papers.dtype == vectors.dtype == np.float32
    assert encoded.vectors.encoded_by() == ENCODER.about
    assert encoded.vectors.span_count() == 1
    assert encoded.vectors.names() == ("table",)
    assert len(views.paper_vectors(encoded, "table")) == 4


def test_a_library_without_vectors(cited: Stores) -> None:
    assert cited.vectors.encoded_by() is None
    assert cited.vectors.span_count() == 0
    assert cited.vectors.names() == () and cited.vectors.papers("table") is None
    assert np.isnan(cited.vectors.of_spans(span(cited, "Bees dance"))[:, 0]).tolist() == [True]


@pytest.mark.slow
def test_models_are_kept_as_they_were_saved(make: Make) -> None:
    stores = make(Given(GOLDEN, models={"ranker": b"one", "another": b"two"}))
    assert stores.models.names() == ("another", "ranker")
    assert stores.models.load("ranker") == b"one"
    assert stores.models.load("unknown") is None

    stores.models.save("ranker", b"three")
    stores.models.save("fresh", b"four")
    stores.models.remove("another")
    stores.models.remove("unknown")
    assert stores.models.names() == ("fresh", "ranker")
    assert stores.models.load("ranker") == b"one", "what was loaded stays"
    assert stores.models.load("fresh") == b"four"


# The whole


@pytest.mark.slow
def test_a_library_says_what_it_is(make: Make) -> None:
    stores = make(Given([*CITED, *SENTENCES]))
    words = {"honey", "bee", "danc", "mate"} | {"ant", "find", "short", "path", "trail"}
    words |= {"robot", "swarm", "like", "insect", "survey", "intellig"}
    words |= {"revisit", "ten", "year", "later", "lay", "known", "which", "do", "everywher"}
    assert stores.info.terms == len(words)
    assert stores.info.location and stores.info.fingerprint


@pytest.mark.slow
def test_a_library_may_be_empty(make: Make) -> None:
    stores = make(Given([]))
    none = rows()
    assert len(stores.papers) == 0 and stores.papers.rows.size == 0
    assert stores.papers.find(["x"]).tolist() == [-1]
    assert stores.terms.of("bees")[0].size == 0
    assert len(stores.graph.references(none, EVERYTHING)) == 0
    assert stores.lexical.search(none, none, 5, EVERYTHING).size == 0
    assert stores.vectors.names() == ()
    assert stores.evidence.profile_statistics(EVERYTHING).mean_length == 0
