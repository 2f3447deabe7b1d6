"""The MCP server, called by the SDK's own client over both transports."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import jsonschema
import pytest
import uvicorn
from mcp.shared.exceptions import MCPError
from starlette.testclient import TestClient

import citewise
import contracts
from citewise import api
from citewise.api import Library
from citewise.drafts.advice import Advice
from citewise.drafts.query import DraftOptions
from citewise.mcp import live as live_module
from citewise.mcp.live import LiveLibrary
from citewise.mcp.running import run_http
from citewise.mcp.server import make_server
from command_line import Run
from corpora import GOLDEN
from mcp_servers import TOKEN, Connection, connected, http, over_http, stdio

pytestmark = pytest.mark.slow

DANCE, CLOCK, ANTS = "doi:10.1000/dance", "doi:10.1000/clock", "arxiv:1101.00001"
TITLE, ABSTRACT = "Dancing bees", "Foragers dance on the comb, and a clock times their flights."
TOOLS = [
    "recommend_papers",
    "cite_sentence",
    "check_passage",
    "get_paper",
    "search_papers",
    "get_references",
    "get_citers",
    "get_evidence",
    "export_bibliography",
    "describe_library",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcp") / "library"
    citewise.add([*contracts.PAPERS, *contracts.SENTENCES], path)
    return path


@pytest.fixture(scope="module")
def library(folder: Path) -> Library:
    return citewise.open(folder)


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A server over HTTP."""
    with http(folder) as address:
        yield address


@pytest.fixture(scope="module", params=["stdio", "http"])
def server(request: pytest.FixtureRequest, folder: Path) -> Iterator[Connection]:
    """A server started by the command line: with the handshake that most clients use over stdio,
    and with what the SDK prefers over HTTP.
    """
    if request.param == "stdio":
        with connected(stdio(folder), mode="legacy") as connection:
            yield connection
    else:
        address = request.getfixturevalue("address")
        with connected(over_http(address)) as connection:
            yield connection


@pytest.fixture(scope="module")
def inside(folder: Path) -> Iterator[Connection]:
    """A server in this process."""
    with connected(make_server(LiveLibrary(str(folder)))) as connection:
        yield connection


def ranking(papers: list[dict[str, Any]], chance: str = "chance") -> bytes:
    """Return ranks, ids, scores and chances as JSON."""
    rows = [
        [each["rank"], each.get("id") or each["paper"]["id"], each["score"], each[chance]]
        for each in papers
    ]
    return json.dumps(rows).encode()


# What a client sees first


def test_a_client_learns_what_the_server_can_do(server: Connection) -> None:
    assert server.client.server_info is not None
    assert server.client.server_info.version == citewise.__version__
    assert "export_bibliography" in (server.client.instructions or "")

    tools = server.ask("list_tools").tools
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert tool.title and tool.description and "\n" not in tool.description
        assert tool.output_schema is not None, tool.name
        assert tool.annotations.read_only_hint is True
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        described = tool.input_schema.get("properties", {}).values()
        assert all("description" in each for each in described), tool.name

    templates = server.ask("list_resource_templates").resource_templates
    assert [each.uri_template for each in templates] == ["citewise://paper/{+id}"]
    assert [str(each.uri) for each in server.ask("list_resources").resources] == [
        "citewise://library"
    ]


# Tools


def test_recommending_ranks_as_python_and_the_command_line_do(
    server: Connection, library: Library, folder: Path, run: Run
) -> None:
    found = server.call("recommend_papers", title=TITLE, abstract=ABSTRACT, k=7, cited=[CLOCK])
    query = library.query(None, DraftOptions(title=TITLE, abstract=ABSTRACT, cited=(CLOCK,)))
    answer = library.answer(query, 7, explain=True)
    by_python = json.loads(answer.to("json"))["recommendations"]
    done = run(
        "recommend", "--library", folder, "--title", TITLE, "--abstract", ABSTRACT, "-k", 7,
        "--cited", CLOCK, "--explain", "--format", "json",
    )  # fmt: skip
    by_command = json.loads(done.out)["recommendations"]

    assert ranking(found["papers"]) == ranking(by_python, "confidence")
    assert ranking(found["papers"]) == ranking(by_command, "confidence")
    assert len(found["papers"]) == 7 and CLOCK not in [each["id"] for each in found["papers"]]
    assert [each["why"] for each in found["papers"]] == [
        [reason["sentence"] for reason in each["reasons"]] for each in by_python
    ]
    assert found["match"] == answer.match and found["system"] == answer.served_by.system


