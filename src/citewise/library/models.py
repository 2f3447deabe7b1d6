"""Models that were trained on a library, each one file, replaced whole."""

from pathlib import Path

from citewise.library.files import replace

_FOLDER = "models"


def load(library: Path, name: str) -> bytes | None:
    """Return a saved model, None where there is none."""
    try:
        return (library / _FOLDER / f"{name}.json").read_bytes()
    except FileNotFoundError:
        return None


def names(library: Path) -> tuple[str, ...]:
    """Return the names of the saved models."""
    return tuple(sorted(file.stem for file in (library / _FOLDER).glob("*.json")))


def save(library: Path, name: str, content: bytes) -> None:
    """Write a model; readers see the old one or the new one, never a part."""
    (library / _FOLDER).mkdir(exist_ok=True)
    replace(library / _FOLDER / f"{name}.json", content)


def remove(library: Path, name: str) -> bool:
    """Delete a model; return whether there was one."""
    file = library / _FOLDER / f"{name}.json"
    held = file.exists()
    file.unlink(missing_ok=True)
    return held
