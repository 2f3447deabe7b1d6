"""Vectors in a library: those of the encoder, valid through every change, whole after a crash."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import citewise
from citewise.api import VectorSet
from citewise.cli import app
from citewise.embed.encoder import TransformerEncoder
from citewise.errors import BadLibrary, LibraryBusy, MissingData
from citewise.library import vectors, writer
from citewise.library.embeddings import writing
from citewise.library.folder import LibraryFolder
from citewise.library.lock import writer_lock
from citewise.protocols import Precision
from citewise.types import CitingSentence, Paper, Scope
from citing import citing
from libraries import papers_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("encoder_cache")]

CLAIMS = (
    "Words are aligned quickly.",
    "Scores agree with judges.",
    "Trees are hard to parse.",
    "Corpora grow every year.",
    "Vectors of words carry meaning.",
    "Attention is cheap.",
)


def papers(*numbers: int) -> list[Paper]:
    """Return papers p0, p1, ... with these numbers, each about one of the claims."""
    return [
        Paper(
            f"p{number}",
            f"Paper number {number}",
            abstract=f"On {CLAIMS[number]}",
            year=2000 + number,
        )
        for number in numbers
    ]


def sentences(*numbers: int) -> list[CitingSentence]:
    """Return a sentence of each of these papers: its claim, for which it cites the first paper."""
    return [
        citing(f"p{number}", f"{CLAIMS[number][:-1]} [REF].", ("p0",), year=2000 + number)
        for number in numbers
    ]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library of four papers and three sentences, without vectors."""
    folder = tmp_path / "library"
    citewise.add([*papers(0, 1, 2, 3), *sentences(1, 2, 3)], folder, vectors=False)
    return folder


