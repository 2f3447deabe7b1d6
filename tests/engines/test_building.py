"""Shards that are built from dumps are those of a library that `citewise index` makes of them."""

import gzip
import json
import lzma
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.embed.word_models import word_models
from citewise.engines.dumps import changes, matching, shards, steps
from citewise.engines.dumps.building import BuildSettings, build_shards
from citewise.engines.dumps.matching import linked
from citewise.engines.dumps.workers import LocalWorkers
from citewise.engines.shards import manifest as manifests
from citewise.errors import BadInput, CitewiseError, LibraryBusy, MissingData
from citewise.ingest.report import Report
from citewise.library import entries
from citewise.library.embeddings import writing as library_vectors
from citewise.types import Query
from command_line import Run
from engines.builds import InThisProcess, built, contents, indexed, works
from openalex_dumps import Numbers, work, write_lines, write_s2ag, write_works

pytestmark = pytest.mark.slow

SYSTEMS = ("bm25", "navigation", "best")


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Works with versions of every kind over several files and batches, and broken records."""
    folder = write_works(tmp_path_factory.mktemp("dump") / "works", works(2_300), 2)
    (folder / "updated_date=2025-01-01" / "part_009.gz").write_bytes(b"\x1f\x8b no gzip")
    (folder / "manifest").write_text('{"entries": []}')
    return folder


@pytest.fixture(scope="module")
def small_dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fewer works of the same kinds, for tests that need no batches of the usual size."""
    return write_works(tmp_path_factory.mktemp("small") / "works", works(700), 2)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let indexing and building in this process take 100 records at a time, so that a few hundred
    records are several batches a file.
    """
    monkeypatch.setattr(entries, "BATCH", 100)


class Made(NamedTuple):
    """A folder that was made of the dump, and the report of it."""

    folder: Path
    report: Report


@pytest.fixture(scope="module")
def by_index(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A folder with the library of the dump, and with its shards."""
    folder = tmp_path_factory.mktemp("indexed")
    return Made(folder, indexed([dump], folder))


