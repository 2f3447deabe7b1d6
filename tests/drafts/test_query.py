"""A draft's file, a pasted text or a title become a query, with what the draft cites already."""

from pathlib import Path

import pytest

import citewise
from citewise import DraftOptions, Library, Paper, Understanding
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
    empty = "\\documentclass{article}\\begin{document}"
    with pytest.raises(BadInput, match="neither a title nor an abstract"):
        golden.query(None, DraftOptions(text=empty))
    assert golden.query(None, DraftOptions(text=empty, title="Honey")).query.title == "Honey"


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


# What was read


def draft(folder: Path, text: str, name: str = "draft.md") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


BIB = """@article{frisch, title={The dance language of honey bees}, doi={10.1000/DANCE}}
@article{uhr, title={Circadian clocks guide foraging bees}, author={Uhr, Mina}, year={1985}}
@article{new, title={A work that nobody has yet}, author={Doe, Anna}, year={2020}}
"""


def test_what_was_read_is_told(golden: Library, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    file = draft(
        tmp_path,
        "---\ntitle: Bees at work\nauthor: [Ada Lowe, Bob Gray]\n"
        "bibliography: [refs.bib, no.bib]\n---\n"
        "# Introduction\n\nBees dance [@frisch; @new] all day [@uhr; @nothing].\n",
    )
    found = golden.query(file)
    assert found.read == Understanding(
        title="Bees at work",
        abstract_words=4,
        abstract_from="the introduction",
        authors=("Ada Lowe", "Bob Gray"),
        citations=4,
        in_library=2,
        not_in_library=("Doe 2020 “A work that nobody has yet”",),
        without_entry=("nothing",),
        lost=("no.bib: no such file",),
    )
    assert found.query.cited == ("doi:10.1000/dance", "doi:10.1000/clock")
    assert found.query.authors == ("Ada Lowe", "Bob Gray")
    assert golden.answer(found).read == found.read, "the answer says it too"


def test_the_authors_given_replace_those_of_the_file(golden: Library, tmp_path: Path) -> None:
    file = draft(tmp_path, "---\ntitle: Bees at work\nauthor: Ada Lowe\n---\nBees.\n")
    options = DraftOptions(authors=("Karla Frischmann",))
    assert golden.query(file, options).query.authors == ("Karla Frischmann",)
    alone = DraftOptions(preferences=citewise.Preferences(no_self_citations=True))
    assert golden.answer(golden.query(file, alone)), "the file's authors are enough"


def test_a_bibliography_beside_a_draft_that_names_none_is_used(
    golden: Library, tmp_path: Path
) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    found = golden.query(draft(tmp_path, "# Bees at work\n\nThey dance [@frisch].\n"))
    assert found.query.cited == ("doi:10.1000/dance",)
    assert found.read.notes == ("it names no bibliography, so refs.bib beside it was used",)


def test_the_librarys_own_keys_where_no_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    citewise.index([tmp_path / "refs.bib"], tmp_path / "library")
    (tmp_path / "refs.bib").unlink()
    library = citewise.open(tmp_path / "library")

    found = library.query(draft(tmp_path, "# Bees at work\n\nThey dance [@frisch; @gone].\n"))
    assert found.query.cited == ("doi:10.1000/dance",)
    assert found.read.without_entry == ("gone",)

    # another work under the same key is not the one of the library
    (tmp_path / "refs.bib").write_text("@book{frisch, title={Cooking with large pans}}")
    found = library.query(draft(tmp_path, "# Bees at work\n\nThey dance [@frisch].\n"))
    assert (found.query.cited, found.read.not_in_library) == ((), ("“Cooking with large pans”",))


def test_keys_that_are_ids(golden: Library, tmp_path: Path) -> None:
    text = "# Bees at work\n\nSo [@doi:10.1000/DANCE; @arxiv:1101.00001v2; @doi:10.1000/none]."
    found = golden.query(draft(tmp_path, text))
    assert found.query.cited == ("doi:10.1000/dance", "arxiv:1101.00001")
    assert found.read.not_in_library == ("doi:10.1000/none",)


def test_a_printed_list_of_references(golden: Library, tmp_path: Path) -> None:
    text = (
        "Bees at work\n\nThey dance (Frischmann, 1967).\n\nReferences\n\n"
        "[1] K. Frischmann and O. Wabe. The dance language of honey bees. Annals, 1967.\n"
        "[2] A. Nobody. Something that is\n    not there at all. 1999.\n"
    )
    found = golden.query(draft(tmp_path, text, "draft.txt"))
    assert found.query.cited == ("doi:10.1000/dance",)
    assert (found.read.citations, len(found.read.not_in_library)) == (2, 1)


CITED = {
    "refs.bib": BIB,
    "refs.ris": "TY  - JOUR\nTI  - The dance language of honey bees\nDO  - 10.1000/dance\nER  - \n",
    "refs.json": '[{"type": "article", "title": "Dance", "DOI": "10.1000/dance"}]',
    "main.bbl": "\\begin{thebibliography}{1}\\bibitem{a} K. Frischmann. \\newblock The dance "
    "language of honey bees. \\newblock 1967.\\end{thebibliography}",
    "other.md": "# Title\n\nSee [@doi:10.1000/dance].",
    "refs.txt": "Some notes\n\nWords.\n\nReferences\n\n"
    "K. Frischmann. The dance language of honey bees. Annals, 1967.\n",
}


@pytest.mark.parametrize("name", CITED)
def test_files_of_what_is_cited(golden: Library, tmp_path: Path, name: str) -> None:
    file = draft(tmp_path, CITED[name], name)
    assert ids_and_files([str(file)]) == ((), (str(file),))
    found = golden.query(None, DraftOptions(title="Honey", bibliographies=(str(file),)))
    assert "doi:10.1000/dance" in found.query.cited
    assert "in your library" in found.read.notes[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.md", "# No citations here\n\nWords."), ("a.txt", "Only words here."), ("a.bbl", "x")],
)
def test_a_file_that_yields_nothing_is_an_error(
    golden: Library, tmp_path: Path, name: str, text: str
) -> None:
    file = draft(tmp_path, text, name)
    with pytest.raises(BadInput, match=f"{name}: nothing found"):
        golden.query(None, DraftOptions(title="Honey", bibliographies=(str(file),)))


def test_bibliographies_that_cannot_be_read_are_named(golden: Library, tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_bytes(b"\x00\x01 nothing")
    (tmp_path / "b.bib").write_text("")
    (tmp_path / "c.yaml").write_text("references:\n- id: x\n  title: T\n  DOI: 10.1000/dance\n")
    text = (
        "---\nbibliography: [a.bib, b.bib, c.yaml, 'https://x.org/d.bib']\n---\n# Bees fly\n\n[@x]"
    )
    found = golden.query(draft(tmp_path, text))
    assert found.read.lost == (
        "https://x.org/d.bib: not fetched",
        "a.bib: no bibliography that citewise reads",
        "b.bib: empty",
    )
    assert found.query.cited == ("doi:10.1000/dance",)
    with pytest.raises(BadInput, match=r"a.bib: no bibliography that citewise reads; give a .bib"):
        listed = (str(tmp_path / "a.bib"),)
        golden.query(None, DraftOptions(title="Honey", bibliographies=listed))


# The draft itself


def test_the_draft_itself_is_left_out(golden: Library) -> None:
    dance = GOLDEN[0]
    found = golden.query(None, DraftOptions(title="the Dance-Language of honey bees."))
    assert found.query.hidden == (dance.id,)
    assert [paper.id for paper in found.read.left_out] == [dance.id]
    assert dance.id not in [each.paper.id for each in golden.answer(found, k=50)]

    same = DraftOptions(title=dance.title, authors=("O. Wabe",))
    assert golden.query(None, same).query.hidden == (dance.id,)
    others = DraftOptions(title=dance.title, authors=("Ada Lowe",))
    assert golden.query(None, others).query.hidden == (), "by somebody else"


def test_the_preprint_of_a_draft_is_left_out_too(tmp_path: Path) -> None:
    papers = [
        Paper(
            "doi:10.1/a", "Robots that build walls of brick", authors=("Robin Mason",), year=2015
        ),
        Paper("arxiv:1401.00001", "Robots that build walls of bricks", authors=("R. Mason",)),
        Paper("doi:10.1/b", "Robots that build walls of brick II", authors=("Robin Mason",)),
        Paper("doi:10.1/c", "Robots that build walls of brick", authors=("Eve Other",)),
        Paper("doi:10.1/d", "Introduction", authors=("Eve Other",)),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    named = DraftOptions(title=papers[0].title, authors=("Robin Mason",))
    assert {*library.query(None, named).query.hidden} == {"doi:10.1/a", "arxiv:1401.00001"}
    generic = library.query(None, DraftOptions(title="Introduction"))
    assert generic.query.hidden == (), "a title of one word identifies no work"
    own = library.query(None, DraftOptions(title="Introduction", authors=("Eve Other",)))
    assert own.query.hidden == ("doi:10.1/d",)
