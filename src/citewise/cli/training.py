"""The commands that train rankers and word vectors."""

import functools
import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from citewise.embed.encoders import encoder_named
from citewise.embed.word_models import NNSELECT, word_models
from citewise.embed.word_vectors import WordVectors
from citewise.errors import MissingData
from citewise.evaluate import SplitSettings
from citewise.evaluate.tables import drawn
from citewise.feedback import Feedback
from citewise.library import writer
from citewise.library.location import require_writable
from citewise.rank.calibration import calibration_name
from citewise.rank.nnrank import NNRANK
from citewise.train import RankerSettings, Training, ranker, save, sentences
from citewise.train import tables as rendered
from citewise.train.nnrank.settings import NNRankSettings
from citewise.train.nnselect.settings import PRESETS, preset, require_torch
from citewise.train.training import Target, save_calibration

if TYPE_CHECKING:
    from citewise.train.nnselect.training import NNSelectTraining

Preset = Enum("Preset", {name: name for name in PRESETS}, type=str)  # type: ignore[misc]
OURS = Preset("citewise")

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
FeedbackOption = Annotated[
    bool,
    typer.Option(
        "--feedback",
        help="Also learn from the answers that you accepted and rejected, and say whether that "
        "helped.",
    ),
]
FeedbackFileOption = Annotated[
    Path | None,
    typer.Option(help="Learn from this file of feedback, not from the one in your data folder."),
]
VectorsOption = Annotated[
    str,
    typer.Option(
        metavar="SET",
        help="Learn to read this set of papers' vectors (see `citewise info`); `best` then uses "
        "it.",
    ),
]
EncoderOption = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        help="Learn to read the papers' vectors of this transformer too (see `citewise encode "
        "--papers`); `best` then uses them.",
    ),
]
ShippedOption = Annotated[
    bool, typer.Option("--shipped", help="Train nothing: go back to the model that ships.")
]


def _command(
    target: Target,
    train: Callable[..., Training],
    usual: RankerSettings,
    about: str,
    example: str,
    of_drafts: bool = False,
) -> None:
    """Add the command that trains a target; `usual` are its defaults.

    Only a ranker of drafts learns from feedback and reads vectors of papers.
    """

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
        feedback: FeedbackOption = False,
        feedback_file: FeedbackFileOption = None,
        vectors: VectorsOption = NNSELECT,
        encoder: EncoderOption = "",
    ) -> None:
        if not dry_run and Path(library).is_dir():  # before an hour of training, not after it
            require_writable(Path(library))
        if shipped:
            _go_back(library, target)
            return

        split = SplitSettings(
            test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
        )
        settings = RankerSettings(
            split, most, tuning, trees, ablation, jobs, seed, vectors=vectors, encoder=encoder
        )

        index = citewise.open(library)
        given = _feedback(index, feedback, feedback_file)
        with progress_by_stage() as stage:
            trained = train(index.stores, settings, stage, **given)

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

    of_sentences = _without(command, "feedback", "feedback_file", "vectors", "encoder")
    offered = command if of_drafts else of_sentences
    commands.command(target.name, help=about, epilog=f"Example: {example}")(offered)


def _without(command: Callable[..., None], *names: str) -> Callable[..., None]:
    """Return a command that does not offer some of its options."""
    offered = functools.partial(command)
    signature = inspect.signature(command)
    kept = [each for each in signature.parameters.values() if each.name not in names]
    offered.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    offered.__annotations__ = {each.name: each.annotation for each in kept}
    return offered


def _feedback(library: citewise.Library, wanted: bool, file: Path | None) -> dict[str, Feedback]:
    """Return the feedback to learn from as an argument of a training, none unless it is wanted."""
    if file is not None and not file.is_file():
        raise MissingData(f"{file}: no such file")
    if file is None and not wanted:
        return {}
    return {"feedback": Feedback(file) if file else library.feedback()}


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
    of_drafts=True,
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


