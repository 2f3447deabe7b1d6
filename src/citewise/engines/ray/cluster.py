"""Starts, shows, switches and ends a library on a cluster."""

import re
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from citewise.engines.ray.addresses import Address
from citewise.engines.ray.connection import NAMESPACE, join
from citewise.engines.ray.directory import ClusterState, Directory, Service
from citewise.engines.ray.local_nodes import start_nodes, stop_nodes
from citewise.engines.ray.opening import directory_of, state_of
from citewise.engines.shards import manifest as manifests
from citewise.errors import BadInput, CitewiseError, MissingData, NoPermission, Unavailable

_READY_SECONDS = 600.0
_SILENT_SECONDS = 60.0
"""How long to wait for nodes that say nothing while others live; they are then told of."""

_STOP_SECONDS = 60.0
_HEAD = "node:__internal_head__"
"""A resource that Ray gives to the head alone."""


def up(
    folder: Path,
    address: Address,
    nodes: int = 0,
    replicas: int = 2,
    service: Service | None = None,
) -> ClusterState:
    """Serve a folder of shards; return the cluster's state once every shard is open.

    `nodes` is how many nodes to start on this machine, 0 to use a cluster that runs already. Nodes
    that join it later are used as well. `service` runs on every node beside the shards. If a
    library of that name is served there already, it has to be the same.
    """
    manifests.load(folder)
    if nodes:
        start_nodes(address, nodes)
    ray = join(address)
    directory = (
        ray.remote(Directory)
        .options(
            name=address.name,
            namespace=NAMESPACE,
            lifetime="detached",
            get_if_exists=True,
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=8,
            scheduling_strategy=_on_head(ray),
        )
        .remote(address.name, str(folder.resolve()), replicas, "", service)
    )

    until = time.monotonic() + _READY_SECONDS
    silent_until = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < until:
        state: ClusterState = ray.get(directory.check.remote(), timeout=_READY_SECONDS)
        _require_same(address, state, folder, replicas, service)
        if failed := [each for each in state.problems if _cannot_serve(address, each)]:
            raise Unavailable(
                f"{failed[0]}; the library itself is served. End it before another try: citewise "
                f"cluster down --library {address}"
            )
        living = len([each for each in state.nodes.values() if each])
        answered = living == len(state.nodes) or time.monotonic() > silent_until
        served = service is None or len(state.services) >= living
        if living >= max(nodes, 1) and answered and served:
            return state
        time.sleep(0.2)
    raise Unavailable(f"{address}: the nodes did not start within {_READY_SECONDS:.0f} seconds")


def _require_same(
    address: Address, state: ClusterState, folder: Path, replicas: int, service: Service | None
) -> None:
    """Raise BadInput where a library of that name is served in another way already."""
    served = (state.folder, state.replicas, state.has_service)
    if served != (str(folder.resolve()), replicas, service is not None):
        by_http = "also by HTTP" if state.has_service else "not by HTTP"
        raise BadInput(
            f"{address}: a library of this name is served there already, from {state.folder} with "
            f"{state.replicas} replicas and {by_http}. For newer shards of it: citewise cluster "
            f"switch; for another library: --name; to end it: citewise cluster down --library "
            f"{address}"
        )


def _cannot_serve(address: Address, problem: str) -> bool:
    """Return whether a problem is that of a service that did not start."""
    return problem.startswith(f"{address.name}-service-") and ": ended (" in problem


def _on_head(ray: ModuleType) -> Any:
    """Return what puts an actor on the head: the machine that must live, whatever others do."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    heads = [each["NodeID"] for each in ray.nodes() if _HEAD in each["Resources"]]
    return NodeAffinitySchedulingStrategy(heads[0], soft=True) if heads else None


def status(address: Address) -> ClusterState:
    """Return what a cluster's directory says."""
    return state_of(address)[2]


def switch(address: Address) -> ClusterState:
    """Make the newest generation in the folder of shards the one that is served."""
    ray, directory = directory_of(address)
    try:
        state: ClusterState = ray.get(directory.switch.remote(), timeout=_READY_SECONDS)
    except ray.exceptions.RayTaskError as error:
        raise Unavailable(f"{address}: {error.cause}") from None
    return state


def down(address: Address) -> list[str]:
    """End a library on a cluster, and the nodes where they were started on this machine and serve
    no other library; return the names of those that they serve.
    """
    found: CitewiseError | None = None
    try:
        if others := _end(address):
            return others
    except (MissingData, NoPermission, Unavailable) as error:
        if isinstance(error, MissingData) and libraries(address):
            raise
        found = error
    if not stop_nodes(address) and found is not None:
        raise found
    return []


def libraries(address: Address) -> list[str]:
    """Return the names of the libraries that a cluster serves."""
    named: list[str] = join(address).util.list_named_actors()
    nodes = re.compile(r"(.+?)(-service)?-[0-9a-f]{12}")
    return sorted({name for name in named if not nodes.fullmatch(name)})


def _end(address: Address) -> list[str]:
    """End the actors of a library, and leave the cluster; return which libraries are left."""
    ray, directory = directory_of(address)
    try:
        ray.get(directory.stop.remote(), timeout=_STOP_SECONDS)
        ray.kill(directory, no_restart=True)
        return [name for name in libraries(address) if name != address.name]
    except ray.exceptions.RayError as error:
        raise Unavailable(
            f"{address}: the cluster's directory does not answer ({type(error).__name__}), and "
            "its nodes may go on; try again in a minute"
        ) from None
    finally:
        ray.shutdown()
