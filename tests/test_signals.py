"""The catalogue of signals: complete, without contradictions, and what follows from it."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import citewise
from bert_folders import small_bert
from citewise.api import Library
from citewise.explain.reasons import KINDS, kind_of, label_of
from citewise.rank.derived import of_drafts, of_sentences
from citewise.rank.linear import linear_features
from citewise.rank.trees import (
    DRAFT_MODEL,
    DRAFT_MODEL_WITH_TEXTS,
    SENTENCE_MODEL,
    ModelKind,
    shipped_model,
)
from citewise.signals import (
    CATALOGUES,
    DRAFTS,
    LOG,
    OTHERS,
    PLAIN,
    RANK,
    RATIO,
    SENTENCES,
    TIMES,
    Catalogue,
    Signal,
    plain,
    written_by,
)
from citewise.systems import EXPANDERS, RANKERS, RETRIEVERS
from citewise.types import Answer, Paper, Query
from citing import citing
from contracts import CHECKED
from drafts_of_papers import drafts

SIGNALS = [signal for catalogue in CATALOGUES for signal in catalogue]
KINDS_OF_MODELS = pytest.mark.parametrize(
    "kind",
    [DRAFT_MODEL, DRAFT_MODEL_WITH_TEXTS, SENTENCE_MODEL],
    ids=["drafts", "drafts, with texts", "sentences"],
)


def names_of(signal: Signal) -> str:
    return f"{signal.by}-{signal.name}"


# What a signal says of itself


@pytest.mark.parametrize("signal", SIGNALS, ids=names_of)
def test_a_signal_gives_a_reason_or_says_why_not(signal: Signal) -> None:
    assert bool(signal.reason) != bool(signal.why_none), "one of the two, never both"
    assert not signal.reason or signal.reason in KINDS


@pytest.mark.parametrize("signal", SIGNALS, ids=names_of)
def test_a_label_has_no_name_of_ours(signal: Signal) -> None:
    assert signal.label and "_" not in signal.label
    assert not {"bm25", "idf", "cocited", "lift"} & {*signal.label.lower().split()}
    assert signal.label[0].islower() and not signal.label.endswith("."), "part of a sentence"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_reason_has_a_signal(kind: str) -> None:
    assert any(signal.reason == kind for signal in SIGNALS)


def test_a_name_is_declared_once() -> None:
    """In two catalogues it means the same to people, unless it is derived and so in no answer."""
    for catalogue in CATALOGUES:
        counts = Counter(signal.name for signal in catalogue)
        assert set(counts.values()) == {1}
    meanings: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for signal in SIGNALS:
        if signal.by != "derived":
            meanings[signal.name].add((signal.label, signal.reason))
    assert not [name for name, meaning in meanings.items() if len(meaning) > 1]


def test_a_derived_signal_is_credited_to_one_that_a_stage_computes() -> None:
    for catalogue in (DRAFTS, SENTENCES):
        for signal in catalogue:
            assert bool(signal.of) == (signal.by == "derived"), signal.name
            if signal.of:
                source = catalogue[signal.of]
                assert source.by != "derived"
                agree = {signal.reason, ""} >= {source.reason} or not signal.reason
                assert agree, f"{signal.name} and {source.name} give different reasons"
    assert not [signal for signal in OTHERS if signal.by == "derived" or signal.trees]


def test_signals_that_could_never_become_a_reason_now_do() -> None:
    assert kind_of("cites_candidates") == kind_of("cited_by_candidates") == "linked_to_answers"
    assert kind_of("citing_titles") == kind_of("citing_title_best") == "cited_by_titles"
    assert kind_of("lift") == "cited_for", "of sentences: the one of drafts is credited to votes"
    assert kind_of("age") == kind_of("unheard_of") == ""
    assert kind_of("term:bees") == "shared_words"
    assert label_of("term:bees") == "the word “bees”"
    assert label_of("cocited_share") == "often cited together with your other results"


# Reasons that answers really have


def cited_library(folder: Path) -> Library:
    """Return a library in which ten papers cite a handbook in ninety sentences, and two others."""
    topics = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    papers = [
        Paper("handbook", "Handbook", year=1990),
        Paper("align", "Fast alignment of words", "Word alignment made quick.", 2003),
        Paper("giza", "Statistical models of alignment", "Models of words.", 2002),
    ]
    papers += [
        Paper(f"user{number}", f"Translating phrases, part {topic}", "Aligned words.", 2010)
        for number, topic in enumerate(topics)
    ]
    sentences = [
        citing(f"user{number}", f"The {one} of {other} was studied [REF].", ("handbook",))
        for number, one in enumerate(topics)
        for other in topics
        if other != one
    ]
    sentences.append(citing("user1", "Words were aligned [REF].", ("align", "giza")))
    citewise.add([*papers, *sentences], folder, keep_versions=True)
    return citewise.open(folder)


def explained(library: Library, sample: Library) -> Iterator[Answer]:
    """Yield explained answers to drafts and to sentences."""
    for query in drafts(sample, 11):
        yield sample.answer(query, 20, explain=True)
    yield sample.answer(query, 20, "dense", explain=True)
    draft = Query("Translating phrases", "Aligned words.", cited=("giza",))
    for claim in ("Words were aligned", "Fast alignment", "Statistical models", "alpha"):
        alone, within = Query(sentence=claim), replace(draft, sentence=claim)
        for query in (alone, within, replace(within, cited=())):
            yield library.answer(query, 9, explain=True)


@pytest.mark.slow
def test_every_kind_of_reason_is_given(sample: Library, tmp_path: Path) -> None:
    given: set[str] = set()
    for answer in explained(cited_library(tmp_path), sample):
        for each in answer:
            for part in each.contributions:
                assert part.label == label_of(part.signal) != part.signal
            kinds = {reason.kind for reason in each.reasons}
            assert kinds <= {kind_of(name) for name in each.signals}, "of signals that are known"
            given |= kinds
            if not answer.query.has_draft:
                assert not [one for one in each.reasons if "your draft" in one.sentence]
    assert given == set(KINDS)


# Who writes what


@pytest.mark.slow
def test_stages_write_what_the_catalogue_says(
    stored: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every signal of every answer is declared, and every stage that is named exists."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pairs = small_bert(tmp_path / "pairs", ("bees", "graphs"), head=True)
    texts = small_bert(tmp_path / "texts", ("bees", "graphs"))
    reranked = f"bm25+rerank(model={pairs},encoder={texts},depth=3)"
    folder = shutil.copytree(stored.stores.info.location, tmp_path / "library")
    citewise.encode(folder, papers=True, spans=False, model=str(texts))
    library = citewise.open(folder)
    query = Query("Citation ranking of bees", "neural graphs", cited=("p1",), authors=("O. Wabe",))
    sentence = replace(query, sentence="The dance language of honey bees")
    seen: set[str] = set()
    for system in [*CHECKED, reranked, f"best(encoder={texts})"]:
        for asked in (query, sentence):
            ranking = library.recommender(system).rank(asked, 50)
            assert {*ranking.signals} <= {signal.name for signal in SIGNALS}, system
            seen |= {*ranking.signals}
    by_stages = [each for each in SIGNALS if each.by not in ("derived", "preferences")]
    assert seen == {signal.name for signal in by_stages}, "each is computed by some system"


def test_signals_that_may_be_unknown_are_marked(stored: Library) -> None:
    """NaN only where the catalogue says so: with no authors, nothing cited and no draft."""
    for system, query, catalogue in (
        ("best", Query("Citation ranking of bees"), DRAFTS),
        ("evidence", Query(sentence="The dance language of honey bees"), SENTENCES),
    ):
        ranking = stored.recommender(system).rank(query, 50)
        unknown = {name for name, column in ranking.signals.items() if np.isnan(column).any()}
        assert unknown and unknown <= {each.name for each in catalogue if each.may_be_unknown}


def test_parts_of_systems_have_declared_signals(stored: Library) -> None:
    declared = {signal.name for signal in SIGNALS}
    for parts in (RETRIEVERS, EXPANDERS, RANKERS):
        for make in parts.values():
            stage = make(stored.stores)
            assert stage.reads | stage.writes <= declared
    assert written_by("engine") == {"hit_rank"} and not written_by("nobody")


# What follows from it for models


@KINDS_OF_MODELS
def test_features_follow_from_the_catalogue(kind: ModelKind) -> None:
    features = kind.catalogue.tree_features()
    assert len(set(features)) == len(features)
    for feature in (*features, *kind.catalogue.linear_features()):
        signal = kind.catalogue[plain(feature)]
        forms = {form.format(signal.name) for form in (PLAIN, LOG, RANK, RATIO)}
        assert feature in forms
        assert all(source in kind.catalogue for source in kind.catalogue.sources(feature))


@KINDS_OF_MODELS
def test_shipped_models_read_declared_signals(kind: ModelKind) -> None:
    model = shipped_model(kind)
    unread = "" if model.encoder else "text vectors"
    assert set(model.names) == set(kind.catalogue.tree_features(without=unread))
    assert model.provenance["definition"] == kind.definition(model.names, model.linear)
    if model.linear is not None:
        assert set(model.linear.weights) == set(kind.catalogue.linear_features(without=unread))
        for product in model.linear.products:
            factors = product.split(TIMES)
            assert len(factors) == 2 and {*factors} <= set(kind.catalogue.linear_features())
            assert len(kind.catalogue.sources(product)) == 2


@KINDS_OF_MODELS
def test_families_divide_the_features(kind: ModelKind) -> None:
    catalogue = kind.catalogue
    families, summary = catalogue.families(), catalogue.summary_features()
    in_families = [feature for features in families.values() for feature in features]
    assert len(set(in_families)) == len(in_families), "each in one family"
    assert not set(summary) & set(in_families)
    rest = {*catalogue.tree_features()} - {*in_families, *summary}
    assert all(catalogue[plain(feature)].why_none for feature in rest)
    assert set(summary) == ({"linear_score", "rank linear_score"} if catalogue is DRAFTS else set())


def test_derived_signals_are_the_declared_ones() -> None:
    twelve = np.arange(12.0)
    drafts_probe = {signal.name: twelve for signal in DRAFTS if signal.by != "derived"}
    sentences_probe = {signal.name: twelve for signal in SENTENCES if signal.by != "derived"}
    for_trees = {
        each.name for each in DRAFTS if each.by == "derived" and (each.trees or not each.linear)
    }
    assert of_drafts(drafts_probe).keys() == for_trees
    assert of_sentences(sentences_probe).keys() == SENTENCES.written_by("derived")
    for_linear = tuple(each.name for each in DRAFTS if each.by == "derived" and each.linear)
    drafts_probe["hit_rank"] = twelve + 1
    assert linear_features(drafts_probe, for_linear, 500).shape == (len(for_linear), 12)


def test_features_are_credited_to_their_signals() -> None:
    forms = ("rank votes", "log votes", "votes / best")
    assert {DRAFTS.sources(name) for name in forms} == {("votes",)}
    assert DRAFTS.sources("log votes * age") == ("votes", "age")
    assert DRAFTS.sources("bm25_share") == ("bm25",)
    assert DRAFTS.sources("age * lift") == ("age", "vote_count")
    assert SENTENCES.sources("trend") == ("recent",)


def test_a_definition_changes_with_a_version() -> None:
    changed = Catalogue(
        [replace(each, version=2) if each.name == "votes" else each for each in DRAFTS]
    )
    assert changed.definition(["log votes"]) != DRAFTS.definition(["log votes"])
    assert changed.definition(["age * log votes"]) != DRAFTS.definition(["age * log votes"])
    assert changed.definition(["age"]) == DRAFTS.definition(["age"])
    assert DRAFTS.definition(["age", "log votes"]) == DRAFTS.definition(["log votes", "age"])
