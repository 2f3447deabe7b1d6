"""Who is asked, and who instead, where nodes fail or are late: nodes are listeners in this process,
and Ray is replaced by a few lines.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.placement import Placement
from citewise.engines.ray.shard_node import NodeState, Question
from citewise.engines.ray.sockets import Endpoint, Listener
from citewise.engines.ray.transport import RayTransport
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards.transport import Call
from citewise.errors import Unavailable

pytestmark = pytest.mark.slow

PLACEMENT: Placement = {0: ["a", "b"], 1: ["b", "c"]}


class RayError(Exception): ...


class Nodes:
    """Nodes that answer each call with their name; some are late, some are dead. Also what a client
    needs of Ray, and a directory, which may be silent.
    """

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, late: Sequence[str] = (), dead: Sequence[str] = ()) -> None:
        self.late, self.asked = {*late}, list[str]()
        self.go_on = threading.Event()
        self.placement: Placement | None = None
        self.listeners = {name: self.listening(name) for name in "abcd"}
        self.endpoints = {name: each.endpoint for name, each in self.listeners.items()}
        for name in dead:
            self.listeners[name].close()

    def listening(self, name: str) -> Listener:
        def answer(content: bytes) -> bytes:
            self.asked.append(name)
            if name in self.late:
                self.go_on.wait(20)
            return packed([name] * len(unpacked(Question.decoded(content).calls)))

        return Listener("127.0.0.1", answer)

    def restart(self, name: str) -> None:
        """Let a node listen at another port."""
        self.listeners[name].close()
        self.listeners[name] = self.listening(name)

    def close(self) -> None:
        self.go_on.set()
        for each in self.listeners.values():
            each.close()

    @property
    def directory(self) -> Any:
        return SimpleNamespace(state=SimpleNamespace(remote=self.said))

    def said(self) -> ClusterState:
        if self.placement is None:
            raise Unavailable("it starts again")
        return self.state(self.placement)

    def state(self, placement: Placement) -> ClusterState:
        named = {
            name: NodeState("1", "", 1, {}, 1, endpoint)
            for name, endpoint in self.endpoints.items()
        }
        return ClusterState("1", "", 1, 2, 2, placement, {**named, "away": None}, [], {})

    def get_actor(self, name: str, namespace: str) -> Any:
        listener = self.listeners[name]
        return SimpleNamespace(endpoint=SimpleNamespace(remote=lambda: listener.endpoint))

    def get(self, wanted: Any, timeout: float) -> Any:
        return wanted

    def transport(self, timeout: float = 30.0, patience: float = 0.0) -> RayTransport:
        return RayTransport(self, self.directory, self.state(PLACEMENT), timeout, patience)


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Nodes]:
    """Nodes; parameters say who is late and who is dead."""
    nodes = Nodes(**getattr(request, "param", {}))
    yield nodes
    nodes.close()


def having(late: str = "", dead: str = "") -> pytest.MarkDecorator:
    return pytest.mark.parametrize("cluster", [{"late": late, "dead": dead}], indirect=True)


CALLS = [Call(0, "titles", ()), Call(1, "titles", ())]


def test_first_choices_answer(cluster: Nodes) -> None:
    assert cluster.transport().ask(CALLS) == ["a", "b"] and {*cluster.asked} == {"a", "b"}


@having(late="a")
def test_a_late_node_is_left_for_another_one_and_asked_last_afterwards(cluster: Nodes) -> None:
    asking, begun = cluster.transport(), time.monotonic()
    assert asking.ask(CALLS) == ["b", "b"]
    assert time.monotonic() - begun < 10, "it is not waited for as long as it may take"
    assert asking.traffic.hedged == 1 and asking.traffic.retries == 1

    cluster.asked.clear()
    assert asking.ask(CALLS) == ["b", "b"] and cluster.asked == ["b"]


@having(late="a")
def test_an_answer_that_comes_too_late_is_not_taken_for_another_one(cluster: Nodes) -> None:
    asking = cluster.transport()
    assert asking.ask(CALLS[:1]) == ["b"]
    cluster.go_on.set()
    cluster.late = set()
    assert asking.ask([CALLS[1], CALLS[1], CALLS[0]]) == ["b", "b", "b"]


def test_a_machine_that_takes_no_connection_costs_little(cluster: Nodes) -> None:
    """As one without power: its packets are lost, and nothing says so. Others have its shards."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as silent,
        contextlib.ExitStack() as full,
    ):
        silent.setblocking(False)
        for _ in range(4):  # its queue is full now, and connections wait without an answer
            waiting = full.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(silent.getsockname())
        cluster.endpoints["b"] = Endpoint("127.0.0.1", silent.getsockname()[1], b"")
        asking, begun = cluster.transport(), time.monotonic()
        assert asking.ask(CALLS) == ["a", "c"]
        assert asking.ask(CALLS) == ["a", "c"] and time.monotonic() - begun < 10


