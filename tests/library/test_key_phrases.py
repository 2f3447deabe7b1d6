"""Key phrases: kept by libraries, merged, exported, and absent from older libraries."""

import json
from pathlib import Path

import msgspec

import citewise
from citewise.library import records
from citewise.types import Paper

BEES = Paper("p1", "Bees that dance", fields=("Biology",), key_phrases=("waggle dance", "bees"))


def test_a_library_keeps_them(tmp_path: Path) -> None:
    citewise.add([BEES], tmp_path / "library")
    library = citewise.open(tmp_path / "library")
    assert library["p1"].key_phrases == ("waggle dance", "bees")

    answer = library.recommend("Bees that dance", system="bm25")
    (found,) = json.loads(answer.to("json"))["recommendations"]
    assert found["paper"]["key_phrases"] == ["waggle dance", "bees"]
    assert "keywords = {Biology, waggle dance, bees}" in answer.to("bibtex")
    assert "KW  - waggle dance\n" in answer.to("ris")


def test_versions_share_them(tmp_path: Path) -> None:
    other = Paper("p1", "Bees that dance", key_phrases=("bees", "navigation"))
    citewise.add([BEES, other], tmp_path / "library")
    merged = citewise.open(tmp_path / "library")["p1"]
    assert merged.key_phrases == ("bees", "navigation", "waggle dance"), "the newer record first"


def test_papers_of_older_libraries_have_none() -> None:
    written = msgspec.msgpack.decode(records.encode(BEES))
    del written["key_phrases"]
    read = records.decode(msgspec.msgpack.encode(written))
    assert (read.title, read.key_phrases) == ("Bees that dance", ())
