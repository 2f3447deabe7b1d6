"""The rules: when two records are one work, what counts as published, and what merging keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.library.versions import merge, plainly_different, published, same_work
from citewise.types import Paper
from corpora import PREPRINT, PUBLISHED

TITLES = st.sampled_from(["Bees dance in hives", "bees dance in hives!", "Quantum ions", ""])
PAPERS = st.builds(
    Paper,
    id=st.sampled_from(["a", "b", "doi:10.1000/x"]),
    title=TITLES,
    abstract=st.sampled_from(["", "x", "y"]),
    year=st.none() | st.integers(2000, 2005),
    authors=st.lists(st.sampled_from(["A B", "B, C", "D"]), max_size=2).map(tuple),
    venue=st.sampled_from(["", "arXiv", "CoRR", "Nature"]),
    ids=st.sampled_from([(), ("s2:1",), ("s2:1", "doi:10.1000/y")]),
    references=st.lists(st.sampled_from("pqr"), unique=True).map(tuple),
    kind=st.sampled_from(["", "preprint", "article"]),
    date=st.sampled_from(["", "2001", "2002-03"]),
)


@given(PAPERS, PAPERS)
def test_merging_loses_no_id_no_reference_and_no_field(one: Paper, other: Paper) -> None:
    both = merge(one, other)
    assert {both.id, *both.ids} == {one.id, *one.ids, other.id, *other.ids}
    assert both.id == one.id and both.id not in both.ids and len({*both.ids}) == len(both.ids)
    assert {*both.references} == {*one.references, *other.references}
    for name in ("title", "abstract", "year", "authors", "venue", "kind"):
        assert getattr(both, name) in (getattr(one, name), getattr(other, name))
        assert getattr(both, name) or not (getattr(one, name) or getattr(other, name))
    assert merge(both, other) == both or other.id == one.id, "a second time changes nothing"
    assert merge(both, both) == both


@given(PAPERS, PAPERS)
def test_the_rules_are_symmetric(one: Paper, other: Paper) -> None:
    assert same_work(one, other) == same_work(other, one)
    for key in ("own", "doi:10.1000/x"):
        assert plainly_different(one, other, key) == plainly_different(other, one, key)
        assert not plainly_different(one, one, key)


@pytest.mark.parametrize(
    ("paper", "expected"),
    [
        (PREPRINT, False),
        (PUBLISHED, True),
        (Paper("a", "T"), False),
        (Paper("doi:10.1/x", "T"), True),
        (Paper("a", "T", venue="ArXiv.org"), False),
        (Paper("a", "T", venue="bioRxiv"), False),
        (Paper("a", "T", venue="Nature"), True),
        (Paper("a", "T", venue="Nature", kind="preprint"), False),
        (Paper("a", "T", venue="CoRR"), False),
        (Paper("a", "T", venue="CoRR abs/1706.03762"), False),
        (Paper("a", "T", venue="Corrosion Science"), True),
        (Paper("a", "T", venue="Computing Research Repository"), True),
        (Paper("a", "T", ids=("doi:10.1/x",)), True),
    ],
)
def test_what_counts_as_published(paper: Paper, expected: bool) -> None:
    assert published(paper) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("13 Robust Performance", "08 Output Feedback", True),
        ("13 Robust Performance", "01 Introduction", True),
        ("Robust Performance", "Robustness of Controllers", False),
        ("Dances of Bees", "Die Tänze der Bienen", False),
        ("Honey bees", "Miel de abejas", False),
        ("Introduction", "Output Feedback", False),
    ],
)
def test_chapters_that_were_given_one_doi(one: str, other: str, expected: bool) -> None:
    first, second = (Paper(title, title, authors=("Ada King",)) for title in (one, other))
    assert plainly_different(first, second, "doi:10.1000/x") is expected
