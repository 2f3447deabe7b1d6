"""The OpenAPI document: complete, and true of what the server answers."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from jsonschema_rs import validator_for
from schemathesis import GenerationMode, checks

from serving import Running

pytestmark = pytest.mark.slow

EXAMPLES = 4
"""Requests that are made up for each operation: enough for seconds, not minutes."""

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


def test_every_route_is_described(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    described = {(method, path) for path, each in document["paths"].items() for method in each}
    assert {
        ("post", "/v1/read"),
        ("post", "/v1/recommend"),
        ("post", "/v1/cite"),
        ("post", "/v1/passage"),
        ("get", "/v1/papers/{id}"),
        ("get", "/v1/papers/{id}/references"),
        ("get", "/v1/papers/{id}/citers"),
        ("get", "/v1/papers/{id}/evidence"),
        ("get", "/v1/search"),
        ("post", "/v1/map"),
        ("post", "/v1/bibliography"),
        ("get", "/v1/library"),
        ("get", "/v1/systems"),
        ("post", "/v1/imports"),
        ("get", "/v1/imports/{job}"),
        ("get", "/v1/imports/{job}/events"),
        ("post", "/v1/feedback"),
        ("get", "/v1/feedback"),
        ("delete", "/v1/feedback"),
        ("get", "/healthz"),
        ("get", "/readyz"),
        ("get", "/metrics"),
    } <= described
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["description"], (method, path)
            problems = [
                answer["content"]
                for status, answer in operation["responses"].items()
                if int(status) >= 400
            ]
            assert all([*content] == ["application/problem+json"] for content in problems), path


def test_problems_are_as_described(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()["components"]["schemas"]["ProblemDocument"]
    validator = validator_for(schema)
    for answer in (
        client.get("/v1/papers/none"),
        client.post("/v1/recommend", json={"k": "x"}),
        client.get("/v1/nothing"),
        client.get("/v1/library", headers={"Host": "evil.example"}),
    ):
        assert validator.is_valid(answer.json()), answer.text


OPERATIONS = [
    ("POST", "/v1/read"),
    ("POST", "/v1/recommend"),
    ("POST", "/v1/cite"),
    ("POST", "/v1/passage"),
    ("POST", "/v1/map"),
    ("POST", "/v1/bibliography"),
    ("POST", "/v1/feedback"),
    ("GET", "/v1/feedback"),
    ("GET", "/v1/papers/{id}"),
    ("GET", "/v1/papers/{id}/references"),
    ("GET", "/v1/papers/{id}/evidence"),
    ("GET", "/v1/citers"),
    ("GET", "/v1/search"),
    ("GET", "/v1/library"),
    ("GET", "/v1/systems"),
    ("GET", "/v1/imports/{job}"),
    ("GET", "/v1/imports/{job}/events"),
    ("GET", "/readyz"),
]
"""What is asked with made-up requests; imports would take minutes."""


@pytest.mark.parametrize("mode", GenerationMode, ids=lambda mode: str(mode.value))
def test_schemathesis_finds_nothing(server: Running, mode: GenerationMode) -> None:
    """Made-up requests, good and bad, get answers as they are described."""
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json")
    for method, path in OPERATIONS:
        try:
            cases = schema[path][method].as_strategy(generation_mode=mode)
            _check(cases, server.address)
        except Unsatisfiable:  # nothing about it can be wrong
            assert mode is GenerationMode.NEGATIVE


def _check(cases: SearchStrategy[schemathesis.Case[Any]], address: str) -> None:
    @settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(cases)
    def check(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(base_url=address, checks=CHECKS)

    check()
