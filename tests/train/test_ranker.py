"""Training the ranker: its cases, its fits against scipy, and that what is measured is what serves."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import citewise
from citewise.errors import BadInput, BadLibrary, MissingData
from citewise.evaluate import Split, SplitSettings, evaluate
from citewise.evaluate.runs import journal_name
from citewise.ingest import read
from citewise.library import models
from citewise.rank import boosted, model
from citewise.rank.features import first_features
from citewise.rank.model import FirstStep, product
from citewise.report import Report
from citewise.train import RankerSettings, Training, ranker, save, train_ranker
from citewise.train.cases import KINDS, Thinned, case_of, kind_of
from citewise.train.fitting import logistic
from citewise.types import Paper, Query, Scope

SETTINGS = RankerSettings(SplitSettings(dev=(2008, 2009), test=(2010, 2010), least=2), most=120, tuning=40, trees=60)


def topical(count: int) -> list[Paper]:
    """Return papers of twelve topics that mostly cite older ones of their own, the first of a topic most of all."""
    dice, papers = random.Random(3), []
    for number in range(count):
        topic, year = number % 12, 1990 + 21 * number // count
        words = [f"topic{topic}word{dice.randrange(12)}" for _ in range(8)]
        words += [f"word{dice.randrange(60)}" for _ in range(5)]
        older = [each for each in papers if each.year < year and int(each.id[1:]) % 12 == topic]
        cited = {dice.choice(older).id if dice.random() < 0.6 else older[0].id for _ in range(5)} if older else set()
        papers.append(Paper(f"p{number}", " ".join(words[:6]), " ".join(words), year, references=tuple(sorted(cited))))
    return papers


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "library"
    citewise.add(topical(600), folder, keep_versions=True)
    return folder


@pytest.fixture(scope="module")
def held(path: Path) -> citewise.OpenLibrary:
    return citewise.open(path)


@pytest.fixture(scope="module")
def training(held: citewise.OpenLibrary) -> Training:
    return train_ranker(held, replace(SETTINGS, ablation=True))


def test_logistic_against_scipy() -> None:
    dice = np.random.default_rng(0)
    matrix, weights = dice.normal(3, [1, 5], (300, 2)), dice.uniform(0.5, 2, 300)
    labels = (matrix @ [0.8, -0.2] + dice.normal(0, 1, 300) > 1.5).astype(float)
    scaled = (matrix - matrix.mean(0)) / matrix.std(0)

    def loss(found: np.ndarray) -> float:
        margins = scaled @ found[:2] + found[2]
        return float((weights * (np.logaddexp(0, margins) - labels * margins)).sum() + (found[:2] ** 2).sum() / 2)

    best = minimize(loss, np.zeros(3), tol=1e-10).x
    found = logistic(matrix, labels, weights)
    assert found[:2] * matrix.std(0) == pytest.approx(best[:2], abs=1e-4)
    assert found[2] + found[:2] @ matrix.mean(0) == pytest.approx(best[2], abs=1e-4)


def test_logistic_where_few_are_cited() -> None:
    # Newton's full steps overshoot here.
    dice = np.random.default_rng(1)
    one = np.exp(dice.normal(0, 1, (4000, 8)))
    matrix = np.hstack([one, *(one * one[:, [column]] for column in range(8))])
    labels = (one[:, 0] * one[:, 1] > 20).astype(float) * (dice.random(4000) < 0.5)
    weights = np.where(labels > 0, 1.0, 20.0)
    found = logistic(matrix, labels, weights)
    scaled = (matrix - matrix.mean(0)) / matrix.std(0)
    expected = 1 / (1 + np.exp(-(matrix @ found[:-1] + found[-1])))
    slope = scaled.T @ (weights * (expected - labels)) + found[:-1] * matrix.std(0)
    assert np.abs(slope).max() < 1e-2, "at the least loss nothing pulls any more"


def test_products_by_hand() -> None:
    # 2 age + 3 share + 0.5 age share - 0.1 age^2 + 1, at an age of 4 and a share of 0.5: 8 + 1.5 + 1 - 1.6 + 1
    first = FirstStep({"age": 2.0, "title_in_draft": 3.0}, 1.0, 10,
                      {product("age", "title_in_draft"): 0.5, product("age", "age"): -0.1})
    one = np.ones(1)
    signals = {"age": one * 4, "title_in_draft": one / 2, "hit_rank": one, "citations": one, "citations2": one,
               "vote_count": one, "authored": one * np.nan, "authors_cite": one * np.nan}
    assert first_features(signals, ["found", "voted_for", "age"], 10).tolist() == [[1], [1], [4]]
    assert first.scores(signals) == pytest.approx([9.9])


def test_a_thin_graph_is_the_same_from_both_sides(held: citewise.OpenLibrary) -> None:
    library, scope = held.library, Scope(year=2005)
    thin, rows = Thinned(library, 0.3, seed=1), library.rows
    references, citers = thin.references(rows, scope), thin.citers(rows, scope)
    cited = {(row, other) for place, row in enumerate(rows.tolist()) for other in references[place].tolist()}
    assert cited == {(other, row) for place, row in enumerate(rows.tolist()) for other in citers[place].tolist()}
    total = library.references(rows, scope).values.size
    assert 0.2 * total < len(cited) < 0.4 * total
    assert not Thinned(library, 0.0).references(rows).values.size
    assert Thinned(library, 1.0).citers(rows).values.tolist() == library.citers(rows).values.tolist()


def test_cases(held: citewise.OpenLibrary) -> None:
    questions = Split.make(held, SETTINGS.split).questions(held, "train")
    kinds = Counter(kind_of(question, seed) for question in questions for seed in range(20))
    for kind, share in KINDS.items():
        assert kinds[kind] / kinds.total() == pytest.approx(share, abs=0.02)
    question = questions[-1]
    assert kind_of(question, 4) == kind_of(question, 4)
    half = case_of(held.library, question, "half cited", 0)
    given = held.library.rows_of(half.query.cited).tolist()
    assert sorted([*given, *half.gold.tolist()]) == sorted(question.gold) and given and half.gold.size
    assert {*given} <= {*half.scope.hidden} and not {*given} & {*half.scope.unseen}
    assert case_of(held.library, question, "title", 0).query.abstract == ""
    assert case_of(held.library, question, "abstract", 0).query.title == ""
    for kind in KINDS:
        scope = case_of(held.library, question, kind, 0).scope
        assert scope.year == question.query.year and held.library.rows_of([question.id])[0] in scope.unseen


def test_it_learns(training: Training) -> None:
    # Papers cite their topic's first paper above all: words do not tell, votes and citations do.
    quality = training.quality
    assert quality["trained"]["MRR@1000"] > 1.3 * quality["bm25"]["MRR@1000"]
    assert training.queries == {"train": 120, "dev": 40}
    assert sum(training.worth.values()) == pytest.approx(1, abs=0.01)
    assert {"nothing", "words", "votes", "seeds"} <= training.ablation.keys()
    assert sum(part["candidates"] for part in training.calibration) == 20 * 20
    assert training.calibration[-1]["cited"] > training.calibration[0]["cited"]


def test_on_another_field(shared: Path, tmp_path: Path) -> None:
    # Real papers of a small library; the years after 2020 stay unseen.
    found = read([shared / "elife" / "papers.jsonl.xz"], Report())
    citewise.add([paper for paper, _ in found if paper.year <= 2020], tmp_path, keep_versions=True)
    split = SplitSettings(dev=(2019, 2019), test=(2020, 2020), least=3)
    settings = RankerSettings(split, most=200, tuning=300, trees=60)
    quality = train_ranker(citewise.open(tmp_path), settings).quality
    for measure in ("F1@20", "MRR@1000", "R@1000"):
        assert quality["trained"][measure] > quality["bm25"][measure], measure


def test_what_is_measured_is_what_serves(path: Path, training: Training) -> None:
    held = citewise.open(path)
    dev = Split.make(held, SETTINGS.split).questions(held, "dev")
    dev = dev[:: max(len(dev) // SETTINGS.tuning, 1)][: SETTINGS.tuning]
    before = journal_name(held, "best", dev, 1000), held.identity("best(model=shipped)")
    save(held, training)
    try:
        held = citewise.open(path)
        served = evaluate(held, ["best", "best(model=shipped)"], dev)
        figures = [{name: round(value.value, 4) for name, value in each.values.items()} for each in served.systems]
        assert figures == [training.quality["trained"], training.quality["best"]]
        assert journal_name(held, "best", dev, 1000) != before[0], "answers of another model are not taken for its own"
        assert held.identity("best(model=shipped)") == before[1]
    finally:
        assert models.remove(path, model.NAME) and not models.remove(path, model.NAME)


def lonely(count: int) -> list[Paper]:
    """Return papers of the dev years whose words only papers share that cite nothing: no citation speaks to them."""
    old = [Paper(f"old{number}", f"lone{number} alone{number % 9}", "", 1995) for number in range(count)]
    cited = [tuple(f"old{number + step}" for step in range(3)) for number in range(count - 3)]
    return old + [Paper(f"new{number}", f"lone{number} alone{number % 9}", f"lone{number + 1} lone{number + 2}",
                        2008, references=keys) for number, keys in enumerate(cited)]


def test_all_are_judged_by_the_same_queries(tmp_path: Path) -> None:
    # Where no citation speaks, BM25 answers whatever the model: such queries must not count for one of them only.
    citewise.add([*topical(600), *lonely(60)], tmp_path, keep_versions=True)
    settings = replace(SETTINGS, tuning=400, trees=20)
    found = train_ranker(citewise.open(tmp_path), settings)
    without = train_ranker(citewise.open(tmp_path), replace(settings, trees=1))
    held = citewise.open(tmp_path)
    dev = [each for each in Split.make(held, settings.split).questions(held, "dev") if each.id.startswith("p")]
    assert found.queries["dev"] == len(dev)
    best = evaluate(held, ["best"], dev).systems[0]
    assert found.quality["best"] == {name: round(value.value, 4) for name, value in best.values.items()}
    assert found.quality["best"] == without.quality["best"]


def test_where_no_citation_speaks_nothing_is_learned(tmp_path: Path) -> None:
    # Citations made in a query's own year are not seen, so papers of one year tell nothing.
    same_year = [replace(paper, year=2000 if paper.year < 2008 else paper.year) for paper in topical(600)]
    papers = [replace(paper, references=("p0", "p1", "p2")) for paper in same_year]
    citewise.add(papers, tmp_path, keep_versions=True)
    with pytest.raises(BadInput, match="no citation speaks"):
        train_ranker(citewise.open(tmp_path), SETTINGS)


def test_same_seed_same_model(held: citewise.OpenLibrary, training: Training) -> None:
    again = train_ranker(held, replace(SETTINGS, jobs=2))
    assert again.model.trees == training.model.trees and again.model.first == training.model.first
    assert train_ranker(held, replace(SETTINGS, seed=1)).model.first != training.model.first


def test_the_test_part_is_not_looked_at(tmp_path: Path, training: Training) -> None:
    changed = [replace(paper, references=("p0", "p1")) if paper.year == 2010 else paper for paper in topical(600)]
    citewise.add(changed, tmp_path, keep_versions=True)
    found = train_ranker(citewise.open(tmp_path), SETTINGS)
    assert found.model.first == training.model.first and found.model.trees == training.model.trees
    assert found.quality == training.quality


def test_too_few_papers(golden_library: Path) -> None:
    with pytest.raises(BadInput, match="at least 20 papers to learn from"):
        train_ranker(citewise.open(golden_library))
    with pytest.raises(BadInput, match="at least one query"):
        RankerSettings(trees=0)


def test_without_lightgbm_nothing_is_begun(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranker, "shipped", lambda: replace(model.shipped(), trees=None))
    with pytest.raises(MissingData, match="libgomp1"):
        train_ranker(citewise.open(path), SETTINGS)


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    citewise.add(topical(60), tmp_path, keep_versions=True)
    models.save(tmp_path, model.NAME, b"{")
    assert citewise.open(tmp_path).describe().models == (model.NAME,)
    assert [problem.split(":")[0] for problem in citewise.verify(tmp_path).problems] == ["models/ranker.json"]
    with pytest.raises(BadLibrary, match="train it again"):
        citewise.open(tmp_path).recommend("topic1word1")
    with pytest.raises(BadLibrary, match="--shipped"):
        train_ranker(citewise.open(tmp_path))
    assert citewise.open(tmp_path).recommend("topic1word1", system="best(model=shipped)")


@pytest.mark.parametrize("damage", [{"trees": "no trees"}, {"trees": ""}, {"first": None}])
def test_a_model_that_reads_but_makes_no_sense_is_named(damage: dict, tmp_path: Path, training: Training) -> None:
    citewise.add(topical(60), tmp_path, keep_versions=True)
    content = json.loads(boosted.encoded(training.model)) | damage
    models.save(tmp_path, model.NAME, json.dumps(content).encode())
    with pytest.raises(BadLibrary, match="--shipped"):
        citewise.open(tmp_path).recommend("topic1word1")


def test_a_model_of_other_features_is_named(tmp_path: Path, training: Training) -> None:
    citewise.add(topical(60), tmp_path, keep_versions=True)
    for part, old in (("first", '"log votes"'), ("trees", "rank_votes_sharp")):
        content = json.loads(boosted.encoded(training.model))
        content[part] = json.loads(json.dumps(content[part]).replace(old, old.replace("votes", "omens")))
        models.save(tmp_path, model.NAME, json.dumps(content).encode())
        with pytest.raises(BadLibrary, match="--shipped"):
            citewise.open(tmp_path).recommend("topic1word1")


def test_an_open_library_stays_with_its_model(tmp_path: Path, training: Training) -> None:
    citewise.add(topical(120), tmp_path, keep_versions=True)
    held = citewise.open(tmp_path)
    before, served = held.identity("best"), held.recommender("best").answer(Query("topic1word1")).served_by
    save(held, training)
    assert held.identity("best") == before, "journals are named after the model that answers"
    assert held.recommender("best").answer(Query("topic1word1")).served_by == served
    fresh = citewise.open(tmp_path)
    assert fresh.identity("best") != before
    assert fresh.recommender("best").answer(Query("topic1word1")).served_by != served


def test_the_command(path: Path, tmp_path: Path, run) -> None:
    options = ["--library", path, "--dev", "2008-2009", "--test", "2010", "--least", 2, "--most", 60, "--tuning", 20,
               "--trees", 60]
    report = tmp_path / "report.json"
    code, _, told = run("train", "ranker", *options, "--dry-run", "--format", "json", "-o", report)
    assert code == 0 and "not kept" in told and citewise.open(path).library.model(model.NAME) is None
    assert json.loads(report.read_text())["queries"] == {"train": 60, "dev": 20}
    code, shown, told = run("train", "ranker", *options, "--anyway")
    assert code == 0 and "new model" in told and "trained" in shown and "Calibration" in shown
    assert citewise.open(path).library.model(model.NAME) is not None
    assert run("train", "ranker", "--library", path, "--shipped")[0] == 0
    assert citewise.open(path).library.model(model.NAME) is None
    assert run("train", "ranker", "--library", path, "--dev", "2008")[0] == 2, "dev years need test years"
