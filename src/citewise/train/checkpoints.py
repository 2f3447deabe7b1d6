"""Where a long training is: one file, written whole or not at all, so that it can go on."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from citewise.errors import BadInput


class Checkpoint:
    """The checkpoint of one training in a file; `digest` tells trainings apart."""

    def __init__(self, file: Path, digest: str) -> None:
        self._file, self._digest = file, digest

    def load(self) -> dict[str, Any] | None:
        """Return what was saved; None where there is nothing, or that of another training."""
        try:
            found: dict[str, Any] = torch.load(self._file, weights_only=True)
        except FileNotFoundError:
            return None
        except Exception as error:  # torch raises many kinds for a damaged file
            raise BadInput(
                f"{self._file}: this checkpoint of a training cannot be read ({error}); delete it "
                "to train from the beginning"
            ) from None
        return found if found.get("digest") == self._digest else None

    def write(self, content: dict[str, Any]) -> None:
        """Keep what a training needs to go on, in place of what was kept before."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._file.with_suffix(".new")
        torch.save({"digest": self._digest, **content}, unfinished)
        unfinished.replace(self._file)

    def remove(self) -> None:
        """Delete the checkpoint of a training that is done, and its folder if that is empty."""
        self._file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._file.parent.rmdir()


def digest_of(*parts: str) -> str:
    """Return a fingerprint of what a training depends on."""
    return hashlib.blake2b(" ".join(parts).encode(), digest_size=8).hexdigest()


def training_folder(digest: str) -> Path:
    """Return the folder in the user's cache for what a training needs to go on."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citewise"
    return cache / f"training-{digest}"


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use some threads; more than one a core make it much slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
