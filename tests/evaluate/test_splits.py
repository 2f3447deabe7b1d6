"""Splits: years, fractions, filters, samples and files; the protocols of the project's data."""

import sys
from pathlib import Path

import msgspec
import pytest
from corpora import random_papers

import citewise
from citewise.errors import BadInput, MissingData
from citewise.evaluate.splits import Split, SplitSettings, eligible
from citewise.opened import OpenLibrary
from citewise.types import Paper

PAPERS = random_papers(120, seed=8)
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> OpenLibrary:
    folder = tmp_path_factory.mktemp("splits") / "library"
    citewise.add(PAPERS, folder)
    return citewise.open(folder)


def gold_of(paper: Paper) -> set[str]:
    """What a paper should find, by its definition."""
    years = {each.id: each.year for each in PAPERS}
    return {key for key in paper.references
            if key != paper.id and years.get(key) and paper.year and years[key] <= paper.year}


def names(split: Split, part: str) -> list[str]:
    return [each.id for each in split.parts[part]]


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("abstract", [True, False])
def test_who_is_asked_and_what_for(held: OpenLibrary, least: int, abstract: bool) -> None:
    settings = SplitSettings(test=(2000, 2005), dev=(1997, 1999), least=least, abstract=abstract)
    split = Split.make(held, settings, guard=False)
    fit = [paper for paper in PAPERS if len(gold_of(paper)) >= least and (paper.abstract or not abstract)]
    parts = {"train": range(1996 + 1), "dev": range(1997, 2000), "test": range(2000, 2006)}
    for part, years in parts.items():
        assert names(split, part) == [paper.id for paper in fit if paper.year in years]
        for question in split.questions(held, part, guard=False):
            assert {paper.id for paper in held.library.papers(question.gold)} == gold_of(held[question.id])


def test_years_alone_make_a_test_part(held: OpenLibrary) -> None:
    split = Split.make(held, SplitSettings(test=(2001, 2001)), parts=("test",))
    assert split.parts.keys() == {"test"}
    assert {held[name].year for name in names(split, "test")} == {2001}
    with pytest.raises(BadInput, match="no part 'dev'"):
        split.questions(held, "dev")


def test_fractions_are_of_papers_by_date(held: OpenLibrary) -> None:
    split = Split.make(held, SplitSettings(fractions=(0.6, 0.2, 0.2)), guard=False)
    sizes = [len(split.parts[part]) for part in ("train", "dev", "test")]
    total = eligible(held.library, SplitSettings()).size
    assert sum(sizes) == total and sizes == pytest.approx([0.6 * total, 0.2 * total, 0.2 * total], abs=0.08 * total)
    years = [sorted(held[name].year or 0 for name in names(split, part)) for part in ("train", "dev", "test")]
    assert years[0][-1] < years[1][0] and years[1][-1] < years[2][0], "papers of one date stay together"


def test_dates_are_finer_than_years(tmp_path: Path) -> None:
    target = Paper("old", "An old thing", year=1990)
    dated = [Paper(f"d{month}", f"Month number {month} of {'abcdefghijkl'[month - 1] * 3}", "Text.", 2000,
                   references=("old",), date=f"2000-{month:02}") for month in range(1, 11)]
    citewise.add([*reversed(dated), target], tmp_path)
    split = Split.make(citewise.open(tmp_path), SplitSettings(), guard=False)
    assert {part: sorted(names(split, part)) for part in split.parts} == {
        "train": sorted(f"d{month}" for month in range(1, 9)), "dev": ["d9"], "test": ["d10"]}


def test_a_sample_is_of_the_asked_and_repeats(held: OpenLibrary) -> None:
    whole = Split.make(held, SplitSettings(test=(1990, 2009)))
    settings = SplitSettings(test=(1990, 2009), sample=10, seed=4)
    sampled = names(Split.make(held, settings), "test")
    assert len(sampled) == 10 and set(sampled) < set(names(whole, "test"))
    assert sampled == [name for name in names(whole, "test") if name in sampled], "in the order of rows"
    assert names(Split.make(held, settings), "test") == sampled
    assert names(Split.make(held, msgspec.structs.replace(settings, seed=5)), "test") != sampled


def test_a_file_and_back(held: OpenLibrary, tmp_path: Path) -> None:
    split = Split.make(held, SplitSettings(test=(2000, 2005), least=2))
    split.save(tmp_path / "split.json")
    assert Split.load(tmp_path / "split.json") == split
    assert split.library == held.library.manifest.fingerprint


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="citewise split"):
        Split.load(tmp_path / "split.json")
    for content in (b"", b"[]", b'{"library": 5}'):
        (tmp_path / "split.json").write_bytes(content)
        with pytest.raises(BadInput, match="not a split file"):
            Split.load(tmp_path / "split.json")


def test_a_library_that_changed(library: Path) -> None:
    held = citewise.open(library)
    split = Split.make(held, SplitSettings(test=(2011, 2015)))
    assert len(split.questions(held)) == 3
    citewise.remove(library, ["arxiv:1203.00002"])
    changed = citewise.open(library)
    with pytest.raises(BadInput, match=f"fingerprint {split.library}.*--stale"):
        split.questions(changed)
    assert [each.id for each in split.questions(changed, stale=True)] == ["arxiv:1101.00001"], (
        "one is gone, and another cited only that one")


def test_a_changed_library_hides_anew(library: Path) -> None:
    held = citewise.open(library)
    split = Split.make(held, SplitSettings(test=(2012, 2012)))
    assert split.questions(held)[0].query.hidden == ()
    citewise.add([Paper("late", "Swarm optimization with the artificial bees", year=2011)], library)
    assert split.questions(citewise.open(library), stale=True)[0].query.hidden == ("late",)


def test_an_abstract_may_be_missing(golden_library: Path) -> None:
    held = citewise.open(golden_library)
    settings = SplitSettings(test=(2019, 2019), abstract=False)
    assert [each.id for each in Split.make(held, settings).questions(held)] == ["own-7"]
    assert Split.make(held, SplitSettings(test=(2019, 2019))).questions(held) == []


@pytest.mark.parametrize(("settings", "message"), [
    ({"fractions": (0.5, 0.1, 0.1)}, "add up to 1"), ({"fractions": (1.2, -0.1, -0.1)}, "add up to 1"),
    ({"least": 0}, "at least one"), ({"sample": 0}, "at least one"), ({"dev": (2000, 2001)}, "test as well"),
    ({"dev": (2000, 2005), "test": (2005, 2006)}, "must end before")])
def test_settings_without_meaning(settings: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SplitSettings(**settings)


@pytest.mark.slow
@pytest.mark.parametrize(("corpus", "year", "least", "count"), [("elife", 2023, 3, None), ("cs", 2022, 5, 971)])
def test_the_protocols_of_the_data(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: str,
                                   year: int, least: int, count: int | None) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    protocol = sys.modules.get("protocol") or __import__("protocol")
    records = list(protocol.records(corpus))
    expected = {query.id: set(query.gold) for query in protocol.queries(records, year, least)}
    papers = (Paper(each["id"], each["title"], (each.get("abstract") or "")[:60], each.get("year"),
                    references=tuple(each.get("references") or ())) for each in records)
    citewise.add(papers, tmp_path, keep_versions=True)
    held = citewise.open(tmp_path)
    split = Split.make(held, SplitSettings(test=(year, year), least=least), parts=("test",))
    questions = split.questions(held, guard=False)
    assert {each.id: {paper.id for paper in held.library.papers(each.gold)} for each in questions} == expected
    assert count is None or len(questions) == count
    assert [each.id for each in split.questions(held)] == [each.id for each in questions]
