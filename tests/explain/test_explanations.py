"""Contributions: they add up to scores, whatever the system, and every interface shows the same."""

import json
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.api import Library
from citewise.explain.reasons import label_of
from citewise.rank.trees import DRAFT_MODEL, shipped_model
from citewise.render.citation_keys import citation_keys
from citewise.signals import DRAFTS
from citewise.systems import SYSTEMS
from citewise.types import Query, Recommendation, ServedBy
from command_line import Run
from contracts import CHECKED, QUERIES, SIZES
from corpora import GOLDEN
from drafts_of_papers import drafts
from oracles import PlainLibrary, stems, total
from properties import examples


def unexplained(each: Recommendation) -> Recommendation:
    """Return a recommendation without what an explanation adds."""
    return replace(each, base=0.0, contributions=(), reasons=())


def signals_of(each: Recommendation) -> set[str]:
    """Return the signals that contributed to a score."""
    return {part.signal for part in each.contributions}


@pytest.mark.slow
@given(query=QUERIES, k=SIZES)
@examples(15)
def test_contributions_add_up_to_the_score(stored: Library, query: Query, k: int) -> None:
    for system in CHECKED:
        plain = stored.answer(query, k, system).recommendations
        answer = stored.answer(query, k, system, explain=True)
        assert [total(each) for each in answer] == pytest.approx(
            [each.score for each in plain], abs=1e-6
        )
        assert tuple(map(unexplained, answer)) == plain, "an explanation changes nothing"
        if system in SYSTEMS and system != "hybrid":  # ranks that are fused have no parts
            # a candidate that is alone is no better than the middling one, which is the base
            moved = [each for each in answer if abs(each.score - each.base) > 1e-6]
            assert all(each.contributions for each in moved)
        assert not any(each.contributions or each.reasons or each.base for each in plain)
        for each in answer:
            sizes = [abs(part.value) for part in each.contributions]
            assert sizes == sorted(sizes, reverse=True), "largest first"
            assert [part.label for part in each.contributions] == [
                label_of(part.signal) for part in each.contributions
            ]


def test_what_a_cascade_lowered_is_in_the_base(stored: Library) -> None:
    """Papers behind those that the last ranker ranked have lowered scores."""
    query = Query("Citation ranking of bees", "neural graph networks")
    answer = stored.answer(query, 40, "compose(retrieve=engine,rank=bm25@5)", explain=True)
    assert len(answer) > 10
    for each in answer:
        assert total(each) == pytest.approx(each.score, abs=1e-6)
        assert (abs(each.base) < 1e-9) == (each.rank <= 5)


@pytest.mark.slow
def test_contributions_of_real_papers(sample: Library) -> None:
    model = shipped_model(DRAFT_MODEL)
    assert model.linear is not None
    names = (*model.names, *model.linear.weights)
    known = {signal for name in names for signal in DRAFTS.sources(name)}
    for query in drafts(sample, 25):
        for system in ("best", "best(kept=30)", "bm25", "navigation"):
            for each in sample.answer(query, 60, system, explain=True):
                assert total(each) == pytest.approx(each.score, abs=1e-6)
                if system == "best" and "linear_score" in each.signals:
                    assert signals_of(each) <= {*each.signals, *known}
                else:
                    by_words = all(name.startswith("term:") for name in signals_of(each))
                    assert system != "bm25" or by_words


def test_without_lightgbm_the_linear_step_is_explained(
    sample: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    linear = shipped_model(DRAFT_MODEL).linear
    assert linear is not None
    known = {signal for name in linear.weights for signal in DRAFTS.sources(name)}
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    shipped_model.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="ranked by its linear step"):
            library = citewise.open(sample.stores.info.location)
            answer = library.answer(drafts(sample)[3], 20, explain=True)
    finally:
        shipped_model.cache_clear()

    assert "linear step (no LightGBM)" in answer.served_by.note
    assert len(answer)
    for each in answer:
        assert total(each) == pytest.approx(each.score, abs=1e-6)
        assert signals_of(each) <= known


@pytest.mark.slow
def test_terms_of_bm25_against_plain_python(stored: Library) -> None:
    papers = stored.stores.papers
    plain = PlainLibrary(papers.read(papers.rows))
    query = Query("Robot swarms and bees", "Bees swarm and dance, as robots do.")
    for each in stored.answer(query, 50, "bm25", explain=True):
        row = plain.owner[each.paper.id]
        for part in each.contributions:
            [stem] = stems(part.signal.removeprefix("term:"))
            asked = Counter({stem: stems(query.text).count(stem)})
            assert plain.bm25(asked, 1.6, 0.75)[row] == pytest.approx(part.value)


@pytest.mark.slow
@given(title=st.text(min_size=1, max_size=40).filter(str.strip))
@examples(40)
def test_odd_drafts_are_explained(stored: Library, title: str) -> None:
    for each in stored.recommend(f"{title} bees [red] 蜜蜂の舞", explain=True, k=5):
        assert total(each) == pytest.approx(each.score, abs=1e-6)


# What answered


