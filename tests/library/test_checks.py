"""Damage is noticed when it is met: nothing raises what is no error of ours, and nothing differs
without a word.
"""

import json
import shutil
from pathlib import Path

import pytest

import citewise
import damage
from citewise.errors import BadLibrary
from citewise.library import checks
from citewise.library.folder import LibraryFolder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return damage.build_here(tmp_path_factory.mktemp("damage"), papers=60)


@pytest.fixture
def library(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "library"))


@pytest.mark.slow
def test_a_sample_of_damages(library: Path) -> None:
    expected = damage.answer(library)
    found = []
    for each in damage.damages(library, 90, seed=7):
        file = library / each.file
        whole = file.read_bytes()
        file.write_bytes(each.content)
        outcome, detail = damage.read(library, expected)
        found.append((each.file, each.kind, outcome, detail))
        file.write_bytes(whole)

    assert [case for case in found if case[2] != "clear error"] == []
    assert len({name for name, *_ in found}) > 80
    assert all("citewise " in detail or "index the sources" in detail for *_, detail in found)
    assert damage.answer(library) == expected


def test_sizes_are_compared_however_large_a_library_is(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "CHECKED_AT_OPENING", 0)
    file = next((library / "segments").glob("*/abstract.terms"))
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(BadLibrary, match=r"abstract.terms: [\d,]+ bytes instead of .*verify"):
        citewise.open(library)


def test_the_smallest_files_are_compared_first(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "CHECKED_AT_OPENING", 4_000)
    entries = LibraryFolder(library).manifest.files
    small = next(name for name, entry in entries.items() if 0 < entry.size < 20)
    large = next(name for name, entry in entries.items() if entry.size > 4_000)
    for name, noticed in ((large, False), (small, True)):
        content = (library / name).read_bytes()
        (library / name).write_bytes(bytes([content[0] ^ 1]) + content[1:])
        try:
            checks.check_at_opening(library, entries)
        except ValueError as error:
            assert noticed and str(error) == f"{name}: content changed since it was written"
        else:
            assert not noticed


def test_a_failure_is_blamed_on_a_damaged_file_only_if_there_is_one(library: Path) -> None:
    opened = LibraryFolder(library)
    with pytest.raises(IndexError, match="ours"), opened.blaming_damage():
        raise IndexError("ours")
    with pytest.raises(BadLibrary, match="theirs"), opened.blaming_damage():
        raise BadLibrary("theirs")

    (library / "tables" / opened.manifest.tables / "citers.rows").write_bytes(b"")
    with pytest.raises(BadLibrary, match=r"citers.rows: 0 bytes instead"), opened.blaming_damage():
        raise IndexError("ours")


@pytest.mark.slow
def test_a_record_knows_its_checksum(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "CHECKED_AT_OPENING", 0)
    file = next((library / "segments").glob("*/records.zst"))
    content = file.read_bytes()
    for position in range(20, len(content) - 20, max(len(content) // 12, 1)):
        damaged = bytearray(content)
        damaged[position] ^= 4
        file.write_bytes(damaged)
        opened = citewise.open(library)
        with pytest.raises(BadLibrary, match=r"records.zst: content changed"):
            [opened[f"p{number}"] for number in range(60) if number != 1]


def test_a_library_of_an_older_version_opens(library: Path) -> None:
    for file in (library / "manifest.json", *(library / "vectors").glob("*.json")):
        content = json.loads(file.read_bytes())
        del content["checksum"]
        file.write_text(json.dumps(content))
    assert citewise.verify(library).sound
    assert citewise.open(library).recommend("neural graph", k=5)
