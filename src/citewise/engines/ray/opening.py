"""Opens the library of a cluster."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from citewise.engines.ray.addresses import Address
from citewise.engines.ray.connection import NAMESPACE, join
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.transport import RayTransport
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.stores import ShardedStores
from citewise.engines.shards.transport import Call
from citewise.engines.version import installed_version
from citewise.errors import BadLibrary, MissingData, Unavailable

_SECONDS = 60.0
_PAUSE = 0.25
_READY_SECONDS = 2.0
"""How long to look for a replica of every shard, when asked whether there is one."""


class ClusterStores(ShardedStores):
    """`protocols.Stores` over the shards of a cluster."""

    def __init__(self, address: Address, state: ClusterState, transport: RayTransport) -> None:
        folder = Path(state.folder)
        super().__init__(folder, manifests.load(folder, state.generation), transport, str(address))
        self.transport = transport

    def newest_generation(self) -> int:
        """Return the generation that the cluster serves now; this library stays at its own."""
        return self.transport.newest_generation()

    def require_all(self) -> None:
        """Raise Unavailable where no node answers for a shard."""
        nothing = np.zeros(0, np.int64)
        calls = [Call(shard, "titles", (nothing,)) for shard in range(len(self.manifest.shards))]
        self.transport.ask(calls, _READY_SECONDS)


def directory_of(address: Address) -> tuple[Any, Any]:
    """Return Ray and the directory of a cluster's library; MissingData where there is none."""
    ray = join(address)
    try:
        return ray, ray.get_actor(address.name, NAMESPACE)
    except ValueError:
        raise MissingData(
            f"{address}: the cluster has no library named {address.name!r}; start it with: "
            f"citewise cluster up --shards DIR --address {address.cluster} --name {address.name}"
        ) from None


def state_of(address: Address) -> tuple[Any, Any, ClusterState]:
    """Return Ray, the directory of a cluster's library, and what it says; one that Ray is starting
    again is waited for.
    """
    ray, directory = directory_of(address)
    until = time.monotonic() + _SECONDS
    while True:
        try:
            return ray, directory, ray.get(directory.state.remote(), timeout=_SECONDS)
        except ray.exceptions.RayError as error:
            away = isinstance(error, ray.exceptions.ActorUnavailableError)
            if not away or time.monotonic() > until:
                raise Unavailable(
                    f"{address}: the cluster's directory does not answer ({type(error).__name__})"
                ) from None
        time.sleep(_PAUSE)


def open_cluster(where: str) -> ClusterStores:
    """Open the library at an address such as `ray://10.0.0.1:6379/library`, at the generation that
    the cluster serves.

    The tables of the coordinator are read from the folder of the shards, so the client must see
    that folder as the nodes do.
    """
    address = Address.parse(where)
    ray, directory, state = state_of(address)
    if state.version != installed_version():
        raise BadLibrary(
            f"{address}: the cluster runs citewise {state.version}, and this is "
            f"{installed_version()}; install the same version: pip install "
            f"citewise=={state.version}"
        )
    return ClusterStores(address, state, RayTransport(ray, directory, state))
