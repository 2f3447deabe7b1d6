"""Named systems: a system is a value that prints as it parses, e.g. `bm25(k1=0.9,b=0.4)`.

Each kind of settings builds its own stages. Other packages can add systems, and the parts that
`compose` puts together (see `citewise.plugins`).
"""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from citewise import plugins
from citewise.embed.draft_vectors import SetVectors, covers, sets_of_vectors
from citewise.embed.encoders import encoder_of
from citewise.embed.field_cosines import FieldCosines
from citewise.embed.folder import MINILM
from citewise.embed.query_vectors import query_vectors
from citewise.embed.word_models import NNSELECT, required_model_of
from citewise.errors import BadInput, BadLibrary, MissingData, MissingExtra
from citewise.expand.authors import Authors
from citewise.expand.context import ContextNeighbours
from citewise.expand.dense import DenseNeighbours
from citewise.expand.neighbours import Neighbours
from citewise.expand.seeds import Seeds
from citewise.ground import EvidenceGrounder
from citewise.protocols import DraftVectors, Expander, Ranker, Retriever, Stores
from citewise.rank.calibration import Calibrator, calibrator_for
from citewise.rank.features import GO_BACK
from citewise.rank.learned import LinearRanker, TreeRanker
from citewise.rank.nnrank import NNRank, nnrank_of, required_nnrank
from citewise.rank.nnrank_features import PairReader
from citewise.rank.sentence_ranker import SentenceRanker
from citewise.rank.sentence_signals import MEANING
from citewise.rank.trees import (
    DRAFT_MODEL,
    DRAFT_MODEL_WITH_TEXTS,
    SENTENCE_MODEL,
    TreeModel,
    model_for,
    shipped_model,
)
from citewise.recommend import RankStep, Recommender, Stages
from citewise.render import renderers
from citewise.reranking import RERANKING_DEFAULTS, SUFFIX, Reranking
from citewise.retrieve.bm25 import Bm25, Bm25Parameters, Bm25Ranker
from citewise.retrieve.dense import Dense
from citewise.retrieve.engine import Engine
from citewise.retrieve.evidence import BY_WORDS, DEEP, EvidenceRetriever
from citewise.retrieve.ilciter import Ilciter, IlciterParameters
from citewise.retrieve.navigation import Navigation, Rounds
from citewise.retrieve.nnselect import NNSelect, Selection
from citewise.scoring.fusion import FUSIONS
from citewise.signals import plain
from citewise.spans.coverage import cites_more, coverage, trust
from citewise.spans.dense import DenseSimilarity
from citewise.spans.profiles import ClaimSearch


class Settings(Protocol):
    """The settings of a system: a frozen dataclass that builds its stages."""

    def over(self, stores: Stores) -> Stages:
        """Return the stages of the system over a library."""
        ...

    def identity(self, stores: Stores) -> str:
        """Return a text that identifies what the system uses of a library besides its papers:
        models, vectors; "" for nothing.
        """
        ...


def _grounder(stores: Stores) -> EvidenceGrounder:
    return EvidenceGrounder(stores, ClaimSearch(stores))


def _calibrator(stores: Stores, model: TreeModel, usual: bool) -> Calibrator | None:
    """Return what calibrates a model; None under unusual settings, which change its scores."""
    return calibrator_for(stores, model) if usual else None


def _at_least_one(system: str, **values: int) -> None:
    """Raise BadInput if a setting of a system is below 1."""
    if min(values.values()) < 1:
        given = ", ".join(f"{name}={value}" for name, value in values.items())
        raise BadInput(f"{system} needs {', '.join(values)} of at least 1; got {given}")


def _one_of(system: str, name: str, value: str, *known: str) -> None:
    """Raise BadInput if a setting of a system has no known value."""
    if value not in known:
        raise BadInput(f"{system} has {name} {' or '.join(known)}, not {value!r}")


