"""The actor that knows a cluster: which nodes live, which shards they have, which generation is
current.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from citewise.engines.ray.connection import NAMESPACE, ray_module
from citewise.engines.ray.placement import Placement, placed
from citewise.engines.ray.shard_node import NodeState, ShardNode
from citewise.engines.shards import generations
from citewise.engines.shards import manifest as manifests
from citewise.engines.version import installed_version
from citewise.errors import CitewiseError, Unavailable

CHECK_SECONDS = 2.0
"""Time between two looks at the nodes."""

_PATIENCE = 10.0
"""Seconds that a node may take to say that it lives: on a busy machine, some do."""

_OPENING_SECONDS = 600.0
_THREADS = 8
"""Messages that a node answers at once."""

_FILES_SECONDS = 30.0
"""Time between two looks at the files."""

_SHORTEST_REST, _LONGEST_REST = 4.0, 300.0
"""Seconds before a service that has ended at once is started again; each time twice as many."""


class Service(NamedTuple):
    """A further actor on every machine, such as one that answers by HTTP."""

    kind: type
    """Its class. It has methods: `state`, which returns in words where it is, and `close`, which is
    called before its process is ended.
    """
    arguments: tuple[Any, ...] = ()


class ClusterState(NamedTuple):
    """What clients have to know."""

    version: str
    folder: str
    generation: int
    shards: int
    replicas: int
    placement: Placement
    nodes: dict[str, NodeState | None]
    """By the actors' names; None for a node that does not answer."""
    problems: list[str]
    """What is wrong, in words."""
    services: dict[str, str]
    """What the actors of a service say of themselves, by their names."""
    has_service: bool = False


class _Ended(NamedTuple):
    """A service's actor that could not start: why, and when it is tried again."""

    why: str
    rest: float
    until: float


