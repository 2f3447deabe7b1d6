"""The last step: what coordinators have, the manifest, and the new generation becomes current."""

import datetime
import shutil
from pathlib import Path

import numpy as np

from citewise.engines.dumps.changes import parts_of
from citewise.engines.dumps.plan import Build
from citewise.engines.dumps.shards import (
    NOTHING,
    FinishedShard,
    field_lengths,
    finished_shard,
    found_sets,
    shard_folder,
)
from citewise.engines.dumps.words import WORDS, numbered_segments
from citewise.engines.shards import manifest as manifests
from citewise.engines.shards.generations import make_current, unfinished
from citewise.engines.shards.manifest import (
    COORDINATOR,
    ShardsManifest,
    VectorSet,
    folder_name,
    shard_name,
)
from citewise.engines.shards.writing import file_entries, write_columns, write_sentence_table
from citewise.errors import BadInput
from citewise.library.files import read_array, write_array
from citewise.library.folder import LibraryFolder
from citewise.library.manifest import FileEntry, fingerprint_of
from citewise.library.segment import FREQUENCIES, total_of
from citewise.library.segments import Segments
from citewise.library.vocabulary import Vocabulary
from citewise.types import StoreInfo


def finish(build: Build) -> ShardsManifest:
    """Write what is missing of the new generation, and make it current."""
    output, plan = Path(build.plan.output), build.plan
    fresh = unfinished(output, plan.generation)
    segments = numbered_segments(build, parts_of(build))
    shards = [finished_shard(build, number) for number in range(plan.shards)]
    coordinator = fresh / COORDINATOR
    shutil.rmtree(coordinator, ignore_errors=True)
    _write_coordinator(build, segments, coordinator)

    written = _manifest(build, segments, shards, file_entries(coordinator))
    manifests.save(fresh, written)
    manifests.save(build.work, written)
    make_current(output, written)
    return written


def finished_before(build: Build) -> ShardsManifest | None:
    """Return the manifest of a build that was killed in its very last step; None for any other."""
    output, generation = Path(build.plan.output), build.plan.generation
    if not manifests.is_shards(build.work) or unfinished(output, generation).exists():
        return None
    written = manifests.load(build.work)
    if not manifests.is_shards(output / folder_name(generation)) or (
        manifests.load(output, generation) != written
    ):
        raise BadInput(
            f"{output}: generation {generation} is not what the work in {build.work} has made; "
            "remove that folder to begin anew"
        )
    make_current(output, written)
    return written


def _write_coordinator(build: Build, segments: Segments, folder: Path) -> None:
    """Write the vocabulary with its document frequencies, years and lengths of papers."""
    folder.mkdir()
    for name in ("words.text", "words.starts", "words.hashes", "words.numbers"):
        shutil.copyfile(build.place(WORDS) / name, folder / name)
    write_columns(segments, folder)
    write_array(folder / "deleted", np.zeros(0), np.int64)

    tables = [shard_folder(build, shard) / "tables" for shard in range(build.plan.shards)]
    for name in (f"{each}.frequencies" for each in FREQUENCIES):
        counted = total_of([read_array(each / name, np.uint32) for each in tables])
        write_array(folder / name, counted, np.uint32)

    citing = np.zeros(segments.rows, np.bool_)
    for shard, each in enumerate(tables):
        starts = read_array(each / "references.starts", np.int64)
        citing[shard :: len(tables)] = np.diff(starts) > 0
    write_array(folder / "citing", np.flatnonzero(citing), np.int64)
    write_sentence_table(LibraryFolder(build.place(NOTHING)).evidence.tables, folder)


def _manifest(
    build: Build,
    segments: Segments,
    shards: list[FinishedShard],
    coordinator: dict[str, FileEntry],
) -> ShardsManifest:
    rows, plan = segments.rows, build.plan
    files = {f"{COORDINATOR}/{name}": entry for name, entry in coordinator.items()}
    for number, shard in enumerate(shards):
        files |= {f"{shard_name(number)}/{name}": each for name, each in shard.files.items()}

    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    nothing = LibraryFolder(build.place(NOTHING))
    return ShardsManifest(
        generation=plan.generation,
        version=plan.version,
        written=now,
        library=StoreInfo(
            location=plan.output,
            fingerprint=fingerprint_of(rows, rows, files),
            generation=plan.generation,
            written=now,
            terms=len(Vocabulary(build.place(WORDS))),
            segments=len(segments),
            bytes_on_disk=sum(each.size for each in files.values()),
        ),
        rows=rows,
        papers=rows,
        lengths=field_lengths(segments),
        evidence=nothing.evidence.counts(),
        shards=tuple(shard.entry for shard in shards),
        files=files,
        vectors={
            name: VectorSet(each.about, each.papers, each.lists)
            for name, each in found_sets(build).items()
            if each.papers
        },
    )
