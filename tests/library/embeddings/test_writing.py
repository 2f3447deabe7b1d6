"""Sets of papers' vectors through the life of a library."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import citewise
from citewise.arrays import Rows
from citewise.errors import BadInput, BadLibrary, MissingData
from citewise.ingest.report import SourceLocation
from citewise.library import manifest as manifests
from citewise.library import segments, writer
from citewise.library.embeddings import lists, store, writing
from citewise.library.entries import batches
from citewise.library.folder import LibraryFolder
from citewise.memory import MemoryStores
from citewise.protocols import CountedTerms, PaperVectors, Stores, TermNumbers, WordModel
from citewise.types import Paper, Scope
from citing import EVERYTHING, SENTENCES
from corpora import random_papers
from stores.views import paper_vectors
from word_models import StemModel, embedded

MODEL = StemModel()


def add(
    path: Path, papers: Sequence[Paper], models: Mapping[str, WordModel] | None = None
) -> LibraryFolder:
    located = [(paper, SourceLocation("test", line)) for line, paper in enumerate(papers, 1)]
    given = {"stems": MODEL} if models is None else models
    writer.add(path, batches(located), keep_versions=True, models=lambda old: given)
    return LibraryFolder(path)


class Counting:
    """The model with a count of the papers that it embeds, or one that breaks."""

    about = MODEL.about

    def __init__(self, fails: bool = False) -> None:
        self.counts: list[int] = []
        self._fails = fails

    def over(self, words: Callable[[TermNumbers], list[str]]) -> "Counting":
        self._embedder = MODEL.over(words)
        return self

    def vectors(self, title: CountedTerms, abstract: CountedTerms) -> NDArray[np.float32]:
        if self._fails:
            raise RuntimeError("broke")
        self.counts.append(len(title[0]))
        return self._embedder.vectors(title, abstract)


def assert_as_embedded(stores: Stores, model: WordModel = MODEL, name: str = "stems") -> None:
    """Check each living paper's vector against the one that the model makes of it now."""
    found, rows = paper_vectors(stores, name), stores.papers.rows
    expected = embedded(stores, model, rows)
    assert found.about == model.about
    assert np.array_equal(np.isnan(found.of(rows)), np.isnan(expected))
    assert found.of(rows) == pytest.approx(expected, abs=1e-6, nan_ok=True)
    assert len(found) == int((~np.isnan(expected[:, 0])).sum())


@pytest.mark.slow
def test_every_change_keeps_each_papers_vector(tmp_path: Path) -> None:
    papers = [*random_papers(60, seed=1), Paper("empty", "A b")]
    add(tmp_path, papers[:30])
    add(tmp_path, papers[30:])
    assert_as_embedded(LibraryFolder(tmp_path))

    first = LibraryFolder(tmp_path)
    known = first.papers.read(first.papers.rows)
    add(tmp_path, [replace(paper, abstract="Wholly other words here") for paper in known[:3]])
    assert_as_embedded(LibraryFolder(tmp_path))
    citewise.remove(tmp_path, [known[7].id, known[40].id])
    assert_as_embedded(LibraryFolder(tmp_path))
    citewise.compact(tmp_path)
    assert_as_embedded(LibraryFolder(tmp_path))

    citewise.add(SENTENCES, tmp_path)
    assert_as_embedded(LibraryFolder(tmp_path))
    assert citewise.verify(tmp_path).sound
    assert_as_embedded(first)  # an open reader keeps what it has


def test_answers_are_those_of_a_library_in_memory(tmp_path: Path) -> None:
    papers = random_papers(80, seed=5)
    for start, end in ((0, 50), (50, 70), (70, 80)):
        stores = add(tmp_path, papers[start:end])
    memory = MemoryStores.of(stores.papers.read(stores.papers.rows))
    vectors = embedded(memory, MODEL, memory.papers.rows)
    memory = memory.with_set("stems", MODEL.about, vectors)
    assert len(stores.papers) == 80

    one, other = paper_vectors(stores, "stems"), paper_vectors(memory, "stems")
    for vector in random_vectors(6):
        for scope in (EVERYTHING, Scope(year=2005, hidden=(3, 9)), Scope(within=(1, 2, 60))):
            assert_same(one.nearest(vector, 12, scope), other.nearest(vector, 12, scope))


def random_vectors(count: int) -> NDArray[np.float32]:
    """Return unit vectors; those of papers would have cosines that are equal but for rounding."""
    vectors = np.random.default_rng(11).normal(size=(count, MODEL.size))
    unit: NDArray[np.float32] = _unit(vectors).astype(np.float32)
    return unit


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


def assert_same(found: tuple[Rows, object], expected: tuple[Rows, object]) -> None:
    assert found[0].tolist() == expected[0].tolist()
    assert found[1] == pytest.approx(expected[1], abs=1e-5)


