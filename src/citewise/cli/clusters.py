"""The commands that cut a library into shards and serve these from a cluster."""

import contextlib
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from citewise.cli.tables import report_table
from citewise.cli.terminal import (
    FolderOption,
    LibraryOption,
    SourceFormat,
    progress,
    progress_by_stage,
    reporting,
    say,
    show,
)
from citewise.embed.word_models import word_models
from citewise.engines.dumps.building import BuildSettings, build_shards
from citewise.engines.dumps.plan import no_models
from citewise.engines.dumps.tasks import Workers
from citewise.engines.dumps.workers import LocalWorkers
from citewise.engines.ray import cluster as clusters
from citewise.engines.ray.addresses import Address
from citewise.engines.ray.building import RayWorkers
from citewise.engines.ray.directory import ClusterState, Service
from citewise.engines.shards.cutting import cut
from citewise.engines.shards.generations import MOST_SHARDS, newest_in
from citewise.engines.shards.manifest import ShardsManifest
from citewise.errors import BadInput, MissingData
from citewise.http.running import is_local, require_extra
from citewise.http.settings import Settings

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
    _say_written(output, manifest)
    removed = sum(each.rows for each in manifest.shards) - manifest.papers
    if removed:
        say(
            f"{removed:,} removed papers are left out. The library's own search counts them until "
            "it is compacted, so its scores differ a little from those of the shards; to have the "
            f"same: citewise compact --library {escape(str(library))}, and cut again"
        )


@commands.command(
    epilog="Example: citewise build openalex/works --output my-shards --shards 64 --workers 8"
)
def build(
    dumps: Annotated[
        list[Path],
        typer.Argument(help="Files and folders; .gz, .xz, .zst too.", show_default=False),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of the shards.", show_default=False)
    ],
    shards: Annotated[
        int, typer.Option(min=1, max=MOST_SHARDS, help="How many; the papers are dealt to them.")
    ] = 3,
    workers: Annotated[
        int,
        typer.Option(
            min=0, max=1_024, help="Processes, or tasks at once on a cluster; 0 for one a core."
        ),
    ] = 0,
    address: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT", help="Build on the Ray cluster there, whose nodes see all folders."
        ),
    ] = "",
    work: Annotated[
        Path | None,
        typer.Option(
            help="Where files are kept until it is done, beside the shards where none is named."
        ),
    ] = None,
    format: Annotated[
        SourceFormat | None, typer.Option(help="The dumps' format, if not recognised.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write what was skipped, repaired or merged, a JSON object a line."),
    ] = None,
    keep_versions: Annotated[
        bool, typer.Option("--keep-versions", help="Never merge papers by title.")
    ] = False,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors/--no-vectors", help="Give papers vectors, by the word model that ships."
        ),
    ] = True,
) -> None:
    """Make shards from dumps of OpenAlex, Semantic Scholar or other files; where it was killed, the
    same command goes on.
    """
    settings = BuildSettings(
        shards=shards,
        work=work,
        format=format.value if format else "",
        keep_versions=keep_versions,
        models=word_models if vectors else no_models,
    )
    with contextlib.ExitStack() as stack:
        done = reporting(stack, report)
        does = stack.enter_context(contextlib.closing(_workers(workers, address)))
        bar = stack.enter_context(progress_by_stage())
        try:
            manifest = build_shards(dumps, output, settings, does, done, bar)
        except MissingData:
            stack.close()
            if done.counts:
                say(report_table(done))
            raise
    _say_written(output, manifest)
    say(report_table(done))


def _workers(count: int, address: str) -> Workers:
    """Return what does the tasks of a build: processes of this machine, or a cluster."""
    if not address:
        return LocalWorkers(count or os.cpu_count() or 1)
    return RayWorkers(Address.parse(f"ray://{address.removeprefix('ray://')}"), count)


def _say_written(output: Path, manifest: ShardsManifest) -> None:
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
    http: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Answer by HTTP as well, at this port of every node; 0: do not."
        ),
    ] = 0,
    token: Annotated[
        str,
        typer.Option(
            envvar="CITEWISE_TOKEN",
            help="What clients must send by HTTP: `Authorization: Bearer TOKEN`.",
        ),
    ] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A host name by which clients call, as a load balancer's."
        ),
    ] = None,
) -> None:
    """Start a cluster that serves shards, on this machine or on Ray nodes that run already."""
    at = address.removeprefix("ray://") or f"{_HOST}:{port}"
    where = Address.parse(f"ray://{at}/{name}")
    service = _http(where, http, token, allow_host or []) if http else None
    state = clusters.up(shards, where, 0 if address else nodes, replicas, service)
    _show(where, state)
    _exit_on_problems(state)
    show(f"\nAsk it: citewise recommend DRAFT --library {escape(str(where))}")


def _http(where: Address, port: int, token: str, hosts: list[str]) -> Service:
    """Return the service that answers by HTTP."""
    require_extra()
    if not is_local(where.host) and not token:
        raise BadInput(
            f"--http: the nodes of {where} can be reached from other machines, and there is no "
            "token; give one with --token or CITEWISE_TOKEN"
        )
    from citewise.http.on_nodes import HttpNode

    names = tuple(name.lower() for name in hosts)
    settings = Settings(str(where), state="", port=port, token=token, hosts=names)
    return Service(HttpNode, (settings,))


@cluster.command(epilog="Example: citewise cluster status --library ray://127.0.0.2:6379/library")
def status(library: LibraryOption) -> None:
    """Show a cluster's nodes and what they have open; exits with 1 where something is missing."""
    where = Address.parse(library)
    state = clusters.status(where)
    _show(where, state)
    newest = newest_in(Path(state.folder))
    if newest > state.generation:
        say(
            f"generation {newest} is cut and not served; to serve it: citewise cluster switch "
            f"--library {escape(library)}"
        )
    _exit_on_problems(state)


@cluster.command(epilog="Example: citewise cluster switch --library ray://127.0.0.2:6379/library")
def switch(library: LibraryOption) -> None:
    """Serve the newest generation of the shards; who has opened the one before can finish."""
    where = Address.parse(library)
    _show(where, clusters.switch(where))


@cluster.command(epilog="Example: citewise cluster down --library ray://127.0.0.2:6379/library")
def down(library: LibraryOption) -> None:
    """End a library on a cluster, and the nodes where `up` started them on this machine and no
    other library is left.
    """
    if "://" not in library:
        raise BadInput(f"{library}: not the address of a cluster; `citewise cluster up` shows it")
    others = clusters.down(Address.parse(library))
    say(f"{escape(library)}: down")
    if others:
        say(f"the nodes go on, as they serve: {escape(', '.join(others))}")


def _exit_on_problems(state: ClusterState) -> None:
    """Say what is wrong with a cluster, and end with 1 where anything is."""
    for problem in state.problems:
        say(f"[red]{escape(problem)}[/red]")
    if state.problems:
        raise typer.Exit(1)


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
    if state.services:
        show(f"Answers by HTTP at {escape(', '.join(sorted(state.services.values())))}")
