"""What a build was asked for, as every task knows it, and where its work is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from citewise.engines.version import installed_version
from citewise.errors import BadInput
from citewise.library.files import replace
from citewise.protocols import WordModel

_NAME = "plan.json"


def no_models() -> Mapping[str, WordModel]:
    """Return no models: papers get no vectors."""
    return {}


class SourceFile(msgspec.Struct, frozen=True):
    """A file of the dump, as it was when the build began."""

    path: str
    size: int
    changed: int
    """When, in nanoseconds."""

    @classmethod
    def of(cls, path: str) -> "SourceFile":
        """Return a file as it is now."""
        known = Path(path).stat()
        return cls(path, known.st_size, known.st_mtime_ns)


class Plan(msgspec.Struct, frozen=True):
    """The files and settings of a build; a build goes on only where they are the same."""

    files: tuple[SourceFile, ...]
    output: str
    shards: int
    generation: int
    """Of the shards that are made."""
    format: str = ""
    keep_versions: bool = False
    vectors: bool = True
    version: str = msgspec.field(default_factory=installed_version)


@dataclass(frozen=True, slots=True)
class Build:
    """A plan, the folder of the work, and how papers are embedded."""

    plan: Plan
    work: Path
    models: Callable[[], Mapping[str, WordModel]] = field(default=no_models)
    """A function of a module: tasks carry its name to other processes."""

    def place(self, step: str, number: int = 0) -> Path:
        """Return the folder of a task's result."""
        return self.work / step / f"{number:06d}"


def known_plan(work: Path) -> Plan | None:
    """Return the plan of the build that has begun in a folder; None where none has."""
    try:
        return msgspec.json.decode((work / _NAME).read_bytes(), type=Plan)
    except FileNotFoundError:
        return None
    except ValueError:
        raise _other(work, "its plan cannot be read") from None


def begin(work: Path, plan: Plan, before: Plan | None) -> None:
    """Write the plan into the folder of the work; where one was there, it has to be the same."""
    if before is None:
        replace(work / _NAME, msgspec.json.encode(plan))
        return
    for name in Plan.__struct_fields__:
        if getattr(before, name) != getattr(plan, name):
            raise _other(work, _difference(name, before, plan))


def _difference(name: str, before: Plan, now: Plan) -> str:
    if name != "files":
        return f"{name} was {getattr(before, name)}, and is {getattr(now, name)}"
    changed = sorted({each.path for each in {*before.files} ^ {*now.files}})
    if not changed:
        return "the files are in another order"
    return f"{changed[0]} has changed, or was not among the files"


def _other(work: Path, why: str) -> BadInput:
    return BadInput(
        f"{work}: the work of another build ({why}); give the same files and options to go on with "
        "it, another folder with --work, or remove this one to begin anew"
    )
