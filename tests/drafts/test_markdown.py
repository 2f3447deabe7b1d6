"""Markdown drafts: metadata in all its forms, sections, citations, included files, hostile ones."""

import time
from pathlib import Path

import pytest

from citewise.drafts.draft import Draft
from citewise.drafts.markdown import draft_from_markdown
from citewise.drafts.markdown_text import cited_keys, paragraphs, plain_text, without_code
from citewise.drafts.metadata import front_matter
from citewise.drafts.reading import draft_of, read_draft
from citewise.text.ids import keys_of
from citewise.text.people import people


def write(folder: Path, **files: str) -> Path:
    """Write files whose names have __ for a dot; return the folder."""
    for name, content in files.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return folder


AUTHORS = {
    "a line": "author: Ada Lowe, John Roe and Ann Poe",
    "pandoc's list": "author:\n- Ada Lowe\n- John Roe^1^\n- Ann Poe",
    "JOSS": "authors:\n  - name: Ada Lowe\n    orcid: 0000-0001\n    affiliation: '1, 2'\n"
    "  - name: John Roe\n  - name: Ann Poe\naffiliations:\n  - name: Some Institute\n    index: 1",
    "Quarto's parts": "author:\n  - name:\n      given: Ada\n      family: Lowe\n"
    "  - name: {given: John, family: Roe}\n  - name: {literal: Ann Poe}",
    "family names": "authors:\n  - {given-names: Ada, family-names: Lowe}\n"
    "  - {first: John, last: Roe}\n  - {firstname: Ann, surname: Poe}",
    "names as keys": "author:\n  - Ada Lowe:\n      institute: here\n"
    "  - John Roe:\n      email: x\n  - Ann Poe: {}",
    "by-author": "by-author:\n  - {name: Ada Lowe}\n  - {name: John Roe}\n  - {name: Ann Poe}",
}


@pytest.mark.parametrize("form", AUTHORS)
def test_authors_in_the_forms_of_every_tool(form: str) -> None:
    draft = draft_of(f"---\ntitle: T\n{AUTHORS[form]}\n---\n\n# Abstract\n\nWords.\n", "md")
    assert draft.authors == ("Ada Lowe", "John Roe", "Ann Poe")


def test_a_list_of_authors_that_is_still_the_templates_names_nobody() -> None:
    names = "\n".join(f"  - name: {name}" for name in ("Adrian Real", "Author Without ORCID"))
    assert draft_of(f"---\ntitle: T\nauthors:\n{names}\n---\nWords", "md").authors == ()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Hannes Rakoczy & Marina Proft", ("Hannes Rakoczy", "Marina Proft")),
        ("Ann Poe^1,2^, Ludwig van Beethoven^3\\*^", ("Ann Poe", "Ludwig van Beethoven")),
        ("by Ada Lowe, PhD, and Timothy J. Triche, Jr.", ("Ada Lowe", "Timothy J. Triche Jr")),
        ("Lowe, Ada; Roe, John", ("Lowe, Ada", "Roe, John")),
        ("Department of Physics, University of Somewhere", ()),
        ("Ada Lowe, Institute of Bees", ()),
        ("A case report and review of the literature", ()),
        ("Original Research", ()),
        ("We study bees.", ()),
        ("", ()),
        ("x" * 30_000, ()),
    ],
)
def test_names_are_taken_only_where_they_are_certain(line: str, names: tuple[str, ...]) -> None:
    assert people(line) == names


def test_a_title_with_a_colon_that_is_no_yaml_costs_only_its_own_field() -> None:
    text = (
        "---\ntitle: Bees: a study\nauthor:\n  - name: Ada Lowe\nabstract: >\n  We\n  do.\n"
        "bibliography: refs.bib\n---\nText [@key].\n"
    )
    assert draft_of(text, "md") == Draft(
        "Bees: a study", "We do.", ("key",), ("refs.bib",), ("Ada Lowe",)
    )


def test_headings_of_html_and_front_matter_of_toml() -> None:
    draft = draft_of('<h1 align="center">On <em>bees</em></h1>\n\n## Background\n\nBees.', "md")
    assert (draft.title, draft.abstract) == ("On bees", "Bees.")
    toml = draft_of('+++\ntitle = "On bees"\nauthors = ["Ada Lowe"]\n+++\n\nThey dance.', "md")
    assert (toml.title, toml.authors, toml.abstract) == ("On bees", ("Ada Lowe",), "They dance.")
    assert draft_of("+++\nno toml\n+++\n# Bees\n\nThey dance.", "md").lost == (
        "the front matter: not valid TOML, so not read",
    )


def test_bold_lines_instead_of_headings() -> None:
    text = (
        "**On bees**\n\n*Ada Lowe*, *Robert Gray*\n\n**Abstract**\n\nWe look.\n\n**Introduction**\n"
    )
    assert draft_of(text, "md") == Draft("On bees", "We look.", authors=("Ada Lowe", "Robert Gray"))


