"""The package of weights: built, installed, and found by its names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import citewise
from bert_folders import small_bert

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.slow
def test_models_are_found_by_name_where_the_package_is_installed(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="builds the package")
    pairs = small_bert(tmp_path / "pairs", ("bees", "ants"), head=True)
    texts = small_bert(tmp_path / "texts", ("bees", "ants"))
    script = [sys.executable, str(BENCHMARKS / "weights_package.py")]
    models = ["--cross-encoder", str(pairs), "--encoder", str(texts)]
    built = subprocess.run(
        [*script, *models, "--output", str(tmp_path / "dist")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*pip, str(tmp_path / "installed"), built.stdout.strip()], check=True)

    citewise.add(
        [citewise.Paper(f"p{n}", f"Bees and ants {n}", year=2000) for n in range(5)],
        tmp_path / "library",
        vectors=False,
    )
    system = "bm25+rerank(model=citewise-pairs,encoder=citewise-texts)"
    found = [str(tmp_path / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])]
    asked = ["--title", "Bees", "--library", str(tmp_path / "library"), "--format", "json"]
    answered = subprocess.run(
        [sys.executable, "-m", "citewise", "recommend", "--system", system, *asked],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(found),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
    )
    assert answered.returncode == 0, answered.stderr
    assert "re-ranked: 5 of 5 papers read" in answered.stdout
