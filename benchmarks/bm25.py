"""BM25 on `cs`: quality by the protocol, latency and memory, beside pyserini on the same texts; the
two answer each query in turns.

    python benchmarks/bm25.py            (some ten minutes)
"""

import functools
import shutil
import statistics
import subprocess
import sys
import time

import citewise
from citewise.types import Query
from measuring import COMMIT, in_fresh_process, interleaved, save
from protocol import WORK, measure, records, saved_queries
from rivals import PYSERINI, Pyserini, write_collection

K1, B = 1.6, 0.75
ROUNDS = 3
TIMED = 200


def main() -> None:
    papers = list(records("cs"))
    asked = saved_queries("cs", 2022, least=5)
    library = build_library()
    rival = build_rival(papers)

    years = {paper["id"]: paper.get("year") or 0 for paper in papers}
    quality = {"citewise bm25": measure(asked, our_run(library, asked, "bm25"))}
    for name in ("bm25-title", "bm25-keyterms"):
        quality[f"citewise {name}"] = measure(asked, our_run(library, asked, name))
    quality[f"citewise bm25(k1={K1},b={B})"] = measure(
        asked, our_run(library, asked, f"bm25(k1={K1},b={B})")
    )
    quality[f"pyserini (k1={K1}, b={B})"] = measure(asked, their_run(rival, asked, years))

    latency = timed(library, rival, asked[:TIMED])
    memory = {
        "citewise MB, serving": in_fresh_process("serving.py", str(WORK / "cs-library")),
        "pyserini MB, serving": rival.ask(do="memory"),
    }
    rival.close()
    save(
        "bm25",
        {
            "corpus": "cs",
            "papers": len(papers),
            "pyserini": PYSERINI,
            "quality": quality,
            "latency": latency,
            "memory": memory,
        },
    )


def build_library() -> citewise.Library:
    """Return the library of `cs`; versions are kept apart, so that every system has 315,077."""
    folder = WORK / "cs-library"
    if not (folder / "manifest.json").exists():
        subprocess.run(
            [
                sys.executable,
                "-m",
                "citewise",
                "index",
                "../shared/data/cs/papers.jsonl.xz",
                "--library",
                str(folder),
                "--keep-versions",
            ],
            check=True,
            cwd=WORK.parents[1],
        )
    return citewise.open(folder)


def build_rival(papers: list[dict]) -> Pyserini:
    """Return a pyserini process with the index of the papers open; the index is made where it is
    not there.
    """
    rival, folder = Pyserini(), WORK / "cs-pyserini"
    if not folder.exists():
        shutil.rmtree(WORK / "cs-collection", ignore_errors=True)
        write_collection(papers, WORK / "cs-collection")
        rival.ask(
            do="index", collection=str(WORK / "cs-collection"), folder=str(folder), store=False
        )
    rival.ask(do="open", folder=str(folder), k1=K1, b=B)
    return rival


def our_run(library: citewise.Library, asked: list, system: str) -> dict[str, dict[str, float]]:
    """Return the scores of a system's first 1000 papers, by query and paper."""
    recommender, names, run = library.recommender(system), _names(library), {}
    for each in asked:
        ranking = recommender.rank(Query(each.title, each.abstract, each.id, each.year), 1000)
        found = zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True)
        run[each.id] = {names[row]: score for row, score in found}
    return run


@functools.cache
def _names(library: citewise.Library) -> list[str]:
    """Return the ids of all papers by row; the benchmark's library has no removed rows."""
    papers = library.stores.papers
    return [
        paper.id
        for start in range(0, papers.rows.size, 5000)
        for paper in papers.read(papers.rows[start : start + 5000])
    ]


def their_run(rival: Pyserini, asked: list, years: dict[str, int]) -> dict[str, dict[str, float]]:
    """Return the scores of pyserini's first 1000 papers, by query and paper, without the query
    itself and younger papers; 3000 hits are enough for that.
    """
    run = {}
    for each in asked:
        text = f"{each.title}\n{each.abstract}"
        answer = rival.ask(do="search", text=text, k=3000, hits=True)

        kept = [
            (name, score)
            for name, score in answer["hits"]
            if 0 < years[name] <= each.year and name != each.id
        ][:1000]
        run[each.id] = dict(kept)
    return run


def timed(library: citewise.Library, rival: Pyserini, asked: list) -> dict:
    """Return how long the first 1000 papers take for queries of title and abstract, by round; both
    programs answer each query in turns.
    """
    recommender = library.recommender(f"bm25(k1={K1},b={B})")

    def ours(query: Query) -> float:
        start = time.perf_counter()
        recommender.rank(query, 1000)
        return time.perf_counter() - start

    for each in asked[:20]:  # warm both
        ours(Query(each.title, each.abstract))
        rival.ask(do="search", text=f"{each.title}\n{each.abstract}", k=1000)

    medians: dict[str, list[float]] = {
        "citewise": [],
        "citewise, papers up to 2022": [],
        "pyserini": [],
    }
    for _ in range(ROUNDS):
        taken: dict[str, list[float]] = {name: [] for name in medians}
        for each in asked:
            once = interleaved(
                1,
                **{
                    "citewise": lambda each=each: ours(Query(each.title, each.abstract)),
                    "citewise, papers up to 2022": lambda each=each: ours(
                        Query(each.title, each.abstract, each.id, 2022)
                    ),
                    "pyserini": lambda each=each: rival.ask(
                        do="search", text=f"{each.title}\n{each.abstract}", k=1000
                    )["seconds"],
                },
            )
            for name, values in once.items():
                taken[name] += values
        for name, values in taken.items():
            medians[name].append(round(statistics.median(values) * 1000, 2))

    best = {name: statistics.median(values) for name, values in medians.items()}
    opening = [_open_once() for _ in range(ROUNDS)]
    return {
        "unit": "ms, median over queries, a value a round",
        "queries": len(asked),
        "k": 1000,
        "rounds": medians,
        "ratio to pyserini": {
            name: round(value / best["pyserini"], 3) for name, value in best.items()
        },
        "opening the library, s": [round(seconds, 4) for seconds in opening],
    }


def _open_once() -> float:
    start = time.perf_counter()
    citewise.open(WORK / "cs-library")
    return time.perf_counter() - start


if __name__ == "__main__":
    print("measuring", COMMIT)
    main()