@dataclass(frozen=True, slots=True)
class Bm25Settings(Bm25Parameters):
    """BM25 over titles and abstracts."""

    def over(self, stores: Stores) -> Stages:
        """Return the stages: one retriever."""
        return Stages((Bm25(stores, self),), _grounder(stores), sentence_alone=True)

    def identity(self, stores: Stores) -> str:
        """Return "": the system depends on its settings alone."""
        return ""


@dataclass(frozen=True, slots=True)
class NavigationSettings(Rounds):
    """BM25, and in rounds the papers that the best ones cite."""

    ranker: str = ""
    """The cross-encoder that ranks in every round, by name or folder."""
    encoder: str = ""
    """The article encoder that ranks in every round, in its place; BM25 where neither is given."""
    truncation: str = ""
    """How a cross-encoder's pairs are cut: as `rerank` does (see `citewise.reranking`)."""
    precision: str = "int8"

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        Rounds.__post_init__(self)
        self._reranking()

    def over(self, stores: Stores) -> Stages:
        """Return the stages: one retriever."""
        words, reranking = Bm25Parameters(), self._reranking()
        ranker = reranking.alone(stores) if reranking else Bm25Ranker(stores, words)
        retriever = Navigation(stores, Bm25(stores, words), ranker, self)
        return Stages((retriever,), _grounder(stores), sentence_alone=True)

    def identity(self, stores: Stores) -> str:
        """Return what the model is that ranks, "" without one."""
        reranking = self._reranking()
        return reranking.identity(stores, "").strip() if reranking else ""

    def _reranking(self) -> Reranking | None:
        if not (self.ranker or self.encoder):
            return None
        return Reranking(
            model=self.ranker,
            encoder=self.encoder,
            order="alone",
            truncation=self.truncation,
            precision=self.precision,
        )


@dataclass(frozen=True, slots=True)
class BestSettings:
    """The learned system for drafts; its model was trained with these values.

    A sentence takes the place of its draft, so that nothing but the sentence decides where words
    do.
    """

    depth: int = 5000
    """Papers that the search fetches."""
    neighbours: int = 500
    """Papers similar to the draft whose references are candidates and votes."""
    kept: int = 2000
    """Candidates that the trees rank; the others follow behind them."""
    model: str = "own"
    """`own`: the model that was trained on the library, where there is one; `shipped`: always the
    package's.
    """
    authors: str = "used"
    """`used`: what the draft's authors wrote and cited counts, if they are given; `ignored`: it
    does not.
    """
    vectors: str = "trained"
    """The set of papers' vectors that counts, where the library has it; `trained`: the one that the
    model was trained with.
    """
    encoder: str = "trained"
    """The transformer whose vectors of papers count too, where the library has them; `trained`: the
    one that the model was trained with; `none`: only a model that needs none ranks.
    """

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        _at_least_one("best", depth=self.depth, neighbours=self.neighbours, kept=self.kept)
        _one_of("best", "authors", self.authors, "used", "ignored")
        _one_of("best", "model", self.model, "own", "shipped")

    def over(self, stores: Stores) -> Stages:
        """Return the stages with the model that these settings choose."""
        model, note = self._model(stores)
        stages = self.stages(stores, model)
        return dataclasses.replace(stages, note=", ".join(filter(None, (note, stages.note))))

    def _model(self, stores: Stores) -> tuple[TreeModel, str]:
        """Return the model that ranks, and a note where the library has vectors of a transformer
        that cannot count.
        """
        model = model_for(stores.models, DRAFT_MODEL, self.model)
        if not model.shipped or self.encoder != "trained":
            return model, ""
        usable, note = covers(stores, MINILM)
        return (shipped_model(DRAFT_MODEL_WITH_TEXTS) if usable else model), note

    def stages(self, stores: Stores, model: TreeModel) -> Stages:
        """Return the stages with a given model."""
        if model.linear is None:
            raise BadLibrary(f"the model of best lacks its linear step; {GO_BACK}")

        vectors = sets_of_vectors(stores, self._set_of(model), self._encoder_of(model))
        rankers = (
            RankStep(LinearRanker(stores, model.linear, model.shipped)),
            RankStep(TreeRanker(stores, model, vectors), self.kept),
        )
        usual = dataclasses.replace(self, model="own", authors="used") == BestSettings()
        return dataclasses.replace(
            self.candidate_stages(stores, vectors),
            rankers=rankers,
            calibrator=_calibrator(stores, model, usual),
            note=", ".join(filter(None, (each.note for each in vectors))),
        )

    def candidate_stages(self, stores: Stores, vectors: Sequence[DraftVectors]) -> Stages:
        """Return the stages that find candidates, which need no ranking model; `vectors` are the
        sets of papers' vectors that count, the most telling one last.
        """
        return Stages(
            retrievers=(Engine(stores),),
            grounder=_grounder(stores),
            expanders=(
                Seeds(stores),
                Authors(stores, self.authors == "used"),
                Neighbours(stores, self.neighbours),
                *(DenseNeighbours(stores, each, self.neighbours) for each in vectors),
            ),
            depth=self.depth,
            sentence_alone=True,
            vectors=vectors[-1],
        )

    def identity(self, stores: Stores) -> str:
        """Return the digests of the model and of those that made the vectors."""
        model, _ = self._model(stores)
        names = filter(None, (self._set_of(model), self._encoder_of(model)))
        sets = filter(None, map(stores.vectors.papers, names))
        return " ".join([model.digest, *(each.about.digest for each in sets)])

    def _set_of(self, model: TreeModel) -> str:
        """Return the name of the set of vectors that counts with a model."""
        return self.vectors if self.vectors != "trained" else model.vectors or NNSELECT

    def _encoder_of(self, model: TreeModel) -> str:
        """Return the transformer whose vectors count with a model, "" for none. A model that reads
        some gets those of `none`, which no library has.
        """
        if self.encoder == "none" and not model.encoder:
            return ""
        return self.encoder if self.encoder != "trained" else model.encoder


