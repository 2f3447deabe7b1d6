"""Reading in a second process gives what reading in this one gives: entries, locations, report,
errors.
"""

import json
import subprocess
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

import citewise
from citewise.errors import BadInput, CitewiseError, MissingData
from citewise.ingest import Reading
from citewise.ingest.report import Report
from citewise.library import reader_process
from citewise.library.entries import Batch
from citewise.library.reader_process import read_ahead


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """Two files with faults: more papers than a batch has room for, and a bibliography."""
    papers, references = tmp_path / "papers.jsonl", tmp_path / "refs.bib"
    with papers.open("w") as file:
        for number in range(1_234):
            record = {
                "id": f"p{number}",
                "title": f"Paper {number} about bees",
                "abstract": "n/a",
                "year": 20015 if number % 100 == 0 else 2001,
                "references": [f"p{number + 1}"],
            }
            file.write(json.dumps(record))
            file.write("\n{broken\n" if number % 300 == 0 else "\n")
        file.write('{"abstract": "of nobody"}\n')
    references.write_text("@article{x, title={A paper from a bibliography}, year={2003}}\n")
    return [papers, references]


@pytest.fixture
def second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every source be read in a second process, however small it is."""
    monkeypatch.setattr(reader_process, "WORTH_A_PROCESS", 1)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[bytes]"]:
    """The processes that were started since."""
    processes: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: Any, **options: Any) -> "subprocess.Popen[bytes]":
        processes.append(popen(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return processes


def spelt_out(batches: Iterable[Batch]) -> list[tuple[Any, ...]]:
    """Return what each batch holds as plain values."""
    found = []
    for batch in batches:
        entries = batch.entries
        arrays = (
            entries.years,
            entries.titles,
            entries.keys.values,
            entries.keys.starts,
            entries.references.values,
            entries.references.starts,
            entries.authors.values,
            entries.authors.starts,
            entries.light,
        )
        columns = (array.tolist() for array in arrays)
        found.append((batch.file, batch.lines, entries.contents, *columns))
    return found


@pytest.mark.slow
def test_two_processes_read_what_one_reads(
    sources: list[Path],
    started: list["subprocess.Popen[bytes]"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone, together = Report(), Report()
    expected = spelt_out(read_ahead(sources, alone))
    assert not started

    monkeypatch.setattr(reader_process, "WORTH_A_PROCESS", 1)
    heard: list[Reading] = []
    found = spelt_out(read_ahead(sources, together, progress=heard.append))
    assert len(started) == 1, "there was a second process"
    assert found == expected and [len(batch[1]) for batch in found] == [1_000, 234, 1]
    assert together == alone and together.counts
    assert heard and heard[-1].done == heard[-1].size


@pytest.mark.slow
def test_a_library_is_the_same_either_way(
    sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    citewise.index(sources, tmp_path / "alone")
    monkeypatch.setattr(reader_process, "WORTH_A_PROCESS", 1)
    citewise.index(sources, tmp_path / "together")
    one, other = (citewise.open(tmp_path / name).stores.info for name in ("alone", "together"))
    assert one.fingerprint == other.fingerprint


@pytest.mark.slow
@pytest.mark.usefixtures("second_process")
@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"Remember the milk.", BadInput, "format not recognised"),
        (b"\x1f\x8bnot at all", BadInput, "decompressed"),
    ],
)
def test_errors_keep_their_class(
    tmp_path: Path, content: bytes, kind: type[CitewiseError], message: str
) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(kind, match=message):
        list(read_ahead([tmp_path / "file"], Report()))


@pytest.mark.slow
@pytest.mark.usefixtures("second_process")
def test_an_error_after_some_papers(sources: list[Path], tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="no such file"):
        list(read_ahead([*sources, tmp_path / "absent"], Report()))
    with pytest.raises(BadInput, match="unknown format 'xml'"):
        list(read_ahead(sources, Report(), "xml"))
    with pytest.raises(MissingData, match="no such file"):
        citewise.index([*sources, tmp_path / "absent"], tmp_path / "library")
    assert not (tmp_path / "library" / "manifest.json").exists(), "nothing was added"


@pytest.mark.usefixtures("second_process")
def test_a_reader_that_dies_is_an_error(
    sources: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = subprocess.Popen

    def start(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
        dying = "import os; os.write(1, b'\\x05\\0'); os._exit(9)"
        return popen([command[0], "-c", dying], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(CitewiseError, match="ended with code 9"):
        list(read_ahead(sources, Report()))


@pytest.mark.slow
@pytest.mark.usefixtures("second_process")
def test_a_reader_that_nobody_listens_to_ends(
    sources: list[Path], started: list["subprocess.Popen[bytes]"]
) -> None:
    reading = read_ahead(sources, Report())
    assert isinstance(reading, Generator)
    assert next(reading).entries.paper(0).id == "p0"
    reading.close()
    [process] = started
    assert process.poll() is not None


def test_the_size_of_sources(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_bytes(b"x" * 5)
    assert reader_process._size([str(tmp_path)]) == 15
    assert reader_process._size([str(tmp_path / "a"), str(tmp_path / "absent")]) == 10
    assert reader_process._size(["-"]) >= reader_process.WORTH_A_PROCESS, "a pipe may be endless"
