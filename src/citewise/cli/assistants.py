"""The command that serves writing assistants by the Model Context Protocol."""

import os
from typing import Annotated, Literal

import typer
from rich.markup import escape

import citewise
from citewise.cli.terminal import LibraryOption, say
from citewise.errors import MissingExtra

commands = typer.Typer()


@commands.command(epilog="Example: citewise mcp --library my-library")
def mcp(
    library: LibraryOption,
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option(
            metavar="stdio|http",
            help="stdio: a client starts this command; http: clients connect to it.",
        ),
    ] = "stdio",
    host: Annotated[str, typer.Option(help="With http: the address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With http: the port; 0 for any that is free.")
    ] = 8001,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With http: a further name by which clients may call this server, as the Host "
            "header has it.",
        ),
    ] = None,
) -> None:
    """Serve writing assistants: tools to recommend, cite, look up and export, by the Model Context
    Protocol.

    With http, clients must send the token in the environment variable CITEWISE_TOKEN, if it is set.
    """
    try:
        from citewise.mcp.live import LiveLibrary
        from citewise.mcp.running import run_http
        from citewise.mcp.server import make_server
    except ModuleNotFoundError as error:
        raise MissingExtra(f"citewise mcp ({error.name})", "mcp") from None

    server = make_server(LiveLibrary(library), citewise.__version__)
    if transport == "stdio":
        server.run("stdio")
        return

    token = os.environ.get("CITEWISE_TOKEN", "")
    run_http(server, (host, port), allow_host or (), token, _say_ready)


def _say_ready(address: str) -> None:
    say(f"citewise answers at {escape(address)}; stop it with Ctrl-C")
