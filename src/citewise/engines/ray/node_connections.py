"""Where the nodes of a cluster listen, and the open connections to them."""

import atexit
import os
import threading
import time
import weakref
from functools import cache
from typing import Any

from citewise.engines.ray.connection import NAMESPACE
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.sockets import Connection, Endpoint, connect

_SEEKING_SECONDS = 60.0
_ASKING_SECONDS = 2.0
_PAUSE = 0.25
_CONNECTING_SECONDS = 2.0
"""How long a machine may take to accept a connection: one that is switched off never does, and
others may have its shards.
"""


_seeking = weakref.WeakSet[threading.Thread]()
_exiting = threading.Event()


@cache
def _wait_at_exit() -> None:
    """Let the end of the process wait for threads that ask Ray, which must not be asked once it has
    been left. What is registered last comes first, so this is called after Ray was imported.
    """
    atexit.register(_wait_for_seeking)


def _wait_for_seeking() -> None:
    _exiting.set()
    for each in [*_seeking]:
        each.join(2 * _ASKING_SECONDS)


class NodeConnections:
    """Connections to nodes by their names; threads may share it, each gets its own. A process that
    was forked makes connections of its own.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._endpoints: dict[str, Endpoint] = {}
        self._begin()

    def _begin(self) -> None:
        """Have no connections, in this process."""
        self._free: dict[str, list[Connection]] = {}
        self._sought = set[str]()
        self._changing, self._process = threading.Lock(), os.getpid()
        weakref.finalize(self, _end, self._free, self._process)

    def learn(self, state: ClusterState) -> None:
        """Note where nodes listen, as the directory says; what is known already is newer."""
        with self._changing:
            for name, node in state.nodes.items():
                if node is not None:
                    self._endpoints.setdefault(name, node.endpoint)

    def connection(self, node: str, until: float) -> Connection:
        """Return a connection for one question, a new one if all are in use; OSError where none can
        be had in time.
        """
        if self._process != os.getpid():
            self._begin()
        with self._changing:
            free, endpoint = self._free.get(node), self._endpoints.get(node)
            if free:
                return free.pop()
        if endpoint is None:
            raise ConnectionError("it is not known where it listens")
        return connect(endpoint, min(until, time.monotonic() + _CONNECTING_SECONDS))

    def give_back(self, node: str, connection: Connection) -> None:
        """Keep a connection for the next question."""
        with self._changing:
            self._free.setdefault(node, []).append(connection)

    def find_again(self, node: str) -> None:
        """Find out, beside everything else, where a node listens now: Ray starts a process that
        has ended again, and it then listens at another port.
        """
        self._end_free(node)
        with self._changing:
            if node in self._sought:
                return
            self._sought.add(node)
        seeking = threading.Thread(target=self._seek, args=(node,), daemon=True)
        _wait_at_exit()
        seeking.start()
        _seeking.add(seeking)

    def _seek(self, node: str) -> None:
        """Ask Ray for a node until it answers or Ray knows it no more."""
        until = time.monotonic() + _SEEKING_SECONDS
        try:
            while time.monotonic() < until and not _exiting.is_set():
                try:
                    actor = self._ray.get_actor(node, NAMESPACE)
                    asked = actor.endpoint.remote()
                    self._found(node, self._ray.get(asked, timeout=_ASKING_SECONDS))
                    return
                except ValueError:  # no actor has that name
                    return
                except self._ray.exceptions.RayError:
                    time.sleep(_PAUSE)
        finally:
            with self._changing:
                self._sought.discard(node)

    def _found(self, node: str, endpoint: Endpoint) -> None:
        with self._changing:
            moved = self._endpoints.get(node, endpoint) != endpoint
            self._endpoints[node] = endpoint
        if moved:
            self._end_free(node)

    def _end_free(self, node: str) -> None:
        with self._changing:
            free = self._free.pop(node, [])
        for each in free:
            each.close()


def _end(free: dict[str, list[Connection]], process: int) -> None:
    """End all connections, once nobody asks any more: but those of another process, which are still
    used there.
    """
    if process != os.getpid():
        return
    for connections in free.values():
        for each in connections:
            each.close()
