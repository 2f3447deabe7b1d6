"""The citation graph: by hand in both directions and in scopes, and as papers come and go."""

from pathlib import Path

import pytest

import citewise
from citewise.library.folder import LibraryFolder
from citewise.types import Paper, Scope
from corpora import GOLDEN_CITATIONS
from libraries import citations, store


def test_the_golden_graph(golden_stores: LibraryFolder) -> None:
    papers, graph = golden_stores.papers, golden_stores.graph
    rows = papers.find(["doi:10.1000/dance", "own-7"])
    assert citations(golden_stores) == GOLDEN_CITATIONS
    assert [sorted(paper.id for paper in papers.read(citing)) for citing in graph.citers(rows)] == [
        ["arxiv:1101.00001", "doi:10.1000/clock", "own-7"],
        ["own 8"],
    ]


def test_a_scope_bounds_the_golden_graph(golden_stores: LibraryFolder) -> None:
    graph = golden_stores.graph
    rows = golden_stores.papers.find(["doi:10.1000/dance", "own-7"])

    assert graph.citers(rows, Scope(year=2011))[0].tolist() == [1], (
        "only the clock paper cited it before 2011"
    )
    assert graph.references(rows, Scope(year=2019)).lengths.tolist() == [0, 0], (
        "own-7 is itself of 2019"
    )
    assert graph.references(rows, Scope(year=2020)).lengths.tolist() == [0, 2]
    assert graph.citers(rows, Scope(year=3000))[1].size == 0, (
        "a citer without a year is never known to be earlier"
    )
    assert graph.citers(rows, Scope(unseen=(1,)))[0].tolist() == [2, 6], (
        "the clock paper's citation is not seen"
    )
    assert graph.references(rows, Scope(unseen=(1,)))[1].tolist() == [0], "nor is a citation of it"


@pytest.mark.slow
def test_a_reference_resolves_when_its_paper_arrives(tmp_path: Path) -> None:
    citing = Paper("a", "Citing paper", references=("doi:10.1000/later", "pmid:5"))
    later = Paper("z", "The paper that came later", ids=("pmid:5", "doi:10.1000/later"))

    assert citations(store(tmp_path, [citing])) == {}
    assert citewise.verify(tmp_path).dangling == 2
    assert citations(store(tmp_path, [later])) == {"a": {"z"}}, (
        "two ids of one paper are one citation"
    )

    citewise.remove(tmp_path, ["pmid:5"])
    assert citations(LibraryFolder(tmp_path)) == {}
    assert citewise.open(tmp_path)["a"] == citing
    assert citations(store(tmp_path, [later])) == {"a": {"z"}}

    citewise.remove(tmp_path, ["a"])
    assert citations(LibraryFolder(tmp_path)) == {}
    assert citations(store(tmp_path, [citing])) == {"a": {"z"}}
