"""What a server is told when it starts; worker processes read it from the environment."""

import os
from dataclasses import dataclass, field

import msgspec

from citewise.errors import BadInput

VARIABLE = "CITEWISE_SERVE"
"""The environment variable with the settings of worker processes."""

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask of a server."""

    body: int = 4 * MB
    """Bytes of a JSON body."""
    upload: int = 200 * MB
    """Bytes of all files of an upload."""
    unpacked: int = 1024 * MB
    """Bytes of an upload after decompression."""
    files: int = 2_000
    """Files of an upload, those in archives included."""
    k: int = 1_000
    """Papers of an answer."""
    sentences: int = 200
    """Sentences of a passage."""
    ids: int = 5_000
    """Ids in a list."""
    seconds: float = 60.0
    """How long an answer may take, time in the queue included."""
    body_seconds: float = 30.0
    """How long a client may pause while it sends a body."""
    threads: int = field(default_factory=lambda: max(2, min(4, os.cpu_count() or 1)))
    """Requests that are answered at the same time."""
    queue: int = 32
    """Requests that wait for a thread; more get 503."""
    jobs: int = 4
    """Imports that wait or run; more get 503."""
    map: int = 500
    """Papers of a map."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What to serve, to whom, and within which limits."""

    library: str
    """The library's folder, which need not exist yet, or an address."""
    state: str
    """A folder for uploads, jobs and counters that the worker processes share."""
    host: str = "127.0.0.1"
    port: int = 8000
    token: str = ""
    """What clients must know; "" for no token."""
    hosts: tuple[str, ...] = ()
    """Further names by which clients may call the server."""
    workers: int = 1
    limits: Limits = field(default_factory=Limits)


def to_environment(settings: Settings) -> None:
    """Leave the settings to the worker processes that this process starts."""
    os.environ[VARIABLE] = msgspec.json.encode(settings).decode()


def from_environment() -> Settings:
    """Return the settings that the parent process left."""
    if VARIABLE not in os.environ:
        raise BadInput(f"{VARIABLE} is not set; start the server with: citewise serve")
    return msgspec.json.decode(os.environ[VARIABLE], type=Settings)
