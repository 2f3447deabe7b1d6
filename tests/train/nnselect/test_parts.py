"""The parts of NNSelect: what is learned from, the starts, the losses, the negatives."""

import math
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # noqa: E402
from scipy.spatial.distance import jaccard  # type: ignore[import-untyped]  # noqa: E402

from citewise.arrays import Ragged  # noqa: E402
from citewise.errors import BadInput  # noqa: E402
from citewise.evaluate.splits import cited  # noqa: E402
from citewise.protocols import FIELDS, Stores  # noqa: E402
from citewise.train.nnselect.corpus import Corpus  # noqa: E402
from citewise.train.nnselect.judging import vectors_of  # noqa: E402
from citewise.train.nnselect.losses import (  # noqa: E402
    CITATION,
    NEAREST,
    NONE,
    RANDOM,
    boost,
    softmax_loss,
    triplet_loss,
)
from citewise.train.nnselect.negatives import Negatives, Neighbours  # noqa: E402
from citewise.train.nnselect.network import Network, rotation  # noqa: E402
from citewise.train.nnselect.settings import PRESETS, preset  # noqa: E402
from citewise.train.nnselect.starts import lsa, principal, start_of  # noqa: E402
from properties import examples  # noqa: E402
from train.nnselect.topics import SETTINGS, corpus_of, library  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    return library(tmp_path_factory.mktemp("parts") / "library")


@pytest.fixture(scope="module")
def corpus(stores: Stores) -> Corpus:
    return corpus_of(stores)


def test_nothing_after_the_last_year_is_used(stores: Stores, corpus: Corpus) -> None:
    assert stores.papers.years(corpus.rows).max() == 2007
    assert stores.papers.years(stores.papers.rows).max() > 2007
    references = cited(stores, corpus.rows)
    for paper in range(0, corpus.rows.size, 17):
        assert corpus.rows[corpus.references[paper]].tolist() == sorted(
            {*references[paper].tolist()}
        )

    counts = dict.fromkeys(corpus.stems, 0)
    for each in stores.papers.read(corpus.rows):
        numbers, _ = stores.terms.of(f"{each.title} {each.abstract}")
        for stem in stores.terms.words(numbers):
            counts[stem] = counts.get(stem, 0) + 1
    assert {stem for stem, count in counts.items() if count >= 2} == {*corpus.stems}
    expected = [math.log(1 + corpus.rows.size / counts[stem]) for stem in corpus.stems]
    assert corpus.rarity == pytest.approx(expected, rel=1e-5)


def test_papers_that_are_left_out_teach_nothing(stores: Stores, corpus: Corpus) -> None:
    left_out = corpus.rows[corpus.citing[:5]]
    smaller = Corpus.of(stores, 2007, SETTINGS, left_out)
    assert {*corpus.citing.tolist()} - {*smaller.citing.tolist()} == {*corpus.citing[:5].tolist()}


def test_fields_are_damped_counts_of_the_stems(stores: Stores, corpus: Corpus) -> None:
    for field, matrix in zip(FIELDS, corpus.fields, strict=True):
        terms, counts = stores.terms.contents(corpus.rows[:50], field)
        for paper in range(50):
            part = slice(terms.starts[paper], terms.starts[paper + 1])
            expected = {
                stem: 1 + math.log(count)
                for stem, count in zip(stores.terms.words(terms[paper]), counts[part], strict=True)
                if stem in corpus.stems
            }
            row = matrix[paper]
            found = {
                corpus.stems[at]: value for at, value in zip(row.indices, row.data, strict=True)
            }
            assert found == pytest.approx(expected)


def test_pairs_of_an_epoch(corpus: Corpus) -> None:
    citing, cited_ = corpus.pairs(SETTINGS, np.random.default_rng(1))
    pairs = set(zip(citing.tolist(), cited_.tolist(), strict=True))
    assert len(pairs) == corpus.references.values.size
    assert corpus.cites(citing, cited_).all()

    few = replace(SETTINGS, positives=(3, 4))
    citing, _ = corpus.pairs(few, np.random.default_rng(1))
    counts = np.bincount(citing, minlength=corpus.rows.size)
    lengths = corpus.references.lengths
    assert np.array_equal(counts, np.where(lengths >= 3, np.minimum(lengths, 4), 0))


def test_who_cites_whom(corpus: Corpus) -> None:
    random = np.random.default_rng(0)
    citing, others = random.choice(corpus.citing, 40), random.integers(0, corpus.rows.size, 60)
    others[:40] = [corpus.references[paper][0] for paper in citing]
    expected = [[other in corpus.references[paper] for other in others] for paper in citing]
    assert np.array_equal(corpus.citing_matrix(citing, others), expected)
    assert np.array_equal(corpus.cites(citing, others[:40]), np.diag(expected))


