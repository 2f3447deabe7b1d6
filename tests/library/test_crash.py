"""A writer that is killed, at whatever moment, leaves the old library or the new one; readers never
notice.
"""

from pathlib import Path

import pytest

import citewise
import crash
from corpora import GOLDEN
from crash_writer import sentences_of


@pytest.mark.slow
def test_a_killed_writer_leaves_the_old_or_the_new_library(tmp_path: Path) -> None:
    found = crash.run(kills=8, seed=20, folder=tmp_path)
    assert found["failures"] == []
    assert found["leftovers"] == []
    assert found["kills"] == 8
    outcomes = [name for each in found["outcomes"].values() for name in each]
    assert "killed before commit" in outcomes, "kills land inside the work"


@pytest.mark.slow
def test_a_reader_sees_whole_generations_only(tmp_path: Path) -> None:
    found = crash.read_while_writing(adds=20, folder=tmp_path)
    assert found["failures"] == []
    assert found["last generation"] == 21
    assert found["generations seen"] > 3
    assert found["queries"] == 2 * found["opened"]


@pytest.mark.slow
def test_the_check_itself_notices(tmp_path: Path) -> None:
    citewise.add([*GOLDEN, *sentences_of(GOLDEN)], tmp_path)
    papers = {paper.id: paper for paper in GOLDEN}
    assert crash.check(tmp_path, papers, {}, 1)[0] == "before"
    assert crash.check(tmp_path, {}, papers, 0)[0] == "after"

    with pytest.raises(AssertionError, match="not the papers from before"):
        crash.check(tmp_path, {**papers, "one more": GOLDEN[0]}, {}, 1)
    with pytest.raises(AssertionError, match="not the papers from after"):
        crash.check(tmp_path, papers, {}, 0)
    with pytest.raises(AssertionError, match="generation 1 came after 2"):
        crash.check(tmp_path, papers, papers, 2)
