"""The commands that train rankers."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import citewise
from citewise.cli.laboratory import (
    RESULT_TABLE,
    FormatOption,
    JobsOption,
    OutputOption,
    SeedOption,
    fractions_of,
    years_of,
)
from citewise.cli.terminal import LibraryOption, progress_by_stage, say, show, write_result
from citewise.evaluate import SplitSettings
from citewise.evaluate.tables import drawn
from citewise.library.location import require_writable
from citewise.rank.calibration import calibration_name
from citewise.train import RankerSettings, Training, ranker, save, sentences
from citewise.train import tables as rendered
from citewise.train.training import Target, save_calibration

commands = typer.Typer(
    name="train",
    no_args_is_help=True,
    help="Train on a library's own papers and citing sentences, under the leak guard.",
)

DevOption = Annotated[
    str,
    typer.Option(
        metavar="YEARS", help="Years on which the quality is measured; older ones are learned from."
    ),
]
TestOption = Annotated[str, typer.Option(metavar="YEARS", help="Years that are not used.")]
FractionsOption = Annotated[
    str, typer.Option(help="Without years: shares of train, dev and test, the oldest first.")
]
LeastOption = Annotated[
    int,
    typer.Option(
        min=1,
        help="Ask papers, or sentences, that cite at least this many of the library's papers.",
    ),
]
MostOption = Annotated[
    int,
    typer.Option(min=1, help="Learn from at most this many of the youngest training queries."),
]
TuningOption = Annotated[
    int, typer.Option(min=1, help="Measure the quality on at most this many dev queries.")
]
TreesOption = Annotated[int, typer.Option(min=1, help="How many trees.")]
AblationOption = Annotated[
    bool,
    typer.Option("--ablation", help="Also fit without each family of features; some minutes more."),
]
AnywayOption = Annotated[
    bool,
    typer.Option(
        "--anyway",
        help="Keep the model though it is no better on dev queries than the one that serves.",
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Report, and keep nothing.")]
ShippedOption = Annotated[
    bool, typer.Option("--shipped", help="Train nothing: go back to the model that ships.")
]


def _command(
    target: Target,
    train: Callable[..., Training],
    usual: RankerSettings,
    about: str,
    example: str,
) -> None:
    """Add the command that trains a target; `usual` are its defaults."""

    @commands.command(target.name, help=about, epilog=f"Example: {example}")
    def command(
        library: LibraryOption,
        dev: DevOption = "",
        test: TestOption = "",
        fractions: FractionsOption = "0.9,0.1,0",
        least: LeastOption = usual.split.least,
        most: MostOption = usual.most,
        tuning: TuningOption = usual.tuning,
        trees: TreesOption = usual.trees,
        ablation: AblationOption = False,
        seed: SeedOption = 0,
        jobs: JobsOption = 1,
        anyway: AnywayOption = False,
        dry_run: DryRunOption = False,
        shipped: ShippedOption = False,
        format: FormatOption = RESULT_TABLE,
        output: OutputOption = None,
    ) -> None:
        if not dry_run and Path(library).is_dir():  # before an hour of training, not after it
            require_writable(Path(library))
        if shipped:
            _go_back(library, target)
            return

        split = SplitSettings(
            test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
        )
        settings = RankerSettings(split, most, tuning, trees, ablation, jobs, seed)

        with progress_by_stage() as stage:
            trained = train(citewise.open(library).stores, settings, stage)

        write_result(
            output,
            format.value,
            {
                "table": lambda: rendered.as_table(trained),
                "json": lambda: rendered.as_json(trained),
                "markdown": lambda: rendered.as_markdown(trained),
            },
        )
        _keep(library, trained, anyway, dry_run)


def _go_back(library: str, target: Target) -> None:
    """Remove a library's own model, so that the one that ships is used."""
    models = citewise.open(library).stores.models
    models.remove(target.name)
    models.remove(calibration_name(target.name))
    say(f"{escape(str(library))}: {target.system} ranks with the model that ships")


def _keep(library: str, trained: Training, anyway: bool, dry_run: bool) -> None:
    """Save a new model where it is better or the user wants it anyway; print what was done."""
    kept = not dry_run and (anyway or trained.better)
    if kept:
        save(citewise.open(library).stores, trained)

    if kept:
        outcome = f"{trained.system} ranks with the new model"
    elif dry_run:
        outcome = "the new model is not kept"
    else:
        outcome = "the new model is no better than what serves and is not kept; --anyway keeps it"
    say(f"{escape(str(library))}: {outcome}")


_command(
    ranker.TARGET,
    ranker.train_ranker,
    RankerSettings(SplitSettings(least=3)),
    "Train the ranker of best on the library's papers; it is kept where it is better than what "
    "serves now.",
    "citewise train ranker --library my-library --dev 2021 --test 2022 --least 5",
)
_command(
    sentences.TARGET,
    sentences.train_sentences,
    RankerSettings(most=3000, tuning=500, trees=70),
    "Train the ranker of evidence on the library's sentences; it is kept where it is better than "
    "what serves now.",
    "citewise train sentences --library my-library --dev 2021 --test 2022 --jobs 2",
)


@commands.command(
    "calibration",
    epilog="Example: citewise train calibration --library my-library --dev 2021 --test 2022",
)
def calibration(
    library: LibraryOption,
    dev: Annotated[
        str, typer.Option(metavar="YEARS", help="Years whose papers are asked what they cite.")
    ] = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    tuning: Annotated[int, typer.Option(min=1, help="Ask at most this many papers.")] = 300,
    dry_run: DryRunOption = False,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Fit nothing: go back to the calibration that ships.")
    ] = False,
) -> None:
    """Learn from the library's own papers which chance a score of best stands for, without training
    the ranker.
    """
    name, stores = ranker.TARGET.name, citewise.open(library).stores
    if shipped:
        save_calibration(stores, name, None)
        say(f"{escape(str(library))}: chances are those of the calibration that ships")
        return

    split = SplitSettings(
        test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
    )
    with progress_by_stage() as stage:
        settings = RankerSettings(split, tuning=tuning)
        found, tenths = ranker.train_calibration(stores, settings, stage)

    show(drawn([rendered.calibration_section(tenths)]))
    if not dry_run:
        save_calibration(stores, name, found)
    outcome = "is not kept" if dry_run else "is in use"
    say(f"{escape(str(library))}: the calibration by {found.source} {outcome}")
