"""Run a real server for tests: uvicorn on a free port of 127.0.0.1, in a thread of this process."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn

from citewise.http.app import create
from citewise.http.settings import Limits, Settings

PATIENCE = 60.0
"""Seconds: a busy machine is no failure."""


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    address: str
    settings: Settings

    @property
    def port(self) -> int:
        return self.settings.port

    def client(self, **headers: str) -> httpx.Client:
        # without TLS there is nothing to verify, and certificates take time to load
        return httpx.Client(base_url=self.address, timeout=PATIENCE, headers=headers, verify=False)


@contextlib.contextmanager
def running(
    library: Path, state: Path, limits: Limits | None = None, token: str = "", **more: object
) -> Iterator[Running]:
    """Serve a library until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        settings = Settings(
            str(library),
            str(state),
            port=port,
            token=token,
            limits=limits or Limits(),
            **more,  # type: ignore[arg-type]
        )
        config = uvicorn.Config(
            create(settings), log_config=None, access_log=False, ws="none", lifespan="on"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            until(lambda: server.started)
            yield Running(f"http://127.0.0.1:{port}", settings)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


def until(true: object, seconds: float = PATIENCE) -> None:
    """Wait until a condition holds; fail where it does not."""
    assert callable(true)
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)


def imported(client: httpx.Client, answer: httpx.Response) -> dict[str, object]:
    """Wait for the import that an answer has started; return its last state."""
    assert answer.status_code == 202, answer.text
    address = answer.json()["status_url"]
    until(lambda: client.get(address).json()["state"] in ("done", "failed"))
    state: dict[str, object] = client.get(address).json()
    return state


def raw(port: int, sent: bytes, seconds: float = 20.0) -> bytes:
    """Send bytes to a server; return all that comes back until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), seconds) as connection:
        connection.sendall(sent)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while piece := connection.recv(65536):
                received += piece
        return received
