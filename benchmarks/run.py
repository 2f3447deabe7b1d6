"""Runs every benchmark, one after the other; each writes its file under benchmarks/results."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

for script in ("build.py", "bm25.py", "growth.py", "crash.py", "lab.py", "lab_overhead.py", "pools.py", "navigation.py",
               "best.py", "best_slices.py"):
    subprocess.run([sys.executable, HERE / script], check=True)
