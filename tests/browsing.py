"""A real server and what tests of the page do again and again."""

import importlib.resources
import io
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import citewise

SOURCE = Path(citewise.__file__).parent.parent
PAPERS = Path(str(importlib.resources.files("citewise.sample") / "papers.jsonl"))
TITLE, ABSTRACT = PAPERS.with_name("draft.txt").read_text().strip().split("\n\n")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

_ANNOUNCED = re.compile(r"(http://127\.0\.0\.1:\d+/)")


def citing_sentences() -> list[dict[str, Any]]:
    """Return a citing sentence for each citation of the sample: what the first sentence of the
    cited paper's abstract says.
    """
    papers = {each["id"]: each for each in map(json.loads, PAPERS.read_text().splitlines())}
    return [
        {
            "citing_id": paper["id"],
            "cited_ids": [cited],
            "text": f"{papers[cited]['abstract'].split('. ')[0].rstrip('.')} [REF].",
            "section": "Related work",
            "year": paper["year"],
        }
        for paper in papers.values()
        for cited in paper.get("references", [])
        if cited in papers
    ]


@contextmanager
def serving(library: Path, home: Path, port: int = 0) -> Iterator[str]:
    """Run `citewise serve` as a process of its own; yield its address."""
    command = [sys.executable, "-m", "citewise", "serve", "--no-browser", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_DATA_HOME": str(home)}
    log = home / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--library", str(library)], env=environment, stderr=output
        )
    try:
        yield _announced(process, log)
    finally:
        process.terminate()
        process.wait(20)


def _announced(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address that the server has written into its log, once it is there."""
    for _ in range(1800):
        if found := _ANNOUNCED.search(log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError("the server did not start in three minutes")


def ask(page: Any, title: str = TITLE, abstract: str = ABSTRACT) -> None:
    """Type a draft, ask, and wait for the refined answer."""
    page.fill("#title", title)
    page.fill("#abstract", abstract)
    page.click("#ask")
    cards(page).first.wait_for()
    until_answered(page)


def cards(page: Any) -> Any:
    """Return the cards of the answer."""
    return page.locator(".cards > .card[data-id]")


def ids(page: Any) -> list[str]:
    """Return the ids of the answer's papers, in their order."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('.cards > .card[data-id]')].map((card) => card.dataset.id)"
    )
    return found


def called(address: str, path: str, body: object) -> Any:
    """Return the answer of the API to a body of JSON."""
    request = urllib.request.Request(
        f"{address}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def drop(page: Any, *files: tuple[str, str]) -> None:
    """Drop files, given by name and text, somewhere on the page."""
    page.evaluate(
        """(files) => {
            const transfer = new DataTransfer();
            for (const [name, text] of files) transfer.items.add(new File([text], name));
            const event = (type) => new DragEvent(type, { dataTransfer: transfer, bubbles: true });
            document.querySelector("header").dispatchEvent(event("dragover"));
            document.querySelector("header").dispatchEvent(event("drop"));
        }""",
        [list(file) for file in files],
    )


def until(page: Any, expression: str) -> None:
    """Wait until an expression of JavaScript is true; the page's policy allows no other way."""
    for _ in range(300):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def until_answered(page: Any) -> None:
    """Wait until the last question is answered and the address has it."""
    until(page, "document.querySelector('#answer').getAttribute('aria-busy') === 'false'")


def serious(page: Any) -> list[tuple[str, str]]:
    """Return the serious and critical findings of axe-core, each with the element it is about."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    bad = [each for each in found if each["impact"] in ("serious", "critical")]
    return [(each["id"], each["nodes"][0]["html"]) for each in bad]


def picture(page: Any, name: str) -> None:
    """Write a picture, with few colours, into the folder that CITEWISE_PICTURES names: if
    docs/page.md shows it.
    """
    folder = os.environ.get("CITEWISE_PICTURES")
    if not folder or f"{name}.png" not in (SOURCE.parent / "docs" / "page.md").read_text():
        return
    from PIL import Image

    page.evaluate("window.scrollTo(0, 0)")
    if name in ("page-answer-phone", "page-map-phone"):
        page.evaluate("document.querySelector('#answer').scrollIntoView()")
    with Image.open(io.BytesIO(page.screenshot())) as taken:
        taken.convert("RGB").quantize(160).save(Path(folder) / f"{name}.png", optimize=True)
