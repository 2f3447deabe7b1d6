"""Connections between clients and nodes: who is let in, what strangers may send, encryption."""

import contextlib
import datetime
import ipaddress
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from citewise.engines.ray import sockets
from citewise.engines.ray.sockets import Connection, Endpoint, Listener, connect

HOST = "127.0.0.1"


def soon() -> float:
    return time.monotonic() + 10


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Answers with the question, backwards."""
    listening = Listener(HOST, lambda question: question[::-1])
    yield listening
    listening.close()


def plain(listener: Listener) -> socket.socket:
    """Return a connection of a stranger."""
    return socket.create_connection((HOST, listener.endpoint.port), 10)


def asked(connection: Connection, question: bytes) -> bytes:
    connection.send(question, soon())
    return bytes(connection.receive(soon()))


@pytest.mark.parametrize("size", [0, 1, 100_000, 20_000_000])
def test_questions_of_all_sizes_are_answered(listener: Listener, size: int) -> None:
    connection, content = connect(listener.endpoint, soon()), secrets.token_bytes(size)
    assert asked(connection, content) == content[::-1]
    assert asked(connection, b"and again") == b"niaga dna"
    connection.close()


def test_who_does_not_know_the_key_is_turned_away(listener: Listener) -> None:
    with pytest.raises(OSError, match=r"ended the connection|reset"):
        connect(listener.endpoint._replace(key=b"0" * 32), soon())


def test_a_node_that_does_not_know_the_key_is_left() -> None:
    """One that took the port of a node that has ended: it learns nothing of the key."""
    with socket.create_server((HOST, 0)) as impostor:

        def admit_anybody() -> None:
            accepted, _ = impostor.accept()
            with accepted:
                accepted.sendall(b"r" * 32)
                received = b""
                while len(received) < 64:
                    received += accepted.recv(64)
                accepted.sendall(received[32:])  # what the client has proved, sent back

        threading.Thread(target=admit_anybody, daemon=True).start()
        endpoint = Endpoint(HOST, impostor.getsockname()[1], b"k" * 32)
        with pytest.raises(PermissionError, match="another process listens there"):
            connect(endpoint, soon())


@pytest.mark.parametrize(
    "content",
    [b"", b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", b"\xff" * 64, b"\x80\x05" * 5_000],
)
def test_strangers_are_not_read_and_do_no_harm(listener: Listener, content: bytes) -> None:
    with plain(listener) as stranger:
        answered = b""
        with contextlib.suppress(OSError):  # the node may have ended the connection at any moment
            stranger.sendall(content)
            stranger.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while received := stranger.recv(4096):
                answered += received
    assert len(answered) <= 32, "nothing but the node's random bytes"
    connection = connect(listener.endpoint, soon())
    assert asked(connection, b"abc") == b"cba"
    connection.close()


def test_strangers_who_say_nothing_keep_nobody_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With certificates or without: of those who have proven nothing, the oldest is turned away."""
    monkeypatch.setattr(sockets, "_UNPROVEN", 5)
    for certificates in (False, True):
        if certificates:
            with_certificates(tmp_path / "ours", monkeypatch)
        listening = Listener(HOST, lambda question: question[::-1])
        silent = [plain(listening) for _ in range(12)]
        connection = connect(listening.endpoint, soon())
        assert asked(connection, b"abc") == b"cba"

        received = silent[0].recv(4096) + silent[0].recv(4096)
        assert len(received) <= 32, "the oldest has been turned away, and told nothing"
        assert len(listening._unproven) <= 5
        connection.close()
        listening.close()
        for each in silent:
            each.close()


def test_an_observed_proof_cannot_be_used_again(listener: Listener) -> None:
    """What one client sent is no proof for the next connection: the node's bytes are others."""
    seen = []
    with plain(listener) as first, plain(listener) as second:
        seen = [first.recv(32), second.recv(32)]
    assert seen[0] != seen[1]


def test_an_answer_that_does_not_come_is_waited_for_until_its_time() -> None:
    wait = threading.Event()
    listening = Listener(HOST, lambda question: b"late" if wait.wait(20) else b"")
    connection, start = connect(listening.endpoint, soon()), time.monotonic()
    connection.send(b"?", soon())
    with pytest.raises(TimeoutError):
        connection.receive(time.monotonic() + 0.2)
    assert time.monotonic() - start < 5
    wait.set()
    connection.close()
    listening.close()


def test_the_key_is_not_shown() -> None:
    assert repr(Endpoint(HOST, 7, b"secret")) == "127.0.0.1:7"


def test_with_ray_s_certificates_connections_are_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client without a certificate of the same authority is turned away, one without any, too."""
    with_certificates(tmp_path / "ours", monkeypatch)
    listening = Listener(HOST, lambda question: question)
    try:
        connection = connect(listening.endpoint, soon())
        assert isinstance(connection._socket, ssl.SSLSocket)
        assert connection._socket.version() == "TLSv1.3"
        content = secrets.token_bytes(3_000_000)
        assert asked(connection, content) == content
        connection.close()

        monkeypatch.setenv("RAY_USE_TLS", "0")
        with pytest.raises(OSError):  # the time is over, or the connection
            connect(listening.endpoint, time.monotonic() + 1)
        with_certificates(tmp_path / "others", monkeypatch)
        with pytest.raises(ssl.SSLError):
            connect(listening.endpoint, soon())
    finally:
        listening.close()


def with_certificates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a certificate of a new authority for a node, and tell Ray to use it."""
    folder.mkdir()
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
    authority = signed(name, name, authority_key, authority_key, authority=True)
    node = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "node")])
    certificate = signed(node, name, key, authority_key, authority=False)

    pem, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, no_password)
    contents = {
        "CA_CERT": authority.public_bytes(pem),
        "SERVER_CERT": certificate.public_bytes(pem),
        "SERVER_KEY": private,
    }
    for kind, content in contents.items():
        (folder / kind).write_bytes(content)
        monkeypatch.setenv(f"RAY_TLS_{kind}", str(folder / kind))
    monkeypatch.setenv("RAY_USE_TLS", "1")


def signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    by: ec.EllipticCurvePrivateKey,
    authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))]), False
        )
        .sign(by, hashes.SHA256())
    )


def test_an_error_in_an_answer_is_logged_and_the_next_question_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answer(question: bytes) -> bytes:
        if question == b"bad":
            raise OSError("the disk is gone")
        return question

    listening = Listener(HOST, answer)
    connection = connect(listening.endpoint, soon())
    with pytest.raises(OSError, match=r"ended the connection|reset"):
        asked(connection, b"bad")
    connection.close()
    assert "the disk is gone" in caplog.text
    again = connect(listening.endpoint, soon())
    assert asked(again, b"good") == b"good"
    again.close()
    listening.close()


def test_a_node_without_threads_answers_when_it_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    listening = Listener(HOST, lambda question: question)
    start, failed = threading.Thread.start, list[threading.Thread]()

    def fail_once(thread: threading.Thread) -> None:
        if not failed:
            failed.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", fail_once)
    with pytest.raises(OSError, match=r"ended the connection|reset"):
        connect(listening.endpoint, soon())
    connection = connect(listening.endpoint, soon())
    assert asked(connection, b"here") == b"here"
    connection.close()
    listening.close()
