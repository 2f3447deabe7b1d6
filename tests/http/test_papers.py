"""Papers over HTTP: one with its neighbours, search, the map, bibliographies."""

import httpx
import pytest

from citewise.api import Library
from serving import Running

pytestmark = pytest.mark.slow

BERT = "devlin2019bert"


def test_a_paper(client: httpx.Client, sample: Library) -> None:
    paper = sample[BERT]
    found = client.get(f"/v1/papers/{BERT}").json()
    assert found["title"] == paper.title and found["authors"] == [*paper.authors]
    assert found["key"] == "devlin2019bert"
    assert found["citations"] == sample.citers(BERT).total > 0
    for spelling in (*paper.ids, found["url"]):
        assert client.get(f"/v1/papers/{spelling}").json() == found, spelling
        assert client.get("/v1/papers", params={"id": spelling}).json() == found


def test_a_paper_that_is_not_there(client: httpx.Client) -> None:
    for path in (
        "papers/none",
        "papers/none/citers",
        "papers/10.1/x/evidence",
        "references?id=none",
    ):
        answer = client.get(f"/v1/{path}")
        assert answer.status_code == 404 and answer.json()["code"] == "missing_data"
    assert client.get("/v1/nothing").json()["code"] == "not_found"
    assert client.put("/v1/papers/x").status_code == 405


@pytest.mark.parametrize("which", ["references", "citers"])
def test_neighbours(client: httpx.Client, sample: Library, which: str) -> None:
    every = client.get(f"/v1/papers/{BERT}/{which}", params={"limit": 500}).json()
    ids = [each["id"] for each in every["papers"]]
    assert ids == [paper.id for paper in getattr(sample, which)(BERT, 500).papers]
    assert every["total"] == len(ids) > 2

    cited = {paper.id: paper.references for paper in sample}
    known = {one for one, cites in cited.items() if BERT in cites}
    assert {*ids} == (known if which == "citers" else {*cited[BERT]} & {*cited})

    page = client.get(f"/v1/{which}", params={"id": BERT, "limit": 2, "offset": 1}).json()
    assert [each["id"] for each in page["papers"]] == ids[1:3] and page["total"] == len(ids)
    assert client.get(f"/v1/papers/{BERT}/{which}", params={"limit": 0}).status_code == 422


def test_evidence(with_evidence: Running, stored: Library) -> None:
    with with_evidence.client() as client:
        cited = max(stored, key=lambda paper: len(stored.evidence(paper.id, limit=50)))
        found = client.get(f"/v1/papers/{cited.id}/evidence").json()["evidence"]
        assert (
            [each["text"] for each in found]
            == [span.text for span in stored.evidence(cited.id)]
            != []
        )
        same = client.get("/v1/evidence", params={"id": cited.id}).json()["evidence"]
        assert same == found


def test_search(client: httpx.Client) -> None:
    found = client.get("/v1/search", params={"q": "deep bidirectional transformers"}).json()
    assert found["papers"][0]["id"] == BERT
    assert client.get("/v1/search", params={"q": BERT}).json()["papers"][0]["id"] == BERT
    assert len(client.get("/v1/search", params={"q": "ranking", "limit": 2}).json()["papers"]) == 2
    assert client.get("/v1/search", params={"q": "zzzzzz"}).json() == {"papers": []}


def test_a_map(client: httpx.Client) -> None:
    asked = {"recommended": [BERT, "none"], "cited": ["vaswani2017attention"], "basket": [BERT]}
    found = client.post("/v1/map", json=asked).json()
    roles = {each["id"]: each["role"] for each in found["papers"]}
    assert roles == {BERT: "basket", "vaswani2017attention": "cited"}
    assert found["edges"] == [[BERT, "vaswani2017attention"]]
    assert [each["year"] for each in found["years"]] == [2017, 2019]
    assert client.post("/v1/map", json={}).json() == {"papers": [], "edges": [], "years": []}
    too_many = {"cited": [str(number) for number in range(501)]}
    assert client.post("/v1/map", json=too_many).status_code == 422


@pytest.mark.parametrize(
    ("format", "media"),
    [
        ("bibtex", "application/x-bibtex"),
        ("ris", "application/x-research-info-systems"),
        ("csl", "application/vnd.citationstyles.csl+json"),
        ("markdown", "text/markdown"),
        ("list", "text/plain"),
    ],
)
def test_bibliographies(client: httpx.Client, sample: Library, format: str, media: str) -> None:
    ids = ["vaswani2017attention", BERT]
    by_name = client.post("/v1/bibliography", json={"ids": ids, "format": format})
    assert by_name.text == sample.bibliography(ids, format)
    assert by_name.headers["content-type"].startswith(media)
    accepted = client.post("/v1/bibliography", json={"ids": ids}, headers={"Accept": media})
    assert accepted.text == by_name.text


def test_a_bibliography_of_unknown_papers(client: httpx.Client) -> None:
    answer = client.post("/v1/bibliography", json={"ids": ["none"], "format": "ris"})
    assert answer.status_code == 404
