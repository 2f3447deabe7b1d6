"""Calibration: its formula by hand, order and chances, which calibration is used, and what does not
fit a library.
"""

import math
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.api import Library
from citewise.errors import BadLibrary
from citewise.memory import MemoryStores
from citewise.protocols import StoreParts, Stores
from citewise.rank.answer_facts import LibraryFacts, QueryWords, answer_facts
from citewise.rank.calibration import (
    Calibration,
    Chances,
    Curve,
    Curves,
    calibration_name,
    calibrator_for,
    shipped_calibration,
)
from citewise.rank.trees import DRAFT_MODEL, SENTENCE_MODEL, ModelKind, shipped_model
from citewise.systems import SYSTEMS
from citewise.train.cases import ThinnedGraph
from citewise.types import Query, Ranking
from citing import citing
from command_line import Run
from drafts_of_papers import drafts

KINDS = pytest.mark.parametrize("kind", [DRAFT_MODEL, SENTENCE_MODEL], ids=lambda kind: kind.name)
STRANGE = ("the quick brown fox", "my cat likes fish", "zzyzx blorf quux")


def test_a_curve_by_hand() -> None:
    curve = Curve({"score": 2.0, "known": -1.0}, 0.5, {"score": (0, 3), "known": (0, 1)})
    inputs = {"score": np.array([1.0, 9.0, -9.0]), "known": np.array([0.5, 2.0, 0.5])}
    # 0.5 + 2 - 0.5; cut: 0.5 + 2 * 3 - 1; cut: 0.5 + 0 - 0.5
    by_hand = [1 / (1 + math.exp(-margin)) for margin in (2.0, 5.5, 0.0)]
    assert curve.chances(inputs) == pytest.approx(by_hand)

    at_home = Curve({"known": 2.0}, 0.0, {"known": (0, 1)})
    both = Curves(at_home, curve).chances({**inputs, "known": np.full(3, 0.5)})
    home = 1 / (1 + math.exp(-1))
    by_hand = [home / (1 + math.exp(-margin)) for margin in (2.0, 6.0, 0.0)]
    assert both.each == pytest.approx(by_hand) and both.any == pytest.approx(home)


def test_matches() -> None:
    chances = [Chances(np.zeros(0), value).match for value in (0.99, 0.6, 0.59, 0.3, 0.29, 0.0)]
    assert chances == ["good", "good", "weak", "weak", "none", "none"]


@KINDS
@given(scores=st.lists(st.floats(-30, 30), min_size=2, max_size=20), fact=st.floats(-5, 50))
def test_chances_never_disagree_with_the_order(
    kind: ModelKind, scores: list[float], fact: float
) -> None:
    calibration = shipped_calibration(kind)
    assert calibration is not None
    column = -np.sort(-np.array(scores))
    for curves in calibration.curves.values():
        names = {*curves.answer.weights, *curves.paper.weights}
        inputs = {name: np.full(column.size, fact) for name in names}
        inputs |= {"score": column, "score share": column / 7}
        inputs |= {"log rank": np.log1p(np.arange(column.size))}
        chances = curves.chances(inputs).each
        assert (np.diff(chances) <= 1e-12).all() and ((chances > 0) & (chances < 1)).all()


# What ships


@KINDS
def test_the_calibration_that_ships_is_of_the_model_that_ships(kind: ModelKind) -> None:
    calibration = shipped_calibration(kind)
    assert calibration is not None
    assert calibration.model == shipped_model(kind).digest, (
        "the model was made again: python benchmarks/calibration.py --fit"
    )
    assert "model" in calibration.curves and "ships with citewise" in calibration.source


def test_another_model_has_no_chances(sample: Library) -> None:
    model = shipped_model(DRAFT_MODEL)
    assert calibrator_for(sample.stores, model) is not None
    assert calibrator_for(sample.stores, replace(model, digest="00000000")) is None
    assert calibrator_for(sample.stores, replace(model, trees=None)) is None


def test_a_library_has_its_own(sample: Library) -> None:
    half = Curve({}, 0.0, {})
    curves = Curves(half, Curve({"score": 1.0}, 0.0, {"score": (-9, 9)}))
    digest = shipped_model(DRAFT_MODEL).digest
    own = Calibration(digest, "held-out papers of this library (2021)", {"both": curves})
    stores = with_calibration(sample.stores, msgspec.json.encode(own))

    answer = Library(stores).recommend("Ranking documents for a query", k=5)
    assert (answer.calibrated_by, answer.confidence, answer.match) == (own.source, 0.5, "weak")
    for each in answer:
        assert each.confidence == pytest.approx(0.5 / (1 + math.exp(-each.score)), abs=1e-4)

    stale = msgspec.json.encode(msgspec.structs.replace(own, model="00000000"))
    answer = Library(with_calibration(sample.stores, stale)).recommend("Ranking documents")
    assert "ships with citewise" in answer.calibrated_by

    with pytest.raises(BadLibrary, match="citewise train calibration"):
        Library(with_calibration(sample.stores, b'{"model": 3}')).recommend("Ranking")


