"""Named systems: a system is a value that prints as it parses, e.g. `bm25(k1=0.9,b=0.4)`."""

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citewise.claims.said import Claims
from citewise.embed.encoder import encoder
from citewise.errors import BadInput, MissingData
from citewise.evidence.candidates import Around, Said
from citewise.evidence.ilciter import Ilciter, IlciterSettings
from citewise.expand.authors import Authors
from citewise.expand.navigation import Navigation, NavigationSettings
from citewise.expand.neighbours import Neighbours
from citewise.expand.seeds import Seeds
from citewise.protocols import Encoder, Stores
from citewise.rank import model as models
from citewise.rank import sentence_model as sentence_models
from citewise.rank.learned import Learned
from citewise.rank.sentences import SentenceRanker
from citewise.recommend import Recommender
from citewise.retrieve.bm25 import Bm25, Bm25Ranker, Bm25Settings
from citewise.retrieve.engine import Engine


@dataclass(frozen=True, slots=True)
class BestSettings:
    """How far the learned system looks; its model was trained with these values."""

    depth: int = 5000
    """Papers that the search fetches."""
    neighbours: int = 500
    """Papers like the draft whose references are candidates and votes."""
    kept: int = 2000
    """Candidates that the learned step ranks; the others stand behind them."""
    model: str = "own"
    """`own`: the model that was trained on the library, where there is one; `shipped`: the package's in any case."""
    authors: str = "used"
    """`used`: what the draft's authors wrote and cited counts, where they are told; `ignored`: it does not."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if min(self.depth, self.neighbours, self.kept) < 1:
            raise BadInput(f"best needs depth, neighbours and kept of at least 1; got depth={self.depth}, "
                           f"neighbours={self.neighbours}, kept={self.kept}")
        if self.authors not in ("used", "ignored"):
            raise BadInput(f"best has authors used or ignored, not {self.authors!r}")
        _check_model("best", self.model)


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How far the learned system for sentences looks; its model was trained with these values."""

    kept: int = 600
    """Candidates that are ranked."""
    neighbours: int = 150
    """Papers like the draft whose citations are candidates and votes."""
    voted: int = 150
    """Candidates that these votes bring."""
    model: str = "own"
    """`own`: the model that was trained on the library, where there is one; `shipped`: the package's in any case."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if min(self.kept, self.neighbours, self.voted) < 1:
            raise BadInput(f"evidence needs kept, neighbours and voted of at least 1; got kept={self.kept}, "
                           f"neighbours={self.neighbours}, voted={self.voted}")
        _check_model("evidence", self.model)


def _check_model(system: str, model: str) -> None:
    if model not in ("own", "shipped"):
        raise BadInput(f"{system} has a model of the library's own or the shipped one, not {model!r}")


def _words(stores: Stores, settings: Bm25Settings) -> Recommender:
    return Recommender(stores, Bm25(stores, settings))


def _navigating(stores: Stores, settings: NavigationSettings) -> Recommender:
    words = Bm25Settings()
    return Recommender(stores, Navigation(stores, Bm25(stores, words), Bm25Ranker(stores, words), settings))


def _learned(stores: Stores, settings: BestSettings) -> Recommender:
    return learned(stores, settings, _model(stores, settings))


def _model(stores: Stores, settings: BestSettings) -> models.Model:
    own = stores.model(models.NAME) if settings.model == "own" else None
    return models.shipped() if own is None else models.decoded(own)


def learned(stores: Stores, settings: BestSettings, model: models.Model) -> Recommender:
    """Return `best` over a library with a given model."""
    expanders = (Seeds(stores), Authors(stores, settings.authors == "used"), Neighbours(stores, settings.neighbours))
    return Recommender(stores, Engine(stores), expanders, Learned(stores, model, settings.kept), settings.depth)


def _by_evidence(stores: Stores, settings: EvidenceSettings) -> Recommender:
    return by_evidence(stores, settings, Claims(stores), _sentence_model(stores, settings))


def _sentence_model(stores: Stores, settings: EvidenceSettings) -> sentence_models.Model:
    own = stores.model(sentence_models.NAME) if settings.model == "own" else None
    return sentence_models.shipped() if own is None else sentence_models.decoded(own)


def by_evidence(stores: Stores, settings: EvidenceSettings, claims: Claims,
                model: sentence_models.Model) -> Recommender:
    """Return `evidence` over a library with a given model; `claims` is what its stages share."""
    around = Around(stores, settings.neighbours, settings.voted)
    return Recommender(stores, Said(stores, claims), (around,), SentenceRanker(stores, claims, model), settings.kept)


def _ilciter(stores: Stores, settings: IlciterSettings) -> Recommender:
    encoder = encoder_of(stores) if settings.dense != "never" else None
    if encoder is None and settings.dense == "always":
        raise MissingData("ilciter(dense=always) needs vectors; make them with: citewise encode --library LIBRARY")
    return Recommender(stores, Ilciter(stores, settings, encoder))


def encoder_of(stores: Stores) -> Encoder | None:
    """Return the encoder that made a library's vectors; None where it has none."""
    wanted = stores.encoded_by()
    if wanted is None:
        return None
    found = encoder(wanted.model, wanted.precision)
    if found.about != wanted:
        raise BadInput(f"the model {wanted.model} has changed since it made the library's vectors; make them anew "
                       "with: citewise encode --library LIBRARY")
    return found


