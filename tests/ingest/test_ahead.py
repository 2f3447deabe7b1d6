"""Reading in a second process gives what reading in this one gives: entries, places, report, errors."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

import citewise
from citewise.errors import BadInput, CitewiseError, MissingData
from citewise.ingest import ahead
from citewise.ingest.ahead import read_ahead
from citewise.library.entries import Batch
from citewise.report import Report


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """Two files with faults: more papers than a batch holds, and a bibliography."""
    papers, references = tmp_path / "papers.jsonl", tmp_path / "refs.bib"
    with papers.open("w") as file:
        for number in range(1_234):
            file.write(json.dumps({"id": f"p{number}", "title": f"Paper {number} about bees", "abstract": "n/a",
                                   "year": 20015 if number % 100 == 0 else 2001, "references": [f"p{number + 1}"]}))
            file.write("\n{broken\n" if number % 300 == 0 else "\n")
        file.write('{"abstract": "of nobody"}\n')
    references.write_text("@article{x, title={A paper from a bibliography}, year={2003}}\n")
    return [papers, references]


@pytest.fixture
def second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "WORTH_A_PROCESS", 1)


def everything(report: Report) -> tuple:
    return report.read, report.counts, report.examples


def spelt_out(batches: Iterable[Batch]) -> list[tuple]:
    """Return what each batch holds as plain values."""
    return [(batch.file, batch.lines, batch.entries.contents, *(array.tolist() for array in (
        batch.entries.years, batch.entries.titles, batch.entries.keys.values, batch.entries.keys.starts,
        batch.entries.references.values, batch.entries.references.starts))) for batch in batches]


def test_two_processes_read_what_one_reads(sources: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    alone, together = Report(), Report()
    heard: list = []
    expected = spelt_out(read_ahead(sources, alone))
    monkeypatch.setattr(ahead, "WORTH_A_PROCESS", 1)
    started = []
    popen = ahead.subprocess.Popen
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda *words, **options: started.append(words) or popen(
        *words, **options))
    found = spelt_out(read_ahead(sources, together, progress=heard.append))
    assert len(started) == 1, "there was a second process"
    assert found == expected and [len(batch[1]) for batch in found] == [1_000, 234, 1]
    assert everything(together) == everything(alone)
    assert heard and heard[-1].done == heard[-1].size


def test_a_library_is_the_same_either_way(sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    citewise.index(sources, tmp_path / "alone")
    monkeypatch.setattr(ahead, "WORTH_A_PROCESS", 1)
    citewise.index(sources, tmp_path / "together")
    one, other = (citewise.open(tmp_path / name).library for name in ("alone", "together"))
    assert one.manifest.fingerprint == other.manifest.fingerprint


@pytest.mark.parametrize(("content", "kind", "message"), [
    (b"Remember the milk.", BadInput, "format not recognised"), (b"\x1f\x8bnot at all", BadInput, "decompressed")])
def test_errors_keep_their_class(tmp_path: Path, second_process, content: bytes, kind: type, message: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(kind, match=message):
        list(read_ahead([tmp_path / "file"], Report()))


def test_an_error_after_some_papers(sources: list[Path], tmp_path: Path, second_process) -> None:
    with pytest.raises(MissingData, match="no such file"):
        list(read_ahead([*sources, tmp_path / "absent"], Report()))
    with pytest.raises(BadInput, match="unknown format 'xml'"):
        list(read_ahead(sources, Report(), "xml"))
    with pytest.raises(MissingData, match="no such file"):
        citewise.index([*sources, tmp_path / "absent"], tmp_path / "library")
    assert not (tmp_path / "library" / "manifest.json").exists(), "nothing was added"


def test_a_reader_that_dies_is_an_error(sources: list[Path], second_process, monkeypatch: pytest.MonkeyPatch) -> None:
    popen = ahead.subprocess.Popen
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda command, **options: popen(
        [command[0], "-c", "import os; os.write(1, b'\\x05\\0'); os._exit(9)"], **options))
    with pytest.raises(CitewiseError, match="ended with code 9"):
        list(read_ahead(sources, Report()))


def test_a_reader_that_nobody_listens_to_ends(sources: list[Path], second_process,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    popen = ahead.subprocess.Popen
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda *words, **options: started.append(popen(
        *words, **options)) or started[-1])
    reading = read_ahead(sources, Report())
    assert next(reading).entries.paper(0).id == "p0"
    reading.close()
    assert started[0].poll() is not None


def test_the_size_of_sources(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_bytes(b"x" * 5)
    assert ahead._size([str(tmp_path)]) == 15
    assert ahead._size([str(tmp_path / "a"), str(tmp_path / "absent")]) == 10
    assert ahead._size(["-"]) >= ahead.WORTH_A_PROCESS, "a pipe may be endless"
