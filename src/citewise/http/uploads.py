"""Take files from clients, into a folder that goes away again."""

import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import Request
from python_multipart.exceptions import MultipartParseError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from citewise.http.problems import Problem
from citewise.http.settings import Limits, Settings
from citewise.http.unpacking import free_path

_PIECE = 1 << 20


@contextlib.asynccontextmanager
async def received(request: Request, settings: Settings) -> AsyncIterator[Path]:
    """Give a folder with the files of a request, which is removed in the end."""
    Path(settings.state).mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="upload-", dir=settings.state)).resolve()
    try:
        await save(request, folder, settings.limits)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def save(request: Request, folder: Path, limits: Limits) -> None:
    """Write the files of a request into a folder, under names that stay in it."""
    try:
        async with request.form(max_files=limits.files, max_fields=10) as form:
            files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
            if not files:
                raise Problem(422, "bad_input", "there are no files; send them as `files`")
            for file in files:
                path = free_path(folder, file.filename or "file")
                with path.open("wb") as target:
                    while piece := await file.read(_PIECE):
                        target.write(piece)
    except (MultiPartException, MultipartParseError) as error:
        raise Problem(400, "bad_input", f"the form cannot be read: {error}") from None
