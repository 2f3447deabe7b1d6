"""The laboratory's figures on `cs` and `elife`: query forms, pools of growing size, rivals through
run files, k1/b.

    python benchmarks/lab.py [cs] [elife]            (about an hour; finished answers are kept)
"""

import json
import random
import shutil
import statistics
import subprocess
import sys
import venv
from pathlib import Path

import citewise
from citewise.evaluate import (
    Question,
    Results,
    Settings,
    Split,
    SplitSettings,
    evaluate,
    parse_measures,
)
from citewise.evaluate.interchange import write_run
from citewise.evaluate.large import moved
from citewise.types import Paper
from measuring import save
from protocol import DATA, WORK, records
from rivals import PYSERINI, Pyserini, write_collection

K1, B = 1.6, 0.75
HITS = 3000
"""Asked of rivals, which know no years: enough for 1000 to remain when younger papers are taken
out.
"""

FORMS = "bm25,bm25-title,bm25-keyterms"
MEASURES = parse_measures("F1@20 MRR@1000 R@1000 MAP@500 nDCG@500 R@30")
GRID = f"bm25(k1={'|'.join(map(str, (0.6, 0.9, 1.2, 1.6, 2.0, 3.0)))},b=0.4|0.6|0.75|0.9,reach=2.0)"
GRID_SAMPLE = 400
CORPORA = {
    "cs": (SplitSettings(dev=(2021, 2021), test=(2022, 2022), least=5), (50_000, 100_000, 200_000)),
    "elife": (SplitSettings(dev=(2022, 2022), test=(2023, 2023), least=3), (5_000, 10_000)),
}


def main() -> None:
    for corpus in sys.argv[1:] or CORPORA:
        measure(corpus, *CORPORA[corpus])


def measure(corpus: str, settings: SplitSettings, sizes: tuple[int, ...]) -> None:
    library = library_of(corpus)
    split = split_of(corpus, library, settings)
    questions = split.questions(library.stores, "test")

    papers = list(records(corpus))
    pools = {size: pool(library, papers, questions, size) for size in sizes} | {len(papers): papers}
    found = {
        size: measured_pool(corpus, size, members, library, questions)
        for size, members in pools.items()
    }

    dev = split.questions(library.stores, "dev")
    sample = random.Random(0).sample(dev, min(GRID_SAMPLE, len(dev)))
    grid = evaluate(
        library.stores,
        [GRID],
        sample,
        Settings(measures=MEASURES[:3], jobs=2, folder=WORK / "runs"),
    )
    save(
        f"lab-{corpus}",
        {
            "corpus": corpus,
            "queries": len(questions),
            "guarded": True,
            "pyserini": PYSERINI,
            "hidden near-duplicates": sum(len(each.query.hidden) for each in questions),
            "pools": found,
            "grid": {"queries": len(sample), "rows": rows_of(grid)},
        },
    )


def library_of(corpus: str) -> citewise.Library:
    folder = WORK / f"{corpus}-library"
    if not (folder / "manifest.json").exists():
        citewise.index([DATA / corpus / "papers.jsonl.xz"], folder, keep_versions=True)
    return citewise.open(folder)


def split_of(corpus: str, library: citewise.Library, settings: SplitSettings) -> Split:
    path = WORK / f"{corpus}-{library.stores.info.fingerprint}.split.json"
    if not path.exists():
        Split.make(library.stores, settings, parts=("dev", "test")).save(path)
    return Split.load(path)


def pool(
    library: citewise.Library, papers: list[dict], questions: list[Question], size: int
) -> list[dict]:
    """Return a random part of the papers that has everything that is asked for, in the order of the
    corpus.
    """
    wanted = {
        paper.id
        for paper in library.stores.papers.read(
            sorted({row for each in questions for row in each.gold})
        )
    }
    others = [paper["id"] for paper in papers if paper["id"] not in wanted]
    chosen = wanted | set(random.Random(size).sample(others, size - len(wanted)))
    return [paper for paper in papers if paper["id"] in chosen]