class OneModel:
    """The models of a library that has one."""

    def __init__(self, name: str, content: bytes) -> None:
        self._name, self._content = name, content

    def load(self, name: str) -> bytes | None:
        """Return its content."""
        return self._content if name == self._name else None

    def names(self) -> tuple[str, ...]:
        """Return its name."""
        return (self._name,)

    def save(self, name: str, content: bytes) -> None:
        """Do nothing."""

    def remove(self, name: str) -> None:
        """Do nothing."""


def with_calibration(stores: Stores, content: bytes) -> Stores:
    """Return a library with its own calibration for drafts."""
    name = calibration_name(DRAFT_MODEL.name)
    return replace(StoreParts.of(stores), models=OneModel(name, content))


# Answers


@pytest.mark.slow
def test_answers_have_chances_in_their_order(sample: Library) -> None:
    for query in drafts(sample, 25):
        answer = sample.answer(query, 30)
        chances = [each.confidence or 0.0 for each in answer]
        assert chances == sorted(chances, reverse=True) and answer.match in ("good", "weak", "none")
        assert all(0 < chance < 1 for chance in chances)


def test_preferences_change_the_order_but_no_chance(sample: Library) -> None:
    title = "Ranking documents for a query"
    plain = {each.paper.id: each.confidence for each in sample.recommend(title, k=50)}
    recent = sample.recommend(title, k=10, prefer_recent=1.0)
    known = [each for each in recent if each.paper.id in plain]
    assert known and [each.confidence for each in known] == [plain[each.paper.id] for each in known]


@pytest.mark.parametrize("system", [*SYSTEMS, "best(kept=50)", "evidence(kept=50)"])
def test_only_what_is_calibrated_has_chances(sample: Library, system: str) -> None:
    answer = sample.recommend("Ranking documents for a query", k=3, system=system)
    calibrated = system == "best"  # for a sentence, best ranks here, of which nothing is known
    assert (answer.match is not None) == bool(answer.calibrated_by) == calibrated
    assert all((each.confidence is not None) == calibrated for each in answer)


@pytest.mark.parametrize("text", STRANGE)
def test_nonsense_has_no_good_match(sample: Library, text: str) -> None:
    assert sample.recommend(text).match == "none"
    assert without_citations(sample).cite(text).match == "none"


def without_citations(library: Library) -> Library:
    stores = library.stores
    return Library(replace(StoreParts.of(stores), graph=ThinnedGraph(stores.graph, 0)))


def test_sentences_have_chances_where_their_own_model_or_words_rank(
    sample: Library,
) -> None:
    sentence = "Documents are ranked for a query."
    assert sample.cite(sentence).match is None, "best ranks, which was calibrated for drafts"
    assert without_citations(sample).cite(sentence).match is not None
    cited = [*sample][:20]
    sentences = [citing("new", f"We use {each.title} [REF].", (each.id,)) for each in cited]
    covered = Library(MemoryStores.of([*cited, *sentences]))
    assert covered.cite(sentence).match is not None
    assert sample.recommend(sentence).match is not None
    assert sample.answer(Query(sentence=sentence), system="best").match is None


def test_the_sample_draft_has_a_good_match(sample: Library) -> None:
    answer = sample.recommend(
        "Recommending citations for scientific papers",
        "We rank papers that a draft should cite by its words and by the citation graph.",
    )
    assert answer.match == "good"


def test_the_command_says_so(run: Run, sample: Library) -> None:
    asked = ("recommend", "-l", sample.stores.info.location, "--title", STRANGE[0])
    done = run(*asked)
    assert done.code == 0
    assert "no good match in this library" in f"{done.out}{done.err}".lower()


def test_nothing_at_all_is_no_match(sample: Library) -> None:
    answer = sample.recommend("zzyzx")
    assert len(answer) == 0 and answer.match == "none"


@pytest.mark.slow
def test_nonsense_asked_of_real_papers(shared: Path, tmp_path: Path) -> None:
    citewise.index([shared / "scisummnet-contexts" / "papers.jsonl.xz"], tmp_path)
    library = citewise.open(tmp_path)
    for text in STRANGE:
        assert library.recommend(text).match == "none"
        assert library.cite(text).match == "none"


# Facts


def test_words_by_hand(golden_library: Path) -> None:
    stores = citewise.open(golden_library).stores
    words = QueryWords.of(stores, "bees zzyzx the bees")
    assert words.count == 2 and words.bag.terms.size == 1
    assert words.known == pytest.approx(words.weights[0] / words.total)
    everything = words.shares(stores, stores.papers.rows)
    assert 0 < everything[0] < 1
    assert words.covered(everything) == words.known and words.covered(np.zeros(1)) == 0
    assert words.agreement(np.ones(1)) == 1 and words.agreement(np.zeros(1)) == 0
    assert words.agreement(np.array([0.25])) == pytest.approx(0.25)


def test_facts_of_a_text_without_words(golden_library: Path) -> None:
    stores = citewise.open(golden_library).stores
    ranking = Ranking(np.array([0, 1]), np.array([2.0, 1.0]))
    facts = answer_facts(stores, LibraryFacts.of(stores), Query("???"), ranking)
    assert all(math.isfinite(value) for value in facts.values.values()) and facts.weight > 0
    assert LibraryFacts.of(stores).papers == len(stores.papers)
