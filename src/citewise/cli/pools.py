"""The commands of pools: build them, score systems on them, import the papers of published ones."""

import itertools
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import citewise
from citewise import evaluate as laboratory
from citewise.cli.laboratory import (
    RESULT_TABLE,
    TEST,
    FormatOption,
    JobsOption,
    LeastOption,
    MeasuresOption,
    OutputOption,
    PartOption,
    RunFolderOption,
    SampleOption,
    SeedOption,
    SplitOption,
    YearsOption,
    part_of,
    split_of,
)
from citewise.cli.tables import events_table
from citewise.cli.terminal import FolderOption, LibraryOption, progress, say, write_result, writing
from citewise.errors import BadInput
from citewise.evaluate import pool_tables as rendered
from citewise.evaluate.experiment import spelled
from citewise.evaluate.large import MEASURES as LARGE_MEASURES
from citewise.evaluate.pool_scores import MEASURES
from citewise.ingest.report import Report
from citewise.protocols import Stores
from citewise.systems import BASELINE

commands = typer.Typer(
    name="pools",
    no_args_is_help=True,
    help="Candidate pools by field and kind of negative: build them, score systems on them.",
)

FieldsOption = Annotated[
    Path | None,
    typer.Option(
        help='Fields as a JSON object {"name": ["label or venue", ...]}; '
        "without, each label is a field."
    ),
]

PrefilterOption = Annotated[
    bool,
    typer.Option(
        "--prefilter",
        help="Only papers with a year, a title, an abstract of at least 30 characters and at least "
        "3 citations, as in MDCR.",
    ),
]
LeaveOutOption = Annotated[
    Path | None,
    typer.Option(
        help="Do not ask these papers: a file with an id a line, or a split file, whose training "
        "part is meant. Name what an encoder was trained on.",
    ),
]


@commands.command(
    epilog="Example: citewise pools build --library my-library --years 2022 "
    "--systems bm25,bm25-title -o pools.jsonl"
)
def build(
    library: LibraryOption,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file of pools.", show_default=False)
    ],
    systems: Annotated[
        str, typer.Option(help="Systems that give negatives, with commas between.")
    ] = BASELINE,
    models: Annotated[
        int,
        typer.Option(
            min=1,
            help="Use at most this many of the systems: those whose best negatives have the least "
            "in common.",
        ),
    ] = 3,
    fields: FieldsOption = None,
    split: SplitOption = None,
    part: PartOption = TEST,
    years: YearsOption = "",
    least: LeastOption = 5,
    queries: Annotated[int, typer.Option(min=1, help="At most this many pools a field.")] = 200,
    newest: Annotated[
        bool, typer.Option("--newest", help="Fill a field with its newest papers first.")
    ] = False,
    cited: Annotated[int, typer.Option(min=1, help="Cited papers a pool.")] = 5,
    negatives: Annotated[int, typer.Option(min=1, help="Negatives of each kind.")] = 10,
    depth: Annotated[
        int,
        typer.Option(
            min=1, help="Draw from this many of a system's best and of a field's most cited papers."
        ),
    ] = 200,
    without_abstract: Annotated[
        bool,
        typer.Option(
            "--without-abstract",
            help="Let papers without an abstract be queries and be in pools, too.",
        ),
    ] = False,
    prefilter: PrefilterOption = False,
    leave_out: LeaveOutOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    run_folder: RunFolderOption = None,
) -> None:
    """Build pools: what a query cites among negatives by system, graph, citation count and at
    random.
    """
    settings = laboratory.PoolSettings(
        systems=tuple(spelled([systems])),
        models=models,
        queries=queries,
        cited=cited,
        negatives=negatives,
        depth=depth,
        abstract=not without_abstract,
        newest=newest,
        prefilter=prefilter,
        seed=seed,
    )

    groups = laboratory.Fields.load(fields) if fields else None
    stores = citewise.open(library).stores
    chosen = split_of(
        stores, split, years, laboratory.SplitSettings(least=least, abstract=not without_abstract)
    )
    questions = _asked(stores, chosen.questions(stores, part_of(part)), leave_out)

    with progress("building") as bar:
        pools = laboratory.build_pools(
            stores,
            questions,
            settings,
            groups,
            laboratory.Settings(jobs=jobs, folder=run_folder),
            bar,
        )

    with writing(output) as file:
        file.writelines(line.decode() + "\n" for line in pools.lines())
    say(escape(f"{output}: {rendered.built(pools)}"))


@commands.command(
    epilog="Example: citewise pools score pools.jsonl --library my-library "
    "--systems bm25,bm25-title"
)
def score(
    file: Annotated[
        Path,
        typer.Argument(
            help="Pools of citewise pools build, MDCR's mdcr_test.json, or judgements "
            "such as SciDocs' cite/test.qrel.",
            show_default=False,
        ),
    ],
    library: LibraryOption,
    systems: Annotated[
        str,
        typer.Option(
            help="Systems with commas between; run:FILE for another program's TREC "
            "run. The first is the baseline."
        ),
    ] = BASELINE,
    measures: MeasuresOption = MEASURES,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    run_folder: RunFolderOption = None,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Use pools though the library has changed since.")
    ] = False,
) -> None:
    """Score systems on pools, by field and by kind of negative."""
    settings = laboratory.Settings(
        laboratory.parse_measures(measures), jobs=jobs, folder=run_folder, seed=seed
    )

    pools, stores = laboratory.read_pools(file), citewise.open(library).stores
    with progress("scoring") as bar:
        results = laboratory.score_pools(stores, [systems], pools, settings, bar, stale=stale)

    write_result(
        output,
        format.value,
        {
            "table": lambda: rendered.as_table(results),
            "json": lambda: rendered.as_json(results),
            "markdown": lambda: rendered.as_markdown(results),
        },
    )


