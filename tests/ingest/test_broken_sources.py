"""Sources that are cut off, huge or strangely named: what can be read is read, and the rest is
reported.
"""

import bz2
import gzip
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from citewise.errors import BadInput
from citewise.ingest import json_stream, source
from citewise.ingest.report import Report
from citewise.ingest.source import LONGEST_RECORD, Source, lines
from ingest.json_sources import COMPRESSORS, papers_in


def records(count: int) -> bytes:
    """Return JSON lines that do not compress well."""
    dice = random.Random(1)
    return b"".join(
        json.dumps({"id": f"p{number}", "title": f"Bees {dice.getrandbits(400):x}"}).encode()
        + b"\n"
        for number in range(count)
    )


def read(*paths: Path | str, format: str = "") -> tuple[list[str], Report]:
    report = Report()
    return [paper.id for paper in papers_in(*paths, report=report, format=format)], report


def numbered(data: bytes) -> tuple[list[tuple[int, bytes]], list[tuple[int, str]]]:
    """Return the lines of some bytes, and what was said to be damaged."""
    damages: list[tuple[int, str]] = []
    made = Source("test", io.BufferedReader(io.BytesIO(data)))
    return list(lines(made, lambda line, reason: damages.append((line, reason)))), damages


@pytest.mark.parametrize("size", [100, 10_000])
def test_a_zst_file_that_was_cut_off(tmp_path: Path, size: int) -> None:
    whole = zstandard.compress(records(size))
    file = tmp_path / "papers"
    file.write_bytes(whole[: len(whole) // 2])
    try:
        _, report = read(file)
        assert ("skipped", "broken_compression") in report.counts
    except BadInput as error:
        assert "is the file whole" in str(error)


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_a_small_file_that_was_cut_off(tmp_path: Path, kind: str) -> None:
    whole = COMPRESSORS[kind](records(200))
    file = tmp_path / "papers"
    file.write_bytes(whole[: len(whole) * 9 // 10])
    assert len(read(file)[0]) > 50


def test_a_broken_file_among_others_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(records(100))[:40])
    (tmp_path / "b.jsonl").write_bytes(records(3))
    assert len(read(tmp_path)[0]) == 3


def test_an_unknown_compression_is_named(tmp_path: Path) -> None:
    file = tmp_path / "papers.bz2"
    file.write_bytes(bz2.compress(records(100)))
    with pytest.raises(BadInput, match="bunzip2"):
        read(file)


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())",
            str(pipe),
        ],
        stdin=subprocess.PIPE,
    ) as feeder:
        assert feeder.stdin is not None
        feeder.stdin.write(gzip.compress(records(3)))
        feeder.stdin.close()
        assert read(pipe)[0] == ["p0", "p1", "p2"]


# Lines


@given(
    st.lists(st.binary(max_size=12).map(lambda text: text.replace(b"\n", b"")), max_size=8),
    st.booleans(),
)
def test_lines_are_numbered_as_an_editor_numbers_them(texts: list[bytes], ended: bool) -> None:
    found, damages = numbered(b"\n".join(texts) + (b"\n" if ended else b""))
    assert [(number, line.rstrip(b"\n")) for number, line in found] == [
        (number, text) for number, text in enumerate(texts, 1) if text and not text.isspace()
    ]
    assert not damages


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.json"])
def test_a_record_over_the_limit_is_named_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(source, "LONGEST_RECORD", 300)
    monkeypatch.setattr(json_stream, "LONGEST_RECORD", 300)
    file = tmp_path / name
    file.write_bytes(
        b'{"id": "a", "title": "Short"}\n{"id": "b", "title": "' + b"long " * 500 + b'"}\n'
        b'{"id": "c", "title": "Short too"}\n'
    )
    names, report = read(file)
    assert names == ["a", "c"]
    event = report.examples["skipped", "record_too_long"][0]
    assert (event.file, event.line) == (str(file), 2)


@pytest.mark.slow
def test_memory_stays_bounded_by_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(b'{"id": "a", "title": "First"}\n{"id": "b", "title": "')
        for _ in range(200):
            stream.write(b"x" * 1_000_000)
        stream.write(b'"}\n{"id": "c", "title": "Last"}\n')
    code = (
        "import re, sys; from citewise import ingest; from citewise.ingest.report import Report\n"
        "def peak():\n"
        "    return int(re.search('VmHWM:.*?([0-9]+)', open('/proc/self/status').read())[1])\n"
        "before = peak(); report = Report(); papers = list(ingest.read([sys.argv[1]], report))\n"
        "print(len(papers), dict(report.counts), peak() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("2 {('skipped', 'record_too_long'): 1}")
    assert int(done.stdout.split()[-1]) < 4 * LONGEST_RECORD // 1024, (
        "kilobytes more, for a line of 200 megabytes"
    )


def test_a_byte_order_mark_and_broken_bytes(tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"id": "a", "title": "Na\xc3\xafve \xff bees"}\n')
    report = Report()
    (paper,) = papers_in(file, report=report)
    assert paper.title == "Naïve bees"
    assert report.counts == {("repaired", "broken_encoding"): 1}


def test_names_with_strange_characters(tmp_path: Path) -> None:
    file = tmp_path / "pâpers [1] *?\n.jsonl"
    file.write_bytes(records(1))
    assert read(tmp_path)[0] == read(file)[0] == ["p0"]


@pytest.mark.parametrize("title", ["Bees &#x9d; dance", "&#xD800; dance", "&#0; dance"])
def test_an_entity_brings_no_broken_character_in(tmp_path: Path, title: str) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_text(json.dumps({"id": "a", "title": title}))
    (paper,) = papers_in(file)
    assert paper.title in ("Bees dance", "dance")


def test_a_word_that_starts_an_abstract_is_no_label(tmp_path: Path) -> None:
    file = tmp_path / "papers.jsonl"
    file.write_text(
        json.dumps({"id": "a", "title": "Bees", "abstract": "Abstract interpretation is a theory."})
    )
    (paper,) = papers_in(file)
    assert paper.abstract == "Abstract interpretation is a theory."
