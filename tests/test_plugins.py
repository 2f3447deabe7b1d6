"""Parts of other packages: found, used, and left out by name where they are broken."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from warm_commands import warm_commands

EXAMPLE = Path(__file__).parents[1] / "examples" / "citewise-recency"


class Installed:
    """Runs citewise in processes that see some installed packages."""

    def __init__(self, folder: Path, *program: str) -> None:
        self.environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
        self._program = program or (sys.executable, "-m", "citewise")

    def __call__(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [*self._program, *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, env=self.environment, check=False
        )


@contextlib.contextmanager
def warm(folder: Path, programs: Path) -> Iterator[Installed]:
    """Give the same with a program that starts fast."""
    with warm_commands(programs, Installed(folder).environment):
        yield Installed(folder, str(programs / "citewise"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the example plug-in is installed, from the wheel that it builds."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("plugin")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(
        [*build, "--directory", str(wheels)], check=True, capture_output=True, cwd=EXAMPLE
    )
    [wheel] = wheels.glob("citewise_recency-*.whl")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    flags = ["--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*install, *flags, str(wheel)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def example(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    with warm(folder, tmp_path_factory.mktemp("warm") / "bin") as found:
        yield found


@pytest.mark.slow
def test_a_plugin_is_listed(folder: Path) -> None:
    done = Installed(folder)("plugins")
    assert done.returncode == 0
    for kind in ("system", "ranker", "format", "renderer"):
        assert any(line.startswith(kind) and "in use" in line for line in done.stdout.splitlines())
    assert "citewise-recency" in done.stdout


@pytest.mark.slow
def test_its_parts_are_used(example: Installed, tmp_path: Path) -> None:
    titles, library = tmp_path / "titles.txt", tmp_path / "library"
    titles.write_text("Title: Bees that dance\nTitle: Bees that sleep\n", "utf-8")
    years = tmp_path / "papers.jsonl"
    years.write_text(
        '{"id": "old", "title": "Bees of old, bees and bees", "year": 1950}\n'
        '{"id": "young", "title": "Bees of today", "year": 2020}\n',
        "utf-8",
    )
    assert example("index", titles, years, "--library", library).returncode == 0

    asked = ("recommend", "--library", library, "--title", "Bees", "--format", "titles")
    by_system = example(*asked, "--system", "newest", "-k", 2)
    assert by_system.stdout.splitlines() == ["Bees of today", "Bees of old, bees and bees"]
    composed = example(*asked, "--system", "compose(retrieve=bm25,rank=newest@50)", "-k", 2)
    assert composed.stdout == by_system.stdout
    by_words = example(*asked, "--system", "bm25", "-k", 1)
    assert by_words.stdout.splitlines() == ["Bees of old, bees and bees"]


@pytest.mark.slow
def test_its_settings_parse_like_any_others(example: Installed, golden_library: Path) -> None:
    asked = ("recommend", "--library", golden_library, "--title", "bees", "--system")
    assert example(*asked, "newest(depth=3)").returncode == 0
    wrong = example(*asked, "newest(width=3)")
    assert wrong.returncode == 2
    assert "known: depth" in wrong.stderr


@pytest.mark.slow
def test_a_broken_plugin_is_named_and_left_out(tmp_path: Path, golden_library: Path) -> None:
    about = tmp_path / "installed" / "broken-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[citewise.systems]\nbroken = no_such_module:system\n")
    with warm(tmp_path / "installed", tmp_path / "bin") as run:
        listed = run("plugins")
        assert listed.returncode == 0
        assert "left out: ModuleNotFoundError" in listed.stdout
        asked = ("recommend", "--library", golden_library, "--title", "bees")
        answered = run(*asked)
        assert answered.returncode == 0
        assert "the plug-in 'broken' of broken is left out" in answered.stderr
        refused = run(
            "recommend", "--library", golden_library, "--title", "bees", "--system", "broken"
        )
        assert refused.returncode == 2
        assert "unknown system 'broken'" in refused.stderr
