"""Routes about the user's feedback: which answers were accepted or rejected."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from citewise.errors import BadInput
from citewise.feedback import FeedbackEntry
from citewise.http.bodies import body_of, documented
from citewise.http.desk import Desk, as_json, desk_of
from citewise.http.documents import described, problems
from citewise.http.library_documents import FeedbackDocument
from citewise.http.schemas import AskedQuery, FeedbackRequest
from citewise.preferences import Preferences
from citewise.types import Query

routes = APIRouter(tags=["feedback"])


@routes.post(
    "/v1/feedback",
    status_code=204,
    openapi_extra=documented(FeedbackRequest),
    responses={
        204: {"description": "It was written down"},
        **problems(400, 404, 408, 409, 413, 415, 422, 503),
    },
)
async def record(
    request: Request, asked: Annotated[FeedbackRequest, Depends(body_of(FeedbackRequest))]
) -> Response:
    """Write down what the user says about an answer, in a file of the user's on this machine."""
    desk = desk_of(request)
    await desk.run(lambda: _record(desk, asked))
    return Response(status_code=204)


def _record(desk: Desk, asked: FeedbackRequest) -> None:
    library = desk.served.library()
    if not asked.paper.strip():
        raise BadInput("there is no id of a paper")
    entry = FeedbackEntry(library[asked.paper].id, asked.verdict, _query(asked.query), asked.rank)
    library.feedback().record(entry)


def _query(asked: AskedQuery | None) -> Query | None:
    if asked is None:
        return None
    return Query(
        title=asked.title,
        abstract=asked.abstract,
        sentence=asked.sentence,
        year=asked.year,
        since=asked.since,
        cited=tuple(asked.cited),
        hidden=tuple(asked.hidden),
        authors=tuple(asked.authors),
        preferences=Preferences.of(asked.preferences),
    )


@routes.get(
    "/v1/feedback",
    responses={**described(FeedbackDocument, "The entries"), **problems(409, 503)},
)
async def entries(request: Request) -> Response:
    """Return the user's feedback on this library, and the file that has it."""
    desk = desk_of(request)

    def work() -> dict[str, Any]:
        feedback = desk.served.library().feedback()
        return {
            "entries": msgspec.to_builtins(feedback.entries()),
            "file": str(feedback.path),
        }

    return as_json(await desk.run(work))


@routes.delete(
    "/v1/feedback",
    status_code=204,
    responses={204: {"description": "It was deleted"}, **problems(409, 503)},
)
async def clear(request: Request) -> Response:
    """Delete the user's feedback on this library."""
    desk = desk_of(request)
    await desk.run(lambda: desk.served.library().feedback().clear())
    return Response(status_code=204)
