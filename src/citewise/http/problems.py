"""Errors as problem documents (RFC 9457), with the library's error codes."""

from http import HTTPStatus
from typing import Any

import msgspec

from citewise.errors import CitewiseError

MEDIA_TYPE = "application/problem+json"

STATUSES = {
    "bad_input": 422,
    "missing_data": 404,
    "bad_library": 503,
    "library_busy": 503,
    "no_permission": 403,
    "unavailable": 503,
    "missing_extra": 501,
    "error": 500,
}
"""The status of each code of `citewise.errors`."""

TITLES = {
    "bad_input": "What was sent cannot be used",
    "missing_data": "Not found",
    "bad_library": "The library cannot be read",
    "library_busy": "The library is busy",
    "no_permission": "Not allowed",
    "unavailable": "A part of the cluster does not answer",
    "missing_extra": "A part of citewise is not installed",
    "error": "Something went wrong",
    "no_library": "There is no library yet",
    "library_exists": "There is a library already",
    "not_json": "The body is not JSON",
    "too_large": "Too large",
    "too_slow": "The body came too slowly",
    "overloaded": "Too many requests",
    "timeout": "The answer took too long",
    "token_required": "A token is required",
    "host_not_allowed": "This host name is not allowed",
    "cross_site": "Requests of other sites are not allowed",
    "not_acceptable": "No such format",
    "unsupported_media_type": "No such type of body",
    "not_found": "Not found",
    "method_not_allowed": "Method not allowed",
    "internal_error": "Something went wrong",
}
"""What each code means, in few words."""


class Problem(Exception):
    """An error with its HTTP status."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        headers: dict[str, str] | None = None,
        errors: list[dict[str, Any]] | None = None,
    ) -> None:
        """`errors` says where in a body which values cannot be used."""
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.headers, self.errors = headers or {}, errors

    def document(self) -> dict[str, Any]:
        """Return the problem document."""
        about = {
            "type": f"urn:citewise:problem:{self.code}",
            "title": TITLES.get(self.code) or HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        return about | ({"errors": self.errors} if self.errors else {})

    def body(self) -> bytes:
        """Return the problem document as JSON; what cannot be encoded becomes "?"."""
        document = self.document()
        document["detail"] = self.detail.encode("utf-8", "replace").decode()
        return msgspec.json.encode(document)


def problem_of(error: CitewiseError, hide: str = "") -> Problem:
    """Return the problem document of an error; the folder `hide` is cut from its message."""
    detail = str(error).replace(f"{hide}/", "") if hide else str(error)
    status = STATUSES.get(error.code, 500)
    headers = {"Retry-After": "5"} if error.code == "library_busy" else {}
    return Problem(status, error.code, detail, headers)


def overloaded() -> Problem:
    """Return the problem of a server that has too much to do."""
    return Problem(
        503,
        "overloaded",
        "the server has more requests than it can answer; try again in a moment",
        {"Retry-After": "1"},
    )


def no_library() -> Problem:
    """Return the problem of a server without a library."""
    return Problem(
        409,
        "no_library",
        "there is no library yet; send files to POST /v1/imports, or ask it for the sample",
    )
