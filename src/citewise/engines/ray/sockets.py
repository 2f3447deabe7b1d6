"""Connections on which questions and answers travel: a socket between a client and a node, where
either proves to the other that it knows the node's key.

A call of Ray's costs some milliseconds of processor time, and an answer takes ten rounds of them.

    node     32 random bytes
    client   32 random bytes, and their digest with the node's by the key
    node     a digest of both
    client   length, question;   node   length, answer;   ...

Nothing that is sent before the digests have been compared is read as a message.
"""

import contextlib
import hmac
import logging
import os
import secrets
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from citewise.engines.ray.addresses import uses_tls

_RANDOM = 32
_DIGEST = "sha256"
_LENGTH = 8
_PROOF_SECONDS = 10.0
"""Time that a client may take to prove that it knows the key."""

_AT_ONCE = 8
"""Questions that a node answers at once."""

_UNPROVEN = 256
"""Connections that have not yet proven that they know the key, at most: of more, the oldest is
ended, so that whoever fills them keeps nobody out.
"""

_IDLE_SECONDS = 60
"""Without a word, after which the system asks whether the other side is still there; and the time
that a client may take to read an answer.
"""

log = logging.getLogger(__name__)


class Endpoint(NamedTuple):
    """Where a node listens, and what proves that a client may ask it."""

    host: str
    port: int
    key: bytes

    def __repr__(self) -> str:
        """Return the address without the key."""
        return f"{self.host}:{self.port}"


