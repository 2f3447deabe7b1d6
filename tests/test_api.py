"""A library as a sequence of papers, and answers as sequences and files."""

import json
from pathlib import Path

import pytest

import citewise
from citewise.api import Library
from citewise.errors import BadInput
from citewise.render import renderers

TITLE = "Ranking documents for a query"


def test_a_library_is_a_sequence_of_papers(sample: Library) -> None:
    papers = [*sample]
    assert len(papers) == len(sample) > 100, "more than are read at a time"
    assert len({paper.id for paper in papers}) == len(papers)
    assert sample[:10] == papers[:10] and sample[-3:] == papers[-3:]
    assert sample[5] == papers[5] and sample[-1] == papers[-1]
    assert sample[::100] == papers[::100] and sample[7:7] == []
    assert sample[papers[3].id] == papers[3]
    with pytest.raises(IndexError):
        sample[len(sample)]


def test_removed_papers_are_not_iterated_over(library: Path) -> None:
    before = [paper.id for paper in citewise.open(library)]
    citewise.remove(library, before[2:3])
    after = citewise.open(library)
    assert [paper.id for paper in after] == before[:2] + before[3:] and after[2].id == before[3]


def test_a_slice_of_an_answer_is_an_answer(sample: Library) -> None:
    answer = sample.recommend(TITLE, k=10)
    few = answer[2:5]
    assert [*few] == [*answer][2:5] and len(few) == 3 and few.served_by == answer.served_by
    assert few.to("bibtex").count("\n@") + few.to("bibtex").startswith("@") == 3
    assert answer[0] is answer.recommendations[0]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x.bib", "bibtex"),
        ("x.ris", "ris"),
        ("x.csl", "csl"),
        ("x.json", "json"),
        ("x.MD", "markdown"),
        ("x.markdown", "markdown"),
        ("x.txt", "table"),
    ],
)
def test_answers_write_themselves(sample: Library, tmp_path: Path, name: str, format: str) -> None:
    answer = sample.recommend(TITLE, k=3)
    answer.write(tmp_path / name)
    assert (tmp_path / name).read_text("utf-8") == answer.to(format)


def test_a_format_may_be_named(sample: Library, tmp_path: Path) -> None:
    answer = sample.recommend(TITLE, k=3)
    for format in renderers():
        answer.write(str(tmp_path / "answer.anything"), format)
        assert (tmp_path / "answer.anything").read_text("utf-8") == answer.to(format)
    answer.write(tmp_path / "x.json", "csl")
    assert len(json.loads((tmp_path / "x.json").read_text("utf-8"))) == 3

    with pytest.raises(BadInput, match=r"'.docx' stands for no format; name one"):
        answer.write(tmp_path / "x.docx")
    with pytest.raises(BadInput, match="unknown output format 'word'"):
        answer.write(tmp_path / "x.docx", "word")
    assert not (tmp_path / "x.docx").exists()
