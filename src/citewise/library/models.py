"""Models that were trained on a library, each one file, replaced whole."""

from functools import lru_cache
from pathlib import Path

from citewise.errors import BadLibrary, NoPermission
from citewise.library.files import replace
from citewise.library.location import require_writable
from citewise.library.seal import sealed, unsealed

_FOLDER = "models"


class ModelStore:
    """`protocols.Models` over a folder; models belong to no generation of the library."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self.load = lru_cache(self._load)  # as it was when first asked for

    def _load(self, name: str) -> bytes | None:
        """Return a model as it was saved; None where there is none of that name."""
        file = self._file(name)
        try:
            return unsealed(file.read_bytes())
        except FileNotFoundError:
            return None
        except PermissionError:
            raise NoPermission(
                f"{file}: you may not read this model; its owner can allow that with: "
                f"chmod a+r {file}"
            ) from None
        except ValueError as error:
            raise BadLibrary(
                f"{file}: damaged ({error}); delete this file to go back to what ships, and run "
                "citewise train again if you wish"
            ) from None

    def names(self) -> tuple[str, ...]:
        """Return the names of the saved models."""
        files = (self._library / _FOLDER).glob("*.json")
        return tuple(sorted(file.stem for file in files))

    def save(self, name: str, content: bytes) -> None:
        """Write a model; readers see the old one or the new one, never a part."""
        require_writable(self._library)
        (self._library / _FOLDER).mkdir(exist_ok=True)
        replace(self._file(name), sealed(content))

    def remove(self, name: str) -> None:
        """Delete a model, where there is one."""
        require_writable(self._library)
        self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self._library / _FOLDER / f"{name}.json"
