"""The commands that recommend: for one draft, and for many queries."""

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import citewise
from citewise import systems
from citewise.cli.knobs import with_preferences
from citewise.cli.tables import events_table
from citewise.cli.terminal import (
    LibraryOption,
    RerankDepthOption,
    RerankOption,
    RerankSecondsOption,
    SystemOption,
    console,
    progress,
    say,
    writing,
)
from citewise.drafts.query import DraftOptions, ReadQuery, ids_and_files
from citewise.drafts.query_lines import located_queries
from citewise.errors import BadInput, MissingData
from citewise.ingest.report import Report
from citewise.preferences import Preferences
from citewise.render import renderers
from citewise.render.tables import answer_table
from citewise.render.understood import remarks, understood
from citewise.reranking import RERANKING_DEFAULTS, reranked
from citewise.types import Query

commands = typer.Typer()

OutputFormat = Enum("OutputFormat", {name: name for name in renderers()}, type=str)  # type: ignore[misc]
TABLE = OutputFormat("table")

UntilOption = Annotated[
    int | None,
    typer.Option(
        "--until",
        metavar="YEAR",
        help="Answer as of this year: papers up to it, the year included, and citations made "
        "before it.",
    ),
]


def _renamed(before: int | None) -> int | None:
    """Return what the old option was given; say that it has a new name."""
    if before is not None:
        say("--before is now --until; it includes the year itself")
    return before


BeforeOption = Annotated[
    int | None, typer.Option("--before", metavar="YEAR", hidden=True, callback=_renamed)
]
"""The old name of `--until`."""

SinceOption = Annotated[
    int | None, typer.Option(metavar="YEAR", help="Only papers of this year and later.")
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Say why each paper is recommended, what its score is made of, and what answered.",
    ),
]
AuthorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--author",
        metavar="NAME",
        help="An author of the draft, whose work and citations then count; once for each.",
    ),
]
FormatOption = Annotated[OutputFormat, typer.Option(help="The output's format.")]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="Write to a file.")]


@commands.command(
    epilog="Example: citewise recommend draft.tex --library my-library --format bibtex -k 30"
)
@with_preferences
def recommend(
    library: LibraryOption,
    draft: Annotated[
        str | None,
        typer.Argument(
            help="A LaTeX, Markdown, Word (.docx), notebook (.ipynb) or text file, or - for "
            "standard input.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="The draft's title.")] = "",
    abstract: Annotated[str, typer.Option(help="The draft's abstract.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers.")] = 20,
    system: SystemOption = systems.DEFAULT,
    rerank: RerankOption = "",
    rerank_depth: RerankDepthOption = RERANKING_DEFAULTS["depth"],
    rerank_seconds: RerankSecondsOption = RERANKING_DEFAULTS["seconds"],
    until: UntilOption = None,
    before: BeforeOption = None,
    since: SinceOption = None,
    cited: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEYS|FILE",
            help="What the draft cites already: ids separated by commas, or a file (.bib, .bbl, "
            ".ris, CSL, another draft, …); left out of the answer.",
        ),
    ] = None,
    author: AuthorOption = None,
    explain: ExplainOption = False,
    spans: Annotated[
        int, typer.Option(min=0, help="Show this many sentences that cite each paper.")
    ] = 0,
    format: FormatOption = TABLE,
    output: OutputOption = None,
    *,
    preferences: Preferences,
) -> None:
    """Recommend papers that a draft should cite."""
    index = citewise.open(library)
    given = reranked(system, rerank, rerank_depth, rerank_seconds)
    named = str(systems.System.parse(given))

    keys, files = ids_and_files(cited or ())
    options = DraftOptions(
        title=title,
        abstract=abstract,
        cited=keys,
        bibliographies=files,
        authors=tuple(author or ()),
        year=before if until is None else until,
        since=since,
        preferences=preferences,
    )
    read = draft_query(index, draft, options)
    answer = replace(index.answer(read.query, k, named, explain, spans), read=read.read)

    if not len(answer):
        say("No paper of the library shares a term with this draft within these years.")

    with writing(output) as file:
        if format.value != "table":
            file.write(answer.to(format.value))
        elif len(answer):
            console(file).print(answer_table(answer))


def draft_query(library: citewise.Library, draft: str | None, options: DraftOptions) -> ReadQuery:
    """Return the query of a draft's file and options; print what was read, and which of the ids
    are not used.
    """
    read = library.query(draft, options)
    for sentence in understood(read.read) if draft else remarks(read.read):
        say(escape(sentence))
    if read.unknown:
        say(f"Not in the library, so not used: {escape(', '.join(read.unknown))}")
    return read


@commands.command(
    epilog="Example: citewise run --queries queries.jsonl --library my-library -k 1000 -o best.run"
)
@with_preferences
def run(
    queries: Annotated[
        str,
        typer.Option(
            help='A file of {"id","title","abstract","year"?,"cited"?} lines, for sentences '
            '{"id","sentence","title"?,"abstract"?,"year"?}, or -; what a line gives itself '
            '("prefer_recent", …) overrides the options.',
            show_default=False,
        ),
    ],
    library: LibraryOption,
    system: SystemOption = "",
    rerank: RerankOption = "",
    rerank_depth: RerankDepthOption = RERANKING_DEFAULTS["depth"],
    rerank_seconds: RerankSecondsOption = RERANKING_DEFAULTS["seconds"],
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers a query.")] = 1000,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The run file; else standard output.")
    ] = None,
    *,
    preferences: Preferences,
) -> None:
    """Answer many queries with best, sentences with evidence, unless a system is named; write a
    TREC run file.
    """
    from citewise.evaluate.interchange import write_run  # the laboratory takes long to import

    index, report = citewise.open(library), Report()
    given = reranked(system, rerank, rerank_depth, rerank_seconds)
    named = str(systems.System.parse(given)) if system else ""
    usual = Query(preferences=preferences)

    with writing(output) as file, progress("answering") as bar:
        for number, (query, location) in enumerate(located_queries(queries, report, usual), 1):
            usual_system = systems.FOR_SENTENCES if query.sentence else systems.DEFAULT
            tag = named or reranked(usual_system, rerank, rerank_depth, rerank_seconds)
            try:
                answer = index.answer(query, k, tag)
            except (BadInput, MissingData) as error:
                report.note("skipped", "not_answered", location, query.id, str(error))
                continue
            write_run(
                file,
                query.id,
                [each.paper.id for each in answer],
                [each.score for each in answer],
                tag,
            )
            bar(number, None)

    if report.counts:
        say(events_table(report))