LITTLE_EVIDENCE = "without evidence (the library has no citing sentences, or very few)"
"""What `evidence` says where `best` answers for it."""


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """The learned system for sentences; its model was trained with these values."""

    kept: int = 600
    """Candidates that are ranked."""
    neighbours: int = 150
    """Papers similar to the draft whose citations are candidates and votes."""
    voted: int = 150
    """Candidates that these votes add."""
    model: str = "own"
    """`own`: the model that was trained on the library, where there is one; `shipped`: always the
    package's.
    """
    dense: str = "always"
    """`always`: spans are compared by their vectors too, where the library has some; `never`: by
    words alone.
    """

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        _at_least_one("evidence", kept=self.kept, neighbours=self.neighbours, voted=self.voted)
        _one_of("evidence", "model", self.model, "own", "shipped")
        _one_of("evidence", "dense", self.dense, "always", "never")

    def over(self, stores: Stores) -> Stages:
        """Return the stages with the model that these settings choose; those of `best` in a library
        whose citing sentences say too little.
        """
        model = model_for(stores.models, SENTENCE_MODEL, self.model)
        if self._serves_best(stores, model):
            return dataclasses.replace(
                BestSettings().over(stores),
                note=LITTLE_EVIDENCE,
                calibrator=calibrator_for(stores, model, by_words_only=True),
            )
        return self.stages(stores, ClaimSearch(stores), model)

    @staticmethod
    def _serves_best(stores: Stores, model: TreeModel) -> bool:
        """Whether `best` answers: a model that never saw the library, and citations that say more
        than sentences.
        """
        covered = coverage(stores)
        return covered == 0 or (model.shipped and cites_more(stores, covered))

    def stages(self, stores: Stores, claims: ClaimSearch, model: TreeModel) -> Stages:
        """Return the stages with a given model; they share `claims`."""
        trusted = trust(coverage(stores)) if model.shipped else 1.0
        dense, note = self._dense(stores, model)
        ranker = SentenceRanker(stores, claims, model, trusted, dense)
        found = self.candidate_stages(stores, claims, BY_WORDS if trusted == 1 else DEEP)
        usual = dataclasses.replace(self, model="own", dense="always") == EvidenceSettings()
        calibrator = _calibrator(stores, model, usual)
        return dataclasses.replace(
            found, rankers=(RankStep(ranker),), calibrator=calibrator, note=note
        )

    def _dense(self, stores: Stores, model: TreeModel) -> tuple[DenseSimilarity | None, str]:
        """Return what compares spans by their vectors, None where there are none or the model reads
        none; and a note where the library has vectors that cannot be used here.
        """
        if not self._reads_vectors(model):
            return None, ""
        try:
            encoder = encoder_of(stores.vectors)
        except (BadInput, MissingData, MissingExtra) as error:
            return None, f"by words alone ({error})"
        return (DenseSimilarity(stores, encoder) if encoder is not None else None), ""

    def _reads_vectors(self, model: TreeModel) -> bool:
        return self.dense != "never" and any(plain(name) in MEANING for name in model.names)

    def candidate_stages(
        self, stores: Stores, claims: ClaimSearch, by_words: int = BY_WORDS
    ) -> Stages:
        """Return the stages that find candidates, which need no model."""
        return Stages(
            retrievers=(EvidenceRetriever(stores, claims, by_words),),
            grounder=EvidenceGrounder(stores, claims),
            expanders=(ContextNeighbours(stores, self.neighbours, self.voted),),
            depth=self.kept,
        )

    def identity(self, stores: Stores) -> str:
        """Return the digest of the model that answers."""
        model = model_for(stores.models, SENTENCE_MODEL, self.model)
        if self._serves_best(stores, model):
            return BestSettings().identity(stores)
        made_by = stores.vectors.encoded_by() if self._reads_vectors(model) else None
        return f"{model.digest} {made_by.digest}" if made_by is not None else model.digest


