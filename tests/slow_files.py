"""Files whose tests are all slow: the quick run does not even import them."""

import re
from pathlib import Path

_ALL_SLOW = re.compile(r"^pytestmark = (?:\[[^]]*)?pytest\.mark\.slow\b", re.MULTILINE)


def is_all_slow(file: Path) -> bool:
    """Whether a file marks all its tests as slow, by its text: importing it may take seconds."""
    return bool(_ALL_SLOW.search(file.read_text("utf-8")))
