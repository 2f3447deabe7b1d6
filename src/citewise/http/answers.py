"""Routes that answer: read a draft, recommend for it, cite for a sentence, check a passage."""

import functools
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from citewise import systems
from citewise.api import Library
from citewise.drafts.passages import DraftSentence, lines_of, sentences_of
from citewise.drafts.query import DraftOptions, ReadQuery
from citewise.errors import BadInput, CitewiseError
from citewise.http.answer_documents import ANSWERS
from citewise.http.bodies import body, body_of, documented, is_form, negotiated
from citewise.http.desk import Desk, as_json, desk_of
from citewise.http.documents import BIBLIOGRAPHY_TYPES, problems
from citewise.http.events import event
from citewise.http.problems import Problem, problem_of
from citewise.http.schemas import CiteRequest, PassageRequest, ReadRequest, RecommendRequest
from citewise.http.unpacking import sources_of
from citewise.http.uploads import received
from citewise.preferences import Preferences
from citewise.render.passages import PassageAnswer
from citewise.types import Answer

routes = APIRouter(tags=["answers"])

MARKED_WITH = 5
"""Papers a sentence by whose evidence a passage is marked, as the command line does by default."""

_EVIDENCE = 2
"""Sentences that are shown for each of these papers."""

AnswerTypes = {"application/json": "json", **BIBLIOGRAPHY_TYPES}
"""The formats of an answer by media type."""


@routes.post(
    "/v1/read",
    openapi_extra=documented(ReadRequest, files=True),
    responses={**ANSWERS["read"], **problems(400, 408, 409, 413, 415, 422, 503)},
)
async def read(request: Request) -> Response:
    """Say what is understood of a draft; `query` can be sent to /v1/recommend as it is.

    The draft is pasted text, or a file with the files that belong to it.
    """
    desk = desk_of(request)
    if not is_form(request):
        asked = await body(request, ReadRequest)
        options = DraftOptions(text=asked.text)
        return as_json(await desk.run(lambda: _read(desk.served.library(), None, options)))

    async with received(request, desk.settings) as folder:
        return as_json(await desk.run(lambda: _read_files(desk, folder)))


def _read_files(desk: Desk, folder: Path) -> dict[str, Any]:
    """Return what is understood of the draft among some files."""
    library = desk.served.library()
    try:
        draft, bibliographies = sources_of(folder, desk.settings.limits)
        return _read(library, draft, DraftOptions(bibliographies=bibliographies))
    except CitewiseError as error:
        raise problem_of(error, str(folder)) from None


def _read(library: Library, draft: str | None, options: DraftOptions) -> dict[str, Any]:
    if not draft and not options.text.strip():
        raise BadInput("there is no text to read")
    found = library.query(draft, options)
    query = found.query
    asked = {
        "title": query.title,
        "abstract": query.abstract,
        "authors": query.authors,
        "cited": query.cited,
        "hidden": query.hidden,
    }
    return {"query": asked, "read": asdict(found.read), "unknown": found.unknown}


@routes.post(
    "/v1/recommend",
    openapi_extra=documented(RecommendRequest),
    responses={**ANSWERS["recommend"], **problems(400, 406, 408, 409, 413, 415, 422, 501, 503)},
)
async def recommend(
    request: Request,
    asked: Annotated[RecommendRequest, Depends(body_of(RecommendRequest))],
    stream: Annotated[
        bool, Query(description="Send the answer by words first, then the refined one.")
    ] = False,
) -> Response:
    """Recommend papers that a draft should cite.

    The answer is the JSON of `citewise recommend --format json`, or the bibliography in the format
    that Accept names. As a stream, it is two server-sent events: `fast` and `refined`.
    """
    desk = desk_of(request)
    desk.check_k(asked.k)
    desk.check_ids(asked.cited, asked.hidden, asked.authors)
    accept = request.headers.get("accept", "")
    if stream or "text/event-stream" in accept:
        await desk.run(lambda: _options(asked) and systems.served_name(asked.system))
        return StreamingResponse(_streamed(desk, asked), media_type="text/event-stream")

    format = negotiated(accept, AnswerTypes)
    answer = functools.partial(_recommended, desk, asked, asked.system)
    text = await desk.run(lambda: answer().to(format))
    return Response(text, media_type=_media_type(format))