def by_text(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the vector of each span, by its text."""
    stores = LibraryFolder(folder)
    spans = stores.evidence.cited_spans()
    return dict(zip(stores.evidence.texts(spans), stores.vectors.of_spans(spans), strict=True))


def precision_of(folder: Path) -> Precision | None:
    """Return the precision of the encoder that made a library's vectors; None: it has none."""
    about = LibraryFolder(folder).vectors.encoded_by()
    return about.precision if about else None


def test_every_span_and_paper_has_its_vector(library: Path) -> None:
    assert citewise.encode(library, precision="fp32", papers=True) == 3 + 4
    encoder, stores = TransformerEncoder("minilm", "fp32"), LibraryFolder(library)
    for text, vector in by_text(library).items():
        assert vector == pytest.approx(encoder.encode([text])[0], abs=1e-3)
    texts = [f"{paper.title} {paper.abstract}" for paper in papers_of(stores)]
    papers_found = stores.vectors.papers("minilm")
    assert papers_found is not None
    found = papers_found.of(stores.papers.rows)
    assert found == pytest.approx(encoder.encode(texts), abs=1e-3)

    about = citewise.open(library).describe()
    assert (about.encoder, about.span_vectors) == ("minilm (fp32)", 3)
    assert about.paper_vectors == (VectorSet("minilm", "minilm", 384, 4),)
    assert citewise.verify(library).sound


def test_without_vectors_all_is_unknown(library: Path) -> None:
    stores = LibraryFolder(library)
    spans = stores.evidence.cited_spans()
    assert stores.vectors.encoded_by() is None
    assert spans.size and np.isnan(stores.vectors.of_spans(spans)).all()

    citewise.encode(library)
    assert LibraryFolder(library).vectors.names() == (), "papers were not asked for"


def test_they_stay_valid_through_every_change(library: Path) -> None:
    citewise.encode(library, papers=True)
    before = by_text(library)

    citewise.add([*papers(4, 5), *sentences(4, 5)], library)
    grown = by_text(library)
    unknown = [text for text, vector in grown.items() if np.isnan(vector).any()]
    assert unknown == [CLAIMS[4], CLAIMS[5]]
    assert all(np.array_equal(grown[text], vector) for text, vector in before.items())
    assert citewise.open(library).describe().span_vectors == 3
    assert citewise.encode(library) == 2 + 2, "papers had vectors, so they get them again"

    citewise.remove(library, ["p2"])
    citewise.compact(library)
    after = by_text(library)
    assert CLAIMS[2] not in after
    assert all(np.array_equal(after[text], before[text]) for text in (CLAIMS[1], CLAIMS[3]))
    assert citewise.encode(library) == 0
    reader = vectors.load(library)
    assert reader is not None
    assert reader.keys("spans").size == 4, "what is gone has no vector any more"
    assert citewise.verify(library).sound


def test_nothing_is_written_where_nothing_is_new(library: Path) -> None:
    citewise.encode(library)
    before = {file: file.stat().st_mtime_ns for file in (library / "vectors").iterdir()}
    assert citewise.encode(library) == 0
    assert {file: file.stat().st_mtime_ns for file in (library / "vectors").iterdir()} == before


def test_another_encoder_replaces_all(library: Path) -> None:
    citewise.encode(library, precision="int8")
    reader = LibraryFolder(library)
    about = reader.vectors.encoded_by()
    assert about is not None and about.precision == "int8"

    assert citewise.encode(library, precision="fp32") == 3
    assert precision_of(library) == "fp32"
    kept = reader.vectors.of_spans(reader.evidence.cited_spans())
    assert kept.size and not np.isnan(kept).any(), "who had it open keeps what there was"


# Large sets


def test_a_large_set_is_copied_into_the_generation(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it has lists, and rows are known without reading a text."""
    monkeypatch.setattr(writer, "COPIED_FROM", 4)
    monkeypatch.setattr(writing, "LARGE", 4)
    citewise.encode(library, papers=True)
    stores = LibraryFolder(library)
    copied, exact = stores.vectors.sets["minilm"], stores.vectors.encoded("minilm")
    assert exact is not None and copied.about == exact.about
    assert copied.entry.centroids and len(copied) == 4

    rows = stores.papers.rows
    assert copied.of(rows) == pytest.approx(exact.of(rows), abs=0.002)
    for row in rows:
        vector = exact.of(rows[row : row + 1])[0]
        found, cosines = copied.nearest(vector, 4, Scope())
        expected, similar = exact.nearest(vector, 4, Scope())
        assert found.tolist() == expected.tolist()
        assert cosines == pytest.approx(similar, abs=0.01)

    generation = stores.manifest.generation
    assert citewise.encode(library, papers=True) == 0
    assert LibraryFolder(library).manifest.generation == generation, "nothing was new"


def test_a_copied_set_follows_its_library(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "COPIED_FROM", 4)
    citewise.encode(library, papers=True)
    citewise.add(papers(4), library)
    citewise.remove(library, ["p0"])
    found = citewise.open(library).stores.vectors.papers("minilm")
    assert found is not None and len(found) == 3, "the new paper has none yet"

    assert citewise.encode(library, papers=True) == 1
    citewise.compact(library)
    stores = LibraryFolder(library)
    copied, exact = stores.vectors.sets["minilm"], stores.vectors.encoded("minilm")
    assert exact is not None and len(copied) == 4
    rows = stores.papers.rows
    assert copied.of(rows) == pytest.approx(exact.of(rows), abs=0.002)
    assert citewise.verify(library).sound

    citewise.encode(library, papers=True, precision="fp32")
    assert LibraryFolder(library).vectors.sets["minilm"].about.precision == "fp32"

    citewise.remove(library, [paper.id for paper in papers_of(LibraryFolder(library))])
    assert citewise.encode(library, papers=True) == 0, "there is nothing left to encode or to copy"
    assert citewise.verify(library).sound


# Interrupted


class Stopping:
    """An encoder that is interrupted after some calls."""

    def __init__(self, encoder: TransformerEncoder, calls: int) -> None:
        self._encoder, self._calls = encoder, calls
        self.about = encoder.about

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode the texts, unless the calls are used up."""
        self._calls -= 1
        if self._calls < 0:
            raise KeyboardInterrupt
        return self._encoder.encode(texts)


def test_interrupted_it_leaves_the_library_as_it_was_and_goes_on(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    citewise.encode(library, precision="int8")
    before = by_text(library)
    monkeypatch.setattr(vectors, "_STEP", 1)
    encoder = TransformerEncoder("minilm", "fp32")

    with pytest.raises(KeyboardInterrupt):
        writer.encode(library, Stopping(encoder, 2))
    assert precision_of(library) == "int8"
    assert all(np.array_equal(by_text(library)[text], vector) for text, vector in before.items())
    assert citewise.verify(library).sound

    assert writer.encode(library, encoder) == 1, "two of three were kept"
    assert len([*(library / "vectors").iterdir()]) == 3, "two files and the manifest"


KILLED = """
import sys, citewise
from citewise.library import vectors

def report(what, done, total):
    print(done, flush=True)
    sys.stdin.read(1)

vectors._STEP = 1
citewise.encode(sys.argv[1], progress=report)
"""


def test_killed_it_leaves_the_library_as_it_was(library: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(library)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "1\n"
        process.send_signal(signal.SIGKILL)
    assert precision_of(library) is None
    assert citewise.verify(library).sound

    assert citewise.encode(library) == 2
    assert not np.isnan(np.stack([*by_text(library).values()])).any()


def test_there_is_one_writer(library: Path) -> None:
    with writer_lock(library), pytest.raises(LibraryBusy):
        citewise.encode(library)


def test_there_must_be_a_library(tmp_path: Path) -> None:
    with pytest.raises(MissingData):
        citewise.encode(tmp_path / "none")
    assert not (tmp_path / "none").exists()


# Damage


def test_a_changed_byte_is_found(library: Path) -> None:
    citewise.encode(library)
    (file,) = (library / "vectors").glob("*.values")
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    (problem,) = citewise.verify(library).problems
    assert "content changed" in problem


def test_a_missing_file_is_found(library: Path) -> None:
    citewise.encode(library)
    (file,) = (library / "vectors").glob("*.keys")
    file.unlink()
    (problem,) = citewise.verify(library).problems
    assert "missing" in problem


@pytest.mark.parametrize("name", ["manifest.json", "*.values"])
def test_damage_is_named_to_who_asks(library: Path, name: str) -> None:
    citewise.encode(library)
    (file,) = (library / "vectors").glob(name)
    file.write_bytes(file.read_bytes()[:-5])
    assert not citewise.verify(library).sound
    with pytest.raises(BadLibrary, match="citewise encode"):
        citewise.open(library).cite("trees", system="ilciter")
    by_words = citewise.open(library).cite("trees", system="ilciter(dense=never)")
    assert len(by_words), "words need no vectors"


class Doubled:
    """An encoder whose vectors are of length 2."""

    def __init__(self, encoder: TransformerEncoder) -> None:
        self._encoder = encoder
        self.about = encoder.about

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode the texts, wrongly."""
        return 2 * self._encoder.encode(texts)


def test_vectors_must_be_of_length_1(library: Path) -> None:
    writer.encode(library, Doubled(TransformerEncoder("minilm", "fp32")))
    (problem,) = citewise.verify(library).problems
    assert "not of length 1" in problem


def test_the_command(library: Path) -> None:
    done = CliRunner().invoke(app, ["encode", "--library", str(library), "--papers"])
    assert done.exit_code == 0 and "7 texts encoded" in done.stderr
    shown = CliRunner().invoke(app, ["info", "--library", str(library)]).stdout
    assert "3 of spans, by minilm (int8)" in shown
    assert "4 of papers, minilm: 384 numbers" in shown
