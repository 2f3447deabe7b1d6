"""No default is worse than words, in libraries of every kind: a small version of the matrix of
`benchmarks/defaults.py`.
"""

import functools
import json
import lzma
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.evaluate import Hits, parse_measures
from citewise.evaluate.measures import significance
from citewise.memory import MemoryStores
from citewise.types import CitingSentence, Paper, Query
from citing import citing

Asked = tuple[Query, tuple[str, ...]]
"""A query, and the ids of the papers that it should find."""

R10, MRR = parse_measures("R@10 MRR@100")


def assert_no_worse(library: citewise.Library, system: str, asked: Sequence[Asked]) -> None:
    """Compare a default with bm25 by R@10 and MRR: it is not below it beyond chance."""
    gold = [library.stores.papers.find(keys).tolist() for _, keys in asked]
    words, found = (
        Hits.of([library.recommender(name).rank(query, 100).rows for query, _ in asked], gold, 100)
        for name in ("bm25", system)
    )
    assert R10.of(words) > 0, "bm25 finds something"
    for measure in (R10, MRR):
        chance = significance(measure.each(words), measure.each(found))
        values = f"{system}, {measure}: {measure.of(found):.3f}, bm25 {measure.of(words):.3f}"
        assert measure.of(found) >= measure.of(words) or chance > 0.05, values


def library_of(records: Iterable[Paper | CitingSentence]) -> citewise.Library:
    return citewise.Library(MemoryStores.of(records))


# The sample that ships: drafts and sentences of papers with references


def sample() -> list[Paper]:
    lines = (files("citewise") / "sample" / "papers.jsonl").read_text("utf-8").splitlines()
    keys = ("id", "title", "abstract", "year", "references")
    records = [json.loads(line) for line in lines]
    return [
        Paper(**{**{key: each[key] for key in keys}, "references": tuple(each["references"])})
        for each in records
    ]


def without_citations(paper: Paper) -> Paper:
    return replace(paper, references=())


def without_abstract(paper: Paper) -> Paper:
    return replace(paper, abstract="")


def without_year(paper: Paper) -> Paper:
    return replace(paper, year=None)


def drafts(papers: Sequence[Paper], dated: bool) -> list[Asked]:
    """Return papers of the sample as drafts that should find what they cite."""
    known = {each.id for each in papers}
    return [
        (Query(each.title, each.abstract, each.id, each.year if dated else None), gold)
        for each in sample()[-60::6]
        if len(gold := tuple(known.intersection(each.references))) >= 2 and each.id in known
    ]


def first_sentence(asked: Asked) -> Asked:
    """Return the first sentence of a draft's abstract, asked in its place."""
    query, gold = asked
    return replace(query, sentence=query.abstract.partition(". ")[0]), gold


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [lambda each: each, without_citations, without_abstract, without_year]
)
def test_of_the_sample(change: Callable[[Paper], Paper]) -> None:
    papers = sample()
    library = library_of(map(change, papers))
    asked = drafts(papers, dated=change is not without_year)
    assert_no_worse(library, "best", asked)
    for system in ("best", "evidence"):
        assert_no_worse(library, system, [*map(first_sentence, asked)])


@pytest.mark.slow
def test_of_ten_papers() -> None:
    papers = sample()[-10:]
    asked = [(Query(each.title, sentence=each.title), (each.id,)) for each in papers]
    few = [citing("elsewhere", "It is known [REF].", (papers[0].id,))]
    for evidence in ([], few):
        library = library_of([*papers, *evidence])
        for system in ("best", "evidence"):
            assert_no_worse(library, system, asked)


def test_best_for_a_sentence_is_asked_for_the_sentence() -> None:
    library = library_of(sample())
    draft = sample()[-1]
    query = Query(draft.title, draft.abstract, sentence="an index of citations for science")
    for system in ("best", "bm25", "navigation"):
        alone = library.answer(query.alone, 10, system)
        assert library.answer(query, 10, system).recommendations == alone.recommendations
        assert alone.recommendations[0].paper.id == "garfield1955citation"


def test_an_answer_says_that_there_is_no_evidence() -> None:
    query = Query(sentence="an index of citations for science")
    papers = sample()
    by_citations = library_of(papers).answer(query, 3, "evidence").served_by
    by_words = library_of(map(without_citations, papers)).answer(query, 3, "evidence").served_by
    assert "no citing sentences" in by_citations.note and by_citations.model == "default"
    assert "no citing sentences" in by_words.note and "by bm25" in by_words.note


def test_little_evidence_is_weighed_with_words() -> None:
    papers = [*map(without_citations, sample())]
    few = [
        citing(f"elsewhere{number}", "Citation indexes serve science [REF].", (each.id,))
        for number, each in enumerate(papers[100:110])
    ]
    library = library_of([*papers, *few])
    query = Query(sentence="citation indexes for science")
    answer = library.answer(query, 20, "evidence", explain=True)

    assert answer.recommendations[0].paper.id == "garfield1955citation"
    assert "by words and evidence together" in answer.served_by.note
    for each in answer.recommendations:
        total = each.base + sum(part.value for part in each.contributions)
        assert total == pytest.approx(each.score)


# Real sentences


@functools.cache
def records(folder: Path, name: str, limit: int) -> list[dict[str, Any]]:
    with lzma.open(folder / "scisummnet-contexts" / f"{name}.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in islice(file, limit)]


def real(folder: Path, percent: int) -> tuple[list[Paper | CitingSentence], list[Asked]]:
    """Return a small library of the `scisummnet` papers with some of their citing sentences, and
    sentences that ask for them.
    """
    asked = records(folder, "dev_queries", 24)
    wanted = {key for each in asked for key in each["gold"]}
    every = records(folder, "contexts", 10**6)[:: 100 // percent] if percent else []
    kept = wanted | {key for each in every for key in each["cited_ids"]}
    papers = [
        Paper(each["id"], each["title"], each.get("abstract") or "", each.get("year"))
        for number, each in enumerate(records(folder, "papers", 10**6))
        if each["id"] in kept or number % 12 == 0
    ]
    questions = [
        (
            Query(year=int(each["date"][:4]), hidden=(each["citing_id"],), sentence=each["query"]),
            tuple(each["gold"]),
        )
        for each in asked
    ]
    return [*papers, *map(sentence_of, every)], questions


def sentence_of(record: dict[str, Any]) -> CitingSentence:
    marks = record["text"].count("[REF]")
    keys = record.get("groups") or [record["cited_ids"]] * marks
    return citing(record["citing_id"], record["text"], *map(tuple, keys), year=record["year"])


@pytest.mark.slow
@pytest.mark.parametrize("percent", [0, 1, 10])
def test_of_real_sentences(shared: Path, percent: int) -> None:
    given, asked = real(shared, percent)
    assert_no_worse(library_of(given), "evidence", asked)


@pytest.mark.slow
@pytest.mark.parametrize("change", [without_abstract, without_year])
def test_of_real_sentences_about_poor_records(
    shared: Path, change: Callable[[Paper], Paper]
) -> None:
    given, asked = real(shared, 5)
    poor = [change(each) if isinstance(each, Paper) else each for each in given]
    if change is without_year:
        asked = [(replace(query, year=None), keys) for query, keys in asked]
    assert_no_worse(library_of(poor), "evidence", asked)
