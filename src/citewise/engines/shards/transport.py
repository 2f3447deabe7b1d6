"""How a coordinator's calls reach the shards: in this process, or by an engine such as Ray."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from citewise.engines.shards.manifest import ShardsManifest
from citewise.engines.shards.shard import Shard


class Call(NamedTuple):
    """A call of a method of `Shard`."""

    shard: int
    method: str
    arguments: tuple[Any, ...]


class Transport(Protocol):
    """Brings calls to shards, and their answers back."""

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Return the answer to each call: one round trip, whatever the number of calls.

        Where a shard cannot be asked, raise an error: a part of an answer is never left out.
        """
        ...


class LocalTransport:
    """Shards that are opened in this process."""

    def __init__(self, folder: Path, manifest: ShardsManifest) -> None:
        self._shards = [Shard(folder, manifest, each) for each in range(len(manifest.shards))]

    def ask(self, calls: Sequence[Call]) -> list[Any]:
        """Return the answer to each call."""
        return [getattr(self._shards[call.shard], call.method)(*call.arguments) for call in calls]
