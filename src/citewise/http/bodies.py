"""Read what a client sends: JSON bodies, checked; and which format it wants back."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from citewise.http.problems import Problem

Model = TypeVar("Model", bound=BaseModel)

_MOST_ERRORS = 20
"""Wrong values that are named."""


def is_json(request: Request) -> bool:
    """Return whether a request says that its body is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json"


def is_form(request: Request) -> bool:
    """Return whether a request says that its body has files."""
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


async def body(request: Request, model: type[Model]) -> Model:
    """Return the JSON body of a request; a Problem says what is wrong with it."""
    if not is_json(request):
        raise Problem(415, "unsupported_media_type", "send JSON: Content-Type: application/json")
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise refused(error) from None


def refused(error: ValidationError) -> Problem:
    """Return the problem of a body in which values are wrong, without these values."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    if found and found[0]["type"] == "json_invalid":
        return Problem(400, "not_json", f"the body cannot be read: {found[0]['msg']}")

    errors = [
        {"where": ".".join(map(str, each["loc"])), "problem": each["msg"]}
        for each in found[:_MOST_ERRORS]
    ]
    first = errors[0]
    where = f"{first['where']}: " if first["where"] else ""
    return Problem(422, "bad_input", f"{where}{first['problem']}", errors=errors)


def body_of(model: type[Model]) -> Callable[[Request], Coroutine[Any, Any, Model]]:
    """Return a dependency that reads a JSON body."""

    async def read(request: Request) -> Model:
        return await body(request, model)

    return read


def documented(model: type[BaseModel], files: bool = False) -> dict[str, Any]:
    """Return what the OpenAPI document says about the body of a request."""
    content: dict[str, Any] = {"application/json": {"schema": model.model_json_schema()}}
    if files:
        listed = {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}
        form = {"type": "object", "properties": {"files": listed}, "required": ["files"]}
        content["multipart/form-data"] = {"schema": form}
    return {"requestBody": {"required": True, "content": content}}


def negotiated(accept: str, offered: Mapping[str, str]) -> str:
    """Return the name of the format that a header Accept prefers; the first offered is the usual
    one. Problem 406 where none is wanted.
    """
    best, best_quality = "", 0.0
    for part in accept.split(",") if accept.strip() else ["*/*"]:
        kind, *parameters = (each.strip().lower() for each in part.split(";"))
        quality = _quality(parameters)
        found = next((name for media, name in offered.items() if _matches(kind, media)), "")
        if found and quality > best_quality:
            best, best_quality = found, quality
    if not best:
        known = ", ".join(offered)
        raise Problem(406, "not_acceptable", f"this can be had as {known}")
    return best


def _quality(parameters: list[str]) -> float:
    given = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    try:
        return min(max(float(given), 0.0), 1.0)
    except ValueError:
        return 0.0


def _matches(wanted: str, media: str) -> bool:
    if wanted in ("*/*", media):
        return True
    return wanted.endswith("/*") and media.startswith(wanted[:-1])