@dataclass(frozen=True, slots=True)
class IlciterSettings(IlciterParameters):
    """ILCiteR's system for sentences."""

    def over(self, stores: Stores) -> Stages:
        """Return the stages: one retriever, with the encoder of the library's vectors."""
        encoder = encoder_of(stores.vectors) if self.dense != "never" else None
        if encoder is None and self.dense == "always":
            raise MissingData(
                "ilciter(dense=always) needs vectors; make them with: "
                "citewise encode --library LIBRARY"
            )
        return Stages((Ilciter(stores, self, encoder),), _grounder(stores))

    def identity(self, stores: Stores) -> str:
        """Return the digest of the encoder that made the library's vectors."""
        by = stores.vectors.encoded_by() if self.dense != "never" else None
        return f"{by.digest} {by.precision}" if by is not None else ""


@dataclass(frozen=True, slots=True)
class DenseSettings:
    """The papers whose vectors are nearest to the query's."""

    vectors: str = NNSELECT
    """The name of the library's set of papers' vectors."""

    def over(self, stores: Stores) -> Stages:
        """Return the stages: one retriever, with the model that made the vectors."""
        retriever = Dense(query_vectors(stores, self.vectors))
        return Stages((retriever,), _grounder(stores), sentence_alone=True)

    def identity(self, stores: Stores) -> str:
        """Return what made the vectors."""
        return _made_by(stores, self.vectors)


@dataclass(frozen=True, slots=True)
class NNSelectSettings(Selection):
    """The papers nearest to the query, and what they cite."""

    vectors: str = NNSELECT
    """The name of the library's set of papers' vectors."""

    def over(self, stores: Stores) -> Stages:
        """Return the stages: one retriever, with the model that made the vectors."""
        retriever = NNSelect(stores, query_vectors(stores, self.vectors), self)
        return Stages((retriever,), _grounder(stores), sentence_alone=True)

    def identity(self, stores: Stores) -> str:
        """Return what made the vectors."""
        return _made_by(stores, self.vectors)


