"""The options of `citewise.Preferences`, made from its knobs."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from citewise.preferences import KNOBS, Knob, Preferences


def with_preferences(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each preference; it gets all of them as `preferences`."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> None:
        own = {knob.name: options.pop(knob.name) for knob in KNOBS}
        command(**options, preferences=Preferences(**own))

    signature = inspect.signature(command)
    parameters = [each for each in signature.parameters.values() if each.name != "preferences"]
    parameters += [_parameter(knob) for knob in KNOBS]
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    return wrapped


def _parameter(knob: Knob) -> inspect.Parameter:
    """Return a preference as an option: a switch, or a weight."""
    name = f"--{knob.name.replace('_', '-')}"

    if knob.range is None:
        kind: Any = Annotated[bool, typer.Option(name, help=knob.help)]
    else:
        kind = Annotated[float, typer.Option(name, metavar="WEIGHT", help=knob.help)]
    return inspect.Parameter(
        knob.name, inspect.Parameter.KEYWORD_ONLY, default=knob.default, annotation=kind
    )
