"""The commands that train transformers: cross-encoders, encoders, and the final order."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

import citewise
from citewise.cli.laboratory import (
    RESULT_TABLE,
    FormatOption,
    OutputOption,
    SeedOption,
    fractions_of,
    years_of,
)
from citewise.cli.terminal import LibraryOption, progress_by_stage, say, write_result
from citewise.cli.training import DevOption, FractionsOption, LeastOption, TestOption, commands
from citewise.embed.located import located
from citewise.evaluate import SplitSettings
from citewise.evaluate.splits import Split
from citewise.evaluate.tables import Section, drawn
from citewise.library.location import require_writable
from citewise.reranking import RERANKING_DEFAULTS, Reranking
from citewise.systems import DEFAULT
from citewise.train.cross_encoder.settings import PRESETS, preset
from citewise.train.encoder.settings import EncoderSettings
from citewise.train.nnselect.settings import require_torch
from citewise.train.ranker import spread
from citewise.train.reranking import OrderTraining, learn_order, save_order

if TYPE_CHECKING:
    from citewise.train.bert.trained import BertTraining

Preset = Enum("Preset", {name: name for name in PRESETS}, type=str)  # type: ignore[misc]
Sampling = Enum("Sampling", {"specter": "specter", "scincl": "scincl"}, type=str)

FOR_CPU, BY_CITATION = Preset("cpu"), Sampling("specter")
_ENCODER = EncoderSettings()

StartOption = Annotated[
    str,
    typer.Option(help="The BERT model to begin with: a name of `citewise models`, or a folder."),
]
ModelFolderOption = Annotated[
    Path, typer.Option("--to", metavar="FOLDER", help="Where the trained model is written.")
]
CheckpointsOption = Annotated[
    Path | None, typer.Option(help="Folder for what is needed to go on after an interruption.")
]
ThreadsOption = Annotated[int, typer.Option(min=1, help="Threads to use.")]
MostOption = Annotated[
    int, typer.Option(min=0, help="Learn from at most this many of the youngest papers.")
]
TruncationOption = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="How pairs are cut: 256+256 for the tokens of each side, longest-first@512 for both.",
    ),
]


def _split(dev: str, test: str, fractions: str, least: int) -> SplitSettings:
    return SplitSettings(
        test=years_of(test), dev=years_of(dev), fractions=fractions_of(fractions), least=least
    )


@commands.command(
    "cross-encoder",
    epilog="Example: citewise train cross-encoder --library my-library --start minilm "
    "--to my-model --dev 2021 --test 2022 --least 5",
)
def cross_encoder(
    library: LibraryOption,
    to: ModelFolderOption,
    start: StartOption = "minilm",
    settings: Annotated[
        Preset, typer.Option("--preset", help="For a CPU, or the papers' recipe.")
    ] = FOR_CPU,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    system: Annotated[
        str, typer.Option(help="Whose first papers make the pairs; that of the preset if empty.")
    ] = "",
    most: MostOption = 0,
    epochs: Annotated[int, typer.Option(min=0, help="0 for those of the preset.")] = 0,
    truncation: TruncationOption = "",
    apart_from: Annotated[
        str,
        typer.Option(
            metavar="LIBRARY",
            help="Do not learn from papers that this library holds too, so that the model can be "
            "tested there.",
        ),
    ] = "",
    checkpoints: CheckpointsOption = None,
    threads: ThreadsOption = 1,
    seed: SeedOption = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the model, but learn no final order with it.")
    ] = False,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train a cross-encoder on the library's citations; at the end, learn what its opinion is worth
    beside the scores of the system, and keep that with the library.
    """
    if not dry_run and Path(library).is_dir():
        require_writable(Path(library))
    require_torch()
    from citewise.train.cross_encoder.training import dev_questions, train_cross_encoder

    given: dict[str, Any] = {"system": system, "most": most, "epochs": epochs}
    given |= {"truncation": truncation}
    chosen = preset(
        settings.value,
        split=_split(dev, test, fractions, least),
        threads=threads,
        seed=seed,
        **{name: value for name, value in given.items() if value},
    )
    stores = citewise.open(library).stores
    other = citewise.open(apart_from).stores if apart_from else None
    with progress_by_stage() as stage:
        trained = train_cross_encoder(
            stores, located(start).folder, chosen, stage, checkpoints, other
        )
        trained.write(to)
        _report(trained, format.value, output)
        say(f"the cross-encoder is in {escape(str(to))}: --rerank {escape(str(to))}")
        if dry_run:
            return

        split = Split.make(stores, chosen.split, parts=("dev",))
        _, questions = dev_questions(stores, split, chosen)
        reranking = Reranking(model=str(to), depth=chosen.depth, threads=threads)
        order = learn_order(stores, chosen.system, reranking, questions, stage)
    _keep_order(library, order)


