"""Looking around in a library: what a search means, who cites whom, what is exported."""

from pathlib import Path

import pytest
from pybtex.database import parse_string

import citewise
from citewise import browse
from citewise.api import Library
from citewise.errors import BadInput, MissingData
from citewise.render import BIBLIOGRAPHIES
from citewise.render.json_answers import paper_documents
from corpora import GOLDEN, GOLDEN_CITATIONS

DANCE, CLOCK, ANTS = "doi:10.1000/dance", "doi:10.1000/clock", "arxiv:1101.00001"


def ids(papers: list[citewise.Paper] | tuple[citewise.Paper, ...]) -> list[str]:
    return [paper.id for paper in papers]


@pytest.fixture(scope="module")
def bees(stored: Library) -> Library:
    """The golden papers, among random ones, with citing sentences."""
    return stored


@pytest.mark.parametrize(
    "text",
    ["pmid:101", "https://doi.org/10.1000/DANCE", DANCE, "the dance language of  honey bees!"],
)
def test_a_search_by_id_or_title_finds_that_paper_first(bees: Library, text: str) -> None:
    assert bees.search(text)[0].id == DANCE


def test_a_search_counts_rare_words_of_titles_then_citations(golden_library: Path) -> None:
    library = citewise.open(golden_library)
    # "bees" is in five titles, "honey" in two; the dance is cited by three papers, own-7 by one
    assert ids(library.search("honey bees")) == [
        DANCE,
        "own-7",
        CLOCK,
        "arxiv:1203.00002",
        "own 8",
    ]
    assert ids(library.search("honey bees", limit=1)) == [DANCE]
    assert ids(library.search("swarm bees robots"))[0] in ("openalex:W2015000100", "own 8")
    assert library.search("termites") == [], "a word of an abstract alone"
    assert library.search("unheard-of words") == []


def test_an_empty_search_and_a_limit_of_nothing_are_errors(bees: Library) -> None:
    with pytest.raises(BadInput, match="the search is empty"):
        bees.search(" \n")
    with pytest.raises(BadInput, match="a limit is at least 1"):
        bees.search("bees", 0)
    with pytest.raises(BadInput, match="an offset at least 0, not 10 and -1"):
        bees.citers(DANCE, 10, -1)


def test_references_and_citers_are_those_of_the_graph(golden_library: Path) -> None:
    library = citewise.open(golden_library)
    for paper in GOLDEN:
        cited = GOLDEN_CITATIONS.get(paper.id, set())
        citing = {name for name, others in GOLDEN_CITATIONS.items() if paper.id in others}
        found, back = library.references(paper.id), library.citers(paper.id)
        assert (set(ids(found.papers)), found.total) == (cited, len(cited))
        assert (set(ids(back.papers)), back.total) == (citing, len(citing))
        assert library.citation_counts([paper.id, "nobody"]) == [len(citing), 0]


def test_long_lists_come_in_pages_the_most_cited_first(golden_library: Path) -> None:
    library = citewise.open(golden_library)
    whole = library.citers("pmid:101")
    assert ids(whole.papers)[0] == CLOCK, "cited by two papers"
    pages = [library.citers("pmid:101", 1, offset) for offset in range(4)]
    assert [paper for page in pages for paper in page.papers] == [*whole.papers]
    assert {page.total for page in pages} == {3}


def test_evidence_is_the_sentences_that_cite_a_paper(bees: Library) -> None:
    alone = bees.evidence(DANCE)
    assert [each.text for each in alone] == [f"{GOLDEN[0].title}. {GOLDEN[0].abstract} [1]"]
    assert alone[0].score == 0 and alone[0].support == 1

    similar = bees.evidence("pmid:101", "foragers dance", limit=1)
    assert similar[0].text == alone[0].text and similar[0].score > 0
    marked = [similar[0].text[start:end] for start, end in similar[0].words]
    assert {"foragers", "dance"} <= set(marked)


def test_an_unknown_paper_is_named(bees: Library) -> None:
    for call in (bees.references, bees.citers, bees.evidence):
        with pytest.raises(MissingData, match=r"no paper 'doi:10\.1/nothing'"):
            call("doi:10.1/nothing")
    with pytest.raises(MissingData, match=r"'2', '3', '4' and 2 more$"):
        bees.bibliography([*"0123456", DANCE])
    with pytest.raises(MissingData, match="no paper 'x', 'y'"):
        bees.bibliography(["x", DANCE, "y"])
    with pytest.raises(BadInput, match="unknown format 'word'; known: bibtex, ris"):
        bees.bibliography([DANCE], "word")


def test_a_bibliography_has_each_paper_once_in_order(bees: Library) -> None:
    written = bees.bibliography([CLOCK, "pmid:101", DANCE])
    assert [*parse_string(written, "bibtex").entries] == [
        "uhr1985circadian",
        "frischmann1967dance",
    ]
    papers = [bees[CLOCK], bees[DANCE]]
    for name, write in BIBLIOGRAPHIES.items():
        assert bees.bibliography([CLOCK, DANCE], name) == write(papers)
    assert bees.bibliography([CLOCK], "markdown").startswith("1. Mina Uhr (1985).")
    assert bees.bibliography([]) == ""


def test_a_paper_as_json_is_that_of_an_answer_with_its_key(bees: Library) -> None:
    document = paper_documents([bees[ANTS]])[0]
    assert document["key"] == "formiga2011ant" and document["id"] == ANTS
    assert document["url"] == "https://arxiv.org/abs/1101.00001" and "doi" not in document
    assert paper_documents([bees[DANCE]])[0]["doi"] == "10.1000/dance"


def test_topics_are_those_of_the_whole_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more titles than are read, some of the last are among those that are."""
    titles = [f"Bees of hive {number}" for number in range(10)]
    titles += [f"Stars of sky {number}" for number in range(6)]
    papers = [citewise.Paper(f"p{number}", title) for number, title in enumerate(titles)]
    citewise.add(papers, tmp_path, keep_versions=True)
    library = citewise.open(tmp_path)
    assert library.topics(2) == ["bees", "hive"] and {*library.topics()} >= {"stars"}
    monkeypatch.setattr(browse, "_TITLES_READ", 9)
    assert {*library.topics()} >= {"bees", "stars"}
