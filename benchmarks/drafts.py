"""What is read from real drafts: titles, abstracts, authors, citations.

    python benchmarks/drafts.py                  (some seconds; writes results/drafts.json)
    python benchmarks/drafts.py drafts-before    the same under another name

`../shared/data/drafts/index.jsonl` has what is true of each draft, established by reading it.
"""

import json
import re
import sys
import time
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from citewise.drafts.draft import Draft
from citewise.drafts.reading import read_draft
from citewise.errors import CitewiseError
from citewise.text.ids import surname
from measuring import ROOT, save

DRAFTS = ROOT.parent / "shared" / "data" / "drafts"
SAME_TITLE = 0.95
SAME_ABSTRACT = 0.85
"""Similarity (difflib) from which on two normalised texts count as the same."""

NEAR = 0.1
"""By which part the number of cited keys may differ."""

PLACEHOLDERS = ("TODO",)
"""What stands in the place of an abstract, and is none."""

Row = dict[str, Any]
"""What is true of a draft: a line of the index."""


def measured(row: Row) -> Row:
    """Return what is right about a draft: True, False, or None where there is nothing to find."""
    start = time.perf_counter()
    try:
        draft, refused = read_draft(DRAFTS / row["main"]), ""
    except CitewiseError as error:
        draft, refused = Draft(), str(error).replace(str(DRAFTS), "")

    return {
        "kind": row["kind"],
        "title": is_same(row["title"], draft.title, SAME_TITLE),
        "abstract": is_abstract(row["abstract"], draft) if row["abstract"] else None,
        "cited": is_near(row["cited"], len(draft.cited_keys)) if row["cited"] else None,
        "authors": is_same_people(row["authors"], draft.authors) if row["authors"] else None,
        "read": not refused,
        "refused": refused,
        "stands in for the abstract": draft.abstract_from,
        "references listed": len(draft.references),
        "lost": list(draft.lost),
        "seconds": round(time.perf_counter() - start, 2),
    }


def is_same(true: str, found: str, least: float) -> bool:
    """Return whether two texts are the same but for case, space and punctuation."""
    one, other = normalised(true), normalised(found)
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= least


def is_abstract(beginning: str, draft: Draft) -> bool:
    """Return whether a draft's abstract begins as the true one does.

    For a placeholder something has to stand in.
    """
    if beginning in PLACEHOLDERS:
        return bool(draft.abstract_from)
    true = normalised(beginning)
    return is_same(true, normalised(draft.abstract)[: len(true)], SAME_ABSTRACT)


def is_near(true: int, found: int) -> bool:
    """Return whether a number of cited keys is near the true one."""
    return abs(found - true) <= NEAR * true


def is_same_people(true: Iterable[str], found: Iterable[str]) -> bool:
    """Return whether all authors are found and none is invented, by family name."""
    return {*map(family, true)} == {*map(family, found)}


def family(name: str) -> str:
    """Return a family name, without accents."""
    return normalised(surname(re.sub(r",?\s+(?:Jr\.?|Sr\.?|I{2,3})$", "", name)))


def normalised(text: str) -> str:
    """Return the letters and digits of a text in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def totals(rows: Iterable[Row]) -> dict[str, list[int]]:
    """Return (right, of how many) of each part."""
    known = [*rows]
    return {
        part: [sum(row[part] is True for row in known), sum(row[part] is not None for row in known)]
        for part in ("title", "abstract", "cited", "authors", "read")
    }


def main() -> None:
    """Measure every draft and write the results."""
    index = [*map(json.loads, (DRAFTS / "index.jsonl").read_text().splitlines())]
    rows = {row["name"]: measured(row) for row in index}
    kinds = dict.fromkeys(row["kind"] for row in rows.values())
    save(
        sys.argv[1] if len(sys.argv) > 1 else "drafts",
        {
            "drafts": len(rows),
            "right": {
                "all": totals(rows.values()),
                **{
                    kind: totals(row for row in rows.values() if row["kind"] == kind)
                    for kind in kinds
                },
            },
            "misses": {
                part: [name for name, row in rows.items() if row[part] is False]
                for part in ("title", "abstract", "cited", "authors", "read")
            },
            "no abstract": {
                row["name"]: rows[row["name"]]["stands in for the abstract"]
                for row in index
                if not row["abstract"]
            },
            "seconds": round(sum(row["seconds"] for row in rows.values()), 1),
            "slowest": max((row["seconds"], name) for name, row in rows.items()),
            "each": rows,
        },
    )


if __name__ == "__main__":
    main()
