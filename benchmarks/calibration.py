"""The chances that answers show: fits the calibrations that ship on dev queries, and judges them on
test queries.

    python benchmarks/calibration.py --fit [drafts] [texts] [sentences]    writes what ships
    python benchmarks/calibration.py [drafts] [texts] [sentences]          judges it

`drafts` is of the model of `best`, `texts` of the one for libraries with vectors of MiniLM. Each
takes some five minutes the first time; answers are kept while the model is the same.

A fit has to be made again whenever the model changes: a calibration of another model is not used.
What is fitted on is mixed, so that the chances hold elsewhere: drafts and titles, libraries with
all papers, a random part, or some topics of them, with and without citations; and queries for which
nothing should be found: drafts of another field, word salads, nonsense. The truth is incomplete:
`cs` knows only the references that were matched by title, so the chances are those of being among
the references that the corpus knows.
"""

import functools
import pickle
import random
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

import citewise
import contexts
from citewise.arrays import Ragged, Rows
from citewise.evaluate import Question
from citewise.protocols import Graph, StoreParts, Stores
from citewise.rank.calibration import Calibration, shipped_calibration
from citewise.rank.trees import (
    DRAFT_MODEL,
    DRAFT_MODEL_WITH_TEXTS,
    SENTENCE_MODEL,
    ModelKind,
    shipped_model,
)
from citewise.systems import System
from citewise.train.calibrating import (
    Observation,
    Reliability,
    expected,
    fit_calibration,
    observed,
    word_salads,
)
from citewise.train.cases import ThinnedGraph, case_of
from citewise.types import Query, Scope
from lab import CORPORA, library_of, split_of
from measuring import save
from protocol import DATA, WORK
from ranker import copy_texts, with_texts
from small_libraries import libraries
from transfer import moved

LibraryOf = Callable[[str], citewise.Library]
"""Returns the library of a corpus."""

MODELS = Path(citewise.__file__).parent / "rank" / "models"
NONSENSE = (
    "the quick brown fox",
    "the quick brown fox jumps over the lazy dog",
    "lorem ipsum dolor sit amet",
    "pack my box with five dozen liquor jugs",
    "my cat likes fish",
    "how to bake sourdough bread at home",
    "asdf qwer zxcv",
    "the weather in Paris is nice today",
    "buy milk and eggs tomorrow",
    "once upon a time there was a king",
)
UNSEEN_NONSENSE = (
    "we went to the beach and ate ice cream",
    "colourless green ideas sleep furiously",
    "jackdaws love my big sphinx of quartz",
    "the train to Edinburgh leaves from platform nine",
    "zzyzx blorf quux",
    "roses are red and violets are blue",
    "my grandmother's apple pie recipe",
    "who won the football match last night",
    "the rain in Spain stays mainly in the plain",
    "please call me back before noon",
)
"""Nonsense that is not fitted on."""


@dataclass(frozen=True, slots=True)
class Case:
    """Questions of one kind, asked of one library."""

    kind: str
    stores: Stores
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Part:
    """A model that is calibrated, and the queries for it."""

    kind: ModelKind
    system: str
    source: str
    """What answers say of the calibration."""
    dev: Callable[[], Iterator[Case]]
    test: Callable[[], Iterator[Case]]


def main() -> None:
    asked = [each for each in sys.argv[1:] if not each.startswith("-")] or [*PARTS]
    for what in asked:
        if "--fit" in sys.argv:
            fit(what)
        else:
            judge(what)


def fit(what: str) -> None:
    """Fit a calibration and write it into the package."""
    part, found = PARTS[what], [each for _, each in seen(what, "dev")]
    calibration = fit_calibration(found, shipped_model(part.kind).digest, part.source)
    if calibration is None:
        sys.exit("too few queries have an answer")

    formatted = msgspec.json.format(msgspec.json.encode(calibration), indent=1)
    (MODELS / part.kind.folder / "calibration.json").write_bytes(formatted + b"\n")
    print(what, calibration.queries, Reliability.of(*expected(calibration, found)), flush=True)


