"""The commands that cut a library into shards and serve these from a cluster."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from citewise.cli.terminal import FolderOption, LibraryOption, progress, say, show
from citewise.engines.ray import cluster as clusters
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.directory import ClusterState
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.generations import MOST_SHARDS
from citewise.errors import BadInput

commands = typer.Typer()
cluster = typer.Typer(help="Serve a library's shards from a Ray cluster.", no_args_is_help=True)
commands.add_typer(cluster, name="cluster")

_HOST, _PORT = "127.0.0.2", 6379


@commands.command(
    epilog="Example: citewise shard --library my-library --shards 3 --output my-shards"
)
def shard(
    library: FolderOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of the shards.", show_default=False)
    ],
    shards: Annotated[
        int, typer.Option(min=1, max=MOST_SHARDS, help="How many; the papers are dealt to them.")
    ] = 3,
) -> None:
    """Cut a library into shards, which answer together as it does; again for a new generation."""
    with progress("cutting") as bar:
        manifest = cut(library, shards, output, bar)
    say(
        f"{escape(str(output))}: generation {manifest.generation}, {manifest.papers:,} papers in "
        f"{len(manifest.shards)} shards, {manifest.bytes_on_disk / 1e6:,.0f} MB"
    )


@cluster.command(epilog="Example: citewise cluster up --shards my-shards --nodes 3")
def up(
    shards: Annotated[
        Path,
        typer.Option(help="The folder of the shards, which every node sees.", show_default=False),
    ],
    nodes: Annotated[int, typer.Option(min=1, max=64, help="Nodes to start on this machine.")] = 3,
    address: Annotated[
        str,
        typer.Option(metavar="HOST:PORT", help="Use the Ray cluster there, and start no nodes."),
    ] = "",
    replicas: Annotated[
        int, typer.Option(min=1, max=8, help="Nodes that have a copy of each shard open.")
    ] = 2,
    name: Annotated[str, typer.Option(help="What the library is called there.")] = "library",
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Of the head that is started here.")
    ] = _PORT,
) -> None:
    """Start a cluster that serves shards, on this machine or on Ray nodes that run already."""
    if address:
        where = Address.parse(f"ray://{address.removeprefix('ray://')}/{name}")
        state = clusters.up(shards, where, 0, replicas)
    else:
        where = Address(_HOST, port, name)
        state = clusters.up(shards, where, nodes, replicas)
    _show(where, state)
    show(f"\nAsk it: citewise recommend DRAFT --library {escape(str(where))}")


@cluster.command(epilog="Example: citewise cluster status --library ray://127.0.0.2:6379/library")
def status(library: LibraryOption) -> None:
    """Show a cluster's nodes and what they have open; exits with 1 where something is missing."""
    where = Address.parse(library)
    state = clusters.status(where)
    _show(where, state)
    if state.problems:
        for problem in state.problems:
            say(f"[red]{escape(problem)}[/red]")
        raise typer.Exit(1)


@cluster.command(epilog="Example: citewise cluster switch --library ray://127.0.0.2:6379/library")
def switch(library: LibraryOption) -> None:
    """Serve the newest generation of the shards; who has opened the one before can finish."""
    where = Address.parse(library)
    _show(where, clusters.switch(where))


@cluster.command(epilog="Example: citewise cluster down --library ray://127.0.0.2:6379/library")
def down(library: LibraryOption) -> None:
    """End a library on a cluster, and the nodes where `up` started them on this machine."""
    if "://" not in library:
        raise BadInput(f"{library}: not the address of a cluster; `citewise cluster up` shows it")
    clusters.down(Address.parse(library))
    say(f"{escape(library)}: down")


def _show(where: Address, state: ClusterState) -> None:
    """Show a cluster's nodes, and what each has open."""
    show(
        f"{escape(str(where))}: generation {state.generation}, {state.shards} shards x "
        f"{state.replicas}, citewise {state.version}"
    )
    table = Table()
    for column in ("node", "machine", "shards open", "memory"):
        table.add_column(column)
    for name, node in state.nodes.items():
        if node is None:
            table.add_row(name, "does not answer", "", "")
            continue
        shards = ", ".join(map(str, node.generations.get(state.generation, [])))
        table.add_row(name, node.host, shards, f"{node.memory / 1e6:,.0f} MB")
    show(table)
