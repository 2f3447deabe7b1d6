"""Splits: years, fractions, filters, samples and files; the protocols of the project's data."""

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import citewise
from citewise.errors import BadInput, MissingData
from citewise.evaluate.splits import Part, Split, SplitSettings, eligible
from citewise.protocols import Stores
from citewise.types import Paper
from corpora import random_papers

PAPERS = random_papers(120, seed=8)
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("splits") / "library"
    citewise.add(PAPERS, folder)
    return citewise.open(folder).stores


def gold_of(paper: Paper) -> set[str]:
    """What a paper should find, by its definition."""
    years = {each.id: each.year or 0 for each in PAPERS}
    last = paper.year or 0
    return {key for key in paper.references if key != paper.id and 0 < years.get(key, 0) <= last}


def paper_of(stores: Stores, id: str) -> Paper:
    return stores.papers.read(stores.papers.find([id]))[0]


def names(split: Split, part: str) -> list[str]:
    return [each.id for each in split.parts[part]]


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("abstract", [True, False])
def test_who_is_asked_and_what_for(stores: Stores, least: int, abstract: bool) -> None:
    settings = SplitSettings(test=(2000, 2005), dev=(1997, 1999), least=least, abstract=abstract)
    split = Split.make(stores, settings, guard=False)
    fit = [
        paper
        for paper in PAPERS
        if len(gold_of(paper)) >= least and (paper.abstract or not abstract)
    ]
    parts: dict[Part, range] = {
        "train": range(1996 + 1),
        "dev": range(1997, 2000),
        "test": range(2000, 2006),
    }
    for part, years in parts.items():
        assert names(split, part) == [paper.id for paper in fit if paper.year in years]
        for question in split.questions(stores, part, guard=False):
            assert {paper.id for paper in stores.papers.read(question.gold)} == gold_of(
                paper_of(stores, question.id)
            )


def test_years_alone_make_a_test_part(stores: Stores) -> None:
    split = Split.make(stores, SplitSettings(test=(2001, 2001)), parts=("test",))
    assert split.parts.keys() == {"test"}
    assert {paper_of(stores, name).year for name in names(split, "test")} == {2001}
    with pytest.raises(BadInput, match="no part 'dev'"):
        split.questions(stores, "dev")


@pytest.mark.parametrize("shares", [(0.6, 0.2, 0.2), (0.8, 0.1, 0.1), (0.5, 0.0, 0.5)])
def test_fractions_of_all_papers_are_cut_first_and_filtered_afterwards(
    stores: Stores, shares: tuple[float, float, float]
) -> None:
    """By its definition: sort every paper with a year, find the years at the two cuts, and only
    then ask who can be a query.
    """
    dated = sorted(paper.date or str(paper.year) for paper in PAPERS if paper.year)
    starts = [dated[round(share * len(dated))] for share in (shares[0], shares[0] + shares[1])]
    settings = SplitSettings(fractions=shares, cut="all")
    split = Split.make(stores, settings, guard=False)
    for paper in PAPERS:
        date = paper.date or str(paper.year or "")
        part = "train" if date < starts[0] else "dev" if date < starts[1] else "test"
        can = bool(paper.year and paper.abstract and gold_of(paper))
        assert [paper.id in names(split, each) for each in ("train", "dev", "test")] == [
            can and part == each for each in ("train", "dev", "test")
        ]

    other = Split.make(stores, SplitSettings(fractions=shares), guard=False)
    assert {len(each) for each in split.parts.values()} != {
        len(each) for each in other.parts.values()
    }, "who cannot be asked is mostly old"


def test_fractions_are_of_papers_by_date(stores: Stores) -> None:
    split = Split.make(stores, SplitSettings(fractions=(0.6, 0.2, 0.2)), guard=False)
    sizes = [len(split.parts[part]) for part in ("train", "dev", "test")]
    total = eligible(stores, SplitSettings()).size
    assert sum(sizes) == total and sizes == pytest.approx(
        [0.6 * total, 0.2 * total, 0.2 * total], abs=0.08 * total
    )
    years = [
        sorted(paper_of(stores, name).year or 0 for name in names(split, part))
        for part in ("train", "dev", "test")
    ]
    assert years[0][-1] < years[1][0] and years[1][-1] < years[2][0], (
        "papers of one date stay together"
    )


def test_dates_are_finer_than_years(tmp_path: Path) -> None:
    target = Paper("old", "An old thing", year=1990)
    dated = [
        Paper(
            f"d{month}",
            f"Month number {month} of {'abcdefghijkl'[month - 1] * 3}",
            "Text.",
            2000,
            references=("old",),
            date=f"2000-{month:02}",
        )
        for month in range(1, 11)
    ]
    citewise.add([*reversed(dated), target], tmp_path)
    split = Split.make(citewise.open(tmp_path).stores, SplitSettings(), guard=False)
    assert {part: sorted(names(split, part)) for part in split.parts} == {
        "train": sorted(f"d{month}" for month in range(1, 9)),
        "dev": ["d9"],
        "test": ["d10"],
    }


