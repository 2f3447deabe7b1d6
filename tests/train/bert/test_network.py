"""Our BERT in torch beside transformers, and its folders read by both and by the scorer that
serves.
"""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")
transformers = pytest.importorskip("transformers", reason="the other implementation")

from bert_folders import small_bert  # noqa: E402
from citewise.embed.encoders import encoder_named  # noqa: E402
from citewise.embed.pair_scorers import pair_scorer_named  # noqa: E402
from citewise.embed.truncation import Truncation  # noqa: E402
from citewise.errors import BadInput  # noqa: E402
from citewise.train.bert.folders import (  # noqa: E402
    load,
    shape_of,
    write_cross_encoder,
    write_encoder,
)
from citewise.train.bert.network import (  # noqa: E402
    Batch,
    CrossEncoder,
    MeanEncoder,
    Shape,
    padded,
    share_of_rate,
)
from citewise.train.bert.tokens import Tokenizer  # noqa: E402

pytestmark = pytest.mark.slow

WORDS = ("bees", "ants", "of", "the", "hive", "hill", "cite", "each", "other")
PAIRS = [("bees of the hive", "ants of the hill"), ("bees cite each other", "the hive")]


def batch_of(folder: Path, rule: str = "longest-first") -> Batch:
    tokenizer = Tokenizer(folder, 64)
    read = [tokenizer.read(pair) for pair in PAIRS]
    return padded(
        [tokenizer.pair(one, other, Truncation.parse(rule)) for one, other in read],
        tokenizer.padding,
    )


def given(batch: Batch) -> dict[str, object]:
    return {
        "input_ids": batch.ids,
        "token_type_ids": batch.segments,
        "attention_mask": batch.mask.long(),
    }


def test_hidden_states_and_logits_are_those_of_transformers(tmp_path: Path) -> None:
    folder = small_bert(tmp_path / "start", WORDS, head=True)
    network = CrossEncoder(shape_of(folder)).eval()
    assert load(network, folder, 0) == []
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    batch = batch_of(folder)
    with torch.inference_mode():
        hidden = theirs.bert(**given(batch)).last_hidden_state
        assert torch.allclose(network.bert(batch)[batch.mask], hidden[batch.mask], atol=1e-5)
        assert torch.allclose(network(batch), theirs(**given(batch)).logits[:, 0], atol=1e-5)


def test_gradients_are_those_of_transformers(tmp_path: Path) -> None:
    folder = small_bert(tmp_path / "start", WORDS, head=True)
    network = CrossEncoder(shape_of(folder)).eval()
    load(network, folder, 0)
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    batch = batch_of(folder)
    network(batch).sum().backward()
    theirs(**given(batch)).logits.sum().backward()
    other = dict(theirs.named_parameters())
    for name, parameter in network.named_parameters():
        assert torch.allclose(parameter.grad, other[name].grad, atol=1e-4), name


def test_a_written_cross_encoder_is_read_by_transformers_and_by_the_scorer(tmp_path: Path) -> None:
    start = small_bert(tmp_path / "start", WORDS)
    network = CrossEncoder(shape_of(start)).eval()
    assert sorted(load(network, start, 3)) == ["classifier.bias", "classifier.weight"]
    write_cross_encoder(network.state_dict(), start, tmp_path / "made", {"settings": {}})

    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "made")
    batch = batch_of(start, "8+8")
    with torch.inference_mode():
        ours = network(batch).numpy()
        assert np.allclose(ours, theirs.eval()(**given(batch)).logits[:, 0].numpy(), atol=1e-5)
    scorer = pair_scorer_named(str(tmp_path / "made"), "fp32", truncation=Truncation.parse("8+8"))
    assert np.allclose(ours, scorer.score(PAIRS), atol=1e-4)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_written_encoder_is_read_by_the_encoder_that_serves(tmp_path: Path, pooling: str) -> None:
    start = small_bert(tmp_path / "start", WORDS)
    network = MeanEncoder(shape_of(start), pooling=pooling).eval()
    load(network, start, 0)
    write_encoder(network.state_dict(), start, tmp_path / "made", {}, pooling, 8)

    tokenizer = Tokenizer(start, 64)
    texts = ["bees of the hive cite each other", "ants"]
    batch = padded([tokenizer.single(each, 8) for each in tokenizer.read(texts)], tokenizer.padding)
    with torch.inference_mode():
        ours = network(batch).numpy()
    served = encoder_named(str(tmp_path / "made"), "fp32").encode(texts)
    assert np.allclose(ours, served, atol=1e-4)


@pytest.mark.parametrize("rule", ["longest-first@16", "longest-first@11", "8+8", "9+20", "20+8"])
@pytest.mark.parametrize("lengths", [(3, 3), (3, 30), (30, 3), (30, 30), (9, 8), (8, 9), (0, 5)])
def test_pairs_are_cut_as_the_scorer_cuts_them(
    tmp_path: Path, rule: str, lengths: tuple[int, int]
) -> None:
    folder = small_bert(tmp_path, WORDS, head=True)
    random = np.random.default_rng(0)
    query, candidate = (" ".join(random.choice(WORDS, size)) for size in lengths)
    ours = Tokenizer(folder, 64)
    cut = Truncation.parse(rule)
    read = ours.read([query, candidate])
    ids, segments = ours.pair(read[0], read[1], cut)

    scorer = pair_scorer_named(str(folder), "fp32", truncation=cut)
    theirs = scorer._tokens([(query, candidate)])[0]  # type: ignore[attr-defined]
    assert ids == theirs.ids
    assert segments == theirs.type_ids


def test_what_is_no_bert_is_refused(tmp_path: Path) -> None:
    folder = small_bert(tmp_path, WORDS)
    (folder / "config.json").write_text('{"model_type": "roberta"}')
    with pytest.raises(BadInput, match="only BERT"):
        shape_of(folder)
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(BadInput, match="vocab_size"):
        shape_of(folder)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = small_bert(tmp_path, WORDS)
    with pytest.raises(BadInput, match="not"):
        load(CrossEncoder(Shape(5, 2, 2, 16, 32, 64)), folder, 0)
    with pytest.raises(BadInput, match="has no weights"):
        load(CrossEncoder(Shape(len(WORDS) + 5, 3, 2, 16, 32, 64)), folder, 0)


def test_the_rate_grows_and_falls() -> None:
    shares = [share_of_rate(step, 4, 12) for step in range(12)]
    assert shares[:4] == [0.25, 0.5, 0.75, 1.0]
    assert shares[4] == 1.0
    assert shares[-1] == pytest.approx(1 / 8)
