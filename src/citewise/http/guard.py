"""What stands before every request: who may ask, how much, and what is written down about it."""

import asyncio
import hmac
import ipaddress
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from citewise.http.metrics import Metrics
from citewise.http.problems import MEDIA_TYPE, Problem
from citewise.http.settings import Settings

log = logging.getLogger("citewise.http")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

UPLOADS = frozenset(("/v1/imports", "/v1/read"))
"""Paths that take files."""

OPEN = ("/static/", "/healthz", "/readyz")
"""What needs no token: the page's files, and what supervisors ask for."""

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        b"frame-ancestors 'none'",
    ),
]

WENT_AWAY = 499


class ClientGone(Exception):
    """The client closed its connection before its body had come."""


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send)
        begun = time.perf_counter()
        self.metrics.begin()
        try:
            self._check(scope)
            limited = _LimitedBody(receive, *self._body_limits(scope))
            await self.app(scope, limited, answer)
        except ClientGone:
            answer.status = WENT_AWAY
        except Problem as problem:
            await answer.problem(problem)
        except Exception as error:
            _note(error)
            await answer.problem(failed())
        finally:
            seconds = time.perf_counter() - begun
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.end(route, answer.status, seconds)
            # the route only: paths and queries can have an author's words
            log.info("%s %s %d %.1f ms", scope["method"], route, answer.status, seconds * 1000)

    def _check(self, scope: Scope) -> None:
        """Raise a Problem for a request that may not come in."""
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        host = headers.get("host", b"").decode("latin-1")
        check_host(host, self.settings)
        if scope["path"].startswith("/v1/") or scope["method"] not in ("GET", "HEAD"):
            check_site(headers, host)
        if self.settings.token and not scope["path"].startswith(OPEN):
            check_token(headers, scope, self.settings.token)

    def _body_limits(self, scope: Scope) -> tuple[int, float]:
        """Return how many bytes a request may send, and how long it may pause; a body that says
        that it is larger is refused unread.
        """
        limits = self.settings.limits
        headers = dict(scope["headers"])
        is_form = headers.get(b"content-type", b"").startswith(b"multipart/form-data")
        largest = limits.upload if is_form and scope["path"] in UPLOADS else limits.body
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > largest:
            raise too_large(largest)
        return largest, limits.body_seconds


class _LimitedBody:
    """Receives a body in pieces, as long as it is not too large and does not come too slowly."""

    def __init__(self, receive: Receive, largest: int, seconds: float) -> None:
        self._receive, self._largest, self._seconds = receive, largest, seconds
        self._size, self._whole = 0, False

    async def __call__(self) -> Message:
        if self._whole:  # the next message only says that the client is gone
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._seconds)
        except TimeoutError:
            raise Problem(
                408, "too_slow", f"no part of the body came for {self._seconds:g} seconds"
            ) from None

        if message["type"] == "http.disconnect":
            raise ClientGone
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._largest:
            raise too_large(self._largest)
        return message


class _Answer:
    """Sends an answer with the headers that all have, and remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = WENT_AWAY
        self.begun = self.ended = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
        elif message["type"] == "http.response.body":
            self.ended = not message.get("more_body", False)
        await self._send(message)

    async def problem(self, problem: Problem) -> None:
        """Send a problem document, unless an answer has begun: one that is not whole is cut off."""
        if self.ended:
            return
        if self.begun:
            raise ConnectionAbortedError(problem.code) from None
        body = problem.body()
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            # what is left of a body that was not read would be taken for the next request
            *([(b"connection", b"close")] if problem.status in (408, 413) else []),
            *((name.lower().encode(), text.encode()) for name, text in problem.headers.items()),
        ]
        await self({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def failed() -> Problem:
    """Return the problem of an error that nobody expected."""
    return Problem(500, "internal_error", "the server failed; its log says where")


def too_large(largest: int) -> Problem:
    """Return the problem of a body with too many bytes."""
    return Problem(413, "too_large", f"the body has more than {largest:,} bytes")


def check_host(host: str, settings: Settings) -> None:
    """Raise Problem 403 unless a Host header is an address or a name of this server's own.

    A web site whose name was made to point to 127.0.0.1 (DNS rebinding) sends its own name.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        allowed = _is_address(name) or name in _names(settings)
    except ValueError:
        allowed = False
    if not allowed:
        raise Problem(
            403,
            "host_not_allowed",
            "the server does not answer to this host name; start it with --allow-host NAME",
        )


def _names(settings: Settings) -> set[str]:
    """Return the names of this server, as `urlsplit` writes them."""
    return {name.lower() for name in ("localhost", settings.host, *settings.hosts)}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def check_site(headers: dict[str, bytes], host: str) -> None:
    """Raise Problem 403 for a request that a browser sends for a page of another site (CSRF)."""
    site = headers.get("sec-fetch-site", b"none")
    origin = headers.get("origin")
    foreign = origin is not None and _authority(origin.decode("latin-1")) != host.lower()
    if site not in (b"none", b"same-origin") or foreign:
        raise Problem(403, "cross_site", "this request comes from a page of another site")


def _authority(origin: str) -> str:
    """Return host and port of an origin; "null" has none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def check_token(headers: dict[str, bytes], scope: Scope, token: str) -> None:
    """Raise Problem 401 unless a request has the token: as a bearer, or in the page's cookie."""
    scheme, _, bearer = headers.get("authorization", b"").partition(b" ")
    given = [bearer.strip()] if scheme.lower() == b"bearer" else []
    given += [cookie_of(headers).encode("utf-8", "replace")]
    query = scope["query_string"].decode("latin-1")
    in_query = "token" in parse_qs(query, keep_blank_values=True)
    if in_query and (scope["method"], scope["path"]) == ("GET", "/"):
        return  # the page itself compares it, and sets the cookie
    if not any(hmac.compare_digest(each, token.encode()) for each in given):
        raise Problem(
            401,
            "token_required",
            "send the server's token: Authorization: Bearer TOKEN",
            {"WWW-Authenticate": 'Bearer realm="citewise"'},
        )


COOKIE = "citewise-token"


def cookie_of(headers: dict[str, bytes]) -> str:
    """Return the token in the page's cookie, or "".

    Other programs on this host set cookies of their own, at some of which `SimpleCookie` gives up:
    only ours is read.
    """
    for part in headers.get("cookie", b"").decode("latin-1").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            found = SimpleCookie(f"{COOKIE}={value}").get(COOKIE)
            return found.value if found is not None else ""
    return ""


def _note(error: Exception) -> None:
    """Log where an unexpected error was raised; not its message, which may have a draft's text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{frame.name} ({frame.filename}:{frame.lineno})" for frame in frames[::-1])
    log.error("%s in %s", type(error).__name__, where)
