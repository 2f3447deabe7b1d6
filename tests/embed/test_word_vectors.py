"""Vectors of papers from vectors of stems: the formula, its file, and what is damaged."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import citewise
from citewise.arrays import Ragged
from citewise.embed import word_models
from citewise.embed.word_vectors import Damping, WordVectors, damped
from citewise.errors import BadLibrary, MissingData
from citewise.library import writer
from citewise.library.folder import LibraryFolder
from citewise.memory.vectors import MemoryModels
from citewise.protocols import FIELDS, CountedTerms
from citewise.types import Paper
from properties import examples

STEMS = ("cat", "dog", "hors", "neural")


def model(precision: str = "fp32", damping: Damping = "log", size: int = 3) -> WordVectors:
    table = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 4], [3, 0, 4]], np.float32)
    wide = np.zeros((4, size), np.float32)
    wide[:, :3] = table
    return WordVectors.of(STEMS, wide, (1.0, 2.0), damping, precision)  # type: ignore[arg-type]


def counted(*texts: dict[int, int]) -> CountedTerms:
    terms = Ragged.of([np.array(list(text), np.int64) for text in texts])
    counts = [count for text in texts for count in text.values()]
    return terms, np.array(counts, np.int64)


def test_a_vector_worked_by_hand() -> None:
    # Title: cat twice and neural, (1 + ln 2) (1, 0, 0) + (3, 0, 4); abstract: dog, (0, 1, 0).
    found = model().vectors_of_rows(counted({0: 2, 3: 1}), counted({1: 5}))[0]
    title = np.array([4 + math.log(2), 0, 4]) / math.hypot(4 + math.log(2), 4)
    expected = title + 2 * np.array([0, 1, 0])
    assert found == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


@examples(25)
@given(st.lists(st.dictionaries(st.integers(-1, 3), st.integers(1, 9)), max_size=12))
def test_papers_together_have_the_vectors_that_each_has_alone(papers: list[dict[int, int]]) -> None:
    together = model("int8").vectors_of_rows(counted(*papers), counted(*papers[::-1]))
    for vector, title, abstract in zip(together, papers, papers[::-1], strict=True):
        alone = model("int8").vectors_of_rows(counted(title), counted(abstract))[0]
        np.testing.assert_array_equal(vector, alone)


def test_more_stems_than_are_multiplied_at_once() -> None:
    size = 3_000
    table = np.eye(size, 8, dtype=np.float32)
    large = WordVectors.of([f"s{row}" for row in range(size)], table, (1.0, 1.0))
    longer, shorter = (dict.fromkeys(range(count), 1) for count in (size, size - 1))
    found = large.vectors_of_rows(counted(longer, shorter, longer), counted({}, {}, {}))
    assert found == pytest.approx(np.full((3, 8), 1 / math.sqrt(8)))


def test_a_field_may_be_missing_and_no_known_stem_is_no_vector() -> None:
    titles, abstracts = counted({1: 1}, {}, {}, {-1: 3}), counted({}, {1: 7}, {}, {})
    found = model().vectors_of_rows(titles, abstracts)
    assert found[:2] == pytest.approx(np.array([[0, 1, 0]] * 2))
    assert np.isnan(found[2:]).all()


@pytest.mark.parametrize(("damping", "worth"), [("log", 1 + math.log(3)), ("none", 3), ("once", 1)])
def test_damped_counts(damping: Damping, worth: float) -> None:
    assert damped(np.array([1, 3]), damping) == pytest.approx([1, worth])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    path = tmp_path_factory.mktemp("library")
    papers = [
        Paper("p0", "Cats and dogs", "Neural cats chase cats."),
        Paper("p1", "Horses", ""),
        Paper("p2", "Of cats, by Müller", "Unknown words with a dog."),
        Paper("p3", "Nothing known"),
    ]
    citewise.add(papers, path, vectors=False)
    return LibraryFolder(path)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_text_has_the_vector_of_a_paper_with_that_text(
    library: LibraryFolder, precision: str
) -> None:
    given_model, rows = model(precision), library.papers.rows
    embedder = given_model.over(library.terms.words)
    title, abstract = (library.terms.contents(rows, each) for each in FIELDS)
    found = embedder.vectors(title, abstract)
    for paper, vector in zip(library.papers.read(rows), found, strict=True):
        expected = given_model.of_text(paper.title, paper.abstract)
        assert vector == pytest.approx(expected, abs=1e-6, nan_ok=True)
    assert np.isnan(found[:, 0]).tolist() == [False, False, False, True]


def test_terms_that_come_later_are_looked_up_once(library: LibraryFolder) -> None:
    asked: list[int] = []

    def words(terms: NDArray[np.int64]) -> list[str]:
        asked.extend(terms.tolist())
        return library.terms.words(terms)

    embedder = model().over(words)
    for rows in ([0], [0, 1], [2, 3], [0, 1, 2, 3]):
        embedder.vectors(*(library.terms.contents(np.array(rows), each) for each in FIELDS))
    assert len(asked) == len(set(asked)) == library.info.terms


@examples(25)
@given(seed=st.integers(0, 1000), size=st.sampled_from([16, 64, 256]))
def test_eight_bits_keep_the_direction(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    table = random.standard_normal((50, size)).astype(np.float32) * random.lognormal(size=(50, 1))
    stems = [f"s{number}" for number in range(50)]
    exact, rounded = (
        WordVectors.of(stems, table.astype(np.float32), (0.7, 1.3), precision=precision)
        for precision in ("fp32", "int8")
    )
    papers = [{int(row): 1 + number for number, row in enumerate(random.integers(0, 50, 9))}] * 3
    one, other = (
        each.vectors_of_rows(counted(*papers), counted(*papers)) for each in (exact, rounded)
    )
    assert ((one * other).sum(axis=1) > 0.99).all()


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_file_keeps_everything(precision: str) -> None:
    before = model(precision)
    after = WordVectors.decode(before.encoded())
    assert after.about == before.about
    assert after.about.precision == precision
    assert (after.stems, after.weights, after.damping) == (STEMS, (1.0, 2.0), "log")
    assert np.array_equal(after.table, before.table)
    assert word_models.unpacked(word_models.packed(before)).about == before.about


def test_the_digest_is_of_all_that_decides_vectors() -> None:
    others = [
        model(),
        model("int8"),
        model(damping="once"),
        WordVectors.of((*STEMS[:3], "x"), model().table.astype(np.float32), (1.0, 2.0)),
        WordVectors.of(STEMS, model().table.astype(np.float32), (1.0, 2.5)),
        WordVectors.of(STEMS, model().table.astype(np.float32) * 2, (1.0, 2.0)),
    ]
    assert len({each.about.digest for each in others}) == len(others)


def damages() -> dict[str, bytes]:
    content = json.loads(model("int8").encoded())
    changed = {
        "another format": {"format": 9},
        "another table": {"table": content["table"][:-4] + "AAAA"},
        "a shorter table": {"table": content["table"][:-4]},
        "no scales": {"scales": ""},
        "a stem twice": {"stems": ["cat", "cat", "hors", "neural"]},
        "a weight that is none": {"weights": [-1, 2]},
        "no stems": {"stems": None},
    }
    whole = {name: json.dumps(content | change).encode() for name, change in changed.items()}
    return {"cut": model().encoded()[:-9], "empty": b"", **whole}


@pytest.mark.parametrize("content", damages().values(), ids=damages())
def test_damaged_bytes_say_what_to_do(content: bytes) -> None:
    with pytest.raises(BadLibrary, match="citewise train nnselect --library LIBRARY --shipped"):
        WordVectors.decode(content)


@pytest.mark.parametrize("content", [b"", b"no zstd", word_models.packed(model())[:-9]])
def test_a_damaged_package_is_installed_again(content: bytes) -> None:
    with pytest.raises(BadLibrary, match="install citewise again"):
        word_models.unpacked(content)


def test_a_librarys_own_model_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_models, "shipped", lambda: model("int8"))
    assert word_models.word_models()["nnselect"].about == model("int8").about
    own = MemoryModels({"nnselect": model("fp32").encoded()})
    assert word_models.word_models(own)["nnselect"].about == model("fp32").about
    monkeypatch.setattr(word_models, "shipped", lambda: None)
    assert word_models.word_models() == {}
    with pytest.raises(MissingData, match="train nnselect"):
        word_models.required_model(MemoryModels({}))


@pytest.mark.slow
def test_the_model_of_a_set_is_found_by_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_models, "shipped", lambda: model("int8"))
    citewise.add([Paper("p0", "A cat")], tmp_path)
    citewise.add([Paper("p1", "A dog")], tmp_path)
    stores = LibraryFolder(tmp_path)
    vectors = stores.vectors.papers("nnselect")
    assert vectors is not None
    assert len(vectors) == 2

    stores.models.save("nnselect", model("fp32").encoded())  # not used before it embeds
    citewise.add([Paper("p2", "A horse")], tmp_path)
    stores = LibraryFolder(tmp_path)
    vectors, found = stores.vectors.papers("nnselect"), word_models.model_of(stores, "nnselect")
    assert vectors is not None
    assert found is not None
    assert len(vectors) == 3
    assert found.about == vectors.about == model("int8").about

    assert citewise.encode(tmp_path, model="nnselect") == 3
    stores = LibraryFolder(tmp_path)
    assert word_models.required_model_of(stores, "nnselect").about == model("fp32").about
    stores.models.remove("nnselect")
    stores = LibraryFolder(tmp_path)
    assert word_models.model_of(stores, "nnselect") is None
    with pytest.raises(MissingData, match="citewise encode --library LIBRARY --model nnselect"):
        word_models.required_model_of(stores, "nnselect")


def test_a_library_without_vectors_stays_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_models, "shipped", lambda: model("int8"))
    citewise.add([Paper("p0", "A cat")], tmp_path, vectors=False)
    citewise.add([Paper("p1", "A dog")], tmp_path)
    stores = LibraryFolder(tmp_path)
    assert stores.vectors.names() == ()
    with pytest.raises(MissingData, match="no vectors of papers are named"):
        word_models.required_model_of(stores, "nnselect")
    writer.embed(tmp_path, "nnselect", model())
    assert LibraryFolder(tmp_path).vectors.names() == ("nnselect",)
