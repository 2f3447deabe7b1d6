"""MCP servers for tests, started by the command line, and the SDK's own client connected to them.

The client stays connected for a whole module, on an event loop in a thread of its own.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

TOKEN = "a secret"


@dataclass(frozen=True)
class Connection:
    """A client that can be called from a test."""

    client: Client
    portal: BlockingPortal

    def ask(self, method: str, *given: Any, **named: Any) -> Any:
        """Return what a method of the client returns."""
        call = getattr(self.client, method)

        async def called() -> Any:
            with anyio.fail_after(30):
                return await call(*given, **named)

        return self.portal.call(called)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return a tool's structured answer; it must be no error."""
        result: CallToolResult = self.ask("call_tool", tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content or {}

    def error(self, tool: str, **arguments: Any) -> str:
        """Return the message of a tool's error."""
        result: CallToolResult = self.ask("call_tool", tool, arguments)
        assert result.is_error and isinstance(result.content[0], TextContent)
        return result.content[0].text


@contextlib.contextmanager
def connected(target: Any, mode: str = "auto") -> Iterator[Connection]:
    """Connect the SDK's client to a server: a command, an address, or the server itself."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(target, mode=mode)) as client,
    ):
        yield Connection(client, portal)


def command(library: Path, *options: str) -> list[str]:
    return ["-W", "error", "-m", "citewise", "mcp", "--library", str(library), *options]


def stdio(library: Path) -> StdioServerParameters:
    """Return how a client starts the server."""
    return StdioServerParameters(command=sys.executable, args=command(library), env={**os.environ})


@contextlib.contextmanager
def http(library: Path) -> Iterator[str]:
    """Start a server over HTTP that wants `TOKEN`; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, *command(library, "--transport", "http", "--port", str(port))],
        env={**os.environ, "CITEWISE_TOKEN": TOKEN},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        said = process.communicate(timeout=20)[1]
    assert "Traceback" not in said, said


@contextlib.asynccontextmanager
async def over_http(address: str) -> AsyncIterator[Any]:
    """Connect the SDK's transport to a server over HTTP, with the token."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as client,
        streamable_http_client(address, http_client=client) as streams,
    ):
        yield streams


def _wait_for(port: int, process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"no server at port {port}")
