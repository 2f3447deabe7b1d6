"""Which papers may be in pools, and which queries may not be asked."""

from pathlib import Path

import pytest

import citewise
from citewise.errors import BadInput, MissingData
from citewise.evaluate import (
    PoolSettings,
    Question,
    Split,
    SplitSettings,
    build_pools,
    of_papers,
    prefiltered,
    read_ids,
    sampled,
    sized_sets,
    without,
)
from citewise.protocols import Stores
from citewise.types import Paper
from command_line import Run

LONG = "An abstract of at least thirty characters."
HUB = ("hub1", "hub2", "hub3")
PAPERS = (
    *(Paper(name, f"The {name} of it all", LONG, 2000) for name in HUB),
    Paper("fit", "Three references", LONG, 2010, references=HUB),
    Paper("fit2", "Three others", f"{LONG} Again.", 2010, references=HUB),
    Paper("two", "Two references", LONG, 2010, references=HUB[:2]),
    Paper("short", "A short abstract", "Twenty-nine characters, no mo", 2010, references=HUB),
    Paper("undated", "Without a year", LONG, None, references=HUB),
    Paper("never", "Never cited and cites nothing", LONG, 1999),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prefilter") / "library"
    citewise.add(PAPERS, path, keep_versions=True)
    return path


@pytest.fixture(scope="module")
def stores(folder: Path) -> Stores:
    return citewise.open(folder).stores


@pytest.fixture(scope="module")
def questions(stores: Stores) -> list[Question]:
    return Split.make(stores, SplitSettings(test=(2010, 2010))).questions(stores)


def names(stores: Stores, rows: list[int]) -> set[str]:
    return {paper.id for paper in stores.papers.read(rows)}


def test_papers_without_year_abstract_or_citations_are_left_out(
    stores: Stores, questions: list[Question]
) -> None:
    # Citations made and received, by hand: hubs 4 and more, fit 3, two 2, short 3 but 29 letters.
    fit = prefiltered(stores)
    assert names(stores, fit.tolist()) == {*HUB, "fit", "fit2"}
    assert {each.id for each in of_papers(stores, questions, fit)} == {"fit", "fit2"}


def test_pools_and_sets_are_drawn_from_the_rest(stores: Stores, questions: list[Question]) -> None:
    settings = PoolSettings(cited=2, negatives=9, prefilter=True)
    pools = build_pools(stores, questions, settings).pools
    drawn = {name for pool in pools for each in pool.negatives.values() for name in each}
    assert {pool.id for pool in pools} == {"fit", "fit2"}
    assert drawn <= {*HUB, "fit", "fit2"}

    asked = [each for each in questions if each.id == "two"]
    (every,) = sized_sets(stores, asked, [5], fit=prefiltered(stores))
    assert names(stores, every.rows.tolist()) == {*HUB, "fit", "fit2"}


def test_what_an_encoder_was_trained_on_is_not_asked(
    stores: Stores, questions: list[Question], tmp_path: Path
) -> None:
    listed = tmp_path / "trained.txt"
    listed.write_text("fit\n\n  nobody \n")
    assert read_ids(listed) == ["fit", "nobody"]
    assert {each.id for each in without(stores, questions, read_ids(listed))} == {
        "fit2",
        "two",
        "short",
    }

    split = Split.make(stores, SplitSettings(test=(2011, 2012)))
    split.save(tmp_path / "split.json")
    assert {*read_ids(tmp_path / "split.json")} >= {"fit", "two"}
    assert not without(stores, questions, read_ids(tmp_path / "split.json"))


def test_files_that_list_no_ids_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"gone\.txt: no such file"):
        read_ids(tmp_path / "gone.txt")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="one id a line"):
        read_ids(tmp_path / "bytes")
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(BadInput, match="not a split file"):
        read_ids(tmp_path / "other.json")


def test_a_sample_keeps_the_order_and_the_seed(questions: list[Question]) -> None:
    assert sampled(questions, None) == sampled(questions, 99) == questions
    some = sampled(questions, 2, seed=1)
    assert some == sampled(questions, 2, seed=1) and len(some) == 2
    assert [each for each in questions if each in some] == some


def test_the_command_says_what_it_left_out(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "trained.txt").write_text("fit\n")
    code, _, messages = run(
        *("pools", "build", "--library", folder, "--years", "2010", "--least", "1"),
        *("--prefilter", "--leave-out", tmp_path / "trained.txt", "-o", tmp_path / "pools.jsonl"),
    )
    assert code == 0 and "1 ids, 1 of 4 queries left out" in messages and "1 pools" in messages
    code, out, _ = run(
        *("pools", "large", "--library", folder, "--years", "2010", "--least", "1"),
        *("--prefilter", "--sample", "1", "--sizes", "5", "--folder", tmp_path / "sets"),
    )
    assert code == 0 and " 1 " in out