def test_pandocs_title_block() -> None:
    draft = draft_of("% On *bees*\n% Ada Lowe; John Roe\n% 2020\n\nThey dance [@frisch].\n", "md")
    assert (draft.title, draft.authors) == ("On bees", ("Ada Lowe", "John Roe"))
    assert draft.cited_keys == ("frisch",)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("[@a; see @b, p. 3; -@c] and @d says, @e: @f.", "a b c d e f"),
        ("jane@example.org and me\\@example.org, \\@ref(fig:x)", ""),
        ("@fig-one, @tbl:two, [@eq-x; @sec:y] but @figueroa2010", "figueroa2010"),
        ("[@doi:10.1016/S0933-3657(96)00367-3] (@arxiv:1706.03762).",
         "doi:10.1016/S0933-3657(96)00367-3 arxiv:1706.03762"),
        ("@{https://x.org/a?b=c}; @smith_2010:a/b.", "https://x.org/a?b=c smith_2010:a/b"),
        ("`@code` is none, nor `x <- \"@nor\"`", ""),
        (r"As \citep[p.~3]{one,two} say <cite data-cite='three'>(3)</cite>", "three one two"),
        ("{cite:p}`one, two` and {cite}`three`, {ref}`fig`", "one two three"),
        ("**@bold** and (@paren)", "bold paren"),
    ],
)  # fmt: skip
def test_cited_keys(text: str, keys: str) -> None:
    assert cited_keys(text) == tuple(keys.split())


def test_code_comments_and_templates_are_no_text() -> None:
    text = (
        "A\n```{r}\n# no heading @x\n```\nB\n~~~~\n```\n~~~~\nC <!-- [@no] --> D {{< meta x >}}"
        "{## note ##}{% if x %}E{% endif %} ```inline``` F\n"
    )
    assert without_code(text).split() == ["A", "B", "C", "D", "E", "```inline```", "F"]


def test_the_abstract_is_found_wherever_it_stands() -> None:
    words = "We count bees."
    for text in (
        f"---\nabstract:\n  - {words}\n---\n# Introduction\nNo",
        f"# Title here\n\n## ABSTRACT {{-}}\n\n{words}\n\n**Keywords:** x\n\n## 1. Introduction\n",
        f"# Titel\n\n## Zusammenfassung\n\n{words}\n\n## Einleitung\n\nNein",
        f"# 蜜蜂\n\n## 摘要\n\n{words}\n\n## 引言\n\n否",
        f"# Title\n\n::: {{.abstract}}\n{words}\n:::\n\n# Introduction\nNo",
        f"# Title\n\n**Abstract:** {words}\n\n# Introduction\nNo",
        "# Title\n\n# Abstract\n\n## Background\n\nWe count\n\n## Methods\n\nbees.\n\n# Next\n\nNo",
    ):
        draft = draft_of(text, "md")
        assert (draft.abstract, draft.abstract_from) == (words, ""), text


def test_what_stands_in_for_an_abstract_is_named() -> None:
    long = "Bees dance. " * 300
    draft = draft_of(f"# Bees here\n\n# Summary\n\nTO DO\n\n# Introduction\n\n{long}", "md")
    assert draft.abstract_from == "the introduction"
    assert 250 <= len(draft.abstract.split()) <= 260
    assert draft.abstract.endswith("dance.")
    need = draft_of("# Bees here\n\n# Statement of need\n\nFew know them.\n", "md")
    assert (need.abstract, need.abstract_from) == (
        "Few know them.",
        "the section “Statement of need”",
    )
    assert draft_of("# Introduction\n\nNo title.", "md").title == ""


def test_project_files_beside_and_above(tmp_path: Path) -> None:
    write(
        tmp_path,
        _quarto__yml="title: Bees\nbibliography: refs.bib\nbook:\n  author: Ada Lowe\n",
        chapters_in_one__qmd="# Methods\n\nWe count [@x].\n",
    )
    draft = read_draft(tmp_path / "chapters" / "one.qmd")
    assert (draft.title, draft.authors) == ("Bees", ("Ada Lowe",))
    assert draft.bibliographies == ("../refs.bib",)
    described = '{"title": "Own", "creators": [{"givennames": "Ann", "familyname": "Poe"}]}'
    write(tmp_path / "chapters", metadata__json=described)
    draft = read_draft(tmp_path / "chapters" / "one.qmd")
    assert (draft.title, draft.authors) == ("Own", ("Ann Poe",)), "the nearer file first"


def test_manubot(tmp_path: Path) -> None:
    write(tmp_path, metadata__yaml="---\ntitle: Tips\nauthors:\n- name: Ada Lowe\n")
    (tmp_path / "00.front-matter.md").write_text(
        "## Authors\n\n{% for a in b %}{{a}}{% endfor %}\n"
    )
    (tmp_path / "01.abstract.md").write_text("## Abstract {.page_break}\n\nWe tip.\n")
    (tmp_path / "02.text.md").write_text("## Text\n\nSo [@doi:10.1/x; @tag:y] and [@smith].\n")
    (tmp_path / "99.tags.md").write_text("[@tag:y]: arxiv:1706.03762\n[@smith]: pmid:123\n")
    assert read_draft(tmp_path / "00.front-matter.md") == Draft(
        "Tips",
        "We tip.",
        ("doi:10.1/x", "arxiv:1706.03762", "pmid:123"),
        authors=("Ada Lowe",),
    )
    assert read_draft(tmp_path / "02.text.md").cited_keys == ("doi:10.1/x", "tag:y", "smith")


