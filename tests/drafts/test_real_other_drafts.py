"""Real drafts that are not LaTeX: title, abstract, authors and number of citations are right."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from citewise.drafts.reading import paragraphs_of, read_draft
from citewise.text.ids import surname


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(each for each in plain if each.isalnum())


def families(names: Any) -> set[str]:
    return {surname(name.removesuffix(", Jr.").removesuffix(" II")) for name in names}


@pytest.mark.slow
def test_real_drafts(shared: Path) -> None:
    rows = map(json.loads, (shared / "drafts" / "index.jsonl").read_text("utf-8").splitlines())
    others = [row for row in rows if row["kind"] != "latex"]
    assert len(others) == 18
    for row in others:
        draft = read_draft(shared / "drafts" / row["main"])
        assert letters(draft.title) == letters(row["title"]), row["name"]
        assert letters(draft.abstract).startswith(letters(row["abstract"])[:100]), row["name"]
        assert bool(draft.abstract_from) == (not row["abstract"]), row["name"]
        assert abs(len(draft.cited_keys) - row["cited"]) <= row["cited"] / 10, row["name"]
        assert families(draft.authors) == families(row["authors"]), row["name"]
        assert len(paragraphs_of(shared / "drafts" / row["main"])) > 2, row["name"]
