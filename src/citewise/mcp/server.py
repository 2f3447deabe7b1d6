"""The MCP server over a library: its tools, resources and prompts."""

import inspect
import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from citewise.errors import CitewiseError, MissingData
from citewise.mcp import prompts, results
from citewise.mcp.live import LiveLibrary
from citewise.mcp.tools import Tools
from citewise.render.json_answers import paper_documents

INSTRUCTIONS = """\
citewise finds the papers that a draft should cite, in the user's own library, and says why. It
knows no papers but those of the library: describe_library says how many there are.

recommend_papers answers for a draft, cite_sentence for one claim, check_passage for a paragraph.
Every paper has an id, which get_paper, get_references, get_citers, get_evidence and
export_bibliography take. Recommend only papers that a tool returned, with the reasons or quotations
that it gave; "chance" is how often such a paper is cited by drafts like this one. Export BibTeX
with export_bibliography rather than writing entries yourself.
"""

_TITLES = {
    "recommend_papers": "Recommend papers for a draft",
    "cite_sentence": "Find citations for a sentence",
    "check_passage": "Check a passage for missing citations",
    "get_paper": "Look a paper up",
    "search_papers": "Search by title or id",
    "get_references": "What a paper cites",
    "get_citers": "Who cites a paper",
    "get_evidence": "What a paper is cited for",
    "export_bibliography": "Export BibTeX and other formats",
    "describe_library": "Describe the library",
}
"""The tools, with their names for people."""


_LONGEST_VALUE = 60
"""Characters of a rejected argument that an error repeats."""


class CitewiseServer(MCPServer[Any]):
    """A server whose tools fail in plain words."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; an error says what is wrong, without the names of classes."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_rejected(error.__cause__)) from error.__cause__
            if isinstance(error.__cause__, ToolError):
                raise error.__cause__ from None
            raise


def _rejected(error: ValidationError) -> str:
    """Return in words which arguments of a tool cannot be used, and why."""
    found = []
    for each in error.errors(include_url=False):
        where = ".".join(map(str, each["loc"])) or "the arguments"
        value = repr(each["input"])[:_LONGEST_VALUE]
        given = "" if each["type"] == "missing" else f", not {value}"
        found.append(f"{where}: {each['msg'][0].lower()}{each['msg'][1:]}{given}")
    return "; ".join(found)


def make_server(live: LiveLibrary, version: str = "") -> CitewiseServer:
    """Return a server that answers from a library."""
    server = CitewiseServer(
        "citewise",
        title="citewise",
        instructions=INSTRUCTIONS,
        version=version,
        log_level="WARNING",
    )
    tools = Tools(live)
    for name, title in _TITLES.items():
        hints = ToolAnnotations(
            title=title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        )
        tool = getattr(tools, name)
        about = " ".join((inspect.getdoc(tool) or "").split())
        server.add_tool(tool, name, title, about, hints)

    for prompt in (
        prompts.find_missing_citations,
        prompts.cite_paragraph,
        prompts.make_reading_list,
    ):
        title = (prompt.__doc__ or "").rstrip(".")
        server.add_prompt(Prompt.from_function(prompt, title=title))
    _add_resources(server, live)
    return server


def _add_resources(server: MCPServer[Any], live: LiveLibrary) -> None:
    """Add the library and its papers as resources."""

    @server.resource(
        "citewise://library",
        title="The library",
        description="How much the library holds.",
        mime_type="application/json",
    )
    def library() -> str:
        return _read(lambda: results.library_info(live.library().describe()).model_dump())

    # An id is looked up, never opened as a file: "..", slashes and the like are harmless in it.
    @server.resource(
        "citewise://paper/{+id}",
        title="A paper",
        description="A paper of the library by any of its ids, with all that is known of it.",
        mime_type="application/json",
        security=ResourceSecurity(exempt_params={"id"}),
    )
    def paper(id: str) -> str:
        return _read(lambda: paper_documents([live.library()[id]])[0])


def _read(make: Callable[[], Any]) -> str:
    """Return a resource's JSON; errors become those of a resource."""
    try:
        return json.dumps(make(), ensure_ascii=False, indent=2)
    except MissingData as error:
        raise ResourceNotFoundError(str(error)) from None
    except CitewiseError as error:
        raise ResourceError(str(error)) from None
