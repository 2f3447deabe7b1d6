"""The table of an answer: chances, notes, authors, and scores as sums."""

import pytest

from citewise.api import Library
from citewise.render.tables import as_text, score_as_sum
from citewise.types import Answer, Contribution, Match, Paper, Recommendation, ServedBy

PAPER = Paper("shen2014", "A latent semantic model", authors=("Shen, Yelong", "Huang, Po-Sen", "X"))


def answered(*chances: float | None, match: Match | None = None, source: str = "") -> Answer:
    """Return an answer whose papers have the given chances."""
    papers = [
        Recommendation(rank, PAPER, 3.0 - rank, {}, chance)
        for rank, chance in enumerate(chances, 1)
    ]
    return Answer(
        tuple(papers), ServedBy("best"), match=match, confidence=0.123, calibrated_by=source
    )


def test_a_chance_is_a_bar_and_a_number() -> None:
    shown = as_text(answered(0.62, 0.1, 0.001, 1.0, match="good", source="held-out papers"))
    lines = [line.split("A latent")[0].split() for line in shown.splitlines() if "A latent" in line]
    assert lines == [["1", "███▏", "62%"], ["2", "▌", "10%"], ["3", "<1%"], ["4", "█████", "100%"]]
    assert "Chance" in shown.splitlines()[0] and "Score" not in shown
    assert "Chance: that a paper with a draft like this cites it, by held-out papers." in shown


def test_without_a_calibration_there_are_scores() -> None:
    shown = as_text(answered(None, None))
    assert "Score" in shown and "2.00" in shown and "Chance" not in shown and "%" not in shown


def test_where_nothing_fits_it_is_said_first() -> None:
    first = as_text(answered(0.02, match="none", source="x")).splitlines()[0]
    assert first.startswith("No good match in this library: a paper with a draft like this cites")
    assert "any of the 20 best with a chance of 12%" in " ".join(
        as_text(answered(0.02, match="none", source="x")).split()
    )
    assert "Weak matches only" in as_text(answered(0.12, match="weak", source="x"))
    assert "match" not in as_text(answered(0.6, match="good", source="x"))


def test_authors_are_readable() -> None:
    assert "Yelong Shen, Po-Sen Huang et al." in as_text(answered(0.5))


def explained(*values: float) -> str:
    """Return a score as the sum of parts with these values, each with a label of its own."""
    parts = tuple(
        Contribution(f"s{number}", f"part {number}", value) for number, value in enumerate(values)
    )
    each = Recommendation(1, PAPER, sum(values), {}, contributions=parts)
    return score_as_sum(each)


@pytest.mark.parametrize("values", [[0.5] * 20, [1.0, *[0.4] * 11], [-0.3] * 9, [0.2] * 7])
def test_the_largest_part_is_never_called_others(values: list[float]) -> None:
    *_, last = explained(*values).split(", ")
    if last.endswith("others"):
        assert abs(float(last.split()[0])) <= max(map(abs, values)) / 2


def test_small_parts_are_added_up() -> None:
    values = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.2, 0.1]
    assert explained(*values).endswith("+0.50 part 5, +0.30 others")


def test_the_table_of_the_sample(sample: Library) -> None:
    shown = as_text(sample.recommend("Ranking documents for a query", k=5))
    assert "Chance" in shown and "%" in shown and "the calibration that ships" in shown
    assert "Chance" not in as_text(sample.recommend("Ranking documents", k=5, system="bm25"))
