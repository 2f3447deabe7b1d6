"""The commands that make, show and change libraries."""

import contextlib
from collections.abc import Callable
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated, get_args

import msgspec
import typer
from rich.markup import escape

import citewise
from citewise import api
from citewise.cli.tables import (
    description_table,
    plugins_table,
    report_table,
    statistics_table,
    verification_text,
)
from citewise.cli.terminal import (
    FolderOption,
    LibraryOption,
    SourceFormat,
    progress,
    progress_by_stage,
    reporting,
    say,
    show,
    show_plain,
)
from citewise.embed.folder import MINILM
from citewise.embed.word_models import NNSELECT
from citewise.engines.shards.manifest import damages, is_shards
from citewise.ingest import Reading
from citewise.ingest.report import Report, SourceLocation
from citewise.library.files import checksum
from citewise.plugins import plugins as found_plugins
from citewise.protocols import Precision
from citewise.render.tables import answer_table

commands = typer.Typer()

PrecisionChoice = Enum("PrecisionChoice", {name: name for name in get_args(Precision)}, type=str)  # type: ignore[misc]
INT8 = PrecisionChoice("int8")


@commands.command(epilog="Example: citewise demo")
def demo(library: FolderOption = Path("citewise-demo")) -> None:
    """Build the sample library and recommend citations for the sample draft."""
    draft = api.build_sample(library)
    answer = citewise.open(library).recommend(draft.title, draft.abstract, k=10)

    show(f"[bold]The draft:[/bold] {escape(draft.title)}\n")
    show(answer_table(answer))

    where = escape(str(library))
    show(
        f"\nThe sample library is in {where}. Try your own draft:\n"
        f'  citewise recommend --library {where} --title "Learning to rank citations"'
    )


@commands.command(
    epilog="Example: citewise index papers.jsonl.xz refs.bib dumps/ --library my-library"
)
def index(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, or - (standard input); .gz, .xz, .zst too.", show_default=False
        ),
    ],
    library: FolderOption,
    format: Annotated[
        SourceFormat | None, typer.Option(help="The sources' format, if not recognised.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write what was skipped, repaired, merged or nearly the same, a "
            "JSON object a line."
        ),
    ] = None,
    keep_versions: Annotated[
        bool, typer.Option("--keep-versions", help="Never merge papers by title.")
    ] = False,
    mentions: Annotated[
        bool,
        typer.Option(
            "--mentions",
            help="Parse citing sentences to find what exactly is cited: "
            "needs the extra `evidence`, and minutes for 100,000.",
        ),
    ] = False,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors/--no-vectors",
            help="Give a new library vectors of its papers, by the word model that ships.",
        ),
    ] = True,
) -> None:
    """Create a library or extend it; malformed records are counted and named, and stop nothing."""
    with contextlib.ExitStack() as stack:
        done = reporting(stack, report)
        bar = stack.enter_context(progress("indexing"))

        first_row = _rows(library)
        try:
            api.index(
                sources,
                library,
                format=format.value if format else "",
                keep_versions=keep_versions,
                mentions=mentions,
                vectors=vectors,
                report=done,
                progress=lambda reading: _show_reading(bar, reading),
            )
        except citewise.MissingData:  # some sources are not there
            stack.close()
            if done.counts:
                say(report_table(done))
            raise

        if report and done.imported:
            _note_near_duplicates(library, first_row, done)

    if done.imported:
        say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")
    say(report_table(done))
    if not done.imported:
        left = "the library is as it was" if first_row else "no library was made"
        raise citewise.MissingData(
            f"no paper and no citing sentence was found in the sources; {left}"
        )


def _show_reading(bar: Callable[[int, int | None], None], reading: Reading) -> None:
    bar(reading.done, reading.size)


def _rows(library: Path) -> int:
    """Return the number of rows of a library, deleted ones included; 0 where there is none."""
    try:
        info = citewise.open(library).describe()
        return info.papers + info.deleted
    except citewise.MissingData:
        return 0


def _note_near_duplicates(library: Path, first_row: int, done: Report) -> None:
    """Report the papers from a row on that have nearly the same title as another."""
    for one, other, similarity in citewise.open(library).near_duplicates(first_row):
        done.note(
            "near_duplicate",
            "similar_title",
            SourceLocation(str(library), 0),
            other.id,
            f"{similarity:.2f} similar to {one.id}",
        )


