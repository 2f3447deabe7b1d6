"""Trains the ranker of `best` on a library: its papers are asked for their own references, under the leak guard."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import citewise.library.models as kept_models
from citewise.errors import BadInput, MissingData
from citewise.evaluate.experiment import Settings, evaluate
from citewise.evaluate.runs import Workers
from citewise.evaluate.splits import Question, Split, SplitSettings
from citewise.opened import OpenLibrary
from citewise.rank.model import NAME, Model, Saved, encoded, shipped
from citewise.systems import BASELINE, DEFAULT, BestSettings
from citewise.train.cases import KINDS
from citewise.train.examples import Examples, Extraction, examples
from citewise.train.feature_families import FEATURES, FIRST
from citewise.train.findings import Figures, ablation, calibration, figures, scored, worth
from citewise.train.fitting import fit_first, fit_trees

_FIRST_ONE_IN, _FIRST_LEAST = 5, 400
"""The linear step learns from one training query in so many, but from no fewer than so many if there are as many."""

_LEAST_QUERIES = 20

Stage = Callable[[str, int, int | None], None]
"""Told what is being done, how far it is, and of how much."""


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """What a ranker is trained on, and how."""

    split: SplitSettings = field(default_factory=SplitSettings)
    """Its train part is learned from, its dev part tells the quality, its test part is never looked at."""
    most: int = 4000
    """So many of the youngest training papers are asked: the graph that they see is most like today's."""
    tuning: int = 300
    """So many of the dev papers are asked."""
    trees: int = 100
    ablation: bool = False
    """Whether trees are also fitted without each family of features."""
    jobs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if min(self.most, self.tuning, self.trees) < 1:
            raise BadInput("training needs at least one query, one query to tune by and one tree")


@dataclass(frozen=True, slots=True)
class Training:
    """A trained ranker and what is worth knowing of it."""

    model: Saved
    queries: dict[str, int]
    quality: dict[str, Figures]
    """On the same dev queries: `bm25`, `best` as it serves now, the linear step alone, and the new model."""
    worth: dict[str, float]
    """Each feature's share in what the trees gained."""
    ablation: dict[str, Figures]
    """On dev queries, by what is left out."""
    calibration: list[dict[str, float]]
    """On dev queries, by tenths of the candidates: the share that was expected to be cited, and the share that was."""
    seconds: dict[str, float]

    @property
    def better(self) -> bool:
        """Whether the new model has a higher F1@20 on dev queries than what serves now."""
        return self.quality["trained"]["F1@20"] > self.quality[DEFAULT]["F1@20"]


@dataclass(frozen=True, slots=True)
class _Sets:
    """What a model is made and judged by."""

    learned_from: Examples
    tuned_by: Examples
    judged_by: list[Question]
    """The dev questions for which citations speak; BM25 answers the others, whatever the model."""


def train_ranker(held: OpenLibrary, settings: RankerSettings | None = None,
                 stage: Stage = lambda what, done, total: None) -> Training:
    """Train on a library's papers; nothing is saved (see `save`)."""
    settings = settings or RankerSettings()
    _check_models(held)
    start = time.perf_counter()
    train, dev = _questions(held, settings)
    with Workers(held, settings.jobs) as workers:
        saved, sets = _fitted(workers, train, dev, settings, stage)
    fitted = time.perf_counter()
    model = Model.of(saved)
    scores = scored(model, sets.tuned_by)
    quality = _serving(held, sets.judged_by, settings, stage) | {
        "linear step": figures(sets.tuned_by, sets.tuned_by.matrix[:, 0]), "trained": figures(sets.tuned_by, scores)}
    queries = {"train": len(train), "dev": len(sets.judged_by)}
    left_out = ablation(saved.first, sets.learned_from, sets.tuned_by,
                        lambda part, names: fit_trees(part, names, settings.trees, settings.seed),
                        lambda done, total: stage("ablation", done, total)) if settings.ablation else {}
    saved = Saved(saved.first, saved.trees, _provenance(held, settings, queries, quality))
    return Training(saved, queries, quality, worth(model), left_out, calibration(sets.tuned_by, scores),
                    {"fitting": round(fitted - start, 1), "all": round(time.perf_counter() - start, 1)})


def save(held: OpenLibrary, training: Training) -> None:
    """Keep the model with the library, where `best` finds it when the library is opened next."""
    kept_models.save(held.library.path, NAME, encoded(training.model))


def _check_models(held: OpenLibrary) -> None:
    """Name what would be in the way at the end of a long work: trees that cannot be fitted, a damaged model."""
    if shipped().trees is None:
        raise MissingData("training needs LightGBM, which cannot be loaded; on Debian and Ubuntu, apt-get install "
                          "libgomp1 helps")
    held.recommender(DEFAULT)


def _questions(held: OpenLibrary, settings: RankerSettings) -> tuple[list[Question], list[Question]]:
    """Return the youngest questions of the train part and some, evenly spread, of the dev part."""
    split = Split.make(held, settings.split, parts=("train", "dev"))
    train, dev = (split.questions(held, part) for part in ("train", "dev"))
    train = sorted(train, key=lambda question: question.query.year or 0)[-settings.most:]
    dev = dev[:: max(len(dev) // settings.tuning, 1)][: settings.tuning]
    if min(len(train), len(dev)) < _LEAST_QUERIES:
        raise BadInput(f"training needs at least {_LEAST_QUERIES} papers to learn from and as many to judge by, each "
                       f"with a year, an abstract and {settings.split.least} or more references within the library; "
                       f"found {len(train)} and {len(dev)}. `best` goes on with the model that ships")
    return train, dev


def _fitted(workers: Workers, train: Sequence[Question], dev: Sequence[Question], settings: RankerSettings,
            stage: Stage) -> tuple[Saved, _Sets]:
    def made(what: str, questions: Sequence[Question], extraction: Extraction) -> tuple[Examples, list[Question]]:
        return examples(workers, questions, extraction, lambda done, total: stage(what, done, total))

    best = BestSettings()
    rough = Extraction(FIRST, best, settings.seed)
    some = train[::max(min(len(train) // _FIRST_LEAST, _FIRST_ONE_IN), 1)]
    first = fit_first(made("linear step", some, rough)[0], FIRST, best.depth)
    full = dataclasses.replace(rough, names=FEATURES, first=first)
    learned_from, _ = made("training queries", train, full)
    sets = _Sets(learned_from, *made("dev queries", dev, dataclasses.replace(full, whole=True)))
    trees = fit_trees(sets.learned_from, FEATURES, settings.trees, settings.seed,
                      lambda done, total: stage("trees", done, total))
    return Saved(first, trees, {}), sets


def _serving(held: OpenLibrary, dev: Sequence[Question], settings: RankerSettings, stage: Stage) -> dict[str, Figures]:
    """Return the quality of what serves now."""
    found = evaluate(held, (BASELINE, DEFAULT), dev, Settings(jobs=settings.jobs),
                     lambda done, total: stage("comparison", done, total))
    return {each.system: {name: round(value.value, 4) for name, value in each.values.items()} for each in found.systems}


def _provenance(held: OpenLibrary, settings: RankerSettings, queries: dict[str, int],
                quality: dict[str, Figures]) -> dict[str, Any]:
    library = held.library
    return {"trained by": "citewise train ranker",
            "library": {"papers": len(held), "fingerprint": library.manifest.fingerprint},
            "settings": dataclasses.asdict(settings), "kinds of training queries": dict(KINDS), "queries": queries,
            "dev": quality}
