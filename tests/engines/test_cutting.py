"""A library is cut into shards completely or not at all, and damage to a shard is named."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.engines.shards import cutting, writing
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.generations import note_served, only_writer
from citewise.engines.shards.manifest import folder_name, shard_name
from citewise.engines.shards.stores import ShardedStores
from citewise.engines.version import installed_version
from citewise.errors import BadInput, BadLibrary, LibraryBusy, MissingData
from citewise.library.files import checksum
from citewise.library.folder import LibraryFolder
from citewise.types import Answer, Query, Scope
from command_line import Run
from contracts import PAPERS, SENTENCES
from stores.implementations import Given, in_a_folder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    """Papers of different lengths, and sentences that cite them."""
    return in_a_folder(tmp_path_factory.mktemp("whole"), Given([*PAPERS, *SENTENCES]))


@pytest.fixture(scope="module")
def shards(whole: LibraryFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    cut(whole.path, 4, folder)
    return folder


@pytest.fixture
def own_shards(whole: LibraryFolder, tmp_path: Path) -> Path:
    """Shards that a test may damage."""
    cut(whole.path, 2, tmp_path / "shards")
    return tmp_path / "shards"


def test_papers_are_dealt_by_their_rows(whole: LibraryFolder, shards: Path) -> None:
    manifest = manifests.load(shards)
    assert [each.rows for each in manifest.shards] == [len(PAPERS[each::4]) for each in range(4)]
    assert sum(each.papers for each in manifest.shards) == manifest.papers == len(PAPERS)
    stores = ShardedStores.local(shards)
    assert stores.papers.read(stores.papers.rows) == whole.papers.read(whole.papers.rows)


def test_what_a_cluster_serves_stays_however_often_is_cut(
    whole: LibraryFolder, own_shards: Path
) -> None:
    note_served(own_shards, "10.0.0.1:6379-library", (1,))
    for _ in range(3):
        cut(whole.path, 2, own_shards)
    kept = [each.name for each in sorted(own_shards.iterdir()) if each.is_dir()]
    assert kept == ["000001", "000003", "000004"]

    note_served(own_shards, "10.0.0.1:6379-library", ())
    cut(whole.path, 2, own_shards)
    kept = [each.name for each in sorted(own_shards.iterdir()) if each.is_dir()]
    assert kept == ["000004", "000005"]


def test_one_writer_at_a_time(whole: LibraryFolder, own_shards: Path, tmp_path: Path) -> None:
    with only_writer(own_shards), pytest.raises(LibraryBusy, match="is writing to this"):
        cut(whole.path, 2, own_shards)
    assert manifests.load(own_shards).generation == 1
    file = tmp_path / "draft.tex"
    file.write_text("mine")
    with pytest.raises(BadInput, match="cannot be a folder"):
        cut(whole.path, 2, file)
    assert file.read_text() == "mine"


def test_shards_are_verified_and_not_taken_for_a_library(run: Run, own_shards: Path) -> None:
    done = run("verify", "--library", own_shards)
    assert done.code == 0 and "every file is as it was written" in done.out, done.err
    done = run("compact", "--library", own_shards)
    assert done.code != 0 and "these are shards" in done.err, done.err

    file = own_shards / folder_name(1) / shard_name(1) / "segment" / "years"
    content = bytearray(file.read_bytes())
    content[0] ^= 1
    file.write_bytes(content)
    done = run("verify", "--library", own_shards)
    assert done.code == 1 and "shard-001/segment/years: content changed" in done.out, done.out
    assert manifests.damages(own_shards) == []  # by sizes alone
    file.unlink()
    (problem,) = manifests.damages(own_shards)
    assert problem.endswith("shard-001/segment/years: missing")


def test_an_address_is_no_folder_to_write(run: Run, tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "a", "title": "One"}\n')
    for command in (("index", papers), ("verify",), ("compact",)):
        done = run(*command, "--library", "ray://127.0.0.2:6500/library")
        assert done.code != 0 and "this command needs a folder" in done.err, done.err
    assert not Path("ray:").exists()


def test_the_manifest_says_what_the_shards_are(whole: LibraryFolder, shards: Path) -> None:
    manifest = manifests.load(shards)
    assert manifest == manifests.load(shards, 1)
    assert (manifest.generation, manifest.version) == (1, installed_version())
    assert manifest.library == whole.info and manifest.evidence == whole.evidence.counts()
    for name, entry in manifest.files.items():
        file = shards / folder_name(1) / name
        assert (file.stat().st_size, checksum(file)) == (entry.size, entry.checksum)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_any_number_of_shards_gives_the_same_answers(
    whole: LibraryFolder, number: int, tmp_path: Path
) -> None:
    cut(whole.path, number, tmp_path / "shards")
    assert_same_answers(whole, tmp_path / "shards")


def test_shards_without_papers_give_the_same_answers(tmp_path: Path) -> None:
    few = in_a_folder(tmp_path / "few", Given([*PAPERS[:12], *SENTENCES[:12]]))
    cut(few.path, 15, tmp_path / "shards")
    assert [each.rows for each in manifests.load(tmp_path / "shards").shards][12:] == [0, 0, 0]
    assert_same_answers(few, tmp_path / "shards")


def assert_same_answers(whole: LibraryFolder, shards: Path) -> None:
    found, expected = Library(ShardedStores.local(shards)), Library(whole)
    for system in ("bm25", "best", "evidence"):
        for paper in PAPERS[:3]:
            query = Query(paper.title, paper.abstract, year=2015)
            assert_same(*(each.answer(query, 30, system) for each in (found, expected)))


def assert_same(found: Answer, expected: Answer) -> None:
    """Compare papers, order and scores."""
    assert [each.paper.id for each in found] == [each.paper.id for each in expected]
    scores = [each.score for each in expected]
    assert [each.score for each in found] == pytest.approx(scores, abs=1e-9)


@pytest.mark.parametrize(
    ("fewest", "tolerance"), [(1 << 16, 1e-6), (1, 2e-3)], ids=["many documents", "few documents"]
)
def test_scores_of_the_search_are_those_of_one_index(
    whole: LibraryFolder,
    tmp_path: Path,
    fewest: int,
    tolerance: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every shard weighs terms by the whole library's frequencies, and has its mean length: to
    within half a term in all of its documents, which is more where these are few.
    """
    monkeypatch.setattr(writing, "_FEWEST_INDEXED", fewest)
    shards = tmp_path / "shards"
    cut(whole.path, 4, shards)
    terms, counts = whole.terms.of(" ".join(paper.abstract for paper in PAPERS[:5]))
    weights = counts.astype(np.float64)
    stores = ShardedStores.local(shards)
    found, expected = (
        dict(zip(*(each.tolist() for each in index.hits(terms, weights, 1_000)), strict=True))
        for index in (stores.lexical._index, whole.lexical._index)
    )
    assert found.keys() == expected.keys() and len(found) > 30
    for row, score in expected.items():
        assert found[row] == pytest.approx(score, rel=tolerance)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
