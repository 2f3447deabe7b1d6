"""Why a paper is recommended for a sentence: parts that add up, and reasons that plain Python finds
too.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.rank.sentence_signals import MEANING
from citewise.rank.trees import SENTENCE_MODEL, shipped_model
from citewise.signals import SENTENCES as CATALOGUE
from citewise.types import Answer, Paper, Query, Reason, Recommendation
from citing import citing
from command_line import Run
from oracles import total

PAPERS = [
    Paper(
        "align",
        "A simple and fast reparameterization of alignment models",
        "Word alignment made quick.",
        2013,
    ),
    Paper("giza", "A systematic comparison of statistical alignment models", "", 2003),
    Paper(
        "bleu",
        "A method for automatic evaluation of machine translation",
        "Human judgement is slow.",
        2002,
    ),
    Paper("bees", "Dances of bees", "Bees dance to tell where flowers are.", 1967),
    *(
        Paper(
            f"user{number}",
            f"Translating phrases, part {letter}",
            "Phrases of aligned words.",
            2010 + number,
        )
        for number, letter in enumerate("abcdefg")
    ),
]
SENTENCES = [
    *(
        citing(f"user{number}", "Words were aligned with FastAlign [REF].", ("align",))
        for number in range(4, 7)
    ),
    *(
        citing(
            f"user{number}",
            "Words were aligned with FastAlign [REF] in both directions.",
            ("align",),
            start=7,
        )
        for number in range(4, 6)
    ),
    citing("user3", "GIZA++ [REF] aligns words, too.", ("giza",)),
    citing("user6", "Aligned words were scored by BLEU [REF].", ("bleu",)),
    citing("user5", "Bees tell their mates by dances where flowers are found [REF].", ("bees",)),
    citing("elsewhere", "FastAlign [REF] is fast.", ("align", "giza"), year=2012),
]
QUERIES = [
    Query(sentence="Words are aligned with FastAlign"),
    Query(sentence="bees dance", year=2016),
    Query(
        "Translating phrases", "Phrases of aligned words.", sentence="We align words with FastAlign"
    ),
    Query("Bees", sentence="aligned words", cited=("giza", "bees")),
    Query(sentence="FastAlign", year=2014),
    Query(sentence="Words were scored", hidden=("user6",)),
]
SYSTEMS = ("evidence", "ilciter", "ilciter(prefetched=1)")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("reasons") / "library"
    citewise.add([*PAPERS, *SENTENCES], folder, keep_versions=True)
    return citewise.open(folder)


def parts(each: Recommendation) -> dict[str, float]:
    """Return the contributions to a score by signal."""
    return {part.signal: part.value for part in each.contributions}


def reason(answers: Answer, paper: str, kind: str) -> Reason | None:
    [answer] = [each for each in answers if each.paper.id == paper]
    return next((each for each in answer.reasons if each.kind == kind), None)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("query", QUERIES)
def test_contributions_add_up(library: Library, system: str, query: Query) -> None:
    plain = library.answer(query, 20, system).recommendations
    answer = library.answer(query, 20, system, explain=True)
    assert len(answer), "something is found"
    assert [total(each) for each in answer] == pytest.approx(
        [each.score for each in plain], abs=1e-6
    )
    without = tuple(replace(each, base=0.0, contributions=(), reasons=()) for each in answer)
    assert without == plain


def test_trees_are_explained_by_their_signals(library: Library) -> None:
    names = shipped_model(SENTENCE_MODEL).names
    read = {signal for name in names for signal in CATALOGUE.sources(name)}
    query = Query("Bees", sentence="Words are aligned with FastAlign", cited=("giza", "bees"))
    answer = library.answer(query, 20, "evidence", explain=True)
    for each in answer:
        assert {*parts(each)} <= read & {*each.signals}, "nothing unknown speaks for a paper"
    assert read - {*answer[0].signals} == {*MEANING}, "the library has no vectors"


def test_nothing_is_credited_to_a_draft_that_is_not_there(library: Library) -> None:
    query = Query(sentence="Words are aligned with FastAlign")
    answer = library.answer(query, 20, "evidence", explain=True)

    drafted = {signal.name for signal in CATALOGUE if signal.family == "the draft"}
    assert drafted
    assert not {name for each in answer for name in parts(each)} & drafted


def test_ranks_of_ilciter_by_hand(library: Library) -> None:
    # "FastAlign is fast" is the nearest span and cites align and giza; align has more support, giza
    # less.
    answer = library.answer(Query(sentence="FastAlign is fast"), 9, "ilciter", explain=True)
    found = {each.paper.id: each for each in answer}
    assert parts(found["align"]) == {"span_rank": 1.0} and found["align"].base == 0
    assert parts(found["giza"]) == {"span_rank": 1.0, "support": -0.5}
    assert (found["align"].score, found["giza"].score) == (1.0, 0.5)


def test_ties_cost_what_the_year_costs(tmp_path: Path) -> None:
    papers = [Paper(f"p{year}", f"Paper of {year}", "", year) for year in (1990, 1992, 1991)]
    citewise.add(
        [
            *papers,
            Paper("twin", "Twin", "", 1991),
            citing("by", "Bees dance [REF].", ("p1990", "p1991", "p1992", "twin"), year=2000),
        ],
        tmp_path,
    )
    found = citewise.open(tmp_path).answer(Query(sentence="bees dance"), 9, "ilciter", explain=True)
    assert [each.paper.id for each in found] == ["p1992", "p1991", "twin", "p1990"]
    assert (found[0].base, parts(found[0])) == (0, {"span_rank": 1.0})
    assert (found[1].base, parts(found[1])) == (0, {"span_rank": 1.0, "year": -0.5})
    assert found[2].base == pytest.approx(1 / 3 - 1 / 2), "the twin is behind by its row alone"
    assert parts(found[3]) == pytest.approx({"span_rank": 1.0, "year": -0.75})


@pytest.mark.parametrize("system", ["evidence", "ilciter"])
def test_for_what_it_is_cited_and_by_whom(library: Library, system: str) -> None:
    found = reason(
        library.answer(
            Query(sentence="Words were aligned with FastAlign"), 9, system, explain=True
        ),
        "align",
        "cited_for",
    )
    assert found is not None and found.share > 0
    citers = {
        each.citing
        for each in SENTENCES
        if each.text.startswith("Words were aligned with FastAlign")
    }
    assert {paper.id for paper in found.papers} < citers, "the latest are named"
    assert (
        found.numbers["support"]
        == sum(each.text.startswith("Words were") for each in SENTENCES)
        == 5
    )
    assert (
        "Cited for “Words were aligned with FastAlign” 5 times, among others by" in found.sentence
    )
    for each in found.papers:
        assert each.title in found.sentence and str(each.year) in found.sentence


def test_few_are_all_named(library: Library) -> None:
    answers = library.answer(Query(sentence="bees and their dances"), 9, "evidence", explain=True)
    found = reason(answers, "bees", "cited_for")
    assert found is not None
    assert found.sentence == (
        "Cited for “Bees tell their mates by dances where flowers are found” by “Translating "
        "phrases, part f” (2015)."
    )


@pytest.mark.parametrize("system", ["evidence", "ilciter"])
@pytest.mark.parametrize(
    ("query", "unseen"),
    [
        (Query(sentence="aligned with FastAlign", year=2015), {"user5", "user6"}),
        (Query(sentence="aligned with FastAlign", hidden=("user4",)), {"user4"}),
        (
            Query("Translating", "phrases of aligned words", sentence="FastAlign", id="user6"),
            {"user6"},
        ),
    ],
)
def test_no_reason_names_what_is_not_seen(
    library: Library, system: str, query: Query, unseen: set[str]
) -> None:
    answer = library.answer(query, 9, system, explain=True)
    named = {paper.id for each in answer for found in each.reasons for paper in found.papers}
    assert named and not named & unseen


def test_reasons_keep_the_draft_and_the_sentence_apart(library: Library) -> None:
    query = Query(
        "Translating phrases",
        "",
        sentence="automatic evaluation by human judgement",
        cited=("giza",),
    )
    found = {
        (each.paper.id, found.kind): found
        for each in library.answer(query, 9, "evidence", explain=True)
        for found in each.reasons
    }
    words = [each.words for (_, kind), each in found.items() if kind == "sentence_words"]
    assert words and all(
        {*each} <= {"automatic", "evaluation", "human", "judgement"} for each in words
    )
    similar = [each for (_, kind), each in found.items() if kind == "cited_by_similar_to_draft"]
    assert all(
        paper.title.startswith("Translating phrases") for each in similar for paper in each.papers
    )
    elsewhere = {paper for paper, kind in found if kind == "cited_elsewhere"}
    assert elsewhere <= {"giza"}


def test_without_lightgbm_the_plain_sum_is_explained(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    shipped_model.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="plain sum"):
            again = citewise.open(library.stores.info.location)
            answer = again.answer(QUERIES[0], 9, "evidence", explain=True)
    finally:
        shipped_model.cache_clear()

    assert "plain sum" in answer.served_by.note
    assert len(answer)
    for each in answer:
        assert parts(each).keys() <= {"whole_score", "mass3"}
        assert total(each) == pytest.approx(each.score) and np.isfinite(each.score)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["table", "json", "markdown"])
def test_the_command_explains(library: Library, run: Run, format: str) -> None:
    asked = ("cite", "Words were aligned with FastAlign", "--format", format)
    where = ("--library", library.stores.info.location)
    code, shown, _ = run(*asked, *where, "--explain")
    assert code == 0 and "Cited for" in " ".join(shown.split())
    assert "Cited for" not in run(*asked, *where)[1]
    if format == "json":
        sentence = json.loads(shown)["sentences"][0]
        assert sentence["served_by"]["model"] == "default"
        assert sentence["recommendations"]
        for each in sentence["recommendations"]:
            values = [part["value"] for part in each["contributions"]]
            assert each["base"] + sum(values) == pytest.approx(each["score"], abs=1e-6)
    if format == "table":
        assert "Answered by evidence, model default" in shown
