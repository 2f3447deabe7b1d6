"""Real full texts: what holds of every document, and counts that something else than our readers
makes.
"""

import functools
import json
import re
from pathlib import Path
from types import ModuleType
from unicodedata import normalize
from xml.etree import ElementTree

import pytest

from citewise.ingest.document import Document
from citewise.ingest.fulltext import (
    jats,
    latex_project,
    parscit,
    s2orc,
    science_parse,
    tei,
    unarxive,
    xml_tree,
)
from citewise.ingest.report import Report
from citewise.ingest.source import open_source
from ingest.fulltext_sources import check, documents

SAMPLES: dict[str, tuple[ModuleType, str]] = {
    "tei": (tei, "tei/*.xml"),
    "jats": (jats, "jats/*ml"),
    "s2orc": (s2orc, "s2orc/*.json"),
    "unarxive": (unarxive, "unarxive/*.json*"),
    "science-parse": (science_parse, "scienceparse/*.json"),
    "parscit": (parscit, "parscit/*.xml"),
    "latex": (latex_project, "latex/**/*.tex"),
}
MODULES = [module for module, _ in SAMPLES.values()]


@functools.cache
def read(name: str, path: Path) -> tuple[Document, ...]:
    """Return the documents of a file, which is read once for all tests."""
    return tuple(documents(SAMPLES[name][0], path)[0])


def files(shared: Path, name: str) -> list[Path]:
    found = sorted((shared / "fulltext").glob(SAMPLES[name][1]))
    assert found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_every_span_is_where_it_says(shared: Path, name: str) -> None:
    count = 0
    for path in files(shared, name):
        for document in read(name, path):
            check(document)
            count += 1
    assert count >= 9


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    members = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    return [text for member in members for text in _strings(member)]


def _words(text: str) -> str:
    return re.sub(r"\s+", "", normalize("NFKC", text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "most_changed"),
    [("tei", 0), ("s2orc", 0), ("science-parse", 0), ("jats", 5), ("parscit", 15)],
)
def test_every_sentence_stands_in_its_file_word_for_word(
    shared: Path, name: str, most_changed: int
) -> None:
    """As another parser reads the file; JATS has formulas left out, ParsCit's lines lose their
    hyphens.
    """
    changed = total = 0
    for path in files(shared, name):
        if path.suffix == ".json":
            source = _words("\n".join(_strings(json.loads(path.read_text("utf-8")))))
        else:
            source = _words("".join(ElementTree.parse(path).getroot().itertext()))
        for document in read(name, path):
            total += len(document.sentences)
            changed += sum(_words(sentence.text) not in source for sentence in document.sentences)
    assert total > 200
    assert changed <= most_changed


@pytest.mark.parametrize("name", SAMPLES)
def test_each_is_recognised_by_its_own_format_only(shared: Path, name: str) -> None:
    for path in files(shared, name):
        with path.open("rb") as file:
            head = file.read(65_536)
        claimed = [module.NAME for module in MODULES if module.detects(head)]
        assert claimed == [name] or (name == "latex" and b"\\documentclass" not in head), path.name


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _linked(
    element: ElementTree.Element,
    inside: tuple[str, ...],
    left_out: tuple[str, ...],
    is_inside: bool = False,
) -> list[str]:
    """Return the targets of the marks that stand inside elements of some names and not in others',
    in order.
    """
    name = _local(element)
    if name in left_out:
        return []
    is_inside = is_inside or name in inside
    target = (
        element.get("target") if name == "ref" else element.get("rid") if name == "xref" else None
    )
    is_mark = "bibr" in (element.get("type"), element.get("ref-type")) and any(
        map(str.isalnum, "".join(element.itertext()))
    )
    own = [target] if is_mark and is_inside and target else []
    return own + [
        found for child in element for found in _linked(child, inside, left_out, is_inside)
    ]


def _marks(module: ModuleType, path: Path) -> list[str]:
    source = open_source(str(path))
    root = xml_tree.parsed(source, Report())
    source.close()
    return [
        " ".join(mark.targets)
        for passage in module.passages(root)
        for mark in passage.marks
        if mark.targets
    ]


@pytest.mark.slow
def test_tei_has_as_many_marks_as_linked_references(shared: Path) -> None:
    total = 0
    for path in files(shared, "tei"):
        root = ElementTree.parse(path).getroot()
        expected = _linked(root, ("p", "figDesc", "note"), ("table", "listBibl"))
        assert sorted(_marks(tei, path)) == sorted(
            target.removeprefix("#") for target in expected
        ), path.name
        total += len(expected)
    assert total > 1_900


