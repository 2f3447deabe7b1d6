"""The commands that recommend: for one draft, and for many queries."""

import contextlib
from dataclasses import replace
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
from citewise.rank.preferences import check
from citewise.render import BIBLIOGRAPHIES, FORMATS, as_json, tables
from citewise.render.markdown import markdown_answer
from citewise.report import Report
from citewise.types import Answer, Query

commands = typer.Typer()

OutputFormat = Enum("OutputFormat", {name: name for name in FORMATS}, type=str)  # type: ignore[misc]
TABLE = OutputFormat("table")

BeforeOption = Annotated[int | None, typer.Option("--before", metavar="YEAR", help="Answer as of this year: papers up "
                                                  "to it, citations made before it.")]

ExplainOption = Annotated[bool, typer.Option("--explain", help="Say why each paper is recommended, what its score is "
                                             "made of, and what answered.")]

AuthorOption = Annotated[list[str] | None, typer.Option(
    "--author", metavar="NAME", help="An author of the draft, whose work and citations then count; give it once "
    "for each.")]
NoSelfCitationsOption = Annotated[bool, typer.Option(
    "--no-self-citations", help="Leave out papers of the draft's authors.")]
PreferRecentOption = Annotated[float, typer.Option(
    "--prefer-recent", metavar="WEIGHT", help="Put younger papers forward: from -1 (older ones) to 1.")]
PreferCitedOption = Annotated[float, typer.Option(
    "--prefer-cited", metavar="WEIGHT", help="Put much cited papers forward: from -1 (little cited ones) to 1.")]
DiversifyOption = Annotated[float, typer.Option(
    "--diversify", metavar="WEIGHT", help="Put papers back that are like those before them: from 0 to 1.")]


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
    author: AuthorOption = None,
    no_self_citations: NoSelfCitationsOption = False,
    prefer_recent: PreferRecentOption = 0.0,
    prefer_cited: PreferCitedOption = 0.0,
    diversify: DiversifyOption = 0.0,
    explain: ExplainOption = False,
    spans: Annotated[int, typer.Option(min=0, help="Show so many sentences for which others cite each paper.")] = 0,
    format: Annotated[OutputFormat, typer.Option(help="The output's format.")] = TABLE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to a file.")] = None,
) -> None:
    """Recommend papers that a draft should cite."""
    held = citewise.open(library)
    system_name = str(systems.System.parse(system))
    query = replace(draft_query(held, draft, title, abstract, before, since, cited or []),
                    authors=tuple(author or []), no_self_citations=no_self_citations, prefer_recent=prefer_recent,
                    prefer_cited=prefer_cited, diversify=diversify)
    answer = held.recommender(system_name).answer(query, k, explain, spans)
    if not answer.recommendations:
        say("No paper of the library shares a term with this draft within these years.")
    with writing(output) as file:
        if format.value == "table":
            if answer.recommendations:
                Console(file=file).print(tables.answer(answer))
        else:
            file.write(_rendered(format.value, held, query, answer))


def draft_query(held: citewise.OpenLibrary, draft: str | None, title: str, abstract: str, before: int | None,
                since: int | None, cited: list[str]) -> Query:
    """Return the query that a draft's file and options make."""
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


def _rendered(format: str, held: citewise.OpenLibrary, query: Query, answer: Answer) -> str:
    if format == "json":
        manifest = held.library.manifest
        return as_json(query, answer, {"path": str(held.library.path), "generation": manifest.generation,
                                       "fingerprint": manifest.fingerprint}) + "\n"
    if format == "markdown":
        return markdown_answer(answer)
    return BIBLIOGRAPHIES[format]([each.paper for each in answer.recommendations])


@commands.command(epilog="Example: citewise run --queries queries.jsonl --library my-library -k 1000 -o best.run")
def run(
    queries: Annotated[str, typer.Option(help='A file of {"id","title","abstract","year"?,"cited"?} lines, for '
                                         'sentences {"id","sentence","title"?,"abstract"?,"year"?}, or -; what '
                                         'a line says itself ("prefer_recent", …) goes before the options.',
                                         show_default=False)],
    library: LibraryOption,
    system: SystemOption = "",
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers a query.")] = 1000,
    no_self_citations: NoSelfCitationsOption = False,
    prefer_recent: PreferRecentOption = 0.0,
    prefer_cited: PreferCitedOption = 0.0,
    diversify: DiversifyOption = 0.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The run file; else standard output.")] = None,
) -> None:
    """Answer many queries with best, sentences with evidence, unless a system is named; write a TREC run file."""
    held, report = citewise.open(library), Report()
    named = str(systems.System.parse(system)) if system else ""
    wishes = Query(prefer_recent=prefer_recent, prefer_cited=prefer_cited, diversify=diversify)
    check(wishes)
    wishes = replace(wishes, no_self_citations=no_self_citations)  # whose, each line says
    with writing(output) as file, progress("answering") as bar:
        for number, query in enumerate(read_queries(queries, report, wishes), 1):
            asked = named or (systems.FOR_SENTENCES if query.sentence else systems.DEFAULT)
            answers = held.answer(query, k, asked)
            write_run(file, query.id, [each.paper.id for each in answers], [each.score for each in answers], asked)
            bar(number, None)
    if report.counts:
        Console(stderr=True).print(tables.events(report))
