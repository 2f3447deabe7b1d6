"""Every implementation of `protocols.Stores`, and random libraries to compare them on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from unittest import mock

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from citewise.engines.shards.cutting import cut
from citewise.engines.shards.stores import ShardedStores
from citewise.ingest.report import SourceLocation
from citewise.ingest.spans import Extractor
from citewise.library import lexical_parts, writer
from citewise.library.entries import batches
from citewise.library.folder import LibraryFolder
from citewise.memory import MemoryStores
from citewise.protocols import (
    Distance,
    EncodedBy,
    Encoder,
    Stores,
    WordModel,
)
from citewise.types import CitationGroup, CitingSentence, Paper, Scope
from corpora import WORDS, corpora
from word_models import embedded

Record = Paper | CitingSentence


@dataclass(frozen=True, slots=True)
class Given:
    """What a library is made of; `later` are records that came after its vectors were made, when no
    word model was at hand.
    """

    records: Sequence[Record]
    encoder: Encoder | None = None
    later: Sequence[Record] = ()
    models: Mapping[str, bytes] = field(default_factory=dict)
    word_models: Mapping[str, WordModel] = field(default_factory=dict)


def _add(path: Path, records: Sequence[Record], models: Mapping[str, WordModel]) -> None:
    """Add records as they are: not cleaned, and papers with equal titles not merged."""
    located = [(record, SourceLocation("test", line)) for line, record in enumerate(records, 1)]
    read = batches(located, Extractor().spans)
    writer.add(path, read, keep_versions=True, models=lambda old: models)


def in_a_folder(path: Path, given: Given) -> LibraryFolder:
    """Return a library in a folder, added in one go."""
    return _folder(path, given, [given.records])


def in_two_segments(path: Path, given: Given) -> LibraryFolder:
    """Return a library in a folder, added in two parts of which the second is too small to be
    joined with the first; they are searched apart, as in a library of millions.
    """
    kinds = [
        [record for record in given.records if isinstance(record, kind)]
        for kind in (Paper, CitingSentence)
    ]
    cuts = [-(-3 * len(kind) // 4) for kind in kinds]
    first = [record for kind, cut in zip(kinds, cuts, strict=True) for record in kind[:cut]]
    second = [record for kind, cut in zip(kinds, cuts, strict=True) for record in kind[cut:]]
    with mock.patch.object(lexical_parts, "PARTED_FROM", 1):
        return _folder(path, given, [first, second])


def _folder(path: Path, given: Given, parts: Sequence[Sequence[Record]]) -> LibraryFolder:
    for part in parts:
        _add(path, part, given.word_models)
    if given.encoder is not None:
        writer.encode(path, given.encoder, papers=True)
    if given.later:
        _add(path, given.later, {})
    for name, content in given.models.items():
        LibraryFolder(path).models.save(name, content)
    return LibraryFolder(path)


def in_memory(path: Path, given: Given) -> MemoryStores:
    """Return a library in memory."""
    stores = MemoryStores.of([*given.records, *given.later]).with_models(given.models)
    early = MemoryStores.of(given.records)
    for name, model in given.word_models.items():
        vectors = np.full((len(stores.papers), model.about.size), np.nan, np.float32)
        vectors[: len(early.papers)] = embedded(stores, model, early.papers.rows)
        stores = stores.with_set(name, model.about, vectors)
    if given.encoder is None:
        return stores

    papers = [f"{paper.title} {paper.abstract}".strip() for paper in _papers(stores)]
    spans = stores.evidence.texts(np.arange(len(stores.evidence)))
    return stores.with_vectors(
        given.encoder.about,
        papers=_vectors(given.encoder, papers, papers[: len(early.papers)]),
        spans=_vectors(given.encoder, spans, early.evidence.texts(early.evidence.cited_spans())),
    )


def _papers(stores: Stores) -> list[Paper]:
    return stores.papers.read(stores.papers.rows)


def _vectors(encoder: Encoder, texts: Sequence[str], encoded: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of texts, NaN for those that are not among the encoded ones."""
    found = np.full((len(texts), encoder.about.size), np.nan, np.float32)
    known = [position for position, text in enumerate(texts) if text in set(encoded)]
    if known:
        found[known] = encoder.encode([texts[position] for position in known])
    return found


