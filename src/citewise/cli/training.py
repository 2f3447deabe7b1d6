"""The commands of training."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import citewise
from citewise.cli.laboratory import (
    RESULT_TABLE,
    FormatOption,
    JobsOption,
    LeastOption,
    OutputOption,
    ResultFormat,
    SeedOption,
    fractions_of,
    years_of,
)
from citewise.cli.terminal import LibraryOption, progress_by_stage, say, write_result
from citewise.evaluate import SplitSettings
from citewise.library import models
from citewise.rank import model, sentence_model
from citewise.render import training as rendered
from citewise.systems import DEFAULT, FOR_SENTENCES
from citewise.train import RankerSettings, Training, save, train_ranker, train_sentences

commands = typer.Typer(name="train", no_args_is_help=True,
                       help="Train on a library's own papers and citing sentences, under the leak guard.")

DevOption = Annotated[str, typer.Option(metavar="YEARS", help="Years that tell the quality; what is older is learned "
                                        "from.")]
TestOption = Annotated[str, typer.Option(metavar="YEARS", help="Years that are not looked at.")]
FractionsOption = Annotated[str, typer.Option(help="Without years: shares of train, dev and test, the oldest first.")]
MostOption = Annotated[int, typer.Option(min=1, help="Learn from so many of the youngest training queries.")]
TuningOption = Annotated[int, typer.Option(min=1, help="Tell the quality by so many dev queries.")]
TreesOption = Annotated[int, typer.Option(min=1, help="How many trees.")]
AblationOption = Annotated[bool, typer.Option("--ablation", help="Also fit without each family of features; some "
                                              "minutes more.")]
AnywayOption = Annotated[bool, typer.Option("--anyway", help="Keep the model though it is no better on dev queries "
                                            "than the one that serves.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Report, and keep nothing.")]
ShippedOption = Annotated[bool, typer.Option("--shipped", help="Train nothing: go back to the model that ships.")]


@commands.command(epilog="Example: citewise train ranker --library my-library --dev 2021 --test 2022 --least 5")
def ranker(
    library: LibraryOption,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    most: MostOption = 4000,
    tuning: TuningOption = 300,
    trees: TreesOption = 100,
    ablation: AblationOption = False,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    anyway: AnywayOption = False,
    dry_run: DryRunOption = False,
    shipped: ShippedOption = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train the ranker of best on the library's papers; it is kept where it is better than what serves now."""
    if shipped:
        _go_back(library, model.NAME, DEFAULT)
        return
    split = SplitSettings(test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least)
    found = _trained(library, train_ranker, RankerSettings(split, most, tuning, trees, ablation, jobs, seed))
    _tell(found, format, output)
    _keep(library, found, anyway, dry_run)


@commands.command(epilog="Example: citewise train sentences --library my-library --dev 2021 --test 2022 --jobs 2")
def sentences(
    library: LibraryOption,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: Annotated[int, typer.Option(min=1, help="Ask sentences that cite at least this many of the library's "
                                       "papers.")] = 1,
    most: MostOption = 3000,
    tuning: TuningOption = 500,
    trees: TreesOption = 70,
    ablation: AblationOption = False,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    anyway: AnywayOption = False,
    dry_run: DryRunOption = False,
    shipped: ShippedOption = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train the ranker of evidence on the library's citing sentences; kept where it is better than what serves now."""
    if shipped:
        _go_back(library, sentence_model.NAME, FOR_SENTENCES)
        return
    split = SplitSettings(test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least)
    found = _trained(library, train_sentences, RankerSettings(split, most, tuning, trees, ablation, jobs, seed))
    _tell(found, format, output)
    _keep(library, found, anyway, dry_run)


def _go_back(library: Path, name: str, system: str) -> None:
    citewise.open(library)
    models.remove(library, name)
    say(f"{escape(str(library))}: {system} ranks with the model that ships")


def _trained(library: Path, train: Callable[..., Training[Any]], settings: RankerSettings) -> Training[Any]:
    with progress_by_stage() as stage:
        return train(citewise.open(library), settings, stage)


def _tell(found: Training[Any], format: ResultFormat, output: Path | None) -> None:
    write_result(output, format.value, {
        "table": lambda: rendered.as_table(found), "json": lambda: rendered.as_json(found),
        "markdown": lambda: rendered.as_markdown(found)})


def _keep(library: Path, found: Training[Any], anyway: bool, dry_run: bool) -> None:
    kept = not dry_run and (anyway or found.better)
    if kept:
        save(citewise.open(library), found)
    say(f"{escape(str(library))}: " + (f"{found.system} ranks with the new model" if kept else
        "the new model is not kept" if dry_run else
        "the new model is no better than what serves and is not kept; --anyway keeps it"))
