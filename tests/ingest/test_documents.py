"""Full texts in a library: their references find the papers that are there, in any order."""

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.ingest import FORMATS
from citewise.ingest.document import Document
from citewise.ingest.documents import reference_key
from citewise.ingest.report import Report
from citewise.ingest.source import Source
from citewise.library.folder import LibraryFolder
from citewise.types import CitationGroup, CitingSentence, Paper, Scope
from citing import spans_citing

DANCE = Paper(
    "doi:10.1000/dance",
    "The dance language of honey bees",
    "They dance.",
    1967,
    ("Karla Frischmann",),
)
TRAILS = Paper(
    "own-1",
    "Pheromone trails of the garden ant and their decay over time",
    "They decay.",
    2001,
    ("Ana Formiga", "Otto Wabe"),
    "arXiv",
)
WALLS = Paper("own-2", "Robots that build walls", "They build.", 2015, ("Robin Mason",))
TEXT = "Bees dance [1]. Ants leave trails [2, 3], and robots build [4].\n\nNobody knows [5]."


def document(name: str = "doi:10.1000/full", **changes: Paper) -> Document:
    """Return a full text whose list of references has five entries, numbered for itself only."""
    cited = {
        "b1": Paper("b1", "The Dance Language of Honey-Bees.", ids=("doi:10.1000/DANCE",)),
        "b2": Paper(
            "b2",
            "Pheromone trails of the garden ant and the decay over time",
            year=2001,
            authors=("A. Formiga",),
            venue="Insect Letters",
        ),
        "b3": Paper("b3", "Robots that build walls"),
        "b4": Paper("b4", "", ids=("arxiv:1203.00002",)),
        "b5": Paper("b5", "An unheard-of treatise on noise", year=1999, authors=("Nemo Nobody",)),
    } | changes
    marks = [("[1]", ("b1",)), ("[2, 3]", ("b2", "b3")), ("[4]", ("b4",)), ("[5]", ("b5",))]
    bounds = [(0, 15), (16, 63), (65, 82)]
    sentences = tuple(
        CitingSentence(
            name,
            TEXT[start:end],
            tuple(
                CitationGroup(TEXT.index(mark) - start, TEXT.index(mark) - start + len(mark), keys)
                for mark, keys in marks
                if start <= TEXT.index(mark) < end
            ),
            "Body",
            start=start,
        )
        for start, end in bounds
    )
    paper = Paper(
        name,
        f"A full text about the animals of {name}",
        year=2020,
        authors=("Full Text",),
        references=tuple(cited),
    )
    return Document(paper, TEXT, tuple(cited.values()), sentences)


def profiles(library: LibraryFolder) -> dict[str, set[str]]:
    """Return for each paper's id what it is cited for."""
    rows = library.papers.rows
    found = spans_citing(library.evidence, rows)
    return {
        paper.id: set(library.evidence.texts(spans))
        for paper, spans in zip(library.papers.read(rows), found, strict=True)
        if spans.size
    }


EXPECTED = {
    "doi:10.1000/dance": {"Bees dance."},
    "own-1": {"Ants leave trails"},
    "own-2": {"Ants leave trails"},
    "title:anunheardoftreatiseonnoise:nobody": {"Nobody knows."},
}


@pytest.mark.slow
@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
@pytest.mark.parametrize("together", [True, False])
def test_references_find_their_papers_in_any_order(
    tmp_path: Path, order: tuple[int, ...], together: bool
) -> None:
    every: list[Paper | Document] = [DANCE, TRAILS, WALLS, document()]
    records = [every[position] for position in order]
    for call in [records] if together else [[record] for record in records]:
        citewise.add(call, tmp_path)
    library = LibraryFolder(tmp_path)
    assert profiles(library) == EXPECTED
    papers = {paper.id: paper for paper in library.papers.read(library.papers.rows)}
    assert papers.keys() == {*EXPECTED, "doi:10.1000/full"}
    for whole in (DANCE, TRAILS, WALLS):
        found = papers[whole.id]
        assert (found.title, found.abstract, found.authors, found.light) == (
            whole.title,
            whole.abstract,
            whole.authors,
            False,
        )
    assert papers["title:anunheardoftreatiseonnoise:nobody"].light
    cited = library.graph.references(library.papers.find(["doi:10.1000/full"]))[0]
    assert {paper.id for paper in library.papers.read(cited)} == EXPECTED.keys()
    assert citewise.verify(tmp_path).sound


