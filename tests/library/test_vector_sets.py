"""Several encoders' vectors of papers in one library: named after their models, beside the spans'
own encoder.
"""

import dataclasses
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import citewise
from citewise.library import vectors, writer
from citewise.library.folder import LibraryFolder
from citewise.protocols import Distance, EncodedBy, TextForm
from citewise.types import Paper
from citing import citing

PAPERS = [Paper(f"p{number}", f"Title {number}", f"Abstract {number}.") for number in range(4)]


class Counting:
    """An encoder that makes a vector of the numbers in a text, and remembers what it was given."""

    def __init__(self, model: str, distance: Distance = "l2", form: TextForm | None = None) -> None:
        self.about = EncodedBy(model, "fp32", "digest", 2, distance)
        self.form = form or TextForm()
        self.given: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.given += texts
        found = np.array([[sum(map(str.isdigit, text)), len(text)] for text in texts], np.float32)
        if self.about.distance == "cosine":
            found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The folder of a library of four papers and a sentence."""
    sentence = citing("p1", "Our cat chased a dog across the big yard [REF].", ("p0",), year=2002)
    citewise.add([*PAPERS, sentence], tmp_path / "library", vectors=False)
    return tmp_path / "library"


def test_several_encoders_have_a_set_each(library: Path) -> None:
    one, other, third = Counting("one", "cosine"), Counting("other"), Counting("third", "cosine")
    assert writer.encode(library, one, papers=True) == 4 + 1, "spans, too: nobody encoded them"
    assert writer.encode(library, other, papers=True) == 4, "the spans have vectors of another"
    assert writer.encode(library, third, papers=True) == 4

    stores = LibraryFolder(library)
    assert stores.vectors.names() == ("one", "other", "third")
    assert stores.vectors.encoded_by() == one.about
    for encoder in (one, other, third):
        papers = stores.vectors.papers(encoder.about.model)
        assert papers is not None and papers.about == encoder.about and len(papers) == 4
        expected = encoder.encode([f"{each.title} {each.abstract}" for each in PAPERS])
        assert papers.of(stores.papers.rows) == pytest.approx(expected, rel=1e-3)
    assert citewise.verify(library).sound
    assert [each.name for each in citewise.open(library).describe().paper_vectors] == [
        "one",
        "other",
        "third",
    ]


def test_spans_are_encoded_where_that_is_asked_for(library: Path) -> None:
    assert writer.encode(library, Counting("one", "cosine")) == 1
    assert writer.encode(library, Counting("other"), papers=True, spans=True) == 4 + 1
    stores = LibraryFolder(library)
    by = stores.vectors.encoded_by()
    assert by is not None and by.model == "other"
    spans = stores.vectors.of_spans(stores.evidence.cited_spans())
    assert np.linalg.norm(spans, axis=1) == pytest.approx(1, abs=1e-3), (
        "those of spans have length 1"
    )
    assert stores.vectors.names() == ("other",)
    assert citewise.verify(library).sound

    assert writer.encode(library, Counting("third"), papers=True, spans=False) == 4
    assert LibraryFolder(library).vectors.names() == ("other", "third")


@pytest.mark.slow
def test_a_set_follows_its_library(library: Path) -> None:
    writer.encode(library, Counting("one", "cosine"))
    encoder = Counting("other")
    writer.encode(library, encoder, papers=True)
    citewise.add([Paper("late", "A late one")], library)
    stores = LibraryFolder(library)
    papers = stores.vectors.papers("other")
    assert papers is not None and len(papers) == 4

    encoder.given.clear()
    assert writer.encode(library, encoder, papers=True) == 1
    assert encoder.given == ["A late one"], "the others have their vectors"
    citewise.remove(library, ["p0"])
    assert writer.encode(library, encoder, papers=True) == 0
    papers = LibraryFolder(library).vectors.papers("other")
    assert papers is not None and len(papers) == 4


def test_papers_are_encoded_in_the_encoders_form(library: Path) -> None:
    encoder = Counting("e5", form=TextForm("[SEP]", "query: ", "passage: "))
    writer.encode(library, encoder, papers=True, spans=False)
    assert sorted(encoder.given) == [
        f"passage: Title {number}[SEP]Abstract {number}." for number in range(4)
    ]
    assert encoder.form.query("Title", "") == "query: Title[SEP]"


def test_another_version_of_a_model_replaces_its_set(library: Path) -> None:
    writer.encode(library, Counting("one", "cosine"))
    first, second = Counting("other"), Counting("other")
    second.about = dataclasses.replace(second.about, digest="changed")
    writer.encode(library, first, papers=True)
    assert writer.encode(library, second, papers=True) == 4
    papers = LibraryFolder(library).vectors.papers("other")
    assert papers is not None and papers.about.digest == "changed"


PATHS = [str(folder) for folder in Path(__file__).parents[:2]]
KILLED = """
import sys
sys.path[:0] = sys.argv[2:]
from citewise.library import vectors, writer
from test_vector_sets import Counting

def report(what, done, total):
    print(what, done, total, flush=True)
    sys.stdin.read(1)

vectors._STEP = 1
writer.encode(sys.argv[1], Counting("other"), papers=True, spans=False, progress=report)
"""


@pytest.mark.slow
def test_killed_it_goes_on(library: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(library), *PATHS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "papers 1 4\n"
        process.stdin.write("x")
        process.stdin.flush()
        assert process.stdout.readline() == "papers 2 4\n"
        process.send_signal(signal.SIGKILL)
    assert LibraryFolder(library).vectors.names() == ()
    assert citewise.verify(library).sound

    assert writer.encode(library, Counting("other"), papers=True, spans=False) == 2
    papers = LibraryFolder(library).vectors.papers("other")
    assert papers is not None and len(papers) == 4


def test_damage_is_named(library: Path) -> None:
    writer.encode(library, Counting("other"), papers=True, spans=False)
    (folder,) = vectors.set_folders(library)
    (file,) = folder.glob("*.values")
    file.write_bytes(file.read_bytes()[:-2])
    (problem,) = citewise.verify(library).problems
    assert folder.name in problem
    with pytest.raises(citewise.BadLibrary, match="--papers --model NAME"):
        LibraryFolder(library).vectors.names()


def test_vectors_that_are_no_numbers_are_found(library: Path) -> None:
    class Broken(Counting):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return super().encode(texts) * np.float32(np.inf)

    writer.encode(library, Broken("other"), papers=True, spans=False)
    (problem,) = citewise.verify(library).problems
    assert "not all numbers" in problem