Settings = Bm25Settings | NavigationSettings | BestSettings | EvidenceSettings | IlciterSettings

_STAGES: dict[type[Settings], Callable[[Stores, Any], Recommender]] = {
    Bm25Settings: _words, NavigationSettings: _navigating, BestSettings: _learned,
    EvidenceSettings: _by_evidence, IlciterSettings: _ilciter}
"""How the stages of a system are put together, by the kind of its settings."""

SYSTEMS: dict[str, Settings] = {
    "best": BestSettings(),
    "bm25": Bm25Settings(),
    "bm25-title": Bm25Settings(form="title"),
    "bm25-keyterms": Bm25Settings(form="keyterms"),
    "navigation": NavigationSettings(),
    "evidence": EvidenceSettings(),
    "ilciter": IlciterSettings(),
}
"""Name to settings."""

DEFAULT = "best"
"""What answers where nobody names a system."""

FOR_SENTENCES = "evidence"
"""What answers a sentence where nobody names a system."""

BASELINE = "bm25"
"""What others are compared with."""

_SPELLED = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*")


@dataclass(frozen=True, slots=True)
class System:
    """A name with the settings that it stands for."""

    name: str
    settings: Settings

    @classmethod
    def parse(cls, text: str) -> "System":
        """Read a name, with changed settings in parentheses."""
        match = _SPELLED.fullmatch(text)
        if not match or match[1] not in SYSTEMS:
            raise BadInput(f"unknown system {text!r}; known: {', '.join(SYSTEMS)}")
        settings = SYSTEMS[match[1]]
        changes = [part for part in (match[2] or "").split(",") if part.strip()]
        return cls(match[1], dataclasses.replace(settings, **dict(_change(settings, part) for part in changes)))

    def __str__(self) -> str:
        """Return the spelling that parses to this value."""
        usual = SYSTEMS[self.name]
        changes = [f"{field.name}={getattr(self.settings, field.name)}" for field in dataclasses.fields(usual)
                   if getattr(self.settings, field.name) != getattr(usual, field.name)]
        return self.name + (f"({','.join(changes)})" if changes else "")

    def identity(self, stores: Stores) -> str:
        """Return a name that changes with the settings and with the models that the system has over a library."""
        if isinstance(self.settings, EvidenceSettings):
            return f"{self} {_sentence_model(stores, self.settings).digest}"
        if isinstance(self.settings, IlciterSettings) and self.settings.dense != "never":
            by = stores.encoded_by()
            return f"{self} {by.digest} {by.precision}" if by is not None else str(self)
        if not isinstance(self.settings, BestSettings):
            return str(self)
        return f"{self} {_model(stores, self.settings).digest}"

    def over(self, stores: Stores) -> Recommender:
        """Return this system over a library."""
        made = _STAGES[type(self.settings)](stores, self.settings)
        made.name = str(self)
        return made


def _change(settings: Settings, text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or name not in {field.name for field in dataclasses.fields(settings)}:
        known = ", ".join(field.name for field in dataclasses.fields(settings))
        raise BadInput(f"unknown setting {text.strip()!r}; known: {known}, each written name=value")
    kind = type(getattr(settings, name))
    try:
        return name, kind(value)
    except ValueError:
        raise BadInput(f"{name} takes a {kind.__name__}, not {value!r}") from None
