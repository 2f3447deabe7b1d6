"""Shared by the commands: options, printing, progress bars, and files that appear whole.

Everything that is printed passes here, and what came from files is made harmless: no escape
sequence, no change of the direction of text, no markup and no emoji code of a title is obeyed.
"""

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.segment import Segment

from citewise import systems
from citewise.errors import BadInput
from citewise.ingest import FORMATS as SOURCE_FORMATS
from citewise.ingest.report import Event, Report


def _folder(text: str | Path) -> Path:
    """Return the folder of an option; "" is no folder, though Python takes it for the current."""
    if not str(text).strip():
        raise BadInput("--library is empty; name the library's folder, such as my-library")
    if "://" in str(text):
        raise BadInput(
            f"--library {text}: this command needs a folder. What a cluster serves is changed by "
            "citewise index, citewise shard and citewise cluster switch, one after the other"
        )
    return Path(text)


LibraryOption = Annotated[
    str,
    typer.Option(
        "--library", "-l", help="The library: its folder, or an address.", show_default=False
    ),
]
FolderOption = Annotated[
    Path,
    typer.Option(
        "--library",
        "-l",
        help="The library's folder.",
        show_default=False,
        parser=_folder,
        metavar="PATH",
    ),
]
"""A library that is written: on disk, unlike some that are only read."""

SourceFormat = Enum("SourceFormat", {name: name for name in SOURCE_FORMATS}, type=str)  # type: ignore[misc]

SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        "-s",
        help=f"{', '.join(systems.SYSTEMS)}; settings in parentheses: 'bm25(k1=0.9,b=0.4)'.",
    ),
]

RerankOption = Annotated[
    str,
    typer.Option(
        "--rerank",
        metavar="MODEL",
        help="A cross-encoder that reads the first papers beside the draft: a name, or a folder as "
        "transformers saves it.",
    ),
]
RerankDepthOption = Annotated[
    int, typer.Option(min=1, help="How many of the first papers it reads.")
]
RerankSecondsOption = Annotated[
    float, typer.Option(min=0, help="Reading ends after this time; 0 for no limit.")
]


_SPEED_BY = 600.0
"""Seconds of work by which a progress bar estimates how long the rest takes: a large model needs
half a minute for one step.
"""

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all controls but tab and line end: escape sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction of text
    "\u200b\u2028\u2029\u2060-\u2064\ufeff\U000e0000-\U000e007f]"  # what nobody sees
)


def harmless(text: str) -> str:
    """Return a text without the characters that command a terminal or hide what is written."""
    return _HARMFUL.sub("", text)


class _HarmlessConsole(Console):
    """A console whose texts are harmless, whatever they were made of; colours are its own."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


class _HarmlessStream:
    """Standard output where it is a terminal: texts are made harmless on the way."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(harmless(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def console(file: IO[str] | None = None, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console that draws on a file, standard output or standard error."""
    plain = file.stream if isinstance(file, _HarmlessStream) else file
    return _HarmlessConsole(
        file=plain, stderr=stderr, width=width, emoji=False, highlight=not stderr
    )


def replace_what_cannot_be_shown() -> None:
    """Let characters that standard output cannot encode become "?" instead of an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def show(what: Any) -> None:
    """Print a text or anything else that rich can draw to standard output."""
    console().print(what, soft_wrap=False)


def show_plain(text: str) -> None:
    """Print a text as it is, without markup, to standard output."""
    with writing(None) as file:
        file.write(f"{text}\n")


def say(message: RenderableType) -> None:
    """Print a message to standard error."""
    console(stderr=True).print(message, soft_wrap=isinstance(message, str))


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar, if standard error is a terminal; yield a function that moves it."""
    with progress_by_stage() as update:
        yield lambda done, total: update(label, done, total)


@contextlib.contextmanager
def progress_by_stage() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a progress bar with a label that changes; yield a function that moves it."""
    drawn_on = console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )

    with Progress(
        *columns,
        console=drawn_on,
        transient=True,
        disable=not drawn_on.is_terminal,
        speed_estimate_period=_SPEED_BY,
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def write_result(path: Path | None, format: str, results: Mapping[str, Callable[[], Any]]) -> None:
    """Write a result in one of several formats, of which only that one is made; `table` is drawn,
    the others are text.
    """
    result = results[format]()
    with writing(path) as file:
        if format == "table":
            console(file).print(result)
        else:
            file.write(result)


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[IO[str]]:
    """Yield a file to write to, or standard output; a file appears whole or not at all."""
    if path is None or str(path) == "-":
        stream: Any = _HarmlessStream(sys.stdout) if sys.stdout.isatty() else sys.stdout
        yield stream
        return

    path = path.resolve()  # through a link, its target is written, and the link stays
    if path.exists() and not path.is_file():  # a device or a pipe is written to, never replaced
        with path.open("w", encoding="utf-8") as file:
            yield file
        return

    fresh = path.with_name(f".{path.name}.part")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            yield file
        fresh.replace(path)
    except OSError as error:
        if str(error.filename) == str(fresh):  # the file that was asked for is what users know
            error.filename = str(path)
        raise
    finally:
        fresh.unlink(missing_ok=True)


def reporting(stack: contextlib.ExitStack, path: Path | None) -> Report:
    """Return a report of an import; its events are written to a file, if one is named."""
    if path is None:
        return Report()
    file = stack.enter_context(writing(path))

    def write(event: Event) -> None:
        file.write(msgspec.json.encode(event).decode() + "\n")

    return Report(listener=write)
