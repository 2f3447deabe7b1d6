"""Imports point down only; the public face is what it says; the core stays light."""

import ast
import functools
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import citewise
import citewise.evaluate

ROOT = Path(citewise.__file__).parent.parent

LAYERS = [
    # values and promises
    ["errors", "arrays", "beside", "plugins", "signals"],
    ["preferences", "columns"],
    ["types"],
    ["protocols", "text", "feedback"],
    # the text of PDFs
    ["pdf"],
    # formulas, sources
    ["scoring", "ingest"],
    # the two libraries; the draft and the evidence of a query
    ["library", "memory", "drafts", "spans"],
    # the same stores over many folders
    ["engines"],
    # outputs; the stages: they do not know each other
    ["render", "retrieve", "expand", "rank", "embed", "ground"],
    ["explain", "browse", "citation_map", "statistics"],
    # the composer, and what opens a library
    ["recommend"],
    ["reranking"],
    ["systems"],
    ["api"],
    # the laboratory
    ["evaluate"],
    ["train"],
    # the edges
    ["mcp"],
    ["citewise"],
    ["web"],
    ["http"],
    ["cli"],
    ["__main__"],
]
"""From the bottom up. A module imports from its own part and from lower layers; parts of one layer
do not know each other.
"""

STAGES = {"retrieve", "expand", "rank", "embed", "ground"}
BY_PROTOCOLS = STAGES | {
    *("scoring", "spans", "drafts", "explain", "recommend", "systems", "render"),
    *("evaluate", "train"),
}
"""Parts that know a library by its protocols alone."""

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "onnxruntime",
    "onnx",
    "safetensors",
    "tokenizers",
    "lightgbm",
    "faiss",
    "spacy",
    "tensorflow",
    "sklearn",
    "scipy",
    "pandas",
    "jnius",
    "fastapi",
    "uvicorn",
    "mcp",
    "matplotlib",
    "pypdfium2",
    "ray",
}


def _modules() -> dict[str, Path]:
    """Return every module by its name."""
    files = sorted((ROOT / "citewise").rglob("*.py"))
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


MODULES = _modules()


@functools.cache
def _tree(name: str) -> ast.Module:
    """Return a module's syntax tree."""
    return ast.parse(MODULES[name].read_text("utf-8"))


