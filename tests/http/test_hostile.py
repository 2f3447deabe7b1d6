"""Hostile bodies and clients: documented answers, no traceback, and a server that goes on."""

import io
import json
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from citewise.api import Library
from citewise.http.settings import MB, Limits
from serving import Running, imported, raw, running, until

pytestmark = pytest.mark.slow

JSON = {"Content-Type": "application/json"}
PATHS = ("read", "recommend", "cite", "passage", "map", "bibliography", "imports", "feedback")
DEEP = 200_000

BODIES = {
    "empty": b"",
    "not JSON": b"title=x",
    "cut off": b'{"title": "x',
    "an array": b"[]",
    "null": b"null",
    "a number": b"1e999",
    "deep arrays": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"title":' * DEEP + b"1" + b"}" * DEEP,
    "deep in a field": b'{"preferences":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "NUL bytes": b"\0\0\0",
    "not UTF-8": b'{"title": "\xff\xfe"}',
    "UTF-16": '{"title": "x"}'.encode("utf-16"),
    "a lone surrogate": rb'{"title": "\ud800", "sentence": "\ud800", "text": "\udfff x"}',
    "a surrogate as bytes": b'{"title": "\xed\xa0\x80"}',
    "NaN": b'{"title": "x", "preferences": {"prefer_recent": NaN}}',
    "a huge number": b'{"title": "x", "k": ' + b"9" * 5_000 + b"}",
    "a huge float": b'{"title": "x", "preferences": {"prefer_recent": 1e400}}',
    "wrong types": b'{"title": {"a": 1}, "sentence": [1], "text": true, "ids": 3, "cited": "x"}',
    "a float for k": b'{"title": "x", "sentence": "x", "text": "x", "k": 1.5}',
    "two titles": b'{"title": "x", "title": 5}',
    "a prototype": b'{"__proto__": {"title": "x"}, "constructor": 1}',
}


def assert_problem(answer: httpx.Response) -> None:
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code and answer.json()["code"]
    assert "Traceback" not in answer.text and ".py" not in answer.text


@pytest.mark.parametrize("name", BODIES)
def test_bodies_that_are_no_requests(client: httpx.Client, name: str) -> None:
    for path in PATHS:
        assert_problem(client.post(f"/v1/{path}", content=BODIES[name], headers=JSON))


@pytest.mark.parametrize("kind", ["", "text/plain", "application/xml", "multipart/form-data", "%"])
def test_bodies_of_other_types(client: httpx.Client, kind: str) -> None:
    for path in PATHS:
        answer = client.post(
            f"/v1/{path}", content=b'{"title": "x"}', headers={"Content-Type": kind}
        )
        assert_problem(answer)


