"""Tables in two levels say what tables in one level say."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.engines.shards.cutting import cut
from citewise.errors import BadLibrary
from citewise.library import changes, vocabulary, writer
from citewise.library import manifest as manifests
from citewise.library.files import checksum
from citewise.library.folder import LibraryFolder
from citewise.library.levels import LevelledLookup, LevelledTables
from citewise.library.tables import Lookup
from citewise.types import CitingSentence, Paper
from citing import citing
from corpora import corpora, random_papers
from libraries import assert_same, assert_same_graph, citations, new_folder, papers_of, store
from oracles import PlainLibrary
from properties import examples
from word_models import StemModel


@pytest.fixture(autouse=True, scope="module")
def two_levels() -> Iterator[None]:
    """Small libraries have two levels in these tests, and few words are looked up one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "LEAST_BELOW", 1)
        patch.setattr(vocabulary, "_FEW", 20)
        yield


def _levelled(path: Path) -> LibraryFolder:
    """Return a library, after having looked whether it is sound and has two levels."""
    library = LibraryFolder(path)
    assert isinstance(library.tables, LevelledTables)
    assert citewise.verify(path).problems == ()
    return library


@pytest.mark.slow
@given(corpora(most=10), st.data())
@examples(25)
def test_they_say_what_dictionaries_say(papers: list[Paper], data: st.DataObject) -> None:
    order = data.draw(st.permutations(papers))
    first = data.draw(st.integers(1, len(order)))
    second = data.draw(st.integers(first, len(order)))
    names = [paper.id for paper in order]
    gone = data.draw(st.lists(st.sets(st.sampled_from(names[:second])), min_size=2, max_size=2))

    with new_folder() as folder:
        store(folder, order[:first])
        assert LibraryFolder(folder).manifest.changes == ""

        store(folder, order[first:second])
        present = {paper.id: paper for paper in order[:second]}
        for drawn in gone:
            removed = drawn & present.keys()
            if removed and removed != present.keys():  # the dictionaries need a paper
                citewise.remove(folder, removed)
                present = {name: each for name, each in present.items() if name not in removed}
                assert_same(_levelled(folder), [*present.values()])

        store(folder, order[second:])
        present |= {paper.id: paper for paper in order[second:]}
        assert citewise.verify(folder).problems == ()
        assert_same(LibraryFolder(folder), [*present.values()])


@pytest.mark.slow
@given(corpora(most=8), st.data())
@examples(15)
def test_citing_sentences_come_and_go(papers: list[Paper], data: st.DataObject) -> None:
    keys = st.sampled_from([f"p{number}" for number in range(len(papers) + 1)])
    drawn = data.draw(st.lists(st.tuples(keys, keys, st.integers(1988, 1997)), max_size=8))
    sentences = [
        citing(source, f"Sentence {number} cites [REF].", (target,), year=year)
        for number, (source, target, year) in enumerate(drawn)
    ]
    every: Sequence[Paper | CitingSentence] = data.draw(st.permutations([*papers, *sentences]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(every)), min_size=2, max_size=2)))

    with new_folder() as folder:
        citewise.add(papers[:1], folder)
        for start, end in ((0, cuts[0]), (cuts[0], cuts[1]), (cuts[1], len(every))):
            citewise.add(every[start:end], folder)
            assert citewise.verify(folder).problems == ()
        stores = LibraryFolder(folder)
        assert_same_graph(stores, PlainLibrary(papers_of(stores), sentences), (1991, 1994))


def test_references_find_and_lose_their_papers(tmp_path: Path) -> None:
    citing_both = Paper("citing", "It cites two", references=("old", "new"))
    store(tmp_path, [citing_both, Paper("old", "An old paper")])
    assert citations(LibraryFolder(tmp_path)) == {"citing": {"old"}}

    store(tmp_path, [Paper("new", "A new paper", references=("old", "unknown"))])
    assert citations(_levelled(tmp_path)) == {"citing": {"old", "new"}, "new": {"old"}}

    citewise.remove(tmp_path, ["old"])
    assert citations(_levelled(tmp_path)) == {"citing": {"new"}}

    store(tmp_path, [Paper("old", "An old paper, once more"), Paper("unknown", "It was unknown")])
    assert citations(_levelled(tmp_path)) == {
        "citing": {"old", "new"},
        "new": {"old", "unknown"},
    }


