"""Vectors in a library: those of the encoder, valid through every change, whole after a crash."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from citing import citing
from typer.testing import CliRunner

import citewise
from citewise.cli import app
from citewise.embed.encoder import BertEncoder
from citewise.errors import BadLibrary, LibraryBusy, MissingData
from citewise.library import vectors, writer
from citewise.library.library import Library
from citewise.library.lock import writer_lock
from citewise.types import CitingSentence, Paper

SAID = ("Words are aligned quickly.", "Scores agree with judges.", "Trees are hard to parse.",
        "Corpora grow every year.", "Vectors of words carry meaning.", "Attention is cheap.")


def papers(*numbers: int) -> list[Paper]:
    return [Paper(f"p{number}", f"Paper number {number}", abstract=f"On {SAID[number]}", year=2000 + number)
            for number in numbers]


def sentences(*numbers: int) -> list[CitingSentence]:
    """Each paper's sentence cites the first paper."""
    return [citing(f"p{number}", f"{SAID[number][:-1]} [REF].", ("p0",), year=2000 + number) for number in numbers]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    citewise.add([*papers(0, 1, 2, 3), *sentences(1, 2, 3)], folder)
    return folder


def by_text(folder: Path) -> dict[str, np.ndarray]:
    held = Library(folder)
    spans = held.evidence.spans()
    return dict(zip(held.span_texts(spans), held.span_vectors(spans), strict=True))


def test_every_span_and_paper_has_its_vector(library: Path) -> None:
    assert citewise.encode(library, precision="fp32", papers=True) == 3 + 4
    encoder, held = BertEncoder("minilm", "fp32"), Library(library)
    for text, vector in by_text(library).items():
        assert vector == pytest.approx(encoder.encode([text])[0], abs=1e-3)
    texts = [f"{paper.title} {paper.abstract}" for paper in held.papers(held.rows)]
    assert held.paper_vectors(held.rows) == pytest.approx(encoder.encode(texts), abs=1e-3)
    about = citewise.open(library).describe()
    assert (about.encoder, about.span_vectors, about.paper_vectors) == ("minilm (fp32)", 3, 4)
    assert citewise.verify(library).sound


def test_without_vectors_all_is_unknown(library: Path) -> None:
    held = Library(library)
    assert held.encoded_by() is None
    assert np.isnan(held.span_vectors(held.evidence.spans())).all()
    citewise.encode(library)
    held = Library(library)
    assert np.isnan(held.paper_vectors(held.rows)).all(), "papers were not asked for"


def test_they_stay_valid_through_every_change(library: Path) -> None:
    citewise.encode(library, papers=True)
    before = by_text(library)
    citewise.add([*papers(4, 5), *sentences(4, 5)], library)
    grown = by_text(library)
    assert [text for text, vector in grown.items() if np.isnan(vector).any()] == [SAID[4], SAID[5]]
    assert all(np.array_equal(grown[text], vector) for text, vector in before.items())
    assert citewise.open(library).describe().span_vectors == 3
    assert citewise.encode(library) == 2 + 2, "papers had vectors, so they get them again"
    citewise.remove(library, ["p2"])
    citewise.compact(library)
    after = by_text(library)
    assert SAID[2] not in after
    assert all(np.array_equal(after[text], before[text]) for text in (SAID[1], SAID[3]))
    assert citewise.encode(library) == 0
    assert Library(library).vectors.keys("spans").size == 4, "what is gone has no vector any more"
    assert citewise.verify(library).sound


def test_nothing_is_written_where_nothing_is_new(library: Path) -> None:
    citewise.encode(library)
    before = {file: file.stat().st_mtime_ns for file in (library / "vectors").iterdir()}
    assert citewise.encode(library) == 0
    assert {file: file.stat().st_mtime_ns for file in (library / "vectors").iterdir()} == before


def test_another_encoder_replaces_all(library: Path) -> None:
    citewise.encode(library, precision="int8")
    opened = Library(library)
    assert opened.encoded_by().precision == "int8"
    assert citewise.encode(library, precision="fp32") == 3
    assert Library(library).encoded_by().precision == "fp32"
    spans = opened.evidence.spans()
    assert not np.isnan(opened.span_vectors(spans)).any(), "who had it open keeps what there was"


class Stopping:
    """The encoder, until it is interrupted."""

    def __init__(self, encoder: BertEncoder, calls: int) -> None:
        self.encoder, self.calls = encoder, calls

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return self.encoder.encode(texts)


def test_interrupted_it_leaves_the_library_as_it_was_and_goes_on(library: Path, monkeypatch: pytest.MonkeyPatch,
                                                                 ) -> None:
    citewise.encode(library, precision="int8")
    before = by_text(library)
    monkeypatch.setattr(vectors, "_PART", 1)
    encoder = BertEncoder("minilm", "fp32")
    with pytest.raises(KeyboardInterrupt):
        writer.encode(library, Stopping(encoder, 2), encoder.about)
    assert Library(library).encoded_by().precision == "int8"
    assert all(np.array_equal(by_text(library)[text], vector) for text, vector in before.items())
    assert citewise.verify(library).sound
    assert writer.encode(library, encoder, encoder.about) == 1, "two of three were kept"
    assert len([*(library / "vectors").iterdir()]) == 3, "two files and the manifest"


def test_killed_it_leaves_the_library_as_it_was(library: Path) -> None:
    code = """
import sys, citewise
from citewise.library import vectors
vectors._PART = 1
citewise.encode(sys.argv[1], progress=lambda what, done, total: (print(done, flush=True), sys.stdin.read(1)))
"""
    with subprocess.Popen([sys.executable, "-c", code, str(library)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "1\n"
        process.send_signal(signal.SIGKILL)
    assert Library(library).encoded_by() is None
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


def test_damage_is_found(library: Path, tmp_path: Path) -> None:
    citewise.encode(library)
    for name, (suffix, said) in enumerate({"values": "content changed", "keys": "missing"}.items()):
        damaged = Path(shutil.copytree(library, tmp_path / str(name)))
        (file,) = (damaged / "vectors").glob(f"*.{suffix}")
        content = file.read_bytes()
        file.unlink() if said == "missing" else file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        (problem,) = citewise.verify(damaged).problems
        assert said in problem


@pytest.mark.parametrize("name", ["manifest.json", "*.values"])
def test_damage_is_named_to_who_asks(library: Path, name: str) -> None:
    citewise.encode(library)
    (file,) = (library / "vectors").glob(name)
    file.write_bytes(file.read_bytes()[:-5])
    assert not citewise.verify(library).sound
    with pytest.raises(BadLibrary, match="citewise encode"):
        citewise.open(library).cite("trees", system="ilciter")
    assert citewise.open(library).cite("trees", system="ilciter(dense=never)"), "words need no vectors"


def test_vectors_must_be_of_length_1(library: Path) -> None:
    encoder = BertEncoder("minilm", "fp32")

    class Doubled:
        def encode(self, texts: Sequence[str]) -> np.ndarray:
            return 2 * encoder.encode(texts)

    writer.encode(library, Doubled(), encoder.about)
    (problem,) = citewise.verify(library).problems
    assert "not of length 1" in problem


def test_the_command(library: Path) -> None:
    done = CliRunner().invoke(app, ["encode", "--library", str(library), "--papers"])
    assert done.exit_code == 0 and "7 texts encoded" in done.stderr
    assert "3 of spans, 4 of papers; by minilm (int8)" in CliRunner().invoke(app, [
        "info", "--library", str(library)]).stdout