@pytest.fixture(scope="module")
def by_build(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The shards that a build in this process makes of the dump."""
    folder, report = tmp_path_factory.mktemp("by-build") / "built", Report()
    manifest = built([dump], folder, report=report)
    assert manifest == manifests.load(folder)
    return Made(folder, report)


def answers(library: Library) -> list[list[tuple[str, float]]]:
    """Return what systems answer to some of the library's own papers."""
    rows = library.stores.papers.rows
    asked = library.stores.papers.read(rows[:: rows.size // 4])
    queries = [Query(paper.title, paper.abstract, year=2009) for paper in asked]
    return [
        [(each.paper.id, each.score) for each in library.answer(query, 20, system)]
        for system in SYSTEMS
        for query in queries
    ]


def assert_same_answers(one: Path, *others: Path) -> None:
    """Compare the answers of one folder of shards with those of each of the others."""
    every = answers(citewise.open(one))
    for other in others:
        for found, expected in zip(every, answers(citewise.open(other)), strict=True):
            assert [name for name, _ in found] == [name for name, _ in expected]
            scores = [score for _, score in expected]
            assert [score for _, score in found] == pytest.approx(scores, abs=1e-9)


def assert_same_shards(one: Path, other: Path) -> None:
    """Compare every file but the inverted index, and what the manifests say."""
    assert contents(one) == contents(other)
    found, expected = manifests.load(one), manifests.load(other)
    assert found.shards == expected.shards and found.vectors == expected.vectors
    assert (found.papers, found.rows, found.lengths, found.evidence) == (
        expected.papers,
        expected.rows,
        expected.lengths,
        expected.evidence,
    )


def test_a_build_is_what_index_and_shard_make(by_build: Made, by_index: Made) -> None:
    """To the byte, with versions across files and batches, damage and broken records."""
    assert_same_shards(by_build.folder, by_index.folder / "cut")
    assert manifests.load(by_build.folder).papers > 2_000
    assert_same_answers(by_build.folder, by_index.folder / "cut", by_index.folder / "as-indexed")
    assert not by_build.folder.with_name("built.work").exists()


def test_the_report_is_that_of_index(by_build: Made, by_index: Made) -> None:
    found, expected = by_build.report, by_index.report
    assert found.counts == expected.counts
    for reason in ("same_key", "same_title"):
        assert found.counts["merged", reason] > 20
    assert {("skipped", "malformed_json"), ("skipped", "broken_compression")} <= {*found.counts}
    for name in ("read", "added", "updated", "unchanged"):
        assert getattr(found, name) == getattr(expected, name) > 0
    (broken,) = found.examples["skipped", "malformed_json"]
    assert gzip.open(broken.file).read().splitlines()[broken.line - 1] == b"{broken"


def test_parts_and_tasks_of_any_size_give_the_same(
    dump: Path, by_index: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many parts, many ranges of hashes, many tasks that merge."""
    monkeypatch.setattr(changes, "_PART", 1)
    monkeypatch.setattr(matching, "_MOST_MERGED", 20)
    monkeypatch.setattr(steps, "IN_MEMORY", 3_000)
    built([dump], tmp_path / "built")
    assert_same_shards(tmp_path / "built", by_index.folder / "cut")


def test_large_sets_of_vectors_have_the_lists_of_one_library(
    small_dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (shards, library_vectors):
        monkeypatch.setattr(module, "LARGE", 100)
    indexed([small_dump], tmp_path, 5)
    built([small_dump], tmp_path / "built", 5)
    assert manifests.load(tmp_path / "built").vectors["nnselect"].lists > 10
    assert_same_shards(tmp_path / "built", tmp_path / "cut")


@pytest.mark.parametrize("order", ["abstracts citations papers", "papers citations abstracts"])
@pytest.mark.usefixtures("small_batches")
def test_datasets_of_semantic_scholar_are_joined(tmp_path: Path, order: str) -> None:
    """Abstracts and citations are patches of papers, whichever come first."""
    records = [
        {
            "id": made["id"],
            "title": made["title"],
            "abstract": " ".join(made["abstract_inverted_index"] or {}),
            "year": made["publication_year"],
            "authors": ["Ada Muster"],
            "references": made["referenced_works"],
        }
        for made in works(300)
        if isinstance(made, dict) and made.get("title")
    ]
    unique = list({record["id"]: record for record in records}.values())
    write_s2ag(tmp_path / "s2ag", unique)
    sources = [tmp_path / "s2ag" / name for name in order.split()]

    found, expected = Report(), indexed(sources, tmp_path)
    built(sources, tmp_path / "built", report=found)
    assert_same_shards(tmp_path / "built", tmp_path / "cut")
    assert found.counts == expected.counts
    library = citewise.open(tmp_path / "built")
    assert sum(bool(paper.abstract and paper.references) for paper in library) > 100


def test_other_files_are_read_as_index_reads_them(tmp_path: Path) -> None:
    """JSON lines, BibTeX; citing sentences are named and left out."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"id": "a", "title": "Bees dance", "year": 1999}\n')
    (tmp_path / "in" / "b.bib").write_text("@article{b, title = {Ants walk}, year = 2001}")
    (tmp_path / "in" / "c.jsonl").write_text(
        '{"citing_id": "a", "cited_ids": ["b"], "text": "Ants walk [REF].", "year": 2002}\n'
    )
    report = Report()
    manifest = built([tmp_path / "in"], tmp_path / "built", 2, report)
    assert manifest.papers == 2 and manifest.evidence.sentences == 0
    assert report.counts["skipped", "sentence_not_built"] == 1
    assert [paper.title for paper in citewise.open(tmp_path / "built")] == [
        "Bees dance",
        "Ants walk",
    ]


def test_nothing_to_build_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    (tmp_path / "b.jsonl").write_text('{"id": "b", "abstract": "Without a title."}\n')
    report = Report()
    with pytest.raises(MissingData, match="no paper was found in the sources"):
        built([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "built", report=report)
    assert report.total("skipped") == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


def test_a_new_build_is_a_new_generation(tmp_path: Path) -> None:
    dump = write_works(tmp_path / "works", works(40), 2)
    first = built([dump], tmp_path / "built")
    old = citewise.open(tmp_path / "built")
    write_lines(
        dump / "updated_date=2025-02-01" / "part_000.gz",
        [work({"id": "new", "title": "New"}, Numbers())],
    )
    second = built([dump], tmp_path / "built")
    assert (first.generation, second.generation) == (1, 2)
    assert len(citewise.open(tmp_path / "built")) == second.papers
    assert old.recommend("many bees", system="bm25")


def test_work_of_another_build_is_refused(tmp_path: Path) -> None:
    """Other files, other options, or a folder of somebody else."""
    dump, output = write_works(tmp_path / "works", works(40), 2), tmp_path / "built"

    class Interrupted(InThisProcess):
        def run(self, tasks):  # type: ignore[no-untyped-def]
            yield from super().run(tasks[:1])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_shards([dump], output, BuildSettings(3), Interrupted())
    with pytest.raises(BadInput, match=r"another build \(shards was 3, and is 4"):
        build_shards([dump], output, BuildSettings(4), InThisProcess())
    changed = dump / "updated_date=2025-01-01" / "part_001.gz"
    changed.write_bytes(changed.read_bytes() + b"\0")
    with pytest.raises(BadInput, match=r"part_001\.gz has changed"):
        build_shards([dump], output, BuildSettings(3), InThisProcess())

    with pytest.raises(BadInput, match="has other files in it"):
        build_shards([dump], output, BuildSettings(3, work=dump), InThisProcess())
    with pytest.raises(BadInput, match="takes files only"):
        build_shards(["-"], tmp_path / "other", BuildSettings(3), InThisProcess())
    with pytest.raises(BadInput, match="has other files in it"):
        build_shards([dump], tmp_path, BuildSettings(3, work=tmp_path / "w"), InThisProcess())


def test_two_builds_do_not_share_a_folder(tmp_path: Path) -> None:
    dump = write_works(tmp_path / "works", works(40), 2)

    class Nested(InThisProcess):
        def run(self, tasks):  # type: ignore[no-untyped-def]
            with pytest.raises(LibraryBusy, match="is writing to this library"):
                build_shards([dump], tmp_path / "built", BuildSettings(3), InThisProcess())
            yield from super().run(tasks)

    build_shards([dump], tmp_path / "built", BuildSettings(3), Nested())


def test_processes_do_the_same(dump: Path, by_index: Made, tmp_path: Path) -> None:
    workers = LocalWorkers(2)
    try:
        settings = BuildSettings(3, models=word_models)
        build_shards([dump], tmp_path / "built", settings, workers)
    finally:
        workers.close()
    assert_same_shards(tmp_path / "built", by_index.folder / "cut")


class Failing:
    """A task that fails in a process of its own."""

    def __init__(self, folder: Path, error: BaseException | None) -> None:
        self.folder, self._error = folder, error

    def write(self, folder: Path) -> None:
        if self._error is None:
            os._exit(7)
        raise self._error


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (MissingData("nothing there"), MissingData, "nothing there"),
        (OSError(28, "No space left on device", "/x"), OSError, "No space left on device: '/x'"),
        (ValueError("odd"), CitewiseError, "a worker failed; .*\n(.*\n)*ValueError: odd"),
        (None, CitewiseError, "a worker ended with code 7; was it out of memory?"),
    ],
)
def test_an_error_of_a_process_is_the_error_of_the_build(
    tmp_path: Path, error: BaseException | None, kind: type[BaseException], message: str
) -> None:
    workers = LocalWorkers(1)
    try:
        with pytest.raises(kind, match=message):
            list(workers.run([Failing(tmp_path / "a", error)]))
    finally:
        workers.close()
    assert error is None or not list(tmp_path.iterdir())


class Unreadable(Failing):
    """A task that another process cannot read."""

    def __reduce__(self) -> tuple[type[int], tuple[str]]:
        return int, ("no number",)


def test_a_task_that_a_process_cannot_read_ends_the_build(tmp_path: Path) -> None:
    workers = LocalWorkers(1)
    try:
        with pytest.raises(CitewiseError, match="a worker ended with code 1"):
            list(workers.run([Unreadable(tmp_path / "a", None)]))
    finally:
        workers.close()


def test_the_command_says_what_was_built(run: Run, small_dump: Path, tmp_path: Path) -> None:
    done = run(
        *("build", small_dump, "--output", tmp_path / "built", "--shards", 2, "--workers", 1),
        *("--report", tmp_path / "report.jsonl", "--no-vectors"),
    )
    assert done.code == 0, done.err
    assert "papers in 2 shards" in done.err and "malformed_json" in done.err
    assert '"reason":"same_title"' in (tmp_path / "report.jsonl").read_text()
    assert not manifests.load(tmp_path / "built").vectors

    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"id": "a"}\n')
    command = ("build", empty, "--output", tmp_path / "none", "--workers", 1)
    done = run(*command)
    assert done.code == 2 and "format not recognised" in done.err
    done = run(*command, "--format", "jsonl")
    assert done.code == 1 and "no paper was found" in done.err and "no_title" in done.err
    assert not list(tmp_path.glob("none*"))


def test_links_over_any_number_of_others() -> None:
    pairs = np.array([[1, 2], [2, 4], [9, 8], [8, 7], [7, 6], [0, 5]])
    assert linked(pairs, 11).tolist() == [0, 1, 1, 3, 1, 0, 6, 6, 6, 6, 10]
    chain = np.random.default_rng(1).permutation(2_000)
    assert not linked(np.stack([chain[:-1], chain[1:]], axis=1), 2_000).any()
    assert linked(np.zeros((0, 2), np.int64), 2).tolist() == [0, 1]


@pytest.mark.usefixtures("small_batches")
def test_elife_in_the_layout_of_openalex(shared: Path, tmp_path: Path) -> None:
    """Real papers: all whose title another one has, and 500 more."""
    with lzma.open(shared / "elife" / "papers.jsonl.xz", "rb") as file:
        records = [json.loads(line) for line in file]
    titles = Counter(record["title"].casefold() for record in records)
    numbers = Numbers()
    made = [
        work(record, numbers)
        for position, record in enumerate(records)
        if position < 500 or titles[record["title"].casefold()] > 1
    ]
    write_works(tmp_path / "works", made, 6)
    found, expected = Report(), indexed([tmp_path / "works"], tmp_path)
    built([tmp_path / "works"], tmp_path / "built", report=found)
    assert found.counts == expected.counts and found.added == expected.added > 500
    assert_same_shards(tmp_path / "built", tmp_path / "cut")
    assert_same_answers(tmp_path / "built", tmp_path / "cut")
