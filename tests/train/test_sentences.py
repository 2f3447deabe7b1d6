"""Training on a library's own citing sentences: it learns, honestly, and what is measured is what
serves.
"""

import json
import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

import citewise
from bert_folders import small_bert
from citewise.embed import encoders
from citewise.errors import BadInput, BadLibrary
from citewise.evaluate import (
    SentenceSplit,
    Settings,
    SplitSettings,
    evaluate,
    parse_measures,
    sentence_questions,
)
from citewise.evaluate.runs import Workers
from citewise.evaluate.sentences import MEASURES, sentence_parts
from citewise.protocols import Stores
from citewise.rank.sentence_signals import MEANING
from citewise.rank.trees import SENTENCE_MODEL, model_for, shipped_model
from citewise.signals import plain
from citewise.systems import System
from citewise.train import RankerSettings, Training, save, train_sentences
from citewise.train.sentences import (
    KINDS,
    TARGET,
    Extraction,
    cited_elsewhere,
    examples,
    poorer,
    training_questions,
)
from citewise.types import CitingSentence, Paper, Query
from citing import citing
from command_line import Run
from train.own_models import forget

pytestmark = pytest.mark.slow

SETTINGS = RankerSettings(
    SplitSettings(dev=(2008, 2008), test=(2009, 2009)), most=150, tuning=60, trees=30
)
QUICK = replace(SETTINGS, most=30, tuning=20, trees=5)
"""For a model of any quality."""
TOPICS, TOOLS = 8, 5


def talking(last: tuple[str, ...] = ()) -> list[Paper | CitingSentence]:
    """Return papers of topics that cite a topic's tools: for any words, the tool in fashion that
    year.

    `last` replaces what the sentences of 2009 cite.
    """
    dice = random.Random(5)
    records: list[Paper | CitingSentence] = [
        Paper(
            f"tool{topic}-{number}", f"Tool{topic}x{number} for topic{topic}", f"word{number}", 1990
        )
        for topic in range(TOPICS)
        for number in range(TOOLS)
    ]
    for number in range(240):
        topic, year = number % TOPICS, 2000 + number // 24
        records.append(
            Paper(f"p{number}", f"topic{topic} title{number}", f"word{dice.randrange(40)}", year)
        )
        for line in range(3):
            fashion = (year + topic) // 3 % TOOLS if dice.random() < 0.8 else dice.randrange(TOOLS)
            cited = last if last and year == 2009 else (f"tool{topic}-{fashion}",)
            words = " ".join(f"word{dice.randrange(40)}" for _ in range(4))
            records.append(
                citing(
                    f"p{number}", f"In topic{topic}, {words} was tried [REF].", cited, start=line
                )
            )
    return records


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sentences") / "library"
    citewise.add(talking(), folder)
    return folder


@pytest.fixture(scope="module")
def stores(path: Path) -> Stores:
    return citewise.open(path).stores


@pytest.fixture(scope="module")
def training(stores: Stores) -> Training:
    return train_sentences(stores, SETTINGS)


def identity(stores: Stores, system: str) -> str:
    return System.parse(system).identity(stores)


def test_it_learns(training: Training) -> None:
    quality = training.quality
    assert quality.keys() == {"ilciter", "evidence", "trained"}
    assert quality["trained"]["MRR@1000"] > 1.2 * quality["ilciter"]["MRR@1000"], (
        "fashion is older than words tell"
    )
    assert training.queries == {"train": 150, "dev": 60}
    assert sum(training.worth.values()) == pytest.approx(1, abs=0.01)
    assert training.calibration[-1]["cited"] > training.calibration[0]["cited"]


def test_what_is_measured_is_what_serves(path: Path, stores: Stores, training: Training) -> None:
    _, dev = training_questions(stores, SETTINGS)
    shipped = identity(stores, "evidence(model=shipped)")
    save(stores, training)
    try:
        library = citewise.open(path)
        systems = ["evidence", "evidence(model=shipped)"]
        served = evaluate(library.stores, systems, dev, Settings(parse_measures(MEASURES)))
        figures = [
            {name: round(value.value, 4) for name, value in each.values.items()}
            for each in served.systems
        ]
        assert figures == [training.quality["trained"], training.quality["evidence"]]
        assert identity(library.stores, "evidence") != shipped
        assert identity(library.stores, "evidence(model=shipped)") == shipped

        query = Query(sentence="In topic1, word3 was tried")
        own, other = (library.recommender(name).answer(query).served_by for name in systems)
        assert (own.model, other.model) == ("sentences", "default")
        assert own.provenance != other.provenance
        assert library.describe().models == ("sentences", "sentences-calibration")
        assert citewise.verify(path).sound
    finally:
        forget(stores, SENTENCE_MODEL.name)


