"""Libraries of other users: read without write permission, for real, and never changed."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import citewise
from citewise.errors import BadInput
from citewise.library.location import folder_of, require_own_folder, require_writable
from citing import PAPERS, SENTENCES

AS_ROOT = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can become another user"
)
READER = """
import os, sys, tempfile
import citewise

def read():
    library = citewise.open(sys.argv[1])
    assert library.recommend("Bees dance", k=3) and library.cite("Ants lay trails", k=3)
    assert library.describe().papers == 5 and citewise.verify(sys.argv[1]).sound
    return library

# as root first: another user may not be able to import what an answer needs
citewise.add([citewise.Paper("a", "A paper")], sys.argv[2])
warm = citewise.open(sys.argv[2])
warm.recommend("A paper"), warm.cite("A paper"), warm.describe(), citewise.verify(sys.argv[2])
os.setgroups([]); os.setgid(65534); os.setuid(65534)
library = read()
for change in (
    lambda: citewise.add([citewise.Paper("new", "A new paper")], sys.argv[1]),
    lambda: citewise.remove(sys.argv[1], ["bees"]),
    lambda: citewise.compact(sys.argv[1]),
    lambda: library.stores.models.save("ranker", b"{}"),
):
    try:
        change()
    except citewise.NoPermission as error:
        assert "you may read this library but not change it: no write permission in" in str(error)
    else:
        raise SystemExit("it could be changed")
assert not [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("citewise-")]
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A library of ours that all users can reach: pytest keeps its own folders to itself."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        citewise.add([*PAPERS, *SENTENCES], Path(folder) / "library")
        yield Path(folder) / "library"


def _read_as_nobody(library: Path, *before: str) -> None:
    warm, scratch = library.parent / "for-imports", library.parent / "tmp"
    scratch.mkdir(mode=0o777, exist_ok=True)  # other tests leave files in the usual folder
    scratch.chmod(0o777)
    command = [*before, sys.executable, "-c", READER, str(library), str(warm)]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd="/", check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@AS_ROOT
def test_another_user_reads_and_verifies_a_library_and_cannot_change_it(shared: Path) -> None:
    listing = sorted(shared.rglob("*"))
    _read_as_nobody(shared)
    assert sorted(shared.rglob("*")) == listing


@AS_ROOT
@pytest.mark.slow
def test_a_read_only_mount(shared: Path) -> None:
    mount = f"mount --bind {shared} {shared} && mount -o remount,bind,ro {shared}"
    tried = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("nothing can be mounted here")
    _read_as_nobody(shared, "unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh")


@pytest.mark.slow
def test_files_have_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    for mask in (0o022, 0o002, 0o077):
        before = os.umask(mask)
        try:
            library = tmp_path / f"{mask:o}"
            citewise.add([*PAPERS, *SENTENCES], library)
            citewise.remove(library, ["bees"])
        finally:
            os.umask(before)
        for path in library.rglob("*"):
            expected = (0o777 if path.is_dir() else 0o666) & ~mask
            assert path.stat().st_mode & 0o777 == expected, path


@pytest.mark.slow
@AS_ROOT
def test_a_file_that_may_not_be_read_is_named(shared: Path) -> None:
    (shared / "manifest.json").chmod(0o600)
    with pytest.raises(AssertionError, match=r"NoPermission.*manifest.json.*chmod -R a\+rX"):
        _read_as_nobody(shared)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(BadInput, match=r"other files in it \(thesis.tex\).*an empty folder"):
        citewise.add(PAPERS, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_a_killed_writer_left_is_no_foreign_file(tmp_path: Path) -> None:
    for name in ("segments", "lexical", "tables"):
        (tmp_path / name).mkdir()
    with pytest.raises(BadInput, match="lexical, segments, tables"):
        require_own_folder(tmp_path)
    (tmp_path / "writer.lock").touch()
    require_own_folder(tmp_path)
    assert len(citewise.add(PAPERS, tmp_path).examples) == 0


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_an_error(path: str) -> None:
    for act in (folder_of, citewise.open, citewise.verify, citewise.compact):
        with pytest.raises(BadInput, match="path is empty"):
            act(path)
    with pytest.raises(BadInput, match="path is empty"):
        citewise.add(PAPERS, path)


def test_a_folder_that_is_not_there_may_be_written(tmp_path: Path) -> None:
    require_writable(tmp_path / "new")
    require_own_folder(tmp_path / "new")