def judge(what: str) -> None:
    """Save for each kind of query how far the chances that ship can be trusted."""
    kind = PARTS[what].kind
    calibration = shipped_calibration(kind)
    if calibration is None or calibration.model != shipped_model(kind).digest:
        sys.exit(f"{what}: the calibration is not of the model that ships; run --fit first")

    found: dict[str, list[Observation]] = {}
    for name, each in seen(what, "test"):
        found.setdefault(name, []).append(each)
    save(
        f"calibration-{what}",
        {
            "truth": "cited: among the references that the corpus knows",
            "model": calibration.model,
            "fitted on": calibration.queries,
            "by kind": {name: figures(calibration, each) for name, each in found.items()},
        },
    )


def figures(calibration: Calibration, observations: list[Observation]) -> dict:
    """Return the reliability of chances, and how many answers are good, weak and no matches."""
    known = [(calibration.curves.get(each.judge), each.inputs) for each in observations]
    matches = [curves.chances(inputs).match for curves, inputs in known if curves]
    return {
        "queries": len(observations),
        **asdict(Reliability.of(*expected(calibration, observations))),
        "matches": {
            name: round(matches.count(name) / max(len(matches), 1), 3)
            for name in ("good", "weak", "none")
        },
    }


def seen(what: str, part: str) -> list[tuple[str, Observation]]:
    """Return what a system answers to dev or test queries, with their kinds; a file keeps it as
    long as the model is the same.
    """
    model, system = shipped_model(PARTS[what].kind).digest, PARTS[what].system
    file = WORK / f"chances-{what}-{part}-{model}.pickle"
    if not file.exists():
        found = []
        for case in getattr(PARTS[what], part)():
            answers = observed(case.stores, System.parse(system).over(case.stores), case.questions)
            found += [(case.kind, each) for each in answers]
            print(what, part, case.kind, len(case.questions), flush=True)
        file.write_bytes(pickle.dumps(found))
    return list(pickle.loads(file.read_bytes()))


# Drafts


def draft_dev_cases(library_of: LibraryOf) -> Iterator[Case]:
    """Yield what the calibration of `best` is fitted on: dev 2021 of `cs`, in many forms."""
    dice, library = random.Random(1), library_of("cs")
    stores, split = library.stores, split_of("cs", library, CORPORA["cs"][0])
    dev, signed = split.questions(stores, "dev"), split.questions(stores, "dev", authors=True)
    order = dice.sample(range(len(dev)), len(dev))
    dev, signed = [dev[number] for number in order], [signed[number] for number in order]

    yield Case("whole", stores, dev[:250])
    yield Case("authors given", stores, signed[350:470])
    yield Case("half cited", stores, [half_cited(stores, each) for each in dev[550:650]])
    yield Case("title", stores, [titled(each) for each in dev[700:820]])
    yield Case("phrase", stores, [titled(each, dice.randint(2, 6)) for each in dev[250:370]])
    for share in (0.05, 0.3):
        fewer = replace(StoreParts.of(stores), graph=FewerCiting(stores.graph, share))
        yield Case("fewer citing papers", fewer, dev[550:610])

    no_graph = replace(StoreParts.of(stores), graph=ThinnedGraph(stores.graph, 0.0))
    yield Case("no graph", no_graph, dev[400:550])
    yield Case("no graph, title", no_graph, [titled(each) for each in dev[:80]])

    foreign = foreign_drafts("dev", 150)
    strange = [*word_salads(stores, 80, 0), *nonsense(NONSENSE)]
    yield Case("another field", stores, foreign)
    yield Case("another field", no_graph, foreign[::3])
    yield Case("salad", stores, strange)
    yield Case("salad", no_graph, strange[::2])

    for size in (1_000, 10_000, 30_000, 100_000):
        yield random_part(stores, dev[:100], size, dice)
    for size in (15, 60, 200, 500, 2000):
        for case in topics(stores, dev, size, dice):
            yield case
            yield replace(case, questions=dice.sample([*foreign, *strange], 2))


