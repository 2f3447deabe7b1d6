"""The commands of pools: the answers of the Python interface, files, formats, errors."""

import json
from pathlib import Path

import pytest

import citewise
from citewise.evaluate import Pools, score_pools
from command_line import Run
from corpora import random_papers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool-commands") / "library"
    citewise.add(random_papers(100, seed=5), folder)
    return folder


@pytest.fixture
def pools(run: Run, folder: Path, tmp_path: Path) -> Path:
    code, _, err = run(
        *("pools", "build", "--library", folder, "--years", "2000-2005"),
        *("--least", 2, "--negatives", 3, "--models", 2),
        *("--systems", "bm25,bm25-title,bm25-keyterms", "-o", tmp_path / "pools.jsonl"),
    )
    assert code == 0 and "pools in 1 field," in err and "(not used)" in err and "lack" in err
    return tmp_path / "pools.jsonl"


@pytest.mark.slow
def test_score_says_what_python_says(run: Run, folder: Path, pools: Path) -> None:
    code, out, _ = run(
        *("pools", "score", pools, "--library", folder),
        *("--systems", "bm25,bm25-title", "--format", "json"),
    )
    stores = citewise.open(folder).stores
    expected = score_pools(stores, ["bm25", "bm25-title"], Pools.load(pools))
    found = json.loads(out)
    assert code == 0 and found["queries"] == expected.queries and found["papers"] == expected.papers
    for theirs, ours in zip(found["systems"], expected.systems, strict=True):
        assert (theirs["system"], theirs["unscored"]) == (ours.system, ours.unscored)
        assert theirs["average"]["R@5"]["value"] == ours.average["R@5"].value
        assert theirs["kinds"].keys() == ours.kinds.keys() == {*Pools.load(pools).kinds}
    assert [each["p"] for each in found["comparisons"]] == [each.p for each in expected.comparisons]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["table", "markdown"])
def test_tables(run: Run, folder: Path, pools: Path, tmp_path: Path, format: str) -> None:
    code, _, _ = run(
        *("pools", "score", pools, "--library", folder, "--systems", "bm25,bm25-title"),
        *("--format", format, "--measures", "MAP@1000 nDCG@10"),
        *("--run-folder", tmp_path / "runs", "-o", tmp_path / "table"),
    )
    assert code == 0
    table = (tmp_path / "table").read_text()
    for heading in ("average", "random", "most-cited", "nDCG@10"):
        assert heading in table


def test_pools_of_another_library_are_refused(run: Run, golden_library: Path, pools: Path) -> None:
    code, _, err = run("pools", "score", pools, "--library", golden_library)
    assert code == 2 and "build them again" in err
    code, _, err = run("pools", "score", pools, "--library", golden_library, "--stale")
    assert code == 2 and "index their papers first" in err


def test_wrong_calls_say_what_to_do(run: Run, folder: Path, tmp_path: Path) -> None:
    code, _, err = run("pools", "build", "--library", folder, "-o", tmp_path / "pools")
    assert code == 2 and "--split FILE or --years YEARS" in err
    (tmp_path / "fields.json").write_text('{"a": "b"}')
    code, _, err = run(
        *("pools", "build", "--library", folder, "--years", 2001),
        *("-o", tmp_path / "pools", "--fields", tmp_path / "fields.json"),
    )
    assert code == 2 and "fields are written as" in err
    code, _, err = run(
        *("pools", "large", "--library", folder, "--years", 2001),
        *("--sizes", "many", "--folder", tmp_path),
    )
    assert code == 2 and "write sizes as" in err
    assert not (tmp_path / "pools").exists()


@pytest.mark.slow
def test_large(run: Run, folder: Path, tmp_path: Path) -> None:
    arguments = (
        *("pools", "large", "--library", folder, "--folder", tmp_path),
        *("--years", "2000-2005", "--least", 2),
    )
    code, out, _ = run(*arguments, "--sizes", "80,1000", "--repeats", 2, "--format", "json")
    small, whole = json.loads(out)
    assert code == 0 and (small["papers"], small["repeats"], whole["repeats"]) == (80, 2, 1)
    code, out, _ = run(*arguments, "--sizes", 1000, "--by-field")
    assert code == 0 and "none" in out and "MAP@500" in out
    code, out, _ = run(*arguments, "--sizes", 80, "--format", "markdown")
    assert code == 0 and "| 80 |" in out


def test_import_makes_a_library_of_texts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(
        '{"paper_id": "1", "title": "Bees", "abstract": "Bees dance."}\n'
        '{"paper_id": 2, "title": "Ants", "abstract": null}\n'
    )
    code, _, err = run(
        "pools", "import", tmp_path / "data.jsonl", "--library", tmp_path / "library"
    )
    assert code == 0 and "2 papers added" in err
    assert citewise.open(tmp_path / "library")["2"].title == "Ants"
