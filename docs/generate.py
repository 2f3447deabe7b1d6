"""Writes what the documentation takes from code and results: the command line, the signals, the
API reference, the pictures, the tables and plots of results.

With --check nothing is written, and the exit code is 1 where something would change.
"""

import dataclasses
import enum
import html
import inspect
import io
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

import typer
from rich.console import Console
from rich.text import Text

import citewise
import drawings
import results
import results_tests
from citewise import evaluate, train
from citewise.cli import app
from citewise.plugins import GROUPS
from citewise.signals import DRAFTS, OTHERS, SENTENCES, Catalogue, Signal
from citewise.systems import SYSTEMS

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDTH = 100
"""Columns of the terminal in the picture."""

_MARKED = re.compile(r"(<!-- (results|made):([\w-]+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)
_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_TAG = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
_TITLE = "Measuring how papers are related by co-citation"
"""The draft of the picture."""

_HEAD = """\
# The command line

Made from the code by `make docs-data`: edit `src/citewise/cli/` instead of this page.

Every command exits with 0 when it worked, 1 when it failed and 2 when it was called wrongly.
Answers go to standard output, messages and progress to standard error. `citewise COMMAND --help`
says the same.
"""
_SYSTEMS = """
## Systems

`--system` takes a name, and in parentheses the settings to change: `bm25(k1=0.9,b=0.4)`. Quote it,
for a shell reads parentheses otherwise. [Methods](methods.md) says what each setting does.
"""
_SIGNALS_HEAD = """\
# Signals

Made from the catalogue by `make docs-data`: edit `src/citewise/signals.py` instead of this page.

A signal is a named number about a candidate. It is declared once, and from the declaration follow
what models read, what an ablation leaves out, what people see in place of the name (`--explain`),
and which [reason](methods.md#why-a-paper-is-recommended) it can give.

A model reads a signal in one or more forms: as it is (`votes`), its logarithm (`log votes`, ln(1 +
votes)), the logarithm of its rank among the candidates (`rank votes`), or its ratio to the highest
value among them (`votes / best`). "Stage" is what computes it; *derived* ones follow from other
signals, and their share of a score is credited to the one in parentheses.
"""
_API_HEAD = """\
# API reference

Made from the code by `make docs-data`. [Python](python.md) is the guide; this page has every public
name with its signature. What is not here may change without notice.
"""
_CATALOGUES: dict[str, Catalogue] = {
    "Drafts: `best`": DRAFTS,
    "Sentences: `evidence`": SENTENCES,
    "Other systems, and preferences": OTHERS,
}


def main() -> None:
    """Write every generated file, or with --check say which ones are out of date."""
    stale = {path: content for path, content in _files().items() if not _same(path, content)}
    names = "\n".join(str(path.relative_to(ROOT)) for path in stale)
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date; run: make docs-data\n{names}" if stale else 0)
    for path, content in stale.items():
        path.write_text(content, "utf-8")
    if stale:
        sys.stderr.write(f"written:\n{names}\n")


def _files() -> dict[Path, str]:
    """Return what every generated file should say."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    written = {page: _with_tables(page.read_text("utf-8")) for page in pages}
    made = {
        "command-line.md": command_line(),
        "signals.md": signals(),
        "api.md": api(),
        "explained.svg": picture(),
        "architecture.svg": drawings.architecture(),
        "query.svg": drawings.life_of_a_query(),
        **{name: plot() for name, plot in results.PICTURES.items()},
    }
    return {**written, **{DOCS / name: content for name, content in made.items()}}


def _same(path: Path, content: str) -> bool:
    """Whether a file says this already; a picture by its words, for each version of the programs
    that draw it does so a little differently.
    """
    present = path.read_text("utf-8") if path.exists() else ""
    return _words(present) == _words(content) if path.suffix == ".svg" else present == content


def _words(svg: str) -> list[str]:
    return html.unescape(_TAG.sub(" ", svg)).split()


def _with_tables(page: str) -> str:
    """Return a page with the content of its marked parts made anew."""

    def made(match: re.Match[str]) -> str:
        head, kind, name, end = match.groups()
        content = results.table(name) if kind == "results" else _MADE[name]()
        return f"{head}{content}\n{end}"

    return _MARKED.sub(made, page)


# The command line


def command_line() -> str:
    """Return the reference of all commands."""
    group: Any = typer.main.get_command(app)
    commands = [*_each(group)]
    contents = "\n".join(
        f"- [`{name}`](#citewise-{name.replace(' ', '-')}): {_plain(each.help)}"
        for name, each in commands
    )
    return "\n".join(
        [_HEAD, contents, *(_command(name, each) for name, each in commands), _systems()]
    )


def _each(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its whole name, those of groups as well."""
    for name, each in group.commands.items():
        yield from (
            _each(each, f"{before}{name} ")
            if hasattr(each, "commands")
            else [(f"{before}{name}", each)]
        )


def _command(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [
        each for each in command.params if each.param_type_name == "option" and not each.hidden
    ]
    types_ = {
        each.name: each.annotation
        for each in inspect.signature(command.callback).parameters.values()
    }
    usage = " ".join(["citewise", name, *map(_usage, arguments), "[OPTIONS]"])
    parts = [f"\n## citewise {name}\n\n{_plain(command.help)}\n\n```text\n{usage}\n```\n"]
    if arguments:
        rows = [[f"`{each.name.upper()}`", _plain(each.help)] for each in arguments]
        parts.append(_table(["argument", "meaning"], rows))
    rows = [
        [_spelled(each, types_[each.name]), _plain(each.help), _default(each)] for each in options
    ]
    parts.append(_table(["option", "meaning", "default"], rows))
    example = _plain(command.epilog).removeprefix("Example: ")
    return "\n".join([*parts, f"For example:\n\n```text\n{example}\n```"])


def _systems() -> str:
    kinds = dict.fromkeys(type(each) for each in SYSTEMS.values())
    return f"{_SYSTEMS}\n" + "\n".join(
        _settings({name: each for name, each in SYSTEMS.items() if type(each) is kind})
        for kind in kinds
    )


def _settings(systems: dict[str, Any]) -> str:
    """Return a table of the systems with one kind of settings."""
    names = [field.name for field in dataclasses.fields(next(iter(systems.values())))]
    rows = [
        [f"`{name}`", *(f"`{getattr(each, name)}`" for each in systems.values())] for name in names
    ]
    return _table(["setting", *(f"`{name}`" for name in systems)], rows)


def _usage(argument: Any) -> str:
    name = argument.name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _spelled(option: Any, annotation: Any) -> str:
    """Return an option's spellings with the kind of its value."""
    value = option.metavar or _kind(annotation)
    return ", ".join(
        f"`{spelling}{' ' + value if value else ''}`".replace("|", "\\|")
        for spelling in sorted(option.opts, key=len, reverse=True)
    )


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


# Tables of the code


def signals() -> str:
    """Return the page of all signals."""
    parts = [_SIGNALS_HEAD]
    for title, catalogue in _CATALOGUES.items():
        rows = [_signal_row(each) for each in catalogue]
        head = ["signal", "what people read", "family", "stage", "forms", "reason"]
        parts.append(f"## {title}\n\n{_table(head, rows)}")
    return "\n".join(parts)


def _signal_row(signal: Signal) -> list[str]:
    forms = dict.fromkeys([*signal.features(signal.trees), *signal.features(signal.linear)])
    return [
        f"`{signal.name}`",
        signal.label,
        signal.family,
        f"{signal.by} (`{signal.of}`)" if signal.of else signal.by,
        ", ".join(f"`{form}`" for form in forms),
        f"`{signal.reason}`" if signal.reason else f"none: {signal.why_none}",
    ]


def plugin_groups() -> str:
    """Return a table of the groups of entry points."""
    rows = [[f"`citewise.{name}`", about] for name, about in GROUPS.items()]
    return _table(["group", "what an entry point names"], rows).rstrip()


_MADE = {"plugin-groups": plugin_groups, "coverage": results_tests.coverage}
"""Marker to what is made for it, for tables of the code and single sentences."""


def api() -> str:
    """Return the page that mkdocstrings fills with every public name."""
    parts = [_API_HEAD]
    for module in (citewise, evaluate, train):
        parts.append(f"## {module.__name__}\n")
        parts += [f"::: {module.__name__}.{name}\n" for name in sorted(module.__all__)]
    return "\n".join(parts)


# The picture


def picture() -> str:
    """Return what `citewise recommend --explain` prints for the sample library, drawn as a terminal
    window.
    """
    command = ["recommend", "--library", "citewise-demo", "--title", _TITLE, "-k", "2", "--explain"]
    with tempfile.TemporaryDirectory() as folder:
        _run(["demo"], folder)
        shown = _run(command, folder)
    typed = " ".join(f'"{word}"' if " " in word else word for word in command)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ citewise {typed}\n{shown}".rstrip()))
    svg = console.export_svg(title="citewise recommend --explain", unique_id="explained")
    return "\n".join(line.rstrip() for line in _FONT.sub("", svg).splitlines()) + "\n"


def _run(command: list[str], folder: str) -> str:
    """Return what a command prints on a colour terminal."""
    terminal = {
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "COLUMNS": str(WIDTH),
    }
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "-m", "citewise", *command],
        cwd=folder,
        env={**kept, **terminal},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    main()
