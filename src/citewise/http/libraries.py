"""Routes about the library: what it holds, what can answer, and imports."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from citewise import systems
from citewise.http.bodies import body, documented, is_form
from citewise.http.desk import Desk, as_json, desk_of
from citewise.http.documents import described, problems
from citewise.http.events import event
from citewise.http.jobs import FINISHED
from citewise.http.library_documents import (
    ImportDocument,
    ImportStarted,
    LibraryDocument,
    SystemsDocument,
)
from citewise.http.problems import Problem
from citewise.http.schemas import SampleRequest
from citewise.http.uploads import save
from citewise.preferences import KNOBS

routes = APIRouter(tags=["library"])

_EVENTS_EVERY = 0.2
"""Seconds between two looks at the state of an import."""


@routes.get(
    "/v1/library", responses={**described(LibraryDocument, "What it holds"), **problems(503)}
)
async def library(request: Request) -> Response:
    """Return what the library holds, or that there is none yet.

    A generation that was just written is waited for, so that what an import has added is counted.
    """
    desk = desk_of(request)

    def work() -> dict[str, Any]:
        newest = desk.served.newest()
        about = newest.description if newest else {"open": False}
        return {**about, "writable": desk.served.writable}

    return as_json(await desk.run(work))


@routes.get(
    "/v1/systems", responses={**described(SystemsDocument, "What can answer"), **problems()}
)
async def systems_and_preferences(request: Request) -> Response:
    """Return the systems that can answer, the preferences, and the server's limits."""
    limits = desk_of(request).settings.limits
    return as_json(
        {
            "systems": [*systems.SYSTEMS],
            "default": {"drafts": systems.DEFAULT, "sentences": systems.FOR_SENTENCES},
            "preferences": [
                {
                    "name": knob.name,
                    "label": knob.name.replace("_", " ").capitalize(),
                    "help": knob.help,
                    "range": knob.range,
                    "default": knob.default,
                }
                for knob in KNOBS
            ],
            "limits": {
                "body": limits.body,
                "upload": limits.upload,
                "k": limits.k,
                "sentences": limits.sentences,
                "map": limits.map,
                "seconds": limits.seconds,
            },
        }
    )


@routes.post(
    "/v1/imports",
    status_code=202,
    openapi_extra=documented(SampleRequest, files=True),
    responses={
        202: {"model": ImportStarted, "description": "The import was accepted"},
        **problems(400, 408, 409, 413, 415, 422, 503),
    },
)
async def start_import(request: Request) -> Response:
    """Add the papers of files to the library, or make the sample library; a job does it."""
    desk = desk_of(request)
    if not desk.served.writable:
        raise Problem(403, "no_permission", "the library cannot be changed by this server")
    sample = not is_form(request)
    if sample:
        await body(request, SampleRequest)
        if await desk.run(desk.served.current) is not None:
            raise Problem(409, "library_exists", "the sample needs a folder without a library")

    folder = await desk.run(desk.jobs.new_folder)
    try:
        if not sample:
            await save(request, folder / "files", desk.settings.limits)
        job = await desk.run(lambda: desk.jobs.start(folder, sample))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    where = f"{request.scope.get('root_path', '')}/v1/imports/{job}"
    started = {"job": job, "status_url": where, "events_url": f"{where}/events"}
    return as_json(started, 202)


@routes.get(
    "/v1/imports/{job}",
    responses={**described(ImportDocument, "How far it is"), **problems(404, 422, 503)},
)
async def import_state(request: Request, job: str) -> Response:
    """Return how far an import is, and in the end what it did."""
    desk = desk_of(request)
    return as_json(await desk.run(lambda: desk.jobs.state(job)))


@routes.get(
    "/v1/imports/{job}/events",
    responses={
        200: {"description": "The same documents as events", "content": {"text/event-stream": {}}},
        **problems(404, 422, 503),
    },
)
async def import_events(request: Request, job: str) -> Response:
    """Send how far an import is as server-sent events: `progress`, then `done` or `failed`."""
    desk = desk_of(request)
    desk.jobs.state(job)
    return StreamingResponse(_events(desk, request, job), media_type="text/event-stream")


async def _events(desk: Desk, request: Request, job: str) -> AsyncIterator[bytes]:
    last: dict[str, Any] = {}
    while not await request.is_disconnected():
        state = desk.jobs.state(job)
        finished = state["state"] in FINISHED
        if state != last:
            name = state["state"] if finished else "progress"
            yield event(name, msgspec.json.encode(state).decode())
        if finished:
            return
        last = state
        await asyncio.sleep(_EVENTS_EVERY)
