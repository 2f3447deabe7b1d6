"""Runs the MCP server: on standard input and output, or over HTTP for this machine alone."""

import hmac
import ipaddress
from collections.abc import Sequence
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
    server: MCPServer[Any], host: str, port: int, hosts: Sequence[str] = (), token: str = ""
) -> None:
    """Serve over HTTP until the process is stopped."""
    if not (_is_local(host) or token):
        raise BadInput(
            f"{host} can be reached from other machines, and without a token whoever reaches it "
            "can read the library: set CITEWISE_TOKEN, or leave --host at 127.0.0.1"
        )
    uvicorn.run(http_app(server, hosts, token), host=host, port=port, log_level="warning")


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _TokenRequired:
    """Answers 401 to HTTP requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "").encode("latin-1", "replace")
            if not hmac.compare_digest(given, self._expected):
                headers = {"WWW-Authenticate": "Bearer"}
                refusal = PlainTextResponse("send the server's token", 401, headers)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
