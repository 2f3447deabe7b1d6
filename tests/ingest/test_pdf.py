"""PDFs as sources of a library: the paper, its references, its citing sentences."""

from pathlib import Path

import pytest

import citewise
from citewise.errors import BadInput
from citewise.ingest import read
from citewise.ingest.report import Report
from citewise.types import CitingSentence, Paper
from pdf_files import locked, pdf
from typesetting import LAYOUTS, Manuscript, can_typeset, typeset

CITED = (
    Paper("small", "Co-citation in the scientific literature", authors=("Henry Small",), year=1973),
    Paper("kessler", "Bibliographic coupling between papers", authors=("Myer Kessler",), year=1963),
    Paper("garfield", "Citation indexes for science", authors=("Eugene Garfield",), year=1955),
    Paper("price", "Networks of scientific papers", authors=("Derek Price",), year=1965),
)
MANUSCRIPT = Manuscript(
    title="Coupling and Co-citation Compared on Many Libraries",
    authors=("Ada King", "Max Frisch"),
    abstract="Two ways to measure whether papers are related are compared on many libraries. " * 4,
    sections=(
        ("Introduction", ("Papers are related if others cite both {1}. " * 2,)),
        ("Methods", ("They are also related if both cite the same papers {2}. " * 3,)),
        ("Results", ("Indexes of citations made both possible {3}. Networks came later {4}.",)),
    ),
    references=CITED,
)


@pytest.fixture(scope="module", params=[*LAYOUTS])
def printed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not can_typeset(request.param):
        pytest.skip("needs pdflatex and chromium, which `.ci/run` installs")
    file = typeset(MANUSCRIPT, request.param, tmp_path_factory.mktemp("printed"))
    assert file is not None
    return file


@pytest.mark.slow
def test_a_paper_with_its_citing_sentences(printed: Path) -> None:
    found = [record for record, _ in read([printed], Report())]
    paper, *others = [each for each in found if isinstance(each, Paper)]
    sentences = [each for each in found if isinstance(each, CitingSentence)]

    assert (paper.title, paper.authors) == (MANUSCRIPT.title, MANUSCRIPT.authors)
    assert {each.title for each in others} == {each.title for each in CITED} and others[0].light
    by_text = {each.text.split(" [")[0].split(" (")[0].split(".")[0]: each for each in sentences}
    cited = {
        text: [others_by_id(others, name) for group in each.groups for name in group.cited]
        for text, each in by_text.items()
    }
    assert cited["Papers are related if others cite both"] == [CITED[0].title]
    assert cited["Indexes of citations made both possible"] == [CITED[2].title]


def others_by_id(papers: list[Paper], name: str) -> str:
    return next(paper.title for paper in papers if paper.id == name)


@pytest.mark.slow
def test_a_library_of_papers_and_a_pdf_has_the_edges(printed: Path, tmp_path: Path) -> None:
    citewise.add(CITED, tmp_path / "library")
    report = citewise.index([printed], tmp_path / "library")
    library = citewise.open(tmp_path / "library")
    found = library.recommend("Coupling and co-citation", system="bm25")
    (own,) = [each.paper for each in found if each.paper.title == MANUSCRIPT.title]

    assert report.added == 1 and report.sentences >= 4
    cited = {paper.id for paper in library.references(own.id).papers}
    assert cited == {paper.id for paper in CITED}


BROKEN = {
    "locked.pdf": (locked(), "needs a password"),
    "half.pdf": (pdf([(50, 700, 12, "Bees")])[:200], "is damaged or not whole"),
    "scan.pdf": (pdf([]), "no text, as scans have"),
    "figure.pdf": (pdf([(50, 700, 12, "x axis"), (90, 400, 12, "y axis")]), "too little text"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_one_pdf_that_cannot_be_read_is_an_error(name: str, tmp_path: Path) -> None:
    content, said = BROKEN[name]
    (tmp_path / name).write_bytes(content)

    with pytest.raises(BadInput, match=said):
        [*read([tmp_path / name], Report())]


@pytest.mark.slow
def test_in_a_folder_they_are_reported_and_skipped(tmp_path: Path) -> None:
    for name, (content, _) in BROKEN.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "a.bib").write_text("@article{bees, title={Bees and clocks}, year={1999}}")
    report = Report()

    papers = [record for record, _ in read([tmp_path], report)]

    assert len(papers) == 1
    events = report.examples["skipped", "not_readable"]
    assert [Path(event.file).name for event in events] == sorted(BROKEN)
    assert all(BROKEN[Path(event.file).name][1] in event.detail for event in events)


@pytest.mark.slow
def test_pages_that_are_left_out_are_reported(tmp_path: Path) -> None:
    line = "Bees like clocks, and they say so often in every hive of the land."
    pages = [[(60, 700 - 14 * at, 10, line) for at in range(3)] for _ in range(450)]
    (tmp_path / "long.pdf").write_bytes(pdf([(60, 780, 20, "A long book of bees")], *pages))
    report = Report()

    papers = [record for record, _ in read([tmp_path / "long.pdf"], report)]

    assert [paper.title for paper in papers if isinstance(paper, Paper)] == ["A long book of bees"]
    assert report.examples["repaired", "pages_left_out"][0].detail == (
        "pages 201 to 251 of 451 were not read"
    )
