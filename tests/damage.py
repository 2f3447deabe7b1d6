"""Damages files of a library, one at a time, and sees what a reader and `verify` make of it.

Each case runs in a process of its own (a fork), since damage may crash or hang what reads it.
"""

import hashlib
import importlib.resources
import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

import citewise
from citewise.library import checks, writer
from citewise.library.folder import LibraryFolder
from citewise.protocols import EncodedBy
from citewise.rank.trees import DRAFT_MODEL, SENTENCE_MODEL, ModelKind, SavedModel, shipped_model
from citewise.types import CitationGroup, CitingSentence, Paper
from word_models import StemModel

Outcome = Literal[
    "same answer", "clear error", "raw exception", "crash or hang", "silently different"
]
KINDS = ("byte", "cut", "zeros")
_ZEROED = 64
_PATIENCE = 60
"""Seconds after which a reader is said to hang."""

_TEXT = "neural graph ranking citation sentence corpus learning query model index library search "
_TEXT += "parser tree vector abstract reference author evidence storage"
_WORDS = _TEXT.split()


@dataclass(frozen=True, slots=True)
class Damage:
    """One change of one file."""

    file: str
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """What a reader and `verify` made of one damage."""

    file: str
    kind: str
    outcome: Outcome
    verified: bool
    """Whether `verify` found it."""
    detail: str = ""


class LetterEncoder:
    """Gives each text a vector of eight numbers that follow from its letters."""

    about = EncodedBy("letters", "fp32", "test", 8)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
        vectors = np.array([[*each] for each in digests], np.float32).reshape(-1, 8) + 1
        found: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return found


def build(folder: Path, papers: int = 300, seed: int = 0) -> Path:
    """Make a library that has everything: two segments, citing sentences, vectors, own models.

    In a process of its own: what ran threads here could not be forked afterwards.
    """
    _in_a_fork(_build, folder, papers, seed)
    return folder / "library"


def _build(folder: Path, papers: int, seed: int) -> tuple[str, str]:
    return str(build_here(folder, papers, seed)), ""


def build_here(folder: Path, papers: int = 300, seed: int = 0) -> Path:
    """Make the same library in this process."""
    dice = random.Random(seed)
    records = [_paper(number, dice) for number in range(papers)]
    sentences = [_sentence(number, papers, dice) for number in range(2 * papers)]

    cut = papers * 9 // 10
    citewise.add([*records[:cut], *sentences], folder / "library", keep_versions=True)
    citewise.add(records[cut:], folder / "library", keep_versions=True)
    citewise.remove(folder / "library", ["p1"])
    writer.encode(folder / "library", LetterEncoder(), papers=True)
    writer.embed(folder / "library", "stems", StemModel())
    for kind in (DRAFT_MODEL, SENTENCE_MODEL):
        LibraryFolder(folder / "library").models.save(kind.name, _own_model(kind).encoded())
    return folder / "library"


def _paper(number: int, dice: random.Random) -> Paper:
    return Paper(
        f"p{number}",
        " ".join(dice.choices(_WORDS, k=5)) + f" {number}",
        abstract=" ".join(dice.choices(_WORDS, k=40)),
        year=1990 + number % 30,
        authors=(f"Ann Author{number % 17}",),
        references=tuple(f"p{dice.randrange(number)}" for _ in range(min(number, 8))),
    )


def _sentence(number: int, papers: int, dice: random.Random) -> CitingSentence:
    text = " ".join(dice.choices(_WORDS, k=9)) + " [REF]."
    start = text.index("[REF]")
    cited = CitationGroup(start, start + 5, (f"p{dice.randrange(papers)}",))
    return CitingSentence(f"p{dice.randrange(papers)}", text, (cited,), year=2020, start=number)


def _own_model(kind: ModelKind) -> SavedModel:
    shipped = shipped_model(kind)
    trees = importlib.resources.files("citewise") / "rank" / "models" / kind.folder / "trees.txt"
    return SavedModel(
        trees=trees.read_text("utf-8"),
        provenance={"trained on": "nothing"},
        features=shipped.names,
        definition=kind.definition(shipped.names, shipped.linear),
        linear=shipped.linear,
    )


