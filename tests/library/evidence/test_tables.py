"""What is cited for what: the same in any order of records, and after merging and removing."""

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import citewise
from citewise.ingest.spans import Extractor
from citewise.library.folder import LibraryFolder
from citewise.types import CitingSentence, Paper, Scope
from citing import PAPERS, SENTENCES, CitedFor, cited_for, citing, normal
from libraries import new_folder
from properties import examples


@pytest.mark.slow
def test_papers_and_sentences_come_in_any_order(tmp_path: Path, stores: LibraryFolder) -> None:
    records: list[Paper | CitingSentence] = [*PAPERS, *SENTENCES]
    for number, record in enumerate(reversed(records), 1):
        citewise.add([record], tmp_path / "other")
        assert LibraryFolder(tmp_path / "other").manifest.generation == number

    other = LibraryFolder(tmp_path / "other")
    assert cited_for(other) == cited_for(stores)
    assert len(other.evidence.segments) < 4, "small segments are joined"
    assert citewise.verify(tmp_path / "other").sound


@pytest.mark.slow
def test_a_sentence_imported_twice_is_one(tmp_path: Path, stores: LibraryFolder) -> None:
    report = citewise.add([*SENTENCES, *SENTENCES], tmp_path)
    assert (report.sentences, report.known_sentences) == (0, 10)
    assert LibraryFolder(tmp_path).manifest.generation == 1, "nothing changed"

    again = citing("survey", "It is known that bees dance [REF].", ("bees",), start=900)
    citewise.add([again], tmp_path)
    found = cited_for(LibraryFolder(tmp_path))["it is known that bees dance"]
    assert found == {"bees": (2, 2010)}, "written twice in the paper"

    more = citing("survey", "It is known that bees dance [REF].", ("robots",))
    citewise.add([more], tmp_path)
    found = cited_for(LibraryFolder(tmp_path))["it is known that bees dance"]
    assert found == {"bees": (2, 2010), "robots": (1, 2010)}
    assert LibraryFolder(tmp_path).evidence.counts().sentences == 6, (
        "the same sentence with more that is cited"
    )


def test_a_sentence_is_of_the_latest_year_that_a_source_gives(
    tmp_path: Path, stores: LibraryFolder
) -> None:
    later = citing("elsewhere", "Bees dance [REF] everywhere.", ("robots",), year=2018)
    citewise.add([later], tmp_path)
    changed = LibraryFolder(tmp_path)
    assert cited_for(changed)["bees dance everywhere"] == {"bees": (1, 2018), "robots": (1, 2018)}
    assert "bees dance everywhere" not in cited_for(changed, Scope(year=2017))
    assert changed.evidence.counts().sentences == 5


def test_versions_that_are_merged_support_together(tmp_path: Path, stores: LibraryFolder) -> None:
    preprint, published = "arxiv:2001.00001", "doi:10.1000/swarms"
    title = "Swarms that never were merged"
    citewise.add(
        [
            Paper(preprint, title, year=2019, authors=("Ada Byron",)),
            citing(preprint, "Nobody merged them [REF].", ("bees",)),
            citing(published, "Nobody merged them [REF].", ("bees",)),
            citing("late", "Swarms exist [REF].", (preprint, published)),
        ],
        tmp_path,
    )
    before = cited_for(LibraryFolder(tmp_path))
    assert before["nobody merged them"] == {"bees": (2, 2019)}

    citewise.add([Paper(published, title, year=2020, authors=("A. Byron",))], tmp_path)
    after = cited_for(LibraryFolder(tmp_path))
    assert after["nobody merged them"] == {"bees": (1, 2020)}, (
        "two versions of one paper say it once"
    )
    assert after["swarms exist"] == {preprint: (1, 2020)}


@pytest.mark.slow
def test_removing_a_paper_removes_its_sentences_and_hides_citations_of_it(
    tmp_path: Path, stores: LibraryFolder
) -> None:
    citewise.remove(tmp_path, ["survey"])
    found = cited_for(LibraryFolder(tmp_path))
    assert found["bees dance"] == {"bees": (3, 2020)}
    assert "it is known that bees dance" not in found
    assert LibraryFolder(tmp_path).evidence.counts().sentences == 3

    citewise.add([PAPERS[3]], tmp_path)
    found = cited_for(LibraryFolder(tmp_path))
    assert found["bees dance"] == {"bees": (3, 2020), "survey": (1, 2020)}, "cited again, silent"

    citewise.add(SENTENCES, tmp_path)
    assert cited_for(LibraryFolder(tmp_path)) == cited_for(stores)
    citewise.compact(tmp_path)
    compacted = LibraryFolder(tmp_path)
    assert cited_for(compacted) == cited_for(stores)
    assert len(compacted.evidence.segments) == 1
    assert compacted.evidence.tables.deleted.size == 0
    assert citewise.verify(tmp_path).sound


