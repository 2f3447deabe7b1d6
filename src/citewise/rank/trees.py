"""Gradient-boosted trees over features: one model, of which drafts and sentences are two kinds.

A model is refused where the features that it was trained with are no longer computed in the same
way: every saved model keeps a digest of their definitions.
"""

import functools
import hashlib
import importlib.resources
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.arrays import Column, Mask, Rows
from citewise.beside import Beside
from citewise.errors import BadLibrary
from citewise.protocols import Models, Signals
from citewise.rank import derived
from citewise.rank.features import GO_BACK, feature_matrix
from citewise.rank.linear import LinearModel
from citewise.rank.tree_text import tree_problem
from citewise.signals import DRAFTS, SENTENCES, Catalogue, plain
from citewise.types import ServedBy

if TYPE_CHECKING:
    from lightgbm import Booster

_SHARED_FROM = 400
"""Rows for which a thread of its own pays: it begins in a tenth of a millisecond, in which 60 trees
score some 80 rows.
"""

Own = Literal["own", "shipped"]
"""`own`: the model that was trained on the library, if there is one; `shipped`: the package's."""


@dataclass(frozen=True, slots=True)
class Cascade:
    """The first trees see every candidate, the others only the best by those."""

    trees: int
    best: int


@dataclass(frozen=True, slots=True)
class ModelKind:
    """What tells the model of drafts from the model of sentences."""

    name: str
    """The name of a library's own model, and of the command that trains it."""
    folder: str
    """The package's own model, in `rank/models`."""
    catalogue: Catalogue
    derive: Callable[[Signals], dict[str, Column]]
    """Computes the derived signals."""
    without_trees: tuple[str, ...]
    """Features whose sum is the score where LightGBM cannot be loaded."""
    note: str
    """The note on answers where LightGBM cannot be loaded."""
    cascade: Cascade | None = None

    def features(self, signals: Signals, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the candidates x features matrix; NaN says that there is nothing to know."""
        return feature_matrix({**signals, **self.derive(signals)}, names)

    def definition(self, features: Sequence[str], linear: LinearModel | None = None) -> str:
        """Return a digest of how a model's features are computed, with those of its linear step.

        It covers the versions of their signals, and the values that fixed signals give them: a
        change of a form or of a derived signal changes the digest by itself.
        """
        probe = _probe(self.catalogue)
        names, values = list(features), [self.features(probe, features)]
        if linear is not None:
            names += linear.weights
            with np.errstate(divide="ignore"):  # the probe has ranks of 0, which no search gives
                values.append(linear.features(probe))

        digest = hashlib.blake2b(self.catalogue.definition(names).encode(), digest_size=8)
        for each in values:
            finite = np.nan_to_num(each, nan=-1e6, neginf=-1e7)
            digest.update((np.round(finite, 6) + 0.0).tobytes())  # + 0.0 makes 0.0 of -0.0
        return digest.hexdigest()


DRAFT_MODEL = ModelKind(
    name="ranker",
    folder="default",
    catalogue=DRAFTS,
    derive=derived.of_drafts,
    without_trees=("linear_score",),
    note="by its linear step (no LightGBM)",
    cascade=Cascade(trees=60, best=250),
)
"""The model of `best`. With its cascade, F1@20 and MRR on dev are those of all trees for all
candidates, and R@1000 is .816 instead of .821.
"""

DRAFT_MODEL_WITH_TEXTS = replace(DRAFT_MODEL, folder="texts")
"""The model of `best` for libraries whose papers have vectors of the encoder that ships."""

SENTENCE_MODEL = ModelKind(
    name="sentences",
    folder="sentences",
    catalogue=SENTENCES,
    derive=derived.of_sentences,
    without_trees=("whole_score / best", "mass3 / best"),
    note="by a plain sum of signals (LightGBM cannot be loaded)",
)
"""The model of `evidence`."""


@functools.cache
def _probe(catalogue: Catalogue) -> dict[str, Column]:
    """Return fixed signals of twelve candidates: with zeros, with equals, and with NaN where a
    signal may be unknown.

    A signal's values follow from its name, so that a new signal changes those of no other.
    """
    found = {}
    for signal in catalogue:
        if signal.by == "derived":
            continue
        number = zlib.crc32(signal.name.encode()) % 97
        column = (np.arange(12.0) * (7 + number) % 11) / (1 + number % 4)
        if signal.may_be_unknown:
            column[[2, 5, 6]] = np.nan
        found[signal.name] = column
    return found


class SavedModel(msgspec.Struct, frozen=True):
    """A model as a library keeps it."""

    trees: str
    """As LightGBM writes them."""
    provenance: dict[str, Any]
    """What it was trained on, by which code, and how well it did."""
    features: tuple[str, ...] = ()
    """What the trees read, by column."""
    definition: str = ""
    """A digest of how these features, and those of the linear step, were computed."""
    linear: LinearModel | None = None
    vectors: str | msgspec.UnsetType = msgspec.UNSET
    """The set of papers' vectors that it learned to read; unset, so that the digests of older
    models stay as they are: the usual one.
    """
    encoder: str | msgspec.UnsetType = msgspec.UNSET
    """The transformer whose vectors of papers it learned to read beside those; unset: none."""

    def encoded(self) -> bytes:
        """Return the model as bytes."""
        return msgspec.json.encode(self)

    @property
    def digest(self) -> str:
        """A fingerprint of the model: its weights and where it is from."""
        return hashlib.blake2b(self.encoded(), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class TreeModel:
    """Trees that score candidates by their features."""

    kind: ModelKind
    trees: tuple["Booster", "Booster"] | None
    """None where LightGBM cannot be loaded. Twice the same: a Booster remembers the range of trees
    that it was last asked for, so threads that ask one for different ranges get wrong answers.
    """
    names: tuple[str, ...]
    """The features, by column."""
    digest: str
    provenance: dict[str, Any] = field(default_factory=dict)
    linear: LinearModel | None = None
    shipped: bool = False
    """Whether it is the package's own, which never saw the library."""
    vectors: str = ""
    """The set of papers' vectors that it learned to read; "": the usual one."""
    encoder: str = ""
    """The transformer whose vectors of papers it learned to read beside those; "": none."""

    @classmethod
    def of(cls, saved: SavedModel, kind: ModelKind, shipped: bool = False) -> "TreeModel":
        """Load a model; refuse it where its features are not computed as they were in training."""
        if not _is_current(saved, kind):
            whose = "model that ships" if shipped else "library's own model"
            unknown = ", ".join(map(repr, _unknown_signals(saved, kind)))
            raise BadLibrary(
                f"the {whose} for {kind.name!r} was trained with other features than this version "
                f"of citewise computes{f' (it reads {unknown})' if unknown else ''}; {GO_BACK}"
            )
        problem = "" if shipped else tree_problem(saved.trees, len(saved.features))
        if problem:
            raise BadLibrary(f"the ranker's trees cannot be read ({problem}); {GO_BACK}")
        return cls(
            kind=kind,
            trees=_boosters(saved.trees, kind),
            names=saved.features,
            digest=saved.digest,
            provenance=saved.provenance,
            linear=saved.linear,
            shipped=shipped,
            vectors=saved.vectors or "",
            encoder=saved.encoder or "",
        )

    @property
    def served_by(self) -> ServedBy:
        """What an answer says of the model that scored it."""
        name = self.kind.name
        if self.shipped:
            name = f"default, with {self.encoder}" if self.encoder else "default"
        note = "" if self.trees else self.kind.note
        if not self.trees and self.linear is None:
            return ServedBy(note=note)
        return ServedBy(model=name, provenance=self.digest, note=note)

    def scores(self, signals: Signals) -> Column:
        """Return the score of each candidate."""
        if self.trees is None:
            plain: Column = feature_matrix(signals, self.kind.without_trees).sum(1)
            return plain
        return self.scored(self.kind.features(signals, self.names))

    def scored(self, matrix: NDArray[Any]) -> Column:
        """Return the trees' score of each row of a candidates x features matrix.

        In a cascade, the best by the first trees are scored by all of them; the others keep their
        order behind these.
        """
        first, rest = self._loaded()
        if self.kind.cascade is None:
            return _predicted_by_two(first, matrix)
        found = _predicted_by_two(first, matrix, 0, self.kind.cascade.trees)
        best = self._leading(found, self.kind.cascade)
        found[best] += _predicted(rest, matrix[best], self.kind.cascade.trees)
        if not best.all():
            found[~best] -= max(found[~best].max() - found[best].min(), 0.0)
        return found

    def parts(self, signals: Signals, positions: Rows) -> tuple[NDArray[np.float64], Mask]:
        """Return what each feature (column) adds to the scores at some positions, by TreeSHAP.

        The last column is the base. The mask says which candidates all trees were asked about; the
        scores of the others are those of the first trees, less a number that is the same for all.
        """
        first, rest = self._loaded()
        matrix = self.kind.features(signals, self.names)
        if self.kind.cascade is None:
            parts = _predicted(first, matrix[positions], contributions=True)
            return parts, np.ones(positions.size, np.bool_)

        trees = self.kind.cascade.trees
        every = self._leading(_predicted(first, matrix, 0, trees), self.kind.cascade)[positions]
        parts = _predicted(first, matrix[positions], 0, trees, contributions=True)
        if every.any():
            parts[every] += _predicted(rest, matrix[positions[every]], trees, contributions=True)
        return parts, every

    def plain_parts(self, signals: Signals, positions: Rows) -> NDArray[np.float64]:
        """Return the same of the plain sum that scores where there are no trees."""
        return feature_matrix(signals, self.kind.without_trees)[positions]

    def _loaded(self) -> tuple["Booster", "Booster"]:
        if self.trees is None:
            raise BadLibrary("a model without trees cannot score features")
        return self.trees

    @staticmethod
    def _leading(scores: Column, cascade: Cascade) -> Mask:
        """Return for each candidate whether it is among the best."""
        best = np.zeros(scores.size, np.bool_)
        best[np.argsort(-scores, kind="stable")[: cascade.best]] = True
        return best


def _is_current(saved: SavedModel, kind: ModelKind) -> bool:
    """Whether a model's features are computed as they were when it was trained."""
    try:
        return saved.definition == kind.definition(saved.features, saved.linear)
    except (KeyError, BadLibrary, ValueError):  # a signal is gone, or there are no features
        return False


def _unknown_signals(saved: SavedModel, kind: ModelKind) -> list[str]:
    """Return the signals that a model reads and that nothing computes."""
    linear = saved.linear.weights if saved.linear else {}
    read = {plain(feature) for feature in (*saved.features, *linear)}
    return sorted(read - {signal.name for signal in kind.catalogue})


def _boosters(trees: str, kind: ModelKind) -> "tuple[Booster, Booster] | None":
    """Load trees twice; None, with a warning, where LightGBM is not there.

    The first time takes as long as importing LightGBM.
    """
    try:
        from lightgbm import Booster
        from lightgbm.basic import LightGBMError
    except (ImportError, OSError) as error:  # its wheel expects the system to have OpenMP
        warnings.warn(
            f"LightGBM cannot be loaded ({error}), so answers are ranked {kind.note}, which is "
            "less good; on Debian and Ubuntu, apt-get install libgomp1 helps",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    try:
        return Booster(model_str=trees), Booster(model_str=trees)
    except LightGBMError as error:
        raise BadLibrary(f"the ranker's trees cannot be read ({error}); {GO_BACK}") from None


def _predicted_by_two(
    trees: "Booster", matrix: NDArray[Any], start: int = 0, count: int = -1
) -> NDArray[np.float64]:
    """Return the scores of rows of features; where they are many, another thread takes half of
    them: LightGBM needs no Python while it works.
    """
    middle = len(matrix) // 2
    if middle < _SHARED_FROM:
        return _predicted(trees, matrix, start, count)
    others = Beside(functools.partial(_predicted, trees, matrix[middle:], start, count))
    return np.concatenate((_predicted(trees, matrix[:middle], start, count), others.result()))


def _predicted(
    trees: "Booster",
    matrix: NDArray[Any],
    start: int = 0,
    count: int = -1,
    contributions: bool = False,
) -> NDArray[np.float64]:
    """Return the scores of rows of features, or what each feature adds, and last the base."""
    found = trees.predict(
        matrix,
        start_iteration=start,
        num_iteration=count,
        pred_contrib=contributions,
        num_threads=1,  # LightGBM's threads would wait for each other where processes answer
    )
    return np.asarray(found, np.float64)


def spelled(feature: str) -> str:
    """Return a feature's name as LightGBM takes it, without spaces."""
    return feature.replace(" ", "_")


def feature_gains(saved: SavedModel) -> dict[str, float]:
    """Return each feature's share in what the trees gained, the largest first."""
    from lightgbm import Booster

    gains = Booster(model_str=saved.trees).feature_importance("gain")
    order = np.argsort(-gains, kind="stable").tolist()
    total = max(gains.sum(), 1e-9)
    return {
        saved.features[position]: round(float(gains[position] / total), 4) for position in order
    }


@functools.cache
def shipped_model(kind: ModelKind) -> TreeModel:
    """Return the model of the package."""
    folder = importlib.resources.files("citewise") / "rank" / "models" / kind.folder
    about = msgspec.json.decode((folder / "provenance.json").read_bytes(), type=dict[str, Any])
    linear = folder / "linear.json"
    saved = SavedModel(
        trees=(folder / "trees.txt").read_text("utf-8"),
        provenance=about,
        features=tuple(about["features"]),
        definition=about["definition"],
        encoder=about.get("encoder") or msgspec.UNSET,
        linear=msgspec.json.decode(linear.read_bytes(), type=LinearModel)
        if linear.is_file()
        else None,
    )
    return TreeModel.of(saved, kind, shipped=True)


def model_for(models: Models, kind: ModelKind, which: str) -> TreeModel:
    """Return the library's own model where it has one and `which` is not "shipped"."""
    content = models.load(kind.name) if which == "own" else None
    if content is None:
        return shipped_model(kind)
    try:
        saved = msgspec.json.decode(content, type=SavedModel)
    except msgspec.MsgspecError as error:
        raise BadLibrary(f"the library's own ranker cannot be read ({error}); {GO_BACK}") from None
    return TreeModel.of(saved, kind)