def test_a_pasted_draft_and_preferences_are_understood(
    server: Connection, library: Library
) -> None:
    text = f"# {TITLE}\n\n{ABSTRACT} See [@doi:10.1000/dance]."
    found = server.call(
        "recommend_papers", text=text, k=5, year=2012, prefer_recent=1.0, cited=["nobody"]
    )
    ids = [each["id"] for each in found["papers"]]
    assert DANCE not in ids and "own-7" not in ids, "cited already; of 2019"
    assert "Not in the library: nobody." in found["notes"]

    preferences = citewise.Preferences(prefer_recent=1.0)
    options = DraftOptions(text=text, cited=("nobody",), year=2012, preferences=preferences)
    expected = library.answer(library.query(None, options), 5)
    assert ids == [each.paper.id for each in expected]


def test_citing_ranks_as_the_command_line_does(server: Connection, folder: Path, run: Run) -> None:
    sentence = "Foragers dance on the comb [1]."
    found = server.call("cite_sentence", sentence=sentence, title=TITLE, k=4)
    done = run(
        "cite", sentence, "--library", folder, "--title", TITLE, "-k", 4, "--explain",
        "--format", "json",
    )  # fmt: skip
    by_command = json.loads(done.out)["sentences"][0]["recommendations"]

    assert ranking(found["papers"]) == ranking(by_command, "confidence")
    first = found["papers"][0]
    assert first["id"] == DANCE
    assert first["quotations"][0]["sentence"] == by_command[0]["evidence"][0]["text"]


def test_a_passage_is_checked_with_progress(server: Connection) -> None:
    seen: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total))

    text = f"{GOLDEN[0].abstract} Nothing is cited here. Ants find paths (Formiga, 2011)."
    arguments = {"text": text, "k": 2}
    result = server.ask("call_tool", "check_passage", arguments, progress_callback=progress)
    found = result.structured_content["sentences"]

    assert [each["cites"] for each in found] == [False, False, True]
    assert found[0]["wants_citation"] and found[0]["papers"][0]["id"] == DANCE
    assert not found[1]["wants_citation"]
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_ids_lead_from_one_call_to_the_next(server: Connection, library: Library) -> None:
    found = server.call("search_papers", query="dance language")
    paper = server.call("get_paper", id=found["papers"][0]["id"])
    assert (paper["id"], paper["key"]) == (DANCE, "frischmann1967dance")
    assert paper["abstract"] == GOLDEN[0].abstract and paper["ids"] == ["pmid:101"]

    whole = library.citers(DANCE)
    pages, offset = list[str](), 0
    while offset is not None:
        page = server.call("get_citers", id=DANCE, limit=2, offset=offset)
        pages += [each["id"] for each in page["papers"]]
        offset = page["next_offset"]
    assert pages == [each.id for each in whole.papers]
    assert paper["citers"] == page["total"] == whole.total

    cited = server.call("get_references", id=pages[0])
    assert DANCE in [each["id"] for each in cited["papers"]]
    quoted = server.call("get_evidence", id=DANCE, about="dance")["quotations"]
    assert quoted[0]["sentence"].startswith(GOLDEN[0].title)


def test_a_search_says_whether_there_are_more(inside: Connection, library: Library) -> None:
    every = [paper.id for paper in library.search("bees", 100)]
    assert len(every) > 2
    for limit, more in ((2, True), (len(every) - 1, True), (len(every), False), (50, False)):
        found = inside.call("search_papers", query="bees", limit=limit)
        assert [each["id"] for each in found["papers"]] == every[:limit]
        assert found["more"] is more


@pytest.mark.parametrize("format", ["bibtex", "ris", "csl", "markdown", "list"])
def test_papers_are_exported(inside: Connection, library: Library, format: str) -> None:
    result = inside.ask(
        "call_tool", "export_bibliography", {"ids": [DANCE, ANTS], "format": format}
    )
    assert result.content[0].text == library.bibliography([DANCE, ANTS], format)


def test_the_library_is_described(server: Connection, library: Library) -> None:
    found, about = server.call("describe_library"), library.describe()
    assert (found["papers"], found["citing_sentences"]) == (len(library), about.sentences)
    assert found["last_year"] == max(about.years)
    assert json.loads(server.ask("read_resource", "citewise://library").contents[0].text) == found