def test_a_sample_is_of_the_asked_and_repeats(stores: Stores) -> None:
    whole = Split.make(stores, SplitSettings(test=(1990, 2009)))
    settings = SplitSettings(test=(1990, 2009), sample=10, seed=4)
    sampled = names(Split.make(stores, settings), "test")
    assert len(sampled) == 10 and set(sampled) < set(names(whole, "test"))
    assert sampled == [name for name in names(whole, "test") if name in sampled], (
        "in the order of rows"
    )
    assert names(Split.make(stores, settings), "test") == sampled
    assert names(Split.make(stores, msgspec.structs.replace(settings, seed=5)), "test") != sampled


def test_a_file_and_back(stores: Stores, tmp_path: Path) -> None:
    split = Split.make(stores, SplitSettings(test=(2000, 2005), least=2))
    split.save(tmp_path / "split.json")
    assert Split.load(tmp_path / "split.json") == split
    assert split.library == stores.info.fingerprint


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="citewise split"):
        Split.load(tmp_path / "split.json")
    for content in (b"", b"[]", b'{"library": 5}'):
        (tmp_path / "split.json").write_bytes(content)
        with pytest.raises(BadInput, match="not a split file"):
            Split.load(tmp_path / "split.json")


def test_a_library_that_changed(library: Path) -> None:
    stores = citewise.open(library).stores
    split = Split.make(stores, SplitSettings(test=(2011, 2015)))
    assert len(split.questions(stores)) == 3
    citewise.remove(library, ["arxiv:1203.00002"])
    changed = citewise.open(library).stores
    with pytest.raises(BadInput, match=f"fingerprint {split.library}.*--stale"):
        split.questions(changed)
    assert [each.id for each in split.questions(changed, stale=True)] == ["arxiv:1101.00001"], (
        "one is gone, and another cited only that one"
    )


def test_a_changed_library_hides_anew(library: Path) -> None:
    stores = citewise.open(library).stores
    split = Split.make(stores, SplitSettings(test=(2012, 2012)))
    assert split.questions(stores)[0].query.hidden == ()
    citewise.add([Paper("late", "Swarm optimization with the artificial bees", year=2011)], library)
    assert split.questions(citewise.open(library).stores, stale=True)[0].query.hidden == ("late",)


def test_an_abstract_may_be_missing(golden_library: Path) -> None:
    stores = citewise.open(golden_library).stores
    settings = SplitSettings(test=(2019, 2019), abstract=False)
    assert [each.id for each in Split.make(stores, settings).questions(stores)] == ["own-7"]
    assert Split.make(stores, SplitSettings(test=(2019, 2019))).questions(stores) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fractions": (0.5, 0.1, 0.1)}, "add up to 1"),
        ({"cut": "some"}, "eligible or all"),
        ({"fractions": (1.2, -0.1, -0.1)}, "add up to 1"),
        ({"least": 0}, "at least one"),
        ({"sample": 0}, "at least one"),
        ({"dev": (2000, 2001)}, "test as well"),
        ({"dev": (2000, 2005), "test": (2005, 2006)}, "must end before"),
    ],
)
def test_settings_without_meaning(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SplitSettings(**settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "year", "least", "count"), [("elife", 2023, 3, None), ("cs", 2022, 5, 971)]
)
def test_the_protocols_of_the_data(
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    corpus: str,
    year: int,
    least: int,
    count: int | None,
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    protocol = sys.modules.get("protocol") or __import__("protocol")
    records = list(protocol.records(corpus))
    expected = {query.id: set(query.gold) for query in protocol.queries(records, year, least)}
    asked = [each for each in records if each.get("year") == year]
    cited = {key for each in asked for key in each.get("references") or ()}
    papers = (  # the others are neither asked nor found
        Paper(
            each["id"],
            each["title"],
            (each.get("abstract") or "")[:60],
            each.get("year"),
            references=tuple(each.get("references") or ()),
        )
        for each in records
        if each.get("year") == year or each["id"] in cited
    )
    citewise.add(papers, tmp_path, keep_versions=True)
    stores = citewise.open(tmp_path).stores
    split = Split.make(stores, SplitSettings(test=(year, year), least=least), parts=("test",))
    questions = split.questions(stores, guard=False)
    assert {
        each.id: {paper.id for paper in stores.papers.read(each.gold)} for each in questions
    } == expected
    assert count is None or len(questions) == count
    assert [each.id for each in split.questions(stores)] == [each.id for each in questions]
