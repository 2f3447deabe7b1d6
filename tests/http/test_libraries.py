"""The library behind a server: none yet, imported, replaced under load, removed."""

import itertools
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import citewise
from citewise import preferences, systems
from citewise.http.settings import Limits
from citewise.types import Paper
from corpora import GOLDEN
from serving import Running, imported, running, until

pytestmark = pytest.mark.slow

BIB = b"@article{a, title={Bees and clocks}, author={Doe, Jane}, year={2001}}\n"
ASKED = {"title": "bees and clocks", "k": 3}


def events_of(text: str) -> list[str]:
    return [line[7:] for line in text.splitlines() if line.startswith("event: ")]


def test_from_nothing_to_a_library(tmp_path: Path) -> None:
    with running(tmp_path / "library", tmp_path / "state") as server, server.client() as client:
        assert client.get("/v1/library").json() == {"open": False, "writable": True}
        assert client.get("/readyz").json() == {"status": "ready", "open": False}
        for path, asked in (("recommend", ASKED), ("cite", {"sentence": "Bees dance."})):
            answer = client.post(f"/v1/{path}", json=asked)
            assert answer.status_code == 409 and answer.json()["code"] == "no_library"
        assert client.get("/v1/search", params={"q": "x"}).status_code == 409

        # two at the same time: the second waits for the first
        other = BIB.replace(b"{a,", b"{b,").replace(b"Bees", b"Ants")
        started = [
            client.post("/v1/imports", files={"files": ("a.bib", BIB)}),
            client.post("/v1/imports", files={"files": ("b.bib", other)}),
        ]
        events = client.get(started[0].json()["events_url"])
        assert events.headers["content-type"].startswith("text/event-stream")
        assert events_of(events.text)[0] == "progress" and events_of(events.text)[-1] == "done"
        states = [imported(client, each) for each in started]
        assert [each["state"] for each in states] == ["done", "done"]
        assert all(each["report"]["added"] == 1 for each in states)  # type: ignore[index]

        about = client.get("/v1/library").json()
        assert about["open"] and about["name"] == "library"
        until(lambda: client.get("/v1/library").json()["papers"] == 2)
        assert client.post("/v1/recommend", json=ASKED).json()["recommendations"]
        sample = client.post("/v1/imports", json={"sample": True})
        assert sample.status_code == 409 and sample.json()["code"] == "library_exists"
        assert client.get("/v1/imports/0123456789abcdef").status_code == 404
        assert client.get("/v1/imports/..%2f..%2fx/events").status_code == 404


def test_too_many_imports(tmp_path: Path) -> None:
    limits = Limits(jobs=0)
    with running(tmp_path / "l", tmp_path / "s", limits) as server, server.client() as client:
        answer = client.post("/v1/imports", files={"files": ("a.bib", BIB)})
        assert answer.status_code == 503 and answer.headers["retry-after"]
        assert not [*(tmp_path / "s" / "jobs").iterdir()]


@pytest.fixture
def golden(library: Path, tmp_path: Path) -> Iterator[Running]:
    with running(library, tmp_path / "state") as server:
        yield server


class Asking:
    """Clients that ask the same again and again, until they are stopped."""

    def __init__(self, server: Running, clients: int = 3) -> None:
        self.server, self.stopped = server, threading.Event()
        self.seen: Counter[tuple[int, int]] = Counter()
        self.threads = [threading.Thread(target=self._ask) for _ in range(clients)]

    def _ask(self) -> None:
        with self.server.client() as client:
            while not self.stopped.is_set():
                answer = client.post("/v1/recommend", json=ASKED)
                body = answer.json()
                generation = body["library"]["generation"] if answer.status_code == 200 else 0
                self.seen[answer.status_code, generation] += 1

    def __enter__(self) -> "Asking":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def test_new_generations_under_load(golden: Running) -> None:
    where = Path(golden.settings.library)
    with Asking(golden) as asking, golden.client() as client:
        until(lambda: asking.seen[200, 1] > 5)
        for generation in (2, 3, 4):
            added = Paper(f"new{generation}", f"New bees and clocks {generation}", year=2001)
            citewise.add([added], where)
            until(lambda wanted=generation: asking.seen[200, wanted] > 5)
        citewise.compact(where)
        until(lambda: asking.seen[200, 5] > 5)
        assert client.get("/v1/papers/new3").status_code == 200
        assert "\ncitewise_library_generation 5\n" in client.get("/metrics").text
    assert {status for status, _ in asking.seen} == {200}, "no request was dropped"


def test_what_was_just_written_is_counted(golden: Running) -> None:
    with golden.client() as client:
        before = client.get("/v1/library").json()
        for number in range(3):
            citewise.add([Paper(f"n{number}", f"New bees {number}")], golden.settings.library)
            about = client.get("/v1/library").json()
            assert about["generation"] == before["generation"] + number + 1
            assert about["papers"] == before["papers"] + number + 1


def test_a_model_that_was_trained_meanwhile_is_picked_up(golden: Running) -> None:
    with golden.client() as client:
        assert client.get("/v1/library").json()["models"] == []
        citewise.open(golden.settings.library).stores.models.save("anything", b"{}")
        until(lambda: client.get("/v1/library").json()["models"] == ["anything"])


