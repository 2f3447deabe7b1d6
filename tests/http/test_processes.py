"""Whether processes are there: real ones, started and ended."""

import os
import subprocess
import sys

from citewise.http.processes import is_alive


def test_a_process_is_there_until_it_has_ended() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    )

    assert is_alive(process.pid)
    assert process.poll() is None  # asking has not ended it
    process.communicate()
    assert not is_alive(process.pid)


def test_this_process_and_the_first_one_are_there() -> None:
    assert is_alive(os.getpid())
    assert is_alive(1)  # not ours, where tests don't run as root