@having(dead="ab")
def test_a_last_look_finds_where_shards_are_now(cluster: Nodes) -> None:
    asking = cluster.transport(patience=0.0)
    cluster.placement = {0: ["d"], 1: ["b", "c"]}
    assert asking.ask(CALLS) == ["d", "c"]


def test_a_forked_process_has_connections_of_its_own(cluster: Nodes) -> None:
    """On shared ones, each would read answers to the other's questions."""
    asking = cluster.transport()
    asking.ask(CALLS)
    before = [each for some in asking._nodes._free.values() for each in some]

    asking._nodes._process = -1  # as after a fork
    assert asking.ask(CALLS) == ["a", "b"]
    after = [each for some in asking._nodes._free.values() for each in some]
    assert len(after) == len(before) == 2 and not {*map(id, before)} & {*map(id, after)}


@having(late="a", dead="b")
def test_a_late_node_is_waited_for_where_nobody_else_can_answer(cluster: Nodes) -> None:
    with pytest.raises(Unavailable, match=r"no replica of shard 0 .*a: no answer in"):
        cluster.transport().ask(CALLS[:1])
    asking = cluster.transport(timeout=20.0)
    asking._suspected["b"] = time.monotonic() + 60
    threading.Timer(3.0, cluster.go_on.set).start()
    assert asking.ask(CALLS[:1]) == ["a"], "three seconds are not usual, and the only one has them"


@having(dead="b")
def test_a_dead_node_is_not_missed(cluster: Nodes) -> None:
    asking = cluster.transport()
    assert asking.ask(CALLS) == ["a", "c"]
    assert asking.traffic.hedged == 0 and asking.traffic.retries == 1


def test_a_node_that_was_started_again_is_found(cluster: Nodes) -> None:
    """Though nobody but the node itself says where it listens now."""
    asking = cluster.transport(patience=10.0)
    assert asking.ask(CALLS) == ["a", "b"]
    cluster.restart("a")
    cluster.restart("b")
    assert asking.ask(CALLS)[1] in "bc"
    asking._suspected.clear()
    assert asking.ask(CALLS) == ["a", "b"]


@having(dead="abcd")
def test_a_directory_that_starts_again_does_not_hide_what_is_missing(cluster: Nodes) -> None:
    asking = cluster.transport(patience=0.4)
    with pytest.raises(Unavailable, match="no replica of shard 0, 1 of generation 1 answers"):
        asking.ask(CALLS)


@having(dead="ab")
def test_nodes_that_the_directory_names_are_asked(cluster: Nodes) -> None:
    cluster.placement = {0: ["d", "b"], 1: ["b", "c"]}
    assert cluster.transport(patience=5.0).ask(CALLS) == ["d", "c"]


def test_a_directory_that_knows_no_node_yet_is_not_believed(cluster: Nodes) -> None:
    cluster.placement = {0: [], 1: []}
    asking = cluster.transport()
    assert asking.newest_generation() == 1
    assert asking.ask(CALLS) == ["a", "b"]


def test_threads_have_connections_of_their_own(cluster: Nodes) -> None:
    """Answers to many questions at once go to those who asked."""
    asking, wrong = cluster.transport(), list[object]()

    def ask(call: Call, expected: str) -> None:
        for _ in range(200):
            if asking.ask([call] * 3) != [expected] * 3:
                wrong.append(call)

    threads = [
        threading.Thread(target=ask, args=(CALLS[number % 2], "ab"[number % 2]))
        for number in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == [] and asking.traffic.retries == 0


def test_a_wrong_key_is_not_answered(cluster: Nodes) -> None:
    real = cluster.endpoints["a"]
    cluster.endpoints["a"] = Endpoint(real.host, real.port, b"0" * 32)
    cluster.endpoints["b"] = Endpoint(real.host, real.port, b"0" * 32)
    with pytest.raises(Unavailable, match="no replica of shard 0"):
        cluster.transport().ask(CALLS[:1])
    assert cluster.asked == []
