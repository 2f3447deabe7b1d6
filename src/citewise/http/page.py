"""The page: its files, and the plain answer for browsers without JavaScript."""

import hmac
import importlib.resources
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from citewise.drafts.query import DraftOptions
from citewise.errors import CitewiseError
from citewise.http.desk import Desk, desk_of
from citewise.http.guard import COOKIE
from citewise.http.problems import Problem, problem_of
from citewise.types import Answer
from citewise.web.plain import plain_page

routes = APIRouter(include_in_schema=False)

_NO_PAGE = "<!doctype html><title>citewise</title><p>The page is not installed.</p>"
_SHOWN = 20


def web_folder() -> Path:
    """Return the folder with the page's files."""
    return Path(str(importlib.resources.files("citewise") / "web"))


class PageFiles(StaticFiles):
    """The page's files, without the module that makes them a package."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.endswith((".py", ".pyc")):
            raise Problem(404, "not_found", "there is no such file")
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = "no-cache"
        return answer


@routes.get("/")
async def page(request: Request, token: str = "") -> Response:
    """Return the page; with a right token in the address, set the cookie that replaces it."""
    wanted = desk_of(request).settings.token
    if not wanted or (not token and "token" not in request.query_params):
        return HTMLResponse(_index(), headers={"Cache-Control": "no-cache"})
    if not hmac.compare_digest(token.encode(), wanted.encode()):
        raise Problem(401, "token_required", "this token is wrong; the server shows the right one")
    answer = RedirectResponse(request.scope.get("root_path", "") + "/", 303)
    answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
    return answer


@routes.post("/")
async def plain_answer(request: Request) -> Response:
    """Answer the page's form without JavaScript."""
    desk = desk_of(request)
    async with request.form(max_files=0, max_fields=20, max_part_size=1 << 20) as form:
        title, abstract = (str(form.get(name, "")) for name in ("title", "abstract"))
    try:
        answer = await desk.run(lambda: _answer(desk, title, abstract))
    except (CitewiseError, Problem) as error:
        problem = error if isinstance(error, Problem) else problem_of(error)
        return HTMLResponse(
            plain_page(title, abstract, problem=problem.detail), problem.status, problem.headers
        )
    return HTMLResponse(plain_page(title, abstract, answer))


def _answer(desk: Desk, title: str, abstract: str) -> Answer:
    library = desk.served.library()
    options = DraftOptions(title=title, abstract=abstract)
    return library.answer(library.query(None, options), _SHOWN, explain=True)


def _index() -> str:
    file = web_folder() / "index.html"
    return file.read_text("utf-8") if file.exists() else _NO_PAGE