@functools.cache
def _nodes(name: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's syntax tree."""
    return tuple(ast.walk(_tree(name)))


@functools.cache
def _imports(name: str) -> frozenset[str]:
    """Return the modules of the package that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in _nodes(name):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: a relative import"
            below = {f"{node.module}.{each.name}" for each in node.names}
            found |= {each if each in MODULES else str(node.module) for each in below}
    return frozenset(each for each in found if each.split(".")[0] == "citewise")


def _part(module: str) -> str:
    """Return the part of the package that a module belongs to."""
    return module.split(".")[1] if "." in module else module


LEVELS = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def test_every_part_has_a_layer() -> None:
    assert {_part(module) for module in MODULES} <= set(LEVELS), (
        "say in LAYERS where a new part belongs"
    )


def test_imports_point_down() -> None:
    wrong = {
        f"{module} imports {each}, which is not below it"
        for module in MODULES
        for each in _imports(module)
        if _part(each) != _part(module) and LEVELS[_part(each)] >= LEVELS[_part(module)]
    }
    assert not wrong


def test_no_module_imports_the_root() -> None:
    assert {_part(name) for name in MODULES if "citewise" in _imports(name)} == {"cli"}


def test_stages_do_not_know_each_other() -> None:
    for module in MODULES:
        if _part(module) in STAGES:
            known = {_part(each) for each in _imports(module)}
            assert not known & (STAGES - {_part(module)}), module


def test_a_library_is_known_by_its_protocols_only() -> None:
    for module in MODULES:
        if _part(module) in BY_PROTOCOLS:
            known = {_part(each) for each in _imports(module)}
            assert not known & {"library", "memory", "engines"}, module


def test_sources_do_not_know_the_library() -> None:
    for module in MODULES:
        if _part(module) == "ingest":
            assert "library" not in {_part(each) for each in _imports(module)}, module


def test_the_two_libraries_do_not_know_each_other() -> None:
    for one, other in (("library", "memory"), ("memory", "library")):
        for module in MODULES:
            if _part(module) == one:
                assert other not in {_part(each) for each in _imports(module)}, module


def test_there_are_no_cycles() -> None:
    graph = {module: _imports(module) - {module} for module in MODULES}
    while graph:
        free = [module for module, needed in graph.items() if not needed & graph.keys()]
        assert free, f"a cycle among {sorted(graph)}"
        for module in free:
            del graph[module]


@pytest.mark.parametrize("face", [citewise, citewise.evaluate], ids=lambda face: face.__name__)
def test_the_public_face_is_exactly_its_names(face: ModuleType) -> None:
    assert sorted(face.__all__) == list(face.__all__)
    assert len(set(face.__all__)) == len(face.__all__)
    imports = [node for node in _tree(face.__name__).body if isinstance(node, ast.ImportFrom)]
    imported = {each.asname or each.name for node in imports for each in node.names}
    assert imported == set(face.__all__)
    for name in face.__all__:
        assert getattr(face, name).__doc__, f"{name} has no documentation"


def test_every_error_is_public() -> None:
    from citewise import errors

    named = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert named <= set(citewise.__all__)
    codes = [getattr(errors, name).code for name in named]
    assert len(set(codes)) == len(codes), "each error has a code of its own"


def _loaded(statement: str) -> tuple[set[str], set[str]]:
    """Return the modules that are loaded after a statement in a fresh Python, and those on top."""
    code = f"{statement}; import json, sys; print(json.dumps([*sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    names = set(json.loads(done.stdout))
    return names, {name.split(".")[0] for name in names}


@pytest.mark.slow
def test_the_core_is_light() -> None:
    _, loaded = _loaded("import citewise, citewise.cli")
    assert {"citewise", "numpy"} <= loaded
    assert not HEAVY & loaded


@pytest.mark.slow
def test_importing_the_package_leaves_the_command_line_out() -> None:
    modules, on_top = _loaded("import citewise")
    assert "citewise" in modules and "citewise.cli" not in modules
    assert not {"typer", "click", "rich"} & on_top


def test_nothing_prints() -> None:
    for name in MODULES:
        calls = (node.func for node in _nodes(name) if isinstance(node, ast.Call))
        assert not [each for each in calls if isinstance(each, ast.Name) and each.id == "print"], (
            name
        )


def test_the_public_face_has_these_names() -> None:
    assert citewise.__all__ == [
        "Answer",
        "BadInput",
        "BadLibrary",
        "CitationGroup",
        "CitewiseError",
        "CitingSentence",
        "Contribution",
        "Description",
        "Document",
        "Draft",
        "DraftOptions",
        "EvidenceSpan",
        "Feedback",
        "FeedbackContent",
        "FeedbackEntry",
        "Library",
        "LibraryBusy",
        "MissingData",
        "MissingExtra",
        "NamedPaper",
        "NoPermission",
        "Paper",
        "PaperPage",
        "Preferences",
        "Query",
        "ReadQuery",
        "Reason",
        "Recommendation",
        "Report",
        "ServedBy",
        "Unavailable",
        "Understanding",
        "Verification",
        "add",
        "compact",
        "encode",
        "index",
        "open",
        "read_draft",
        "remove",
        "verify",
    ]


def test_every_module_says_what_it_is_for_and_none_asserts() -> None:
    for name in MODULES:
        assert ast.get_docstring(_tree(name)) or not _tree(name).body, name
        assert not [node for node in _nodes(name) if isinstance(node, ast.Assert)], name