@pytest.mark.slow
def test_what_is_added_costs_what_is_added(tmp_path: Path) -> None:
    """The files of old runs are shared, and only new papers are embedded."""
    add(tmp_path, random_papers(90, seed=1))
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "embeddings").rglob("*.*")}
    model = Counting()
    add(tmp_path, random_papers(5, seed=2, first=90), {"stems": model})
    assert model.counts == [5]
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert sorted(file.name for file in (tmp_path / "embeddings" / "stems").iterdir()) == [
        "000001.codes",
        "000002.codes",
    ]
    for number in range(6):
        add(tmp_path, random_papers(20, seed=number, first=100 + 20 * number))
    assert len(LibraryFolder(tmp_path).manifest.vectors["stems"].codes) < 5, "small runs are joined"
    assert_as_embedded(LibraryFolder(tmp_path))


@pytest.mark.slow
def test_without_the_model_new_papers_have_no_vector(tmp_path: Path) -> None:
    add(tmp_path, random_papers(9, seed=1))
    for models in ({}, {"stems": StemModel(7)}):
        count = len(LibraryFolder(tmp_path).papers)
        stores = add(tmp_path, random_papers(1, seed=1, first=count), models)
    found = paper_vectors(stores, "stems")
    assert np.isnan(found.of(stores.papers.rows)[:, 0]).tolist() == [False] * 9 + [True] * 2
    assert len(found) == 9 and citewise.verify(tmp_path).sound

    writer.embed(tmp_path, "stems", MODEL)
    assert_as_embedded(LibraryFolder(tmp_path))


@pytest.mark.slow
def test_sets_are_made_replaced_and_dropped(tmp_path: Path) -> None:
    citewise.add(random_papers(20, seed=1), tmp_path, vectors=False)
    assert LibraryFolder(tmp_path).vectors.names() == ()
    assert LibraryFolder(tmp_path).manifest.format == 1

    writer.embed(tmp_path, "one", MODEL)
    stores = LibraryFolder(tmp_path)
    assert stores.manifest.format == 3
    fingerprint = stores.info.fingerprint
    writer.embed(tmp_path, "two", StemModel(2, 16))
    writer.embed(tmp_path, "one", StemModel(3))
    stores = LibraryFolder(tmp_path)
    assert stores.vectors.names() == ("one", "two")
    assert stores.vectors.papers("three") is None
    assert_as_embedded(stores, StemModel(3), "one")
    assert_as_embedded(stores, StemModel(2, 16), "two")
    assert stores.info.fingerprint != fingerprint
    described = citewise.open(tmp_path).describe().paper_vectors
    assert [(each.name, each.model, each.size, each.papers) for each in described] == [
        ("one", "stems-3", 8, 20),
        ("two", "stems-2", 16, 20),
    ]

    writer.drop_vectors(tmp_path, "one")
    assert LibraryFolder(tmp_path).vectors.names() == ("two",)
    assert [each.name for each in (tmp_path / "embeddings").iterdir()] == ["two"]
    writer.drop_vectors(tmp_path, "two")
    assert not (tmp_path / "embeddings").exists()
    assert LibraryFolder(tmp_path).manifest.format == 1
    assert citewise.verify(tmp_path).sound

    with pytest.raises(MissingData, match="no vectors of papers are named 'two'; known: none"):
        writer.drop_vectors(tmp_path, "two")
    with pytest.raises(BadInput, match="cannot be the name"):
        writer.embed(tmp_path, "../two", MODEL)
    with pytest.raises(MissingData):
        writer.embed(tmp_path / "none", "two", MODEL)


