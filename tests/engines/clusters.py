"""A cluster of three nodes for tests: real processes on loopback addresses of this machine."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from citewise.engines.ray import cluster
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState, Service
from citewise.engines.ray.local_nodes import token_file
from citewise.http.on_nodes import HttpNode
from citewise.http.settings import Settings

HOST = "127.0.0.2"

_ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",
    "RAY_health_check_period_ms": "500",  # so that a killed node is known after two seconds
    "RAY_health_check_failure_threshold": "3",
}


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(shards: Path, nodes: int = 3) -> Iterator[Address]:
    """Give the address of a new cluster that serves shards, also by HTTP; end it afterwards."""
    address = Address(HOST, free_port(), "library")
    service = Service(HttpNode, (Settings(str(address), state="", port=free_port()),))
    os.environ.update(_ENVIRONMENT, RAY_AUTH_TOKEN_PATH=str(token_file()))
    try:
        cluster.up(shards, address, nodes, service=service)
        yield address
    finally:
        cluster.down(address)


def wait_until(
    address: Address, reached: Callable[[ClusterState], bool], seconds: float = 60.0
) -> float:
    """Wait for a state of a cluster; return how many seconds that took."""
    start = time.monotonic()
    while not reached(cluster.status(address)):
        assert time.monotonic() - start < seconds, cluster.status(address)
        time.sleep(0.1)
    return time.monotonic() - start


def is_whole(state: ClusterState, nodes: int = 3) -> bool:
    """Return whether this many nodes live, and every shard is open on as many as it should be; what
    the directory saw before a worker was killed does not count.
    """
    living = [node for node in state.nodes.values() if node is not None]
    if not all(Path(f"/proc/{node.process}").exists() for node in living):
        return False
    wanted = min(state.replicas, nodes)
    return (
        len(living) == nodes
        and not state.problems
        and all(
            sum(
                name in owners and shard in (node.generations.get(state.generation) or [])
                for name, node in state.nodes.items()
                if node is not None
            )
            >= wanted
            for shard, owners in state.placement.items()
        )
    )
