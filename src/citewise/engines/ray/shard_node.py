"""The actor of one machine: it opens shards and answers for them."""

import logging
import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from citewise.engines.ray.connection import ray_module
from citewise.engines.ray.sockets import Endpoint, Listener
from citewise.engines.ray.wire import packed, unpacked
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.shard import Shard
from citewise.engines.shards.transport import Call
from citewise.engines.version import installed_version
from citewise.errors import CitewiseError, Unavailable
from citewise.library.process_memory import keep_freed_memory

log = logging.getLogger("citewise.cluster")


class Failure(NamedTuple):
    """Why a call was not answered."""

    code: str
    """Of the error, as in `citewise.errors`."""
    message: str
    elsewhere: bool
    """Whether another replica may do better."""


class NodeState(NamedTuple):
    """What a node says of itself."""

    version: str
    host: str
    process: int
    generations: dict[int, list[int]]
    """The shards that are open, by generation."""
    memory: int
    """Resident bytes, mapped files included."""
    endpoint: Endpoint
    """Where it answers questions."""


class Question(NamedTuple):
    """What a client sends: calls for shards that the node has, as bytes."""

    version: str
    """Of the client's citewise."""
    generation: int
    size: int
    """The number of calls: a node of another version cannot read these."""
    calls: bytes

    def encoded(self) -> bytes:
        """Return the question as bytes."""
        return b"%s %d %d %s" % (self.version.encode(), self.generation, self.size, self.calls)

    @classmethod
    def decoded(cls, content: bytes) -> "Question":
        """Return the question that some bytes are."""
        version, generation, size, calls = content.split(b" ", 3)
        return cls(version.decode(), int(generation), int(size), calls)


class ShardNode:
    """Answers for the shards of one machine; a generation is opened when it is first asked for."""

    def __init__(self, folder: str, version: str = "") -> None:
        """`version` replaces that of the installed citewise."""
        keep_freed_memory()
        self._folder, self._version = Path(folder), version or installed_version()
        self._shards: dict[tuple[int, int], Shard] = {}
        self._manifests: dict[int, manifests.ShardsManifest] = {}
        self._opening = threading.Lock()
        self._listener = Listener(ray_module().util.get_node_ip_address(), self._answered)

    def endpoint(self) -> Endpoint:
        """Return where clients ask."""
        return self._listener.endpoint

    def state(self) -> NodeState:
        """Return what is open here; also the answer that says that the node lives."""
        generations: dict[int, list[int]] = {}
        for generation, shard in sorted(self._shards):
            generations.setdefault(generation, []).append(shard)
        return NodeState(
            self._version,
            socket.gethostname(),
            os.getpid(),
            generations,
            _resident(),
            self.endpoint(),
        )

    def prepare(self, generation: int, shards: Sequence[int]) -> dict[int, str]:
        """Open shards; return what is wrong with those that cannot be opened."""
        problems = {}
        for shard in shards:
            try:
                self._shard(generation, shard)
            except CitewiseError as error:
                problems[shard] = str(error)
        return problems

    def retire(self, oldest: int) -> None:
        """Close the generations before one."""
        with self._opening:
            for generation, shard in [*self._shards]:
                if generation < oldest:
                    del self._shards[generation, shard]

    def _answered(self, content: bytes) -> bytes:
        """Return the answers to the calls of a question: a value or a `Failure` each."""
        version, generation, size, calls = Question.decoded(content)
        if version != self._version:
            failure = Failure(
                Unavailable.code,
                f"a node of the cluster runs citewise {self._version}, and this client is "
                f"{version}; install the same version on both",
                False,
            )
            return packed([failure] * size)
        return packed([self._answer(generation, Call(*call)) for call in unpacked(calls)])

    def _answer(self, generation: int, call: Call) -> Any:
        try:
            shard = self._shard(generation, call.shard)
        except CitewiseError as error:  # a file that is lost here may be whole elsewhere
            return Failure(error.code, str(error), True)
        except Exception as error:
            return _unexpected(call, error)
        try:
            return getattr(shard, call.method)(*call.arguments)
        except CitewiseError as error:
            return Failure(error.code, str(error), False)
        except Exception as error:
            return _unexpected(call, error)

    def _shard(self, generation: int, shard: int) -> Shard:
        opened = self._shards.get((generation, shard))
        if opened is not None:  # questions do not wait while another shard is opened
            return opened
        with self._opening:
            if (generation, shard) not in self._shards:
                if generation not in self._manifests:
                    self._manifests[generation] = manifests.load(self._folder, generation)
                manifest = self._manifests[generation]
                self._shards[generation, shard] = Shard(self._folder, manifest, shard)
            return self._shards[generation, shard]


def _unexpected(call: Call, error: Exception) -> Failure:
    """Log an error, and return it: another node may do better."""
    log.error("%s of shard %d failed", call.method, call.shard, exc_info=error)
    return Failure(Unavailable.code, f"{type(error).__name__}: {error}", True)


def _resident() -> int:
    """Return the resident memory of this process in bytes, 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
