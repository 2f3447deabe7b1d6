"""`citewise.open` takes a folder, or the address of a library that another engine has."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import citewise
from citewise import plugins
from citewise.api import open_stores
from citewise.errors import BadInput, MissingData
from citewise.library.folder import LibraryFolder
from citewise.memory import MemoryStores

ENGINE = """
from citewise.memory import MemoryStores
from citewise.types import Paper

def stores_at(address):
    return MemoryStores.of([Paper("a", f"The paper at {address}")])
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that opens `toy://` addresses, and one that cannot be loaded."""
    about = tmp_path / "toy_engine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-engine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[citewise.stores]\n"
        "toy = citewise_toy_engine:stores_at\n"
        "broken = no_such_module:stores_at\n"
    )
    (tmp_path / "citewise_toy_engine.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.plugins.cache_clear()
    yield
    plugins.plugins.cache_clear()
    sys.modules.pop("citewise_toy_engine", None)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_opens_a_folder(golden_library: Path, kind: type) -> None:
    assert isinstance(open_stores(kind(golden_library)), LibraryFolder)
    assert "doi:10.1000/dance" in citewise.open(kind(golden_library))


def test_a_path_that_looks_like_an_address_is_a_folder_still(tmp_path: Path) -> None:
    with pytest.raises(MissingData):
        open_stores(f"{tmp_path}/toy://library")
    with pytest.raises(MissingData):
        open_stores(Path("toy://library"))


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^lake://head:10001/papers: no engine has the scheme 'la"):
        citewise.open("lake://head:10001/papers")
    with pytest.raises(BadInput, match=r"known: a folder's path, ray://$"):
        open_stores("lake://head")


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("address", ["toy://here", "TOY://here"])
def test_another_package_opens_its_addresses(address: str) -> None:
    library = citewise.open(address)
    assert isinstance(library.stores, MemoryStores)
    assert library["a"].title == f"The paper at {address}"


@pytest.mark.usefixtures("engine")
def test_an_engine_that_cannot_be_loaded_is_not_known() -> None:
    with pytest.raises(BadInput, match=r"scheme 'broken'; known: a folder's path, ray://, toy://$"):
        citewise.open("broken://here")
    assert any("'broken' of toy-engine is left out" in problem for problem in plugins.problems())


def test_a_library_in_memory_needs_no_address() -> None:
    library = citewise.Library(MemoryStores.of([citewise.Paper("a", "Bees that dance")]))
    assert [each.paper.id for each in library.recommend("dancing bees", system="bm25")] == ["a"]
