"""Index building on `cs`: papers a second, processor time and memory, beside pyserini on the same
texts; the two build in turns.

    python benchmarks/build.py            (some ten minutes)
"""

import json
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from measuring import interleaved, run_watched, save
from protocol import WORK, records
from rivals import PYSERINI, Pyserini, write_collection

ROUNDS = 3
OWN = "citewise: papers, forward and lexical index, graph, word vectors"


def processor_time() -> float:
    """Return the processor seconds of all processes that were started here and have ended; unlike
    wall time, it hardly grows with what else the machine does.
    """
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def source_of(corpus: str) -> Path:
    """Return a corpus as a file of plain JSON lines; it is made where it is not there."""
    source = WORK / f"{corpus}.jsonl"
    if not source.exists():
        WORK.mkdir(exist_ok=True)
        lines = (json.dumps(paper, ensure_ascii=False) + "\n" for paper in records(corpus))
        source.write_text("".join(lines))
    return source


def main() -> None:
    papers = list(records("cs"))
    source, collection = source_of("cs"), WORK / "cs-collection"
    if not collection.exists():
        write_collection(papers, collection)

    count = len(papers)
    del papers
    memory: dict[str, list[int]] = {"citewise": [], "pyserini": []}

    def ours(*options: str) -> float:
        folder = WORK / "build-library"
        shutil.rmtree(folder, ignore_errors=True)
        command = ["citewise", "index", str(source), "--library", str(folder), *options]
        seconds, peak = run_watched([sys.executable, "-m", *command])
        memory["citewise"].append(peak)
        return seconds

    def theirs(store: bool) -> float:
        folder = WORK / "build-pyserini"
        shutil.rmtree(folder, ignore_errors=True)
        start = time.perf_counter()  # as ours: from starting the process to the finished index
        rival = Pyserini()
        rival.ask(do="index", collection=str(collection), folder=str(folder), store=store)
        seconds = time.perf_counter() - start
        memory["pyserini"].append(rival.ask(do="memory"))
        rival.close()
        return seconds

    contestants: dict[str, Callable[[], float]] = {
        OWN: ours,
        "citewise: without word vectors": lambda: ours("--no-vectors"),
        "pyserini: lexical index only": lambda: theirs(store=False),
        "pyserini: with documents and vectors stored": lambda: theirs(store=True),
    }
    processor: dict[str, list[float]] = {name: [] for name in contestants}

    def watched(name: str) -> float:
        before = processor_time()
        seconds = contestants[name]()
        processor[name].append(processor_time() - before)
        return seconds

    taken = interleaved(ROUNDS, **{name: lambda name=name: watched(name) for name in contestants})
    speed = {name: round(count / statistics.median(seconds)) for name, seconds in taken.items()}

    own = speed.pop(OWN)
    save(
        "build",
        {
            "corpus": "cs",
            "papers": count,
            "pyserini": PYSERINI,
            "seconds": {
                name: [round(each, 1) for each in seconds] for name, seconds in taken.items()
            },
            "processor seconds": {
                name: [round(each, 1) for each in spent] for name, spent in processor.items()
            },
            "papers a second": {"citewise": own, **speed},
            "citewise is faster by": {
                f"than {name}": round(own / value, 2)
                for name, value in speed.items()
                if name.startswith("pyserini")
            },
            "peak MB": memory,
        },
    )


if __name__ == "__main__":
    main()