class Directory:
    """Keeps a shard node on every machine of the cluster, and a placement of the shards on them."""

    def __init__(
        self,
        name: str,
        folder: str,
        replicas: int,
        version: str = "",
        service: Service | None = None,
    ) -> None:
        """`name` is the library's in the cluster, `folder` where every node finds the shards;
        `service` runs on every node as well.
        """
        self._service, self._serving = service, dict[str, Any]()
        self._services: dict[str, str] = {}
        self._ended: dict[str, _Ended] = {}
        self._ray, self._name, self._folder = ray_module(), name, folder
        self._replicas, self._version = replicas, version or installed_version()
        manifest = manifests.load(Path(folder))
        self._generation, self._shards = manifest.generation, len(manifest.shards)
        self._handles: dict[str, Any] = {}
        self._states: dict[str, NodeState | None] = {}
        self._placement: Placement = {}
        self._problems: list[str] = []
        self._most_living, self._looked, self._damaged = 0, -_FILES_SECONDS, list[str]()
        self._serves(self._generation)
        self._changing = threading.RLock()
        threading.Thread(target=self._watch, daemon=True).start()

    def state(self) -> ClusterState:
        """Return the cluster as it was at the last look at its nodes."""
        return ClusterState(
            self._version,
            self._folder,
            self._generation,
            self._shards,
            self._replicas,
            dict(self._placement),
            dict(self._states),
            list(self._problems),
            dict(self._services),
            self._service is not None,
        )

    def check(self) -> ClusterState:
        """Look at all nodes now: start what is missing, and place the shards of lost nodes."""
        with self._changing:
            self._start_missing()
            self._states = self._asked()
            living = [name for name, state in self._states.items() if state is not None]
            wanted = placed(self._shards, self._replicas, living, self._placement)
            self._problems = self._prepare(wanted, self._generation)
            self._problems += [*self._missing(wanted), *self._damages()]
            # nodes that are too busy to say that they live may answer clients all the same
            self._placement = {
                shard: owners or self._placement.get(shard, []) for shard, owners in wanted.items()
            }
            self._services = self._served()
        return self.state()

    def switch(self) -> ClusterState:
        """Make the newest generation of the folder current, once every replica has opened it; those
        who read the one before can go on.
        """
        with self._changing:
            manifest = manifests.load(Path(self._folder))
            wanted = placed(len(manifest.shards), self._replicas, [*self._living()], {})
            problems = self._prepare(wanted, manifest.generation)
            if problems:
                raise Unavailable(
                    f"generation {manifest.generation} cannot be served, and the cluster stays at "
                    f"{self._generation}: {'; '.join(problems[:3])}"
                )
            before = self._generation
            self._generation, self._shards = manifest.generation, len(manifest.shards)
            self._placement, self._looked = wanted, -_FILES_SECONDS
            self._serves(self._generation, before)
            for handle in self._living().values():
                handle.retire.remote(before)
            self._states = self._asked()
        return self.state()

    def _serves(self, *numbers: int) -> None:
        """Note in the folder which generations are read, so that they are not removed when others
        are cut; where it may only be read, nothing is noted.
        """
        with contextlib.suppress(OSError):
            generations.note_served(Path(self._folder), self._served_as(), numbers)

    def _served_as(self) -> str:
        return f"{self._ray.get_runtime_context().gcs_address}-{self._name}"

    def stop(self) -> None:
        """End all nodes' actors."""
        with self._changing:
            with contextlib.suppress(OSError):
                generations.note_served(Path(self._folder), self._served_as(), ())
            closed = [each.close.remote() for each in self._serving.values()]
            if closed:
                self._ray.wait(closed, num_returns=len(closed), timeout=_PATIENCE)
            for handle in (*self._serving.values(), *self._handles.values()):
                self._ray.kill(handle, no_restart=True)

    def _watch(self) -> None:
        waiting = threading.Event()
        while True:
            with contextlib.suppress(Exception):  # the next look may go better
                self.check()
            waiting.wait(CHECK_SECONDS)

    def _living(self) -> dict[str, Any]:
        return {name: handle for name, handle in self._handles.items() if self._states.get(name)}

    def _start_missing(self) -> None:
        """Start a shard node on every living machine that has none, and a service where there is
        one; forget those of lost machines.
        """
        machines = {
            each["NodeID"][:12]: each["NodeID"] for each in self._ray.nodes() if each["Alive"]
        }
        nodes = {f"{self._name}-{short}": machine for short, machine in machines.items()}
        self._keep(self._handles, nodes, ShardNode, (self._folder, self._version))
        if self._service is not None:
            now = time.monotonic()
            named = {
                name: machine
                for short, machine in machines.items()
                for name in [f"{self._name}-service-{short}"]
                if name not in self._ended or self._ended[name].until <= now
            }
            self._keep(self._serving, named, *self._service)

    def _keep(
        self,
        handles: dict[str, Any],
        machines: dict[str, str],
        kind: type,
        arguments: tuple[Any, ...],
    ) -> None:
        """Keep one actor on each machine, by name."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        for name in [name for name in handles if name not in machines]:
            del handles[name]
        for name, machine in machines.items():
            if name not in handles:
                handles[name] = (
                    self._ray.remote(kind)
                    .options(
                        name=name,
                        namespace=NAMESPACE,
                        lifetime="detached",
                        get_if_exists=True,
                        num_cpus=0,
                        max_restarts=-1,
                        max_concurrency=_THREADS,
                        scheduling_strategy=NodeAffinitySchedulingStrategy(machine, soft=False),
                    )
                    .remote(*arguments)
                )

    def _served(self) -> dict[str, str]:
        """Return what the service's actors say of themselves; who has ended is started again, but
        one that cannot start rests, longer each time.
        """
        asked = {name: handle.state.remote() for name, handle in self._serving.items()}
        if asked:
            self._ray.wait([*asked.values()], num_returns=len(asked), timeout=_PATIENCE)

        states = {}
        for name, reference in asked.items():
            try:
                states[name] = str(self._ray.get(reference, timeout=0.1))
                self._ended.pop(name, None)
            except self._ray.exceptions.ActorDiedError as error:
                del self._serving[name]
                rest = self._ended[name].rest if name in self._ended else _SHORTEST_REST / 2
                rest = min(2 * rest, _LONGEST_REST)
                why = str(error).strip().splitlines()[-1]
                self._ended[name] = _Ended(why, rest, time.monotonic() + rest)
            except self._ray.exceptions.RayError as error:
                self._problems.append(f"{name}: does not answer ({type(error).__name__})")
        living = {node.removeprefix(f"{self._name}-") for node in self._handles}
        self._ended = {
            name: each
            for name, each in self._ended.items()
            if name.removeprefix(f"{self._name}-service-") in living
        }
        self._problems += [f"{name}: ended ({each.why})" for name, each in self._ended.items()]
        return states

    def _missing(self, placement: Placement) -> Iterator[str]:
        """Yield which nodes say nothing, and which shards have fewer replicas than they had."""
        living = [name for name, state in self._states.items() if state is not None]
        yield from (f"{name}: does not answer" for name in self._states if name not in living)
        self._most_living = max(self._most_living, len(living))
        wanted = min(self._replicas, self._most_living)
        for shard, owners in placement.items():
            if 0 < len(owners) < wanted:
                yield f"shard {shard} has {len(owners)} of {wanted} replicas: too few nodes live"

    def _damages(self) -> list[str]:
        """Return which files of the generation are not there as they were written, by their sizes;
        looked at now and then while nothing is wrong.
        """
        if self._damaged or time.monotonic() - self._looked >= _FILES_SECONDS:
            self._looked = time.monotonic()
            try:
                self._damaged = manifests.damages(Path(self._folder), self._generation)
            except (CitewiseError, OSError) as error:  # the manifest itself is lost
                self._damaged = [str(error)]
        return self._damaged

    def _asked(self) -> dict[str, NodeState | None]:
        """Return what each node says of itself, None for those that say nothing in time."""
        asked = {name: handle.state.remote() for name, handle in self._handles.items()}
        if not asked:
            return {}
        self._ray.wait([*asked.values()], num_returns=len(asked), timeout=_PATIENCE)
        return {name: self._state(reference) for name, reference in asked.items()}

    def _state(self, reference: Any) -> NodeState | None:
        try:
            state: NodeState = self._ray.get(reference, timeout=0.1)
        except self._ray.exceptions.RayError:
            return None
        return state

    def _prepare(self, placement: Placement, generation: int) -> list[str]:
        """Let nodes open their shards of a generation; return what goes wrong."""
        asked = {}
        for name, handle in self._living().items():
            state = self._states[name]
            open_ones = state.generations.get(generation, []) if state else []
            missing = [
                shard
                for shard, owners in placement.items()
                if name in owners and shard not in open_ones
            ]
            if missing:
                asked[name] = handle.prepare.remote(generation, missing)

        problems = [
            f"shard {shard} has no replica" for shard, owners in placement.items() if not owners
        ]
        for name, reference in asked.items():
            try:
                found = self._ray.get(reference, timeout=_OPENING_SECONDS)
                problems += [f"{name}: {problem}" for problem in found.values()]
            except self._ray.exceptions.RayError as error:
                problems.append(f"{name}: {type(error).__name__} while it opened its shards")
        return problems
