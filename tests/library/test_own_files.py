"""Only what citewise wrote is ever deleted."""

import random
from pathlib import Path

import pytest

import citewise
from citewise.library import vectors, writer
from citewise.library.generation import collect_garbage
from citewise.library.own_files import GENERATION, KINDS, is_own
from citewise.types import Paper
from citing import PAPERS, SENTENCES
from corpora import GOLDEN, random_papers
from damage import LetterEncoder

FOREIGN = (
    "tables/results.csv",
    "tables/2024001/table.csv",
    "segments/123456/notes.txt",
    "segments/000009",
    "evidence/000001/interview.wav",
    "lexical/000001/dictionary.txt",
    "vectors/drawing.svg",
    "vectors/my.keys",
    "notes.txt",
)


def _write_foreign(library: Path) -> None:
    for name in FOREIGN:
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text("precious")


def test_every_file_of_a_library_has_a_known_name(tmp_path: Path) -> None:
    citewise.add([*PAPERS, *SENTENCES], tmp_path)
    writer.encode(tmp_path, LetterEncoder(), papers=True)
    files = [file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file()]
    inside = [file for file in files if len(file.parts) > 1]
    assert {file.parts[0] for file in inside} == {*KINDS, "vectors", "embeddings"}
    assert [file for file in inside if not is_own(file.parts[0], file.name)] == []
    numbered = [file for file in inside if len(file.parts) > 2 and file.parts[0] in KINDS]
    assert all(GENERATION.fullmatch(file.parts[1]) for file in numbered)


@pytest.mark.slow
def test_no_command_deletes_a_file_of_the_user(tmp_path: Path) -> None:
    citewise.add([*PAPERS, *SENTENCES], tmp_path)
    _write_foreign(tmp_path)
    citewise.add(GOLDEN, tmp_path)
    citewise.add(random_papers(20, seed=1), tmp_path)
    writer.encode(tmp_path, LetterEncoder(), papers=True)
    citewise.remove(tmp_path, ["bees"])
    writer.encode(tmp_path, LetterEncoder(), papers=True)
    citewise.compact(tmp_path)

    assert [name for name in FOREIGN if not (tmp_path / name).is_file()] == []
    assert citewise.verify(tmp_path).sound
    assert len(vectors.load(tmp_path).parts) == 2  # type: ignore[union-attr]


def test_an_error_deletes_no_file_of_the_user(tmp_path: Path) -> None:
    citewise.add(PAPERS, tmp_path)
    _write_foreign(tmp_path)
    (tmp_path / "segments" / "0000021").mkdir()
    (tmp_path / "segments" / "0000021" / "years").write_text("precious")

    def broken() -> object:
        yield random_papers(1, seed=random.randrange(9))[0]
        raise citewise.BadInput("broke")

    with pytest.raises(citewise.BadInput, match="broke"):
        citewise.add(broken(), tmp_path)  # type: ignore[arg-type]
    assert [name for name in FOREIGN if not (tmp_path / name).is_file()] == []
    assert (tmp_path / "segments" / "0000021" / "years").exists()


def test_what_a_killed_writer_left_is_deleted(tmp_path: Path) -> None:
    for name in ("segments/000001/years", "lexical/000001/meta.json", "segments/000001-scratch"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("half")
    collect_garbage(tmp_path, None)
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == ["lexical", "segments"]


def test_an_empty_folder_stays_where_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(citewise.MissingData):
        citewise.index([tmp_path / "absent.bib"], tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(citewise.MissingData):
        citewise.index([tmp_path / "absent.bib"], tmp_path / "empty")
    assert [*(tmp_path / "empty").iterdir()] == []


@pytest.mark.parametrize("name", [".tmpUmk9va", "mode.new"])
def test_what_a_killed_writer_leaves_in_the_index_is_removed(tmp_path: Path, name: str) -> None:
    citewise.add([Paper("a", "Bees dance")], tmp_path)
    left = tmp_path / "lexical" / "000002"
    left.mkdir()
    (left / name).touch()
    citewise.add([Paper("b", "Ants walk")], tmp_path)
    assert citewise.verify(tmp_path).sound
    assert [each.name for each in (tmp_path / "lexical").iterdir()] == ["000002"]


def test_a_folder_with_files_of_others_is_passed_by(tmp_path: Path) -> None:
    citewise.add([Paper("a", "Bees dance")], tmp_path)
    (tmp_path / "lexical" / "000002").mkdir()
    (tmp_path / "lexical" / "000002" / "notes.txt").touch()
    citewise.add([Paper("b", "Ants walk")], tmp_path)
    assert len(citewise.open(tmp_path)) == 2
    assert (tmp_path / "lexical" / "000002" / "notes.txt").exists()
