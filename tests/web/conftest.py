"""The page in a real browser, on a real server."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import citewise
from browsing import PAPERS, citing_sentences, serving

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

TIMEOUT = 30_000
"""Milliseconds; a busy machine is no failure."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, started once; tests of the page are skipped where there is none."""
    if not BROWSER:
        pytest.skip("no browser: the page is tested in Chromium (apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample library with citing sentences."""
    folder = tmp_path_factory.mktemp("page")
    lines = [json.dumps(sentence) for sentence in citing_sentences()]
    sentences = folder / "sentences.jsonl"
    sentences.write_text("\n".join(lines))

    citewise.index([PAPERS, sentences], folder / "Landmarks of retrieval")
    return folder / "Landmarks of retrieval"


@pytest.fixture(scope="session")
def address(
    browser: Any, library_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a server with the sample library."""
    with serving(library_folder, tmp_path_factory.mktemp("home")) as found:
        yield found


class Window:
    """A window of the browser that notes errors in its console and requests to other hosts."""

    def __init__(self, browser: Any, address: str, errors: str = "", **options: Any) -> None:
        """Messages of the console that have `errors` in them are expected."""
        size = {"width": 1320, "height": 1000}
        self.context = browser.new_context(
            **{"viewport": size, "reduced_motion": "reduce", **options}
        )
        self.context.set_default_timeout(TIMEOUT)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self._hosts = (address.split("#")[0], "blob:", "data:", "about:")
        self._errors = errors
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._requested)

    def _said(self, message: Any) -> None:
        is_expected = self._errors and self._errors in message.text
        if message.type in ("error", "warning") and not is_expected:
            self.wrong.append(message.text)

    def _requested(self, sent: Any) -> None:
        if not sent.url.startswith(self._hosts):
            self.wrong.append(f"a request to {sent.url}")


OpenPage = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Open an address in a window of its own; in the end nothing may have gone wrong in it."""
    windows: list[Window] = []

    def open(address: str, errors: str = "", **options: Any) -> Any:
        windows.append(Window(browser, address, errors, **options))
        windows[-1].page.goto(address)
        return windows[-1].page

    yield open

    for window in windows:
        window.context.close()
    assert [wrong for window in windows for wrong in window.wrong] == []


@pytest.fixture(scope="session")
def window(browser: Any, address: str) -> Iterator[Window]:
    """A window that tests use one after the other: a new one for each would take longer."""
    shared = Window(browser, address)
    yield shared
    shared.context.close()


@pytest.fixture
def page(window: Window, address: str) -> Iterator[Any]:
    """The page with the sample library, as somebody sees it who comes for the first time."""
    opened = window.page
    opened.goto(address)
    opened.get_by_role("heading", name="What should your draft cite?").wait_for()
    yield opened

    opened.unroute_all()
    opened.evaluate("localStorage.clear()")
    window.context.clear_permissions()
    found, window.wrong = window.wrong, []
    assert found == []
