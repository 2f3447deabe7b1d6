"""What the commands say of a draft that they read, and the sentences that `cite` takes from one."""

import json
from pathlib import Path

import pytest

from citewise.drafts.reading import looks_like_path
from command_line import Run

DRAFT = (
    "---\ntitle: Bees at work\nauthor: Ada Lowe\nbibliography: refs.bib\n---\n\n# Abstract\n\n"
    "Bees dance on the comb.\n\n# Introduction\n\nHoney bees dance [@frisch; @new; @gone].\n"
)
BIB = (
    "@article{frisch, title={The dance language of honey bees}, doi={10.1000/DANCE}}\n"
    "@article{new, title={A work [red]that nobody has yet}, author={Doe, Anna}, year={2020}}\n"
)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(BIB)
    (tmp_path / "draft.md").write_text(DRAFT)
    return tmp_path / "draft.md"


def test_what_was_read_is_said_above_the_answer(
    run: Run, golden_library: Path, draft: Path
) -> None:
    done = run("recommend", draft, "-l", golden_library)
    assert done.err.splitlines() == [
        "Read: title, 5 words of abstract, 1 of 3 citations (1 not in your library: Doe 2020 "
        "“A work [red]that nobody has yet”), authors: Ada Lowe.",
        "1 key has no entry in a bibliography: gone.",
    ]
    assert "Read:" not in done.out


def test_json_has_what_was_read(run: Run, golden_library: Path, draft: Path) -> None:
    read = json.loads(run("recommend", draft, "-l", golden_library, "--format", "json").out)["read"]
    assert (read["title"], read["citations"], read["in_library"]) == ("Bees at work", 3, 1)
    assert read["without_entry"] == ["gone"]

    given = ("cite", "Bees dance", "--draft", draft, "-l", golden_library, "--format", "json")
    assert json.loads(run(*given).out)["read"] == read


def test_what_stands_in_is_named(run: Run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "draft.txt").write_text("Bees at work\n\nThey dance on the comb.\n")
    done = run("recommend", tmp_path / "draft.txt", "-l", golden_library)
    assert done.err == (
        "Read: title, no abstract; in its place the text below the title (5 words), "
        "no citations, no authors.\n"
    )


def test_a_title_on_a_file_without_one(run: Run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text("# Introduction\n\nTODO\n")
    refused = run("recommend", tmp_path / "draft.md", "-l", golden_library)
    assert refused.code != 0 and "neither a title nor an abstract" in refused.err
    done = run("recommend", tmp_path / "draft.md", "-l", golden_library, "--title", "Honey bees")
    assert done.code == 0 and done.out


def test_the_draft_itself_is_left_out_with_a_note(run: Run, golden_library: Path) -> None:
    title = "The dance language of honey bees"
    done = run("recommend", "-l", golden_library, "--title", title, "--format", "json")
    assert done.err == f"Left out: “{title}” (doi:10.1000/dance) has your draft's title.\n"
    found = json.loads(done.out)
    assert [paper["id"] for paper in found["read"]["left_out"]] == ["doi:10.1000/dance"]
    assert title not in [each["paper"]["title"] for each in found["recommendations"]]


PASSAGES = {
    "draft.md": f"{DRAFT}\n```r\nnot_a_sentence()\n```\n\n# References\n\nDoe (2010). Bees.\n",
    "draft.tex": "\\documentclass{article} % a comment\n\\title{Bees at work}\n\\begin{document}\n"
    "Bees dance on the comb.\n\n\\section{Introduction}\nHoney bees dance \\cite{frisch}. % no\n"
    "\\end{document}",
    "draft.txt": "Bees dance on the comb. Honey bees dance [1].\n\nReferences\n\n[1] Doe. Bees.\n",
}


@pytest.mark.parametrize("name", PASSAGES)
def test_a_file_is_read_as_a_draft(
    run: Run, golden_library: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(PASSAGES[name])
    done = run("cite", tmp_path / name, "-l", golden_library, "--format", "json")
    sentences = json.loads(done.out)["sentences"]
    assert [each["sentence"].rstrip(".").strip() for each in sentences] == [
        "Bees dance on the comb",
        "Honey bees dance",
    ]
    assert [each["cites"] for each in sentences] == [False, True]


def test_a_mistyped_file_is_no_sentence(run: Run, golden_library: Path, tmp_path: Path) -> None:
    for text in ("darft.tex", "./draft", f"{tmp_path}/draft", "chapters.docx"):
        done = run("cite", text, "-l", golden_library)
        assert done.code != 0 and f"{text}: no such file" in done.err
    missing = run("recommend", "darft.tex", "-l", golden_library)
    assert missing.code != 0 and "cannot be read" in missing.err


@pytest.mark.parametrize(
    "mention", ["word2vec", "GIZA++", "TCP/IP", "node.js", "bees", "v1.2", "and/or", "a.b.c", "[1]"]
)
def test_a_mention_is_no_path(mention: str) -> None:
    assert not looks_like_path(mention)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"%PDF-1.7", "this PDF is damaged"),
        ("a.doc", b"\xd0\xcf\x11\xe0", "save it as Word (.docx)"),
        ("a.rtf", b"{\\rtf1 x", "RTF"),
        ("a.html", b"<!DOCTYPE html><p>x", "web page"),
    ],
)
def test_other_formats_say_what_to_do(
    run: Run, golden_library: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    for command in ("recommend", "cite"):
        done = run(command, tmp_path / name, "-l", golden_library)
        assert done.code != 0 and message in done.err
