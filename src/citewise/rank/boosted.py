"""Gradient-boosted trees as LightGBM writes them: read, asked, and named by the features that they read."""

import hashlib
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadLibrary
from citewise.rank.features import GO_BACK

if TYPE_CHECKING:
    from lightgbm import Booster


class Saved(msgspec.Struct, frozen=True):
    """A model as a library keeps it."""

    trees: str
    """As LightGBM writes them."""
    provenance: dict[str, Any]
    """From what it was trained, by which code, and what it scored."""


_Saved = TypeVar("_Saved", bound=Saved)


def read_trees(trees: str, copies: int, otherwise: str) -> "tuple[Booster, ...] | None":
    """Load trees, so many times the same; None, and a warning of what happens otherwise, where LightGBM is not there.

    The first time takes as long as to import LightGBM.
    """
    try:
        from lightgbm import Booster
        from lightgbm.basic import LightGBMError
    except (ImportError, OSError) as error:  # its wheel expects the system to have OpenMP
        warnings.warn(f"LightGBM cannot be loaded ({error}), so {otherwise}, which is less good; on Debian and Ubuntu, "
                      "apt-get install libgomp1 helps", RuntimeWarning, stacklevel=3)
        return None
    try:
        return tuple(Booster(model_str=trees) for _ in range(copies))
    except LightGBMError as error:
        raise BadLibrary(f"the ranker's trees cannot be read ({error}); {GO_BACK}") from None


def predicted(trees: "Booster", matrix: NDArray[Any], start: int = 0, count: int = -1,
              pred_contrib: bool = False) -> NDArray[np.float64]:
    """Return the scores of rows of features; with `pred_contrib`, what each feature adds, and last the base."""
    # one thread: LightGBM's would wait for each other where several processes answer
    found = trees.predict(matrix, start_iteration=start, num_iteration=count, pred_contrib=pred_contrib, num_threads=1)
    return np.asarray(found, np.float64)


def features_of(trees: "Booster") -> tuple[str, ...]:
    """Return the names of the features that trees read, by column, as `citewise.rank.features` has them."""
    return tuple(map(_spaced, trees.feature_name()))


def spelled(name: str) -> str:
    """Return a feature's name as LightGBM takes it, without spaces."""
    return name.replace(" ", "_")


def _spaced(name: str) -> str:
    if "_/_" in name:
        return name.replace("_/_", " / ")
    for word in ("rank", "log"):
        if name.startswith(f"{word}_"):
            return f"{word} {name.removeprefix(f'{word}_')}"
    return name


def encoded(saved: Saved) -> bytes:
    """Return a model as a library keeps it."""
    return msgspec.json.encode(saved)


def digest(saved: Saved) -> str:
    """Return a fingerprint of a model: its weights and where it is from."""
    return hashlib.blake2b(encoded(saved), digest_size=4).hexdigest()


def decoded(content: bytes, kind: type[_Saved]) -> _Saved:
    """Return a library's own model as it was saved."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.MsgspecError as error:
        raise BadLibrary(f"the library's own ranker cannot be read ({error}); {GO_BACK}") from None
