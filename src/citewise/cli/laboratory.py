"""The commands of the laboratory: splits and evaluations."""

import re
from enum import Enum
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.markup import escape

import citewise
from citewise import evaluate as laboratory
from citewise.cli.terminal import LibraryOption, progress, say, write_result, writing
from citewise.errors import BadInput
from citewise.evaluate import tables
from citewise.evaluate.analyses import ANALYSES, DEPTH, check
from citewise.evaluate.experiment import FACETS, MEASURES
from citewise.evaluate.plots import require_matplotlib
from citewise.evaluate.sentences import MEASURES as LOCAL_MEASURES
from citewise.evaluate.splits import PARTS, Years
from citewise.evaluate.splits import Part as PartName
from citewise.ingest.report import Report
from citewise.protocols import Stores
from citewise.systems import BASELINE, FOR_SENTENCES

commands = typer.Typer()

ResultFormat = Enum("ResultFormat", {name: name for name in tables.FORMATS}, type=str)  # type: ignore[misc]
RESULT_TABLE = ResultFormat("table")
Part = Enum("Part", {name: name for name in PARTS}, type=str)  # type: ignore[misc]
TEST = Part("test")

LeastOption = Annotated[
    int, typer.Option(min=1, help="Ask papers that cite at least this many of the library's.")
]
AnyAbstractOption = Annotated[
    bool, typer.Option("--without-abstract", help="Ask papers without an abstract, too.")
]
SampleOption = Annotated[
    int | None, typer.Option(min=1, help="Ask at most this many papers a part, drawn at random.")
]
SeedOption = Annotated[int, typer.Option(help="For what is drawn at random.")]
AuthorsOption = Annotated[
    bool,
    typer.Option(
        "--authors", help="Give each query its paper's authors, as --author gives a draft's."
    ),
]
SplitOption = Annotated[
    Path | None, typer.Option(help="Ask the papers of a split file, see citewise split.")
]
PartOption = Annotated[Part, typer.Option(help="The split's part to ask.")]
YearsOption = Annotated[
    str, typer.Option(metavar="YEARS", help="Without a split file: ask the papers of these years.")
]
MeasuresOption = Annotated[
    str, typer.Option(help="P, R, F1, MRR, MAP, nDCG and hit, each at a depth.")
]
JobsOption = Annotated[
    int,
    typer.Option(min=1, help="Processes at once; times are those of a busy machine if several."),
]
RunFolderOption = Annotated[
    Path | None,
    typer.Option(help="Keep answers here: an interrupted run goes on where it stopped."),
]
FormatOption = Annotated[ResultFormat, typer.Option(help="The output's format.")]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="Write to a file.")]

_YEARS = re.compile(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?")


@commands.command(
    epilog="Example: citewise split --library my-library --test 2022 --dev 2021 --least 5 "
    "-o split.json"
)
def split(
    library: LibraryOption,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The split file.", show_default=False)
    ],
    test: Annotated[
        str, typer.Option(metavar="YEARS", help="Years of the test part: 2022 or 2020-2022.")
    ] = "",
    dev: Annotated[
        str, typer.Option(metavar="YEARS", help="Years of the dev part; train is what is older.")
    ] = "",
    fractions: Annotated[
        str,
        typer.Option(help="Without years: shares of train, dev and test, the oldest papers first."),
    ] = "0.8,0.1,0.1",
    cut_all: Annotated[
        bool,
        typer.Option(
            "--cut-all",
            help="Take the shares of all papers with a year, and leave those that cannot be asked "
            "out afterwards, as Citeomatic does.",
        ),
    ] = False,
    least: LeastOption = 1,
    without_abstract: AnyAbstractOption = False,
    sample: SampleOption = None,
    seed: SeedOption = 0,
    unguarded: Annotated[
        bool,
        typer.Option(
            "--unguarded",
            help="Keep training papers that are near-duplicates of dev and test papers. Leaks.",
        ),
    ] = False,
    part: Annotated[Part, typer.Option(help="The part to export.")] = TEST,
    authors: AuthorsOption = False,
    queries: Annotated[
        Path | None, typer.Option(help="Export the queries, for citewise run.")
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option(help="Export what they should find, as TREC qrels.")
    ] = None,
    beir: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Export library, queries and qrels in BEIR's layout."),
    ] = None,
) -> None:
    """Split a library's papers into train, dev and test queries."""
    stores = citewise.open(library).stores
    settings = laboratory.SplitSettings(
        test=years_of(test),
        dev=years_of(dev),
        fractions=fractions_of(fractions),
        cut="all" if cut_all else "eligible",
        least=least,
        abstract=not without_abstract,
        sample=sample,
        seed=seed,
    )

    new_split = laboratory.Split.make(stores, settings, guard=not unguarded)
    new_split.save(output)
    counts = ", ".join(f"{len(papers):,} {name}" for name, papers in new_split.parts.items())
    say(f"{escape(str(output))}: {counts}")

    if queries or qrels or beir:
        questions = new_split.questions(stores, part_of(part), authors=authors)
        _export(stores, questions, queries, qrels, beir)


