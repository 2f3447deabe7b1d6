"""Joins a Ray cluster; Ray itself is imported here only, and only when a cluster is wanted."""

import logging
import os
import re
from types import ModuleType
from typing import NamedTuple

from citewise.errors import BadInput, MissingExtra, NoPermission, Unavailable

NAMESPACE = "citewise"
"""The Ray namespace of every actor."""

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_max_direct_call_object_size": "4000000",  # else answers over 100 kB take a detour
    "RAY_NUM_REDIS_GET_RETRIES": "3",  # seconds to wait for a cluster that is not there
}
"""Environment of nodes and clients: no statistics are sent to Ray's makers, answers of some
hundreds of kilobytes go straight to the client.
"""

_ADDRESS = re.compile(
    r"ray://(?P<host>[^/:\s]+|\[[0-9a-fA-F:]+\])(:(?P<port>\d+))?(/(?P<name>[\w.-]*))?/?"
)
_PORT = 6379


class Address(NamedTuple):
    """Where a cluster is, and what the library is called there."""

    host: str
    port: int = _PORT
    name: str = "library"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Return the address that a text such as `ray://10.0.0.1:6379/papers` means."""
        match = _ADDRESS.fullmatch(text.strip())
        if match is None:
            raise BadInput(
                f"{text}: not the address of a cluster; write ray://HOST:PORT/NAME, such as "
                "ray://10.0.0.1:6379/library"
            )
        return cls(
            match["host"], int(match["port"] or _PORT), match["name"] or cls._field_defaults["name"]
        )

    def __str__(self) -> str:
        return f"ray://{self.host}:{self.port}/{self.name}"

    @property
    def cluster(self) -> str:
        """Return what Ray calls the address."""
        return f"{self.host}:{self.port}"


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
    from citewise.engines.ray.local_nodes import use_token

    use_token(address)
    ray = ray_module()
    if ray.is_initialized():
        joined = ray.get_runtime_context().gcs_address
        if joined != address.cluster:
            raise BadInput(
                f"{address}: this process has joined the cluster at {joined}, and Ray joins one at "
                "a time; open the other library in a process of its own"
            )
        return ray

    try:
        ray.init(
            address=address.cluster,
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
            **_own_address(address),
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _refused(address, error) from None
    return ray


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
    if "AuthToken" in whole or "Unauthenticated" in whole:
        return NoPermission(
            f"{address}: the cluster refuses this client's token; set RAY_AUTH_MODE=token and "
            "RAY_AUTH_TOKEN (or RAY_AUTH_TOKEN_PATH) to the cluster's"
        )
    return Unavailable(
        f"{address}: no cluster answers there; see whether it is up with: citewise cluster status "
        f"--library {address}"
    )