# Resources and prompts


@pytest.mark.parametrize("name", [DANCE, "own%208", "pmid:101", "https://doi.org/10.1000/dance"])
def test_papers_are_resources(server: Connection, library: Library, name: str) -> None:
    read = server.ask("read_resource", f"citewise://paper/{name}").contents[0]
    paper = library[name.replace("%20", " ")]
    found = json.loads(read.text)
    assert (found["id"], found["title"]) == (paper.id, paper.title)
    assert found["references"] == [*paper.references] and read.mime_type == "application/json"


def test_a_resource_that_is_not_there_is_an_error(server: Connection) -> None:
    for name in ("nothing", "../../etc/passwd"):
        with pytest.raises(MCPError, match=f"no paper '{name}'"):
            server.ask("read_resource", f"citewise://paper/{name}")


def test_prompts_name_tools_that_exist(server: Connection) -> None:
    prompts = {each.name: each for each in server.ask("list_prompts").prompts}
    assert prompts["find_missing_citations"].title == "Find what my related-work section misses"
    for name, prompt in prompts.items():
        needed = {each.name: "Bees dance." for each in prompt.arguments if each.required}
        text = server.ask("get_prompt", name, needed).messages[0].content.text
        assert "Bees dance." in text
        named = {word.strip(".,():;") for word in text.split() if "_" in word}
        assert named <= set(TOOLS) and named, named - set(TOOLS)


# Errors


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("recommend_papers", {}, "the query is empty: give a title, an abstract, a draft"),
        ("recommend_papers", {"title": "x", "k": 0}, "k: input should be greater than or equal to"),
        ("recommend_papers", {"title": "x", "system": "magic"}, "magic"),
        ("recommend_papers", {"title": "x", "system": "best+rerank(model=/etc)"}, "is a folder"),
        ("recommend_papers", {"title": "x", "year": 1990, "since": 2000}, "no year is both since"),
        ("recommend_papers", {"title": "x", "no_self_citations": True}, "name the draft's authors"),
        ("recommend_papers", {"text": "x" * 200_001}, "200,001 characters"),
        ("cite_sentence", {"sentence": " "}, "there is no sentence to find citations for"),
        ("cite_sentence", {"sentence": "x " * 100_001}, "200,002 characters"),
        ("check_passage", {"text": "…"}, "there is no sentence in this passage"),
        ("get_paper", {"id": "nothing"}, "no paper 'nothing'"),
        ("get_paper", {}, "id: field required"),
        ("get_citers", {"id": ["a"]}, "id: input should be a valid string, not ['a']"),
        ("search_papers", {"query": ""}, "the search is empty"),
        ("export_bibliography", {"ids": [DANCE, "x"]}, "no paper 'x'"),
        ("export_bibliography", {"ids": [], "format": "word"}, "not 'word'"),
        ("no_such_tool", {}, "Unknown tool: no_such_tool"),
    ],
)
def test_errors_are_plain_words(
    inside: Connection, tool: str, arguments: dict[str, Any], message: str
) -> None:
    said = inside.error(tool, **arguments)
    assert message in said
    assert "pydantic" not in said and "Traceback" not in said and "Error" not in said


def test_errors_come_over_both_transports(server: Connection) -> None:
    assert "no paper 'nothing'" in server.error("get_paper", id="nothing")
    assert server.error("get_paper") == "id: field required"
    assert server.call("get_paper", id=DANCE)["id"] == DANCE, "the server goes on"


# Cancellation


def cancelled_at_first_progress(connection: Connection) -> int:
    """Call for a long passage and cancel at the first sentence; return how many were reported."""
    seen: list[float] = []

    async def cancelled() -> None:
        with anyio.fail_after(30), anyio.CancelScope() as scope:

            async def progress(progress: float, total: float | None, message: str | None) -> None:
                seen.append(progress)
                scope.cancel()

            text = " ".join(f"Bees of hive {number} dance on the comb." for number in range(90))
            await connection.client.call_tool(
                "check_passage", {"text": text}, progress_callback=progress
            )
        assert scope.cancelled_caught

    connection.portal.call(cancelled)
    return len(seen)


