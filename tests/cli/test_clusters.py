"""What `citewise cluster` starts, and what it refuses; tests/engines has clusters that run."""

import importlib.util
import json
import socket
import threading
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from citewise.engines.ray import cluster, local_nodes
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState, Service
from citewise.engines.ray.shard_node import NodeState
from citewise.engines.ray.sockets import Endpoint
from citewise.errors import BadInput
from citewise.http.on_nodes import HttpNode
from command_line import Run, in_own_process
from engines.clusters import free_port

STATE = ClusterState(
    version="1",
    folder="",
    generation=4,
    shards=2,
    replicas=1,
    placement={0: ["n"], 1: ["n"]},
    nodes={"n": NodeState("1", "here", 5, {4: [0, 1]}, 6, Endpoint("127.0.0.2", 7, b""))},
    problems=[],
    services={"s": "http://127.0.0.2:8000/"},
)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What would have been started."""
    calls: list[tuple[object, ...]] = []

    def up(*arguments: object) -> ClusterState:
        calls.append(arguments)
        return STATE

    monkeypatch.setattr(cluster, "up", up)
    return calls


def test_http_that_others_reach_needs_a_token(
    run: Run, tmp_path: Path, started: list[tuple[object, ...]]
) -> None:
    asked = ("cluster", "up", "--shards", tmp_path, "--address", "10.0.0.1:6379", "--http", 8000)
    done = run(*asked)
    assert done.code != 0 and "there is no token" in done.err, done.err
    assert not started
    assert run(*asked, "--token", "secret").code == 0 and started


def test_http_runs_on_every_node(
    run: Run, tmp_path: Path, started: list[tuple[object, ...]]
) -> None:
    done = run("cluster", "up", "--shards", tmp_path, "--http", 8000, "--allow-host", "Front")
    assert done.code == 0 and "by HTTP at http://127.0.0.2:8000/" in done.out, done.err

    folder, where, nodes, replicas, service = started[0]
    assert (folder, where, nodes, replicas) == (tmp_path, Address("127.0.0.2"), 3, 2)
    assert isinstance(service, Service) and service.kind is HttpNode
    (settings,) = service.arguments
    assert settings.library == "ray://127.0.0.2:6379/library"
    assert (settings.port, settings.hosts) == (8000, ("front",))


def test_without_http_nothing_answers_by_it(
    run: Run, tmp_path: Path, started: list[tuple[object, ...]]
) -> None:
    run("cluster", "up", "--shards", tmp_path)
    assert started[0][-1] is None


def test_names_that_no_address_has_are_refused(
    run: Run, tmp_path: Path, started: list[tuple[object, ...]]
) -> None:
    done = run("cluster", "up", "--shards", tmp_path, "--name", "my lib")
    assert done.code != 0 and "not the address of a cluster" in done.err, done.err
    assert not started
    with pytest.raises(BadInput, match="from 1 to 65535"):
        Address.parse("ray://127.0.0.2:99999/library")


def test_what_is_wrong_is_said_when_a_cluster_is_started(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = STATE._replace(problems=["n: shard 1 is damaged"])
    monkeypatch.setattr(cluster, "up", lambda *_: broken)
    done = run("cluster", "up", "--shards", tmp_path)
    assert done.code == 1 and "shard 1 is damaged" in done.err
    assert "Ask it" not in done.out


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_nodes_that_are_interrupted_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        (record,) = (tmp_path / "clusters").glob("127.0.0.2-*.json")
        processes.extend(json.loads(record.read_text())["processes"])
        monkeypatch.undo()
        monkeypatch.setattr(local_nodes, "_clusters", lambda: tmp_path / "clusters")
        raise KeyboardInterrupt

    processes: list[int] = []
    address = Address("127.0.0.2", free_port(), "library")
    monkeypatch.setattr(local_nodes, "_clusters", lambda: tmp_path / "clusters")
    monkeypatch.setattr(local_nodes, "_moments", interrupted)
    with pytest.raises(KeyboardInterrupt):
        local_nodes.start_nodes(address, 1)
    (process,) = processes
    assert not local_nodes._members(process)
    assert local_nodes.known_nodes(address) is None


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_a_port_of_something_else_is_named_at_once(tmp_path: Path) -> None:
    """For a head to be started, and for a cluster to be joined."""
    with HTTPServer(("127.0.0.2", 0), SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = Address("127.0.0.2", server.server_port, "library")
        with pytest.raises(BadInput, match="another process listens there"):
            local_nodes.start_nodes(address, 1)
        start = time.monotonic()
        done = in_own_process("cluster", "status", "--library", address)
        assert done.code == 1 and "something that is not Ray" in done.err, done.err
        assert time.monotonic() - start < 30
        server.shutdown()


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_an_address_where_nobody_is_is_named_at_once() -> None:
    """Ray by itself would try for two minutes. In a process of its own: this one may have joined
    another cluster, and Ray joins one at a time.
    """
    with socket.create_server(("127.0.0.2", 0)) as taken:
        port = taken.getsockname()[1]
    start = time.monotonic()
    library = f"ray://127.0.0.2:{port}/library"
    done = in_own_process("cluster", "status", "--library", library)
    assert done.code == 1 and f"127.0.0.2:{port}/library: no cluster answers there" in done.err
    assert time.monotonic() - start < 30
