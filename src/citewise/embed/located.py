"""Find models by name: the one that is a package of its own, those of the user's list, folders."""

from dataclasses import dataclass
from pathlib import Path

from citewise.embed.folder import CONFIG, MINILM, checked_folder, json_object, package_folder
from citewise.embed.networks.shape import Shape, shape_of
from citewise.embed.presets import Preset
from citewise.embed.registry import Registry


@dataclass(frozen=True, slots=True)
class Located:
    """A model's files, and how it is used."""

    name: str
    """What stores keep of it: a registered name, or the whole path of a folder."""
    folder: Path
    preset: Preset | None = None
    """None where the folder itself has to say how its vectors are made."""

    def shape(self) -> Shape:
        """Return the model's shape; an error where its configuration makes no sense."""
        return shape_of(json_object(self.folder / CONFIG), str(self.folder))


def located(model: str) -> Located:
    """Return a model by its name: `minilm`, one of the user's list, or the path of a folder."""
    if model == MINILM:
        return Located(MINILM, package_folder())
    registered = Registry().read().get(model)
    if registered is not None:
        return Located(model, checked_folder(Path(registered.folder)), registered.preset)
    folder = checked_folder(Path(model))
    return Located(str(folder.resolve()), folder)