def draft_test_cases(library_of: LibraryOf) -> Iterator[Case]:
    """Yield what the calibration of `best` is judged on: `cs` test 2022, `elife` test 2023."""
    dice = random.Random(2)
    for corpus, other in (("cs", "elife"), ("elife", "cs")):
        library = library_of(corpus)
        stores, split = library.stores, split_of(corpus, library, CORPORA[corpus][0])
        test = split.questions(stores, "test")
        some = test[:: max(len(test) // 100, 1)]
        no_graph = replace(StoreParts.of(stores), graph=ThinnedGraph(stores.graph, 0.0))

        yield Case(f"{corpus} test", stores, test)
        yield Case(f"{corpus} test, title", stores, [titled(each) for each in some])
        yield Case(f"{corpus} test, no graph", no_graph, some)
        yield replace(
            random_part(stores, some, len(stores.papers) // 10, dice),
            kind=f"{corpus} test, a tenth of the papers",
        )
        yield Case(f"{other} asked of {corpus}", stores, foreign_drafts("test", 100, other))
        strange = [*word_salads(stores, 60, 1), *nonsense(UNSEEN_NONSENSE)]
        yield Case(f"salad asked of {corpus}", stores, strange)


def titled(question: Question, words: int | None = None) -> Question:
    """Return a question with the first words of its title alone."""
    title = " ".join(question.query.title.split()[:words])
    return replace(question, query=replace(question.query, title=title, abstract=""))


def half_cited(stores: Stores, question: Question) -> Question:
    """Return a question that cites half of its references already."""
    case = case_of(stores, question, "half cited", 0)
    return replace(question, query=case.query, gold=tuple(case.gold.tolist()))


def foreign_drafts(part: str, count: int, corpus: str = "elife") -> list[Question]:
    """Return drafts of another field, every third its title alone: nothing is to be found."""
    library = library_of(corpus)
    split = split_of(corpus, library, CORPORA[corpus][0])
    questions = split.questions(library.stores, part)  # type: ignore[arg-type]
    some = random.Random(0).sample(questions, count)
    return [
        Question(
            each.id,
            Query(each.query.title, each.query.abstract if number % 3 else ""),
            (),
        )
        for number, each in enumerate(some)
    ]


def nonsense(texts: Sequence[str], sentences: bool = False) -> list[Question]:
    """Return texts for which nothing is to be cited."""
    return [
        Question(text, Query(sentence=text) if sentences else Query(title=text), ())
        for text in texts
    ]


@dataclass(frozen=True, slots=True)
class FewerCiting:
    """A citation graph in which the references of only a share of the papers are known."""

    graph: Graph
    share: float

    def references(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what is known of what each paper cites."""
        found = self.graph.references(rows, scope)
        return found.kept(self._known(np.repeat(rows, found.lengths)))

    def citers(self, rows: Rows, scope: Scope | None = None) -> Ragged:
        """Return what is known to cite each paper."""
        found = self.graph.citers(rows, scope)
        return found.kept(self._known(found.values))

    def _known(self, citing: Rows) -> np.ndarray:
        return citing * 7919 % 1000 < self.share * 1000


def random_part(stores: Stores, questions: list[Question], size: int, dice: random.Random) -> Case:
    """Return the questions, asked of a library of some papers drawn at random."""
    rows = dice.sample(stores.papers.rows.tolist(), size)
    part = built(stores, rows)
    return Case(
        "a random part", part, [without_id(each) for each in moved(stores, part, questions)]
    )


def topics(stores: Stores, dev: list[Question], size: int, dice: random.Random) -> Iterator[Case]:
    """Yield small libraries around some drafts, which have some of what each of these cites."""
    kind, count = ("one topic", 30) if size < 100 else ("several topics", 80)
    some = [each for each in dev if 5 <= len(each.gold) <= 25][:count]
    for rows, asked in libraries(stores, some, kind, size):
        kept = set(rows)
        for each in asked:
            share = dice.random()
            kept -= {row for row in each.gold if dice.random() > share}
        if not kept:
            continue
        part = built(stores, sorted(kept))
        no_graph = replace(StoreParts.of(part), graph=ThinnedGraph(part.graph, 0.0))
        questions = [without_id(each) for each in moved(stores, part, asked)]
        yield Case("some topics", part, questions)
        yield Case("some topics, no graph", no_graph, questions)


def without_id(question: Question) -> Question:
    """Return a question that is no paper of the library."""
    return replace(question, query=replace(question.query, id="", hidden=()))


def built(stores: Stores, rows: Sequence[int]) -> Stores:
    """Build a library of some papers, in a folder for this run, with the vectors of MiniLM that
    these have.
    """
    folder, papers = Path(tempfile.mkdtemp(dir=WORK)) / "library", stores.papers.read(rows)
    citewise.add(papers, folder, keep_versions=True)
    copy_texts(stores, folder, papers)
    return citewise.open(folder).stores


# Sentences


def sentence_cases(held_out: bool) -> Iterator[Case]:
    """Yield sentences of one half of the citing papers, with their draft and alone, of libraries
    with and without citing sentences; and sentences for which nothing is to be found.

    The calibration of `evidence` is fitted on one half, and judged on the held-out one.
    """
    names, seed = contexts.COLLECTIONS, int(held_out)
    dice = random.Random(seed)
    stores = {name: contexts.library_of(name).stores for name in names}
    halves = {name: half(name, held_out) for name in names}

    for name in names:
        asked = random.Random(seed).sample(halves[name], min(350, len(halves[name])))
        yield Case(f"{name}, with draft", stores[name], asked[:150])
        yield Case(f"{name}, alone", stores[name], [alone(each) for each in asked[150:250]])
        mentions = [mention(each, dice) for each in asked[250:]]
        yield Case(f"{name}, some words", stores[name], mentions)

        bare = without_sentences(name)
        mixed = [alone(each) if number % 2 else each for number, each in enumerate(asked[100:200])]
        yield Case(f"{name}, no citing sentences", bare, moved(stores[name], bare, mixed))

        strange = [
            *word_salads(stores[name], 40, seed, sentences=True),
            *nonsense(UNSEEN_NONSENSE if held_out else NONSENSE, sentences=True),
        ]
        other = "peerread" if name == "evoeco" else "evoeco"
        foreign = [replace(alone(each), gold=()) for each in halves[other][:60]]
        for asked_of in (stores[name], bare):
            yield Case(f"another field asked of {name}", asked_of, foreign)
            yield Case(f"salad asked of {name}", asked_of, strange)


def half(name: str, held_out: bool) -> list[Question]:
    """Return the dev sentences of one half of a collection's citing papers."""
    questions = contexts.dev_questions(contexts.library_of(name), name)
    return [
        each
        for each in questions
        if (zlib.crc32(each.query.hidden[0].encode()) % 2 == 1) == held_out
    ]


def alone(question: Question) -> Question:
    """Return a sentence without its draft."""
    return replace(question, query=replace(question.query, title="", abstract=""))


def mention(question: Question, dice: random.Random) -> Question:
    """Return a few words in a row of a sentence, as an author may type them."""
    words = question.query.sentence.split()
    count = dice.randint(3, 8)
    start = dice.randrange(max(len(words) - count, 1))
    text = " ".join(words[start : start + count])
    return replace(question, query=replace(alone(question).query, sentence=text))


def without_sentences(name: str) -> Stores:
    """Return the library of a collection's papers alone; it is made where it is not there."""
    folder = WORK / f"{name}-papers-library"
    if not (folder / "manifest.json").exists():
        citewise.index([DATA / f"{name}-contexts" / "papers.jsonl.xz"], folder)
    return citewise.open(folder).stores


PARTS = {
    "drafts": Part(
        DRAFT_MODEL,
        "best",
        "the calibration that ships with citewise (computer science, 2021)",
        functools.partial(draft_dev_cases, library_of),
        functools.partial(draft_test_cases, library_of),
    ),
    "texts": Part(
        DRAFT_MODEL_WITH_TEXTS,
        "best",
        "the calibration that ships with citewise (computer science, 2021)",
        functools.partial(draft_dev_cases, with_texts),
        functools.partial(draft_test_cases, with_texts),
    ),
    "sentences": Part(
        SENTENCE_MODEL,
        "evidence",
        "the calibration that ships with citewise (citing sentences of three fields)",
        functools.partial(sentence_cases, held_out=False),
        functools.partial(sentence_cases, held_out=True),
    ),
}


if __name__ == "__main__":
    main()
