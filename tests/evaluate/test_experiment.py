"""Experiments: the recommender that serves is the one that is measured; journals, processes, run
files, breakdowns.
"""

import json
from pathlib import Path

import ir_measures
import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.errors import BadInput, BadLibrary, MissingData
from citewise.evaluate import (
    Question,
    Run,
    Settings,
    Split,
    SplitSettings,
    answers,
    evaluate,
    parse_measures,
    score,
)
from citewise.evaluate import runs as running
from citewise.evaluate.experiment import FACETS, spelled
from citewise.evaluate.interchange import write_run
from citewise.evaluate.runs import Workers, ask, journal_name
from citewise.protocols import Stores
from citewise.recommend import Recommender
from citewise.types import Query
from corpora import random_papers

SYSTEMS = ["bm25", "bm25-title(k1=0.9)"]
MEASURES = parse_measures("F1@5 MRR@50 R@50 MAP@20 nDCG@10 hit@3")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("experiment") / "library"
    citewise.add(random_papers(150, seed=21), folder)
    return citewise.open(folder).stores


@pytest.fixture(scope="module")
def questions(stores: Stores) -> list[Question]:
    return Split.make(stores, SplitSettings(test=(1998, 2009)), parts=("test",)).questions(stores)


def same(one: Run, other: Run) -> bool:
    return one.system == other.system and all(
        np.array_equal(left, right)
        for left, right in zip(one.rankings, other.rankings, strict=True)
    )


@pytest.mark.slow
def test_what_is_measured_is_what_is_served(stores: Stores, questions: list[Question]) -> None:
    runs = answers(stores, SYSTEMS, questions, Settings(measures=MEASURES))
    for run in runs:
        for question, ranking, scores in zip(questions, run.rankings, run.scores, strict=True):
            served = Library(stores).answer(question.query, 50, run.system)
            assert [paper.id for paper in stores.papers.read(ranking)] == [
                each.paper.id for each in served
            ]
            assert scores.tolist() == [each.score for each in served]
        assert run.seconds is not None and (run.seconds > 0).all()


@pytest.mark.slow
def test_the_numbers_are_those_of_ir_measures(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    runs = answers(stores, ["bm25"], questions, Settings(measures=MEASURES))
    results = score(stores, runs, questions, Settings(measures=MEASURES))
    file = tmp_path / "bm25.run"
    with file.open("w") as lines:
        for question, ranking, scores in zip(
            questions, runs[0].rankings, runs[0].scores, strict=True
        ):
            names = [paper.id for paper in stores.papers.read(ranking)]
            write_run(lines, question.id, names, scores.tolist(), "bm25")
    qrels = {
        each.id: {paper.id: 1 for paper in stores.papers.read(each.gold)} for each in questions
    }
    theirs = {
        "MRR@50": "RR@50",
        "MAP@20": "AP@20",
        "hit@3": "Success@3",
        "R@50": "R@50",
        "nDCG@10": "nDCG@10",
    }
    found = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in theirs.values()],
        qrels,
        ir_measures.read_trec_run(str(file)),  # type: ignore[no-untyped-call]
    )
    by_name = {str(name): value for name, value in found.items()}
    for ours, name in theirs.items():
        assert results.systems[0].values[ours].value == pytest.approx(by_name[name], abs=1e-9), ours


