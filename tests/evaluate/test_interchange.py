"""Runs and judgements of other programs in, ours out."""

import itertools
import json
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.drafts.query_lines import read_queries
from citewise.errors import BadInput, MissingData
from citewise.evaluate import (
    Hits,
    Measure,
    Question,
    Split,
    SplitSettings,
    gold_names,
    read_qrels,
    read_run,
    write_beir,
    write_qrels,
    write_queries,
)
from citewise.evaluate.interchange import write_run
from citewise.ingest.report import Report
from citewise.protocols import Stores
from citewise.types import Query
from properties import examples


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefghij"), st.sampled_from([0.0, 0.5, 1.0, 1.5])),
        min_size=1,
        unique_by=lambda pair: pair[0],
    ),
    st.sets(st.sampled_from("abcdefghij"), min_size=1),
)
@examples(100)
def test_ties_are_read_as_trec_eval_reads_them(
    tmp_path_factory: pytest.TempPathFactory, hits: list[tuple[str, float]], gold: set[str]
) -> None:
    file = tmp_path_factory.mktemp("ties") / "theirs.run"
    file.write_text("".join(f"q Q0 {paper} 1 {score} x\n" for paper, score in hits))
    rows = np.array([ord(paper) for paper in read_run(file)["q"]])
    found = Hits.of([rows], [[ord(paper) for paper in gold]], 10)
    run = ir_measures.read_trec_run(str(file))  # type: ignore[no-untyped-call]
    expected = ir_measures.calc_aggregate(
        [ir_measures.parse_measure("nDCG@10"), ir_measures.parse_measure("AP@3")],
        {"q": dict.fromkeys(gold, 1)},
        run,
    )
    assert [Measure.parse("nDCG@10").of(found), Measure.parse("MAP@3").of(found)] == pytest.approx(
        [expected[ir_measures.parse_measure(name)] for name in ("nDCG@10", "AP@3")], abs=1e-9
    )


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=30))
@examples(100)
def test_what_is_written_is_read_in_the_same_order(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    file = tmp_path_factory.mktemp("order") / "ours.run"
    papers = [f"p {number:02}" for number in range(len(scores))]
    with file.open("w") as lines:
        write_run(lines, "q 1", papers, sorted(scores, reverse=True), "a tag")
    assert read_run(file) == {"q%201": ["%20".join(paper.split()) for paper in papers]}
    falling = [np.float32(line.split()[4]) for line in file.read_text().splitlines()]
    assert all(one > other for one, other in itertools.pairwise(falling)), "also in 32 bits"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q Q0 p 1 2.5", "theirs.run:2: a line of a run is: .* has 5 columns"),
        ("q Q0 p 1 high x", ":2: 'high' is not a"),
        ("q Q0 p 1 nan x", ":2: 'nan' is not a number"),
        ("q Q0 a 2 1 x", ":2: query q has paper a twice"),
    ],
)
def test_malformed_runs_are_named_by_line(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "theirs.run").write_text(f"q Q0 a 1 3.0 x\n{line}\n")
    with pytest.raises(BadInput, match=message):
        read_run(tmp_path / "theirs.run")


def test_malformed_judgements_are_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / "theirs.qrels"
    file.write_text("q 0 a 1\n\nq 0 b\n")
    with pytest.raises(BadInput, match=r"theirs.qrels:3: .* has 3 columns"):
        read_qrels(file)
    file.write_text("q 0 a one\n")
    with pytest.raises(BadInput, match=":1: 'one' is not a number"):
        read_qrels(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not a text file"):
        read_qrels(file)
    with pytest.raises(MissingData, match="no such file"):
        read_qrels(tmp_path / "nowhere")


def test_judgements_above_zero_count(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\nq\t0\tb\t0\nq 0 c 2\nr 0 a 0\n")
    assert read_qrels(tmp_path / "qrels") == {"q": ["a", "c"], "r": []}


@pytest.fixture
def asked(golden_library: Path) -> tuple[Stores, list[Question]]:
    stores = citewise.open(golden_library).stores
    return stores, Split.make(
        stores, SplitSettings(test=(1980, 2019), abstract=False), parts=("test",)
    ).questions(stores)


def test_judgements_there_and_back(asked: tuple[Stores, list[Question]], tmp_path: Path) -> None:
    stores, questions = asked
    with (tmp_path / "qrels").open("w") as file:
        write_qrels(file, questions, gold_names(stores, questions))
    assert read_qrels(tmp_path / "qrels")["own-7"] == ["doi:10.1000/dance", "doi:10.1000/clock"]
    theirs = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))  # type: ignore[no-untyped-call]
    assert len(theirs) == sum(len(each.gold) for each in questions)


def test_queries_there_and_back(asked: tuple[Stores, list[Question]], tmp_path: Path) -> None:
    _, questions = asked
    more = Question("q 9", Query("Bees", "", "q 9", 2000, hidden=("own-7", "own 8")), (0,))
    with (tmp_path / "queries.jsonl").open("w") as file:
        write_queries(file, [*questions, more])
    report = Report()
    assert list(read_queries(tmp_path / "queries.jsonl", report)) == [
        *(each.query for each in questions),
        more.query,
    ]
    assert not report.counts


def test_the_layout_of_beir(asked: tuple[Stores, list[Question]], tmp_path: Path) -> None:
    stores, questions = asked
    write_beir(tmp_path, stores, questions)
    corpus = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text().splitlines()]
    assert [each["_id"] for each in corpus] == [
        paper.id for paper in stores.papers.read(stores.papers.rows)
    ]
    assert all({"_id", "title", "text"} <= each.keys() for each in corpus)
    queries = [json.loads(line) for line in (tmp_path / "queries.jsonl").read_text().splitlines()]
    assert [each["_id"] for each in queries] == [each.id for each in questions]
    assert all(each["text"] for each in queries)
    rows = [line.split("\t") for line in (tmp_path / "qrels" / "test.tsv").read_text().splitlines()]
    assert rows[0] == ["query-id", "corpus-id", "score"]
    assert len(rows) - 1 == sum(len(each.gold) for each in questions)
    assert {row[1] for row in rows[1:]} <= {each["_id"] for each in corpus}


def test_scores_of_pairs_are_a_run(tmp_path: Path) -> None:
    """MDCR's `evaluate.py` takes one object of query_paper to score."""
    file = tmp_path / "scores.json"
    file.write_text('{"10_2": 0.5, "10_3": 0.9, "10_1": 0.5, "11_2": -1}')
    assert read_run(file) == {"10": ["3", "2", "1"], "11": ["2"]}, "ties as trec_eval has them"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"10_2": "high"}', "one object"),
        ('{"10_2": {"a": 1}}', "one object"),
        ('{"10_2": 0.5', "one object"),
        ('{"102": 0.5}', "'102' is not the ids"),
        ('{"1_0_2": 0.5}', "'1_0_2' is not the ids"),
        ('{"_2": 0.5}', "'_2' is not the ids"),
        ('{"10_2": NaN}', "one object"),
    ],
)
def test_scores_of_no_pairs_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_run(tmp_path / "scores.json")
