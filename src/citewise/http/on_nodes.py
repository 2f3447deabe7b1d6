"""The server on the nodes of a cluster: the same application, once a node, kept alive by Ray."""

import tempfile
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from citewise.engines.ray.connection import ray_module
from citewise.errors import Unavailable
from citewise.http.app import create
from citewise.http.running import CONFIGURATION, bound, is_local
from citewise.http.settings import Settings

if TYPE_CHECKING:
    import uvicorn

_STARTING = 120.0
"""Seconds that a server may take to start."""


class HttpNode:
    """An actor that serves a library by HTTP at its node's own address; so it is a coordinator."""

    def __init__(self, settings: Settings) -> None:
        """Start the server, and wait until it answers; the node's address replaces the host."""
        import uvicorn

        host = ray_module().util.get_node_ip_address()
        if not is_local(host) and not settings.token:
            raise Unavailable(f"{host} can be reached from other machines, and there is no token")
        self._folder = tempfile.TemporaryDirectory(prefix="citewise-")
        self._settings = replace(settings, host=host, state=self._folder.name)
        server = uvicorn.Server(uvicorn.Config(create(self._settings), **CONFIGURATION))
        self._thread = threading.Thread(target=self._run, args=(server,), daemon=True)
        self._thread.start()

        until = time.monotonic() + _STARTING
        while not server.started:
            if not self._thread.is_alive() or time.monotonic() > until:
                raise Unavailable(f"{self.state()}: the server did not start; is the port in use?")
            time.sleep(0.05)

    def _run(self, server: "uvicorn.Server") -> None:
        with bound(self._settings) as listening:
            server.run([listening])

    def close(self) -> None:
        """Remove the server's files, before its process is ended."""
        self._folder.cleanup()

    def state(self) -> str:
        """Return where it answers."""
        return f"http://{self._settings.host}:{self._settings.port}/"
