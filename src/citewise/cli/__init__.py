"""The command line: a thin translation of arguments into calls of the library."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

import citewise
from citewise import plugins
from citewise.cli.terminal import replace_what_cannot_be_shown, say
from citewise.errors import BadInput, CitewiseError

COMMANDS = {
    "demo": "libraries",
    "index": "libraries",
    "encode": "libraries",
    "info": "libraries",
    "remove": "libraries",
    "verify": "libraries",
    "compact": "libraries",
    "models": "models",
    "plugins": "libraries",
    "recommend": "answers",
    "run": "answers",
    "cite": "citing",
    "mcp": "assistants",
    "feedback": "feedback",
    "split": "laboratory",
    "evaluate": "laboratory",
    "pools": "pools",
    "train": "transformers",
    "serve": "serving",
    "shard": "clusters",
    "build": "clusters",
    "cluster": "clusters",
}
"""The module of each command or group of commands, in the order in which help lists them."""


class _LazyCommands(Mapping[str, Any]):
    """The commands by name; a module is imported only when one of its commands is wanted, so that
    answers need not wait for the laboratory.
    """

    def __getitem__(self, name: str) -> Any:
        module = importlib.import_module(f"citewise.cli.{COMMANDS[name]}")
        group = typer.main.get_group(module.commands)
        return group.commands.get(name, group)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": _LazyCommands()})


app = typer.Typer(
    name="citewise",
    cls=Commands,
    help=citewise.__doc__,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"citewise {citewise.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """citewise: which papers a draft should cite, and why."""


def main() -> None:
    """Run the command line; an error becomes one line and an exit code."""
    replace_what_cannot_be_shown()
    for problem in plugins.problems():
        say(f"[yellow]citewise:[/yellow] {escape(problem)}")

    try:
        app()
    except BadInput as error:
        say(f"[red]citewise:[/red] {escape(str(error))}")
        sys.exit(2)
    except CitewiseError as error:
        say(f"[red]citewise:[/red] {escape(str(error))}")
        sys.exit(1)
    except KeyboardInterrupt:
        say("citewise: interrupted; the library is as it was")
        sys.exit(1)
    except BrokenPipeError:
        sys.stdout = open(1, "w", closefd=False)
        sys.exit(1)
    except OSError as error:  # a disk that is full, a folder that is not there or not ours
        where, what = error.filename or "output", error.strerror or str(error)
        say(f"[red]citewise:[/red] {escape(f'{where}: {what}')}")
        sys.exit(1)
