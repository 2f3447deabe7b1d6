"""Systems that are re-ranked: their spelling, their answers, and what a server refuses."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="pairs are scored with the extra `neural`")

import citewise
from bert_folders import small_bert
from citewise.api import Library
from citewise.errors import BadInput, MissingData
from citewise.rank.final_order import (
    COSINE,
    LOGIT,
    RERANKING,
    FinalOrder,
    SavedOrders,
    saved_orders,
)
from citewise.reranking import Reranking, reranked, truncation_of
from citewise.systems import System, served_name
from corpora import topical

WORDS = ("topic", "word", "paper", "of", "the")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_bert(tmp_path_factory.mktemp("models") / "pairs", WORDS, head=True))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_bert(tmp_path_factory.mktemp("models") / "texts", WORDS))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("reranking") / "library"
    citewise.add(topical(200), folder, keep_versions=True, vectors=False)
    return citewise.open(folder)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def draft(library: Library) -> citewise.Paper:
    rows = library.stores.papers.rows
    return library.stores.papers.read(rows[-1:])[0]


@pytest.mark.parametrize(
    "text",
    [
        "best+rerank(model=a)",
        "bm25(k1=0.9)+rerank(model=/a/b,depth=20,seconds=0.5)",
        "compose(retrieve=bm25+engine)+rerank(encoder=minilm)",
        "navigation(rounds=2)+rerank(model=a,order=alone,truncation=256+256)",
        "bm25+rerank(encoder=minilm,order=alone)",
        "navigation(ranker=a)",
        "navigation(encoder=minilm)",
    ],
)
def test_it_prints_as_it_parses(text: str) -> None:
    system = System.parse(text)
    assert str(system) == text
    assert System.parse(str(system)) == system


def test_spaces_and_usual_values_are_left_out() -> None:
    assert str(System.parse("best + rerank(model=a, depth=50)")) == "best+rerank(model=a)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best+rerank()", "needs a model"),
        ("best+rerank(depth=5)", "needs a model"),
        ("best+rerank(model=a,depth=0)", "depth"),
        ("best+rerank(model=a,order=other)", "order"),
        ("best+rerank(model=a,encoder=b,order=alone)", "alone"),
        ("best+rerank(encoder=a,order=alone,seconds=1.0)", "alone"),
        ("navigation(ranker=a,encoder=b)", "alone"),
        ("navigation(encoder=a,precision=fp8)", "precision"),
        ("best+rerank(model=a,precision=fp8)", "precision"),
        ("best+rerank(model=a,truncation=7)", "truncation"),
        ("best+rerank(model=a,seconds=soon)", "float"),
        ("best+rerank(nothing=a)", "unknown setting"),
        ("other+rerank(model=a)", "unknown system"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        System.parse(text)


def test_options_become_a_system() -> None:
    assert reranked("best", "", 20, 1.0) == "best"
    assert reranked("best", "m", 50, 0.0) == "best+rerank(model=m)"
    assert reranked("bm25", "m", 20, 1.5) == "bm25+rerank(model=m,depth=20,seconds=1.5)"


def test_a_server_opens_no_folders() -> None:
    for text in (
        "best+rerank(model=/etc)",
        "bm25+rerank(encoder=../x)",
        "navigation(ranker=./m)",
        "navigation(encoder=/m)",
    ):
        with pytest.raises(BadInput, match="is a folder"):
            served_name(text)
    assert served_name("best+rerank(model=minilm)") == "best+rerank(model=minilm)"


def test_a_missing_model_is_named(library: Library, tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="nothing-here"):
        library.recommend("Bees", system=f"bm25+rerank(model={tmp_path}/nothing-here)")


@pytest.mark.slow
@pytest.mark.parametrize("first", ["bm25", "best", "navigation", "compose(retrieve=bm25+engine)"])
def test_the_same_papers_in_another_order(
    library: Library, model: str, encoder: str, first: str
) -> None:
    paper, depth = draft(library), 10
    before = library.recommend(paper.title, paper.abstract, system=first, k=30)
    system = f"{first}+rerank(model={model},encoder={encoder},depth={depth},truncation=20+20)"
    after = library.recommend(paper.title, paper.abstract, system=system, k=30, explain=True)
    again = library.recommend(paper.title, paper.abstract, system=system, k=30)

    ids = [[each.paper.id for each in answer] for answer in (before, after, again)]
    assert {*ids[0][:depth]} == {*ids[1][:depth]}
    assert ids[0][depth:] == ids[1][depth:]
    assert ids[1] == ids[2]
    assert f"{depth} of {depth} papers read, fixed weights" in str(after.served_by)
    for each in after:
        total = each.base + sum(part.value for part in each.contributions)
        assert total == pytest.approx(each.score)


def test_alone_goes_by_the_cross_encoder(library: Library, model: str) -> None:
    system = f"bm25+rerank(model={model},order=alone,depth=10,truncation=20+20,precision=fp32)"
    paper = draft(library)
    answer = library.recommend(paper.title, paper.abstract, system=system, k=10)
    scorer = Reranking(model=model, truncation="20+20", precision="fp32").scorer()
    assert scorer is not None
    claim = f"{paper.title}\n{paper.abstract}"
    pairs = [(claim, f"{each.paper.title} {each.paper.abstract}") for each in answer]
    assert np.allclose([each.score for each in answer], scorer.score(pairs), atol=1e-4)


def test_every_paper_of_a_pool_is_read(library: Library, model: str) -> None:
    paper = draft(library)
    query = citewise.Query(paper.title, paper.abstract)
    rows = library.stores.papers.rows[:40].tolist()
    system = f"bm25+rerank(model={model},depth=2,truncation=20+20)"
    found = library.recommender(system).rank(query, 100, within=rows)
    assert sorted(found.rows.tolist()) == rows
    assert not np.isnan(found.signals[LOGIT]).any()


def test_navigation_ranks_every_round_by_the_model(library: Library, model: str) -> None:
    paper = draft(library)
    query = citewise.Query(paper.title, paper.abstract)
    settings = f"ranker={model},truncation=20+20,widths=20+20"
    once = library.recommender(f"navigation({settings})").rank(query, 100)
    assert {"round", LOGIT} <= {*once.signals}
    assert np.array_equal(once.scores, once.signals[LOGIT])
    twice = library.recommender(f"navigation({settings},rounds=2)").rank(query, 100)
    assert not np.isnan(twice.signals[LOGIT]).any()


def test_navigation_ranks_every_round_by_an_encoder(library: Library, encoder: str) -> None:
    paper = draft(library)
    query = citewise.Query(paper.title, paper.abstract)
    settings = f"encoder={encoder},widths=20+20,precision=fp32"
    found = library.recommender(f"navigation({settings},rounds=2)").rank(query, 100)
    assert np.array_equal(found.scores, found.signals[COSINE])
    assert np.all(np.diff(found.scores) <= 0)

    cosines = Reranking(encoder=encoder, precision="fp32").opinions(library.stores)[COSINE]
    assert np.allclose(found.scores, cosines(query, found.rows))


def test_alone_goes_by_an_encoder(library: Library, encoder: str) -> None:
    paper = draft(library)
    system = f"bm25+rerank(encoder={encoder},order=alone,depth=10)"
    answer = library.recommend(paper.title, paper.abstract, system=system, k=10, explain=True)
    before = library.recommend(paper.title, paper.abstract, system="bm25", k=10)
    assert {each.paper.id for each in answer} == {each.paper.id for each in before}
    for each in answer:
        assert [part.signal for part in each.contributions] == [COSINE]


def test_a_settled_order_is_re_ranked_too(model: str, tmp_path: Path) -> None:
    papers = [citewise.Paper(f"p{n}", f"Bees of the topic {n}", year=2000) for n in range(8)]
    citewise.add(papers, tmp_path / "library", vectors=False)
    library = citewise.open(tmp_path / "library")
    answer = library.recommend("Bees", system=f"best+rerank(model={model},truncation=20+20)")
    assert "no citations" in answer.served_by.note
    assert "re-ranked: 8 of 8" in answer.served_by.note


def test_a_learned_order_is_used_for_its_system_and_models_only(
    library: Library, model: str
) -> None:
    reranking = Reranking(model=model, depth=5, truncation="20+20")
    kept = SavedOrders({reranking.key("bm25"): FinalOrder({LOGIT: 1.0}, learned=True)})
    library.stores.models.save(RERANKING, kept.encoded())
    try:
        stores = citewise.open(library.stores.info.location).stores
        assert saved_orders(stores.models) == kept
        assert reranking.final_order(stores, "bm25").learned
        assert not reranking.final_order(stores, "best").learned
        fixed = dataclasses.replace(reranking, order="fixed")
        assert not fixed.final_order(stores, "bm25").learned
        other = dataclasses.replace(reranking, truncation="16+16")
        assert not other.final_order(stores, "bm25").learned
        assert reranking.identity(stores, "bm25") != fixed.identity(stores, "bm25")
    finally:
        library.stores.models.remove(RERANKING)


def test_pairs_are_cut_as_in_training_where_the_model_says_so(tmp_path: Path) -> None:
    folder = small_bert(tmp_path, WORDS, head=True)
    assert truncation_of(str(folder)) == "longest-first"  # it reads 64 tokens
    config = (folder / "config.json").read_text()
    said = config[:-1] + ', "citewise": {"settings": {"truncation": "24+16"}}}'
    (folder / "config.json").write_text(said)
    assert truncation_of(str(folder)) == "24+16"
