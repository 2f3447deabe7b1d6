"""Ray's processes on this machine, one loopback address a node: a cluster to try, and to test.

Ray listens on 127.0.0.2 and up: it replaces 127.0.0.1 by the machine's own address, where others
could reach it.
"""

import contextlib
import importlib.util
import ipaddress
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import platformdirs

from citewise.engines.ray.addresses import SETTINGS, Address
from citewise.errors import BadInput, MissingExtra, Unavailable
from citewise.library.files import replace

_STARTED = "Ray runtime started"
_START_SECONDS = 180.0
_STOP_SECONDS = 5.0
_OBJECT_STORE = 100_000_000
"""Bytes of a node's object store: answers pass beside it."""


_children: dict[int, subprocess.Popen[bytes]] = {}
"""The nodes that this process started; when one ends, it has to be waited for."""


class LocalNodes(msgspec.Struct, frozen=True):
    """The processes of a cluster on this machine."""

    address: str
    processes: tuple[int, ...]
    """One a node, the head first; each ends all that it started."""
    folder: str
    """Ray's files, and the logs."""


def _clusters() -> Path:
    return Path(platformdirs.user_state_dir("citewise")) / "clusters"


def _record(address: Address) -> Path:
    return _clusters() / f"{address.host}-{address.port}.json"


def token_file() -> Path:
    """Return the file with the token of this user's clusters on this machine; it is made where it
    is missing, and only its owner may read it.
    """
    file = _clusters() / "token"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as opened:
            opened.write(secrets.token_hex(32))
    return file


def known_nodes(address: Address) -> LocalNodes | None:
    """Return the processes of a cluster that this user started on this machine."""
    try:
        return msgspec.json.decode(_record(address).read_bytes(), type=LocalNodes)
    except (OSError, ValueError):
        return None


def use_token(address: Address) -> None:
    """Let Ray use the token of a cluster that this user started here: no other one fits."""
    if known_nodes(address) is not None:
        # before Ray is imported, which reads them once
        os.environ.pop("RAY_AUTH_TOKEN", None)
        os.environ |= _with_token()


def _with_token() -> dict[str, str]:
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token_file())}


def start_nodes(address: Address, count: int) -> LocalNodes:
    """Start a head and further nodes, one after the other; what is interrupted is ended."""
    if importlib.util.find_spec("ray") is None:
        raise MissingExtra("a cluster", "cluster")
    if not address.host.startswith("127.") or address.host == "127.0.0.1":
        raise BadInput(
            f"{address.host}: nodes on this machine get the addresses from 127.0.0.2 on; to use a "
            "cluster of other machines, start Ray there and give its address with --address"
        )
    _require_free(address)

    folder = Path(tempfile.mkdtemp(prefix="citewise-"))  # short: sockets are in it
    nodes = LocalNodes(address.cluster, (), str(folder))
    first = ipaddress.ip_address(address.host)
    try:
        for number in range(count):
            nodes = _started(address, str(first + number), nodes)
    except BaseException:
        stop_nodes(address)
        raise
    return nodes


def _require_free(address: Address) -> None:
    """Raise BadInput where a cluster of this user's runs at an address, or something else listens;
    end the nodes of one that has lost its head.
    """
    known = known_nodes(address)
    if known is not None and _members(known.processes[0]):
        raise BadInput(
            f"{address.cluster}: your cluster runs there already. To serve another library from "
            f"it: citewise cluster up --shards DIR --address {address.cluster} --name NAME; to "
            f"end it: citewise cluster down --library {address}"
        )
    stop_nodes(address)
    with contextlib.suppress(OSError), socket.create_connection((address.host, address.port), 5):
        raise BadInput(
            f"{address.cluster}: another process listens there; choose another port with --port"
        )


def start_node(address: Address, host: str) -> int:
    """Start one more node of a cluster on this machine; return its process."""
    nodes = known_nodes(address)
    if nodes is None:
        raise BadInput(f"{address}: no cluster of this machine has this address")
    return _started(address, host, nodes).processes[-1]


def _started(address: Address, host: str, nodes: LocalNodes) -> LocalNodes:
    """Start a node and wait until it runs; return all nodes. It is noted at once, so that whoever
    interrupts this can end it.
    """
    log = Path(nodes.folder) / f"{host}.log"
    process = _start(address, host, nodes, log)
    _children[process.pid] = process
    nodes = msgspec.structs.replace(nodes, processes=(*nodes.processes, process.pid))
    replace(_record(address), msgspec.json.encode(nodes))

    for _ in _moments(_START_SECONDS):
        if _STARTED in log.read_text("utf-8", "replace"):
            return nodes
        if process.poll() is not None:
            break
    *_, last = ["", *filter(str.strip, log.read_text("utf-8", "replace").splitlines())]
    raise Unavailable(f"Ray did not start on {host}: {last.strip() or 'it said nothing'}")


def _start(address: Address, host: str, nodes: LocalNodes, log: Path) -> subprocess.Popen[bytes]:
    """Start a node, the head if it is the first."""
    where = ["--address", address.cluster]
    if not nodes.processes:
        where = ["--head", "--port", str(address.port), "--include-dashboard", "false"]
        where += ["--temp-dir", nodes.folder]
    command = [
        *(str(Path(sys.executable).parent / "ray"), "start", "--block", *where),
        *("--node-ip-address", host, "--num-cpus", "1"),
        *("--object-store-memory", str(_OBJECT_STORE), "--disable-usage-stats"),
        *("--min-worker-port", "0", "--max-worker-port", "0"),
        *("--dashboard-agent-listen-port", "0", "--include-log-monitor", "false"),
    ]
    environment = os.environ | SETTINGS | _with_token()
    environment["RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S"] = "0"  # else a node takes as long to end
    environment.pop("RAY_AUTH_TOKEN", None)  # it would count for more than the file
    with log.open("wb") as output:
        return subprocess.Popen(  # noqa: S603
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )


def stop_nodes(address: Address) -> bool:
    """End the processes of a cluster that was started here; return whether there was one."""
    nodes = known_nodes(address)
    if nodes is None:
        return False

    for process in nodes.processes:  # all at once: each waits for what it started
        _send(process, signal.SIGTERM)
    for process in nodes.processes:
        end_node(process)
    shutil.rmtree(nodes.folder, ignore_errors=True)
    _record(address).unlink(missing_ok=True)
    return True


def end_node(process: int, first: signal.Signals = signal.SIGTERM) -> None:
    """End a node: its process and all that it started, which are a group of their own. The head's
    directory of the cluster ends last, and would take part in a cluster that is started meanwhile.
    """
    for sent in (first, signal.SIGKILL):
        if not _members(process):
            return
        _send(process, sent)
        for _ in _moments(_STOP_SECONDS):
            if not _members(process):
                return


def _send(process: int, sent: signal.Signals) -> None:
    """Send a signal to a node's group, if there are still processes of Ray's in it."""
    if _members(process):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, sent)


def _members(process: int) -> list[int]:
    """Return the processes of a node's group that run and are Ray's: numbers are used again."""
    child = _children.get(process)
    if child is not None and child.poll() is not None:
        del _children[process]

    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended between the two looks
            # number (name) state parent group ...
            state, _, group, *_ = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(group) == process and state not in "ZX":
                found += [int(folder.name)] * (b"ray" in (folder / "cmdline").read_bytes())
    return found


def _moments(seconds: float) -> Iterator[None]:
    """Yield a few times a second until the time is over."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield
        time.sleep(0.1)