def test_what_answered_is_named(sample: Library, tmp_path: Path) -> None:
    query = drafts(sample)[3]
    served = sample.answer(query, system="best(kept=100)").served_by
    assert served == ServedBy("best(kept=100)", "default", shipped_model(DRAFT_MODEL).digest)
    assert len(served.provenance) == 8
    assert str(served) == f"best(kept=100), model default {served.provenance}"
    assert sample.answer(query, system="bm25").served_by == ServedBy("bm25")

    citewise.add([replace(paper, references=()) for paper in GOLDEN], tmp_path)
    by_words = citewise.open(tmp_path).recommend("bees").served_by
    assert (by_words.system, by_words.model) == ("best", "")
    assert by_words.note == "by bm25 (the library has no citations)"
    assert by_words.advice.startswith("Your library has no citations yet, so papers are ranked by")


# Interfaces

TITLE = "Ranking documents for a query"


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"system": "bm25"},
        {"prefer_recent": 0.5, "diversify": 0.3},
        {"system": "navigation", "prefer_cited": -1.0},
    ],
    ids=str,
)
def test_the_command_line_explains_as_python_does(
    run: Run, sample: Library, options: dict[str, Any]
) -> None:
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    asked = ("recommend", "-l", sample.stores.info.location, "--title", TITLE, "--explain")
    _, shown, _ = run(*asked, "--format", "json", *words)
    answer = json.loads(shown)
    expected = sample.recommend(TITLE, explain=True, **options)
    keys = citation_keys([each.paper for each in expected])
    documents = json.loads(
        json.dumps(
            [
                {**asdict(each), "citation_key": key}
                for each, key in zip(expected, keys, strict=True)
            ]
        )
    )
    assert answer["recommendations"] == documents
    assert documents[0]["reasons"] and documents[0]["contributions"]
    assert answer["served_by"]["system"] == answer["system"] == options.get("system", "best")
    assert answer["query"].get("prefer_recent") == options.get("prefer_recent")


def test_json_without_explaining_is_as_ever(run: Run, sample: Library) -> None:
    asked = ("recommend", "-l", sample.stores.info.location, "--title", "Ranking")
    answer = json.loads(run(*asked, "--format", "json")[1])
    assert answer.keys() == {
        "library",
        "system",
        "served_by",
        "match",
        "confidence",
        "calibrated_by",
        "query",
        "read",
        "recommendations",
    }
    first = answer["recommendations"][0]
    assert first.keys() == {
        "rank",
        "paper",
        "score",
        "signals",
        "confidence",
        "evidence",
        "citation_key",
    }
    assert first["evidence"] == []
    assert answer["query"].keys() == {
        "title",
        "abstract",
        "id",
        "year",
        "since",
        "cited",
        "hidden",
        "sentence",
    }


@pytest.mark.slow
@pytest.mark.parametrize("format", ["table", "markdown"])
def test_people_are_shown_reasons(run: Run, sample: Library, format: str) -> None:
    command = ("recommend", "-l", sample.stores.info.location, "--title", TITLE, "-k", "3")
    _, plain, _ = run(*command, "--format", format)
    _, explained, _ = run(*command, "--format", format, "--explain")
    answer = sample.recommend(TITLE, k=3, explain=True)
    shown = " ".join(explained.split())
    for each in answer:
        assert each.reasons
        for reason in each.reasons:
            assert reason.sentence[:50] in " ".join(shown.replace("\\", "").split())
    assert f"Answered by best, model default {answer.served_by.provenance}." in shown
    assert "Answered by" not in plain


def test_the_table_has_labels_in_place_of_names(run: Run, sample: Library) -> None:
    asked = ("recommend", "-l", sample.stores.info.location, "--title", TITLE, "--explain")
    _, shown, _ = run(*asked, "-k", "5")
    answer = sample.recommend(TITLE, k=5, explain=True)
    names = {part.signal for each in answer for part in each.contributions}
    assert not [name for name in names if "_" in name and name in shown]
    first = answer[0].contributions[0]
    assert first.label in " ".join(shown.split())


def test_a_substitute_is_shown_unasked(run: Run, tmp_path: Path) -> None:
    citewise.add([replace(paper, references=()) for paper in GOLDEN], tmp_path / "library")
    _, shown, _ = run("recommend", "-l", tmp_path / "library", "--title", "bees")
    note = (
        "Your library has no citations yet, so papers are ranked by words alone; `citewise index` "
        "full texts or Crossref records to add them. Answered by best, by bm25 (the library has no "
        "citations)."
    )
    assert note in " ".join(shown.split())


def test_a_library_with_citations_is_not_said_to_have_none(tmp_path: Path) -> None:
    papers = [
        citewise.Paper("a", "Hydraulic pumps of dams", year=2001, references=("b",)),
        citewise.Paper("b", "Turbines and dams", year=2000),
        citewise.Paper("c", "Honey bees in orchards", year=2000),
    ]
    citewise.add(papers, tmp_path)
    served = citewise.open(tmp_path).recommend("Honey bees").served_by
    assert served.note == "by bm25 (no citation backs any candidate)"
    assert served.advice.startswith("None of your library's citations backs a paper for this draft")
