"""Near-duplicate titles: the filters of the fast join lose no pair and invent none."""

import dataclasses
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.library.folder import LibraryFolder
from citewise.text import ids
from citewise.text import titles as title_pairs
from citewise.text.titles import near_duplicates, similar_titles
from citewise.types import Paper
from corpora import GOLDEN, random_papers
from properties import examples

WORDS = st.sampled_from("abcdefghij")
TITLES = st.lists(st.lists(WORDS, max_size=10).map(" ".join), max_size=25)
THRESHOLDS = st.sampled_from([0.3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])


def brute_force(
    titles: list[str], threshold: float, first: int = 0
) -> list[tuple[int, int, float]]:
    """Compare every pair, in whole numbers."""
    sets = [set(ids.title_words(title)) for title in titles]
    found = []
    for one, other in combinations(range(len(titles)), 2):
        union = len(sets[one] | sets[other])
        alike = Fraction(len(sets[one] & sets[other]), max(union, 1))
        if other >= first and union and alike >= Fraction(threshold).limit_denominator(100):
            found.append((one, other, len(sets[one] & sets[other]) / union))
    return found


@pytest.mark.slow
@given(TITLES, THRESHOLDS, st.integers(0, 25))
@examples(200)
def test_what_brute_force_finds(titles: list[str], threshold: float, first: int) -> None:
    assert list(near_duplicates(titles, threshold, first)) == brute_force(titles, threshold, first)


@given(TITLES)
@examples(40)
def test_small_pieces_give_the_same(titles: list[str]) -> None:
    expected = list(near_duplicates(titles))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(title_pairs, "_CHUNK", 3)
        assert list(near_duplicates(titles)) == expected


@pytest.mark.slow
@given(TITLES, TITLES, THRESHOLDS)
@examples(200)
def test_titles_like_those_asked_for(asked: list[str], titles: list[str], threshold: float) -> None:
    expected = {
        (one, other)
        for one, other, _ in brute_force([*asked, *titles], threshold)
        if one < len(asked) <= other
    }
    letters = {
        (one, len(asked) + other)
        for one, left in enumerate(asked)
        for other, right in enumerate(titles)
        if ids.title_key(left) == ids.title_key(right) != ""
    }
    assert {
        (one, len(asked) + other) for one, other in similar_titles(asked, titles, threshold)
    } == expected | letters


@pytest.mark.slow
def test_more_than_a_handful() -> None:
    titles = [paper.title for paper in random_papers(400, seed=4)]
    found = list(near_duplicates(titles))
    assert found == brute_force(titles, 0.7)
    assert len(found) > 30


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("a b c d e f g", "a b c d e f g h i j", 0.7),
        ("a b c", "A, B; C!", 1.0),
        ("x x x y", "y x", 1.0),
        ("Über die Bienen", "uber die bienen", 1.0),
    ],
)
def test_by_hand(one: str, other: str, alike: float) -> None:
    assert list(near_duplicates([one, other])) == [(0, 1, alike)]


@pytest.mark.parametrize(
    "titles", [[], [""], ["", ""], ["?!", "..."], ["a b c"], ["a b c d e f", "a b c d x y"]]
)
def test_nothing_to_find(titles: list[str]) -> None:
    assert list(near_duplicates(titles)) == []


@pytest.mark.slow
def test_a_library_names_the_papers(tmp_path: Path) -> None:
    citewise.add(GOLDEN, tmp_path)
    first_row = LibraryFolder(tmp_path).manifest.rows
    assert citewise.open(tmp_path).near_duplicates() == []
    late = Paper("late", "The dance language of the honey bees", year=2020)
    later = dataclasses.replace(late, id="later", title="Late dance language of the honey bees")
    citewise.add([late], tmp_path)
    assert citewise.open(tmp_path).near_duplicates(first_row) == [(GOLDEN[0], late, 1.0)]
    citewise.remove(tmp_path, ["doi:10.1000/clock"])
    first_row = LibraryFolder(tmp_path).manifest.rows
    citewise.add([later], tmp_path)
    assert [
        (one.id, other.id) for one, other, _ in citewise.open(tmp_path).near_duplicates(first_row)
    ] == [("doi:10.1000/dance", "later"), ("late", "later")]
    assert len(citewise.open(tmp_path).near_duplicates()) == 3
