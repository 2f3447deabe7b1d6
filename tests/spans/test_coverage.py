"""How much of a library its citing sentences cover, by hand."""

import pytest

from citewise.memory import MemoryStores
from citewise.spans.coverage import cites_more, coverage, trust
from citewise.types import CitingSentence, Paper
from citing import citing

PAPERS = tuple(Paper(name, f"About {name}") for name in ("bees", "ants", "robots", "survey"))
BEES = citing("survey", "Bees dance [REF].", ("bees",))
ROBOTS = citing("robots", "Bees dance [REF].", ("bees",))
SURVEYED = citing("robots", "Insects were surveyed [REF].", ("survey",))


@pytest.mark.parametrize(
    ("sentences", "share"),
    [
        ((), 0.0),
        ((BEES,), 1 / 3),  # bees, of bees, ants and robots: the survey only cites
        ((BEES, ROBOTS), 1 / 2),  # bees, of bees and ants
        ((BEES, SURVEYED), 2 / 3),  # bees and the survey, which cites and is cited, and ants
        ((citing("elsewhere", "Bees dance [REF].", ("bees",)),), 1 / 4),
    ],
)
def test_papers_that_only_cite_are_not_counted(
    sentences: tuple[CitingSentence, ...], share: float
) -> None:
    stores = MemoryStores.of([*PAPERS, *sentences])
    assert coverage(stores) == pytest.approx(share)


def test_an_empty_library_is_not_covered() -> None:
    stores = MemoryStores.of([])
    assert coverage(stores) == 0 and not cites_more(stores, 0)


def test_a_third_is_trusted_wholly() -> None:
    assert [trust(each) for each in (0, 1 / 6, 1 / 3, 1)] == pytest.approx([0, 0.5, 1, 1])


def test_citations_of_a_graph_count_where_sentences_are_few() -> None:
    linked = [Paper(f"p{number}", "A", references=(f"p{number + 1}",)) for number in range(20)]
    few = citing("p3", "Bees dance [REF].", ("p7",))
    stores = MemoryStores.of([*linked, few])

    assert cites_more(stores, coverage(stores))
    assert not cites_more(stores, 1 / 3), "evidence is enough"
    assert not cites_more(MemoryStores.of([*PAPERS, few]), 0.1)