def test_verify_notices_damage(tmp_path: Path, stores: LibraryFolder) -> None:
    target = next((tmp_path / "evidence").rglob("uses.begins"))
    content = bytearray(target.read_bytes())
    content[0] ^= 1
    target.write_bytes(content)
    assert not citewise.verify(tmp_path).sound


# Random sequences against a plain recomputation


class Plain:
    """The same evidence in dictionaries."""

    def __init__(self) -> None:
        self.papers: dict[str, Paper] = {}
        self.sentences: dict[tuple[str, str, int], set[tuple[str, str]]] = {}
        """By citing paper, text and start: the spans, each with a key that is cited for it."""
        self.years: dict[tuple[str, str, int], int] = {}

    def add(self, record: Paper | CitingSentence) -> None:
        """Add a paper, or a sentence that cites anything."""
        if isinstance(record, Paper):
            self.papers[record.id] = record
            return
        if not any(group.cited for group in record.groups):
            return
        name = (record.citing, record.text, record.start)
        [groups] = Extractor().spans([record])
        cited = {
            (normal(record.text[span.start : span.end].replace("[REF]", " ")), key)
            for group, spans in zip(record.groups, groups, strict=True)
            for span in spans
            for key in group.cited
        }
        self.sentences.setdefault(name, set()).update(cited)
        self.years[name] = max(self.years.get(name, 0), record.year or 0)

    def remove(self, paper: str) -> None:
        """Remove a paper and its sentences."""
        del self.papers[paper]
        self.sentences = {name: each for name, each in self.sentences.items() if name[0] != paper}

    def cited_for(self, year: int | None, unseen: str) -> CitedFor:
        """Return what a query of a year sees that must not see one paper."""
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for name, spans in self.sentences.items():
            paper = self.papers.get(name[0])
            when = max(self.years[name], (paper.year or 0) if paper else 0)
            if name[0] == unseen or (year is not None and not 0 < when < year):
                continue
            for text, key in spans:
                if key not in (unseen, name[0]) and self._in_scope(key, year):
                    found[text][key].append(when)
        return {
            text: {key: (len(years), max(years)) for key, years in cited.items()}
            for text, cited in found.items()
        }

    def _in_scope(self, key: str, year: int | None) -> bool:
        cited = self.papers.get(key)
        return cited is not None and (year is None or 0 < (cited.year or 0) <= year)


NAMES = [f"p{number}" for number in range(5)]
YEARS = st.none() | st.integers(1990, 1994)
MARKS = st.tuples(
    st.sampled_from(["", "bees dance", "and ants"]),
    st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
)
"""The words behind a mark, and the keys that are cited there."""


@st.composite
def sentences(draw: st.DrawFn) -> CitingSentence:
    """Draw a sentence of one to three marks."""
    words = draw(st.sampled_from(["bees dance", "Bees dance", "ants"]))
    marks = draw(st.lists(MARKS, min_size=1, max_size=3))
    return citing(
        draw(st.sampled_from(NAMES)),
        " ".join([words, *(f"[REF] {word}" for word, _ in marks)]) + ".",
        *(keys for _, keys in marks),
        year=draw(YEARS),
        start=draw(st.sampled_from([-1, 7])),
    )


@st.composite
def papers(draw: st.DrawFn) -> Paper:
    """Draw one of five papers, of any year."""
    name = draw(st.sampled_from(NAMES))
    return Paper(name, f"On the number {name}", year=draw(YEARS))


Step = list[Paper | CitingSentence] | str
"""Records to add, the id of a paper to remove, or "compact"."""

RECORDS: st.SearchStrategy[Paper | CitingSentence] = st.one_of(sentences(), papers())
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.lists(RECORDS, min_size=1, max_size=4), st.sampled_from(NAMES), st.just("compact")
    ),
    max_size=6,
)


def _take(step: Step, path: Path, plain: Plain) -> None:
    """Do a step with the library and with the dictionaries."""
    if step == "compact":
        citewise.compact(path)
    elif isinstance(step, str):
        if step in plain.papers:
            citewise.remove(path, [step])
            plain.remove(step)
    else:
        # papers that are there already would be merged, which dictionaries do not know
        new = {
            record.id if isinstance(record, Paper) else record: record
            for record in step
            if not isinstance(record, Paper) or record.id not in plain.papers
        }
        citewise.add(new.values(), path)
        for record in new.values():
            plain.add(record)


@pytest.mark.slow
@examples(15)
@given(STEPS)
def test_any_sequence_gives_what_plain_python_counts(steps: list[Step]) -> None:
    plain = Plain()
    with new_folder() as path:
        citewise.add([], path)
        for step in steps:
            _take(step, path, plain)
            stores = LibraryFolder(path)
            for year, unseen in ((None, ""), (1992, ""), (1993, "p1")):
                rows = stores.papers.find([unseen])
                scope = Scope(
                    year=year, unseen=tuple(rows[rows >= 0].tolist()), unseen_keys=(unseen,)
                )
                assert cited_for(stores, scope) == plain.cited_for(year, unseen)
        assert citewise.verify(path).sound
