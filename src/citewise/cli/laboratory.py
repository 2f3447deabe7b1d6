"""The commands of the laboratory: splits and evaluation."""

import re
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import citewise
from citewise import evaluate as laboratory
from citewise.cli.terminal import LibraryOption, progress, say, writing
from citewise.errors import BadInput
from citewise.evaluate.analyses import ANALYSES, DEPTH, check
from citewise.evaluate.experiment import FACETS, MEASURES
from citewise.evaluate.plots import require_matplotlib
from citewise.evaluate.splits import PARTS, Years
from citewise.evaluate.splits import Part as PartName
from citewise.render import evaluation
from citewise.systems import BASELINE

commands = typer.Typer()

ResultFormat = Enum("ResultFormat", {name: name for name in evaluation.FORMATS}, type=str)  # type: ignore[misc]
RESULT_TABLE = ResultFormat("table")
Part = Enum("Part", {name: name for name in PARTS}, type=str)  # type: ignore[misc]
TEST = Part("test")

LeastOption = Annotated[int, typer.Option(min=1, help="Ask papers that cite at least this many of the library's.")]
AnyAbstractOption = Annotated[bool, typer.Option("--without-abstract", help="Ask papers without an abstract, too.")]
SampleOption = Annotated[int | None, typer.Option(min=1, help="Ask at most this many papers a part, drawn at random.")]
SeedOption = Annotated[int, typer.Option(help="For what is drawn at random.")]

