"""The commands that recommend: for one draft, and for many queries."""

import contextlib
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import citewise
from citewise import systems
from citewise.cli.terminal import LibraryOption, SystemOption, progress, say, writing
from citewise.drafts import Draft, read_draft
from citewise.queries import read_queries, write_run
from citewise.render import BIBLIOGRAPHIES, FORMATS, as_json, tables
from citewise.report import Report
from citewise.types import Query, Recommendation

commands = typer.Typer()

OutputFormat = Enum("OutputFormat", {name: name for name in FORMATS}, type=str)  # type: ignore[misc]
TABLE = OutputFormat("table")

BeforeOption = Annotated[int | None, typer.Option("--before", metavar="YEAR", help="Answer as of this year: papers up "
                                                  "to it, citations made before it.")]


@commands.command(epilog="Example: citewise recommend draft.tex --library my-library --format bibtex -k 30")
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
        say("No paper of the library shares a term with this draft within these years.")
    with writing(output) as file:
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
        say(f"Not in the library, so not used: {escape(', '.join(unknown))}")
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


@commands.command(epilog="Example: citewise run --queries queries.jsonl --library my-library -k 1000 -o best.run")
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
    with writing(output) as file, progress("answering") as bar:
        for number, query in enumerate(read_queries(queries, report), 1):
            answers = recommender.recommend(query, k)
            write_run(file, query.id, [each.paper.id for each in answers], [each.score for each in answers],
                      str(systems.System.parse(system)))
            bar(number, None)
    if report.counts:
        Console(stderr=True).print(tables.events(report))
