"""What the tests of the laboratory share."""

import sys

import pytest

from citewise import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Call the command line in this process; return its exit code, output and messages."""
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewise", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as left:
            cli.main()
        shown = capsys.readouterr()
        return int(left.value.code or 0), shown.out, shown.err
    return call
