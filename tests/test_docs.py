"""The documentation: its blocks run, its pages are complete, its links lead somewhere."""

import ast
import contextlib
import dataclasses
import functools
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import citewise
from citewise import evaluate, signals, train
from citewise.cli import app
from citewise.explain.reasons import KINDS
from citewise.plugins import GROUPS
from citewise.systems import SYSTEMS, BestSettings, Bm25Settings
from warm_commands import warm_commands

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
RUN = [
    ROOT / "README.md",
    DOCS / "tutorial.md",
    DOCS / "sentences.md",
    DOCS / "evaluation.md",
    DOCS / "python.md",
    DOCS / "plugins.md",
    DOCS / "architecture.md",
]
INSTALLED = Path(sys.executable).parent
"""The folder of the installed `citewise`."""
IMPORTED_LATE = ("matplotlib.figure", "nupunkt", "onnxruntime", "tokenizers")
"""What several commands of the pages import once they need it."""
README_WORDS = 700
NOT_KEYS = {"rank_bm25"}
"""Names with an underscore that a reader knows: other programs."""

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!`)\[[^][]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_TABLE = re.compile(r"<!-- results:([\w-]+) -->\n(.*?)<!-- /results -->", re.DOTALL)
_CODE = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
_CODE_IN_QUOTES = re.compile(rf"['\"]{_CODE.pattern}['\"]")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# Blocks


def environment(programs: Path) -> dict[str, str]:
    path = os.pathsep.join([str(programs), str(INSTALLED), os.environ["PATH"]])
    shown = {"COLUMNS": "200", "NO_COLOR": "1", "PYTHONWARNINGS": "error"}
    return {**os.environ, "PATH": path, **shown}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `citewise` that starts fast."""
    folder = tmp_path_factory.mktemp("warm") / "bin"
    with warm_commands(folder, environment(folder), *IMPORTED_LATE):
        yield folder


def bash(code: str, folder: Path, programs: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment(programs),
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def python(code: str, names: dict[str, object]) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "a block", "exec"), names)
    return shown.getvalue()


def assert_shown(expected: str, output: str) -> None:
    """Each line of a block of output stands in the output, in that order; runs of white space count
    as one.
    """
    at, whole = 0, " ".join(output.split())
    for line in expected.splitlines():
        found = whole.find(" ".join(line.split()), at)
        assert found >= 0, f"not shown (here): {line}\nin: {output}"
        at = found


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_blocks_run(
    page: Path, tmp_path: Path, warm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "a_page"}
    output = ""
    blocks = _BLOCK.findall(page.read_text("utf-8"))
    assert any(language in ("bash", "python") for language, _ in blocks)
    for language, code in blocks:
        if language == "bash":
            output = bash(code, tmp_path, warm)
        elif language == "python":
            output = python(code, names)
        elif language == "text":
            assert_shown(code, output)


@pytest.mark.slow
def test_the_installed_program_runs(tmp_path: Path) -> None:
    """What blocks call is the same program, started faster."""
    output = bash("which citewise\ncitewise demo", tmp_path, INSTALLED)

    assert output.startswith(f"{INSTALLED / 'citewise'}\n")
    assert "Try your own draft" in output


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_name_their_language(page: Path) -> None:
    languages = {language for language, _ in _BLOCK.findall(page.read_text("utf-8"))}
    assert languages <= {"bash", "python", "text", "sh", "json", "bibtex", "toml"}, (
        "an unnamed block would not be tested"
    )


# Completeness


def test_every_command_and_option_is_documented() -> None:
    page = (DOCS / "command-line.md").read_text("utf-8")
    headings = re.findall(r"^## citewise ([a-z -]+)$", page, re.MULTILINE)
    sections = dict(zip(headings, page.split("\n## ")[1:], strict=False))
    group: Any = typer.main.get_command(app)
    commands: dict[str, Any] = {}
    for name, command in group.commands.items():
        inner = getattr(command, "commands", {"": command})
        commands |= {f"{name} {each}".strip(): found for each, found in inner.items()}
    assert sections.keys() == commands.keys()
    for name, command in commands.items():
        for parameter in command.params:
            spellings = (
                parameter.opts
                if parameter.param_type_name == "option"
                else [parameter.name.upper()]
            )
            for spelling in spellings:
                shown = f"`{spelling}" in sections[name]
                assert shown != parameter.hidden, f"{name} {spelling}: a hidden one is an old name"


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "python.md").read_text("utf-8")
    names = [*citewise.__all__, *evaluate.__all__, *train.__all__]
    missing = [name for name in names if not re.search(rf"`(?:citewise\.)?{name}\b", page)]
    assert not missing


@pytest.mark.slow
def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_documented_defaults_are_those_of_the_code() -> None:
    section = (DOCS / "methods.md").read_text("utf-8").partition("### Settings\n")[2]
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", section, re.MULTILINE)
    documented = {name: float(value) for name, value in rows}
    defaults = {
        field.name: field.default
        for kind in (Bm25Settings, BestSettings)
        for field in dataclasses.fields(kind)
    }
    assert documented == {
        name: value for name, value in defaults.items() if not isinstance(value, str)
    }


def test_every_system_is_documented() -> None:
    pages = [(DOCS / name).read_text("utf-8") for name in ("architecture.md", "command-line.md")]
    for name in SYSTEMS:
        assert all(f"`{name}`" in page for page in pages), name


