"""The command that recommends for sentences, with evidence."""

from pathlib import Path
from typing import Annotated

import typer

import citewise
from citewise import systems
from citewise.cli.answers import (
    TABLE,
    BeforeOption,
    ExplainOption,
    OutputFormat,
    OutputOption,
    SinceOption,
    UntilOption,
    draft_query,
)
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
from citewise.drafts.passages import DraftSentence, lines_of, sentences_of
from citewise.drafts.query import DraftOptions, ids_and_files
from citewise.drafts.reading import looks_like_path, paragraphs_of, read_text
from citewise.errors import BadInput, MissingData
from citewise.render.passages import passage_table
from citewise.reranking import RERANKING_DEFAULTS, reranked

commands = typer.Typer()


@commands.command(
    epilog='Example: citewise cite "GIZA++ aligns words" --library my-library --title "Reordering"'
)
def cite(
    text: Annotated[
        str,
        typer.Argument(
            help="A sentence or a mention; or a file with a draft or a passage of one, or - for "
            "standard input: then every sentence of it is answered.",
            show_default=False,
        ),
    ],
    library: LibraryOption,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of the file is a sentence of its own.")
    ] = False,
    draft: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The draft: its title, its abstract and what it cites help to understand the "
            "sentence.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="The draft's title.")] = "",
    abstract: Annotated[str, typer.Option(help="The draft's abstract.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, help="How many papers a sentence.")] = 5,
    spans: Annotated[
        int,
        typer.Option(min=0, help="How many sentences of the literature are shown for a paper."),
    ] = 2,
    system: SystemOption = systems.FOR_SENTENCES,
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
            help="What the draft cites elsewhere: ids separated by commas, or a file (.bib, .bbl, "
            ".ris, CSL, another draft, …).",
        ),
    ] = None,
    explain: ExplainOption = False,
    format: Annotated[OutputFormat, typer.Option(help="The output's format.")] = TABLE,
    output: OutputOption = None,
) -> None:
    """Recommend papers to cite for a sentence, each with sentences of the literature that cite it
    for similar claims.
    """
    index = citewise.open(library)
    named = reranked(system, rerank, rerank_depth, rerank_seconds)
    if not index.stores.evidence.counts().sentences:
        say(
            "The library has no citing sentences, so papers are found by their titles and "
            "abstracts alone; index full texts or contexts to have evidence."
        )

    keys, files = ids_and_files(cited or ())
    options = DraftOptions(
        title=title,
        abstract=abstract,
        cited=keys,
        bibliographies=files,
        year=before if until is None else until,
        since=since,
    )
    sentences, context = _sentences(text, lines), draft_query(index, draft, options)

    with progress("answering") as bar:
        answer = index.passage(sentences, context, k, spans, named, explain, bar)

    with writing(output) as file:
        if format.value == "table":
            console(file).print(passage_table(answer))
        else:
            file.write(answer.to(format.value))


def _sentences(text: str, lines: bool) -> list[DraftSentence]:
    """Return the sentence, or those of the file that the text names."""
    if text == "-" or _is_file(text):
        sentences = lines_of(read_text(text)) if lines else _of_draft(text)
    else:
        sentences = lines_of(" ".join(text.split()))

    if not sentences:
        raise BadInput("there is no sentence to find citations for")
    return sentences


def _of_draft(file: str) -> list[DraftSentence]:
    """Return the sentences of a draft's running text."""
    return sentences_of("\n\n".join(paragraphs_of(file)))


def _is_file(text: str) -> bool:
    """Return whether a text names a file; one that looks like a path but is none is an error."""
    try:
        if Path(text).is_file():
            return True
    except (OSError, ValueError):  # a sentence may be longer than a file's name can be
        return False

    if looks_like_path(text):
        raise MissingData(f"{text}: no such file")
    return False