ODD = {
    "NUL": "a\0b",
    "controls": "".join(map(chr, range(32))) + " bees",
    "right to left": "\u202eseeb \u2066",
    "combining": "a" + "\u0301" * 5_000,
    "emoji": "🐝" * 2_000,
    "long word": "x" * 200_000,
    "many words": " ".join(f"w{number}" for number in range(30_000)),
    "one word often": "ranking " * 50_000,
    "braces": "{" * 20_000,
    "LaTeX": r"\title{" * 3_000 + r"\cite{" * 3_000,
    "brackets": "[@" * 20_000,
    "dots": ". " * 20_000,
    "ids": ",".join(["10.1/x"] * 10_000),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_texts_are_answered(client: httpx.Client, name: str) -> None:
    text, begun = ODD[name], time.monotonic()
    for path, asked in (
        ("recommend", {"title": text}),
        ("recommend", {"title": "x", "abstract": text, "k": 3}),
        ("recommend", {"text": f"Bees\n\n{text}", "k": 3}),
        ("read", {"text": text}),
        ("cite", {"sentence": text}),
        ("passage", {"text": text}),
        ("bibliography", {"ids": [text[:1_000]], "format": "bibtex"}),
        ("map", {"cited": [text[:1_000]]}),
    ):
        answer = client.post(f"/v1/{path}", json=asked)
        assert answer.status_code in (200, 404, 422), (path, answer.text)
    name = quote(text[:500], safe="")
    for address in (f"/v1/papers/{name}", f"/v1/papers/{name}/citers", f"/v1/citers?id={name}"):
        assert client.get(address).status_code in (404, 422)
    assert client.get("/v1/search", params={"q": text[:1_000]}).status_code in (200, 422)
    assert time.monotonic() - begun < 60, "no text takes long"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server without a library, with small limits for uploads."""
    folder = tmp_path_factory.mktemp("small")
    limits = Limits(upload=2 * MB, unpacked=4 * MB, files=20, body_seconds=0.5)
    with running(folder / "library", folder / "state", limits) as started:
        yield started


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


BIB = b"@article{a, title={Bees and clocks}, author={Doe, Jane}, year={2001}}"


def test_a_zip_bomb(small: Running) -> None:
    bomb = zipped({"a.bib": b"\0" * (5 * MB)})
    with small.client() as client:
        state = imported(client, client.post("/v1/imports", files={"files": ("b.zip", bomb)}))
        assert state["state"] == "failed" and state["error"]["code"] == "too_large"  # type: ignore[index]
        assert client.get("/v1/library").json()["open"] is False
    assert not [*Path(small.settings.state).glob("jobs/*/files/*")], "uploads are removed"


@pytest.mark.parametrize(
    "body",
    [
        b"--x\r\n",
        b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\nx\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\nx\r\n--x--\r\n',
        b"\xff" * 1_000,
        b"",
    ],
)
def test_forms_that_are_none(small: Running, body: bytes) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    with small.client() as client:
        for path in ("/v1/imports", "/v1/read", "/"):
            answer = client.post(path, content=body, headers=headers)
            assert answer.status_code < 500, answer.text
            assert "Traceback" not in answer.text
        assert_problem(client.post("/v1/imports", content=body, headers=headers))


def test_uploads_are_bounded(small: Running) -> None:
    with small.client() as client:
        for path in ("/v1/imports", "/v1/read"):
            answer = client.post(path, files={"files": ("a.bib", b"x" * 3 * MB)})
            assert answer.status_code == 413
        many = [("files", (f"{number}.bib", BIB)) for number in range(30)]
        assert_problem(client.post("/v1/imports", files=many))
    until(lambda: not [*Path(small.settings.state).glob("jobs/*/files/*")])


def test_a_client_that_sends_slowly_is_sent_away(small: Running) -> None:
    head = (
        b"POST /v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    answer = raw(small.port, head, seconds=2)
    assert answer.startswith(b"HTTP/1.1 408 ") and b'"too_slow"' in answer


def test_clients_that_go_away(server: Running) -> None:
    body = json.dumps({"title": "ranking", "k": 50}).encode()
    head = (
        b"POST /v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    for sent in (head, head + body[:5], head + body):
        for _ in range(10):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(sent)
    with server.client() as client:
        until(lambda: "\ncitewise_requests_in_flight 1\n" in client.get("/metrics").text)
        assert client.post("/v1/recommend", json={"title": "ranking"}).status_code == 200
        assert 'status="500"' not in client.get("/metrics").text


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /v1/papers/%00%ff%fe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /static/..%2f..%2fapi.py HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /static/../../api.py HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
)
def test_requests_that_are_no_http(server: Running, sent: bytes) -> None:
    answer = raw(server.port, sent, seconds=8)
    assert not answer or answer.startswith(b"HTTP/1.1 4"), answer[:200]
    with server.client() as client:
        assert client.get("/healthz").status_code == 200


def test_an_unexpected_error_shows_nothing(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Library, text: str, limit: int = 10) -> None:
        raise ZeroDivisionError(f"secret {text}")

    monkeypatch.setattr(Library, "search", broken)
    answer = client.get("/v1/search", params={"q": "words"})
    assert answer.status_code == 500 and answer.json()["code"] == "internal_error"
    assert "secret" not in answer.text and "Zero" not in answer.text
    assert "secret" not in caplog.text