def test_a_shard_with_more_of_the_best_is_asked_again(
    whole: LibraryFolder, shards: Path, k: int
) -> None:
    """All of the best may be in one shard: none is missed."""
    terms, counts = whole.terms.of(f"{PAPERS[0].title} {PAPERS[4].title} {PAPERS[8].title}")
    stores = ShardedStores.local(shards)
    found, expected = (
        each.lexical.search(terms, counts, k, Scope()).tolist() for each in (stores, whole)
    )
    assert found == expected


def test_removed_papers_stay_removed(tmp_path: Path) -> None:
    library = in_a_folder(tmp_path / "whole", Given([*PAPERS, *SENTENCES])).path
    citewise.remove(library, [PAPERS[2].id, PAPERS[5].id])
    cut(library, 3, tmp_path / "shards")
    found, expected = citewise.open(tmp_path / "shards"), citewise.open(library)
    assert [each.id for each in found] == [each.id for each in expected]
    assert PAPERS[2].id not in found and found.describe().deleted == 2
    with pytest.raises(MissingData, match="no paper at row 2"):
        found.stores.papers.read([2])
    assert_same(*(each.recommend(PAPERS[3].title, system="bm25") for each in (found, expected)))


def test_a_new_generation_leaves_the_one_before(whole: LibraryFolder, own_shards: Path) -> None:
    old = ShardedStores.local(own_shards)
    assert cut(whole.path, 3, own_shards).generation == 2
    assert len(ShardedStores.local(own_shards).manifest.shards) == 3
    assert old.papers.read([0]) == [PAPERS[0]]
    cut(whole.path, 3, own_shards)
    folders = [file.name for file in own_shards.iterdir() if file.is_dir()]
    assert sorted(folders) == [folder_name(2), folder_name(3)]


