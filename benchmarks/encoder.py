"""The encoder beside sentence-transformers with the same weights: are the vectors the same, and
which is faster?

    python benchmarks/encoder.py            (some five minutes, the rival's environment not counted)
"""

import json
import subprocess
import time
import venv
from pathlib import Path

import numpy as np

from citewise.embed.encoder import TransformerEncoder
from citewise.embed.located import located
from citewise.protocols import Precision
from contexts import library_of
from measuring import save
from protocol import WORK

TEXTS, ROUNDS = 600, 3
RIVAL = ("torch==2.13.0", "sentence-transformers")
PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")


def main() -> None:
    evidence = library_of("scisummnet").stores.evidence
    spans = np.linspace(0, evidence.counts().spans - 1, TEXTS).astype(np.int64)
    texts = evidence.texts(spans)
    rival = subprocess.Popen(
        [
            rival_python(),
            Path(__file__).with_name("sentence_transformers_worker.py"),
            str(located("minilm").folder),
        ],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    ours = {precision: TransformerEncoder("minilm", precision) for precision in PRECISIONS}
    for encoder in ours.values():  # load the models before they are timed
        encoder.encode(texts[:50])

    speeds: dict[str, list[float]] = {name: [] for name in (*ours, "sentence-transformers")}
    theirs = np.zeros(0)
    for _ in range(ROUNDS):
        for name, encoder in ours.items():
            start = time.process_time()
            encoder.encode(texts)
            speeds[name].append(round(TEXTS / (time.process_time() - start), 1))
        print(json.dumps(texts), file=rival.stdin, flush=True)
        answer = json.loads(rival.stdout.readline())
        theirs = np.array(answer["vectors"])
        speeds["sentence-transformers"].append(round(TEXTS / answer["seconds"], 1))
    rival.stdin.close()
    rival.wait()

    cosines = {name: (encoder.encode(texts) * theirs).sum(1) for name, encoder in ours.items()}
    save(
        "encoder",
        {
            "model": "all-MiniLM-L6-v2",
            "texts": f"{TEXTS} spans of scisummnet",
            "rival": answer["versions"],
            "texts a CPU second, one thread, by round": speeds,
            "cosine to sentence-transformers": {
                name: {"least": round(float(each.min()), 6), "mean": round(float(each.mean()), 6)}
                for name, each in cosines.items()
            },
        },
    )


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


if __name__ == "__main__":
    main()
