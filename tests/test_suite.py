"""The suite itself: what the quick run leaves out before it is imported."""

import ast
from pathlib import Path

import pytest
from hypothesis import settings

from properties import examples
from slow_files import is_all_slow

TESTS = Path(__file__).parent
SECONDS = {"torch", "transformers", "mcp", "schemathesis", "scipy.stats", "playwright", "ray"}
"""Packages that take about a second to import, or more; and modules of tests that import them."""
SECONDS |= {"transformer_models", "mcp_servers"}


def _imported(file: Path) -> set[str]:
    """Return what a file imports while it is imported itself, by `import` or importorskip; nothing
    where it names none of `SECONDS`.
    """
    found: set[str] = set()
    text = file.read_text("utf-8")
    if not any(name in text for name in SECONDS):
        return found  # parsing takes time
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
        elif isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Call):
            called, arguments = ast.unparse(node.value.func), node.value.args
            if called == "pytest.importorskip" and isinstance(arguments[0], ast.Constant):
                found.add(str(arguments[0].value))
    return found


def _is_heavy(name: str) -> bool:
    return any(f"{name}.".startswith(f"{each}.") for each in SECONDS)


def test_what_takes_seconds_to_import_is_imported_by_slow_files_only() -> None:
    heavy = {file for file in TESTS.rglob("test_*.py") if any(map(_is_heavy, _imported(file)))}
    assert TESTS / "embed" / "test_transformers.py" in heavy
    assert [file for file in heavy if not is_all_slow(file)] == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytestmark = pytest.mark.slow", True),
        ('pytestmark = [pytest.mark.usefixtures("cache"), pytest.mark.slow]', True),
        (
            "pytestmark = [\n    pytest.mark.slow,\n    pytest.mark.skipif(True, reason='x'),\n]",
            True,
        ),
        ('pytestmark = pytest.mark.usefixtures("cache")\n\n\n@pytest.mark.slow', False),
        ("@pytest.mark.slow", False),
    ],
)
def test_files_of_slow_tests_alone_are_known(line: str, expected: bool, tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(f"import pytest\n\n{line}\ndef test_it() -> None: ...\n")
    assert is_all_slow(file) == expected


def test_the_quick_run_tries_few_examples() -> None:
    before = settings.get_current_profile_name()
    try:
        settings.load_profile("patient")
        assert examples(300).max_examples == 300
        settings.load_profile("quick")
        assert (examples(300).max_examples, examples(5).max_examples) == (10, 5)
    finally:
        settings.load_profile(before)