@commands.command(
    "encoder",
    epilog="Example: citewise train encoder --library my-library --start minilm --to my-encoder "
    "--sampling scincl --dev 2021 --test 2022",
)
def encoder(
    library: LibraryOption,
    to: ModelFolderOption,
    start: StartOption = "minilm",
    sampling: Annotated[
        Sampling, typer.Option(help="How triplets are drawn: by citation, or by neighbourhood.")
    ] = BY_CITATION,
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    most: MostOption = _ENCODER.most,
    epochs: Annotated[int, typer.Option(min=1)] = 1,
    tokens: Annotated[
        int, typer.Option(min=8, help="Tokens of a text that are read.")
    ] = _ENCODER.tokens,
    checkpoints: CheckpointsOption = None,
    threads: ThreadsOption = 1,
    seed: SeedOption = 0,
    format: FormatOption = RESULT_TABLE,
    output: OutputOption = None,
) -> None:
    """Train an article encoder on triplets of the library's citations."""
    require_torch()
    from citewise.train.encoder.training import train_encoder

    chosen = EncoderSettings(
        split=_split(dev, test, fractions, least),
        sampling=sampling.value,
        most=max(most, 1),
        epochs=epochs,
        tokens=tokens,
        threads=threads,
        seed=seed,
    )
    with progress_by_stage() as stage:
        trained = train_encoder(
            citewise.open(library).stores, located(start).folder, chosen, stage, checkpoints
        )
    trained.write(to)
    _report(trained, format.value, output)
    say(f"the encoder is in {escape(str(to))}: citewise encode --papers --model {escape(str(to))}")


@commands.command(
    "reranking",
    epilog="Example: citewise train reranking --library my-library --model my-model "
    "--encoder minilm --dev 2021 --test 2022",
)
def reranking(
    library: LibraryOption,
    model: Annotated[str, typer.Option(help="A cross-encoder: a name, or a folder.")] = "",
    encoder: Annotated[
        str, typer.Option(help="An encoder that reads papers on demand: a name, or a folder.")
    ] = "",
    system: Annotated[str, typer.Option("--system", "-s", help="What is re-ranked.")] = DEFAULT,
    depth: Annotated[
        int, typer.Option(min=1, help="How many of the first papers are read.")
    ] = RERANKING_DEFAULTS["depth"],
    truncation: TruncationOption = "",
    dev: DevOption = "",
    test: TestOption = "",
    fractions: FractionsOption = "0.9,0.1,0",
    least: LeastOption = 3,
    questions: Annotated[
        int, typer.Option(min=1, help="Learn from at most this many papers.")
    ] = 240,
    threads: ThreadsOption = 2,
) -> None:
    """Learn on the library's dev papers what the opinions of models that read texts are worth
    beside the scores of a system; where they do not help, they do not count.
    """
    if Path(library).is_dir():
        require_writable(Path(library))
    chosen = Reranking(
        model=model, encoder=encoder, depth=depth, truncation=truncation, threads=threads
    )
    stores = citewise.open(library).stores
    split = Split.make(stores, _split(dev, test, fractions, least), parts=("dev",))
    asked = spread(split.questions(stores, "dev"), questions)
    with progress_by_stage() as stage:
        order = learn_order(stores, system, chosen, asked, stage)
    _keep_order(library, order)


def _report(trained: "BertTraining", format: str, output: Path | None) -> None:
    from citewise.train.bert import trained as rendered

    write_result(
        output,
        format,
        {
            "table": lambda: rendered.as_table(trained),
            "json": lambda: rendered.as_json(trained),
            "markdown": lambda: rendered.as_markdown(trained),
        },
    )


def _keep_order(library: str, training: OrderTraining) -> None:
    """Keep a learned final order with its library; print how good it is."""
    save_order(citewise.open(library).stores, training)
    measures = [*training.quality["first"]]
    rows = [
        [name, *(f"{figures[measure]:.3f}" for measure in measures)]
        for name, figures in training.quality.items()
    ]
    title = f"Final order, {training.order.queries} dev queries; learned without those measured"
    say(drawn([Section(title, ["", *measures], rows)]))
    weights = ", ".join(f"{name} {weight:g}" for name, weight in training.order.weights.items())
    outcome = f"weighs {weights}" if training.order.helps else "keeps the first order"
    say(f"{escape(str(library))}: the final order {outcome}")
