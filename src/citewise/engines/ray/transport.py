"""Calls to shards on the nodes of a cluster: one message a node, and another replica on failure.

Ray says where nodes are; questions and answers travel on connections of our own.
"""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citewise import errors
from citewise.engines.ray.directory import ClusterState
from citewise.engines.ray.node_connections import NodeConnections
from citewise.engines.ray.shard_node import Failure, Question
from citewise.engines.ray.sockets import Connection, ready
from citewise.engines.ray.usual_time import UsualTime
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards.transport import Call
from citewise.errors import CitewiseError, Unavailable

_SUSPECTED_SECONDS = 5.0
"""A node that failed is asked last for this long."""

_PAUSE = 0.25

_READING = 1.0
"""Seconds to read an answer that has come after its time."""

_DIRECTORY_SECONDS = 5.0
"""Time that the directory may take for an answer."""


@dataclass(slots=True)
class Traffic:
    """What a client has sent and got."""

    trips: int = 0
    """Times that it waited for shards."""
    messages: int = 0
    """Messages, one a node."""
    sent: int = 0
    received: int = 0
    """Bytes."""
    retries: int = 0
    """Messages that were sent again, to another replica."""
    hedged: int = 0
    """Nodes that were not waited for any longer, as they took unusually long."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A message that a node was sent: for the calls at some positions."""

    positions: list[int]
    connection: Connection
    seconds: float
    """How long its answer is waited for, and until when."""
    until: float