@pytest.mark.slow
def test_jats_has_as_many_marks_as_linked_references(shared: Path) -> None:
    total = 0
    for path in files(shared, "jats"):
        root = ElementTree.parse(path).getroot()
        expected = _linked(root, ("p", "caption"), ("table", "ref-list", "sub-article", "response"))
        assert sorted(_marks(jats, path)) == sorted(expected), path.name
        total += len(expected)
    assert total > 2_700


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most_lost"), [("tei", 0.01), ("jats", 0.01)])
def test_what_the_marks_name_is_cited(shared: Path, name: str, most_lost: float) -> None:
    """Marks with a target and an entry that says something end up in a group of a sentence."""
    lost = total = 0
    for path in files(shared, name):
        for document in read(name, path):
            linked = {
                target for targets in _marks(SAMPLES[name][0], path) for target in targets.split()
            }
            cited = {
                key
                for sentence in document.sentences
                for group in sentence.groups
                for key in group.cited
            }
            total += min(len(linked), len(document.cited))
            lost += max(0, min(len(linked), len(document.cited)) - len(cited))
    assert total > 1_000
    assert lost <= most_lost * total


@pytest.mark.slow
def test_what_parscit_names_is_cited(shared: Path) -> None:
    """References with a context, counted by another parser, are cited in a sentence, save marks
    that are ambiguous.
    """
    named = cited = 0
    for path in files(shared, "parscit"):
        citations = ElementTree.parse(path).iter("citation")
        named += sum(citation.find("contexts/context") is not None for citation in citations)
        for document in read("parscit", path):
            cited += len(
                {
                    key
                    for sentence in document.sentences
                    for group in sentence.groups
                    for key in group.cited
                }
            )
    assert named > 200
    assert 0.85 * named <= cited <= named


@pytest.mark.slow
@pytest.mark.parametrize("name", ["s2orc", pytest.param("unarxive", marks=pytest.mark.slow)])
def test_what_json_links_is_cited(shared: Path, name: str) -> None:
    for path in files(shared, name):
        for record, document in zip(_objects(path), read(name, path), strict=True):
            text = json.dumps(record)
            linked = (
                set(re.findall(r"\{\{cite:([0-9a-f]+)\}\}", text))
                if name == "unarxive"
                else set(re.findall(r'"ref_id": "(BIBREF\d+)"', text))
            )
            cited = {
                key
                for sentence in document.sentences
                for group in sentence.groups
                for key in group.cited
            }
            assert len(cited) <= max(len(linked), len(document.cited))
            assert len(cited) >= 0.85 * min(len(linked), len(document.cited)), (
                path.name,
                document.paper.id,
            )


def _objects(path: Path) -> list[dict[str, object]]:
    text = path.read_text("utf-8")
    return (
        [json.loads(line) for line in text.splitlines()]
        if path.suffix == ".jsonl"
        else [json.loads(text)]
    )


LATEX_KEYS = re.compile(
    r"\\(?!nocite|bibcite|def|set|need)[A-Za-z]*[cC]ite(?:t|p|alt|alp|n|talias|palias)?\*?\s*(?:\[[^\]]*\]\s*)*\{([^}]*)\}"
)
LATEX_TABLE = re.compile(
    r"\\begin\{(tabular[xy]?|longtable|deluxetable\*?)\}.*?\\end\{\1\}", re.DOTALL
)


def _searched(files: list[Path]) -> set[str]:
    """Return the keys that a search for citation commands finds in files, comments and tables left
    out.
    """
    lines = "\n".join(
        re.sub(r"(?<!\\)%.*", "", line)
        for file in files
        for line in file.read_text("utf-8").splitlines()
    )
    return {
        key.strip()
        for keys in LATEX_KEYS.findall(LATEX_TABLE.sub("", lines))
        for key in keys.split(",")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "main",
    [
        "arxiv_1911.02782/main.tex",
        "celerite/paper/ms.tex",
        "emcee/document/ms.tex",
        "astropy-v2/main.tex",
        "gammapy-v1.0/src/ms-review.tex",
        "sunpy-1.0/main.tex",
    ],
)
def test_latex_cites_what_a_search_for_citations_finds(shared: Path, main: str) -> None:
    path = shared / "fulltext" / "latex" / main
    (document,) = read("latex", path)
    printed = {
        key.strip()
        for sentence in document.sentences
        for group in sentence.groups
        for keys in re.findall(r"\[([^\]]*)\]", sentence.text[group.start : group.end])
        for key in keys.split(",")
    }
    assert printed <= _searched([*path.parent.rglob("*.tex")])
    expected = _searched([path, *path.parent.glob("sections/*.tex")])
    assert not expected - printed, "what is not cited in a sentence"
    cited = {
        key for sentence in document.sentences for group in sentence.groups for key in group.cited
    }
    assert len(cited) >= 0.97 * len(printed)
