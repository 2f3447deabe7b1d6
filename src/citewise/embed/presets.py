"""How known article encoders are used: pooling, separator, prefixes, distance."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from citewise.embed.folder import LENGTHS, POOLING, PROMPTS, json_object, module_types
from citewise.embed.networks.outputs import Pooling
from citewise.errors import BadInput
from citewise.protocols import Distance

Separator = Literal["space", "sep"]
"""What stands between title and abstract: a space, or the model's own token, such as [SEP]."""

POOLINGS: tuple[Pooling, ...] = ("cls", "mean", "sentences")


@dataclass(frozen=True, slots=True)
class Preset:
    """How an encoder turns a paper or a query into a vector, and how vectors are compared."""

    pooling: Pooling
    separator: Separator = "space"
    query_prefix: str = ""
    paper_prefix: str = ""
    distance: Distance = "cosine"
    tokens: int = 512
    """Longer texts are cut to this number of tokens."""

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise BadInput(f"pooling must be one of {', '.join(POOLINGS)}, not {self.pooling!r}")

    @property
    def normalised(self) -> bool:
        """Whether vectors are scaled to length 1: for cosines only, since it changes distances."""
        return self.distance == "cosine"


_E5 = Preset("mean", query_prefix="query: ", paper_prefix="passage: ")
_BGE = Preset("cls", query_prefix="Represent this sentence for searching relevant passages: ")

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "scibert": Preset("cls", "sep"),
        "specter": Preset("cls", "sep", distance="l2"),
        "specter2": Preset("cls", "sep", distance="l2"),
        "scincl": Preset("cls", "sep", distance="l2"),
        "aspire": Preset("sentences", "sep", distance="l2"),
        "minilm": Preset("mean", tokens=256),
        "mpnet": Preset("mean", tokens=384),
        "e5": _E5,
        "bge": _BGE,
        "gte": Preset("mean"),
    }
)
"""By the names that `citewise models add --preset` takes."""

HUB_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "allenai/scibert_scivocab_uncased": "scibert",
        "allenai/scibert_scivocab_cased": "scibert",
        "allenai/specter": "specter",
        "allenai/specter2_base": "specter2",
        "malteos/scincl": "scincl",
        "allenai/aspire-contextualsentence-singlem-compsci": "aspire",
        "allenai/aspire-contextualsentence-multim-compsci": "aspire",
        "allenai/aspire-contextualsentence-singlem-biomed": "aspire",
        "allenai/aspire-contextualsentence-multim-biomed": "aspire",
        "sentence-transformers/all-MiniLM-L6-v2": "minilm",
        "sentence-transformers/all-mpnet-base-v2": "mpnet",
        "intfloat/e5-small-v2": "e5",
        "intfloat/e5-base-v2": "e5",
        "intfloat/e5-large-v2": "e5",
        "BAAI/bge-small-en-v1.5": "bge",
        "BAAI/bge-base-en-v1.5": "bge",
        "BAAI/bge-large-en-v1.5": "bge",
        "thenlper/gte-small": "gte",
        "thenlper/gte-base": "gte",
        "thenlper/gte-large": "gte",
    }
)
"""The presets of models that are known by their whole name; no other name is guessed from."""

_POOLINGS: Mapping[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
}
_RUN = (".Transformer", ".Pooling", ".Normalize")
"""The modules of sentence-transformers that can be run."""


def preset_named(name: str) -> Preset:
    """Return a preset by its name."""
    if name not in PRESETS:
        raise BadInput(f"no preset {name!r}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name]


def preset_of(folder: Path) -> Preset:
    """Return how sentence-transformers uses a model that it saved; an error where a folder does not
    say it.
    """
    if any(not each.endswith(_RUN) for each in module_types(folder)):
        raise BadInput(
            f"{folder}: it has modules that cannot be run: of sentence-transformers, only one "
            "pooling, mean or cls, and nothing but normalising behind it"
        )

    settings = json_object(folder / POOLING)
    chosen = [name for name, on in settings.items() if name.startswith("pooling_mode_") and on]
    if not settings:
        raise BadInput(
            f"{folder}: nothing in it says how tokens become one vector (no {POOLING}); say it "
            f"with: citewise models add NAME {folder} --preset PRESET, of {', '.join(PRESETS)}, or "
            f"--pooling POOLING, of {', '.join(POOLINGS)}"
        )
    if len(chosen) != 1 or chosen[0] not in _POOLINGS:
        raise BadInput(f"{folder / POOLING}: only one pooling, mean or cls, can be run")

    prompts = json_object(folder / PROMPTS).get("prompts") or {}
    return Preset(
        pooling=_POOLINGS[chosen[0]],
        query_prefix=_prompt(prompts, "query"),
        paper_prefix=_prompt(prompts, "document", "passage"),
        tokens=_tokens(folder),
    )


def _prompt(prompts: object, *names: str) -> str:
    """Return the first prompt of these names that a folder has; "" where it has none."""
    found = prompts if isinstance(prompts, dict) else {}
    return next((str(found[name]) for name in names if found.get(name)), "")


def _tokens(folder: Path) -> int:
    value = json_object(folder / LENGTHS).get("max_seq_length") or 512
    if type(value) is not int or not 8 <= value <= 1_000_000:
        raise BadInput(f"{folder / LENGTHS}: max_seq_length is {value!r}")
    return min(value, 512)
