"""Writes what the documentation takes from code and results: the command line, the picture, the results tables.

With --check nothing is written, and the exit code is 1 where something would change.
"""

import dataclasses
import enum
import html
import inspect
import os
import re
import subprocess
import sys
import tempfile
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import results
import typer
from rich.console import Console
from rich.text import Text

from citewise.cli import app
from citewise.systems import SYSTEMS

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDTH = 100
"""Columns of the terminal in the picture."""

_MARKED = re.compile(r"(<!-- results:([\w-]+) -->\n).*?(<!-- /results -->)", re.DOTALL)
_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_TAG = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
_HEAD = """\
# The command line

Made from the code by `make docs`: edit `src/citewise/cli/` instead of this page.

Every command exits with 0 when it worked, 1 when it failed and 2 when it was called wrongly. Answers go to standard
output, messages and progress to standard error. `citewise COMMAND --help` says the same.
"""
_SYSTEMS = """
## Systems

`--system` takes a name, and in parentheses the settings to change: `bm25(k1=0.9,b=0.4)`. Quote it, for a shell reads
parentheses otherwise. [Methods](methods.md) says what each setting does.
"""


def main() -> None:
    """Write every generated file, or with --check say which ones are out of date."""
    stale = {path: content for path, content in _files().items() if not _same(path, content)}
    names = "\n".join(str(path.relative_to(ROOT)) for path in stale)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date; run: make docs\n{names}" if stale else 0)
    for path, content in stale.items():
        path.write_text(content, "utf-8")
    if stale:
        sys.stderr.write(f"written:\n{names}\n")


def _files() -> dict[Path, str]:
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    written = {page: _with_results(page.read_text("utf-8")) for page in pages}
    return {**written, DOCS / "command-line.md": command_line(), DOCS / "demo.svg": picture()}


def _same(path: Path, content: str) -> bool:
    """Whether a file says this already; a picture by its words, for each version of rich draws a little differently."""
    held = path.read_text("utf-8") if path.exists() else ""
    return _words(held) == _words(content) if path.suffix == ".svg" else held == content


def _words(svg: str) -> list[str]:
    return html.unescape(_TAG.sub(" ", svg)).split()


def _with_results(page: str) -> str:
    return _MARKED.sub(lambda match: f"{match[1]}{results.table(match[2])}\n{match[3]}", page)


# The command line


def command_line() -> str:
    """Return the reference of all commands."""
    group: Any = typer.main.get_command(app)
    commands = [*_each(group)]
    contents = "\n".join(f"- [`{name}`](#citewise-{name.replace(' ', '-')}): {_plain(each.help)}"
                         for name, each in commands)
    return "\n".join([_HEAD, contents, *(_command(name, each) for name, each in commands), _systems()])


def _each(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its whole name, those of groups as well."""
    for name, each in group.commands.items():
        yield from _each(each, f"{before}{name} ") if hasattr(each, "commands") else [(f"{before}{name}", each)]


def _command(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    types_ = {each.name: each.annotation for each in inspect.signature(command.callback).parameters.values()}
    usage = " ".join(["citewise", name, *map(_usage, arguments), "[OPTIONS]"])
    parts = [f"\n## citewise {name}\n\n{_plain(command.help)}\n\n```text\n{usage}\n```\n"]
    if arguments:
        rows = [[f"`{each.name.upper()}`", _plain(each.help)] for each in arguments]
        parts.append(_table(["argument", "meaning"], rows))
    rows = [[_spelled(each, types_[each.name]), _plain(each.help), _default(each)] for each in options]
    parts.append(_table(["option", "meaning", "default"], rows))
    example = _plain(command.epilog).removeprefix("Example: ")
    return "\n".join([*parts, f"For example:\n\n```text\n{example}\n```"])


def _systems() -> str:
    kinds = dict.fromkeys(type(each) for each in SYSTEMS.values())
    return f"{_SYSTEMS}\n" + "\n".join(_settings({name: each for name, each in SYSTEMS.items() if type(each) is kind})
                                       for kind in kinds)


def _settings(systems: dict[str, Any]) -> str:
    """Return a table of the systems with one kind of settings."""
    names = [field.name for field in dataclasses.fields(next(iter(systems.values())))]
    rows = [[f"`{name}`", *(f"`{getattr(each, name)}`" for each in systems.values())] for name in names]
    return _table(["setting", *(f"`{name}`" for name in systems)], rows)


def _usage(argument: Any) -> str:
    name = argument.name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _spelled(option: Any, annotation: Any) -> str:
    """Return an option's spellings with the kind of its value."""
    value = option.metavar or _kind(annotation)
    return ", ".join(f"`{spelling}{' ' + value if value else ''}`".replace("|", "\\|")
                     for spelling in sorted(option.opts, key=len, reverse=True))


def _kind(annotation: Any) -> str:
    """Return what stands for a value of a type: its choices, or a word; nothing for a flag."""
    base = next(part for part in _bases(annotation) if part is not types.NoneType)
    if issubclass(base, enum.Enum):
        return "|".join(str(each.value) for each in base)
    return {bool: "", int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(base, "TEXT")


def _bases(annotation: Any) -> Iterator[type]:
    """Yield the plain types within Annotated, unions and lists."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        yield annotation
    else:
        inner = typing.get_args(annotation)
        for part in inner[:1] if hasattr(annotation, "__metadata__") else inner:
            yield from _bases(part)


def _default(option: Any) -> str:
    if option.required:
        return "required"
    value = option.default.value if isinstance(option.default, enum.Enum) else option.default
    return f"`{value}`" if value not in (None, "", False) else ""


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]) + "\n"


# The picture


def picture() -> str:
    """Return what `citewise demo` prints, drawn as a terminal window."""
    with tempfile.TemporaryDirectory() as folder:
        terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": str(WIDTH)}
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        shown = subprocess.run([sys.executable, "-m", "citewise", "demo"], cwd=folder, env={**kept, **terminal},
                               capture_output=True, text=True, encoding="utf-8", check=True).stdout
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), force_terminal=True)
    console.print(Text.from_ansi(f"$ citewise demo\n{shown}".rstrip()))
    svg = console.export_svg(title="citewise demo", unique_id="demo")
    return "\n".join(line.rstrip() for line in _FONT.sub("", svg).splitlines()) + "\n"


if __name__ == "__main__":
    main()
