"""Models that are kept with a library: what a damaged one says, and that its advice helps."""

from pathlib import Path

import pytest

import citewise
from citewise.errors import BadLibrary
from corpora import GOLDEN


@pytest.mark.parametrize("name", ["ranker", "ranker-calibration"])
def test_deleting_a_damaged_file_helps_as_its_message_says(tmp_path: Path, name: str) -> None:
    citewise.add(GOLDEN, tmp_path)
    citewise.open(tmp_path).stores.models.save(name, b'{"trees": ""}')
    file = tmp_path / "models" / f"{name}.json"
    file.write_bytes(file.read_bytes().replace(b"trees", b"treez"))

    with pytest.raises(BadLibrary, match="delete this file to go back to what ships") as error:
        citewise.open(tmp_path).recommend("Dancing bees")
    assert str(error.value).startswith(str(file))
    assert not citewise.verify(tmp_path).sound

    file.unlink()
    answer = citewise.open(tmp_path).recommend("Dancing bees")
    assert answer.served_by.model == "default" and answer.calibrated_by
    assert citewise.verify(tmp_path).sound
