"""The commands of training."""

from typing import Annotated

import typer
from rich.markup import escape

import citewise
from citewise.cli.laboratory import (
    RESULT_TABLE,
    FormatOption,
    JobsOption,
    LeastOption,
    OutputOption,
    SeedOption,
    fractions_of,
    years_of,
)
from citewise.cli.terminal import LibraryOption, progress_by_stage, say, write_result
from citewise.evaluate import SplitSettings
from citewise.library import models
from citewise.rank.model import NAME
from citewise.render import training as rendered
from citewise.train import RankerSettings, save, train_ranker

commands = typer.Typer(name="train", no_args_is_help=True,
                       help="Train on a library's own papers, under the leak guard.")


@commands.callback()
def _group() -> None:
    """Keep `ranker` a command of its own, though it is the only one."""


@commands.command(epilog="Example: citewise train ranker --library my-library --dev 2021 --test 2022 --least 5")
def ranker(
    library: LibraryOption,
    dev: Annotated[str, typer.Option(metavar="YEARS", help="Years whose papers tell the quality; what is older is "
                                     "learned from.")] = "",
    test: Annotated[str, typer.Option(metavar="YEARS", help="Years that are not looked at.")] = "",
    fractions: Annotated[str, typer.Option(help="Without years: shares of train, dev and test, the oldest papers "
                                           "first.")] = "0.9,0.1,0",
    least: LeastOption = 3,
    most: Annotated[int, typer.Option(min=1, help="Learn from so many of the youngest training papers.")] = 4000,
    tuning: Annotated[int, typer.Option(min=1, help="Tell the quality by so many dev papers.")] = 300,
    trees: Annotated[int, typer.Option(min=1, help="How many trees.")] = 100,
    ablation: Annotated[bool, typer.Option("--ablation", help="Also fit without each family of features; some minutes "
                                           "more.")] = False,
    seed: SeedOption = 0,
    jobs: JobsOption = 1,
    anyway: Annotated[bool, typer.Option("--anyway", help="Keep the model though it is no better on dev papers than "
                                         "the one that serves.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report, and keep nothing.")] = False,
    shipped: Annotated[bool, typer.Option("--shipped", help="Train nothing: go back to the model that ships.")] = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train the ranker of best on the library; it is kept where it is better than what serves now."""
    held = citewise.open(library)
    if shipped:
        models.remove(library, NAME)
        say(f"{escape(str(library))}: best ranks with the model that ships")
        return
    split = SplitSettings(test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least)
    with progress_by_stage() as stage:
        found = train_ranker(held, RankerSettings(split, most, tuning, trees, ablation, jobs, seed), stage)
    write_result(output, format.value, {
        "table": lambda: rendered.as_table(found), "json": lambda: rendered.as_json(found),
        "markdown": lambda: rendered.as_markdown(found)})
    kept = not dry_run and (anyway or found.better)
    if kept:
        save(held, found)
    say(f"{escape(str(library))}: " + ("best ranks with the new model" if kept else "the new model is not kept"
        if dry_run else "the new model is no better than what serves and is not kept; --anyway keeps it"))
