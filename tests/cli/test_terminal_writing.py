"""Files that commands write: an error names the file that was asked for."""

from pathlib import Path

import pytest

from citewise.cli.terminal import writing


def test_an_error_names_the_file_and_not_its_unfinished_copy(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "x.bib"
    with pytest.raises(OSError) as caught, writing(path):
        pass
    assert str(caught.value.filename) == str(path)
