"""A library's own models, for tests that save one and must not leave it behind."""

from citewise.protocols import Stores
from citewise.rank.calibration import calibration_name


def forget(stores: Stores, name: str) -> None:
    """Remove a saved model and its calibration; check that the model is gone, and that removing it
    again does no harm.
    """
    assert name in stores.models.names()
    stores.models.remove(calibration_name(name))
    stores.models.remove(name)
    assert name not in stores.models.names()
    stores.models.remove(name)