def damages(library: Path, count: int, seed: int) -> Iterator[Damage]:
    """Yield changes, spread evenly over all files that a reader or a writer relies on."""
    dice = random.Random(seed)
    files = sorted(file for file in library.rglob("*") if _matters(file))
    for number in range(count):
        file = files[number % len(files)]
        kind = KINDS[(number // len(files) + number) % len(KINDS)]
        name = file.relative_to(library).as_posix()
        yield Damage(name, kind, _changed(file.read_bytes(), kind, dice))


def _matters(file: Path) -> bool:
    return file.is_file() and file.suffix != ".lock"


def _changed(content: bytes, kind: str, dice: random.Random) -> bytes:
    if not content:
        return b"\1"
    at = dice.randrange(len(content))
    if kind == "cut":
        return content[:at]
    if kind == "zeros":
        zeroed = content[:at] + bytes(len(content[at : at + _ZEROED])) + content[at + _ZEROED :]
        if zeroed != content:
            return zeroed
    return content[:at] + bytes([content[at] ^ dice.randrange(1, 256)]) + content[at + 1 :]


def answer(library: Path) -> str:
    """Return a digest of all that a library answers: drafts, sentences, papers, vectors, counts."""
    opened = citewise.open(library)
    stores = LibraryFolder(library)
    rows = stores.papers.rows
    found = [
        opened.recommend(" ".join(_WORDS[:4]), " ".join(_WORDS[3:12]), k=20, explain=True).to(
            "json"
        ),
        opened.cite(" ".join(_WORDS[2:8]), k=20).to("json"),
        opened.recommend(" ".join(_WORDS[8:]), k=20, system="bm25", year=2005).to("json"),
        repr(stores.papers.read(rows)),
        repr(opened.describe()),
        *(_of_papers(stores, name) for name in stores.vectors.names()),
        stores.vectors.of_spans(stores.evidence.cited_spans()).tobytes().hex(),
    ]
    return hashlib.blake2b("\n".join(found).encode()).hexdigest()


def _of_papers(stores: LibraryFolder, name: str) -> str:
    found = stores.vectors.papers(name)
    return found.of(stores.papers.rows).tobytes().hex() if found is not None else ""


def outcome(library: Path, damage: Damage, expected: str) -> Case:
    """Return what becomes of one damage; the file is as it was afterwards."""
    file = library / damage.file
    whole = file.read_bytes()
    file.write_bytes(damage.content)
    try:
        found, detail = _in_a_fork(read, library, expected)
        verified, _ = _in_a_fork(_verified, library)
    finally:
        file.write_bytes(whole)
    return Case(damage.file, damage.kind, found, verified == "found", detail)


def run(library: Path, count: int, seed: int, checked: int | None = None) -> list[Case]:
    """Return what becomes of `count` damages; `checked` stands for how many bytes are compared
    with their checksums on opening.
    """
    before = checks.CHECKED_AT_OPENING
    checks.CHECKED_AT_OPENING = before if checked is None else checked
    try:
        expected, _ = _in_a_fork(_digest, library)
        return [outcome(library, damage, expected) for damage in damages(library, count, seed)]
    finally:
        checks.CHECKED_AT_OPENING = before


def summary(cases: Sequence[Case]) -> dict[str, Any]:
    """Return how often each outcome occurred, and what `verify` missed."""
    counts = Counter(case.outcome for case in cases)
    return {
        "damages": len(cases),
        "files": len({case.file for case in cases}),
        **{outcome: counts[outcome] for outcome in Outcome.__args__},  # type: ignore[attr-defined]
        "found by verify": sum(case.verified for case in cases),
    }


def read(library: Path, expected: str) -> tuple[str, str]:
    """Return what a reader makes of a library, and the error if there is one."""
    try:
        found = answer(library)
    except citewise.CitewiseError as error:
        return "clear error", str(error)
    except BaseException as error:  # a panic of tantivy is no Exception
        return "raw exception", f"{type(error).__name__}: {error}"
    return ("same answer" if found == expected else "silently different"), ""


def _digest(library: Path) -> tuple[str, str]:
    return answer(library), ""


def _verified(library: Path) -> tuple[str, str]:
    try:
        return ("missed" if citewise.verify(library).sound else "found"), ""
    except citewise.CitewiseError as error:
        return "found", str(error)


def _in_a_fork(function: Any, *arguments: Any) -> tuple[Any, str]:
    """Return what a function returns in a process of its own; where that dies, so does it say."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        if receiver.poll(_PATIENCE):
            found: tuple[Any, str] = msgspec.json.decode(
                receiver.recv_bytes(), type=tuple[str, str]
            )
            return found
        return "crash or hang", "no answer in time"
    except EOFError:
        process.join()
        return "crash or hang", f"ended with code {process.exitcode}"
    finally:
        process.kill()
        process.join()


def _send(sender: Any, function: Any, arguments: Sequence[Any]) -> None:
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # a panic of tantivy writes there
        sender.send_bytes(msgspec.json.encode(function(*arguments)))
