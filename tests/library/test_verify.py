"""A sound library is called sound; a byte changed, a file cut or gone, a count that is off is found
and named.
"""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import citewise
from citewise.library import manifest as manifests
from citewise.library import verify as verifying
from citewise.library.files import checksum, write_array
from citewise.library.folder import LibraryFolder
from citewise.library.manifest import FileEntry
from corpora import GOLDEN, random_papers
from oracles import PlainLibrary


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two segments, with removed rows."""
    folder = tmp_path_factory.mktemp("verify") / "library"
    citewise.add(random_papers(40, seed=3), folder)
    citewise.add(GOLDEN, folder)
    citewise.remove(folder, ["p3", "p7"])
    assert len(LibraryFolder(folder).segments) == 2
    return folder


@pytest.fixture
def damaged(sound: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(sound, tmp_path / "library"))


def test_a_sound_library(sound: Path) -> None:
    heard: list[tuple[int, int]] = []
    found = citewise.verify(sound, lambda done, total: heard.append((done, total)))
    assert found.sound and found.problems == ()
    assert (found.generation, found.papers) == (3, 46)
    assert found.files == len(LibraryFolder(sound).manifest.files)
    assert heard[-1] == (46, 46)


def test_every_file_is_in_the_manifest(sound: Path) -> None:
    present = {file.relative_to(sound).as_posix() for file in sound.rglob("*") if file.is_file()}
    assert present - {*LibraryFolder(sound).manifest.files} <= {
        "manifest.json",
        "writer.lock",
        *(name for name in present if name.startswith("lexical/") and name.endswith(".lock")),
    }


def test_references_that_lead_nowhere_are_counted(golden_library: Path, tmp_path: Path) -> None:
    found = citewise.verify(golden_library)
    assert (found.references, found.dangling) == (10, 2), "doi:10.1000/missing and isbn 3-16-148410"
    papers = random_papers(60, seed=9)
    citewise.add(papers, tmp_path)
    assert citewise.verify(tmp_path).dangling == PlainLibrary(papers).dangling()


def test_dangling_after_removing(library: Path) -> None:
    citewise.remove(library, ["doi:10.1000/dance"])
    found = citewise.verify(library)
    assert found.sound
    assert found.dangling == 2 + 3, "three papers cited it"
    citewise.remove(library, ["own 8"])
    found = citewise.verify(library)
    assert (found.references, found.dangling) == (8, 1 + 3), (
        "what a removed paper cites is no reference"
    )


def _damages(content: bytes) -> dict[str, bytes | None]:
    """Return what may become of a file, by what is then reported; None: it is gone."""
    found = {"bytes instead of": content[:-1] if content else b"\0", "missing": None}
    if content:
        middle = len(content) // 2
        changed = bytes([content[middle] ^ 1])
        found["content changed"] = content[:middle] + changed + content[middle + 1 :]
    return found


@pytest.mark.slow
def test_a_changed_byte_a_cut_and_a_loss_are_found_in_every_file(damaged: Path) -> None:
    names = sorted(LibraryFolder(damaged).manifest.files)
    assert len(names) > 40
    for name in names:
        file = damaged / name
        content = file.read_bytes()
        for message, damage in _damages(content).items():
            file.unlink()  # a file may be a hard link
            if damage is not None:
                file.write_bytes(damage)

            found = citewise.verify(damaged)
            assert not found.sound
            [problem] = found.problems
            assert problem.startswith(f"{name}: ") and message in problem
            file.unlink(missing_ok=True)
            file.write_bytes(content)
    assert citewise.verify(damaged).sound


def test_a_writer_meanwhile_is_no_damage(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = iter(random_papers(2, seed=1))

    def interrupted(file: Path) -> str:
        found = checksum(file)
        paper = next(papers, None)
        if paper is not None:
            citewise.add([paper], library)
        return found

    monkeypatch.setattr(verifying, "checksum", interrupted)
    found = citewise.verify(library)
    assert (found.problems, found.papers, found.generation) == ((), 10, 3)


def test_all_damaged_files_are_listed(damaged: Path) -> None:
    names = sorted(LibraryFolder(damaged).manifest.files)[::7]
    for name in names:
        (damaged / name).unlink()
    assert sorted(citewise.verify(damaged).problems) == [f"{name}: missing" for name in names]


def rewrite(library: Path, name: str, values: NDArray[Any]) -> None:
    """Replace an array and its checksum in the manifest: damage that no checksum finds."""
    write_array(library / name, values, values.dtype)
    entry = FileEntry((library / name).stat().st_size, checksum(library / name))
    manifest = manifests.load(library)
    manifests.save(
        library, msgspec.structs.replace(manifest, files={**manifest.files, name: entry})
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "table",
    [
        "keys.numbers",
        "titles.hashes",
        "references.rows",
        "citers.rows",
        "text.frequencies",
        "title.frequencies",
        "abstract.frequencies",
    ],
)
def test_a_table_that_the_segments_contradict(damaged: Path, table: str) -> None:
    name = f"tables/{LibraryFolder(damaged).manifest.tables}/{table}"
    values = np.fromfile(damaged / name, np.uint64 if table.endswith("hashes") else np.uint32)
    values[-1] ^= 1
    rewrite(damaged, name, values)
    wrong = "frequencies" if table.endswith("frequencies") else table.split(".")[0]
    assert f"table {wrong}: differs from what the segments say" in citewise.verify(damaged).problems


@pytest.mark.parametrize(
    ("array", "dtype"),
    [("years", np.int16), ("keys.hashes", np.uint64), ("references.keys", np.uint64)],
)
def test_an_array_that_the_records_contradict(
    damaged: Path, array: str, dtype: type[np.integer[Any]]
) -> None:
    name = f"segments/{LibraryFolder(damaged).manifest.segments[0].name}/{array}"
    values = np.fromfile(damaged / name, dtype)
    values[0] += 1
    rewrite(damaged, name, values)
    assert "row 0: its record and its arrays differ" in citewise.verify(damaged).problems


def test_a_lexical_index_of_other_rows(damaged: Path, tmp_path: Path) -> None:
    manifest = manifests.load(damaged)
    citewise.add(random_papers(5, seed=1), tmp_path / "other")
    other = manifests.load(tmp_path / "other")
    shutil.rmtree(damaged / "lexical" / manifest.lexical)
    shutil.copytree(
        tmp_path / "other" / "lexical" / other.lexical, damaged / "lexical" / manifest.lexical
    )
    files = {
        name: entry for name, entry in manifest.files.items() if not name.startswith("lexical/")
    }
    manifests.save(damaged, msgspec.structs.replace(manifest, files=files))
    problem = "the lexical index does not hold exactly the living rows"
    assert problem in citewise.verify(damaged).problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"papers": 7}, "8 living rows, but 7 papers in the manifest"),
        ({"rows": 9}, "segments have 8 rows, the manifest 9"),
        ({"rows": 7}, "segments have 8 rows, the manifest 7"),
    ],
)
def test_counts_that_are_off(library: Path, change: dict[str, int], problem: str) -> None:
    manifests.save(library, msgspec.structs.replace(manifests.load(library), **change))
    assert problem in citewise.verify(library).problems


def test_verifying_changes_nothing(sound: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in sound.rglob("*")}
    citewise.verify(sound)
    assert {file: file.stat().st_mtime_ns for file in sound.rglob("*")} == before