# Where the spans have vectors


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small encoder that knows the words of the sentences."""
    words = " ".join(each.text for each in talking() if isinstance(each, CitingSentence))
    return small_bert(
        tmp_path_factory.mktemp("encoder"), re.findall(r"[a-z]+|[0-9]+", words.lower())
    )


@pytest.fixture(scope="module")
def encoded(path: Path, encoder: Path, encoder_graphs: Path) -> Path:
    """A copy of the library with vectors of its spans, and a model of its own."""
    folder = path.with_name("encoded")
    shutil.copytree(path, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(encoder_graphs))
        citewise.encode(folder, model=str(encoder), precision="fp32")
        stores = citewise.open(folder).stores
        save(stores, train_sentences(stores, SETTINGS))
    return folder


@pytest.mark.usefixtures("encoder_cache")
def test_a_model_learns_to_read_the_vectors_of_spans(encoded: Path) -> None:
    stores = citewise.open(encoded).stores
    model = model_for(stores.models, SENTENCE_MODEL, "own")
    _, dev = training_questions(stores, SETTINGS)
    systems = ["evidence", "evidence(dense=never)", "evidence(model=shipped)"]

    served = evaluate(stores, systems, dev, Settings(parse_measures(MEASURES)))

    assert {*MEANING} <= {plain(name) for name in model.names}
    found = {name: round(value.value, 4) for name, value in served.systems[0].values.items()}
    assert found == model.provenance["dev"]["trained"]
    assert len({identity(stores, each) for each in systems}) == 3
    query = Query(sentence="In topic1, word3 was tried")
    by_meaning, by_words = (
        [each.score for each in citewise.open(encoded).recommender(name).answer(query)]
        for name in systems[:2]
    )
    assert by_meaning != by_words


@pytest.mark.usefixtures("encoder_cache")
def test_an_answer_goes_on_without_the_encoder_and_says_so(encoded: Path, encoder: Path) -> None:
    query = Query(sentence="In topic1, word3 was tried")
    by_words = citewise.open(encoded).recommender("evidence(dense=never)").answer(query)

    away = encoder.rename(encoder.with_name("away"))
    encoders._for_queries.cache_clear()
    try:
        answer = citewise.open(encoded).recommender("evidence").answer(query)
    finally:
        away.rename(encoder)

    assert [(each.paper.id, each.score) for each in answer] == [
        (each.paper.id, each.score) for each in by_words
    ]
    assert answer.served_by.note.startswith("by words alone (")
    assert str(encoder) in answer.served_by.note


def test_no_question_sees_its_year_or_its_paper(stores: Stores) -> None:
    train, dev = training_questions(stores, SETTINGS)
    assert {question.query.year for question in dev} == {2008}
    assert max(question.query.year or 0 for question in train) == 2007
    asked = {question.query.hidden[0] for question in dev}
    assert not asked & {key for question in train for key in question.query.hidden}

    for question in (*train, *dev):
        (paper,) = stores.papers.read(stores.papers.find(question.query.hidden[:1]))
        assert paper.year == question.query.year and question.id.startswith(f"{paper.id}#")


def test_a_year_by_hand(stores: Stores) -> None:
    # Counted from the records: a sentence of 2003 is asked where a tool that it cites was cited
    # before.
    records = talking()
    years = {paper.id: paper.year or 0 for paper in records if isinstance(paper, Paper)}
    sentences = [each for each in records if isinstance(each, CitingSentence)]
    cited_before = {
        key
        for each in sentences
        if years[each.citing] < 2003
        for group in each.groups
        for key in group.cited
    }
    expected = [
        each.citing
        for each in sentences
        if years[each.citing] == 2003 and cited_before & {*each.groups[0].cited}
    ]

    found = sentence_questions(stores, SentenceSplit((2003, 2003)))
    assert Counter(question.query.hidden[0] for question in found) == Counter(expected)


def test_years_of_the_parts(stores: Stores) -> None:
    assert sentence_parts(stores, SETTINGS.split) == {
        "train": (2000, 2007),
        "dev": (2008, 2008),
        "test": (2009, 2009),
    }
    tenths = SplitSettings(fractions=(0.75, 0.15, 0.1))  # 72 sentences a year: whole years only
    assert sentence_parts(stores, tenths) == {
        "train": (2000, 2006),
        "dev": (2007, 2008),
        "test": (2009, 2009),
    }
    assert sentence_parts(stores, SplitSettings(fractions=(0.9, 0.1, 0))) == {
        "train": (2000, 2008),
        "dev": (2009, 2009),
        "test": (2010, 2009),
    }


def test_what_is_known_of_the_draft(stores: Stores) -> None:
    questions = sentence_questions(stores, SentenceSplit((2003, 2007)))
    drawn = [poorer(stores, each, seed) for each in questions for seed in range(5)]
    kinds = Counter(
        ("draft" if each.query.abstract else "title" if each.query.title else "alone")
        + " and cited" * bool(each.query.cited)
        for each in drawn
    )
    assert kinds["alone"] / kinds.total() == pytest.approx(KINDS["alone"], abs=0.05)
    assert kinds["title"] / kinds.total() == pytest.approx(KINDS["title"], abs=0.04)
    cited = {each for question in questions for each in cited_elsewhere(stores, question, 0)}
    assert cited and all(re.fullmatch(r"tool\d-\d", key) for key in cited)


def test_examples_are_the_candidates_that_serving_ranks(stores: Stores) -> None:
    question = sentence_questions(stores, SentenceSplit((2007, 2007), 1))[0]
    with Workers(stores) as workers:
        made, _ = examples(
            workers, [question], Extraction(whole=True), "", lambda what, done, total: None
        )
    served = System.parse("evidence").over(stores).rank(question.query, 600)
    model = shipped_model(SENTENCE_MODEL)
    columns = [TARGET.features.index(name) for name in model.names]
    scores = model.scored(made.columns(columns).matrix)
    assert np.sort(scores) == pytest.approx(np.sort(served.scores), abs=1e-5)
    assert made.cited.sum() == np.isin(served.rows, question.gold).sum()
    assert made.gold.tolist() == [len(question.gold)]


@pytest.fixture(scope="module")
def quick(stores: Stores) -> Training:
    """A training of some seconds, where its quality does not matter."""
    return train_sentences(stores, replace(QUICK, ablation=True))


def test_each_family_of_features_is_left_out_once(quick: Training) -> None:
    families = {*SENTENCE_MODEL.catalogue.families()} - {"meaning of spans"}  # nobody encoded them
    assert quick.ablation.keys() == {"nothing", *families}
    assert quick.ablation["nothing"] == quick.quality["trained"], (
        "there is no linear step to leave out"
    )


def test_same_seed_same_model(stores: Stores, quick: Training) -> None:
    first = quick.model
    assert train_sentences(stores, replace(QUICK, jobs=2)).model.trees == first.trees
    assert train_sentences(stores, replace(QUICK, seed=1)).model.trees != first.trees


def test_the_test_part_is_not_looked_at(tmp_path: Path, quick: Training) -> None:
    citewise.add(talking(last=("tool0-0", "tool1-1")), tmp_path)
    found = train_sentences(citewise.open(tmp_path).stores, QUICK)
    assert (found.model.trees, found.quality) == (quick.model.trees, quick.quality)


def test_too_few_sentences(tmp_path: Path) -> None:
    citewise.add([each for each in talking() if isinstance(each, Paper)], tmp_path)
    with pytest.raises(BadInput, match="at least 20 citing sentences to learn from"):
        train_sentences(citewise.open(tmp_path).stores)


@pytest.mark.parametrize(
    "damage", [b"{", b'{"trees": "no trees", "provenance": {}}', b'{"trees": ""}']
)
def test_a_damaged_model_is_named(tmp_path: Path, damage: bytes) -> None:
    citewise.add(talking()[:60], tmp_path)
    citewise.open(tmp_path).stores.models.save(SENTENCE_MODEL.name, damage)
    with pytest.raises(BadLibrary, match="citewise train sentences"):
        citewise.open(tmp_path).cite("topic1")
    assert citewise.open(tmp_path).cite("topic1", system="evidence(model=shipped)")


def test_a_model_of_other_features_is_named(tmp_path: Path, training: Training) -> None:
    citewise.add(talking()[:60], tmp_path)
    features = tuple(each.replace("whole_score", "whole_omens") for each in training.model.features)
    assert features != training.model.features
    renamed = msgspec.structs.replace(training.model, features=features)
    citewise.open(tmp_path).stores.models.save(SENTENCE_MODEL.name, renamed.encoded())
    with pytest.raises(BadLibrary, match="whole_omens"):
        citewise.open(tmp_path).cite("topic1")


def own_model(library: Path) -> bytes | None:
    return citewise.open(library).stores.models.load(SENTENCE_MODEL.name)


def test_the_command(path: Path, tmp_path: Path, run: Run) -> None:
    options = (
        *("--library", path, "--dev", "2008", "--test", "2009"),
        *("--most", 60, "--tuning", 30, "--trees", 20),
    )
    report = tmp_path / "report.json"
    written = ("--format", "json", "-o", report)
    code, _, messages = run("train", "sentences", *options, "--dry-run", *written)
    assert code == 0 and "not kept" in messages and own_model(path) is None
    assert json.loads(report.read_text())["queries"] == {"train": 60, "dev": 30}

    code, shown, messages = run("train", "sentences", *options, "--anyway")
    assert code == 0 and "evidence ranks with the new model" in messages and "Calibration" in shown
    sentence = "In topic1, word3 was tried"
    code, shown, _ = run("cite", sentence, "--library", path, "--format", "json")
    assert code == 0 and json.loads(shown)["sentences"][0]["served_by"]["model"] == "sentences"

    code, _, messages = run("train", "sentences", "--library", path, "--shipped")
    assert code == 0 and "model that ships" in messages
    assert own_model(path) is None
