"""The errors that the package raises on purpose.

CitewiseError
├── BadInput        what the caller gave cannot be used
├── MissingData     a library, paper or file that is not there
├── BadLibrary      a library that is damaged, or of a format that this version does not read
├── LibraryBusy     another process is writing
├── NoPermission    a library that this user may not read, or not change
├── Unavailable     a part of a cluster that does not answer
└── MissingExtra    an optional dependency is not installed
"""


class CitewiseError(Exception):
    """Base of every error raised on purpose; its message says what happened and what to do next."""

    code = "error"


class BadInput(CitewiseError):
    """What the caller gave cannot be used."""

    code = "bad_input"


class MissingData(CitewiseError):
    """A library, paper or file that is not there."""

    code = "missing_data"


class BadLibrary(CitewiseError):
    """A library that is damaged, or of a format that this version does not read."""

    code = "bad_library"


class LibraryBusy(CitewiseError):
    """Another process is writing to the library."""

    code = "library_busy"


class NoPermission(CitewiseError):
    """A library that this user may not read, or not change."""

    code = "no_permission"


class Unavailable(CitewiseError):
    """A part of a cluster that does not answer: no answer is given rather than a part of one."""

    code = "unavailable"


class MissingExtra(CitewiseError):
    """An optional dependency is not installed."""

    code = "missing_extra"

    def __init__(self, what: str, extra: str, line: str = "") -> None:
        """Say that `what` needs a dependency, with the pip line of an extra or the given `line`."""
        command = line or f"pip install 'citewise[{extra}]'"
        super().__init__(f"{what} needs an optional dependency: {command}")
