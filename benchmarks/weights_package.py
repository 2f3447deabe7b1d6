"""Builds a package of weights: a plug-in that brings a trained cross-encoder, a trained encoder, or
both.

    python benchmarks/weights_package.py --cross-encoder MODEL --encoder MODEL --output dist

Weights are too large for the repository. The package has the models' folders and entry points, so
that `--rerank citewise-pairs` and `rerank(encoder=citewise-texts)` find them by name.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = {"cross-encoder": "citewise-pairs", "encoder": "citewise-texts"}
"""What the models are called where the package is installed."""

_PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "citewise-weights"
version = "{version}"
description = "Transformers that citewise trained on citations"
license = "Apache-2.0"
requires-python = ">=3.11"
dependencies = ["citewise[neural]"]
{entry_points}
[tool.hatch.build.targets.wheel]
packages = ["citewise_weights"]
"""

_MODULE = '''\
"""Transformers that citewise trained on citations, found by their names."""

from pathlib import Path

from citewise.embed.encoders import encoder_named
from citewise.embed.pair_scorers import pair_scorer_named
from citewise.embed.truncation import Truncation
from citewise.reranking import truncation_of

_HERE = Path(__file__).parent


def cross_encoder():
    """Return the cross-encoder, which cuts pairs as it was trained."""
    folder = str(_HERE / "cross-encoder")
    return pair_scorer_named(folder, "int8", 2, Truncation.parse(truncation_of(folder)))


def encoder():
    """Return the encoder of titles and abstracts."""
    return encoder_named(str(_HERE / "encoder"), "int8", 2)
'''


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross-encoder", type=Path)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--output", type=Path, default=Path("dist"))
    parser.add_argument("--version", default="0.1.0")
    given = parser.parse_args()

    models = {"cross-encoder": given.cross_encoder, "encoder": given.encoder}
    models = {kind: folder for kind, folder in models.items() if folder is not None}
    if not models:
        parser.error("name a --cross-encoder, an --encoder, or both")
    print(built(models, given.output, given.version))


def built(models: dict[str, Path], output: Path, version: str) -> Path:
    """Build the wheel with some models and return its file."""
    groups = {"cross-encoder": "pair_scorers", "encoder": "encoders"}
    entry_points = "".join(
        f'\n[project.entry-points."citewise.{groups[kind]}"]\n'
        f'{NAMES[kind]} = "citewise_weights:{kind.replace("-", "_")}"\n'
        for kind in models
    )
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch)
        package = project / "citewise_weights"
        for kind, folder in models.items():
            shutil.copytree(folder, package / kind)
        (package / "__init__.py").write_text(_MODULE)
        (project / "pyproject.toml").write_text(
            _PROJECT.format(version=version, entry_points=entry_points)
        )
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        command = [*pip, "--no-build-isolation", "--wheel-dir", str(output), str(project)]
        subprocess.run(command, check=True)
    return max(output.glob("citewise_weights-*.whl"), key=lambda file: file.stat().st_mtime)


if __name__ == "__main__":
    main()
