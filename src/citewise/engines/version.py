"""The version of citewise that is installed here: parts of a cluster must have the same."""

import importlib.metadata


def installed_version() -> str:
    """Return the version of the installed package, "unknown" where it is run from its source."""
    try:
        return importlib.metadata.version("citewise")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
