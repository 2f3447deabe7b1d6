"""The manifest: what it names, and what a missing, damaged or newer one leads to."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import citewise
from citewise.errors import BadLibrary, MissingData
from citewise.library.folder import LibraryFolder
from corpora import GOLDEN

Act = Callable[[Path], object]


def _add_nothing(path: Path) -> None:
    citewise.add([], path)


def _add(path: Path) -> None:
    citewise.add(GOLDEN, path)


def _remove(path: Path) -> None:
    citewise.remove(path, ["own-7"])


def test_a_library_of_the_future_names_the_upgrade(library: Path) -> None:
    file = library / "manifest.json"
    manifest = json.loads(file.read_text())
    acts: tuple[Act, ...] = (citewise.open, citewise.verify, citewise.compact, _add_nothing)

    file.write_text(json.dumps({"format": 99, "unheard_of": True}))
    for act in acts:
        with pytest.raises(BadLibrary, match=r"format 99.*pip install -U citewise"):
            act(library)

    file.write_text(json.dumps(manifest | {"unheard_of": True}))
    assert len(citewise.open(library)) == 8, "a new field that changes nothing is passed over"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"format": "one"}', '{"format": 1}', "\x00" * 100]
)
def test_a_damaged_manifest(library: Path, content: str) -> None:
    (library / "manifest.json").write_text(content)
    acts: tuple[Act, ...] = (citewise.open, citewise.verify, citewise.compact, _remove, _add)
    for act in acts:
        with pytest.raises(BadLibrary, match="not a manifest"):
            act(library)
    assert (library / "segments" / "000001").is_dir(), "nothing is thrown away"


def test_no_manifest_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("I am no library")
    acts: tuple[Act, ...] = (citewise.open, citewise.verify, citewise.compact, _remove)
    for path in (tmp_path, tmp_path / "absent", tmp_path / "file.txt"):
        for act in acts:
            with pytest.raises(MissingData, match="citewise index SOURCE"):
                act(path)
    assert not (tmp_path / "absent").exists()


def test_equal_content_has_an_equal_fingerprint(library: Path, tmp_path: Path) -> None:
    citewise.add(GOLDEN, tmp_path / "again")
    again = LibraryFolder(tmp_path / "again").manifest.fingerprint
    assert again == LibraryFolder(library).manifest.fingerprint
    citewise.remove(library, ["own-7"])
    assert again != LibraryFolder(library).manifest.fingerprint
