"""What libraries look like after two hundred writers were killed at random moments, and what a
reader sees beside a writer.

    python benchmarks/crash.py            (some five minutes)
"""

import sys
import tempfile
from pathlib import Path

from measuring import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))

import crash as crashes

KILLS = 200
SEED = 1
ADDS = 20


def main() -> None:
    with tempfile.TemporaryDirectory() as killed, tempfile.TemporaryDirectory() as read:
        save(
            "crash",
            {
                "killed writers": crashes.run(KILLS, SEED, Path(killed)),
                "reader beside a writer": crashes.read_while_writing(ADDS, Path(read)),
            },
        )


if __name__ == "__main__":
    main()
