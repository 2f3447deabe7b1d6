"""Runs the MCP server: on standard input and output, or over HTTP for this machine alone."""

import hmac
import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from citewise.errors import BadInput

_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def http_app(server: MCPServer[Any], hosts: Sequence[str] = (), token: str = "") -> ASGIApp:
    """Return the server as an ASGI application at `/mcp`.

    A web site that a user visits could call a server on their machine. So requests must name this
    machine, or one of `hosts`, in the Host header and, where a browser sends one, in Origin; and,
    with a token, `Authorization: Bearer TOKEN`.
    """
    allowed = [*_LOCAL, *hosts]
    security = TransportSecuritySettings(
        allowed_hosts=[name for host in allowed for name in (host, f"{host}:*")],
        allowed_origins=[
            f"{scheme}://{host}{port}"
            for host in allowed
            for scheme in ("http", "https")
            for port in ("", ":*")
        ],
    )
    app: Starlette = server.streamable_http_app(transport_security=security)
    return _TokenRequired(app, token) if token else app


def run_http(
    server: MCPServer[Any],
    where: tuple[str, int],
    hosts: Sequence[str] = (),
    token: str = "",
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve over HTTP until the process is stopped.

    `where` is host and port, 0 for any port that is free; `ready` is called with the address.
    """
    host, port = where
    if not (_is_local(host) or token):
        raise BadInput(
            f"{host} can be reached from other machines, and without a token whoever reaches it "
            "can read the library: set CITEWISE_TOKEN, or leave --host at 127.0.0.1"
        )
    with _bound(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        app = http_app(server, [*hosts, name], token)
        ready(f"http://{name}:{listening.getsockname()[1]}/mcp")
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise BadInput(
            f"{host}:{port} cannot be served ({error.strerror}); choose another port with --port, "
            "or 0 for any that is free"
        ) from None


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _TokenRequired:
    """Answers 401 to HTTP requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
            scheme, _, bearer = given.partition(b" ")  # the scheme's name in any case: RFC 9110
            right = hmac.compare_digest(bearer.strip(), self._expected)
            if not (right and scheme.lower() == b"bearer"):
                headers = {"WWW-Authenticate": "Bearer"}
                refusal = PlainTextResponse("send the server's token", 401, headers)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