def test_lsa_is_the_singular_value_decomposition(corpus: Corpus) -> None:
    dense = np.asarray(sum(corpus.fields).todense()) * corpus.rarity
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    values = np.linalg.svd(dense, compute_uv=False)
    found = lsa(corpus, 12, np.random.default_rng(0))

    assert found.T @ found == pytest.approx(np.eye(12), abs=1e-4)
    # what the best matrix of this rank keeps, but for a little
    assert np.linalg.norm(dense @ found) == pytest.approx(np.linalg.norm(values[:12]), rel=0.005)


def test_principal_components_keep_cosines_of_centred_vectors() -> None:
    vectors = np.random.default_rng(0).standard_normal((30, 6)).astype(np.float32)
    centred = vectors - vectors.mean(axis=0)
    found = principal(vectors, 6)
    ratio = (found @ found.T) / (centred @ centred.T)
    assert ratio == pytest.approx(np.full((30, 30), ratio[0, 0]), rel=1e-2)
    assert float((found**2).mean()) == pytest.approx(1 / 30, rel=1e-4)


class Letters:
    """An encoder that counts letters."""

    def encode(self, texts: list[str]) -> np.ndarray:
        self.texts = texts
        return np.array(
            [[text.count(letter) for letter in "wortpic"] for text in texts], np.float32
        )


def test_a_start_from_words(stores: Stores, corpus: Corpus) -> None:
    words = replace(SETTINGS, start="words")
    encoder = Letters()
    found = start_of(corpus, words, stores, encoder)  # type: ignore[arg-type]
    assert found.shape == (len(corpus.stems), 16)
    assert any(text.startswith("topic3word") for text in encoder.texts)
    with pytest.raises(BadInput, match="--encoder minilm"):
        start_of(corpus, words, stores, None)


def test_the_boost_by_hand() -> None:
    # sigma(0) / 50 = .01; sigma(1) / 50 = .7310586 / 50
    assert boost(np.array([0, 100])) == pytest.approx([0.01, 0.01462117])


def test_the_triplet_loss_by_hand() -> None:
    positive, negative = torch.tensor([0.5, 0.9]), torch.tensor([[0.4, 0.1], [0.2, 0.85]])
    kinds = np.array([[RANDOM, NEAREST], [CITATION, NONE]])
    cited_, others = np.array([0.02, 0.01]), np.array([[0.01, 0.015], [0.01, 0.01]])
    boosts = (cited_.astype(np.float32), others.astype(np.float32))
    # .3 + .4 - .5 + .02 - .01 = .21;  .2 + .1 - .5 + .005 < 0;  .1 + .2 - .9 < 0;  none
    assert triplet_loss(positive, negative, kinds, boosts, 1.0).item() == pytest.approx(0.21 / 4)
    # gamma 2: .51, .005, below 0, none
    assert triplet_loss(positive, negative, kinds, boosts, 2.0).item() == pytest.approx(0.515 / 4)


def test_the_softmax_loss_by_hand() -> None:
    citing, cited_ = torch.eye(2), torch.tensor([[1.0, 0.0], [0.6, 0.8]])
    scale, nobody = torch.tensor(2.0), np.eye(2, dtype=np.bool_)
    # scores [[2, 1.2], [0, 1.6]]
    by_rows = (math.log(1 + math.exp(-0.8)) + math.log(1 + math.exp(-1.6))) / 2
    by_columns = (math.log(1 + math.exp(-2)) + math.log(1 + math.exp(-0.4))) / 2
    found = softmax_loss(citing, cited_, scale, nobody).item()
    assert found == pytest.approx((by_rows + by_columns) / 2)

    # the first cites the second's paper as well: that score counts nowhere
    also = np.array([[True, True], [False, True]])
    without = (math.log(1 + math.exp(-1.6)) + math.log(1 + math.exp(-2))) / 4
    assert softmax_loss(citing, cited_, scale, also).item() == pytest.approx(without)


@examples(20)
@given(seed=st.integers(0, 10_000), count=st.sampled_from([2, 3, 6, 7]), index=st.booleans())
def test_negatives_are_what_their_kinds_say(
    corpus: Corpus, seed: int, count: int, index: bool
) -> None:
    random = np.random.default_rng(seed)
    lists = [
        random.integers(0, corpus.rows.size, size)
        for size in random.integers(0, 4, corpus.rows.size)
    ]
    near = Ragged.of(lists) if index else None
    citing = random.choice(corpus.citing, 30)
    found, kinds = Negatives(corpus, count, near).draw(citing, random)

    references = corpus.references
    for paper, others, each in zip(citing.tolist(), found, kinds, strict=True):
        of_cited = {row for between in references[paper] for row in references[between].tolist()}
        for other, kind in zip(others.tolist(), each.tolist(), strict=True):
            assert kind != NONE
            assert other != paper
            assert other not in references[paper]
            assert kind != CITATION or other in of_cited
            assert kind != NEAREST or other in lists[paper]
    if not index:
        assert not (kinds == NEAREST).any()


