"""Hooks of the documentation's site: pages from the project's root, formulas as MathML, and nothing
from a network.
"""

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {name.lower(): name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}
"""Pages of the site that are files of the root."""

_SHIM, _OWN_SHIM = "https://unpkg.com/iframe-worker/shim", "assets/frame-worker.js"
"""What the theme would fetch for a search without a server, and our own script in its place."""

_FETCHED = re.compile(r"""(?:\bsrc=|<link[^>]*\bhref=|url\()["']?https?://[^"'\s>)]*""")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
_IN_DOCS = re.compile(r"\]\(docs/")
_ABOVE = re.compile(r"\]\((?:\.\./)*(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md")
_ELSEWHERE = re.compile(r"\[([^]]*)\]\((?:\.\./)*(?:LICENSE|examples/[^)]*|CITATION\.cff)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are kept in the project's root."""
    for name, source in PAGES.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links lead to where pages are on the site; what is not on it becomes its name."""
    up = "../" * page.file.src_uri.count("/")
    named = {"README": "index"}
    markdown = _IN_DOCS.sub("](", markdown)
    markdown = _ABOVE.sub(lambda to: f"]({up}{named.get(to[1], to[1].lower())}.md", markdown)
    return _ELSEWHERE.sub(r"\1", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Turn formulas into MathML, which browsers draw without a script."""

    def drawn(match: re.Match[str]) -> str:
        display = "block" if match[2] == "[" else "inline"
        return convert(html.unescape(match[3]), display=display)

    return _FORMULA.sub(drawn, content)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Load the search's script from the site itself."""
    return _offline(output, "../" * page.file.src_uri.count("/"))


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Do the same for the page that is shown where there is none."""
    return _offline(output_content) if template_name.endswith(".html") else output_content


def _offline(page: str, up: str = "") -> str:
    """Return a page that loads our own script; refuse one that loads anything from a
    network.
    """
    page = page.replace(_SHIM, up + _OWN_SHIM)
    if fetched := _FETCHED.search(page):
        raise PluginError(f"the site must work without a network, but a page has {fetched[0]}")
    return page
