"""The command line: a thin translation of arguments into calls of the library."""

import sys
from typing import Annotated

import typer
from rich.markup import escape

import citewise
from citewise import plugins
from citewise.cli import answers, citing, laboratory, libraries, pools, training
from citewise.cli.terminal import replace_what_cannot_be_shown, say
from citewise.errors import BadInput, CitewiseError

app = typer.Typer(
    name="citewise",
    help=citewise.__doc__,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (libraries, answers, citing, laboratory):
    app.add_typer(group.commands)
app.add_typer(pools.commands, name="pools")
app.add_typer(training.commands, name="train")


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
