"""Runs every benchmark, one after the other; each writes its file under benchmarks/results."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

for script in (
    "build.py",
    "bm25.py",
    "growth.py",
    "crash.py",
    "bibliographies.py",
    "mutations.py",
    "lab.py",
    "lab_overhead.py",
    "pools.py",
    "navigation.py",
    "ranker.py",
    "best.py",
    "transfer.py",
    "small_libraries.py",
    "knobs.py",
    "extraction.py",
    "local.py",
    "local_dense.py",
    "local_speed.py",
    "encoder.py",
    "serve.py",
):
    subprocess.run([sys.executable, HERE / script], check=True)