def test_a_dangling_reference_resolves_when_its_paper_comes(tmp_path: Path) -> None:
    citewise.add([document()], tmp_path)
    assert "arxiv:1203.00002" not in profiles(LibraryFolder(tmp_path))
    citewise.add([Paper("arxiv:1203.00002", "Swarm optimization")], tmp_path)
    assert profiles(LibraryFolder(tmp_path))["arxiv:1203.00002"] == {
        "and robots build",
        "Ants leave trails, and robots build.",
    }


def test_an_author_tells_equal_titles_apart(tmp_path: Path) -> None:
    others = document(
        b3=Paper("b3", "Robots that build walls", year=2015, authors=("Someone Else",))
    )
    citewise.add([WALLS, others], tmp_path)
    assert "own-2" not in profiles(LibraryFolder(tmp_path))
    far = document("doi:10.1000/far", b3=Paper("b3", "Robots that build walls", year=1988))
    citewise.add([far], tmp_path)
    assert "own-2" not in profiles(LibraryFolder(tmp_path)), "nor is a work of 1988 one of 2015"


def test_documents_of_the_same_reference_support_one_paper(tmp_path: Path) -> None:
    citewise.add(
        [document(), document("doi:10.1000/second"), document("doi:10.1000/third")], tmp_path
    )
    library = LibraryFolder(tmp_path)
    rows = library.papers.find(["title:anunheardoftreatiseonnoise:nobody"])
    [spans] = spans_citing(library.evidence, rows)
    cited = library.evidence.cited_for(spans, Scope())
    assert cited.support.tolist() == [3]
    assert len(library.papers) == 3 + 4


def test_a_reference_never_overwrites_a_record(tmp_path: Path) -> None:
    bad = document(
        b1=Paper(
            "b1",
            "The danse langauge of honney bees",
            year=1066,
            authors=("K Frischman",),
            ids=("doi:10.1000/dance",),
            venue="Annals",
        )
    )
    citewise.add([DANCE], tmp_path)
    citewise.add([bad], tmp_path)
    found = citewise.open(tmp_path)["doi:10.1000/dance"]
    assert found == dataclasses.replace(DANCE, venue="Annals")


def test_occurrences_lead_into_the_document(tmp_path: Path) -> None:
    citewise.add([DANCE, TRAILS, WALLS, document()], tmp_path)
    library = LibraryFolder(tmp_path)
    rows = library.papers.find(["own-1"])
    [spans] = spans_citing(library.evidence, rows)
    [[found]] = library.evidence.occurrences(spans, np.repeat(rows, spans.size), Scope(), 5)
    assert TEXT[found.start : found.start + len(found.text)] == found.text
    assert found.text[found.span.start : found.span.end] == "Ants leave trails"
    assert (found.year, found.section, found.citing) == (2020, "Body", "doi:10.1000/full")


def test_keys_of_references() -> None:
    assert reference_key(Paper("b1", "Bees", ids=("pmid:7", "doi:10.1000/X"))) == "doi:10.1000/x"
    named = Paper("b1", "On the Dance of Bees", authors=("Frisch, K.",))
    assert reference_key(named) == "title:onthedanceofbees:frisch"
    assert reference_key(Paper("b1", "On the Dance of Bees")) == "title:onthedanceofbees"
    assert reference_key(Paper("b1", "Editorial")) == "", "says nothing"
    assert (
        reference_key(Paper("b1", "Editorial", year=1999, authors=("Ann Other",)))
        == "title:editorial:other:1999"
    )
    assert reference_key(Paper("b1", "")) == ""


def test_a_format_of_documents_plugs_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Plugged:
        NAME = "plugged"

        @staticmethod
        def detects(head: bytes) -> bool:
            return head.startswith(b"PLUGGED")

        @staticmethod
        def documents(source: Source, report: Report) -> Iterator[tuple[int, Document]]:
            yield 1, document()

    monkeypatch.setitem(FORMATS, "plugged", Plugged)
    file = tmp_path / "some.txt"
    file.write_text("PLUGGED")
    report = citewise.index([file], tmp_path / "library")
    assert (report.read, report.added, report.sentences) == (1, 5, 3)
    assert profiles(LibraryFolder(tmp_path / "library")).keys() >= {
        "title:anunheardoftreatiseonnoise:nobody"
    }