@commands.command(epilog="Example: citewise encode --library my-library")
def encode(
    library: FolderOption,
    model: Annotated[
        str,
        typer.Option(
            help="minilm (all-MiniLM-L6-v2), a name of `citewise models list`, or a folder as "
            "sentence-transformers saves it; nnselect gives papers vectors by word vectors, in "
            "seconds."
        ),
    ] = MINILM,
    precision: Annotated[
        PrecisionChoice,
        typer.Option(help="int8 takes about half the time of fp32; the vectors differ a little."),
    ] = INT8,
    papers: Annotated[
        bool,
        typer.Option(
            "--papers",
            help="Titles and abstracts, too: a set of vectors that is named after the model.",
        ),
    ] = False,
    spans: Annotated[
        bool | None,
        typer.Option(
            "--spans/--no-spans",
            help="Encode spans or not; by default they are, unless papers are asked for and "
            "another model has encoded the spans.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=0, help="Threads to use; 0 for one a core.")] = 0,
) -> None:
    """Give a library vectors of its citing sentences' spans, and of its papers; what has one is not
    encoded again, also after an interruption.
    """
    with progress_by_stage() as bar:
        done = citewise.encode(
            library,
            model=model,
            precision=precision.value,
            papers=papers,
            spans=spans,
            threads=threads,
            progress=bar,
        )
    what = "papers" if model == NNSELECT else "texts"
    say(f"{escape(str(library))}: {done:,} {what} encoded")


@commands.command(epilog="Example: citewise info --library my-library")
def info(
    library: LibraryOption,
    json: Annotated[
        bool, typer.Option("--json", help="As JSON, with the papers of each year.")
    ] = False,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics",
            help="Also authors, venues, key phrases, lengths, citations a paper, pairs of query "
            "and relevant paper: reads every paper.",
        ),
    ] = False,
) -> None:
    """Show what a library holds: counts, years, coverage, indexes, size."""
    opened = citewise.open(library)
    about = opened.describe()
    more = opened.statistics() if statistics else None

    if json:
        document = {**asdict(about), **({"statistics": asdict(more)} if more else {})}
        show_plain(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
        return
    show(description_table(about))
    if more:
        show(statistics_table(more))


@commands.command(
    epilog="Example: citewise remove doi:10.1145/1390334.1390416 arXiv:1706.03762 "
    "--library my-library"
)
def remove(
    ids: Annotated[
        list[str], typer.Argument(help="Ids of papers, in any usual spelling.", show_default=False)
    ],
    library: FolderOption,
) -> None:
    """Remove papers; references to them are kept and resolve again should they come back."""
    citewise.remove(library, ids)
    say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")


@commands.command(epilog="Example: citewise verify --library my-library")
def verify(
    library: FolderOption,
    near_duplicates: Annotated[
        bool,
        typer.Option(
            "--near-duplicates",
            help="Also list pairs of papers with nearly the "
            "same title (word Jaccard of 0.7 and more).",
        ),
    ] = False,
) -> None:
    """Check a library: checksums, counts, tables, every record; of shards, the checksums; exits
    with 1 on any problem.
    """
    if is_shards(library):
        with progress("verifying"):
            problems = damages(library, digest=checksum)
        for problem in problems:
            show_plain(problem)
        show(f"{len(problems)} problems" if problems else "every file is as it was written")
        raise typer.Exit(bool(problems))
    with progress("verifying") as bar:
        verification = citewise.verify(library, bar)

    show(verification_text(verification))
    if not verification.sound:
        raise typer.Exit(1)
    if near_duplicates:
        for one, other, similarity in citewise.open(library).near_duplicates():
            show_plain(f"{similarity:.2f}\t{one.id}\t{other.id}\t{one.title}\t{other.title}")


@commands.command(epilog="Example: citewise compact --library my-library")
def compact(library: FolderOption) -> None:
    """Rewrite a library without what was removed; it becomes smaller and its rows are numbered
    anew.
    """
    citewise.compact(library)
    say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")


@commands.command(epilog="Example: citewise plugins")
def plugins() -> None:
    """Show what other packages have added to citewise, and what of it cannot be loaded."""
    show(plugins_table(found_plugins()))