def test_every_signal_is_documented_with_its_label() -> None:
    page = (DOCS / "signals.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE))
    declared = {(each.name, each.label) for every in signals.CATALOGUES for each in every}
    assert rows == declared


def test_documented_kinds_of_reasons_are_those_of_the_code() -> None:
    page = (DOCS / "methods.md").read_text("utf-8")
    section = page.partition("\n## Why a paper is recommended\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(KINDS)


def test_every_kind_of_plugin_is_documented() -> None:
    page = (DOCS / "plugins.md").read_text("utf-8")
    for group in GROUPS:
        assert f"`citewise.{group}`" in page
        assert re.search(rf"^\| .*`{group}`.* \|", page, re.MULTILINE), group


def test_the_api_reference_has_every_public_name() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    named = re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE)
    public = {
        f"{each.__name__}.{name}" for each in (citewise, evaluate, train) for name in each.__all__
    }
    assert set(named) == public


def test_every_verb_of_the_makefile_is_documented() -> None:
    verbs = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert verbs
    for verb in verbs:
        assert f"`make {verb}`" in page, verb


def test_readme_names_the_two_commands() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in page and "make test" in page


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= README_WORDS


# Results


def test_results_are_on_the_benchmarks_page_and_one_table_in_the_readme() -> None:
    tables = {page: _TABLE.findall(page.read_text("utf-8")) for page in PAGES}
    counts = {name_of(page): len(found) for page, found in tables.items() if found}
    assert counts.pop("docs/benchmarks.md") > 1
    assert counts.pop("docs/papers.md") > 1, "the papers' tables beside ours"
    assert counts == {"README.md": 1}


def test_tables_of_results_are_for_people() -> None:
    """No cell has a key of a result file: a name with an underscore, outside of code."""
    for page in (ROOT / "README.md", DOCS / "benchmarks.md"):
        for name, table in _TABLE.findall(page.read_text("utf-8")):
            words = re.sub(r"`[^`]*`", "", table)
            assert set(re.findall(r"\w+_\w+", words)) <= NOT_KEYS, name


# Decisions


def test_superseded_decisions_say_so() -> None:
    index = (DOCS / "decisions" / "index.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| \[(\d+)\]\(.*\| ([^|]+) \|$", index, re.MULTILINE))
    records = {page.name[:3]: page for page in (DOCS / "decisions").glob("0*.md")}
    assert rows.keys() == records.keys()
    for number, page in records.items():
        top = page.read_text("utf-8").partition("**Context.**")[0]
        named = set(re.findall(r"\d{3}", rows[number]))
        assert ("Superseded" in top) == bool(named), number
        assert all(f"[{each}]" in top for each in named), number


# Reasons


def constants(node: ast.AST) -> set[str]:
    found = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {value for value in found if isinstance(value, str) and _CODE.fullmatch(value)}


def reasons_in(node: ast.AST) -> set[str]:
    """Return the reasons that a call gives, or that a statement puts in a variable to be given
    later.
    """
    if isinstance(node, ast.Call):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name in ("note", "damaged"):
            return constants(node.args[1])
        if name == "_give_up" or (
            name == "append" and ast.unparse(node.func).endswith("repairs.append")
        ):
            return constants(node.args[0])
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and node.value.elts:
        return (
            constants(node.value.elts[-1])
            if isinstance(node.value.elts[-1], ast.Constant)
            else set()
        )
    if isinstance(node, ast.Assign) and "reason" in ast.unparse(node.targets[0]):
        return constants(node.value)
    return set()


def reasons_returned(tree: ast.Module) -> set[str]:
    """Return the reasons that functions of a module return to `reason = function(…)`."""
    asked = {
        node.value.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and "reason" in ast.unparse(node.targets[0])
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    }
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in asked
    ]
    returns = (
        node for each in functions for node in ast.walk(each) if isinstance(node, ast.Return)
    )
    return {reason for node in returns for reason in constants(node)}


@functools.cache
def emitted_reasons() -> set[str]:
    texts = [file.read_text("utf-8") for file in (ROOT / "src" / "citewise").rglob("*.py")]
    trees = [ast.parse(text) for text in texts if _CODE_IN_QUOTES.search(text)]
    given = {reason for tree in trees for node in ast.walk(tree) for reason in reasons_in(node)}
    return given.union(*map(reasons_returned, trees))


def documented_reasons() -> set[str]:
    page = (DOCS / "data-formats.md").read_text("utf-8")
    section = page.partition("\n## Reasons\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


@pytest.mark.slow
def test_reasons_are_found() -> None:
    assert {
        "bad_year",
        "same_key",
        "same_title",
        "malformed_json",
        "not_a_query",
        "empty_file",
    } <= emitted_reasons()


@pytest.mark.slow
def test_documented_reasons_are_those_that_the_code_gives() -> None:
    assert documented_reasons() == emitted_reasons()


# Links


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> Iterator[str]:
    yield from (
        link for link in _LINK.findall(_BLOCK.sub("", page.read_text("utf-8"))) if "://" not in link
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_reached_from_the_index() -> None:
    """Pages by a link on the index itself; the decisions by a link on their own index."""
    indexes = [DOCS / "index.md", DOCS / "decisions" / "index.md"]
    reached = {
        (index.parent / link.partition("#")[0]).resolve()
        for index in indexes
        for link in links(index)
    }
    assert indexes[1] in reached
    assert {page for page in DOCS.rglob("*.md") if page.name != "index.md"} <= reached


def test_the_site_shows_every_page() -> None:
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    nav = config.partition("\nnav:\n")[2]
    shown = sorted(re.findall(r"([\w/-]+\.md)$", nav, re.MULTILINE))
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert shown == sorted([*pages, "changelog.md", "contributing.md", "security.md"])


def test_pictures_are_there_and_have_a_description() -> None:
    for page in PAGES:
        text = _BLOCK.sub("", page.read_text("utf-8"))
        for about, picture in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", text):
            assert about and (page.parent / picture).is_file(), f"{page}: {picture}"
