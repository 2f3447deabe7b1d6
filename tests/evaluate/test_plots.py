"""Plots: files of both formats, the same for the same results, marked where the guard was off."""

import dataclasses
import re
import sys
from pathlib import Path

import pytest

from citewise.errors import MissingExtra
from citewise.evaluate import Estimate, Results, Scored, save_plots

SYSTEMS = ("bm25", "bm25-title", "run:theirs.run")
RESULTS = Results(
    library="f00d",
    papers=10,
    queries=5,
    guarded=True,
    jobs=1,
    depth=100,
    measures=("F1@20", "R@100"),
    comparisons=(),
    systems=tuple(
        Scored(
            system=name,
            values={"F1@20": Estimate(0.2, 0.1, 0.3), "R@100": Estimate(0.5, 0.4, 0.6)},
            recall={1: 0.1, 10: 0.3, 100: 0.5},
            answered=5,
            dropped=0,
            groups={},
            milliseconds=None if name.startswith("run:") else {"median": 3.0 + place, "p95": 9.0},
        )
        for place, name in enumerate(SYSTEMS)
    ),
)


def words(file: Path) -> str:
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", file.read_text()))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return save_plots(RESULTS, tmp_path_factory.mktemp("drawn") / "plots")


@pytest.mark.slow
def test_every_plot_is_drawn(drawn: list[Path]) -> None:
    assert sorted(file.name for file in drawn) == sorted(
        f"{name}.{kind}" for name in ("recall", "latency", "measures") for kind in ("png", "svg")
    )
    for file in drawn:
        assert file.read_bytes().startswith(b"\x89PNG" if file.suffix == ".png" else b"<?xml")

    folder = drawn[0].parent
    for name in SYSTEMS:
        assert name in words(folder / "recall.svg")
        assert name in words(folder / "measures.svg")
    assert "F1@20" in words(folder / "latency.svg")
    assert SYSTEMS[2] not in words(folder / "latency.svg"), "nobody timed it"


@pytest.mark.slow
def test_the_same_results_make_the_same_files(drawn: list[Path], tmp_path: Path) -> None:
    again = save_plots(RESULTS, tmp_path)
    assert [file.name for file in again] == [file.name for file in drawn]
    for one, two in zip(drawn, again, strict=True):
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_an_unguarded_result_is_marked(tmp_path: Path) -> None:
    save_plots(dataclasses.replace(RESULTS, guarded=False), tmp_path)
    assert all("UNGUARDED" in words(file) for file in tmp_path.glob("*.svg"))


def test_a_missing_extra_names_its_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'citewise\[plots\]'"):
        save_plots(RESULTS, tmp_path)
