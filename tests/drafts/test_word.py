"""Word drafts, written by python-docx or by hand: styles, citations, deleted text, bombs."""

import base64
import io
import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import docx
import pytest

from citewise.drafts import word_file
from citewise.drafts.draft import Draft
from citewise.drafts.reading import paragraphs_of, read_draft
from citewise.drafts.word import read_word
from citewise.errors import BadInput
from citewise.text.ids import keys_of

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ZOTERO = {
    "citationItems": [
        {
            "id": 7,
            "uris": ["http://zotero.org/users/1/items/AAAA"],
            "itemData": {
                "id": 7,
                "type": "article-journal",
                "title": "The dance language of bees",
                "DOI": "10.1000/dance",
                "author": [{"family": "Frisch", "given": "Karl"}],
                "issued": {"date-parts": [["1967"]]},
            },
        }
    ]
}
MENDELEY = {
    "citationItems": [
        {
            "id": "ITEM-1",
            "uris": ["http://www.mendeley.com/documents/?uuid=1"],
            "itemData": {"id": "ITEM-1", "type": "book", "title": "Clocks of foraging bees"},
        }
    ]
}
ENDNOTE = (
    "<EndNote><Cite><Author>Roe</Author><Year>2001</Year><RecNum>3</RecNum><record>"
    "<contributors><authors><author>Roe, John</author></authors></contributors>"
    "<titles><title>Robots in the hive</title></titles><dates><year>2001</year></dates>"
    "<electronic-resource-num>10.1000/hive</electronic-resource-num></record></Cite></EndNote>"
)


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def field(instruction: str, shown: str = "(1)") -> str:
    """Return a field whose instruction is split over two runs, as Word does."""
    half = len(instruction) // 2
    parts = (instruction[:half], instruction[half:])
    runs = "".join(f"<w:r><w:instrText>{escape(part)}</w:instrText></w:r>" for part in parts)
    return (
        f'<w:p><w:r><w:t>Bees dance </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r>{runs}'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>{shown}</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )


def document(*body: str, prologue: str = "", **others: bytes) -> bytes:
    """Return a .docx file with some paragraphs and further parts."""
    text = f'{prologue}<w:document xmlns:w="{W}"><w:body>{"".join(body)}</w:body></w:document>'
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", text)
        for name, content in others.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return stream.getvalue()


def read(*body: str) -> Draft:
    return read_word(document(*body), "draft.docx")


def test_a_file_written_by_another_library(tmp_path: Path) -> None:
    written = docx.Document()
    written.add_heading("How bees dance", 0)
    names = written.add_paragraph("Ada Lowe")
    names.add_run("1,2").font.superscript = True
    names.add_run(" and John Roe")
    names.add_run("*").font.superscript = True
    written.add_heading("Abstract", 1)
    written.add_paragraph("We watch bees.")
    written.add_paragraph("They dance.")
    written.add_paragraph("Keywords: bees")
    written.add_heading("1. Introduction", 1)
    written.add_paragraph("Bees are insects. They fly (Doe, 2010).")
    table = written.add_table(1, 1)
    table.cell(0, 0).text = "A cell of a table."
    written.add_heading("References", 1)
    written.add_paragraph("1. Doe J. The long flight of bees. J Bees. 2010;1:2-3.")
    written.add_paragraph("2. Roe J, Poe A. Nests of many other bees. doi:10.1000/nests")
    written.save(str(tmp_path / "draft.docx"))

    draft = read_draft(tmp_path / "draft.docx")
    assert draft.title == "How bees dance"
    assert draft.abstract == "We watch bees. They dance."
    assert (draft.authors, draft.abstract_from) == (("Ada Lowe", "John Roe"), "")
    assert draft.cited_keys == ("#1", "#2")
    assert draft.references[0].title == "The long flight of bees"
    assert "doi:10.1000/nests" in keys_of(draft.references[1])
    assert paragraphs_of(tmp_path / "draft.docx") == [
        "We watch bees.",
        "They dance.",
        "Bees are insects. They fly (Doe, 2010).",
    ]


def test_styles_are_named_by_the_file_whatever_their_ids() -> None:
    styles = (
        f'<w:styles xmlns:w="{W}"><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>'
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    )
    body = (
        paragraph("Version 3"),
        paragraph("Bienen", "Titel"),
        paragraph("Zusammenfassung", "berschrift1"),
        paragraph("Sie tanzen."),
        paragraph("Einleitung", "berschrift1"),
        paragraph("Nein."),
    )
    draft = read_word(document(*body, word__styles=styles.encode()), "draft.docx")
    assert (draft.title, draft.abstract) == ("Bienen", "Sie tanzen.")


def test_without_styles() -> None:
    draft = read(
        paragraph("Running head: BEES"),
        paragraph("Bees dance? Yes and no."),
        paragraph("Hannes Doe & Marina Roe"),
        paragraph("Some say that they do. " * 5),
    )
    assert draft.title == "Bees dance? Yes and no."
    assert draft.authors == ("Hannes Doe", "Marina Roe")
    assert draft.abstract.startswith("Some say")
    assert draft.abstract_from == "the first paragraphs"

    labelled = read(
        paragraph("On bees"),
        paragraph("Abstract: We do."),
        paragraph("Introduction"),
        paragraph("No"),
    )
    assert (labelled.abstract, labelled.abstract_from) == ("We do.", "")


def test_an_author_a_paragraph() -> None:
    draft = read(
        paragraph("RESEARCH ARTICLE"),
        paragraph("Bees at work in the city"),
        paragraph("Ada Lowe, PhD"),
        paragraph("Department of Bees, University of Hives"),
        paragraph("Robert Gray"),
        paragraph("Abstract", "Heading1"),
        paragraph("They work."),
    )
    assert (draft.title, draft.authors) == ("Bees at work in the city", ("Ada Lowe", "Robert Gray"))


