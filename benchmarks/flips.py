"""What readers and `verify` make of 480 damages: flipped bytes, cuts and zeroed blocks, spread over
every file of a library with citing sentences, vectors and models of its own.

    python benchmarks/flips.py            (some ten minutes)

Each damage is read twice: as in a small library, of which all files are compared with their
checksums on opening, and as in a large one, of which only sizes are compared (the worst case: the
smallest files of a large library are compared, too).
"""

import sys
import tempfile
from pathlib import Path

import lightgbm  # noqa: F401 (once, here, instead of in every process that reads)

from measuring import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))

import damage

DAMAGES = 480
SEED = 1


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = damage.build(Path(folder))
        small = damage.run(library, DAMAGES, SEED)
        large = damage.run(library, DAMAGES, SEED, checked=0)

    save(
        "flips",
        {
            "small library, all checksums on opening": damage.summary(small),
            "large library, only sizes on opening": damage.summary(large),
            "not clear": [
                {"file": case.file, "kind": case.kind, "outcome": case.outcome}
                for case in small
                if case.outcome != "clear error"
            ],
        },
    )


if __name__ == "__main__":
    main()