def _recommended(desk: Desk, asked: RecommendRequest, system: str) -> Answer:
    library = desk.served.library()
    named = systems.served_name(system)
    read = library.query(None, _options(asked))
    return library.answer(read, asked.k, named, asked.explain, asked.evidence)


def _options(asked: RecommendRequest) -> DraftOptions:
    return DraftOptions(
        title=asked.title,
        abstract=asked.abstract,
        text=asked.text,
        cited=tuple(asked.cited),
        hidden=tuple(asked.hidden),
        authors=tuple(asked.authors),
        year=asked.year,
        since=asked.since,
        preferences=Preferences.of(asked.preferences),
    )


async def _streamed(desk: Desk, asked: RecommendRequest) -> AsyncIterator[bytes]:
    """Yield the events of a streamed answer; where one fails, an event `problem` is the last."""
    for name, system in (("fast", systems.BASELINE), ("refined", asked.system)):
        answer = functools.partial(_recommended, desk, asked, system)
        try:
            yield event(name, await desk.run(lambda answer=answer: answer().to("json")))  # type: ignore[misc]
        except CitewiseError as error:
            yield event("problem", problem_of(error).body().decode())
            return
        except Problem as problem:
            yield event("problem", problem.body().decode())
            return


def _media_type(format: str) -> str:
    return next(media for media, name in AnswerTypes.items() if name == format)


@routes.post(
    "/v1/cite",
    openapi_extra=documented(CiteRequest),
    responses={**ANSWERS["cite"], **problems(400, 406, 408, 409, 413, 415, 422, 501, 503)},
)
async def cite(
    request: Request, asked: Annotated[CiteRequest, Depends(body_of(CiteRequest))]
) -> Response:
    """Recommend papers to cite for a sentence, each with sentences that cite it for similar claims.

    The answer is the JSON of `citewise cite --format json`, or the bibliography that Accept names.
    """
    desk = desk_of(request)
    desk.check_k(asked.k)
    desk.check_ids(asked.cited)
    format = negotiated(request.headers.get("accept", ""), AnswerTypes)
    text = await desk.run(lambda: _cited(desk.served.library(), asked).to(format))
    return Response(text, media_type=_media_type(format))


def _cited(library: Library, asked: CiteRequest) -> PassageAnswer:
    sentences = lines_of(" ".join(asked.sentence.split()))
    if not sentences:
        raise BadInput("there is no sentence to find citations for")
    options = DraftOptions(
        title=asked.title,
        abstract=asked.abstract,
        cited=tuple(asked.cited),
        year=asked.year,
        since=asked.since,
    )
    context, system = library.query(None, options), systems.served_name(asked.system)
    return library.passage(sentences, context, asked.k, asked.evidence, system, asked.explain)


@routes.post(
    "/v1/passage",
    openapi_extra=documented(PassageRequest),
    responses={**ANSWERS["passage"], **problems(400, 408, 409, 413, 415, 422, 503)},
)
async def passage(
    request: Request, asked: Annotated[PassageRequest, Depends(body_of(PassageRequest))]
) -> Response:
    """Mark the sentences of a passage that want a citation, with papers for each if `k` > 0."""
    desk = desk_of(request)
    desk.check_k(asked.k)
    return as_json(await desk.run(lambda: _marked(desk, asked)))


def _marked(desk: Desk, asked: PassageRequest) -> dict[str, Any]:
    library = desk.served.library()
    sentences = sentences_of(asked.text)
    most = desk.settings.limits.sentences
    if len(sentences) > most:
        raise BadInput(f"a passage has at most {most} sentences here, not {len(sentences)}")

    context = library.query(None, DraftOptions(title=asked.title, abstract=asked.abstract))
    one = functools.partial(_marked_sentence, library, context, asked.k)
    return {"sentences": [one(sentence) for sentence in sentences]}


def _marked_sentence(
    library: Library, context: ReadQuery, k: int, sentence: DraftSentence
) -> dict[str, Any]:
    answer = library.passage([sentence], context, k or MARKED_WITH, _EVIDENCE)
    marked = {
        "text": sentence.written,
        "start": sentence.start,
        "end": sentence.end,
        "wants_citation": answer.advice[0].wanted,
        "has_citation": sentence.cites,
    }
    return marked | ({"answer": msgspec.Raw(answer.to("json").encode())} if k else {})
