"""A build that is killed goes on where it was, and makes what it would have made."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from citewise.engines.dumps import steps
from citewise.engines.dumps.reading import STEP as READ
from citewise.engines.shards import manifest as manifests
from command_line import Run
from engines import builds
from engines.builds import built, contents, works
from openalex_dumps import write_works

pytestmark = pytest.mark.slow

STEPS = [name for name, _, _ in (*steps.PAPERS, *steps.FILES)]


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_works(tmp_path_factory.mktemp("dump") / "works", works(400), 3)


@pytest.fixture(scope="module")
def undisturbed(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shards of a build that nobody killed."""
    folder = tmp_path_factory.mktemp("undisturbed") / "built"
    built([dump], folder)
    return folder


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Starts processes that have the modules of a build already, which takes a second each."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([builds.__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # else it finds no tests to import
        forkserver.ensure_running()
    return context


def killed(processes: ForkServerContext, dump: Path, output: Path, step: str) -> int | None:
    """Build in a process that dies in a step; return its exit code."""
    process = processes.Process(target=builds.build_and_die, args=(dump, output, step))
    process.start()
    process.join()
    return process.exitcode


def test_a_build_that_is_killed_in_every_step(
    processes: ForkServerContext, dump: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """Each time within a task whose result is written but has no name yet; what was read is not
    read again.
    """
    output, work = tmp_path / "built", tmp_path / "built.work"
    read: dict[str, int] = {}
    for step in (*STEPS, "manifest", "removal"):
        assert killed(processes, dump, output, step) == -signal.SIGKILL, step
        assert manifests.is_shards(output) == (step == "removal")
        now = {each.name: each.stat().st_ino for each in (work / READ).glob("??????")}
        assert {name: now[name] for name in read} == read
        read = now
    assert len(read) == 3

    manifest = built([dump], output)
    assert manifest.generation == 1 and contents(output) == contents(undisturbed)
    assert {file.name for file in output.iterdir()} == {"000001", manifests.NAME, "writer.lock"}
    assert not work.exists()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_end_with_a_command_that_is_killed(
    run: Run, dump: Path, undisturbed: Path, tmp_path: Path
) -> None:
    output, work = tmp_path / "built", tmp_path / "built.work"
    command = ["build", dump, "--output", output, "--workers", "2"]
    process = subprocess.Popen([sys.executable, "-m", "citewise", *map(str, command)])
    while not list((work / READ).glob("??????")):
        assert process.poll() is None
        time.sleep(0.01)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()

    assert len(children) >= 2
    until = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < until
        time.sleep(0.05)

    assert work.exists()
    done = run(*command)
    assert done.code == 0, done.err
    assert contents(output) == contents(undisturbed)


def test_shards_that_were_removed_are_written_again(
    processes: ForkServerContext, dump: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """Somebody emptied the output between a kill and the next run."""
    output = tmp_path / "built"
    assert killed(processes, dump, output, "finished") == -signal.SIGKILL
    shutil.rmtree(output)
    built([dump], output)
    assert contents(output) == contents(undisturbed)
