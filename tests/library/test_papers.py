"""Papers come back as they were stored, by row and by any spelling of any of their ids."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.errors import MissingData
from citewise.library.folder import LibraryFolder
from citewise.types import Paper
from corpora import GOLDEN
from libraries import new_folder, papers_of, store
from properties import examples

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.lists(TEXTS, max_size=3).map(tuple)


def test_every_field_comes_back(golden_stores: LibraryFolder) -> None:
    papers = golden_stores.papers
    assert papers_of(golden_stores) == list(GOLDEN)
    assert papers.read(papers.find([paper.id for paper in GOLDEN])) == list(GOLDEN)
    assert papers.read([3, 0, 3]) == [GOLDEN[3], GOLDEN[0], GOLDEN[3]]
    assert papers.read([]) == []
    assert len(papers) == 8


@pytest.mark.slow
@given(
    st.builds(
        Paper,
        id=TEXTS.filter(bool),
        title=TEXTS.map(lambda text: text + "x"),
        abstract=TEXTS,
        year=st.none() | st.integers(1, 9999),
        authors=NAMES,
        venue=TEXTS,
        ids=st.just(()),
        references=NAMES,
        fields=NAMES,
        date=TEXTS,
        kind=TEXTS,
        details=st.dictionaries(TEXTS, TEXTS, max_size=3),
    )
)
@examples(25)
def test_any_paper_comes_back(paper: Paper) -> None:
    with new_folder() as path:
        assert papers_of(store(path, [paper])) == [paper]
        assert citewise.verify(path).sound


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("10.1000/DANCE", "doi:10.1000/dance"),
        ("https://doi.org/10.1000/dance", "doi:10.1000/dance"),
        ("PMID:101", "doi:10.1000/dance"),
        ("https://pubmed.ncbi.nlm.nih.gov/101/", "doi:10.1000/dance"),
        ("arXiv:1101.00001v3", "arxiv:1101.00001"),
        ("10.48550/arXiv.1101.00001", "arxiv:1101.00001"),
        ("https://arxiv.org/pdf/1203.00002v1.pdf", "arxiv:1203.00002"),
        ("DOI: 10.1000/abc.", "arxiv:1203.00002"),
        ("https://openalex.org/w2015000100", "openalex:W2015000100"),
        ("https://aclanthology.org/P18-1001/", "acl:P18-1001"),
        ("own-7", "own-7"),
        ("  own \n 8 ", "own 8"),
        ("doi:10.1000/PESTICIDE", "own-7"),
    ],
)
def test_any_spelling_of_any_id_finds_the_paper(
    golden_library: Path, spelling: str, name: str
) -> None:
    library = citewise.open(golden_library)
    assert library[spelling].id == name
    assert spelling in library


@pytest.mark.parametrize(
    "unknown", ["", "nobody", "OWN-7", "doi:10.1000/missing", "pmid:1", "\ud800", "x" * 10_000]
)
def test_an_unknown_id_is_reported_missing(golden_library: Path, unknown: str) -> None:
    library = citewise.open(golden_library)
    assert unknown not in library
    assert library.stores.papers.find([unknown, "own-7"]).tolist() == [-1, 6]
    with pytest.raises(MissingData, match="no paper"):
        library[unknown]


@pytest.mark.parametrize("row", [-1, 8, 10**9])
def test_a_row_that_is_not_there_is_missing(golden_stores: LibraryFolder, row: int) -> None:
    with pytest.raises(MissingData, match=f"row {row}"):
        golden_stores.papers.read([row])
