"""Where records come from: compressed, piped, cut off, overlong, hidden, looping; what came before
is kept.
"""

import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from citewise.errors import BadInput, MissingData
from citewise.ingest import Reading, read, source
from citewise.ingest.report import Report
from citewise.ingest.source import find, lines, open_source, pieces
from ingest.json_sources import COMPRESSORS, papers_in
from ingest.json_sources import lines as json_lines

RECORDS = [{"id": f"p{number}", "title": f"Paper {number} about bees"} for number in range(50)]
DATA = json_lines(*RECORDS)
SUFFIX = {"plain": "", "gz": ".gz", "xz": ".xz", "zst": ".zst"}


def ids_in(*paths: Path | str, report: Report | None = None) -> list[str]:
    return [paper.id for paper in papers_in(*paths, report=report)]


def fail(line: int, reason: str) -> None:
    """Fail where a source is said to be damaged."""
    pytest.fail(f"line {line}: {reason}")


def noisy(count: int) -> bytes:
    """Return records that do not compress well, so that half a compressed file holds about half of
    them.
    """
    dice = random.Random(1)
    return json_lines(
        *(
            {"id": f"p{number}", "title": f"Bees {dice.getrandbits(2000):x}"}
            for number in range(count)
        )
    )


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Return a function that puts bytes into standard input."""

    def pipe(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))

    return pipe


# Compression


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_compression_is_recognised_by_content(
    tmp_path: Path, piped: Callable[[bytes], None], kind: str
) -> None:
    content = COMPRESSORS[kind](DATA)
    expected = [record["id"] for record in RECORDS]
    for name in (f"papers.jsonl{SUFFIX[kind]}", "no-suffix", "wrong.jsonl.gz"):
        (tmp_path / name).write_bytes(content)
        assert ids_in(tmp_path / name) == expected
    piped(content)
    assert ids_in("-") == expected


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_several_compressed_pieces_end_to_end(tmp_path: Path, kind: str) -> None:
    compress = COMPRESSORS[kind]
    (tmp_path / "papers").write_bytes(
        compress(DATA) + compress(json_lines({"id": "last", "title": "Paper"}))
    )
    assert ids_in(tmp_path / "papers")[-2:] == ["p49", "last"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_what_came_before_a_cut_is_kept(tmp_path: Path, kind: str) -> None:
    content = COMPRESSORS[kind](noisy(2000))
    (tmp_path / "papers").write_bytes(content[: len(content) // 2])
    report = Report()
    found = ids_in(tmp_path / "papers", report=report)
    assert 300 < len(found) < 1500
    assert found == [f"p{number}" for number in range(len(found))]
    assert (
        report.counts["skipped", "broken_compression"] + report.counts["skipped", "malformed_json"]
        >= 1
    )
    event = next(iter(report.examples.values()))[0]
    assert (event.file, event.line) == (str(tmp_path / "papers"), len(found) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_damage_in_the_middle(tmp_path: Path, kind: str) -> None:
    compress = (
        zstandard.ZstdCompressor(write_checksum=True).compress
        if kind == "zst"
        else COMPRESSORS[kind]
    )
    content = bytearray(compress(noisy(2000)))
    content[len(content) // 2 : len(content) // 2 + 40] = bytes(range(40))
    (tmp_path / "papers").write_bytes(content)
    report = Report()
    found = ids_in(tmp_path / "papers", report=report)
    assert len(found) <= 2000
    assert report.counts["skipped", "broken_compression"] == 1


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_a_small_file_that_is_cut_keeps_what_came_before(tmp_path: Path, kind: str) -> None:
    content = COMPRESSORS[kind](noisy(100))
    (tmp_path / "papers").write_bytes(content[:-3])
    report = Report()
    assert len(ids_in(tmp_path / "papers", report=report)) > 50
    assert report.counts["skipped", "broken_compression"] == 1


def test_a_broken_file_among_several_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(b"\x1f\x8bnot at all, as it turns out")
    (tmp_path / "b.jsonl").write_bytes(DATA)
    report = Report()
    assert len(ids_in(tmp_path, report=report)) == 50
    assert report.total("skipped") == 1


def test_a_zstandard_file_cut_between_blocks_is_reported(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    content = compressor.compress(DATA) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    (tmp_path / "papers.zst").write_bytes(content)
    report = Report()
    assert len(ids_in(tmp_path / "papers.zst", report=report)) == 50
    assert report.counts["skipped", "broken_compression"] == 1


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"])
def test_what_only_looks_compressed(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "papers").write_bytes(start + b"not at all, as it turns out" * 10)
    with pytest.raises(BadInput, match="cannot be decompressed"):
        ids_in(tmp_path / "papers")


# Lines


def test_an_overlong_line_is_skipped_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "LONGEST_RECORD", 1_000)
    long = json.dumps({"id": "long", "title": "x" * 5_000}).encode() + b"\n"
    (tmp_path / "papers").write_bytes(
        json_lines(RECORDS[0]) + b"\n" + long + json_lines(RECORDS[1]) + long.strip()
    )
    report = Report()
    assert ids_in(tmp_path / "papers", report=report) == ["p0", "p1"]
    assert [event.line for event in report.examples["skipped", "record_too_long"]] == [3, 5]


@pytest.mark.parametrize("length", [999, 1_000, 1_001, 2_000, 2_001])
def test_the_longest_line_that_is_read(
    length: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(source, "LONGEST_RECORD", 1_000)
    (tmp_path / "lines").write_bytes(b"x" * (length - 1) + b"\nlast")
    damaged: list[tuple[int, str]] = []
    file = open_source(str(tmp_path / "lines"))
    found = list(lines(file, lambda line, reason: damaged.append((line, reason))))
    file.close()
    assert found[-1] == (2, b"last")
    assert damaged == ([] if length <= 1_000 else [(1, "record_too_long")])


def test_empty_lines_count_but_are_not_given(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"\n \t\r\na\r\n\nb")
    file = open_source(str(tmp_path / "lines"))
    assert list(lines(file, fail)) == [(3, b"a\r\n"), (5, b"b")]
    file.close()


def test_pieces_are_the_whole(tmp_path: Path) -> None:
    (tmp_path / "file.gz").write_bytes(COMPRESSORS["gz"](DATA))
    file = open_source(str(tmp_path / "file.gz"))
    assert b"".join(pieces(file, fail, size=7)) == DATA
    file.close()


def test_a_look_at_the_head_takes_nothing_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)
    file = open_source(str(tmp_path / "file"))
    assert DATA.startswith(file.head()) and file.head() == file.head()
    assert file.stream.read() == DATA
    assert (file.size, file.bytes_read) == (len(DATA), len(DATA))
    file.close()


# Files and folders


def test_a_folder_is_its_files_in_order(tmp_path: Path) -> None:
    for name in (
        "b.jsonl",
        "a/z.jsonl",
        "a/b/c.jsonl",
        ".hidden.jsonl",
        ".git/config",
        "a/.cache/x.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [str(Path(name).relative_to(tmp_path)) for name in find([tmp_path])] == [
        "a/b/c.jsonl",
        "a/z.jsonl",
        "b.jsonl",
    ]
    assert list(find([tmp_path / ".hidden.jsonl"])) == [str(tmp_path / ".hidden.jsonl")], (
        "named, it is read"
    )
    hidden = tmp_path / ".git"
    assert list(find([hidden])) == [str(hidden / "config")], "so is a hidden folder"


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_bytes(DATA)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    assert list(find([tmp_path])) == [str(tmp_path / "papers.jsonl")]


def test_files_that_nobody_recognises_are_reported_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Remember the milk.")
    (tmp_path / "b.jsonl").write_bytes(DATA)
    (tmp_path / "c.jsonl").write_bytes(b"")
    report = Report()
    assert len(ids_in(tmp_path, report=report)) == 50
    assert {
        (event.reason, Path(event.file).name) for each in report.examples.values() for event in each
    } == {("unknown_format", "a.txt"), ("empty_file", "c.jsonl")}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Remember the milk.", "format not recognised"),
        (b"", "nothing in it"),
        (b" \n", "nothing in it"),
    ],
)
def test_a_single_source_must_be_recognised(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        ids_in(tmp_path / "file")


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingData, match="no such file or folder"):
        ids_in(tmp_path / "absent")
    with pytest.raises(MissingData, match="no files in this folder"):
        ids_in(tmp_path / "empty")
    with pytest.raises(MissingData, match="cannot be opened"):
        open_source(str(tmp_path / "absent"))
    with pytest.raises(BadInput, match="unknown format 'xml'"):
        list(read([tmp_path], Report(), "xml"))


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    (tmp_path / "file.gz").write_bytes(COMPRESSORS["gz"](DATA))
    heard: list[Reading] = []
    list(read([tmp_path / "file.gz"], Report(), progress=heard.append))
    size = (tmp_path / "file.gz").stat().st_size
    assert (heard[-1].done, heard[-1].size, heard[-1].file) == (
        size,
        size,
        str(tmp_path / "file.gz"),
    )