@dataclass(frozen=True, slots=True)
class HybridSettings:
    """BM25 and vectors, fused."""

    vectors: str = NNSELECT
    """The name of the library's set of papers' vectors."""
    fusion: str = "rrf"
    """How the two rankings become one: `rrf` or `best-rank`."""
    depth: int = 1000
    """Candidates by words, and by vectors."""

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        _at_least_one("hybrid", depth=self.depth)
        _one_of("hybrid", "fusion", self.fusion, *FUSIONS)

    def over(self, stores: Stores) -> Stages:
        """Return the stages: two retrievers, fused."""
        return Stages(
            retrievers=(
                Bm25(stores, Bm25Parameters()),
                Dense(query_vectors(stores, self.vectors)),
            ),
            grounder=_grounder(stores),
            fusion=self.fusion,
            depth=self.depth,
            sentence_alone=True,
        )

    def identity(self, stores: Stores) -> str:
        """Return what made the vectors."""
        return _made_by(stores, self.vectors)


@dataclass(frozen=True, slots=True)
class CiteomaticSettings(Selection):
    """Citeomatic: the candidates of NNSelect, ranked by NNRank."""

    metadata: str = "used"
    """`used`: shared authors, venue and key phrases count, where they are known; `ignored`: they do
    not.
    """

    def __post_init__(self) -> None:
        """Raise BadInput for values that make no sense."""
        Selection.__post_init__(self)
        _one_of("citeomatic", "metadata", self.metadata, "used", "ignored")

    def over(self, stores: Stores) -> Stages:
        """Return the stages with the ranker that was trained on the library."""
        vectors = query_vectors(stores, NNSELECT)
        fields = FieldCosines(stores, required_model_of(stores, NNSELECT))
        reader = PairReader(stores, vectors, fields, self.metadata == "used")
        ranker = NNRank(reader, required_nnrank(stores.models, fields.digest))
        return Stages(
            retrievers=(NNSelect(stores, vectors, self),),
            grounder=_grounder(stores),
            rankers=(RankStep(ranker),),
            depth=self.depth,
            sentence_alone=True,
        )

    def identity(self, stores: Stores) -> str:
        """Return what made the vectors, and the ranker's digest."""
        model = nnrank_of(stores.models)
        return f"{_made_by(stores, NNSELECT)} {model.digest if model is not None else ''}".strip()


def _made_by(stores: Stores, name: str) -> str:
    """Return what made a set of papers' vectors, "" where the library has no such set."""
    papers = stores.vectors.papers(name)
    return f"{papers.about.digest} {papers.about.precision}" if papers is not None else ""


RETRIEVERS: dict[str, Callable[[Stores], Retriever]] = {
    "bm25": lambda stores: Bm25(stores, Bm25Parameters()),
    "bm25-title": lambda stores: Bm25(stores, Bm25Parameters(form="title")),
    "bm25-keyterms": lambda stores: Bm25(stores, Bm25Parameters(form="keyterms")),
    "engine": Engine,
    "evidence": lambda stores: EvidenceRetriever(stores, ClaimSearch(stores)),
    "ilciter": lambda stores: Ilciter(stores, IlciterParameters(dense="never")),
    "dense": lambda stores: Dense(query_vectors(stores, NNSELECT)),
    "nnselect": lambda stores: NNSelect(stores, query_vectors(stores, NNSELECT), Selection()),
    **plugins.parts("retrievers"),
}
EXPANDERS: dict[str, Callable[[Stores], Expander]] = {
    "seeds": Seeds,
    "authors": Authors,
    "neighbours": Neighbours,
    "context": ContextNeighbours,
    "dense": lambda stores: DenseNeighbours(stores, SetVectors(stores, NNSELECT)),
    **plugins.parts("expanders"),
}
RANKERS: dict[str, Callable[[Stores], Ranker]] = {
    "bm25": lambda stores: Bm25Ranker(stores, Bm25Parameters()),
    **plugins.parts("rankers"),
}


