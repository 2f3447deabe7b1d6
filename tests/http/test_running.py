"""The command that serves: addresses, processes that die, the end."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from citewise.errors import MissingExtra
from citewise.http import running
from citewise.http.running import is_local
from command_line import Run
from serving import PATIENCE, until

pytestmark = pytest.mark.slow

ASKED = {"title": "bees and clocks", "k": 3}


@contextlib.contextmanager
def served(library: Path, *options: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `citewise serve` in a process of its own; give it and its address."""
    command = [sys.executable, "-m", "citewise", "serve", "--library", library, "--no-browser"]
    with subprocess.Popen(
        [*map(str, command), "--port", "0", *map(str, options)],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            yield process, next(_addresses(process.stderr))
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _addresses(lines: Iterator[str]) -> Iterator[str]:
    """Yield the addresses that a server says it has."""
    seen = []
    for line in lines:
        seen.append(line)
        yield from re.findall(r"http://\S+:\d+", line)
    raise AssertionError("".join(seen))


def _workers(process: int) -> set[int]:
    """Return the processes that answer for a server."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    names = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return {child for child, name in names.items() if b"resource_tracker" not in name}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_worker_that_is_killed_under_load(library: Path) -> None:
    """Its requests end without an answer; the others go on, and a new worker takes its place."""
    with served(library, "--workers", 2) as (process, address):
        until(lambda: len(_workers(process.pid)) == 2)
        before = _workers(process.pid)
        seen: Counter[object] = Counter()

        def ask() -> None:
            try:
                seen[client.post("/v1/recommend", json=ASKED).status_code] += 1
            except httpx.TransportError as error:
                seen[type(error)] += 1

        with (
            httpx.Client(base_url=address, timeout=PATIENCE) as client,
            ThreadPoolExecutor(4) as clients,
        ):
            done = [clients.submit(ask) for _ in range(20)]
            done[5].result()
            os.kill(min(before), signal.SIGKILL)
            done += [clients.submit(ask) for _ in range(20)]
            for each in done:
                each.result()
        assert seen.keys() - {httpx.ReadError, httpx.RemoteProtocolError} == {200}
        assert seen[200] >= 30, seen

        until(lambda: len(_workers(process.pid) - before) == 1)
        assert httpx.get(f"{address}/readyz", timeout=PATIENCE).status_code == 200


def test_the_end_lets_requests_finish(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "temporary"
    state.mkdir()
    monkeypatch.setenv("TMPDIR", str(state))
    text = "\n\n".join(f"Bees dance number {number}." for number in range(150))
    with (
        served(library) as (process, address),
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
        ThreadPoolExecutor(1) as other,
    ):
        assert [*state.iterdir()]
        asked = other.submit(client.post, "/v1/passage", json={"text": text})
        until(lambda: "\ncitewise_requests_in_flight 2\n" in client.get("/metrics").text)
        process.send_signal(signal.SIGTERM)
        assert asked.result().status_code == 200
        assert process.wait(PATIENCE) == 0
        with pytest.raises(httpx.ConnectError):
            client.get("/healthz")
    assert not [*state.iterdir()], "its folder is removed"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("papers.example", False),
    ],
)
def test_addresses_of_this_machine_only(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_a_public_address_needs_a_token(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEWISE_TOKEN", raising=False)
    done = run("serve", "--library", library, "--host", "0.0.0.0", "--no-browser")
    assert done.code == 2 and "--token" in done.err and "--public" in done.err


def test_a_port_that_is_taken(run: Run, library: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--library", library, "--port", taken.getsockname()[1], "--no-browser")
    assert done.code == 2 and "--port" in done.err


def test_an_empty_library(run: Run) -> None:
    assert run("serve", "--library", " ", "--no-browser").code == 2


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(MissingExtra, match=r"pip install 'citewise\[serve\]'"):
        running.require_extra()