# Large sets


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sets of 100 papers have lists, and few papers be few."""
    monkeypatch.setattr(writing, "LARGE", 100)
    monkeypatch.setattr(store, "FEW", 5)
    monkeypatch.setattr(store, "FEW_A_NEIGHBOUR", 1)
    monkeypatch.setattr(lists, "_PROBED", 1.0)
    monkeypatch.setattr(segments, "_SMALL", 40)


@pytest.mark.slow
@pytest.mark.usefixtures("small_is_large")
def test_a_set_that_grows_gets_lists(tmp_path: Path) -> None:
    def entry() -> manifests.VectorSetEntry:
        return LibraryFolder(tmp_path).manifest.vectors["stems"]

    add(tmp_path, random_papers(60, seed=1))
    assert not entry().centroids and not entry().lists
    add(tmp_path, random_papers(60, seed=2, first=60))
    assert (entry().centroids, entry().trained) == ("000002", 120)
    add(tmp_path, [*random_papers(60, seed=3, first=120), Paper("empty", "A b")])
    assert (entry().centroids, entry().trained) == ("000002", 120), "kept while it grows little"
    assert sum(run.rows for run in entry().lists) == 181 and len(entry().lists) == 2
    assert_nearest(LibraryFolder(tmp_path))

    add(tmp_path, random_papers(320, seed=4, first=200))
    assert (entry().centroids, entry().trained) == ("000004", 501), "computed anew"
    citewise.remove(tmp_path, ["empty"])
    assert_nearest(LibraryFolder(tmp_path))
    citewise.compact(tmp_path)
    assert_nearest(LibraryFolder(tmp_path))
    assert citewise.verify(tmp_path).sound


@pytest.mark.slow
@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("known", [0, 1, 3])
def test_a_large_library_of_which_the_model_knows_hardly_a_word(tmp_path: Path, known: int) -> None:
    """As for papers in another language: what has no vector needs no list."""
    unknown = [Paper(f"unknown{number}", "A b", year=2000) for number in range(150)]
    for row, paper in zip((41, 77, 103), random_papers(known, seed=1), strict=False):
        unknown[row] = paper
    stores = add(tmp_path, unknown)
    assert not stores.manifest.vectors["stems"].centroids
    assert len(paper_vectors(stores, "stems")) == known
    assert (
        paper_vectors(stores, "stems").nearest(random_vectors(1)[0], 9, EVERYTHING)[0].size == known
    )
    assert_nearest(stores)

    add(tmp_path, random_papers(120, seed=2, first=200))
    assert LibraryFolder(tmp_path).manifest.vectors["stems"].centroids == "000002"
    assert_nearest(LibraryFolder(tmp_path))
    assert citewise.verify(tmp_path).sound


def assert_nearest(stores: LibraryFolder) -> None:
    """Compare what the lists find with a comparison of all papers."""
    found, rows = paper_vectors(stores, "stems"), stores.papers.rows
    vectors, years = found.of(rows), stores.papers.years(rows)
    among = rows[::2]
    for vector in random_vectors(12):
        hidden = tuple(found.nearest(vector, 3, EVERYTHING)[0].tolist())
        for scope in (EVERYTHING, Scope(since=1995, hidden=hidden)):
            for allowed in (None, among):
                wanted = stores.papers.in_scope(rows, scope) & ~np.isnan(vectors[:, 0])
                if allowed is not None:
                    wanted &= np.isin(rows, allowed)
                if scope.since:
                    assert not wanted[years == 0].any()
                assert_found(found, vector, rows[wanted], scope, allowed)


def assert_found(
    found: PaperVectors,
    vector: NDArray[np.float32],
    wanted: Rows,
    scope: Scope,
    among: Rows | None,
) -> None:
    cosines = found.of(wanted).astype(np.float64) @ vector.astype(np.float64)
    order = np.lexsort((wanted, -np.round(cosines, 9)))[:9]
    nearest, given = found.nearest(vector, 9, scope, among)
    assert given == pytest.approx(cosines[order], abs=1e-5)
    assert nearest.tolist() == wanted[order].tolist()


# Damage, and what is left behind


@pytest.mark.usefixtures("small_is_large")
@pytest.mark.parametrize("kind", ["codes", "lists", "centroids"])
def test_a_changed_byte_is_found(tmp_path: Path, kind: str) -> None:
    add(tmp_path, random_papers(120, seed=1))
    (file,) = (tmp_path / "embeddings" / "stems").glob(f"*.{kind}")
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    (problem,) = citewise.verify(tmp_path).problems
    assert f"{kind}: content changed" in problem
    with pytest.raises(BadLibrary, match=f"{kind}: content changed"):
        citewise.open(tmp_path)


def test_a_model_that_fails_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    add(tmp_path, random_papers(20, seed=1))
    before = sorted(file for file in tmp_path.rglob("*") if file.is_file())
    with pytest.raises(RuntimeError, match="broke"):
        add(tmp_path, random_papers(5, seed=2, first=20), {"stems": Counting(fails=True)})
    with pytest.raises(RuntimeError, match="broke"):
        writer.embed(tmp_path, "other", Counting(fails=True))
    assert sorted(file for file in tmp_path.rglob("*") if file.is_file()) == before
    assert citewise.verify(tmp_path).sound


def test_only_own_files_are_deleted(tmp_path: Path) -> None:
    add(tmp_path, random_papers(20, seed=1))
    folder = tmp_path / "embeddings"
    for name in ("stems/notes.txt", "plans/000001.codes.txt", "notes.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("precious")
    (folder / "stems" / "000009.codes").write_text("left by a writer that was killed")
    writer.drop_vectors(tmp_path, "stems")
    left = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.*"))
    assert left == ["notes.txt", "plans/000001.codes.txt", "stems/notes.txt"]