def in_shards(path: Path, given: Given) -> ShardedStores:
    """Return a library in a folder, cut into three shards."""
    in_two_segments(path / "whole", given)
    cut(path / "whole", 3, path / "shards")
    return ShardedStores.local(path / "shards")


IMPLEMENTATIONS: dict[str, Callable[[Path, Given], Stores]] = {
    "memory": in_memory,
    "folder": in_a_folder,
    "folder of two segments": in_two_segments,
    "shards": in_shards,
}
"""How each implementation makes a library; the path is where it may keep it."""

REFERENCE = "memory"
"""The implementation that the others are compared with."""

OTHERS = [name for name in IMPLEMENTATIONS if name != REFERENCE]


@dataclass(frozen=True, slots=True)
class TableEncoder:
    """An encoder that knows its texts."""

    vectors: Mapping[str, tuple[float, ...]]
    distance: Distance = "cosine"

    @property
    def about(self) -> EncodedBy:
        size = len(next(iter(self.vectors.values())))
        return EncodedBy("table", "fp32", "digest", size, self.distance)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.vectors[text] for text in texts], np.float32)


class RandomEncoder:
    """An encoder that gives each text a random unit vector, always the same one.

    Its numbers have 16 bits, so that no store loses any by keeping that many.
    """

    about = EncodedBy("random", "fp32", "digest", 8)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.about.size))
        for position, text in enumerate(texts):
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
            found[position] = np.random.default_rng(seed).normal(size=self.about.size)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found.astype(np.float16).astype(np.float32)


AUTHORS = ("Mina Uhr", "M. Uhr", "Uhr, Max", "Otto Wabe", "wabe, o.", "Ana Formiga", "Wabe")


@st.composite
def _sentence(draw: st.DrawFn, keys: Sequence[str]) -> CitingSentence:
    """Draw a sentence of few words, so that many say the same, with one to three citations."""
    text, groups = "", []
    for _ in range(draw(st.integers(1, 3))):
        text += " ".join(draw(st.lists(st.sampled_from(WORDS[:4]), max_size=3)))
        text += draw(st.sampled_from([" ", ", "]))
        cited = draw(st.lists(st.sampled_from(keys), max_size=2, unique=True))
        groups.append(CitationGroup(len(text), len(text) + len("[1]"), tuple(cited)))
        text += "[1]"
    text += draw(st.sampled_from([".", " indeed."]))
    return CitingSentence(
        citing=draw(st.sampled_from(keys)),
        text=text,
        groups=tuple(groups),
        section=draw(st.sampled_from(["", "Introduction"])),
        year=draw(st.none() | st.integers(1989, 1996)),
        start=draw(st.sampled_from([-1, 40])),
    )


@st.composite
def libraries(draw: st.DrawFn) -> list[Record]:
    """Draw papers with authors that cite one another and strangers, and sentences of both."""
    papers = [
        Paper(
            id=each.id,
            title=each.title,
            abstract=each.abstract,
            year=each.year,
            authors=tuple(draw(st.lists(st.sampled_from(AUTHORS), max_size=2, unique=True))),
            ids=each.ids,
            references=each.references,
        )
        for each in draw(corpora(most=8))
    ]
    keys = [key for paper in papers for key in (paper.id, *paper.ids)]
    return [*papers, *draw(st.lists(_sentence([*keys, "elsewhere", "nowhere"]), max_size=8))]


def scopes(papers: int) -> st.SearchStrategy[Scope]:
    """Draw scopes over a library of this many papers, with ids as in `corpora`."""
    rows = st.lists(st.integers(0, papers - 1), max_size=3, unique=True).map(tuple)
    keys = st.sampled_from(["p0", "q1", "elsewhere", "unknown"])
    return st.builds(
        Scope,
        year=st.none() | st.integers(1989, 1997),
        since=st.none() | st.integers(1989, 1995),
        hidden=rows,
        unseen=rows,
        unseen_keys=st.lists(keys, max_size=2).map(tuple),
        within=st.none() | st.lists(st.integers(0, papers - 1), max_size=6).map(tuple),
    )