@pytest.mark.slow
def test_a_run_file_of_ours_scores_as_the_system_does(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    runs = answers(stores, ["bm25"], questions, Settings(measures=MEASURES))
    with (tmp_path / "ours.run").open("w") as lines:
        for question, ranking, scores in zip(
            questions, runs[0].rankings, runs[0].scores, strict=True
        ):
            write_run(
                lines,
                question.id,
                [paper.id for paper in stores.papers.read(ranking)],
                scores.tolist(),
                "ours",
            )
    results = evaluate(
        stores, ["bm25", f"run:{tmp_path / 'ours.run'}"], questions, Settings(measures=MEASURES)
    )
    ours, file = results.systems
    assert file.values == ours.values and file.milliseconds is None and file.dropped == 0
    assert {each.p for each in results.comparisons} == {1.0}


def test_a_run_file_is_guarded_too(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    question = questions[0]
    younger = next(
        paper.id
        for paper in stores.papers.read(stores.papers.rows)
        if paper.year and paper.year > (question.query.year or 0)
    )
    gold = stores.papers.read(question.gold)[0].id
    lines = [
        f"{question.id} Q0 {name} 1 {9 - place} x"
        for place, name in enumerate([question.id, younger, "a-stranger", gold])
    ]
    (tmp_path / "theirs.run").write_text("\n".join(lines))
    runs = answers(
        stores, [f"run:{tmp_path / 'theirs.run'}"], questions[:2], Settings(measures=MEASURES)
    )
    assert runs[0].dropped == 2
    assert runs[0].rankings[0].tolist() == [-1, stores.papers.find([gold])[0]], (
        "a stranger keeps its rank"
    )
    assert runs[0].rankings[1].size == 0
    results = score(stores, runs, questions[:2], Settings(measures=parse_measures("MRR@10")))
    assert results.systems[0].values["MRR@10"].value == pytest.approx(0.25), "1/2 and nothing"
    assert results.systems[0].answered == 1


def test_a_run_file_of_other_queries_is_refused(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    (tmp_path / "other.run").write_text("somebody Q0 p1 1 1.0 x\n")
    with pytest.raises(BadInput, match="no query of this run"):
        evaluate(stores, [f"run:{tmp_path / 'other.run'}"], questions)
    with pytest.raises(MissingData, match="no such file"):
        evaluate(stores, ["run:nowhere.run"], questions)


@pytest.mark.slow
def test_processes_answer_the_same(stores: Stores, questions: list[Question]) -> None:
    alone = answers(stores, SYSTEMS, questions, Settings(measures=MEASURES))
    together = answers(stores, SYSTEMS, questions, Settings(measures=MEASURES, jobs=2))
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))


@pytest.mark.slow
def test_an_interrupted_run_goes_on(
    stores: Stores, questions: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answers(stores, ["bm25"], questions, Settings(measures=MEASURES))[0]
    asked: list[str] = []
    real = running._answer

    def counted(recommender: Recommender, question: Question, depth: int) -> object:
        if len(asked) == stop:
            raise KeyboardInterrupt
        asked.append(question.id)
        return real(recommender, question, depth)

    monkeypatch.setattr(running, "_answer", counted)
    settings = Settings(measures=MEASURES, folder=tmp_path)
    stop = 20
    with pytest.raises(KeyboardInterrupt):
        answers(stores, ["bm25"], questions, settings)
    journal = next(tmp_path.iterdir())
    kept = len(journal.read_text().splitlines())
    assert 0 < kept < 20
    with journal.open("a") as file:
        file.write('{"query":"torn","seconds":0.1,"ro')

    asked.clear()
    stop = -1
    assert same(answers(stores, ["bm25"], questions, settings)[0], whole)
    left = [each.id for each in questions[kept:]]
    assert asked == [left[0], *left], "the first one twice: a new system answers once unmeasured"
    asked.clear()
    assert same(answers(stores, ["bm25"], questions, settings)[0], whole) and not asked
    assert len(list(tmp_path.iterdir())) == 1


def test_a_whole_line_without_its_end_is_torn_too(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    settings = Settings(measures=MEASURES, folder=tmp_path)
    first = answers(stores, ["bm25"], questions[:5], settings)[0]
    journal = next(tmp_path.iterdir())
    journal.write_bytes(journal.read_bytes()[:-1])
    assert same(answers(stores, ["bm25"], questions[:5], settings)[0], first)
    assert [json.loads(line)["query"] for line in journal.read_text().splitlines()] == [
        each.id for each in questions[:5]
    ]


def test_no_run_is_taken_for_another(
    stores: Stores, questions: list[Question], golden_library: Path
) -> None:
    unguarded = [Question(each.id, Query(each.query.title), each.gold) for each in questions]
    other = citewise.open(golden_library).stores
    names = {
        journal_name(stores, "bm25", questions, 10),
        journal_name(stores, "bm25(k1=0.9)", questions, 10),
        journal_name(stores, "bm25", questions[:-1], 10),
        journal_name(stores, "bm25", questions, 20),
        journal_name(stores, "bm25", unguarded, 10),
        journal_name(other, "bm25", questions, 10),
    }
    assert len(names) == 6


def test_a_library_that_changes_meanwhile_is_noticed(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_here", [])
    fingerprint = citewise.open(library).stores.info.fingerprint
    running._open(str(library), fingerprint)
    citewise.remove(library, ["own-7"])
    with pytest.raises(BadLibrary, match="changed while"):
        running._open(str(library), fingerprint)


def test_progress_counts_every_answer(stores: Stores, questions: list[Question]) -> None:
    reported: list[tuple[int, int | None]] = []
    answers(
        stores,
        SYSTEMS,
        questions[:10],
        Settings(measures=MEASURES),
        lambda *given: reported.append(given),
    )
    assert reported == [(number, 20) for number in range(1, 21)]


def test_breakdowns_add_up(stores: Stores, questions: list[Question]) -> None:
    results = evaluate(
        stores, ["bm25"], questions, Settings(measures=parse_measures("R@10"), by=tuple(FACETS))
    )
    groups = results.systems[0].groups
    for facet in ("year", "references", "abstract"):
        found = groups[facet].values()
        assert sum(group.queries for group in found) == len(questions)
        weighted = sum(group.queries * group.values["R@10"] for group in found) / len(questions)
        assert weighted == pytest.approx(results.systems[0].values["R@10"].value)
    assert list(groups["abstract"]) == ["with"] and list(groups["field"]) == ["none"]
    assert list(groups["year"]) == sorted(groups["year"]) and set(groups["references"]) <= {
        "1 to 4",
        "5 to 9",
    }


@pytest.mark.slow
def test_pairs_are_compared(stores: Stores, questions: list[Question]) -> None:
    results = evaluate(
        stores,
        [*SYSTEMS, "bm25-keyterms"],
        questions,
        Settings(measures=parse_measures("R@5 F1@5")),
    )
    assert [(each.measure, each.baseline, each.system) for each in results.comparisons[:3]] == [
        ("R@5", "bm25", "bm25-title(k1=0.9)"),
        ("R@5", "bm25", "bm25-keyterms"),
        ("R@5", "bm25-title(k1=0.9)", "bm25-keyterms"),
    ]
    values = {each.system: each.values["F1@5"].value for each in results.systems}
    for each in results.comparisons[3:]:
        assert each.difference == pytest.approx(values[each.system] - values[each.baseline])
        assert 0 < each.p <= 1


def test_rankings_of_given_candidates(stores: Stores, questions: list[Question]) -> None:
    pool = [
        Question(each.id, each.query, each.gold, (*each.gold, *range(10))) for each in questions
    ]
    runs = answers(stores, ["bm25"], pool, Settings(measures=MEASURES))
    assert all(
        set(ranking.tolist()) <= set(each.within or ())
        for ranking, each in zip(runs[0].rankings, pool, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bm25, bm25-title ,bm25", ["bm25", "bm25-title"]),
        ("bm25(k1=0.9|1.6)", ["bm25(k1=0.9)", "bm25"]),
        (
            "bm25(k1=1|2,b=0.4|0.5)",
            [
                "bm25(k1=1.0,b=0.4)",
                "bm25(k1=1.0,b=0.5)",
                "bm25(k1=2.0,b=0.4)",
                "bm25(k1=2.0,b=0.5)",
            ],
        ),
        ("run:a|b=c|d.run", ["run:a|b=c|d.run"]),
    ],
)
def test_systems_are_spelled_out(text: str, expected: list[str]) -> None:
    assert spelled([text]) == expected


def test_what_cannot_be_run(stores: Stores, questions: list[Question]) -> None:
    for systems, asked, jobs, message in (
        ([" , "], questions, 1, "at least one system"),
        (["bm25"], [], 1, "no question"),
        (["bm26"], questions, 1, "unknown system"),
        (["bm25"], questions, 0, "jobs must be"),
    ):
        with pytest.raises(BadInput, match=message):
            evaluate(stores, systems, asked, Settings(jobs=jobs))
    with pytest.raises(BadInput, match="no breakdown by 'size'"):
        Settings(by=("size",))
    with pytest.raises(BadInput, match="at least one measure"):
        Settings(measures=())


def test_one_system_can_be_asked_alone(stores: Stores, questions: list[Question]) -> None:
    with Workers(stores) as workers:
        run = ask(workers, stores, "bm25", questions[:3], 7)
    assert len(run.rankings) == 3 and all(ranking.size <= 7 for ranking in run.rankings)