def test_a_structured_abstract() -> None:
    parts = ("Background", "Bees work.", "Methods", "We look.", "Results", "They do.")
    draft = read(
        paragraph("Bees at work", "Title"),
        paragraph("Abstract"),
        *map(paragraph, parts),
        paragraph("Keywords: bees, work, city"),
        paragraph("Introduction"),
        paragraph("No."),
    )
    assert (draft.abstract, draft.abstract_from) == ("Bees work. We look. They do.", "")


def test_an_abstract_ends_at_a_bold_line() -> None:
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Dancing in the dark</w:t></w:r></w:p>"
    draft = read(
        paragraph("Bees at work", "Title"), paragraph("Abstract"), paragraph("They work."),
        bold, paragraph("No."),
    )  # fmt: skip
    assert draft.abstract == "They work."


def test_citations_of_reference_managers() -> None:
    tag = "MENDELEY_CITATION_v3_" + base64.b64encode(json.dumps(MENDELEY).encode()).decode()
    control = (
        f'<w:sdt><w:sdtPr><w:tag w:val="{tag}"/></w:sdtPr><w:sdtContent>{paragraph("(2)")}'
        "</w:sdtContent></w:sdt>"
    )
    draft = read(
        paragraph("Bees and more", "Title"),
        field(f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(ZOTERO)} "),
        field(f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(ZOTERO)} "),
        control,
        field(f" ADDIN EN.CITE {ENDNOTE}"),
        paragraph("References"),
        paragraph("A printed list that is not needed, since the fields say more. 2010."),
    )
    assert [paper.title for paper in draft.references] == [
        "The dance language of bees",
        "Clocks of foraging bees",
        "Robots in the hive",
    ]
    assert "doi:10.1000/dance" in keys_of(draft.references[0])
    assert (draft.references[2].year, draft.references[2].authors) == (2001, ("John Roe",))
    assert draft.cited_keys == ("#1", "#2", "#3"), "a work that is cited twice is one"


def test_items_of_different_fields_may_have_the_same_local_id() -> None:
    other = json.loads(json.dumps(MENDELEY).replace("uuid=1", "uuid=2").replace("Clocks", "Hives"))
    draft = read(
        *(field(f"ADDIN CSL_CITATION {json.dumps(each)}") for each in (MENDELEY, other)),
    )
    assert len(draft.references) == 2


def test_data_of_endnote_in_base64() -> None:
    data = base64.b64encode(ENDNOTE.encode()).decode()
    begin = f'<w:fldChar w:fldCharType="begin"><w:fldData>{data}</w:fldData></w:fldChar>'
    draft = read(
        f"<w:p><w:r>{begin}</w:r><w:r><w:instrText> ADDIN EN.CITE.DATA </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert [paper.title for paper in draft.references] == ["Robots in the hive"]


def test_citations_without_data_are_counted() -> None:
    empty = {"citationItems": [{"id": 1, "uris": ["http://zotero.org/x"]}]}
    draft = read(paragraph("On bees"), field(f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(empty)}"))
    assert draft.lost == ("1 citations hold no data of what they cite",)
    for broken in ("ADDIN ZOTERO_ITEM CSL_CITATION {broken", "ADDIN EN.CITE <EndNote><Cite>"):
        assert read(paragraph("On bees"), field(broken)).lost == draft.lost


def test_deleted_text_and_text_boxes_are_not_read() -> None:
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    box = f"<w:r><w:pict><w:txbxContent>{paragraph('boxed')}</w:txbxContent></w:pict></w:r>"
    draft = read(f"<w:p>{deleted}{box}<w:r><w:t>Only this</w:t></w:r></w:p>")
    assert draft == Draft("Only this")


REFUSED = {
    "an entity": (
        document(paragraph("&x;"), prologue='<!DOCTYPE x [<!ENTITY x "y">]>').replace(
            b"&amp;", b"&"
        ),
        "cannot be read",
    ),
    "broken XML": (document("<w:p>"), "cannot be read"),
    "deep XML": (document("<w:p>" * 300 + "</w:p>" * 300), "cannot be read"),
    "not whole": (document(paragraph("x" * 9_000))[:100], "not a whole Word document"),
    "only its name": (b"words", "not a Word document"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_document_is_refused(tmp_path: Path, name: str) -> None:
    content, message = REFUSED[name]
    (tmp_path / "draft.docx").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        read_draft(tmp_path / "draft.docx")


def test_other_archives_say_what_to_do(tmp_path: Path) -> None:
    for parts, message in ((("mimetype", "content.xml"), "OpenDocument"), (("a.txt",), "unpack")):
        with zipfile.ZipFile(tmp_path / "draft.docx", "w") as archive:
            for part in parts:
                archive.writestr(part, "x")
        with pytest.raises(BadInput, match=message):
            read_draft(tmp_path / "draft.docx")


def test_zip_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_file, "LARGEST_PART", 100_000)
    bomb = document(paragraph("bees " * 1_000_000))
    assert len(bomb) < 50_000
    with pytest.raises(BadInput, match="larger than"):
        read_word(bomb, "bomb.docx")

    # the same with a false size in the directory and in the part's own header
    with zipfile.ZipFile(io.BytesIO(bomb)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    lying = bomb.replace(size.to_bytes(4, "little"), (99).to_bytes(4, "little"))
    assert lying != bomb
    with pytest.raises(BadInput):
        read_word(lying, "bomb.docx")