@commands.command(
    epilog="Example: citewise pools large --library my-library --years 2022 --sizes 50000,100000 "
    "--folder sets"
)
def large(
    library: LibraryOption,
    folder: Annotated[
        Path,
        typer.Option(help="Keep the sets' libraries and the answers here.", show_default=False),
    ],
    years: Annotated[
        str,
        typer.Option(metavar="YEARS", help="Ask the papers of these years.", show_default=False),
    ] = "",
    sizes: Annotated[
        str,
        typer.Option(
            metavar="NUMBERS",
            help="Papers in a candidate set, with commas between; with --by-field, one number.",
            show_default=False,
        ),
    ] = "",
    split: SplitOption = None,
    training_papers: Annotated[
        bool,
        typer.Option(
            "--training-papers",
            help="With --split: one set, the papers of the training years, as Citeomatic and "
            "ClusCite search them on DBLP and PubMed.",
        ),
    ] = False,
    by_field: Annotated[
        bool, typer.Option("--by-field", help="A set for each field, of what its papers cite.")
    ] = False,
    fields: FieldsOption = None,
    queries: Annotated[int, typer.Option(min=1, help="At most this many queries a field.")] = 200,
    repeats: Annotated[
        int, typer.Option(min=1, help="Sets of each size or field; results are averaged.")
    ] = 1,
    systems: Annotated[str, typer.Option(help="Systems with commas between.")] = BASELINE,
    measures: MeasuresOption = LARGE_MEASURES,
    least: LeastOption = 5,
    sample: SampleOption = None,
    prefilter: PrefilterOption = False,
    leave_out: LeaveOutOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Measure systems in candidate sets of growing size, or of one field each."""
    if training_papers == bool(sizes) or training_papers != bool(split):
        raise BadInput("name the sets: --years with --sizes, or --split with --training-papers")
    settings = laboratory.Settings(laboratory.parse_measures(measures), jobs=jobs, seed=seed)
    groups = laboratory.Fields.load(fields) if fields else laboratory.Fields({})

    stores = citewise.open(library).stores
    chosen = split_of(stores, split, years, laboratory.SplitSettings(least=least))
    questions = _asked(stores, chosen.questions(stores), leave_out)
    fit = laboratory.prefiltered(stores) if prefilter else None
    if fit is not None:
        questions = laboratory.of_papers(stores, questions, fit)
    questions = laboratory.sampled(questions, sample, seed)

    counts = _sizes(sizes, by_field) if sizes else []
    if training_papers:
        made = iter([laboratory.training_set(stores, chosen, questions)])
    elif by_field:
        drawn = laboratory.PoolSettings(queries=queries, seed=seed)
        made = laboratory.field_sets(stores, questions, groups, drawn, counts[0], repeats, fit)
    else:
        made = laboratory.sized_sets(stores, questions, counts, repeats, seed, fit)
    sets = list(made)

    with progress("asking") as bar:
        results = laboratory.score_sets(stores, [systems], sets, folder, settings, bar)

    write_result(
        output,
        format.value,
        {
            "table": lambda: rendered.large_table(results),
            "json": lambda: rendered.large_json(results),
            "markdown": lambda: rendered.large_markdown(results),
        },
    )


def _asked(
    stores: Stores, questions: list[laboratory.Question], leave_out: Path | None
) -> list[laboratory.Question]:
    """Return the questions without those that a file names, and say how many there were."""
    if leave_out is None:
        return questions
    ids = laboratory.read_ids(leave_out)
    kept = laboratory.without(stores, questions, ids)
    say(
        f"{escape(str(leave_out))}: {len(ids):,} ids, "
        f"{len(questions) - len(kept):,} of {len(questions):,} queries left out"
    )
    return kept


def _sizes(text: str, by_field: bool) -> list[int]:
    """Return the sizes that a text names, with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and int(part) for part in parts) or (by_field and len(parts) > 1):
        raise BadInput(f"write {'one size' if by_field else 'sizes as 50000,100000'}, not {text!r}")
    return [int(part) for part in parts]


@commands.command(
    "import", epilog="Example: citewise pools import mdcr_test_data.jsonl --library mdcr"
)
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="MDCR's mdcr_test_data.jsonl or SciDocs' paper_metadata_view_cite_read.json.",
            show_default=False,
        ),
    ],
    library: FolderOption,
) -> None:
    """Make a library of the papers of published pools: titles, abstracts and years, but no
    references.
    """
    done = Report()
    papers = itertools.chain.from_iterable(laboratory.read_texts(file, done) for file in files)
    report = citewise.add(papers, library, keep_versions=True)
    say(f"{escape(str(library))}: {report.added:,} papers added")
    if done.counts:
        say(events_table(done))