@dataclass(frozen=True, slots=True)
class ComposeSettings:
    """A system of any parts, joined by a plus where several: `compose(retrieve=bm25+engine)`."""

    retrieve: str = "bm25"
    fusion: str = "rrf"
    """How the rankings of several retrievers become one: `rrf` or `best-rank`."""
    expand: str = ""
    rank: str = ""
    """Rankers, each with the number of candidates that it ranks: `bm25@500`."""
    depth: int = 1000
    """Candidates of each retriever."""

    def __post_init__(self) -> None:
        """Raise BadInput for unknown parts."""
        _at_least_one("compose", depth=self.depth)
        _parts("retriever", self.retrieve, RETRIEVERS)
        _parts("expander", self.expand, EXPANDERS)
        _parts("ranker", self.rank, RANKERS)

    def over(self, stores: Stores) -> Stages:
        """Return the stages that the names stand for."""
        steps = _parts("ranker", self.rank, RANKERS)

        return Stages(
            retrievers=tuple(
                make(stores) for make, _ in _parts("retriever", self.retrieve, RETRIEVERS)
            ),
            grounder=_grounder(stores),
            expanders=tuple(make(stores) for make, _ in _parts("expander", self.expand, EXPANDERS)),
            rankers=tuple(RankStep(make(stores), depth) for make, depth in steps),
            fusion=self.fusion,
            depth=self.depth,
            sentence_alone="context" not in self.expand,
        )

    def identity(self, stores: Stores) -> str:
        """Return "": the system depends on its settings alone."""
        return ""


_PART = re.compile(r"([\w.-]+)(?:@([1-9]\d*))?")


def _parts(kind: str, text: str, known: Mapping[str, Any]) -> list[tuple[Any, int | None]]:
    """Return the parts that a text names, each with its depth; None: all."""
    parts = []
    for name in filter(None, (each.strip() for each in text.split("+"))):
        match = _PART.fullmatch(name)
        if not match or match[1] not in known:
            raise BadInput(f"unknown {kind} {name!r}; known: {', '.join(known)}")
        parts.append((known[match[1]], int(match[2]) if match[2] else None))
    return parts


SYSTEMS: dict[str, Settings] = {
    "best": BestSettings(),
    "bm25": Bm25Settings(),
    "bm25-title": Bm25Settings(form="title"),
    "bm25-keyterms": Bm25Settings(form="keyterms"),
    "navigation": NavigationSettings(),
    "evidence": EvidenceSettings(),
    "ilciter": IlciterSettings(),
    "dense": DenseSettings(),
    "nnselect": NNSelectSettings(),
    "hybrid": HybridSettings(),
    "citeomatic": CiteomaticSettings(),
    "compose": ComposeSettings(),
    **plugins.parts("systems"),
}
"""The settings of every system, by name."""

DEFAULT = "best"
"""The system for drafts, unless another one is named."""

FOR_SENTENCES = "evidence"
"""The system for sentences, unless another one is named."""

BASELINE = "bm25"
"""The system that others are compared with."""

_MODELS = ("model", "encoder", "ranker")
"""Settings that name a transformer."""

_SPELLED = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*")


