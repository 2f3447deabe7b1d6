"""Addresses of clusters, and the environment of the processes that join them."""

import os
import re
from typing import NamedTuple

from citewise.errors import BadInput

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_max_direct_call_object_size": "4000000",  # else answers over 100 kB take a detour
    "RAY_NUM_REDIS_GET_RETRIES": "3",  # seconds to wait for a cluster that is not there
    "RAY_ENABLE_AUTO_CONNECT": "0",  # else a late question joins or starts some cluster
    # seconds without a head after which nodes and clients end; Ray's own 60 are soon over
    "RAY_gcs_rpc_server_reconnect_timeout_s": "900",
}
"""Environment of nodes and clients: no statistics are sent to Ray's makers, answers of some
hundreds of kilobytes go straight to the client.
"""


def uses_tls() -> bool:
    """Return whether Ray is told to encrypt."""
    return os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true")


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
        if int(match["port"] or _PORT) not in range(1, 1 << 16):
            raise BadInput(f"{text}: a port is a number from 1 to 65535")
        return cls(
            match["host"], int(match["port"] or _PORT), match["name"] or cls._field_defaults["name"]
        )

    def __str__(self) -> str:
        return f"ray://{self.host}:{self.port}/{self.name}"

    @property
    def cluster(self) -> str:
        """Return what Ray calls the address."""
        return f"{self.host}:{self.port}"