_YEARS = re.compile(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?")


@commands.command(epilog="Example: citewise split --library my-library --test 2022 --dev 2021 --least 5 -o split.json")
def split(
    library: LibraryOption,
    output: Annotated[Path, typer.Option("-o", "--output", help="The split file.", show_default=False)],
    test: Annotated[str, typer.Option(metavar="YEARS", help="Years of the test part: 2022 or 2020-2022.")] = "",
    dev: Annotated[str, typer.Option(metavar="YEARS", help="Years of the dev part; train is what is older.")] = "",
    fractions: Annotated[str, typer.Option(help="Without years: shares of train, dev and test, the oldest papers "
                                           "first.")] = "0.8,0.1,0.1",
    least: LeastOption = 1,
    without_abstract: AnyAbstractOption = False,
    sample: SampleOption = None,
    seed: SeedOption = 0,
    unguarded: Annotated[bool, typer.Option("--unguarded", help="Keep training papers that are near-duplicates of dev "
                                            "and test papers. Leaks.")] = False,
    part: Annotated[Part, typer.Option(help="The part to export.")] = TEST,
    queries: Annotated[Path | None, typer.Option(help="Export the queries, for citewise run.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="Export what they should find, as TREC qrels.")] = None,
    beir: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Export library, queries and qrels in BEIR's "
                                              "layout.")] = None,
) -> None:
    """Split a library's papers into train, dev and test queries."""
    held = citewise.open(library)
    settings = laboratory.SplitSettings(test=years_of(test), dev=years_of(dev), fractions=_fractions(fractions),
                                        least=least, abstract=not without_abstract, sample=sample, seed=seed)
    made = laboratory.Split.make(held, settings, guard=not unguarded)
    made.save(output)
    say(f"{escape(str(output))}: {', '.join(f'{len(asked):,} {name}' for name, asked in made.parts.items())}")
    if queries or qrels or beir:
        _export(held, made.questions(held, part_of(part)), queries, qrels, beir)


def _export(held: citewise.OpenLibrary, questions: list[laboratory.Question], queries: Path | None, qrels: Path | None,
            beir: Path | None) -> None:
    if queries:
        with writing(queries) as file:
            laboratory.write_queries(file, questions)
    if qrels:
        with writing(qrels) as file:
            laboratory.write_qrels(file, questions, laboratory.gold_names(held.library, questions))
    if beir:
        laboratory.write_beir(beir, held.library, questions)


def years_of(text: str) -> Years | None:
    """Read one year or two with a dash between."""
    if not text:
        return None
    match = _YEARS.fullmatch(text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise BadInput(f"write years as 2022 or 2020-2022, not {text!r}")
    return int(match[1]), int(match[2] or match[1])


def _fractions(text: str) -> tuple[float, float, float]:
    try:
        train, dev, test = map(float, text.split(","))
    except ValueError:
        raise BadInput(f"write fractions as 0.8,0.1,0.1, not {text!r}") from None
    return train, dev, test


def part_of(part: Part) -> PartName:
    """Return the part that an option names."""
    return next(name for name in PARTS if name == part.value)


@commands.command(epilog="Example: citewise evaluate --library my-library --years 2022 --least 5 "
                         "--systems bm25,bm25-title --by year")
def evaluate(
    library: LibraryOption,
    systems: Annotated[str, typer.Option(help="Systems with commas between; several values of a setting with bars: "
                                         "'bm25(k1=0.9|1.2)'; run:FILE for another program's TREC run. The first is "
                                         "the baseline.")] = BASELINE,
    split: Annotated[Path | None, typer.Option(help="A split file, see citewise split.")] = None,
    part: Annotated[Part, typer.Option(help="The split's part to ask.")] = TEST,
    years: Annotated[str, typer.Option(metavar="YEARS", help="Without a split file: ask the papers of these "
                                       "years.")] = "",
    least: LeastOption = 1,
    without_abstract: AnyAbstractOption = False,
    sample: SampleOption = None,
    seed: SeedOption = 0,
    measures: Annotated[str, typer.Option(help="P, R, F1, MRR, MAP, nDCG and hit, each at a depth.")] = MEASURES,
    by: Annotated[str, typer.Option(help=f"Break down by {', '.join(FACETS)}.")] = "",
    analyses: Annotated[str, typer.Option(help=f"Also look at {', '.join(ANALYSES)}.")] = "",
    analysed: Annotated[int, typer.Option(min=1, help="How many answers a query the analyses look at.")] = DEPTH,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once; times are those of a busy machine if "
                                      "several.")] = 1,
    run_folder: Annotated[Path | None, typer.Option(help="Keep answers here: an interrupted evaluation goes on where "
                                                    "it stopped.")] = None,
    format: Annotated[ResultFormat, typer.Option(help="The output's format.")] = RESULT_TABLE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to a file.")] = None,
    plots: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Draw recall by depth, quality against latency "
                                               "and bars, as PNG and SVG.")] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Use the split though the library has changed since.")] = False,
    unguarded: Annotated[bool, typer.Option("--unguarded", help="Let queries see what no draft could: themselves, "
                                            "younger papers, later citations. The result is marked.")] = False,
) -> None:
    """Measure systems on papers of the library: how much of what they cite is found."""
    held = citewise.open(library)
    if bool(split) == bool(years):
        raise BadInput("say which papers to ask: --split FILE or --years YEARS")
    settings = laboratory.Settings(measures=laboratory.parse_measures(measures), by=_names(by), jobs=jobs,
                                   folder=run_folder, depth=analysed if analyses else 0, seed=seed)
    check(_names(analyses))
    if plots:
        require_matplotlib()
    made = laboratory.Split.load(split) if split else laboratory.Split.make(held, laboratory.SplitSettings(
        test=years_of(years), least=least, abstract=not without_abstract, sample=sample, seed=seed), parts=("test",))
    questions = made.questions(held, part_of(part), guard=not unguarded, stale=stale)
    with progress("evaluating") as bar:
        runs = laboratory.answers(held, [systems], questions, settings, bar)
    results = laboratory.score(held, runs, questions, settings)
    looked_at = laboratory.analyse(held.library, runs, questions, _names(analyses), analysed)
    if plots:
        laboratory.save_plots(results, plots)
    with writing(output) as file:
        if format.value == "table":
            Console(file=file).print(evaluation.as_table(results, looked_at))
        else:
            file.write((evaluation.as_json if format.value == "json" else evaluation.as_markdown)(results, looked_at))


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in re.split(r"[\s,]+", text) if part))
