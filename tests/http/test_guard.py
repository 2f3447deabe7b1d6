"""Who may ask, how much, and what is written down."""

import logging
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from citewise.api import Library
from citewise.http.guard import check_host, check_site, cookie_of
from citewise.http.problems import Problem
from citewise.http.settings import Limits, Settings
from serving import Running, running

pytestmark = pytest.mark.slow


def test_a_web_site_that_points_to_this_machine_is_refused(client: httpx.Client) -> None:
    answer = client.get("/v1/library", headers={"Host": "evil.example"})
    assert answer.status_code == 403 and answer.json()["code"] == "host_not_allowed"
    for path in ("/", "/healthz", "/static/page.css", "/nothing"):
        assert client.get(path, headers={"Host": "evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "192.168.1.7", "Papers.Example:8"],
)
def test_hosts_of_its_own(host: str) -> None:
    check_host(host, Settings("library", "state", hosts=("papers.example",)))


def test_a_host_name_is_its_own_however_it_is_written() -> None:
    check_host("mybox:8000", Settings("library", "state", host="MyBox"))


@pytest.mark.parametrize(
    "others", ["", 'theme={"dark":true}; ', "a=b c; ", "a[0]=1; ", "x@y=1; ", "=; "]
)
def test_the_token_is_found_beside_other_programs_cookies(others: str) -> None:
    cookies = f"{others}citewise-token=T; z=1".encode()
    assert cookie_of({"cookie": cookies}) == "T"
    assert cookie_of({"cookie": others.encode()}) == ""


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "a:b:c"],
)
def test_hosts_of_others(host: str) -> None:
    with pytest.raises(Problem):
        check_host(host, Settings("library", "state", hosts=("papers.example",)))


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"origin": b"http://localhost:8000"}, True),
        ({"origin": b"https://localhost:8000", "sec-fetch-site": b"same-origin"}, True),
        ({"sec-fetch-site": b"none"}, True),
        ({"origin": b"http://localhost:3000"}, False),
        ({"origin": b"http://evil.example"}, False),
        ({"origin": b"null"}, False),
        ({"origin": b"http://[bad"}, False),
        ({"sec-fetch-site": b"cross-site"}, False),
        ({"sec-fetch-site": b"same-site"}, False),
    ],
)
def test_pages_of_other_sites(headers: dict[str, bytes], allowed: bool) -> None:
    if allowed:
        check_site(headers, "localhost:8000")
    else:
        with pytest.raises(Problem) as refused:
            check_site(headers, "localhost:8000")
        assert refused.value.status == 403


def test_a_form_of_another_site_changes_nothing(client: httpx.Client) -> None:
    foreign = {"Origin": "http://evil.example"}
    for method, path in (("POST", "/v1/imports"), ("DELETE", "/v1/feedback"), ("POST", "/")):
        answer = client.request(method, path, headers=foreign, files={"files": b"x"})
        assert answer.status_code == 403 and answer.json()["code"] == "cross_site"
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200, "a link"


def test_no_other_site_may_read(client: httpx.Client) -> None:
    answer = client.options(
        "/v1/library",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "GET"},
    )
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy


TOKEN = "a very secret word"


@pytest.fixture(scope="module")
def guarded(sample: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a token and small limits."""
    limits = Limits(body=1_000, body_seconds=0.5)
    where = Path(sample.stores.info.location)
    with running(where, tmp_path_factory.mktemp("state"), limits, TOKEN) as started:
        yield started


def test_a_token_is_needed(guarded: Running) -> None:
    with guarded.client() as client:
        for path in ("/v1/library", "/metrics", "/openapi.json", "/", "/nothing"):
            answer = client.get(path)
            assert answer.status_code == 401 and answer.json()["code"] == "token_required"
            assert answer.headers["www-authenticate"].startswith("Bearer")
        for path in ("/healthz", "/readyz"):
            assert client.get(path).status_code == 200
        for wrong in ("Bearer wrong", "Bearer", f"Basic {TOKEN}", TOKEN, "Bearer \xff"):
            headers = [(b"Authorization", wrong.encode("latin-1"))]
            assert client.get("/v1/library", headers=headers).status_code == 401
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/v1/library", headers=right).status_code == 200


def test_the_page_gets_the_token_as_a_cookie(guarded: Running) -> None:
    with guarded.client() as client:
        for wrong in ("wrong", "", "é"):
            assert client.get("/", params={"token": wrong}).status_code == 401
            assert client.post("/", params={"token": wrong}).status_code == 401
            assert client.get("/v1/library", params={"token": wrong}).status_code == 401
        assert client.get("/?xtoken=1").status_code == 401
        answer = client.get("/", params={"token": TOKEN})
        assert answer.status_code == 303 and "token=" not in answer.headers["location"]
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert client.get("/v1/library").status_code == 200
        assert client.get("/").status_code == 200


def test_bodies_are_bounded(guarded: Running) -> None:
    with guarded.client(Authorization=f"Bearer {TOKEN}") as client:
        announced = client.post("/v1/recommend", json={"title": "x" * 2_000})
        assert announced.status_code == 413 and announced.json()["code"] == "too_large"

        pieces = (b" " * 300 for _ in range(10))
        headers = {"Content-Type": "application/json"}
        unannounced = client.post("/v1/recommend", content=pieces, headers=headers)
        assert unannounced.status_code == 413
        assert client.post("/v1/recommend", json={"title": "x"}).status_code == 200


def test_what_is_logged_has_no_words_of_the_author(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("citewise.http").propagate = True
        client.post("/v1/recommend", json={"title": "mysecretdraft", "k": 1})
        client.get("/v1/search", params={"q": "mysecretdraft"})
        client.get("/v1/papers/mysecretdraft")
        client.get("/mysecretdraft")
        client.post("/v1/recommend", json={"title": ["mysecretdraft"]})
        client.post("/v1/cite", content=b'{"sentence": "mysecretdraft')
    lines = [record.getMessage() for record in caplog.records if record.name == "citewise.http"]
    assert any(line.startswith("POST /v1/recommend 200 ") for line in lines)
    assert any(line.startswith("GET /v1/papers/{id:path} 404 ") for line in lines)
    assert not [line for line in lines if "mysecret" in line]