class RayTransport:
    """`Transport` to the nodes of a cluster; threads may share it."""

    def __init__(
        self,
        ray: Any,
        directory: Any,
        state: ClusterState,
        timeout: float = 30.0,
        patience: float = 20.0,
    ) -> None:
        """`timeout` is how many seconds a node may take for an answer, `patience` after how many a
        shard that no replica answers for is given up.
        """
        self._ray, self._directory, self._timeout = ray, directory, timeout
        self._generation, self._version = state.generation, state.version
        self._placement, self._nodes = state.placement, NodeConnections(ray)
        self._nodes.learn(state)
        self._suspected: dict[str, float] = {}
        self._looking = threading.Lock()
        self._usual = UsualTime()
        self.patience, self.traffic = patience, Traffic()

    def ask(self, calls: Sequence[Call], patience: float | None = None) -> list[Any]:
        """Return the answer to each call; where no replica of a shard answers, raise an error."""
        self.traffic.trips += 1
        answers: dict[int, Any] = {}
        tried: dict[int, dict[str, str]] = {position: {} for position in range(len(calls))}
        until = time.monotonic() + (self.patience if patience is None else patience)

        while len(answers) < len(calls):
            open_ones = [position for position in tried if position not in answers]
            by_node = self._by_node(calls, open_ones, tried)
            if not by_node:
                placed = self._placement
                with contextlib.suppress(Unavailable):  # the directory may be starting again
                    self._look_again()
                if time.monotonic() > until and placed == self._placement:
                    raise self._without_replica(calls, open_ones, tried)
                time.sleep(_PAUSE)
                tried |= {position: {} for position in open_ones}
                continue
            self._round(calls, by_node, answers, tried)

        return [answers[position] for position in range(len(calls))]

    def _round(
        self,
        calls: Sequence[Call],
        by_node: dict[str, list[int]],
        answers: dict[int, Any],
        tried: dict[int, dict[str, str]],
    ) -> None:
        """Send one message to each node; note the answers, and what went wrong."""
        begun, sent = time.monotonic(), dict[str, _Sent]()
        for node, positions in by_node.items():
            asked = [calls[position] for position in positions]
            seconds = self._seconds(node, [each.shard for each in asked], tried)
            self.traffic.retries += any(tried[position] for position in positions)
            try:
                connection = self._send(node, asked, time.monotonic() + seconds)
            except OSError as error:
                self._lost(node, positions, tried, error)
            else:
                sent[node] = _Sent(positions, connection, seconds, time.monotonic() + seconds)

        try:
            for node, content in self._received(sent, tried):
                for position, answer in zip(by_node[node], unpacked(content), strict=True):
                    self._note(node, position, answer, answers, tried)
            if not (sent or any(tried.values())):
                self._usual.add(time.monotonic() - begun)
            for node, each in sent.items():
                self.traffic.hedged += each.seconds < self._timeout
                self._suspect(node, each.positions, tried, f"no answer in {each.seconds:.1f} s")
        finally:  # an answer that comes later would be taken for another one
            for each in sent.values():
                each.connection.close()

    def _seconds(self, node: str, shards: Iterable[int], tried: dict[int, dict[str, str]]) -> float:
        """Return how long to wait for a node: where others may do better, no longer than usual."""
        return self._usual.longest if self._can_ask_others(node, shards, tried) else self._timeout

    def _send(self, node: str, calls: Sequence[Call], until: float) -> Connection:
        """Send a node some calls; return the connection on which its answer comes."""
        content = packed([tuple(call) for call in calls])
        question = Question(self._version, self._generation, len(calls), content).encoded()
        self.traffic.messages += 1
        self.traffic.sent += len(question)

        connection = self._nodes.connection(node, until)
        try:
            connection.send(question, until)
        except OSError:
            connection.close()
            raise
        return connection

    def _received(
        self, sent: dict[str, _Sent], tried: dict[int, dict[str, str]]
    ) -> Iterator[tuple[str, bytearray]]:
        """Yield what nodes answer, as it comes, and take these nodes out of `sent`, and those that
        fail.
        """
        opened = {node: (each.connection, each.until) for node, each in sent.items()}
        for node in ready(opened):
            each = sent.pop(node)
            try:
                # what has come is read, even where another node took all of the time
                content = each.connection.receive(max(each.until, time.monotonic() + _READING))
            except OSError as error:
                each.connection.close()
                self._lost(node, each.positions, tried, error)
            else:
                self._nodes.give_back(node, each.connection)
                self.traffic.received += len(content)
                yield node, content

    def _can_ask_others(
        self, node: str, shards: Iterable[int], tried: dict[int, dict[str, str]]
    ) -> bool:
        """Return whether other nodes have all of these shards, and none of them failed lately."""
        now, failed = time.monotonic(), {each for nodes in tried.values() for each in nodes}
        return all(
            any(
                other != node and other not in failed and self._suspected.get(other, 0.0) <= now
                for other in self._placement.get(shard, ())
            )
            for shard in shards
        )

    @staticmethod
    def _note(
        node: str,
        position: int,
        answer: Any,
        answers: dict[int, Any],
        tried: dict[int, dict[str, str]],
    ) -> None:
        if not isinstance(answer, Failure):
            answers[position] = answer
        elif answer.elsewhere:
            tried[position][node] = answer.message
        else:
            raise _error(answer)

    def _by_node(
        self, calls: Sequence[Call], positions: Iterable[int], tried: dict[int, dict[str, str]]
    ) -> dict[str, list[int]]:
        """Return which calls go to which node: the first replica that was not tried, those under
        suspicion last. A call for which none is left is left out; {} where any is.
        """
        now, chosen = time.monotonic(), dict[str, list[int]]()
        for position in positions:
            owners = [
                node
                for node in self._placement.get(calls[position].shard, ())
                if node not in tried[position]
            ]
            if not owners:
                return {}
            node = min(owners, key=lambda each: self._suspected.get(each, 0.0) > now)
            chosen.setdefault(node, []).append(position)
        return chosen

    def _lost(
        self, node: str, positions: list[int], tried: dict[int, dict[str, str]], error: OSError
    ) -> None:
        """Suspect a node whose connection failed: it may be away, or listen elsewhere now."""
        self._suspect(node, positions, tried, error.strerror or str(error))
        self._nodes.find_again(node)

    def _suspect(
        self, node: str, positions: list[int], tried: dict[int, dict[str, str]], why: str
    ) -> None:
        self._suspected[node] = time.monotonic() + _SUSPECTED_SECONDS
        for position in positions:
            tried[position][node] = why

    def newest_generation(self) -> int:
        """Return the generation that the cluster serves now."""
        return self._look_again().generation

    def _look_again(self) -> ClusterState:
        """Ask the directory where shards are now."""
        with self._looking:
            try:
                state: ClusterState = self._ray.get(
                    self._directory.state.remote(), timeout=_DIRECTORY_SECONDS
                )
            except self._ray.exceptions.RayError as error:
                raise Unavailable(
                    f"the cluster's directory does not answer ({type(error).__name__}); see: "
                    "citewise cluster status"
                ) from None
            self._nodes.learn(state)
            if state.generation == self._generation:
                # a directory that has just started does not know the nodes yet
                known = {shard: owners for shard, owners in state.placement.items() if owners}
                self._placement = {**self._placement, **known}
            return state

    def _without_replica(
        self, calls: Sequence[Call], positions: list[int], tried: dict[int, dict[str, str]]
    ) -> Unavailable:
        """Return the error that names the shards that nobody answers for."""
        missing = sorted(
            {
                calls[position].shard
                for position in positions
                if not set(self._placement.get(calls[position].shard, ())) - set(tried[position])
            }
        )
        reasons = {
            f"{node}: {why}" for position in positions for node, why in tried[position].items()
        }
        why = "; ".join(sorted(reasons)) or "no node has a replica"
        return Unavailable(
            f"no replica of shard {', '.join(map(str, missing))} of generation {self._generation} "
            f"answers ({why}); an answer without it would not be complete. See which nodes live "
            "with: citewise cluster status"
        )


def _error(failure: Failure) -> CitewiseError:
    """Return the error that a shard raised."""
    kinds = {
        each.code: each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, CitewiseError)
    }
    kind = kinds.get(failure.code, CitewiseError)
    return (
        kind(failure.message) if kind is not errors.MissingExtra else CitewiseError(failure.message)
    )
