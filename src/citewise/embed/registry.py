"""The user's list of models: names of folders, with how each is used.

The list is a file in the user's data folder. It keeps a digest of each model's files, so that one
that has changed since is noticed.
"""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import filelock
import msgspec
import platformdirs

from citewise.embed.folder import MINILM
from citewise.embed.presets import Preset
from citewise.errors import BadInput, LibraryBusy, MissingData

Kind = Literal["encoder", "pairs"]
"""What a model makes: vectors of texts, or scores of pairs."""

_FILE = "models.json"
_WAIT = 10.0
"""Seconds that a writer waits for another one."""

RESERVED = frozenset({MINILM, "nnselect"})
"""Names that citewise itself gives."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A model of the list."""

    folder: str
    kind: Kind
    digest: str
    """Of the model's files when it was added."""
    preset: Preset | None = None
    """How vectors are made; None for a pair scorer."""


def data_folder() -> Path:
    """Return citewise's folder among the user's data."""
    return platformdirs.user_data_path("citewise", appauthor=False)


class Registry:
    """The list of models in a file; several processes may change it at the same time."""

    def __init__(self, file: Path | None = None) -> None:
        """`file` need not exist; without one, it is that of the user's data folder."""
        self.path = file if file is not None else data_folder() / _FILE

    def read(self) -> Mapping[str, Registered]:
        """Return all models by name, sorted; a file that is not there is empty."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            found = msgspec.json.decode(content, type=dict[str, Registered])
        except (ValueError, BadInput, RecursionError) as error:  # msgspec's are ValueErrors
            raise BadInput(
                f"{self.path}: the list of models is damaged ({error}); repair or delete this "
                "file, and add the models again"
            ) from None
        return dict(sorted(found.items()))

    def add(self, name: str, model: Registered) -> None:
        """Add a model, in place of an older one of that name."""
        with self._changing() as models:
            models[name] = model

    def remove(self, name: str) -> Registered:
        """Forget a model and return what it was; its folder stays as it is."""
        with self._changing() as models:
            if name not in models:
                known = ", ".join(models) or "none"
                raise MissingData(f"no model is named {name!r}; those you added are: {known}")
            return models.pop(name)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Registered]]:
        """Give the models to change, and write them, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(self.path.with_name(f"{_FILE}.lock"), timeout=_WAIT):
                models = dict(self.read())
                yield models
                fresh = self.path.with_name(f"{_FILE}.new")
                fresh.write_bytes(msgspec.json.format(msgspec.json.encode(models), indent=1))
                fresh.replace(self.path)
        except filelock.Timeout:
            raise LibraryBusy(
                f"{self.path}: another process has been writing to this file for {_WAIT:.0f} "
                "seconds; try again when it is done"
            ) from None
