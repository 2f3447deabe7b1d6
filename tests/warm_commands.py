"""A `citewise` for shell scripts that need not import the package anew for each command.

A server has imported it and forks: each command has a process of its own, with the arguments,
folder, environment and open files of the shell that calls it. Run as a program with a socket, this
module is the server; `CLIENT` is the script that a shell calls.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from citewise import cli

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    call = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(server, [json.dumps(call).encode() + b"\\n"], [0, 1, 2])
    code = server.recv(1)
sys.exit(code[0] if code else "citewise: the command was killed")
"""

_LONGEST_CALL = 1 << 20
"""Bytes."""


@contextlib.contextmanager
def warm_commands(folder: Path, environment: Mapping[str, str], *modules: str) -> Iterator[Path]:
    """Give a folder for PATH with a `citewise` in it.

    `environment` is that of its imports; `modules` are imported too, for commands that would each
    import them late.
    """
    folder.mkdir()
    address, client = str(folder / "socket"), folder / "citewise"
    client.write_text(CLIENT.format(python=sys.executable, address=address))
    client.chmod(0o755)

    command = [sys.executable, str(Path(__file__).resolve()), address, *modules]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as server:
        try:
            if server.stdout is None or server.stdout.readline() != b"ready\n":
                raise RuntimeError("the server of commands did not start; its error is above")
            yield folder
        finally:
            server.kill()


def _serve(address: str, *modules: str) -> None:
    """Run the commands that clients send, one process each."""
    of_commands = (f"citewise.cli.{module}" for module in cli.COMMANDS.values())
    for module in ("lightgbm", *of_commands, *modules):  # the first is what `best` imports
        importlib.import_module(module)
    with contextlib.redirect_stdout(None), contextlib.suppress(SystemExit):
        cli.app(["--version"])  # the first parsing of options imports pydantic
    gc.freeze()  # a command's collections then leave shared memory alone

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the commands
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            connection, _ = listener.accept()
            if not os.fork():
                listener.close()
                _run(connection)
            connection.close()


def _run(connection: socket.socket) -> None:
    """Run one command in this process, send its exit code, and end."""
    code = 1
    try:
        content, files, _, _ = socket.recv_fds(connection, _LONGEST_CALL, 3)
        while not content.endswith(b"\n"):
            content += connection.recv(_LONGEST_CALL)
        code = _command(json.loads(content), files)
    finally:
        with contextlib.suppress(OSError):
            connection.send(bytes([code]))
        os._exit(code)


def _command(call: dict[str, object], files: list[int]) -> int:
    """Run a command as a process of its own would; return its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)

    os.chdir(str(call["folder"]))
    os.environ.clear()
    os.environ.update(call["environment"])  # type: ignore[call-overload]
    sys.argv = ["citewise", *call["arguments"]]  # type: ignore[misc]
    try:
        cli.main()
    except SystemExit as end:
        return _exit_code(end.code)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _exit_code(code: object) -> int:
    """Return the exit code that Python makes of what `sys.exit` was given."""
    if code is None or isinstance(code, int):
        return code or 0
    sys.stderr.write(f"{code}\n")
    return 1


if __name__ == "__main__":
    _serve(*sys.argv[1:])