def test_what_fails_leaves_nothing(
    whole: LibraryFolder, own_shards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> Iterator[None]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cutting, "cut_evidence", full)
    with pytest.raises(OSError, match="No space left"):
        cut(whole.path, 2, own_shards)
    assert sorted(file.name for file in own_shards.iterdir()) == [
        *(folder_name(1), manifests.NAME, "writer.lock")
    ]
    assert manifests.load(own_shards).generation == 1


def test_what_a_killed_writer_left_is_removed(whole: LibraryFolder, own_shards: Path) -> None:
    (own_shards / "000002.new" / "shard-000").mkdir(parents=True)
    assert cut(whole.path, 2, own_shards).generation == 2
    assert not (own_shards / "000002.new").exists()


def test_a_folder_with_other_files_is_refused(whole: LibraryFolder, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(BadInput, match=r"has other files in it \(thesis.tex\)"):
        cut(whole.path, 2, tmp_path)
    with pytest.raises(BadInput, match="1 to 1,000 shards, not 0"):
        cut(whole.path, 0, tmp_path / "new")


def test_a_lost_or_changed_file_is_named(own_shards: Path) -> None:
    folder = own_shards / folder_name(1) / shard_name(1)
    file = folder / "tables" / "references.rows"
    content = file.read_bytes()
    file.write_bytes(b"\0" * len(content))
    with pytest.raises(BadLibrary, match=r"shard 1 of generation 1 is damaged \(tables/refer"):
        citewise.open(own_shards)
    file.write_bytes(content)
    (folder / "segment" / "records.zst").unlink()
    with pytest.raises(BadLibrary, match=r"records\.zst: missing"):
        citewise.open(own_shards)


def test_a_trained_model_is_kept_and_opened_again(own_shards: Path) -> None:
    ShardedStores.local(own_shards).models.save("ranker", b'{"a":1}')
    assert ShardedStores.local(own_shards).models.load("ranker") == b'{"a":1}'


def test_commands_take_a_folder_of_shards(run: Run, whole: LibraryFolder, tmp_path: Path) -> None:
    done = run("shard", "--library", whole.path, "--shards", 2, "--output", tmp_path / "shards")
    assert done.code == 0 and f"{len(PAPERS)} papers in 2 shards" in done.err
    shown = run("info", "--library", tmp_path / "shards", "--json")
    assert f'"papers": {len(PAPERS)}' in shown.out
    title = ("recommend", "--title", PAPERS[0].title, "--format", "bibtex", "--library")
    assert run(*title, tmp_path / "shards").out == run(*title, whole.path).out


def test_the_command_says_that_removed_papers_count_in_the_library(
    run: Run, tmp_path: Path
) -> None:
    library = in_a_folder(tmp_path / "whole", Given(PAPERS[:20])).path
    command = ("shard", "--library", library, "--output", tmp_path / "shards")
    assert "removed" not in run(*command).err
    citewise.remove(library, [PAPERS[2].id, PAPERS[5].id])
    said = " ".join(run(*command).err.split())
    assert "2 removed papers are left out" in said and "citewise compact --library" in said
