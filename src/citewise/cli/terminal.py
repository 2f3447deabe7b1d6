"""What the commands share: options, the terminal, progress, and files that appear whole."""

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
    Path, typer.Option("--library", "-l", help="The library's folder.", show_default=False)
]
SystemOption = Annotated[
    str,
    typer.Option(
        "--system",
        "-s",
        help=f"{', '.join(systems.SYSTEMS)}; settings in parentheses: 'bm25(k1=0.9,b=0.4)'.",
    ),
]


def show(what: Any) -> None:
    """Print to standard output what rich can draw."""
    Console(soft_wrap=False).print(what)


def say(message: str) -> None:
    """Print a message to standard error."""
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar on standard error while work goes on, if that is a terminal."""
    with progress_by_stage() as told:
        yield lambda done, total: told(label, done, total)


@contextlib.contextmanager
def progress_by_stage() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar that also says what is being done."""
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


def write_result(path: Path | None, format: str, made: Mapping[str, Callable[[], Any]]) -> None:
    """Write a result in the format asked for: a table is drawn, the others are text; only that one
    is made.
    """
    result = made[format]()
    with writing(path) as file:
        if format == "table":
            Console(file=file).print(result)
        else:
            file.write(result)


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[IO[str]]:
    """Give a file to write to, or standard output; a file appears whole or not at all."""
    if path is None or str(path) == "-":
        yield sys.stdout
        return
    path = path.resolve()  # what a link leads to is written, not the link replaced
    if path.exists() and not path.is_file():  # a device or a pipe is written to, never replaced
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    fresh = path.with_name(f".{path.name}.part")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            yield file
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
