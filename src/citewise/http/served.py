"""The library that is served: opened once, and again when a new generation is on disk."""

import contextlib
import logging
import os
import threading
import time
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from citewise import api, systems
from citewise.api import Library
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.manifest import is_shards
from citewise.errors import CitewiseError
from citewise.http.problems import no_library
from citewise.types import StoreInfo

log = logging.getLogger("citewise.http")

Signature = tuple[object, ...]
"""What changes whenever a library's folder has something new to open."""

_LOOK_SECONDS = 2.0
"""Time between two looks for a newer generation at an address."""

_RETRY_SECONDS = 5.0
"""Time between attempts to open a generation that cannot be opened."""


@runtime_checkable
class Renewable(Protocol):
    """Stores of an engine that may get a new generation while they are open."""

    @property
    def info(self) -> StoreInfo: ...

    def newest_generation(self) -> int:
        """Return the generation that the engine serves now."""
        ...

    def require_all(self) -> None:
        """Raise Unavailable where any part of the library does not answer."""
        ...


class Opened:
    """An open generation, and what is computed once for it."""

    def __init__(self, library: Library, signature: Signature) -> None:
        self.library, self.signature = library, signature

    @cached_property
    def description(self) -> dict[str, Any]:
        """What the library holds, as a JSON object."""
        about = asdict(self.library.describe())
        about["models"] = list(about["models"])
        about["years"] = {str(year): count for year, count in about["years"].items()}
        name = Path(about["path"]).name if "://" not in about["path"] else about["path"]
        return {
            "open": True,
            "name": name,
            **about,
            "topics": self.library.topics(),
        }


class ServedLibrary:
    """The library behind a server; requests that have begun finish on the generation they got.

    Its methods block and are called in threads of the pool.
    """

    def __init__(self, where: str) -> None:
        """`where` is a folder, which need not exist yet, or an address."""
        self.where = where
        self.is_folder = "://" not in where
        self._opened: Opened | None = None
        self._opening = threading.Lock()
        self._failed: tuple[Signature | None, float] = (None, 0.0)
        self._generation, self._looked = 0, 0.0

    @property
    def opened(self) -> Opened | None:
        """What is open now, without a look at the disk."""
        return self._opened

    def library(self) -> Library:
        """Return the open library; Problem 409 where there is none."""
        current = self.current()
        if current is None:
            raise no_library()
        return current.library

    def current(self) -> Opened | None:
        """Return the library that answers: the newest that is open, None where there is none.

        The first one is waited for; a newer one is opened beside it.
        """
        signature, opened = self._signature(), self._opened
        if signature is None:
            self._opened = None
            return None
        if opened is None:
            return self._open_first()
        if opened.signature != signature and self._worth_trying(signature):
            self._open_beside(signature)
        return opened

    def newest(self) -> Opened | None:
        """Return the newest library like `current`, but wait until it is open."""
        opened = self.current()
        if opened is None or opened.signature == self._signature():
            return opened
        with self._opening:  # until the thread that opens it has ended
            return self._opened

    def ready(self) -> bool:
        """Return whether a library is open; of one at an address, every part has to answer."""
        current = self.current()
        if current is not None and isinstance(current.library.stores, Renewable):
            current.library.stores.require_all()
        return current is not None

    @property
    def writable(self) -> bool:
        """Whether imports can change the library."""
        if not self.is_folder or is_shards(Path(self.where)):
            return False
        place = Path(self.where).resolve()
        while not place.exists():
            place = place.parent
        return os.access(place, os.W_OK | os.X_OK)

    def _signature(self) -> Signature | None:
        """Return the state of the library's folder, None where there is no library."""
        if not self.is_folder:
            return ("address", self._newest_generation())
        folder = Path(self.where)
        try:
            name = manifests.NAME if is_shards(folder) else "manifest.json"
            manifest = (folder / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return ("unreadable",)
        beside = (folder / "models", folder / "vectors" / "manifest.json")
        return (manifest.st_ino, manifest.st_mtime_ns, manifest.st_size, *map(_changed, beside))

    def _newest_generation(self) -> int:
        """Return the generation that an engine serves now, 0 where it does not say; looked up now
        and then.
        """
        stores = self._opened.library.stores if self._opened is not None else None
        if isinstance(stores, Renewable) and time.monotonic() - self._looked > _LOOK_SECONDS:
            self._looked = time.monotonic()
            with contextlib.suppress(CitewiseError):  # the open one may answer all the same
                self._generation = stores.newest_generation()
        return self._generation

    def _open_first(self) -> Opened:
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _open(self) -> Opened:
        """Open the library and make its usual systems ready."""
        signature = self._signature() or ()
        library = api.open(self.where)
        if isinstance(library.stores, Renewable):
            self._generation = library.stores.info.generation
            signature = ("address", self._generation)
        for system in (systems.DEFAULT, systems.FOR_SENTENCES, systems.BASELINE):
            library.recommender(system)
        return Opened(library, signature)

    def _open_beside(self, signature: Signature) -> None:
        """Open a new generation in a thread of its own, unless one is being opened already."""
        if self._opening.acquire(blocking=False):
            threading.Thread(target=self._swap, args=(signature,), daemon=True).start()

    def _swap(self, signature: Signature) -> None:
        try:
            self._opened = self._open()
        except Exception as error:  # whatever it is, the old generation goes on answering
            self._failed = (signature, time.monotonic())
            log.warning("the new generation cannot be opened: %s", error)
        finally:
            self._opening.release()

    def _worth_trying(self, signature: Signature) -> bool:
        failed, when = self._failed
        return failed != signature or time.monotonic() - when > _RETRY_SECONDS


def _changed(path: Path) -> int:
    """Return when a file or folder was changed, 0 where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