def measured_pool(
    corpus: str,
    size: int,
    members: list[dict],
    whole: citewise.Library,
    questions: list[Question],
) -> dict:
    library = whole if size == len(whole) else pool_library(f"{corpus}-{size}", members)
    asked = questions if library is whole else moved(questions, whole.stores, library.stores)
    runs = WORK / "runs"
    runs.mkdir(exist_ok=True)
    files = {name: runs / f"{corpus}-{size}-{name}.run" for name in ("pyserini", "bm25s")}

    about = {
        "pyserini": ask_pyserini(f"{corpus}-{size}", members, asked, files["pyserini"]),
        "bm25s": ask_bm25s(f"{corpus}-{size}", members, asked, files["bm25s"]),
    }

    systems = [FORMS if library is whole else "bm25", *(f"run:{file}" for file in files.values())]
    results = evaluate(
        library.stores, systems, asked, Settings(measures=MEASURES, jobs=1, folder=runs)
    )
    print(corpus, size, *rows_of(results).items(), sep="\n", flush=True)
    return {
        "papers": len(library),
        "systems": rows_of(results),
        "rivals": about,
        "p against bm25": {
            f"{Path(each.system).stem}: {each.measure}": round(each.p, 4)
            for each in results.comparisons
            if each.baseline == "bm25"
        },
    }


def rows_of(results: Results) -> dict:
    """Return each system's measures with their intervals, and its times."""
    return {
        Path(scored.system).stem if scored.system.startswith("run:") else scored.system: {
            **{
                name: [round(found.value, 4), round(found.low, 4), round(found.high, 4)]
                for name, found in scored.values.items()
            },
            **(
                {f"ms, {name}": round(value, 1) for name, value in scored.milliseconds.items()}
                if scored.milliseconds
                else {"out of scope": scored.dropped}
            ),
        }
        for scored in results.systems
    }


def pool_library(name: str, members: list[dict]) -> citewise.Library:
    folder = WORK / f"pool-{name}"
    if not (folder / "manifest.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        citewise.add(
            (
                Paper(
                    paper["id"],
                    paper["title"],
                    paper.get("abstract") or "",
                    paper.get("year"),
                    references=tuple(paper.get("references") or ()),
                )
                for paper in members
            ),
            folder,
            keep_versions=True,
        )
    return citewise.open(folder)


def ask_pyserini(name: str, members: list[dict], questions: list[Question], file: Path) -> dict:
    about = file.with_suffix(".json")
    if not about.exists():
        rival, index, collection = (
            Pyserini(),
            WORK / f"lab-pyserini-{name}",
            WORK / f"lab-collection-{name}",
        )
        if not index.exists():
            write_collection(members, collection)
            rival.ask(do="index", collection=str(collection), folder=str(index), store=False)
            shutil.rmtree(collection)
        rival.ask(do="open", folder=str(index), k1=K1, b=B)

        taken = []
        with file.open("w") as run:
            for each in questions:
                answer = rival.ask(do="search", text=each.query.text, k=HITS, hits=True)
                taken.append(answer["seconds"])
                papers, scores = zip(*answer["hits"], strict=True)
                write_run(run, each.id, papers, scores, "pyserini")
        rival.close()
        about.write_text(
            json.dumps(
                {"version": PYSERINI, "ms, median": round(statistics.median(taken) * 1000, 1)}
            )
        )
    return json.loads(about.read_text())


def ask_bm25s(name: str, members: list[dict], questions: list[Question], file: Path) -> dict:
    about = file.with_suffix(".json")
    if not about.exists():
        papers, queries = WORK / "lab-papers.jsonl", WORK / "lab-queries.jsonl"
        with papers.open("w") as lines:
            lines.writelines(
                json.dumps(
                    {
                        "id": paper["id"],
                        "contents": f"{paper['title']}\n{paper.get('abstract') or ''}",
                    }
                )
                + "\n"
                for paper in members
            )
        with queries.open("w") as lines:
            lines.writelines(
                json.dumps({"id": each.id, "contents": each.query.text}) + "\n"
                for each in questions
            )

        worker = Path(__file__).with_name("bm25s_worker.py")
        done = subprocess.run(
            [bm25s_python(), worker, papers, queries, file, str(K1), str(B), str(HITS)],
            capture_output=True,
            text=True,
            check=True,
        )
        about.write_text(done.stdout.strip().splitlines()[-1])
    return json.loads(about.read_text())


def bm25s_python() -> Path:
    """Return the interpreter of bm25s's environment, made on first use."""
    python = WORK / "bm25s-env" / "bin" / "python"
    if not python.exists():
        venv.create(WORK / "bm25s-env", with_pip=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "bm25s", "numba", "PyStemmer"], check=True
        )
    return python


if __name__ == "__main__":
    main()
