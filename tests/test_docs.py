"""The documentation: its blocks run, its pages are complete, its links lead somewhere."""

import ast
import contextlib
import dataclasses
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import citewise
from citewise import evaluate, train
from citewise.cli import app
from citewise.retrieve.bm25 import Bm25Settings
from citewise.systems import BestSettings

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
RUN = [ROOT / "README.md", DOCS / "tutorial.md", DOCS / "sentences.md", DOCS / "evaluation.md", DOCS / "python.md"]

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!`)\[[^][]*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# Blocks


def bash(code: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, capture_output=True, text=True,
                          env=environment, timeout=600, check=False)
    assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def python(code: str, names: dict[str, object]) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "a block", "exec"), names)
    return shown.getvalue()


def assert_shown(expected: str, output: str) -> None:
    """Each line of a block of output stands in the output, in that order; runs of white space count as one."""
    at, whole = 0, " ".join(output.split())
    for line in expected.splitlines():
        found = whole.find(" ".join(line.split()), at)
        assert found >= 0, f"not shown (here): {line}\nin: {output}"
        at = found


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "a_page"}
    output = ""
    blocks = _BLOCK.findall(page.read_text("utf-8"))
    assert any(language in ("bash", "python") for language, _ in blocks)
    for language, code in blocks:
        if language == "bash":
            output = bash(code, tmp_path)
        elif language == "python":
            output = python(code, names)
        elif language == "text":
            assert_shown(code, output)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_name_their_language(page: Path) -> None:
    languages = {language for language, _ in _BLOCK.findall(page.read_text("utf-8"))}
    assert languages <= {"bash", "python", "text", "sh", "json", "bibtex"}, "an unnamed block would not be tested"


# Completeness


def test_every_command_and_option_is_documented() -> None:
    page = (DOCS / "command-line.md").read_text("utf-8")
    headings = re.findall(r"^## citewise ([a-z ]+)$", page, re.MULTILINE)
    sections = dict(zip(headings, page.split("\n## ")[1:], strict=False))
    commands = {}
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", {"": command})
        commands |= {f"{name} {each}".strip(): found for each, found in inner.items()}
    assert sections.keys() == commands.keys()
    for name, command in commands.items():
        for parameter in command.params:
            spellings = parameter.opts if parameter.param_type_name == "option" else [parameter.name.upper()]
            for spelling in spellings:
                assert f"`{spelling}" in sections[name], f"{name} {spelling}"


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "python.md").read_text("utf-8")
    names = [*citewise.__all__, *evaluate.__all__, *train.__all__]
    missing = [name for name in names if not re.search(rf"`(?:citewise\.)?{name}\b", page)]
    assert not missing


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


def test_documented_defaults_are_those_of_the_code() -> None:
    section = (DOCS / "methods.md").read_text("utf-8").partition("### Settings\n")[2]
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", section, re.MULTILINE)
    documented = {name: float(value) for name, value in rows}
    held = {field.name: field.default for kind in (Bm25Settings, BestSettings) for field in dataclasses.fields(kind)}
    assert documented == {name: value for name, value in held.items() if not isinstance(value, str)}


def test_readme_names_the_test_command() -> None:
    assert "make test" in (ROOT / "README.md").read_text("utf-8")


# Reasons


def constants(node: ast.AST) -> set[str]:
    found = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return {value for value in found if isinstance(value, str) and _CODE.fullmatch(value)}


def reasons_in(node: ast.AST) -> set[str]:
    """Return the reasons that a call gives, or that a statement puts in a variable to be given later."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("note", "damaged"):
            return constants(node.args[1])
        if name == "_give_up" or (name == "append" and ast.unparse(node.func) == "repairs.append"):
            return constants(node.args[0])
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and node.value.elts:
        return constants(node.value.elts[-1]) if isinstance(node.value.elts[-1], ast.Constant) else set()
    if isinstance(node, ast.Assign) and "reason" in ast.unparse(node.targets[0]):
        return constants(node.value)
    return set()


def emitted_reasons() -> set[str]:
    trees = (ast.parse(file.read_text("utf-8")) for file in (ROOT / "src" / "citewise").rglob("*.py"))
    return {reason for tree in trees for node in ast.walk(tree) for reason in reasons_in(node)}


def documented_reasons() -> set[str]:
    page = (DOCS / "data-formats.md").read_text("utf-8")
    section = page.partition("\n## Reasons\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_reasons_are_found() -> None:
    assert {"bad_year", "same_key", "same_title", "malformed_json", "not_a_query", "empty_file"} <= emitted_reasons()


def test_documented_reasons_are_those_that_the_code_gives() -> None:
    assert documented_reasons() == emitted_reasons()


# Links


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> Iterator[str]:
    yield from (link for link in _LINK.findall(_BLOCK.sub("", page.read_text("utf-8"))) if "://" not in link)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_reached_from_the_index() -> None:
    reached = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "index.md")}
    assert {page for page in DOCS.rglob("*.md") if page.name != "index.md"} <= reached
