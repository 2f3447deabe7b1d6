"""Libraries of many kinds for the matrix of defaults: three collections of citing sentences and two
corpora with citation graphs, each made poorer in several ways.
"""

import random
import string
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewise.evaluate import Question
from citewise.protocols import Stores
from citewise.types import CitingSentence, Paper, Query
from contexts import asked_elsewhere, dev_questions, library_of
from lab import library_of as corpus_library
from protocol import saved_queries

QUERIES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
"""Of each world, at most this many drafts and this many sentences."""
SIZES = {"peerread": 2_000, "evoeco": 2_000, "scisummnet": 6_000, "cs": 8_000, "elife": 8_000}
"""Papers of each world that are drawn; what is asked for is added."""
ELSEWHERE = {"cs": ("peerread", "scisummnet"), "elife": ("evoeco",)}
"""Collections whose sentences are asked of a corpus that has no citing sentences."""
DEV = {"cs": (2021, 5), "elife": (2022, 3)}
"""The dev year of each corpus, and how many references a draft has at least."""
TOPIC = 50
"""Papers of a small library for each question that is asked of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and the ids of the papers that it should find."""

    query: Query
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class World:
    """The records of a library, and what is asked of it."""

    papers: tuple[Paper, ...]
    sentences: tuple[CitingSentence, ...]
    drafts: tuple[Asked, ...]
    claims: tuple[Asked, ...]
    """Sentences, each with its draft's title and abstract where these are known."""


Change = Callable[[World], World]


def collection(name: str) -> World:
    """Return a part of a collection: what is asked for and other papers, drawn; every sentence that
    cites one of them; and the papers of these sentences.
    """
    library = library_of(name)
    stores = library.stores
    claims = _asked(stores, _some(dev_questions(library, name)))
    rows = _drawn_rows(stores, SIZES[name])
    kept = {paper.id for paper in stores.papers.read(sorted(rows))}
    kept |= {key for each in claims for key in each.gold}

    every = stores.evidence.sentences(stores.evidence.sentence_table().numbers)
    sentences = [
        each for each in every if any(not kept.isdisjoint(group.cited) for group in each.groups)
    ]
    kept |= {each.citing for each in sentences}
    return World(_papers(stores, kept), tuple(sentences), (), claims)


def corpus(name: str) -> World:
    """Return a part of a corpus: what is asked for, and other papers, drawn."""
    stores = corpus_library(name).stores
    dev = random.Random(0).sample(saved_queries(name, *DEV[name]), QUERIES)
    drafts = tuple(
        Asked(Query(each.title, each.abstract, each.id, each.year), each.gold) for each in dev
    )
    moved: list[Question] = []
    for other in ELSEWHERE[name]:
        home = library_of(other)
        moved += asked_elsewhere(
            home.stores, _some(dev_questions(home, other), 2 * QUERIES), stores
        )
    claims = _asked(stores, _some(moved))

    kept = {key for each in (*drafts, *claims) for key in each.gold}
    rows = _drawn_rows(stores, SIZES[name])
    kept |= {paper.id for paper in stores.papers.read(sorted(rows))}
    return World(_papers(stores, kept), (), drafts, claims)


def _drawn_rows(stores: Stores, limit: int) -> list[int]:
    rows = stores.papers.rows.tolist()
    return random.Random(0).sample(rows, min(limit, len(rows)))