def test_a_paper_with_a_new_record_keeps_its_citers(tmp_path: Path) -> None:
    store(tmp_path, [Paper("a", "A paper on bees", ids=("doi:10.1/a",)), Paper("b", "On ants")])
    store(tmp_path, [Paper("c", "It cites one paper", references=("doi:10.1/a",))])
    citewise.add([Paper("a", "A paper on bees", "Now with an abstract.")], tmp_path)

    library = _levelled(tmp_path)
    assert citations(library) == {"c": {"a"}}
    [paper] = library.papers.read(library.papers.find(["doi:10.1/a"]))
    assert paper.abstract == "Now with an abstract."


@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 30)), max_size=25, unique=True),
    st.sets(st.integers(0, 30)),
    st.integers(0, 30),
)
@examples(200)
def test_lookups_in_two_levels_find_what_one_finds(
    pairs: list[tuple[int, int]], gone: set[int], first_new: int
) -> None:
    pairs = sorted(pairs, key=lambda pair: pair[1])
    below = [pair for pair in pairs if pair[1] < first_new]
    above = [pair for pair in pairs if pair[1] >= first_new and pair[1] not in gone]
    older_gone = np.array(sorted(row for row in gone if row < first_new), np.int64)
    levelled = LevelledLookup(_lookup(below), older_gone, _lookup(above))
    whole = _lookup([pair for pair in pairs if pair[1] not in gone])

    hashes = np.arange(0, 8, dtype=np.uint64)
    assert levelled.find(hashes).tolist() == whole.find(hashes).tolist()
    assert levelled.whole.numbers.tolist() == whole.numbers.tolist()
    for value in range(8):
        assert levelled.find_all(value) == whole.find_all(value)
        assert sorted(levelled.between(value, 7)) == sorted(whole.between(value, 7))


def _lookup(pairs: Sequence[tuple[int, int]]) -> Lookup:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return Lookup.of(columns[:, 0].astype(np.uint64), columns[:, 1])


@pytest.mark.parametrize("levels", [1, 2])
def test_vectors_leave_the_tables_as_they_are(tmp_path: Path, levels: int) -> None:
    papers = random_papers(8, seed=8)
    before = store(tmp_path, *([papers] if levels == 1 else [papers[:5], papers[5:]])).manifest
    writer.embed(tmp_path, "stems", StemModel(3))
    writer.drop_vectors(tmp_path, "stems")
    after = LibraryFolder(tmp_path).manifest
    assert (after.table_folders, after.format) == (before.table_folders, before.format)
    assert_same(LibraryFolder(tmp_path), papers)


def test_verify_compares_dangling_references(tmp_path: Path) -> None:
    manifest = store(tmp_path, [Paper("a", "Bees dance", references=("b",))]).manifest
    name = f"tables/{manifest.tables}/dangling.numbers"
    (tmp_path / name).write_bytes((7).to_bytes(4, "little"))
    manifest.files[name] = manifests.FileEntry(4, checksum(tmp_path / name))
    manifests.save(tmp_path, manifest)
    assert citewise.verify(tmp_path).problems == (
        "table dangling: differs from what the segments say",
    )


def test_only_new_words_are_written_again(tmp_path: Path) -> None:
    papers = [Paper(f"p{number}", f"word{number}a word{number}b") for number in range(6)]
    store(tmp_path, papers[:4])
    for each in papers[4:]:
        store(tmp_path, [each])
    words = LibraryFolder(tmp_path).vocabulary
    assert sorted(words.words(words.below())) == ["word4a", "word4b", "word5a", "word5b"]
    assert words.numbers(["word", *words.words()]) == [-1, *range(12)]


