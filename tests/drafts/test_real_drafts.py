"""Real drafts: the least that is read right of each part, in each kind (`benchmarks/drafts.py`)."""

import json
import runpy
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "drafts.py"

LEAST = {"title": 45, "abstract": 41, "cited": 44, "authors": 44, "read": 45}
"""Of 45 LaTeX drafts; 41 have an abstract, 44 cite."""


@pytest.mark.slow
def test_latex_drafts_are_read(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Needs ../shared."""
    monkeypatch.syspath_prepend(str(BENCHMARK.parent))
    benchmark = runpy.run_path(str(BENCHMARK))

    index = map(json.loads, (shared / "drafts" / "index.jsonl").read_text().splitlines())
    rows = [benchmark["measured"](row) for row in index if row["kind"] == "latex"]
    right = {part: count for part, (count, _) in benchmark["totals"](rows).items()}
    assert all(right[part] >= least for part, least in LEAST.items()), right
    assert all(row["stands in for the abstract"] or row["abstract"] for row in rows)
