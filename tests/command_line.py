"""Calling the command line from tests: in the test's own process (the fixture `run`), or in a
process of its own.
"""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from citewise.types import Paper


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    """The exit code."""
    out: str
    err: str


Run = Callable[..., Done]
"""The fixture `run`: takes the command's arguments, and `stdin=` bytes for standard input."""


def in_own_process(*arguments: object, stdin: bytes = b"", **environment: str) -> Done:
    """Run a command in a process of its own, its output in pipes."""
    done = subprocess.run(
        [sys.executable, "-m", "citewise", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, "COLUMNS": "400", **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def write_papers(file: Path, papers: Sequence[Paper]) -> Path:
    """Write papers as JSON lines; return the file."""
    file.write_text("".join(json.dumps(dataclasses.asdict(paper)) + "\n" for paper in papers))
    return file