def test_included_files_are_read_within_the_folder_only(tmp_path: Path) -> None:
    write(
        tmp_path,
        secret__md="secret [@secret]",
        paper_in_abstract__Rmd="---\nx: y\n---\nFrom a *file*.",
        paper_in_part__qmd="Included [@inner]. {{< include part.qmd >}}",
        paper_in_main__Rmd="---\ntitle: T\nabstract: \"`r readLines('abstract.Rmd')`\"\n---\n"
        "{{< include part.qmd >}}\n{{< include ../secret.md >}}\n"
        "```{r child='gone.Rmd'}\n```\n",
    )
    draft = read_draft(tmp_path / "paper" / "main.Rmd")
    assert (draft.abstract, draft.cited_keys) == ("From a file.", ("inner",))
    assert "gone.Rmd: no such file" in draft.lost
    assert "../secret.md: no such file" in draft.lost
    assert any("too much" in each for each in draft.lost), "a file that includes itself ends"


def test_code_that_makes_the_abstract_is_named() -> None:
    draft = draft_of('---\ntitle: T\nabstract: "`r make_abstract()`"\n---\n# Introduction\n\nBees.')
    assert draft.lost == ("the abstract is the result of code: make_abstract()",)
    assert draft.abstract_from == "the introduction"


def test_references_in_the_front_matter() -> None:
    listed = "references:\n- id: frisch\n  title: Dancing bees of old\n  DOI: 10.1234/x\n"
    (paper,) = draft_of(f"---\ntitle: T\n{listed}---\n[@frisch]", "md").references
    assert paper.title == "Dancing bees of old"
    assert {"doi:10.1234/x", "bib:frisch"} <= {*keys_of(paper)}


def test_plain_text() -> None:
    marked = "A **bold** [link](http://x) [@a], H~2~O ^[note] and [x]{.sc} (@b), `code` [^1]."
    assert plain_text(marked) == "A bold link, H2O and x (@b), code."


def test_running_text_has_no_headings_and_code() -> None:
    text = "# Heading\n\nOne [@a].\n\n```\ncode\n```\n\n| a | b |\n\n$$x$$\n\n# References\n\nDoe."
    assert paragraphs(text) == ["One [@a]."]


HOSTILE = {
    "an alias bomb": "a: &a [x, x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)}, ' * 9}]\n" for n in range(12))
    + "author: *m\ntitle: T\n",
    "deep brackets": "title: T\nauthor: " + "[" * 50_000 + "]" * 50_000,
    "deep lists": "title: T\nauthor:\n  " + "- " * 20_000 + "x",
    "a recursive alias": "title: T\nauthor: &a [*a]\n",
    "python objects": "title: T\nauthor: !!python/object/apply:os.system ['false']\n",
    "one huge field": "title: " + "x" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_metadata(name: str) -> None:
    start = time.perf_counter()
    draft = draft_of(f"---\n{HOSTILE[name]}\n---\n\n# Introduction\n\nBees dance.\n", "md")
    assert draft.abstract == "Bees dance."
    assert time.perf_counter() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["```x\n", "<!-- ", "{{< ", "[@", "# ", "::: {.abstract}\n", "**Abstract", "|-", "a\n---\n",
     "^[", "@{", "[^", "![", "((", "*_", "<div class=abstract>", "{##"],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.perf_counter()
    draft_from_markdown(text, None)
    assert time.perf_counter() - start < 10


def test_front_matter_that_never_ends_is_text() -> None:
    metadata, body = front_matter("---\ntitle: x\n")
    assert (metadata.fields, body) == ({}, "---\ntitle: x\n")


def test_names_above_the_text_where_the_title_is_elsewhere() -> None:
    names = "\\\nAda A. Lowe^1^, John Roe^2^\n\n^1^ Hive"
    draft = draft_of(f"---\ntitle: On g~0~\nauthor: ''\n---\n\n{names}\n\n# Bees\n\nFly.", "md")
    assert (draft.title, draft.authors) == ("On g0", ("Ada A. Lowe", "John Roe"))


def test_lines_about_the_draft_below_its_title() -> None:
    about = "**Authors:** Ada Lowe, John Roe\n**Date:** 2026"
    draft = draft_of(f"# Bees\n\n{about}\n\n---\n\n## Dances\n\nBees dance.", "md")
    assert (draft.title, draft.authors) == ("Bees", ("Ada Lowe", "John Roe"))
    assert draft.abstract == "Bees dance."


@pytest.mark.parametrize("heading", ["Glossary", "Nomenclature", "Contents", "Introduction"])
def test_a_usual_section_is_no_title(heading: str) -> None:
    assert draft_of(f"# {heading}\n\nBees dance.\n\n# More\n\nHives.", "md").title == ""


def test_captions_that_cite_are_left_out() -> None:
    assert plain_text("Bees. ![A dance [@one].\\label{x}](bees.pdf) Hives.") == "Bees. Hives."
