"""The command line: a thin translation of words into calls."""

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

import citewise
from citewise import opened, systems
from citewise.drafts import Draft, read_draft
from citewise.errors import BadInput, CitewiseError
from citewise.ingest import FORMATS as SOURCE_FORMATS
from citewise.ingest import Reading
from citewise.queries import read_queries, write_run
from citewise.render import BIBLIOGRAPHIES, FORMATS, as_json, tables
from citewise.report import Event, Place, Report
from citewise.types import Query, Recommendation

app = typer.Typer(name="citewise", help=citewise.__doc__, no_args_is_help=True, rich_markup_mode="rich",
                  pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})

OutputFormat = Enum("OutputFormat", {name: name for name in FORMATS}, type=str)  # type: ignore[misc]
TABLE = OutputFormat("table")
SourceFormat = Enum("SourceFormat", {name: name for name in SOURCE_FORMATS}, type=str)  # type: ignore[misc]

LibraryOption = Annotated[Path, typer.Option("--library", "-l", help="The library's folder.", show_default=False)]
SystemOption = Annotated[str, typer.Option("--system", "-s", help=f"{', '.join(systems.SYSTEMS)}; settings in "
                                           "parentheses: 'bm25(k1=0.9,b=0.4)'.")]
BeforeOption = Annotated[int | None, typer.Option("--before", metavar="YEAR", help="Answer as of this year: papers up "
                                                  "to it, citations made before it.")]


def _print(what: Any) -> None:
    Console(soft_wrap=False).print(what)


def _say(message: str) -> None:
    Console(stderr=True, highlight=False).print(message, soft_wrap=True)


@contextlib.contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar on standard error while work goes on, if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
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


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"citewise {citewise.__version__}")
        raise typer.Exit


@app.callback()
def _root(version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True,
                                                callback=_show_version)] = False) -> None:
    """citewise: which papers a draft should cite, and why."""


@app.command(epilog="Example: citewise demo")
def demo(library: LibraryOption = Path("citewise-demo")) -> None:
    """Build the sample library and recommend citations for the sample draft."""
    draft = opened.build_sample(library)
    answers = citewise.open(library).recommend(draft.title, draft.abstract, k=10)
    _print(f"[bold]The draft:[/bold] {draft.title}\n")
    _print(tables.recommendations(answers, explain=False))
    _print(f"\nThe sample library is in {library}. Try your own draft:\n"
           f"  citewise recommend --library {library} --title \"Learning to rank citations\"")


@app.command(epilog="Example: citewise index papers.jsonl.xz refs.bib dumps/ --library my-library")
def index(
    sources: Annotated[list[str], typer.Argument(help="Files, folders, or - (standard input); .gz, .xz, .zst too.",
                                                 show_default=False)],
    library: LibraryOption,
    format: Annotated[SourceFormat | None, typer.Option(help="The sources' format, if not recognised.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write what was skipped, repaired, merged or nearly the same, a "
                                                "JSON object a line.")] = None,
    keep_versions: Annotated[bool, typer.Option("--keep-versions", help="Never merge papers by title.")] = False,
) -> None:
    """Create a library or extend it; malformed records are counted and named, and stop nothing."""
    with contextlib.ExitStack() as stack:
        events = stack.enter_context(_output(report)) if report else None
        done = Report(listener=functools.partial(_write_event, events) if events else None)
        show = stack.enter_context(_progress("indexing"))
        first_row = _rows(library)
        opened.index(sources, library, format=format.value if format else "", keep_versions=keep_versions, report=done,
                     progress=lambda reading: _show_reading(show, reading))
        if events:
            _note_near_duplicates(library, first_row, done)
    _say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")
    Console(stderr=True).print(tables.report(done))


def _show_reading(show: Callable[[int, int | None], None], reading: Reading) -> None:
    show(reading.done, reading.size)


def _write_event(file: IO[str], event: Event) -> None:
    file.write(msgspec.json.encode(event).decode() + "\n")


def _rows(library: Path) -> int:
    try:
        return citewise.open(library).library.manifest.rows
    except citewise.MissingData:
        return 0


def _note_near_duplicates(library: Path, first_row: int, done: Report) -> None:
    for one, other, alike in citewise.open(library).near_duplicates(first_row):
        done.note("near_duplicate", "similar_title", Place(str(library), 0), other.id, f"{alike:.2f} like {one.id}")


@app.command(epilog="Example: citewise info --library my-library")
def info(
    library: LibraryOption,
    json: Annotated[bool, typer.Option("--json", help="As JSON, with the papers of each year.")] = False,
) -> None:
    """Show what a library holds: counts, years, coverage, indexes, size."""
    about = citewise.open(library).describe()
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(asdict(about)), indent=2).decode())
    else:
        _print(tables.description(about))


