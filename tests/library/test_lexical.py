"""Term codes, against base 64 worked digit by digit; the folder in which an index is opened."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.library import lexical
from citewise.library.lexical import LexicalReader, codes

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-abcdefghijklmnopqrstuvwxyz"


def in_base_64(number: int) -> str:
    """Return a number as five digits."""
    digits = ""
    for _ in range(5):
        number, digit = divmod(number, 64)
        digits = DIGITS[digit] + digits
    return digits


@given(st.lists(st.integers(0, 2**30 - 1), max_size=20))
def test_codes_are_numbers_in_base_64(terms: list[int]) -> None:
    assert codes(np.array(terms, np.int64)) == "".join(f"{in_base_64(term)} " for term in terms)


@pytest.fixture
def index(library: Path) -> Path:
    """The folder of an index, without the lock files that its writer left."""
    folder = next((library / "lexical").iterdir())
    for lock in folder.glob("*.lock"):
        lock.unlink()
    return folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is used for temporary ones."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(lexical, "_MEMORY", str(folder))
    return folder


def test_opening_an_index_leaves_nothing_behind(index: Path, temporary: Path) -> None:
    before = sorted(index.iterdir()), index.stat().st_mtime_ns
    assert len(LexicalReader(index)) == 8
    assert (sorted(index.iterdir()), index.stat().st_mtime_ns) == before
    assert not any(temporary.iterdir())


def test_a_lock_file_that_comes_back_is_deleted(
    index: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when tantivy's thread makes it between the deletion of the files and of their folder."""
    remove = os.rmdir
    removed: list[str] = []

    def late(path: str, **where: int) -> None:
        if not removed:
            (next(temporary.iterdir()) / ".tantivy-meta.lock").touch()
        removed.append(path)
        remove(path, **where)

    monkeypatch.setattr(os, "rmdir", late)
    assert len(LexicalReader(index)) == 8
    assert len(removed) == 2
    assert not any(temporary.iterdir())


def test_an_index_opens_where_no_links_can_be_made(
    index: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "symlink_to", refuse)
    assert len(LexicalReader(index)) == 8
    assert not any(temporary.iterdir())
