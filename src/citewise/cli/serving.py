"""The command that serves a library: the page and the REST API."""

from typing import Annotated

import typer
from rich.markup import escape

from citewise.cli.terminal import say
from citewise.errors import BadInput
from citewise.http.running import is_local
from citewise.http.running import serve as run_server
from citewise.http.settings import Limits, Settings

commands = typer.Typer()


@commands.command(epilog="Example: citewise serve --library my-library")
def serve(
    library: Annotated[
        str,
        typer.Option(
            "--library",
            "-l",
            help="The library: its folder, or an address. A folder that is not there yet is made "
            "by the first import.",
        ),
    ] = "citewise-library",
    host: Annotated[
        str, typer.Option(help="The address to serve; 0.0.0.0 for all of this machine's.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    token: Annotated[
        str,
        typer.Option(
            envvar="CITEWISE_TOKEN",
            help="What clients must send: `Authorization: Bearer TOKEN`.",
        ),
    ] = "",
    public: Annotated[
        bool,
        typer.Option(
            "--public", help="Serve an address that others can reach without a token, all the same."
        ),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further host name by which clients call; repeatable."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    threads: Annotated[
        int, typer.Option(min=0, max=256, help="Requests a process answers at once; 0: as usual.")
    ] = 0,
    queue: Annotated[
        int, typer.Option(min=0, help="Requests that wait for a thread; more are sent away.")
    ] = Limits().queue,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds an answer may take.")] = 60.0,
    max_k: Annotated[int, typer.Option(min=1, help="Papers of an answer.")] = Limits().k,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the browser.")
    ] = False,
) -> None:
    """Serve a library: a page for the browser, and a REST API."""
    if not library.strip():
        raise BadInput("--library is empty; name the library's folder, such as my-library")
    if not is_local(host) and not token and not public:
        raise BadInput(
            f"{host} can be reached from other machines, and there is no token; give one with "
            "--token or CITEWISE_TOKEN, or say --public if everybody there may ask"
        )
    if not token.isascii():
        raise BadInput("--token has letters that browsers cannot send in a cookie; use ASCII only")
    usual = Limits()
    limits = Limits(
        threads=threads or usual.threads,
        queue=queue,
        seconds=timeout,
        k=max_k,
    )
    settings = Settings(
        library=library,
        state="",
        host=host,
        port=port,
        token=token,
        hosts=tuple(name.lower() for name in allow_host or ()),
        workers=workers,
        limits=limits,
    )
    run_server(settings, not no_browser, _say_ready)


def _say_ready(address: str) -> None:
    say(f"citewise is at {escape(address)} (Ctrl+C stops it)")
