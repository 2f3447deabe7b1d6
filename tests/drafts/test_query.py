"""A draft's file, a pasted text or a title become a query, with what the draft cites already."""

from pathlib import Path

import pytest

import citewise
from citewise import DraftOptions, Library
from citewise.drafts.query import ids_and_files
from citewise.errors import BadInput, MissingData
from corpora import GOLDEN

MARKDOWN = "# Robot swarms\n\n## Abstract\n\nBees dance in a clock.\n"


@pytest.fixture
def golden(golden_library: Path) -> Library:
    return citewise.open(golden_library)


def test_a_pasted_text_is_read_as_its_file_is(golden: Library, tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text(MARKDOWN)
    pasted = golden.query(None, DraftOptions(text=MARKDOWN)).query
    assert (pasted.title, pasted.abstract) == ("Robot swarms", "Bees dance in a clock.")
    assert pasted == golden.query(file).query


def test_title_and_abstract_replace_those_of_the_text(golden: Library) -> None:
    options = DraftOptions(title="Honey", text=MARKDOWN)
    query = golden.query(None, options).query
    assert (query.title, query.abstract) == ("Honey", "Bees dance in a clock.")


def test_a_title_alone_is_a_query(golden: Library) -> None:
    assert golden.query(None, DraftOptions(title="Honey")).query == citewise.Query("Honey")


def test_a_file_is_read_before_a_pasted_text(golden: Library, tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text("# From the file\n\n## Abstract\n\nThe file's own.\n")
    assert golden.query(file, DraftOptions(text=MARKDOWN)).query.title == "From the file"


def test_a_pasted_text_without_a_title_or_abstract_is_an_error(golden: Library) -> None:
    with pytest.raises(BadInput, match="neither a title nor an abstract"):
        golden.query(None, DraftOptions(text="\\documentclass{article}\\begin{document}"))


def test_ids_that_the_library_lacks_are_named(golden: Library) -> None:
    known = GOLDEN[0].id
    found = golden.query(None, DraftOptions(title="Honey", cited=(known, "nobody2001")))
    assert found.query.cited == (known,)
    assert found.unknown == ("nobody2001",)


def test_a_list_of_what_is_cited_has_ids_and_files(tmp_path: Path) -> None:
    file = str(tmp_path / "refs.bib")
    Path(file).write_text("@misc{a, title={A}}")
    assert ids_and_files(["one,two", file, "three"]) == (("one", "two", "three"), (file,))


def test_a_bibliography_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MissingData, match="no such file"):
        ids_and_files(["missing.bib"])


def test_an_id_is_never_opened_as_a_file(golden: Library, tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_text(f"@misc{{a, title={{{GOLDEN[0].title}}}, author={{{GOLDEN[0].authors[0]}}}}}")
    as_id = golden.query(None, DraftOptions(title="Honey", cited=(str(file),)))
    as_file = golden.query(None, DraftOptions(title="Honey", bibliographies=(str(file),)))
    assert (as_id.query.cited, as_id.unknown) == ((), (str(file),))
    assert as_file.query.cited == (GOLDEN[0].id,)
