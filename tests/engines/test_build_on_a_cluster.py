"""A cluster's nodes build the shards that this machine would build."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from citewise.embed.word_models import word_models
from citewise.engines.dumps.building import BuildSettings, build_shards
from citewise.engines.dumps.plan import Build, Plan, SourceFile
from citewise.engines.dumps.reading import ReadFile
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.building import RayWorkers
from citewise.engines.ray.local_nodes import start_nodes, stop_nodes, token_file
from citewise.errors import BadLibrary, MissingData
from command_line import in_own_process
from engines.builds import built, contents, works
from engines.clusters import HOST, free_port
from openalex_dumps import write_works

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install ray"
    ),
]


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    """A cluster of two nodes without any library."""
    found = Address(HOST, free_port())
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN_PATH"] = str(token_file())
    try:
        start_nodes(found, 2)
        yield found
    finally:
        stop_nodes(found)


def test_a_cluster_builds_the_same(
    address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = write_works(tmp_path / "works", works(300), 3)
    built([dump], tmp_path / "here")
    workers = RayWorkers(address)
    try:
        settings = BuildSettings(3, models=word_models)
        build_shards([dump], tmp_path / "there", settings, workers)
        assert contents(tmp_path / "there") == contents(tmp_path / "here")

        gone = SourceFile(str(tmp_path / "gone.jsonl"), 1, 1)
        task = ReadFile(Build(Plan((gone,), str(tmp_path / "none"), 3, 1), tmp_path / "work"), 0)
        with pytest.raises(MissingData, match=r"gone\.jsonl: no such file"):
            list(workers.run([task]))
        monkeypatch.setattr("citewise.engines.ray.building.installed_version", lambda: "9.9")
        with pytest.raises(BadLibrary, match=r"and this build 9\.9; install the same version"):
            list(workers.run([task]))
    finally:
        workers.close()

    done = in_own_process(
        *("build", dump, "--output", tmp_path / "command", "--address", address.cluster)
    )
    assert done.code == 0 and "papers in 3 shards" in done.err, done.err
    assert contents(tmp_path / "command") == contents(tmp_path / "here")
