"""NNRank: features and scores worked out by hand, and what its files promise."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from citewise.api import Library
from citewise.embed.field_cosines import FieldCosines
from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import required_model_of
from citewise.errors import BadLibrary, MissingData
from citewise.memory.vectors import MemoryModels
from citewise.rank.nnrank import NNRANK, NNRankModel, required_nnrank, shapley
from citewise.rank.nnrank_features import COLUMNS, METADATA, NAMES, PairReader
from citewise.recommend import scope_of
from citewise.types import Query
from oracles import stems
from word_models import summing

QUERY = Query(
    "Robot swarms that dance",
    "Bees and ants find food by pheromone trails.",
    year=2015,
    authors=("Frischmann, Kora", "Otto Wabe"),
    venue="Annals of Bees",
)


def reader_of(library: Library, metadata: bool = True) -> PairReader:
    stores = library.stores
    fields = FieldCosines(stores, required_model_of(stores, "nnselect"))
    return PairReader(stores, query_vectors(stores, "nnselect"), fields, metadata)


def test_features_by_hand(stored: Library) -> None:
    stores, rows = stored.stores, stored.stores.papers.rows[:8]
    scope = scope_of(stores.papers, QUERY)
    reader = reader_of(stored)
    columns = dict(zip(COLUMNS, reader.of(QUERY, rows, scope).columns.T, strict=True))
    model = required_model_of(stores, "nnselect")

    for position, paper in enumerate(stores.papers.read(rows)):
        by_field = {"nnrank_title": (QUERY.title, paper.title)}
        by_field["nnrank_abstract"] = (QUERY.abstract, paper.abstract)
        for name, (one, other) in by_field.items():
            expected = np.nan_to_num(model.of_text(one) @ model.of_text(other))
            assert columns[name][position] == pytest.approx(expected, abs=1e-5)

        names = {frozenset(author.replace(",", "").lower().split()) for author in paper.authors}
        own = {frozenset(("frischmann", "kora")), frozenset(("otto", "wabe"))}
        cosine = len(names & own) / math.sqrt(len(names) * 2) if names else 0
        assert columns["nnrank_authors"][position] == pytest.approx(cosine)

        citers = stores.graph.citers(rows[[position]], scope).values.size
        assert columns["nnrank_citations"][position] == pytest.approx(math.log(max(citers, 1)))


def test_words_in_both_titles_by_hand(stored: Library) -> None:
    rows, papers = stored.stores.papers.rows, stored.stores.papers
    features = reader_of(stored).of(QUERY, rows, scope_of(papers, QUERY))
    weights = {"robot": 2.0, "swarm": 3.0}
    model = replace(
        summing(""),
        stems=tuple(weights),
        weights=np.array([[2, 20], [3, 30]], np.float32),
        unknown=np.array([0.5, 5], np.float32),
    )
    found = model.inputs(features)[:, NAMES.index("nnrank_title_words")]
    asked = set(stems(QUERY.title))
    expected = [
        sum(weights.get(stem, 0.5) for stem in asked & set(stems(paper.title)))
        for paper in papers.read(rows)
    ]
    assert found == pytest.approx(expected)
    assert max(expected) >= 5, "a paper has both robots and swarms"


def random_model(random: np.random.Generator) -> NNRankModel:
    def drawn(*shape: int) -> NDArray[np.float32]:
        return random.normal(size=shape).astype(np.float32)

    sizes = (len(NAMES), 20, 20, 1)
    return NNRankModel(
        stems=("bee", "robot"),
        weights=drawn(2, 2),
        unknown=drawn(2),
        centre=drawn(len(NAMES)),
        spread=np.abs(drawn(len(NAMES))) + np.float32(0.1),
        layers=tuple((drawn(a, b), drawn(b)) for a, b in itertools.pairwise(sizes)),
        vectors="digest",
    )


@pytest.mark.slow
def test_numpy_scores_as_torch() -> None:
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(1)
    model, inputs = random_model(random), random.normal(size=(1000, len(NAMES)))
    values = (torch.from_numpy(inputs) - torch.from_numpy(model.centre)) / torch.from_numpy(
        model.spread
    )
    *hidden, (matrix, offset) = (map(torch.from_numpy, layer) for layer in model.layers)
    for weights, constant in hidden:
        values = torch.nn.functional.elu(values @ weights.double() + constant)
    expected = torch.sigmoid((values @ matrix.double() + offset)[:, 0])
    assert model.scores(inputs) == pytest.approx(expected.numpy(), abs=1e-5)


def test_a_file_keeps_everything() -> None:
    model = random_model(np.random.default_rng(2))
    again = NNRankModel.decode(model.encoded())
    inputs = np.random.default_rng(3).normal(size=(10, len(NAMES)))
    assert again.digest == model.digest
    assert again.scores(inputs).tolist() == model.scores(inputs).tolist()


def test_damaged_files_say_what_to_do() -> None:
    content = random_model(np.random.default_rng(2)).encoded()
    changed = content.replace(b'"vectors":"digest"', b'"vectors":"another"')
    for damaged in (b"", content[:-5], changed, content.replace(b"nnrank_venue", b"nnrank_avenue")):
        with pytest.raises(BadLibrary, match="citewise train nnrank --library LIBRARY"):
            NNRankModel.decode(damaged)


def test_a_model_of_other_vectors_is_refused() -> None:
    with pytest.raises(MissingData, match="citewise train nnrank"):
        required_nnrank(MemoryModels({}), "digest")
    models = MemoryModels({NNRANK: summing("digest").encoded()})
    assert required_nnrank(models, "digest").vectors == "digest"
    with pytest.raises(MissingData, match="other vectors"):
        required_nnrank(models, "another")


def test_metadata_that_are_ignored_change_nothing(stored: Library) -> None:
    anonymous = replace(QUERY, authors=(), venue="")
    named = replace(QUERY, key_phrases=("swarm intelligence",))
    for query in (QUERY, named):
        ignored = stored.recommender("citeomatic(metadata=ignored)").rank(query, 60)
        without = stored.recommender("citeomatic").rank(anonymous, 60)
        assert ignored.rows.tolist() == without.rows.tolist()
        assert ignored.scores.tolist() == without.scores.tolist()
        assert not any(ignored.signals[name].any() for name in METADATA)
    used = stored.recommender("citeomatic").rank(QUERY, 60)
    assert used.signals["nnrank_authors"].any()


def test_shapley_values_of_a_sum_are_its_parts() -> None:
    weights = np.array([1.0, -2.0, 3.0])
    inputs, middling = np.array([[1.0, 1, 1], [0, 2, 4]]), np.array([0.5, 0, 1])
    found = shapley(lambda rows: rows @ weights, inputs, middling)
    assert found == pytest.approx((inputs - middling) * weights)


def test_shapley_values_share_a_product_equally() -> None:
    found = shapley(lambda rows: rows[:, 0] * rows[:, 1], np.array([[2.0, 3.0]]), np.zeros(2))
    assert found == pytest.approx(np.array([[3.0, 3.0]]))