class Connection:
    """One end of a connection; one thread at a time may use it."""

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened
        # else the system would wait for more to send
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):  # else a machine that is gone is missed after two hours
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _IDLE_SECONDS)

    def fileno(self) -> int:
        """Return what the system knows the connection by, to wait for several at once."""
        return self._socket.fileno()

    def send(self, message: bytes, until: float | None = None) -> None:
        """Send a message before a time of `time.monotonic`; OSError where that fails."""
        self._limit(until)
        self._socket.sendall(len(message).to_bytes(_LENGTH, "big") + message)

    def receive(self, until: float | None = None) -> bytearray:
        """Return the next message; OSError where none comes in time, or ever."""
        return self.read(int.from_bytes(self.read(_LENGTH, until), "big"), until)

    def read(self, count: int, until: float | None = None) -> bytearray:
        """Return the next `count` bytes."""
        content = bytearray(count)
        rest = memoryview(content)
        while rest:
            self._limit(until)
            got = self._socket.recv_into(rest)
            if not got:
                raise ConnectionResetError("the other side has ended the connection")
            rest = rest[got:]
        return content

    def write(self, content: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(content)

    def close(self) -> None:
        """End the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _limit(self, until: float | None) -> None:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError("no answer in time")
        self._socket.settimeout(left)


def connect(endpoint: Endpoint, until: float) -> Connection:
    """Connect to a node, prove that we know its key, and check that it does; OSError where it does
    not answer in time, or does not know the key.
    """
    left = max(until - time.monotonic(), 0.01)
    opened = socket.create_connection((endpoint.host, endpoint.port), left)
    try:
        if context := _encryption(server=False):
            opened = context.wrap_socket(opened)
        connection = Connection(opened)
        theirs = bytes(connection.read(_RANDOM, until))
        ours = secrets.token_bytes(_RANDOM)
        connection.write(ours + _proof(endpoint.key, b"client", theirs + ours))
        expected = _proof(endpoint.key, b"node", theirs + ours)
        if not hmac.compare_digest(connection.read(len(expected), until), expected):
            raise PermissionError("another process listens there")
    except BaseException:
        opened.close()
        raise
    return connection


def ready(connections: Mapping[str, tuple[Connection, float]]) -> Iterator[str]:
    """Yield the name of each connection on which something comes before its time, as it comes."""
    with selectors.DefaultSelector() as selector:
        for name, (connection, _) in connections.items():
            selector.register(connection, selectors.EVENT_READ, name)
        while waited := [key.data for key in selector.get_map().values()]:
            next_time = min(connections[name][1] for name in waited)
            found = selector.select(max(next_time - time.monotonic(), 0))
            for key, _ in found:
                selector.unregister(key.fileobj)
                yield key.data
            for name in waited if not found else ():
                if connections[name][1] <= time.monotonic():
                    selector.unregister(connections[name][0])


class Listener:
    """Answers those who know its key, each connection in a thread of its own."""

    def __init__(self, host: str, answer: Callable[[bytes], bytes]) -> None:
        """Listen at a free port of a host's address."""
        self._answer, self._slots = answer, threading.BoundedSemaphore(_AT_ONCE)
        self._unproven: dict[socket.socket, None] = {}
        self._changing = threading.Lock()
        self._encryption = _encryption(server=True)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=128)
        self._connections = set[Connection]()
        self.endpoint = Endpoint(host, self._socket.getsockname()[1], secrets.token_bytes(32))
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Listen no more, and end all connections."""
        with contextlib.suppress(OSError):  # wakes the thread that waits for clients
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for each in [*self._connections]:
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return
                time.sleep(0.1)  # no file descriptor is free, for example
                continue
            try:
                if self._encryption is not None:
                    accepted = self._encryption.wrap_socket(
                        accepted, server_side=True, do_handshake_on_connect=False
                    )
                self._end_oldest(accepted)
                threading.Thread(target=self._serve, args=(accepted,), daemon=True).start()
            except OSError:  # it is gone already
                accepted.close()
            except RuntimeError:  # the system has no thread left
                with self._changing:
                    self._unproven.pop(accepted, None)
                accepted.close()
                time.sleep(0.1)

    def _end_oldest(self, newest: socket.socket) -> None:
        """Note a new connection, and end the oldest that has not proven anything if these are too
        many.
        """
        with self._changing:
            self._unproven[newest] = None
            oldest = next(iter(self._unproven))
            if len(self._unproven) <= _UNPROVEN:
                return
            del self._unproven[oldest]
        with contextlib.suppress(OSError):  # its thread then closes it
            socket.socket.shutdown(oldest, socket.SHUT_RDWR)

    def _serve(self, accepted: socket.socket) -> None:
        """Answer on a connection until its other side ends it."""
        try:
            connection = self._admitted(accepted)
        except OSError:
            return
        finally:
            with self._changing:
                self._unproven.pop(accepted, None)

        self._connections.add(connection)
        try:
            while True:
                question = bytes(connection.receive())
                with self._slots:
                    answer = self._answered(question)
                connection.send(answer, time.monotonic() + _IDLE_SECONDS)
        except OSError:  # the other side has ended the connection, or this one
            pass
        finally:
            self._connections.discard(connection)
            connection.close()

    def _answered(self, question: bytes) -> bytes:
        """Return the answer to a question; an error ends the connection, and is logged."""
        try:
            return self._answer(question)
        except Exception as error:
            log.exception("a question of %d bytes was not answered", len(question))
            raise ConnectionAbortedError from error

    def _admitted(self, accepted: socket.socket) -> Connection:
        """Return the connection with a client that knows the key; OSError for any other."""
        until = time.monotonic() + _PROOF_SECONDS
        accepted.settimeout(_PROOF_SECONDS)
        try:
            if isinstance(accepted, ssl.SSLSocket):
                accepted.do_handshake()
            connection = Connection(accepted)
            ours = secrets.token_bytes(_RANDOM)
            connection.write(ours)
            theirs = bytes(connection.read(_RANDOM, until))
            expected = _proof(self.endpoint.key, b"client", ours + theirs)
            if not hmac.compare_digest(connection.read(len(expected), until), expected):
                raise PermissionError("a client that does not know the key")
            connection.write(_proof(self.endpoint.key, b"node", ours + theirs))
        except BaseException:
            accepted.close()
            raise
        return connection


def _proof(key: bytes, side: bytes, random: bytes) -> bytes:
    return hmac.digest(key, side + random, _DIGEST)


def _encryption(server: bool) -> ssl.SSLContext | None:
    """Return how to encrypt where Ray is told to do so, with the same certificates."""
    if not uses_tls():
        return None

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # nodes are known by addresses, and by their keys
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(os.environ["RAY_TLS_CA_CERT"])
    context.load_cert_chain(os.environ["RAY_TLS_SERVER_CERT"], os.environ["RAY_TLS_SERVER_KEY"])
    return context