def test_a_call_can_be_cancelled(server: Connection) -> None:
    assert cancelled_at_first_progress(server) < 90
    assert server.call("get_paper", id=DANCE)["id"] == DANCE, "the server goes on"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_cancelled_call_stops_working(
    folder: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    answered: list[Advice] = []
    advise = Library.advise

    def counted(*given: Any, **named: Any) -> Iterator[Advice]:
        for advice in advise(*given, **named):
            answered.append(advice)
            yield advice

    monkeypatch.setattr(Library, "advise", counted)
    with connected(make_server(LiveLibrary(str(folder))), mode) as connection:
        cancelled_at_first_progress(connection)
        connection.call("describe_library")
        stopped_at = len(answered)
        connection.portal.call(anyio.sleep, 0.3)
        assert len(answered) <= stopped_at + 1 < 90


def test_calls_at_the_same_time_get_their_own_answers(server: Connection) -> None:
    titles = [paper.title for paper in contracts.PAPERS[:12]]
    expected = [server.call("recommend_papers", title=title, k=5) for title in titles]
    found: dict[str, Any] = {}

    async def asked(title: str) -> None:
        result = await server.client.call_tool("recommend_papers", {"title": title, "k": 5})
        found[title] = result.structured_content

    async def together() -> None:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for title in titles:
                    group.start_soon(asked, title)

    server.portal.call(together)
    assert [found[title] for title in titles] == expected


# The HTTP edge


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer another"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://localhost:3000"}, 200),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_other_sites_and_strangers_are_refused(
    address: str, headers: dict[str, str], status: int
) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx.post(address, json=body, headers={**accept, **headers}, timeout=20)
    assert answer.status_code == status


def test_a_server_for_others_needs_a_token(folder: Path, run: Run) -> None:
    done = run("mcp", "--library", folder, "--transport", "http", "--host", "0.0.0.0")
    assert done.code == 2 and "set CITEWISE_TOKEN" in done.err


def test_a_port_that_is_taken_is_an_error_in_words(folder: Path, run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("mcp", "--library", folder, "--transport", "http", "--port", port)
    assert done.code == 2 and f"127.0.0.1:{port} cannot be served" in done.err
    assert "answers at" not in done.err + done.out


def test_the_address_is_that_which_clients_call(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any free port, and the host that is listened at needs no --allow-host."""
    served = list[tuple[int, int]]()

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        app: Any = server.config.app
        client = TestClient(app, base_url=said[0].removesuffix("/mcp"))
        with client:
            answer = client.post("/mcp", json={}, headers={"Authorization": f"bEARER {TOKEN}"})
        served.append((answer.status_code, sockets[0].getsockname()[1]))

    said = list[str]()
    monkeypatch.setattr(uvicorn.Server, "run", run)
    server = make_server(LiveLibrary(str(folder)))
    run_http(server, ("127.0.0.2", 0), token=TOKEN, ready=said.append)
    ((status, port),) = served
    assert said == [f"http://127.0.0.2:{port}/mcp"] and port > 0
    assert status not in (401, 403, 421)


def test_a_library_that_is_not_there_ends_the_command(tmp_path: Path, run: Run) -> None:
    done = run("mcp", "--library", tmp_path / "none")
    assert done.code == 1 and "no citewise library here" in done.err


# A library that changes


def test_a_new_generation_is_used_and_a_broken_one_is_not(tmp_path: Path) -> None:
    citewise.add(GOLDEN[:4], tmp_path / "library")
    live = LiveLibrary(str(tmp_path / "library"))
    before = live.library()
    assert live.library() is before and len(before) == 4

    citewise.add(GOLDEN, tmp_path / "library")
    assert len(live.library()) == 8 and len(before) == 4

    (tmp_path / "library" / "manifest.json").write_text("{")
    assert len(live.library()) == 8


def test_a_generation_that_could_not_be_opened_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What makes it readable, such as a permission, need not change when it was written."""
    citewise.add(GOLDEN[:4], tmp_path / "library")
    live = LiveLibrary(str(tmp_path / "library"))
    citewise.add(GOLDEN, tmp_path / "library")
    attempts = []

    def fail(where: str) -> Library:
        attempts.append(where)
        raise PermissionError(13, "Permission denied", where)

    with monkeypatch.context() as patch:
        patch.setattr(api, "open", fail)
        assert [len(live.library()) for _ in range(3)] == [4, 4, 4]
        assert len(attempts) == 1, "not at every call"
    monkeypatch.setattr(live_module, "_RETRY_SECONDS", 0.0)
    assert len(live.library()) == 8
