"""The laboratory's commands: the answers of the Python interface, files, formats, and marks that
cannot be missed.
"""

import json
import sys
from pathlib import Path

import ir_measures
import pytest

import citewise
from citewise.evaluate import Settings, Split, SplitSettings, evaluate, parse_measures
from citewise.evaluate.runs import Workers
from command_line import Run
from corpora import random_papers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands") / "library"
    citewise.add(random_papers(100, seed=5), folder)
    return folder


def test_evaluate_says_what_python_says(run: Run, folder: Path) -> None:
    code, out, _ = run(
        *("evaluate", "--library", folder, "--years", "2000-2005", "--least", 2),
        *("--systems", "bm25,bm25-title", "--measures", "F1@5 R@50"),
        *("--by", "year", "--format", "json"),
    )

    stores = citewise.open(folder).stores
    split = Split.make(stores, SplitSettings(test=(2000, 2005), least=2), parts=("test",))
    questions = split.questions(stores)
    settings = Settings(parse_measures("F1@5 R@50"), ("year",))
    expected = evaluate(stores, ["bm25", "bm25-title"], questions, settings)

    found = json.loads(out)["results"]
    assert (code, found["guarded"], found["queries"]) == (0, True, len(questions))
    for theirs, ours in zip(found["systems"], expected.systems, strict=True):
        assert theirs["values"] == {
            name: {"value": each.value, "low": each.low, "high": each.high}
            for name, each in ours.values.items()
        }
        assert theirs["groups"].keys() == {"year"}
    assert [each["p"] for each in found["comparisons"]] == [each.p for each in expected.comparisons]


@pytest.mark.slow
def test_from_a_split_to_a_table_and_plots(run: Run, folder: Path, tmp_path: Path) -> None:
    split = tmp_path / "split.json"
    years = ("--test", 2003, "--dev", "2001-2002")
    code, _, err = run("split", "--library", folder, *years, "-o", split)
    assert code == 0 and "train" in err and "test" in err

    arguments = (
        *("evaluate", "--library", folder, "--split", split),
        *("--systems", "bm25(k1=0.9|1.2)", "--analyses", "overlap,recency"),
        *("--run-folder", tmp_path / "runs", "--plots", tmp_path / "plots"),
    )
    code, out, _ = run(*arguments)
    assert code == 0 and "guarded" in out and "bm25(k1=0.9)" in out and "what is cited" in out
    assert len(list((tmp_path / "runs").iterdir())) == 2
    assert len(list((tmp_path / "plots").iterdir())) == 6

    code, out, _ = run(*arguments, "--format", "markdown", "-o", tmp_path / "table.md")
    assert (code, out) == (0, "")
    assert "| bm25(k1=0.9) | " in (tmp_path / "table.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("format", ["table", "markdown", "json"])
def test_an_unguarded_result_is_marked_everywhere(run: Run, folder: Path, format: str) -> None:
    arguments = ("evaluate", "--library", folder, "--years", "2003", "--format", format)
    marks = ('"guarded": false',) if format == "json" else ("UNGUARDED",)
    assert not any(mark in run(*arguments)[1] for mark in marks)
    assert all(mark in run(*arguments, "--unguarded")[1] for mark in marks)


@pytest.mark.slow
def test_exports_score_the_same_elsewhere(run: Run, folder: Path, tmp_path: Path) -> None:
    files = {
        name: tmp_path / name
        for name in ("split.json", "queries.jsonl", "qrels", "beir", "bm25.run")
    }
    done = run(
        *("split", "--library", folder, "--test", "2000-2006", "-o", files["split.json"]),
        *("--queries", files["queries.jsonl"], "--qrels", files["qrels"]),
        *("--beir", files["beir"]),
    )
    assert done.code == 0 and (files["beir"] / "qrels" / "test.tsv").exists()

    done = run(
        *("run", "--queries", files["queries.jsonl"], "--library", folder),
        *("--system", "bm25", "-o", files["bm25.run"]),
    )
    assert done.code == 0

    done = run(
        *("evaluate", "--library", folder, "--split", files["split.json"]),
        *("--measures", "MAP@1000 MRR@1000", "--format", "json"),
    )
    names = [ir_measures.parse_measure(name) for name in ("AP@1000", "RR@1000")]
    theirs = ir_measures.calc_aggregate(
        names,
        ir_measures.read_trec_qrels(str(files["qrels"])),  # type: ignore[no-untyped-call]
        ir_measures.read_trec_run(str(files["bm25.run"])),  # type: ignore[no-untyped-call]
    )
    ours = json.loads(done.out)["results"]["systems"][0]["values"]
    assert [ours["MAP@1000"]["value"], ours["MRR@1000"]["value"]] == pytest.approx(
        [theirs[name] for name in names], abs=1e-9
    )


def test_a_stale_split(run: Run, library: Path, tmp_path: Path) -> None:
    assert (
        run("split", "--library", library, "--test", "2011-2015", "-o", tmp_path / "split.json")[0]
        == 0
    )
    citewise.remove(library, ["own-7"])
    arguments = ("evaluate", "--library", library, "--split", tmp_path / "split.json")
    code, _, err = run(*arguments)
    assert code == 2 and "--stale" in err
    assert run(*arguments, "--stale")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--split FILE or --years"),
        (("--years", "2003", "--split", "x"), "--split FILE or --years"),
        (("--years", "last"), "write years as"),
        (("--years", "2005-2003"), "write years as"),
        (("--years", "1900"), "no question to ask"),
        (("--years", "2003", "--measures", "luck"), "unknown measure"),
        (("--years", "2003", "--by", "luck"), "no breakdown"),
        (("--years", "2003", "--analyses", "luck"), "no analysis"),
        (("--years", "2003", "--systems", "run:x.run,luck"), "unknown system"),
    ],
)
def test_what_is_called_wrongly(
    run: Run, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = run("evaluate", "--library", folder, *arguments)
    assert code == 2 and message in err


def test_what_is_missing_is_reported_before_the_work(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workers, "answers", lambda *given: pytest.fail("it began to work"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ("evaluate", "--library", folder, "--years", "2003")
    for more, expected, message in (
        (("--plots", "x"), 1, "citewise[plots]"),
        (("--analyses", "luck"), 2, "luck"),
        (("--systems", "bm25,run:nowhere.run"), 1, "nowhere.run: no such file"),
    ):
        code, _, err = run(*arguments, *more)
        assert code == expected and message in err


def test_wrong_fractions(run: Run, folder: Path, tmp_path: Path) -> None:
    for text in ("0.5,0.5", "a,b,c", "0.9,0.9,0.9"):
        code, _, err = run(
            "split", "--library", folder, "--fractions", text, "-o", tmp_path / "split.json"
        )
        assert code == 2 and "fractions" in err
