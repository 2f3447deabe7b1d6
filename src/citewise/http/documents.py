"""Problems and media types, as the OpenAPI document describes them, and how routes name answers."""

from typing import Any

from pydantic import BaseModel, Field

BIBLIOGRAPHY_TYPES = {
    "application/x-bibtex": "bibtex",
    "application/x-research-info-systems": "ris",
    "application/vnd.citationstyles.csl+json": "csl",
    "text/markdown": "markdown",
}
"""Formats of bibliographies by media type."""


class ProblemDocument(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(examples=["urn:citewise:problem:bad_input"])
    title: str = Field(examples=["What was sent cannot be used"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["k is at most 1000, not 5000"])
    code: str = Field(examples=["bad_input"])
    errors: list[dict[str, str]] | None = None


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the problem documents that a route may answer with; some come from every route."""
    return {
        status: {
            "description": _MEANINGS[status],
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
        for status in sorted({*statuses, 401, 403, 500})
    }


_PROBLEM = {"$ref": "#/components/schemas/ProblemDocument"}
_MEANINGS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "The host name or the site that asks is not allowed, or the library may not be changed",
    404: "No such paper or job",
    406: "The formats of Accept cannot be had",
    408: "The body came too slowly",
    409: "There is no library yet, or, for the sample, there is one already",
    413: "The body is too large",
    415: "The body's type is not taken here",
    422: "A value cannot be used",
    500: "The server failed",
    501: "A part of citewise is not installed",
    503: "Too many requests, no answer in time, or the library cannot be read; see Retry-After",
}


def described(model: type[BaseModel], about: str) -> dict[int | str, dict[str, Any]]:
    """Return the usual answer of a route."""
    return {200: {"model": model, "description": about}}
