"""Start a server: bind the address, one process or several, open the browser."""

import contextlib
import ipaddress
import signal
import socket
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from citewise.errors import BadInput, MissingExtra
from citewise.http.settings import Settings, to_environment

GRACE = 10
"""Seconds that requests have to finish when the server stops."""

KEEP_ALIVE = 5
"""Seconds for which an idle connection is kept."""

_FACTORY = "citewise.http.app:from_settings_in_environment"
_STARTING = 60.0
"""Seconds after which the browser is no longer waited with."""


def is_local(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve(settings: Settings, browser: bool, ready: Callable[[str], None]) -> None:
    """Serve until the process is told to stop; `ready` is called with the server's address."""
    require_extra()
    with bound(settings) as listening, tempfile.TemporaryDirectory(prefix="citewise-") as state:
        port = listening.getsockname()[1]
        settings = replace(settings, state=state, port=port)
        to_environment(settings)
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{shown}:{port}/"
        threading.Thread(
            target=_announce, args=(address, settings, browser, ready), daemon=True
        ).start()
        _run(settings, listening)


def _run(settings: Settings, listening: socket.socket) -> None:
    """Run one process here, or several under a supervisor that replaces those that die.

    The server stops on SIGINT and SIGTERM, then raises them again: that is a normal end here.
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    config = uvicorn.Config(_FACTORY, factory=True, workers=settings.workers, **CONFIGURATION)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        if settings.workers == 1:
            uvicorn.Server(config).run([listening])
        else:
            Multiprocess(config, [listening]).run()


@contextlib.contextmanager
def bound(settings: Settings) -> Iterator[socket.socket]:
    """Give a socket that is bound to the server's address."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host, settings.port))
        except OSError as error:
            raise BadInput(
                f"{settings.host}:{settings.port} cannot be served ({error.strerror}); choose "
                "another port with --port, or 0 for any that is free"
            ) from None
        listening.set_inheritable(True)
        yield listening


def _announce(
    address: str, settings: Settings, browser: bool, ready: Callable[[str], None]
) -> None:
    """Wait until the server answers; say so, and open the browser."""
    until = time.monotonic() + _STARTING
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    shown = f"[{host}]" if ":" in host else host
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://{shown}:{settings.port}/healthz", timeout=5).close()
            break
        time.sleep(0.05)
    ready(address)
    if browser:
        suffix = f"?token={quote(settings.token, safe='')}" if settings.token else ""
        webbrowser.open(f"http://{shown}:{settings.port}/{suffix}")


def require_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("the server", "serve") from None


_LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "stream": "ext://sys.stderr",
        }
    },
    "loggers": {
        "citewise.http": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}

CONFIGURATION: dict[str, Any] = {
    "access_log": False,  # it would have queries in it
    "log_config": _LOGGING,
    "server_header": False,
    "timeout_keep_alive": KEEP_ALIVE,
    "timeout_graceful_shutdown": GRACE,
    "ws": "none",
}
"""How uvicorn serves the application, wherever it runs."""
