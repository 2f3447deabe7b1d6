"""The application: routes, errors as problem documents, and the guard before them."""

import contextlib
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from citewise.errors import CitewiseError
from citewise.http import answers, feedback, libraries, operations, page, papers
from citewise.http.desk import Desk
from citewise.http.documents import ProblemDocument
from citewise.http.guard import WENT_AWAY, ClientGone, Guard, failed
from citewise.http.jobs import Jobs
from citewise.http.metrics import Metrics
from citewise.http.pool import Pool
from citewise.http.problems import MEDIA_TYPE, Problem, problem_of
from citewise.http.served import ServedLibrary
from citewise.http.settings import Settings, from_environment

VERSION = "1"
"""The version of the paths: it changes when an answer is no longer what it was."""

_ROUTES = (answers, papers, libraries, feedback, operations, page)
_CODES = {404: "not_found", 405: "method_not_allowed"}


def create(settings: Settings) -> Guard:
    """Return the application of a server."""
    app = FastAPI(
        title="citewise",
        version=VERSION,
        description="Which papers a draft should cite, and why.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=_lifespan,
    )
    for module in _ROUTES:
        app.include_router(module.routes)
    if page.web_folder().is_dir():
        app.mount("/static", page.PageFiles(directory=page.web_folder()), name="static")

    routes = itertools.chain.from_iterable(module.routes.routes for module in _ROUTES)
    paths = {*(str(getattr(route, "path", "")) for route in routes)}
    desk = Desk(
        settings,
        ServedLibrary(settings.library),
        Pool(settings.limits),
        Jobs(settings),
        Metrics(Path(settings.state) / "metrics", sorted(paths)),
    )
    app.state.desk = desk
    _handle_errors(app)
    _describe(app)
    return Guard(app, settings, desk.metrics)


def from_settings_in_environment() -> Guard:
    """Return the application of a worker process."""
    return create(from_environment())


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    with contextlib.suppress(CitewiseError, Problem):  # it is said to whoever asks
        await desk.run(desk.served.current)
    yield
    desk.jobs.close()
    desk.pool.close()


def _handle_errors(app: FastAPI) -> None:
    """Let every error become a problem document."""

    @app.exception_handler(Problem)
    async def problem(request: Request, error: Problem) -> Response:
        return _response(error)

    @app.exception_handler(CitewiseError)
    async def purposeful(request: Request, error: CitewiseError) -> Response:
        return _response(problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = [
            {"where": ".".join(map(str, each["loc"][1:])), "problem": str(each["msg"])}
            for each in error.errors()
        ]
        first = errors[0]
        detail = f"{first['where']}: {first['problem']}"
        return _response(Problem(422, "bad_input", detail, errors=errors))

    @app.exception_handler(HTTPException)
    async def by_framework(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "bad_input")
        headers = dict(error.headers or {})
        return _response(Problem(error.status_code, code, str(error.detail), headers))

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        return _response(failed())  # the guard writes it down

    @app.exception_handler(ClientGone)
    async def gone(request: Request, error: ClientGone) -> Response:
        return Response(status_code=WENT_AWAY)


def _response(problem: Problem) -> Response:
    return Response(problem.body(), problem.status, problem.headers, MEDIA_TYPE)


def _describe(app: FastAPI) -> None:
    """Add the problem document to the OpenAPI document."""
    document = app.openapi()
    schema = ProblemDocument.model_json_schema()
    document.setdefault("components", {}).setdefault("schemas", {})["ProblemDocument"] = schema