def test_the_kinds_have_equal_shares_where_there_are_enough(corpus: Corpus) -> None:
    random = np.random.default_rng(0)
    citing = corpus.citing[-20:]
    near = Ragged.of([random.permutation(corpus.rows.size)[:40] for _ in corpus.rows])
    for index, shares in ((near, (2, 2)), (None, (3, 0))):
        _, kinds = Negatives(corpus, 6, index).draw(citing, random)
        assert (kinds == NEAREST).sum(1).tolist() == [shares[1]] * 20
        assert ((kinds == CITATION).sum(1) <= shares[0]).all()
        assert ((kinds == RANDOM).sum(1) >= shares[0]).all()


def test_a_paper_that_cites_all_others_has_no_negatives() -> None:
    empty = csr_matrix((4, 1), dtype=np.float32)
    everything = Ragged.of([np.array([1, 2, 3]), *[np.zeros(0, np.int64)] * 3])
    rows = np.arange(4)
    corpus = Corpus(2000, rows, ("a",), np.ones(1, np.float32), (empty, empty), everything, rows)
    _, kinds = Negatives(corpus, 6, None).draw(np.array([0]), np.random.default_rng(0))
    assert (kinds == NONE).all()


def test_neighbours_are_near_not_cited_and_of_other_words(stores: Stores, corpus: Corpus) -> None:
    start = start_of(corpus, SETTINGS, stores, None)
    model = Network(corpus, start, SETTINGS).word_vectors(precision="fp32")
    vectors = vectors_of(stores, model, corpus.rows)
    finder = Neighbours(corpus, 6, percentile=60)
    found = finder.of(vectors)
    assert found.values.size > 50

    words = np.asarray(sum(corpus.fields).todense()) > 0
    for paper in corpus.citing[::10].tolist():
        order = np.argsort(-(vectors @ vectors[paper]), kind="stable")
        cited_ = corpus.references[paper]
        near = [each for each in order.tolist() if each != paper and each not in cited_][:20]
        similarity = {
            each: 1 - jaccard(words[paper], words[each]) for each in (*near, *cited_.tolist())
        }
        limit = np.percentile([similarity[each] for each in cited_.tolist()], 60)
        expected = {each for each in near if similarity[each] < limit}
        assert len({*found[paper].tolist()} ^ expected) <= 2  # of equal distance
    assert not found.lengths[corpus.references.lengths == 0].any()


@pytest.mark.parametrize("unit", [False, True])
def test_numpy_computes_what_torch_computes(stores: Stores, corpus: Corpus, unit: bool) -> None:
    changed = replace(SETTINGS, unit_directions=unit)
    network = Network(corpus, start_of(corpus, SETTINGS, stores, None), changed)
    with torch.no_grad():
        for each in network.parameters().values():
            each.add_(torch.randn(each.shape, generator=torch.Generator().manual_seed(1)) / 20)
    expected = network.vectors(np.arange(corpus.rows.size))[0].detach().numpy() @ rotation(16)
    for precision, error in (("fp32", 1e-5), ("int8", 0.03)):
        found = vectors_of(stores, network.word_vectors(precision=precision), corpus.rows)
        assert found == pytest.approx(expected, abs=error)
    assert ((found * expected).sum(1) > 0.99).all()


def test_presets_are_those_of_the_paper() -> None:
    found = {name: preset(name) for name in PRESETS}
    dblp, pubmed, corpus_ = (
        found[f"citeomatic-{each}"] for each in ("dblp", "pubmed", "opencorpus")
    )
    assert [each.dimension for each in (dblp, pubmed, corpus_)] == [300, 325, 75]
    assert [each.word_dropout for each in (dblp, pubmed, corpus_)] == [0.6, 0.55, 0.1]
    assert [each.gamma for each in (dblp, pubmed, corpus_)] == [1.0, 0.5, 1.0]
    assert [each.rate for each in (dblp, pubmed, corpus_)] == [0.01, 0.001, 0.001]
    assert [(each.l1, each.l2) for each in (dblp, pubmed, corpus_)] == [
        (1e-7, 0),
        (1e-6, 0),
        (1e-7, 1e-5),
    ]
    with pytest.raises(BadInput, match="citeomatic-dblp"):
        preset("unknown")


@pytest.mark.parametrize(
    "change", [{"word_dropout": 1}, {"gamma": 0}, {"measure": "P@3"}, {"batch": 0}]
)
def test_settings_without_a_meaning_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(BadInput, match=next(iter(change))):
        preset("citewise", **change)
