"""Shared by the commands: options, printing, progress bars, and files that appear whole."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from citewise import systems

LibraryOption = Annotated[
    str,
    typer.Option(
        "--library", "-l", help="The library: its folder, or an address.", show_default=False
    ),
]
FolderOption = Annotated[
    Path, typer.Option("--library", "-l", help="The library's folder.", show_default=False)
]
"""A library that is written: on disk, unlike some that are only read."""

SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        "-s",
        help=f"{', '.join(systems.SYSTEMS)}; settings in parentheses: 'bm25(k1=0.9,b=0.4)'.",
    ),
]


def show(what: Any) -> None:
    """Print a text or anything else that rich can draw to standard output."""
    Console(soft_wrap=False).print(what)


def say(message: str) -> None:
    """Print a message to standard error."""
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar, if standard error is a terminal; yield a function that moves it."""
    with progress_by_stage() as update:
        yield lambda done, total: update(label, done, total)


@contextlib.contextmanager
def progress_by_stage() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a progress bar with a label that changes; yield a function that moves it."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )

    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
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
            Console(file=file).print(result)
        else:
            file.write(result)


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[IO[str]]:
    """Yield a file to write to, or standard output; a file appears whole or not at all."""
    if path is None or str(path) == "-":
        yield sys.stdout
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