@app.command(epilog="Example: citewise recommend draft.tex --library my-library --format bibtex -k 30")
def recommend(
    library: LibraryOption,
    draft: Annotated[str | None, typer.Argument(help="A .txt, .md or .tex file, or - for standard input.",
                                                show_default=False)] = None,
    title: Annotated[str, typer.Option(help="The draft's title.")] = "",
    abstract: Annotated[str, typer.Option(help="The draft's abstract.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers.")] = 20,
    system: SystemOption = systems.DEFAULT,
    before: BeforeOption = None,
    since: Annotated[int | None, typer.Option(metavar="YEAR", help="Only papers of this year and later.")] = None,
    cited: Annotated[list[str] | None, typer.Option(
        metavar="KEYS|FILE", help="What the draft cites already: ids separated by commas, or a .bib, .ris or CSL file; "
        "left out of the answer.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the signals behind each recommendation.")] = False,
    format: Annotated[OutputFormat, typer.Option(help="The output's format.")] = TABLE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to a file.")] = None,
) -> None:
    """Recommend papers that a draft should cite."""
    held = citewise.open(library)
    system_name = str(systems.System.parse(system))
    query = _query(held, draft, title, abstract, before, since, cited or [])
    answers = held.answer(query, k, system_name)
    if not answers:
        _say("No paper of the library shares a term with this draft within these years.")
    with _output(output) as file:
        if format.value == "table":
            if answers:
                Console(file=file).print(tables.recommendations(answers, explain))
        else:
            file.write(_rendered(format.value, held, query, system_name, answers))


def _query(held: citewise.OpenLibrary, draft: str | None, title: str, abstract: str, before: int | None,
           since: int | None, cited: list[str]) -> Query:
    found = read_draft(draft) if draft else Draft()
    if draft and draft != "-":
        cited = [*cited, *held.cited_in(found, Path(draft).parent)]
    keys = [key for each in cited for key in (held.cited_from(each) if _names_a_file(each) else each.split(","))]
    unknown = [key for key in keys if key.strip() and key not in held]
    if unknown:
        _say(f"Not in the library, so not used: {escape(', '.join(unknown))}")
    return Query(title=title or found.title, abstract=abstract or found.abstract, year=before, since=since,
                 cited=tuple(key for key in keys if key.strip() and key not in unknown))


def _names_a_file(cited: str) -> bool:
    if Path(cited).suffix.lower() in (".bib", ".ris", ".json", ".jsonl") and not Path(cited).is_file():
        raise citewise.MissingData(f"{cited}: no such file")
    with contextlib.suppress(OSError):  # a list of keys may be longer than a file's name can be
        return Path(cited).is_file()
    return False


def _rendered(format: str, held: citewise.OpenLibrary, query: Query, system: str,
              answers: list[Recommendation]) -> str:
    if format == "json":
        manifest = held.library.manifest
        return as_json(query, system, answers, {"path": str(held.library.path), "generation": manifest.generation,
                                                "fingerprint": manifest.fingerprint}) + "\n"
    return BIBLIOGRAPHIES[format]([each.paper for each in answers])


@app.command(epilog="Example: citewise run --queries queries.jsonl --library my-library -k 1000 -o bm25.run")
def run(
    queries: Annotated[str, typer.Option(help='A file of {"id","title","abstract","year"?,"cited"?} lines, or -.',
                                         show_default=False)],
    library: LibraryOption,
    system: SystemOption = systems.DEFAULT,
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers a query.")] = 1000,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The run file; else standard output.")] = None,
) -> None:
    """Answer many queries; write a TREC run file."""
    recommender, report = citewise.open(library).recommender(system), Report()
    with _output(output) as file, _progress("answering") as show:
        for number, query in enumerate(read_queries(queries, report), 1):
            answers = recommender.recommend(query, k)
            write_run(file, query.id, [each.paper.id for each in answers], [each.score for each in answers],
                      str(systems.System.parse(system)))
            show(number, None)
    if report.counts:
        Console(stderr=True).print(tables.events(report))


@app.command(epilog="Example: citewise remove doi:10.1145/1390334.1390416 arXiv:1706.03762 --library my-library")
def remove(
    ids: Annotated[list[str], typer.Argument(help="Ids of papers, in any usual spelling.", show_default=False)],
    library: LibraryOption,
) -> None:
    """Remove papers; references to them are kept and resolve again should they come back."""
    citewise.remove(library, ids)
    _say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")


@app.command(epilog="Example: citewise verify --library my-library")
def verify(
    library: LibraryOption,
    near_duplicates: Annotated[bool, typer.Option("--near-duplicates", help="Also list pairs of papers with nearly the "
                                                  "same title (word Jaccard of 0.7 and more).")] = False,
) -> None:
    """Check a library: checksums, counts, tables, every record; exits with 1 if anything is wrong."""
    with _progress("verifying") as show:
        found = citewise.verify(library, show)
    _print(tables.verification(found))
    if not found.sound:
        raise typer.Exit(1)
    if near_duplicates:
        for one, other, alike in citewise.open(library).near_duplicates():
            typer.echo(f"{alike:.2f}\t{one.id}\t{other.id}\t{one.title}\t{other.title}")


@app.command(epilog="Example: citewise compact --library my-library")
def compact(library: LibraryOption) -> None:
    """Rewrite a library without what was removed; it becomes smaller and its rows are numbered anew."""
    citewise.compact(library)
    _say(f"{escape(str(library))}: {len(citewise.open(library)):,} papers")


def main() -> None:
    """Run the command line; an error becomes one line and an exit code."""
    try:
        app()
    except BadInput as error:
        _say(f"[red]citewise:[/red] {escape(str(error))}")
        sys.exit(2)
    except CitewiseError as error:
        _say(f"[red]citewise:[/red] {escape(str(error))}")
        sys.exit(1)
    except KeyboardInterrupt:
        _say("citewise: interrupted; the library is as it was")
        sys.exit(1)
    except BrokenPipeError:
        sys.stdout = open(1, "w", closefd=False)
        sys.exit(1)
    except OSError as error:  # a disk that is full, a folder that is not there or not ours
        _say(f"[red]citewise:[/red] {escape(str(error.filename or 'output'))}: {error.strerror}")
        sys.exit(1)
