"""Statistics of a library, worked out by hand."""

import json
from pathlib import Path

import pytest

import citewise
from citewise.api import Library
from citewise.memory import MemoryStores
from citewise.statistics import Spread, statistics
from citewise.types import Paper
from citing import citing
from command_line import Run

RECORDS = (
    Paper("a", "1234", "123456", 2000, ("Ann Bee", "Cy Dee"), "Bees", key_phrases=("wax", "Comb")),
    Paper("b", "12", "", 2001, ("ann  bee",), "BEES ", references=("a",), key_phrases=("comb",)),
    Paper("c", "1", "123", 2002, ("Eve Fox",), "", references=("a", "b", "late", "gone")),
    Paper("late", "12345", "1", 2005, (), "Ants", references=("a",)),
    Paper("undated", "1", "", None, references=("a",)),
    citing("c", "Bees dance well [REF].", ("a", "b"), year=2002),
)


def test_by_hand() -> None:
    # Made: b 1, c 3, late 1, undated 1, a 0. Received: a 4, b 1, late 1, others 0.
    # c's citation of "late", which is younger, is no pair; nor are those of the undated paper.
    found = statistics(MemoryStores.of(RECORDS))
    assert (found.papers, found.authors, found.venues, found.key_phrases) == (5, 3, 2, 2)
    assert found.mean_characters == pytest.approx((10 + 2 + 4 + 6 + 1) / 5)
    assert found.out_citations.mean == found.in_citations.mean == pytest.approx(6 / 5)
    assert found.out_citations.deviation == pytest.approx(0.9797959)  # sqrt(12/5 - 36/25)
    assert found.in_citations.deviation == pytest.approx(1.4696938)  # sqrt(18/5 - 36/25)
    assert found.out_citations_of_citing.mean == pytest.approx(6 / 4)
    assert found.in_citations_of_cited.mean == pytest.approx(6 / 3)
    assert (found.queries, found.pairs) == (3, 4)
    assert (found.spans, found.cited_papers) == (1, 2)
    assert found.mean_span_words == 3 and found.mean_span_characters == len("Bees dance well.")


def test_a_folder_and_memory_agree(tmp_path: Path) -> None:
    citewise.add(RECORDS, tmp_path / "library", keep_versions=True)
    stored = citewise.open(tmp_path / "library").statistics()
    assert stored == Library(MemoryStores.of(RECORDS)).statistics()


def test_an_empty_library_has_none() -> None:
    found = statistics(MemoryStores.of([]))
    assert (found.papers, found.pairs, found.spans) == (0, 0, 0)
    assert found.in_citations == Spread(0, 0) and found.mean_characters == 0


def test_the_command_shows_them_where_they_are_asked_for(golden_library: Path, run: Run) -> None:
    usual, _ = run("info", "--library", golden_library)[1:]
    code, out, _ = run("info", "--library", golden_library, "--statistics")
    assert code == 0 and "pairs of query and relevant paper" in out and "venues" in out
    assert "venues" not in usual

    _, out, _ = run("info", "--library", golden_library, "--statistics", "--json")
    expected = citewise.open(golden_library).statistics()
    assert json.loads(out)["statistics"]["pairs"] == expected.pairs
    _, out, _ = run("info", "--library", golden_library, "--json")
    assert "statistics" not in json.loads(out)
