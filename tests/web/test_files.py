"""The page's files: few bytes, nothing from elsewhere, no way for data to become markup."""

import re
from pathlib import Path

import pytest

from citewise.api import Library
from citewise.web import FOLDER
from citewise.web.plain import plain_page

FILES = sorted(file for file in FOLDER.iterdir() if file.suffix in {".html", ".css", ".js", ".svg"})
SCRIPTS = [file for file in FILES if file.suffix == ".js"]


def test_the_page_has_at_most_150_kilobytes() -> None:
    assert sum(file.stat().st_size for file in FILES) <= 150_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_loaded_from_elsewhere(file: Path) -> None:
    hosts = set(re.findall(r"\w+://([\w.]+)", file.read_text()))

    assert hosts <= {"doi.org", "www.w3.org"}  # a link that is clicked, a name of a language


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_scripts_never_make_markup_of_data(file: Path) -> None:
    dangerous = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"

    assert re.findall(dangerous, file.read_text()) == []


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_every_import_is_there_and_used(file: Path) -> None:
    text = file.read_text()
    imports = re.findall(r'import \{\s*([^}]+?),?\s*\} from "\./([\w.]+)";', text)

    assert len(imports) == len(re.findall(r"^import ", text, re.MULTILINE))
    for names, source in imports:
        exported = (FOLDER / source).read_text()
        for name in re.split(r",\s*", names):
            assert re.search(rf"export (async )?(function|const|class) {name}\b", exported), name
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} is not used"


def test_the_plain_page_has_no_scripts_and_says_what_went_wrong() -> None:
    page = plain_page("A <title>", "", problem="no library; make one & come back")

    assert "<script" not in page
    assert 'value="A &lt;title&gt;"' in page
    assert "no library; make one &amp; come back" in page


def test_the_plain_page_says_that_nothing_was_found(sample: Library) -> None:
    nothing = sample.recommend(title="Zwiebelkuchen")

    assert "Nothing here seems close to your draft." in plain_page("Zwiebelkuchen", "", nothing)
