"""Without a library: the welcome, the sample, files of one's own, and what an import reports."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ask, drop, picture, serious, serving

pytestmark = pytest.mark.slow

BIB = """@article{salton1975, title={A Vector Space Model for Automatic Indexing},
  author={Salton, Gerard and Wong, Anita}, year={1975}, journal={CACM}}
@article{robertson1976, title={Relevance Weighting of Search Terms},
  author={Robertson, Stephen}, year={1976}, journal={JASIS}}
@article{nameless, author={Nobody}, year={2001}}
@article{broken, title={Unclosed
"""


@pytest.fixture(scope="module")
def started(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server, and the folder in which it looks for a library."""
    home = tmp_path_factory.mktemp("welcome")
    with serving(home / "My papers", home) as found:
        yield found, home / "My papers"


@pytest.fixture
def empty_address(started: tuple[str, Path]) -> str:
    """The address of the server, whose library is taken away."""
    address, folder = started
    shutil.rmtree(folder, ignore_errors=True)
    return address


def test_the_sample_becomes_the_first_library(open_page: Any, empty_address: str) -> None:
    page = open_page(empty_address)
    page.get_by_role("heading", name="Make your first library").wait_for()
    assert page.locator("#library-line").inner_text() == "No library yet"
    assert page.get_by_text("Drop a .bib, a .ris, a Zotero export or PDFs here").is_visible()
    assert not page.get_by_role("tab", name="Draft").is_visible()
    picture(page, "page-welcome-light")
    assert serious(page) == []

    page.get_by_role("button", name="Use the sample").click()
    page.get_by_role("button", name="Open the library").click()

    assert page.locator("#library-line").inner_text().startswith("My papers · 239 papers")
    ask(page)


def test_a_dropped_bibliography_is_imported_and_reported(
    open_page: Any, empty_address: str
) -> None:
    page = open_page(empty_address)
    page.get_by_role("heading", name="Make your first library").wait_for()

    drop(page, ("refs.bib", BIB))
    page.get_by_role("button", name="Open the library").wait_for()
    figures = dict(
        zip(page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts(), strict=True)
    )
    skipped = page.get_by_role("region", name="Skipped").inner_text()

    picture(page, "page-report-light")
    assert serious(page) == []
    assert figures["papers added"] == "2"
    assert int(figures["skipped"]) == 2
    assert "refs.bib:5" in skipped
    page.get_by_role("button", name="Open the library").click()
    assert page.locator("#library-line").inner_text().startswith("My papers · 2 papers")

    more = "@article{cleverdon, title={The Cranfield Tests}, author={Cleverdon, C}, year={1967}}"
    drop(page, ("more.bib", more))
    page.get_by_role("button", name="Add papers").click()
    page.get_by_role("button", name="Open the library").click()
    assert page.locator("#library-line").inner_text().startswith("My papers · 3 papers")


def test_an_import_that_finds_nothing_says_so(open_page: Any, empty_address: str) -> None:
    page = open_page(empty_address)
    page.get_by_role("heading", name="Make your first library").wait_for()

    drop(page, ("notes.bib", "nothing that could be an entry"))
    page.get_by_role("heading", name="The import stopped.").wait_for()
    page.get_by_role("button", name="Back").click()

    assert page.get_by_role("heading", name="Make your first library").is_visible()
