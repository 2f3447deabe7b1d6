"""Joins a Ray cluster; Ray itself is imported here only, and only when a cluster is wanted."""

import logging
import os
import socket
import time
from types import ModuleType
from typing import Any

from citewise.engines.ray.addresses import SETTINGS, Address, uses_tls
from citewise.engines.ray.local_nodes import use_token
from citewise.engines.ray.sockets import Connection
from citewise.errors import BadInput, MissingExtra, NoPermission, Unavailable

NAMESPACE = "citewise"
"""The Ray namespace of every actor."""

_HEAD_SECONDS = 5.0
"""How long a head may take to accept a connection, and to answer a greeting."""

_EMPTY_SETTINGS = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _EMPTY_SETTINGS
"""With what HTTP/2 begins, which Ray speaks: the other side begins with its settings, too."""

log = logging.getLogger("citewise.cluster")


def ray_module() -> ModuleType:
    """Return Ray; MissingExtra where it is not installed."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise MissingExtra("a library on a cluster", "cluster") from None
    return ray


def join(address: Address) -> ModuleType:
    """Join the cluster at an address, unless this process has already; return Ray."""
    use_token(address)
    ray = ray_module()
    if ray.is_initialized():
        joined = ray.get_runtime_context().gcs_address
        if joined != address.cluster:
            raise BadInput(
                f"{address}: this process has joined the cluster at {joined}, and Ray joins one at "
                "a time; open the other library in a process of its own"
            )
        _check_head(address)
        return ray

    _check_head(address)
    try:
        ray.init(
            address=address.cluster,
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
            **_own_address(address),
        )
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise _refused(address, error) from None
    _keep_output_ours()
    return ray


def _keep_output_ours() -> None:
    """Log what Ray would print among answers, such as that a node has died."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):

        def logged(data: dict[str, Any], *_: Any, **__: Any) -> None:
            log.info("%s", " ".join(map(str, data.get("lines", ()))))

        worker.print_to_stdstream = logged


def _check_head(address: Address) -> None:
    """Raise Unavailable where nothing listens at an address, or something that is not Ray: Ray
    itself would try for minutes.
    """
    try:
        with socket.create_connection(
            (address.host.strip("[]"), address.port), _HEAD_SECONDS
        ) as opened:
            if uses_tls():
                return
            connection = Connection(opened)
            connection.write(_GREETING)
            answer = connection.read(len(_EMPTY_SETTINGS), time.monotonic() + _HEAD_SECONDS)
    except OSError as error:
        raise _refused(address, error) from None
    if answer[3:4] != _EMPTY_SETTINGS[3:4]:
        raise Unavailable(
            f"{address}: no cluster answers there, but something that is not Ray; give the port of "
            "the head (6379, unless it was given another)"
        )


def _own_address(address: Address) -> dict[str, str]:
    """Return what lets a client on a loopback address find the node there: Ray would look for one
    on the machine's own address.
    """
    return {"_node_ip_address": address.host} if address.host.startswith("127.") else {}


def _refused(address: Address, error: BaseException) -> NoPermission | Unavailable:
    """Return the error that says why a cluster cannot be joined."""
    whole, cause = "", error
    while cause is not None:
        whole, cause = f"{whole} {cause}", cause.__cause__ or cause.__context__  # type: ignore[assignment]
    if any(
        name in f"{whole} {type(error).__name__}"
        for name in ("AuthToken", "Unauthenticated", "AuthenticationError")
    ):
        return NoPermission(
            f"{address}: the cluster refuses this client's token; set RAY_AUTH_MODE=token and "
            "RAY_AUTH_TOKEN (or RAY_AUTH_TOKEN_PATH) to the cluster's"
        )
    why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return Unavailable(
        f"{address}: no cluster answers there ({why}); start one, and see its address, with: "
        "citewise cluster up --shards DIR"
    )