def _some(questions: Sequence[Question], limit: int = QUERIES) -> list[Question]:
    return list(questions)[:: max(1, len(questions) // limit)][:limit]


def _asked(stores: Stores, questions: Iterable[Question]) -> tuple[Asked, ...]:
    return tuple(
        Asked(each.query, tuple(paper.id for paper in stores.papers.read(list(each.gold))))
        for each in questions
    )


def _papers(stores: Stores, keys: set[str]) -> tuple[Paper, ...]:
    rows = stores.papers.find(sorted(keys))
    return tuple(stores.papers.read(np.unique(rows[rows >= 0])))


# What makes a library poorer


def without_abstracts(world: World) -> World:
    """No paper of the library has an abstract."""
    return replace(world, papers=tuple(replace(each, abstract="") for each in world.papers))


def without_years(world: World) -> World:
    """No paper, citing sentence or query has a year."""
    return replace(
        world,
        papers=tuple(replace(each, year=None, date="") for each in world.papers),
        sentences=tuple(replace(each, year=None, date="") for each in world.sentences),
        drafts=tuple(replace(each, query=replace(each.query, year=None)) for each in world.drafts),
        claims=tuple(replace(each, query=replace(each.query, year=None)) for each in world.claims),
    )


def with_evidence(percent: int) -> Change:
    """Keep the sentences of this share of the citing papers."""
    return lambda world: replace(
        world, sentences=tuple(each for each in world.sentences if _drawn(each.citing, percent))
    )


def with_citations(percent: int) -> Change:
    """Keep the references of this share of the papers."""
    return lambda world: replace(
        world,
        papers=tuple(
            each if _drawn(each.id, percent) else replace(each, references=())
            for each in world.papers
        ),
    )


def _drawn(key: str, percent: int) -> bool:
    return zlib.crc32(b"x" + key.encode()) % 100 < percent


_ALPHABET = string.ascii_lowercase
_CIPHER = "".join(random.Random(7).sample(_ALPHABET, 26))
_TRANSLATED = str.maketrans(_ALPHABET + _ALPHABET.upper(), _CIPHER + _CIPHER.upper())


def in_no_language(world: World) -> World:
    """Replace letters by letters, so that no English stop word and no English ending is left."""

    def asked(each: Asked) -> Asked:
        query = each.query
        texts = (query.title, query.abstract, query.sentence)
        title, abstract, sentence = (text.translate(_TRANSLATED) for text in texts)
        return replace(
            each, query=replace(query, title=title, abstract=abstract, sentence=sentence)
        )

    return replace(
        world,
        papers=tuple(
            replace(
                each,
                title=each.title.translate(_TRANSLATED),
                abstract=each.abstract.translate(_TRANSLATED),
            )
            for each in world.papers
        ),
        sentences=tuple(
            replace(each, text=each.text.translate(_TRANSLATED)) for each in world.sentences
        ),
        drafts=tuple(map(asked, world.drafts)),
        claims=tuple(map(asked, world.claims)),
    )


def together(worlds: Sequence[World]) -> World:
    """Return one library of all papers, of several fields."""
    return World(
        papers=tuple({each.id: each for world in worlds for each in world.papers}.values()),
        sentences=tuple(each for world in worlds for each in world.sentences),
        drafts=tuple(each for world in worlds for each in world.drafts),
        claims=tuple(each for world in worlds for each in world.claims),
    )


def small(world: World, size: int) -> Iterator[World]:
    """Yield small libraries, each around one question or a few of different topics."""
    links, papers = _links(world), {each.id: each for each in world.papers}
    citing: dict[str, list[CitingSentence]] = defaultdict(list)
    for sentence in world.sentences:
        for key in {key for group in sentence.groups for key in group.cited}:
            citing[key].append(sentence)

    for kind in ("drafts", "claims"):
        every, count = getattr(world, kind), max(1, size // TOPIC)
        for start in range(0, len(every), count):
            asked = every[start : start + count]
            dice, kept = random.Random(start), set[str]()
            for number, each in enumerate(asked, 1):
                kept |= _around(each, links, size * number // len(asked) - len(kept), dice)
            kept |= set(dice.sample(sorted(papers), max(0, size - len(kept))))
            sentences = {id(each): each for key in sorted(kept) for each in citing[key]}
            found = tuple(papers[key] for key in sorted(kept) if key in papers)
            few = World(found, tuple(sentences.values()), (), ())
            yield replace(few, **{kind: asked})


def _links(world: World) -> dict[str, list[str]]:
    """Return the papers that each paper cites or that cite it."""
    known, links = {each.id for each in world.papers}, defaultdict(list)
    for paper in world.papers:
        for cited in known.intersection(paper.references):
            links[paper.id].append(cited)
            links[cited].append(paper.id)
    return links


def _around(asked: Asked, links: dict[str, list[str]], limit: int, dice: random.Random) -> set[str]:
    """Return what a draft cites, at most half of the limit, and papers that are linked to these."""
    chosen = set(asked.gold[: max(limit // 2, 1)])
    own = {asked.query.id, *asked.query.hidden}
    edge = sorted(chosen)
    while len(chosen) < limit and edge:
        near = sorted(links[edge.pop(dice.randrange(len(edge)))])
        new = [key for key in near if key not in chosen and key not in own]
        new = dice.sample(new, min(len(new), 5, limit - len(chosen)))
        chosen |= set(new)
        edge += new
    return chosen