def test_tables_are_written_whole_when_much_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_CHANGED", 3)
    papers = random_papers(9, seed=3)
    store(tmp_path, papers[:4], papers[4:6])
    assert _levelled(tmp_path).manifest.table_folders == ("000001", "000002")

    citewise.remove(tmp_path, ["p0"])
    assert _levelled(tmp_path).manifest.table_folders == ("000001", "000003")
    assert sorted(each.name for each in (tmp_path / "tables").iterdir()) == ["000001", "000003"]

    library = store(tmp_path, papers[6:])
    assert library.manifest.table_folders == ("000004",)
    assert [each.name for each in (tmp_path / "tables").iterdir()] == ["000004"]
    assert_same(library, papers[1:])


def test_only_libraries_in_two_levels_need_a_new_citewise(tmp_path: Path) -> None:
    papers = random_papers(6, seed=4)
    assert store(tmp_path, papers[:4]).manifest.format == 1
    assert store(tmp_path, papers[4:]).manifest.format == manifests.FORMAT == 4
    citewise.compact(tmp_path)
    assert LibraryFolder(tmp_path).manifest.format == 1


def test_tables_of_an_older_citewise_are_written_anew(tmp_path: Path) -> None:
    papers = random_papers(8, seed=5)
    old = store(tmp_path, papers[:5]).manifest
    for name in ("dangling.hashes", "dangling.numbers"):
        (tmp_path / "tables" / old.tables / name).unlink()
        del old.files[f"tables/{old.tables}/{name}"]
    manifests.save(tmp_path, old)
    assert citewise.verify(tmp_path).problems == ()

    library = store(tmp_path, papers[5:])
    assert library.manifest.changes == "" and library.tables.base.dangling is not None
    assert_same(library, papers)


@pytest.mark.parametrize("name", ["citers.changed", "keys.hashes", "text.added", "words.text"])
def test_a_damaged_file_of_the_upper_level_is_named(tmp_path: Path, name: str) -> None:
    papers = [Paper("a", "Bees dance"), Paper("b", "Ants walk", references=("a",))]
    store(tmp_path, papers[:1], papers[1:])
    file = tmp_path / "tables" / "000002" / name
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(BadLibrary, match=rf"tables/000002/{name}: content changed"):
        LibraryFolder(tmp_path)


def test_verify_finds_an_upper_level_that_the_segments_contradict(tmp_path: Path) -> None:
    papers = [Paper("a", "Bees dance"), Paper("b", "Ants walk", references=("a",))]
    store(tmp_path, papers[:1], papers[1:])
    old = LibraryFolder(tmp_path).manifest
    for name in ("citers.changed", "citers.starts", "citers.rows"):
        file = tmp_path / "tables" / "000002" / name
        file.write_bytes(bytes(8) if name == "citers.starts" else b"")
        entry = manifests.FileEntry(file.stat().st_size, checksum(file))
        old.files[f"tables/000002/{name}"] = entry
    manifests.save(tmp_path, old)
    assert citewise.verify(tmp_path).problems == (
        "table citers: differs from what the segments say",
    )


@pytest.mark.slow
def test_what_is_written_depends_on_what_is_added(tmp_path: Path) -> None:
    def written(papers: int) -> int:
        """Return the bytes of the tables that adding ten papers writes."""
        folder = tmp_path / str(papers)
        words = [f"word{number}" for number in range(papers)]
        store(folder, random_papers(papers, 1, words=words))
        store(folder, random_papers(10, 2, first=papers))
        changed = folder / "tables" / LibraryFolder(folder).manifest.changes
        return sum(file.stat().st_size for file in changed.iterdir())

    assert written(1200) < 1.3 * written(300)


@pytest.mark.slow
def test_shards_of_two_levels_are_those_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = random_papers(40, seed=7)
    for name, most in (("two", 100), ("one", -1)):
        monkeypatch.setattr(changes, "MOST_CHANGED", most)
        store(tmp_path / name, papers[:25], papers[25:])
        citewise.remove(tmp_path / name, ["p3", "p30"])
        cut(tmp_path / name, 2, tmp_path / f"{name}-shards")
    assert isinstance(LibraryFolder(tmp_path / "two").tables, LevelledTables)
    assert _contents(tmp_path / "two-shards") == _contents(tmp_path / "one-shards")


def _contents(folder: Path) -> dict[str, bytes]:
    """Return all files but the inverted indexes, whose names are random, and the manifests, which
    have a date.
    """
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "lexical" not in file.parts and file.name != "shards.json"
    }