def _export(
    stores: Stores,
    questions: list[laboratory.Question],
    queries: Path | None,
    qrels: Path | None,
    beir: Path | None,
) -> None:
    """Write questions into those of the files that are given."""
    if queries:
        with writing(queries) as file:
            laboratory.write_queries(file, questions)
    if qrels:
        with writing(qrels) as file:
            laboratory.write_qrels(file, questions, laboratory.gold_names(stores, questions))
    if beir:
        laboratory.write_beir(beir, stores, questions)


def years_of(text: str) -> Years | None:
    """Return the first and last year that a text names: `2022` or `2020-2022`; None for ""."""
    if not text:
        return None
    match = _YEARS.fullmatch(text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise BadInput(f"write years as 2022 or 2020-2022, not {text!r}")
    return int(match[1]), int(match[2] or match[1])


def fractions_of(text: str) -> tuple[float, float, float]:
    """Return the three shares that a text names: `0.8,0.1,0.1`."""
    try:
        train, dev, test = map(float, text.split(","))
    except ValueError:
        raise BadInput(f"write fractions as 0.8,0.1,0.1, not {text!r}") from None
    return train, dev, test


def split_of(
    stores: Stores, file: Path | None, years: str, settings: laboratory.SplitSettings
) -> laboratory.Split:
    """Return the split of a file, or one whose queries are the papers of some years; exactly one of
    the two must be given.
    """
    if bool(file) == bool(years):
        raise BadInput("say which papers to ask: --split FILE or --years YEARS")

    if file:
        return laboratory.Split.load(file)
    return laboratory.Split.make(
        stores, msgspec.structs.replace(settings, test=years_of(years)), parts=("test",)
    )


def part_of(part: Part) -> PartName:
    """Return the part that an option names."""
    return next(name for name in PARTS if name == part.value)


@commands.command(
    epilog="Example: citewise evaluate --library my-library --years 2022 --least 5 "
    "--systems bm25,bm25-title --by year"
)
def evaluate(
    library: LibraryOption,
    systems: Annotated[
        str,
        typer.Option(
            help="Systems with commas between; several values of a setting with bars: "
            "'bm25(k1=0.9|1.2)'; run:FILE for another program's TREC run. The first is "
            "the baseline."
        ),
    ] = "",
    local: Annotated[
        bool,
        typer.Option(
            "--local",
            help="Use citing sentences as queries, answered from older evidence: those "
            "of --years, or of --queries.",
        ),
    ] = False,
    queries: Annotated[
        Path | None,
        typer.Option(help='With --local: a file of {"query","gold","citing_id","date"} lines.'),
    ] = None,
    without_draft: Annotated[
        bool,
        typer.Option(
            "--without-draft",
            help="With --local: the citing paper's title and abstract are not known.",
        ),
    ] = False,
    spans: Annotated[
        bool,
        typer.Option(
            "--spans",
            help="With --local and --years: ask each span of a sentence on its own, as ILCiteR "
            "does; it should find what is cited for that span.",
        ),
    ] = False,
    mentions: Annotated[
        bool,
        typer.Option(
            "--mentions", help="With --spans: ask the mentions as well (extra `evidence`)."
        ),
    ] = False,
    split: SplitOption = None,
    part: PartOption = TEST,
    years: YearsOption = "",
    least: LeastOption = 1,
    without_abstract: AnyAbstractOption = False,
    sample: SampleOption = None,
    seed: SeedOption = 0,
    authors: AuthorsOption = False,
    measures: MeasuresOption = "",
    by: Annotated[str, typer.Option(help=f"Break down by {', '.join(FACETS)}.")] = "",
    analyses: Annotated[str, typer.Option(help=f"Also analyse {', '.join(ANALYSES)}.")] = "",
    analysed: Annotated[
        int, typer.Option(min=1, help="The analyses use this many answers a query.")
    ] = DEPTH,
    jobs: JobsOption = 1,
    run_folder: RunFolderOption = None,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Draw recall by depth, quality against latency and bars, as PNG and SVG.",
        ),
    ] = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Use the split though the library has changed since.")
    ] = False,
    unguarded: Annotated[
        bool,
        typer.Option(
            "--unguarded",
            help="Let queries see what no draft could: themselves, "
            "younger papers, later citations. The result is marked.",
        ),
    ] = False,
) -> None:
    """Measure systems on papers of the library, or on its sentences: how much of what they cite is
    found.

    Papers are answered by bm25, sentences by ilciter and evidence, unless systems are named.
    """
    stores = citewise.open(library).stores
    measures = measures or (LOCAL_MEASURES if local else MEASURES)
    settings = laboratory.Settings(
        measures=laboratory.parse_measures(measures),
        by=_names(by),
        jobs=jobs,
        folder=run_folder,
        depth=analysed if analyses else 0,
        seed=seed,
    )

    check(_names(analyses))
    if plots:
        require_matplotlib()

    if local:
        questions = _sentence_questions(
            stores,
            queries,
            laboratory.SentenceSplit(
                years_of(years),
                sample,
                seed,
                context=not without_draft,
                asked="spans" if spans else "sentences",
                mentions=mentions,
            ),
        )
    else:
        chosen = split_of(
            stores,
            split,
            years,
            laboratory.SplitSettings(
                least=least, abstract=not without_abstract, sample=sample, seed=seed
            ),
        )
        questions = chosen.questions(
            stores, part_of(part), guard=not unguarded, stale=stale, authors=authors
        )

    systems = systems or (f"ilciter,{FOR_SENTENCES}" if local else BASELINE)
    with progress("evaluating") as bar:
        runs = laboratory.answers(stores, [systems], questions, settings, bar)
    results = laboratory.score(stores, runs, questions, settings)
    analysed_runs = laboratory.analyse(stores, runs, questions, _names(analyses), analysed)

    if plots:
        laboratory.save_plots(results, plots)
    write_result(
        output,
        format.value,
        {
            "table": lambda: tables.as_table(results, analysed_runs),
            "json": lambda: tables.as_json(results, analysed_runs),
            "markdown": lambda: tables.as_markdown(results, analysed_runs),
        },
    )


def _sentence_questions(
    stores: Stores, queries: Path | None, split: laboratory.SentenceSplit
) -> list[laboratory.Question]:
    """Return the questions of a file, or of the library's own sentences of some years."""
    if bool(queries) == bool(split.years):
        raise BadInput("say which sentences to ask: --queries FILE or --years YEARS")
    if not queries:
        return laboratory.sentence_questions(stores, split)
    if split.asked == "spans":
        raise BadInput(
            f"{queries} has questions as they are: --spans asks the library's own sentences, "
            "with --years"
        )

    report = Report()
    questions = laboratory.read_sentence_questions(stores, queries, report, split.context)
    if report.counts:
        skipped = f"{report.total('skipped'):,} lines skipped"
        say(f"{escape(str(queries))}: {len(questions):,} questions read, {skipped}")
    return questions[: split.sample]


def _names(text: str) -> tuple[str, ...]:
    """Return the names in a text, separated by spaces or commas, each once."""
    return tuple(dict.fromkeys(part for part in re.split(r"[\s,]+", text) if part))
