"""Who is asked, and who instead, where nodes fail or are late; Ray is replaced by a few lines."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.placement import Placement
from citewise.engines.ray.transport import RayTransport
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards.transport import Call
from citewise.errors import Unavailable

pytestmark = pytest.mark.slow

STATE = ClusterState("1", "", 1, 2, 2, {0: ["a", "b"], 1: ["b", "c"]}, {}, [], {})


class RayError(Exception): ...


class GetTimeoutError(RayError): ...


class Ray:
    """Nodes that answer each call with their name; some are late, some are dead."""

    exceptions = SimpleNamespace(RayError=RayError, GetTimeoutError=GetTimeoutError)

    def __init__(self, late: Sequence[str] = (), dead: Sequence[str] = ()) -> None:
        self.late, self.dead = {*late}, {*dead}
        self.asked: list[str] = []
        self.waited: list[float] = []

    def get_actor(self, name: str, namespace: str) -> Any:
        def ask(generation: int, version: str, message: bytes) -> tuple[str, int]:
            self.asked.append(name)
            return name, len(unpacked(message))

        return SimpleNamespace(ask=SimpleNamespace(remote=ask))

    def get(self, wanted: Any, timeout: float) -> Any:
        if isinstance(wanted, list):
            return [self.get(each, timeout) for each in wanted]
        if isinstance(wanted, ClusterState):
            return wanted
        name, count = wanted
        if name in self.late:
            self.waited.append(timeout)
            raise GetTimeoutError
        if name in self.dead:
            raise RayError
        return packed([name] * count)


class Silent:
    """A directory that does not answer."""

    @property
    def state(self) -> Any:
        raise Unavailable("it starts again")


class Directory:
    """A directory that says where shards are."""

    def __init__(self, placement: Placement) -> None:
        said = STATE._replace(placement=placement)
        self.state = SimpleNamespace(remote=lambda: said)


def transport(ray: Ray, directory: Any = None) -> RayTransport:
    return RayTransport(ray, directory or Silent(), STATE, timeout=30.0, patience=0.0)


CALLS = [Call(0, "titles", ()), Call(1, "titles", ())]


def test_first_choices_answer() -> None:
    ray = Ray()
    assert transport(ray).ask(CALLS) == ["a", "b"] and ray.asked == ["a", "b"]


def test_a_late_node_is_left_for_another_one_and_asked_last_afterwards() -> None:
    ray = Ray(late="a")
    asking = transport(ray)
    assert asking.ask(CALLS) == ["b", "b"]
    assert max(ray.waited) <= 2.0, "it is not waited for as long as it may take"
    assert asking.traffic.hedged == 1 and asking.traffic.retries == 1

    ray.asked.clear()
    assert asking.ask(CALLS) == ["b", "b"] and ray.asked == ["b"]


def test_a_late_node_is_waited_for_where_nobody_else_can_answer() -> None:
    ray = Ray(late="a", dead="b")
    with pytest.raises(Unavailable, match=r"no replica of shard 0 .*a: no answer in"):
        transport(ray).ask(CALLS[:1])
    ray = Ray(late="ab")
    with pytest.raises(Unavailable, match="no replica of shard 0"):
        transport(ray).ask(CALLS[:1])
    assert max(ray.waited) > 25.0, "the last one may take its time"


def test_a_dead_node_is_not_missed() -> None:
    asking = transport(Ray(dead="b"))
    assert asking.ask(CALLS) == ["a", "c"]
    assert asking.traffic.hedged == 0 and asking.traffic.retries == 1


def test_a_directory_that_starts_again_does_not_hide_what_is_missing() -> None:
    asking = transport(Ray(dead="abc"))
    asking.patience = 0.4
    with pytest.raises(Unavailable, match="no replica of shard 0, 1 of generation 1 answers"):
        asking.ask(CALLS)


def test_nodes_that_the_directory_names_are_asked() -> None:
    asking = transport(Ray(dead="ab"), Directory({0: ["d", "b"], 1: ["b", "c"]}))
    asking.patience = 5.0
    assert asking.ask(CALLS) == ["d", "c"]


def test_a_directory_that_knows_no_node_yet_is_not_believed() -> None:
    asking = transport(Ray(), Directory({0: [], 1: []}))
    assert asking.newest_generation() == 1
    assert asking.ask(CALLS) == ["a", "b"]