def test_a_library_that_is_removed_and_comes_back(golden: Running) -> None:
    where = Path(golden.settings.library)
    with Asking(golden) as asking, golden.client() as client:
        until(lambda: asking.seen[200, 1] > 5)
        shutil.rmtree(where)
        until(lambda: asking.seen[409, 0] > 5)
        assert client.get("/v1/library").json()["open"] is False
        assert client.get("/readyz").json()["open"] is False
        citewise.add(GOLDEN, where)
        until(lambda: client.post("/v1/recommend", json=ASKED).status_code == 200)
    assert {status for status, _ in asking.seen} == {200, 409}


def test_a_library_that_cannot_be_read(library: Path, tmp_path: Path) -> None:
    (library / "manifest.json").write_text("nonsense")
    with running(library, tmp_path / "state") as server, server.client() as client:
        for path in ("/v1/library", "/readyz", "/v1/search?q=x"):
            answer = client.get(path)
            assert answer.status_code == 503 and answer.json()["code"] == "bad_library"
        assert client.get("/healthz").status_code == 200


def test_a_new_generation_that_cannot_be_read_leaves_the_old_one(golden: Running) -> None:
    with golden.client() as client:
        before = client.post("/v1/recommend", json=ASKED).text
        (Path(golden.settings.library) / "manifest.json").write_text("nonsense")
        for _ in range(5):
            assert client.post("/v1/recommend", json=ASKED).text == before


def test_systems_and_preferences(client: httpx.Client) -> None:
    found = client.get("/v1/systems").json()
    assert found["systems"] == [*systems.SYSTEMS]
    assert found["default"] == {"drafts": "best", "sentences": "evidence"}
    knobs = {each["name"]: (each["range"], each["default"]) for each in found["preferences"]}
    assert knobs == {
        knob.name: ([*knob.range] if knob.range else None, knob.default)
        for knob in preferences.KNOBS
    }
    assert found["limits"]["k"] == 1000


def test_what_the_library_holds(client: httpx.Client) -> None:
    about = client.get("/v1/library").json()
    assert about["papers"] == 239 == sum(about["years"].values())
    assert "retrieval" in about["topics"] and about["writable"]


def test_feedback(client: httpx.Client, data_home: Path) -> None:
    query = {"title": "Bees", "preferences": {"prefer_recent": 0.5}}
    accepted = {"paper": "devlin2019bert", "verdict": "accepted", "query": query, "rank": 3}
    assert client.post("/v1/feedback", json=accepted).status_code == 204
    rejected = {"paper": "vaswani2017attention", "verdict": "rejected", "query": None}
    assert client.post("/v1/feedback", json=rejected).status_code == 204

    found = client.get("/v1/feedback").json()
    assert [(each["paper"], each["verdict"]) for each in found["entries"]] == [
        ("devlin2019bert", "accepted"),
        ("vaswani2017attention", "rejected"),
    ]
    assert found["entries"][0]["query"]["title"] == "Bees"
    assert Path(found["file"]).is_relative_to(data_home)
    assert client.post("/v1/feedback", json={**accepted, "paper": "none"}).status_code == 404
    assert client.post("/v1/feedback", json={**accepted, "verdict": "x"}).status_code == 422

    assert client.delete("/v1/feedback").status_code == 204
    assert client.get("/v1/feedback").json()["entries"] == []
    assert not Path(found["file"]).exists()


def test_more_requests_than_a_server_takes(library: Path, tmp_path: Path) -> None:
    """Those that find no room get 503 at once, and the next is answered."""
    limits = Limits(threads=1, queue=0)
    with running(library, tmp_path / "state", limits) as server, server.client() as client:
        seen: Counter[int] = Counter()
        long = {"text": " ".join(f"Bees {number} dance.\n\n" for number in range(150))}

        def ask() -> None:
            with server.client() as other:
                answer = other.post("/v1/passage", json=long)
                seen[answer.status_code] += 1
                if answer.status_code == 503:
                    assert answer.json()["code"] == "overloaded"
                    assert answer.headers["retry-after"] == "1"

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen.keys() == {200, 503} and seen.total() == 8
        assert client.post("/v1/recommend", json=ASKED).status_code == 200


def test_an_answer_that_takes_too_long(library: Path, tmp_path: Path) -> None:
    limits = Limits(seconds=0.001)
    with running(library, tmp_path / "state", limits) as server, server.client() as client:
        answers = [client.post("/v1/recommend", json={**ASKED, "k": 1}) for _ in range(3)]
        found = next(each for each in answers if each.status_code == 503)
        assert found.json()["code"] == "timeout" and found.headers["retry-after"]


def test_readings_are_the_same_from_many_threads(client: httpx.Client, server: Running) -> None:
    """Answers do not depend on what else is being answered."""
    titles = ["neural ranking", "citation graphs", "language models", "question answering"]
    alone = {
        title: client.post("/v1/recommend", json={"title": title, "explain": True}).text
        for title in titles
    }
    wrong: list[str] = []

    def ask(title: str) -> None:
        with server.client() as other:
            for _ in range(5):
                found = other.post("/v1/recommend", json={"title": title, "explain": True}).text
                if found != alone[title]:
                    wrong.append(title)

    threads = [
        threading.Thread(target=ask, args=(title,)) for title in itertools.chain(titles, titles)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