@commands.command(
    NNSELECT,
    epilog="Example: citewise train nnselect --library my-library --dev 2021 --test 2022 --least 5",
)
def nnselect(
    library: LibraryOption,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    settings: Annotated[
        Preset, typer.Option("--preset", help="Settings: ours, or those of Citeomatic's paper.")
    ] = OURS,
    epochs: Annotated[int, typer.Option(min=0, help="0 for those of the preset.")] = 0,
    tuning: TuningOption = 500,
    encoder: Annotated[
        str, typer.Option(help="Makes the first word vectors, where a preset starts from words.")
    ] = "",
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Folder for what is needed to go on after an interruption."),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            help="Also train this many times without a share of the papers, for `train ranker`, "
            "which would trust vectors too far that know its training papers by heart.",
        ),
    ] = 0,
    threads: Annotated[int, typer.Option(min=1, help="Threads to use.")] = 1,
    seed: SeedOption = 0,
    anyway: AnywayOption = False,
    dry_run: DryRunOption = False,
    shipped: ShippedOption = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train word vectors on the library's citations, and embed its papers by them; they are kept
    where they are better than what serves now.
    """
    if not dry_run and Path(library).is_dir():
        require_writable(Path(library))
    if shipped:
        _go_back_to_shipped_vectors(library)
        return

    require_torch()
    from citewise.train.folds import fold_name
    from citewise.train.nnselect import reports
    from citewise.train.nnselect.folds import train_fold
    from citewise.train.nnselect.training import train_nnselect

    split = SplitSettings(
        test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
    )
    given = {"split": split, "tuning": tuning, "threads": threads, "seed": seed}
    chosen = preset(settings.value, **given, **({"epochs": epochs} if epochs else {}))
    first_words = encoder_named(encoder, "int8", threads) if encoder else None
    with progress_by_stage() as stage:
        trained = train_nnselect(
            citewise.open(library).stores, chosen, stage, checkpoints, first_words
        )

    write_result(
        output,
        format.value,
        {
            "table": lambda: reports.as_table(trained),
            "json": lambda: reports.as_json(trained),
            "markdown": lambda: reports.as_markdown(trained),
        },
    )
    if _keep_vectors(library, trained, anyway, dry_run):
        with progress_by_stage() as stage:
            for fold in range(folds):
                stores = citewise.open(library).stores
                apart = train_fold(stores, (fold, folds), chosen, stage, first_words)
                _embed(library, fold_name(fold), apart.model)


def _go_back_to_shipped_vectors(library: str) -> None:
    """Remove a library's own word vectors, and embed its papers by those that ship."""
    stores = citewise.open(library).stores
    stores.models.remove(NNSELECT)
    models = word_models()
    if models:
        writer.embed(library, NNSELECT, models[NNSELECT])
    elif NNSELECT in stores.vectors.names():
        writer.drop_vectors(library, NNSELECT)
    outcome = "papers are embedded by the word vectors that ship" if models else "no word vectors"
    say(f"{escape(str(library))}: {outcome}")


def _embed(library: str, name: str, model: WordVectors) -> None:
    """Keep a model of word vectors with a library, and embed the papers by it."""
    citewise.open(library).stores.models.save(name, model.encoded())
    writer.embed(library, name, model)


def _keep_vectors(library: str, trained: "NNSelectTraining", anyway: bool, dry_run: bool) -> bool:
    """Save new word vectors where they are better or the user wants them anyway, and embed the
    papers; print what was done, and return whether they were kept.
    """
    kept = not dry_run and (anyway or trained.better)
    if kept:
        _embed(library, NNSELECT, trained.model)
        outcome = "papers are embedded by the new word vectors"
    elif dry_run:
        outcome = "the new word vectors are not kept"
    else:
        outcome = (
            "the new word vectors are no better than what serves and are not kept; --anyway keeps "
            "them"
        )
    say(f"{escape(str(library))}: {outcome}")
    return kept


@commands.command(
    NNRANK,
    epilog="Example: citewise train nnrank --library my-library --dev 2021 --test 2022 --least 5",
)
def nnrank(
    library: LibraryOption,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    most: MostOption = 4000,
    tuning: TuningOption = 300,
    epochs: Annotated[int, typer.Option(min=1, help="At most this many.")] = 12,
    seed: SeedOption = 0,
    anyway: AnywayOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train the ranker of citeomatic on the library's citations; it is kept where it is better than
    what serves now.
    """
    if not dry_run and Path(library).is_dir():
        require_writable(Path(library))
    require_torch()
    from citewise.train.nnrank import reports
    from citewise.train.nnrank.training import save_nnrank, train_nnrank

    split = SplitSettings(
        test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
    )
    settings = NNRankSettings(split=split, most=most, tuning=tuning, epochs=epochs, seed=seed)
    with progress_by_stage() as stage:
        trained = train_nnrank(citewise.open(library).stores, settings, stage)

    write_result(
        output,
        format.value,
        {
            "table": lambda: reports.as_table(trained),
            "json": lambda: reports.as_json(trained),
            "markdown": lambda: reports.as_markdown(trained),
        },
    )
    if not dry_run and (anyway or trained.better):
        save_nnrank(citewise.open(library).stores, trained)
        outcome = "citeomatic ranks with the new model"
    else:
        outcome = "the new model is not kept" + ("" if dry_run else "; --anyway keeps it")
    say(f"{escape(str(library))}: {outcome}")
