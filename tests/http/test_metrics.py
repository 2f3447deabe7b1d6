"""Counters as Prometheus reads them, of several processes."""

import math
import os
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from citewise.http.metrics import BUCKETS, Metrics

pytestmark = pytest.mark.slow


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_is_counted(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path, ["/a", "/b"])
    for route, status, seconds in (("/a", 200, 0.004), ("/a", 200, 0.3), ("/a", 503, 99.0)):
        metrics.begin()
        metrics.end(route, status, seconds)
    metrics.begin()
    metrics.begin()
    metrics.end("/unknown", 200, 0.02)

    found = samples(metrics.text({"library_papers": 7.0}))
    assert found["citewise_requests_total", (("route", "/a"), ("status", "200"))] == 2
    assert found["citewise_requests_total", (("route", "/a"), ("status", "503"))] == 1
    assert found["citewise_requests_total", (("route", "other"), ("status", "200"))] == 1
    assert found["citewise_requests_in_flight", ()] == 1
    assert found["citewise_library_papers", ()] == 7
    assert found["citewise_request_seconds_count", (("route", "/a"),)] == 3
    assert math.isclose(found["citewise_request_seconds_sum", (("route", "/a"),)], 99.304)
    below = [
        found[
            "citewise_request_seconds_bucket",
            (("le", f"{bound:g}" if bound != math.inf else "+Inf"), ("route", "/a")),
        ]
        for bound in (*BUCKETS, math.inf)
    ]
    assert below == [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3]


def test_processes_are_added_up(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path, ["/a"])
    metrics.begin()
    metrics.begin()
    metrics.end("/a", 200, 0.1)
    content = (tmp_path / f"{os.getpid()}.counters").read_bytes()
    (tmp_path / "999999999.counters").write_bytes(content)  # of a process that is gone
    (tmp_path / "999999998.counters").write_bytes(b"half")
    found = samples(metrics.text({}))
    assert found["citewise_requests_total", (("route", "/a"), ("status", "200"))] == 2
    assert found["citewise_requests_in_flight", ()] == 1, "nothing of a dead process is in flight"


def test_a_server_counts(client: httpx.Client) -> None:
    label = (("route", "/v1/systems"), ("status", "200"))
    before = samples(client.get("/metrics").text).get(("citewise_requests_total", label), 0)
    client.get("/v1/systems")
    answer = client.get("/metrics")
    found = samples(answer.text)
    assert found["citewise_requests_total", label] == before + 1
    assert found["citewise_library_papers", ()] == 239
    generation = client.get("/v1/library").json()["generation"]
    assert found["citewise_library_generation", ()] == generation
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