@dataclass(frozen=True, slots=True)
class System:
    """A name with the settings that it stands for, and what re-ranks its first papers."""

    name: str
    settings: Settings
    rerank: Reranking | None = None

    @classmethod
    def parse(cls, text: str) -> "System":
        """Return the system that a text names, with changed settings in parentheses; behind it,
        there may be `+rerank(model=M)`.
        """
        reranked = SUFFIX.fullmatch(text)
        if reranked:
            changed = _changes(RERANKING_DEFAULTS, reranked["settings"])
            return replace(cls.parse(reranked["system"]), rerank=Reranking(**changed))

        match = _SPELLED.fullmatch(text)
        if not match or match[1] not in SYSTEMS:
            raise BadInput(f"unknown system {text!r}; known: {', '.join(SYSTEMS)}")

        usual: Any = SYSTEMS[match[1]]
        changed = _changes(_values(usual), match[2] or "")
        return cls(match[1], dataclasses.replace(usual, **changed))

    def __str__(self) -> str:
        """Return the spelling that parses to this value."""
        if self.rerank:
            named = _spelled(self.rerank, RERANKING_DEFAULTS)
            return f"{replace(self, rerank=None)}+rerank({named})"
        changes = _spelled(self.settings, _values(SYSTEMS[self.name]))
        return self.name + (f"({changes})" if changes else "")

    @property
    def model_folders(self) -> tuple[str, ...]:
        """The models that are given as folders, not by name: a server does not open these for
        whoever asks.
        """
        parts = (self.rerank, self.settings)
        named = (getattr(part, name, "") for part in parts for name in _MODELS)
        return tuple(each for each in named if "/" in each or "\\" in each or "." in each[:1])

    def identity(self, stores: Stores) -> str:
        """Return a text that changes with the settings and with what the system uses of a library
        besides its papers.
        """
        first = f"{self} {self.settings.identity(stores)}".strip()
        if self.rerank is None:
            return first
        return f"{first} {self.rerank.identity(stores, self._first)}"

    def over(self, stores: Stores) -> Recommender:
        """Return this system over a library."""
        stages = self.settings.over(stores)
        if self.rerank is not None:
            stages = self.rerank.applied(stages, stores, self._first)
        return Recommender(stores, stages, str(self), renderers())

    @property
    def _first(self) -> str:
        """The spelling of the system that is re-ranked."""
        return str(replace(self, rerank=None))


_MOST_SERVED = 20_000
"""The largest number in the settings of a system that a server is asked for: each stands for papers
that are searched, ranked or read, and no client may keep a server busy for minutes.
"""

_ALL_NUMBERS = re.compile(r"[\d+/]+")
"""A setting that is a list of numbers, such as the widths of `navigation`."""


def served_name(text: str) -> str:
    """Return the spelling of a system that somebody asks a server for; models that are folders of
    the server's machine, and very large numbers, are refused.
    """
    system = System.parse(text)
    values = [*_values(system.settings).items(), *_values_of_reranking(system)]
    for name, value in values:
        spelled = str(value)
        numbers = re.findall(r"\d+", spelled) if _ALL_NUMBERS.fullmatch(spelled) else []
        if any(int(number) > _MOST_SERVED for number in numbers):
            raise BadInput(f"{text}: a server takes {name} up to {_MOST_SERVED:,}, not {spelled}")
    if system.model_folders:
        raise BadInput(
            f"{text}: {system.model_folders[0]} is a folder; a server is asked for models by their "
            "names (on its machine: citewise models add)"
        )
    return str(system)


def _values_of_reranking(system: System) -> list[tuple[str, Any]]:
    return [*_values(system.rerank).items()] if system.rerank is not None else []


def _values(settings: Any) -> dict[str, Any]:
    """Return the settings of a dataclass, by name."""
    return {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}


def _spelled(settings: Any, usual: Mapping[str, Any]) -> str:
    """Return what differs from the usual settings, as it parses."""
    values = _values(settings)
    return ",".join(f"{name}={values[name]}" for name in usual if values[name] != usual[name])


def _changes(usual: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the settings in a text such as `k1=0.9,b=0.4`, by name."""
    return dict(_change(usual, part) for part in text.split(",") if part.strip())


def _change(usual: Mapping[str, Any], text: str) -> tuple[str, Any]:
    """Return the name and value of a setting, from `name=value`."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or name not in usual:
        known = ", ".join(usual)
        raise BadInput(f"unknown setting {text.strip()!r}; known: {known}, each written name=value")

    kind = type(usual[name])
    try:
        return name, kind(value)
    except ValueError:
        raise BadInput(f"{name} takes a {kind.__name__}, not {value!r}") from None
