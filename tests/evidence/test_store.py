"""Evidence in a library: what is cited for which words, by whom, as far as a query may see."""

import re
import shutil
import tempfile
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from citing import citing
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

import citewise
from citewise.evidence.spans import Extractor
from citewise.library.library import Library
from citewise.types import CitingSentence, Paper, Scope

GOLDEN = (
    Paper("bees", "Honey bees dance for their mates", year=1967),
    Paper("ants", "Ants find short paths by trails", year=1990, ids=("doi:10.1000/ants",)),
    Paper("robots", "Robots that swarm like insects", year=2005),
    Paper("survey", "A survey of swarm intelligence", year=2010),
    Paper("late", "Swarms revisited ten years later", year=2020),
)
SENTENCES = (
    citing("robots", "Bees dance [REF] and ants lay trails [REF].", ("bees",), ("doi:10.1000/ants",)),
    citing("survey", "It is known that bees dance [REF].", ("bees",)),
    citing("survey", "bees  dance [REF], which robots do not [REF] yet.", ("bees",), ("robots",), start=40),
    citing("late", "Bees dance [REF]; they do.", ("bees", "survey")),
    citing("elsewhere", "Bees dance [REF] everywhere.", ("bees", "nowhere"), year=2015),
)
"""Five papers and five sentences; one sentence is of a paper that is not in the library, one cites such a paper."""


def evidence(library: Library, scope: Scope | None = None) -> dict[str, dict[str, tuple[int, int]]]:
    """Return what is cited for what in a scope: (support, latest year) by what a span says and by cited paper."""
    scope = scope or Scope()
    said = library.said_of(library.rows, scope)
    spans = np.unique(said.values)
    cited = library.cited_for(spans, scope)
    papers = [paper.id for paper in library.papers(cited.rows.values)]
    found = defaultdict(dict)
    for place, text in enumerate(library.span_texts(spans)):
        for number in range(cited.rows.starts[place], cited.rows.starts[place + 1]):
            found[normal(text)][papers[number]] = (int(cited.support[number]), int(cited.latest[number]))
    assert sum(map(len, found.values())) == said.values.size, "both directions tell of the same pairs"
    return dict(found)


def normal(text: str) -> str:
    return re.sub(r"\s+([,.;])", r"\1", " ".join(text.casefold().split())).strip(" .,;")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    citewise.add([*GOLDEN, *SENTENCES], tmp_path)
    return Library(tmp_path)


# Worked out by hand

def test_what_is_cited_for_what(library: Library) -> None:
    assert evidence(library) == {
        "bees dance": {"bees": (4, 2020), "survey": (1, 2020)},
        "bees dance and ants lay trails": {"ants": (1, 2005)},
        "and ants lay trails": {"ants": (1, 2005)},
        "it is known that bees dance": {"bees": (1, 2010)},
        "which robots do not": {"robots": (1, 2010)},
        "bees dance; they do": {"bees": (1, 2020), "survey": (1, 2020)},
        "bees dance everywhere": {"bees": (1, 2015)},
    }
    assert library.evidence_counts().sentences == 5
    assert library.evidence_counts().spans == 7
    assert library.evidence_counts().citations == 12


def test_a_scope_bounds_what_is_seen(library: Library) -> None:
    rows = {key: int(row) for key, row in zip(("bees", "survey", "robots"), library.rows_of(
        ["bees", "survey", "robots"]), strict=True)}
    assert evidence(library, Scope(year=2010))["bees dance"] == {"bees": (1, 2005)}, "made before, in known years"
    assert "it is known that bees dance" not in evidence(library, Scope(year=2010))
    assert evidence(library, Scope(year=2016))["bees dance"] == {"bees": (3, 2015)}
    assert "bees" not in evidence(library, Scope(since=1970))["bees dance"]
    assert evidence(library, Scope(unseen=(rows["survey"],)))["bees dance"] == {"bees": (3, 2020)}
    assert evidence(library, Scope(hidden=(rows["bees"],)))["bees dance"] == {"survey": (1, 2020)}
    assert evidence(library, Scope(within=(rows["robots"],))) == {"which robots do not": {"robots": (1, 2010)}}
    assert evidence(library, Scope(unseen_keys=("elsewhere",)))["bees dance"]["bees"] == (3, 2020)


def test_a_span_out_of_sight_is_not_found(library: Library) -> None:
    terms, _ = library.terms_of("everywhere")
    assert library.spans_with(terms, Scope()).places.size == 1
    assert library.spans_with(terms, Scope(year=2015)).places.size == 0
    assert library.spans_with(terms, Scope(unseen_keys=("elsewhere",))).places.size == 0
    assert library.spans_with(terms, Scope(hidden=tuple(library.rows_of(["bees"]).tolist()))).places.size == 0


def test_a_query_of_a_paper_that_the_library_lacks_does_not_see_its_own_sentences(library: Library) -> None:
    from citewise.recommend import scope_of
    from citewise.types import Query
    scope = scope_of(library, Query("Bees dance everywhere", id="elsewhere"))
    assert "bees dance everywhere" not in evidence(library, scope)


def test_occurrences_are_word_for_word_and_the_latest_first(library: Library) -> None:
    terms, _ = library.terms_of("bees dance")
    spans = np.unique(library.spans_with(terms, Scope()).places)
    number = spans[library.span_texts(spans).index("Bees dance")]
    [found] = library.occurrences(np.array([number]), library.rows_of(["bees"]), Scope(), 10)
    assert [each.year for each in found] == [2020, 2015, 2010, 2005]
    assert [each.citing for each in found] == ["late", "elsewhere", "survey", "robots"]
    assert [each.row for each in found] == [*library.rows_of(["late"]), -1, *library.rows_of(["survey", "robots"])]
    assert [each.text for each in found] == [SENTENCES[place].text for place in (3, 4, 2, 0)]
    assert [each.text[each.span.start: each.span.end] for each in found] == [
        "Bees dance", "Bees dance", "bees  dance", "Bees dance"]
    assert [each.start for each in found] == [-1, -1, 40, -1]
    assert found[0].section == "Introduction"
    assert found[0].marks == ((11, 16),)
    pairs = library.occurrences(np.array([number, number]), library.rows_of(["survey", "bees"]), Scope(year=2016), 1)
    assert [[each.citing for each in some] for some in pairs] == [[], ["elsewhere"]]


def test_terms_are_counted_as_in_plain_text(library: Library) -> None:
    terms, _ = library.terms_of("bees robots dance trails everywhere honey")
    matches = library.spans_with(terms, Scope())
    spans = np.arange(library.evidence.tables.numbers.size)
    spans = spans[np.diff(library.evidence.tables.starts) > 0]
    held = [Counter(dict(zip(*(array.tolist() for array in library.terms_of(text)), strict=True)))
            for text in library.span_texts(spans)]
    expected = sorted((int(span), column, float(counts[term])) for span, counts in zip(spans, held, strict=True)
                      for column, term in enumerate(terms.tolist()) if counts[term])
    found = zip(matches.places.tolist(), matches.columns.tolist(), matches.counts.tolist(), strict=True)
    assert list(found) == expected
    assert library.span_lengths(spans).tolist() == [counts.total() for counts in held]
    about = library.span_statistics(terms)
    assert about.papers == len(held) == 7
    assert about.frequencies.tolist() == [sum(term in counts for counts in held) for term in terms.tolist()]
    assert about.mean_length == pytest.approx(sum(counts.total() for counts in held) / 7)


def test_bm25_plus_can_be_computed_as_another_implementation_does(library: Library) -> None:
    scope = Scope()
    terms, weights = library.terms_of("where do bees dance for robots")
    matches, about = library.spans_with(terms, scope), library.span_statistics(terms)
    spans = np.flatnonzero(np.diff(library.evidence.tables.starts) > 0)
    counts = np.zeros((spans.size, terms.size))
    counts[np.searchsorted(spans, matches.places), matches.columns] = matches.counts
    lengths = library.span_lengths(spans)[:, None]
    idf = np.log((about.papers + 1) / np.maximum(about.frequencies, 1e-9)) * (about.frequencies > 0)
    ours = (weights * idf * (1 + counts * 2.5 / (counts + 1.5 * (0.25 + 0.75 * lengths / about.mean_length)))).sum(1)
    corpus = [np.repeat(*library.terms_of(text)).tolist() for text in library.span_texts(spans)]
    theirs = BM25Plus(corpus).get_scores(np.repeat(terms, weights).tolist())
    assert ours == pytest.approx(theirs)


# Order, versions, removal

def test_papers_and_sentences_come_in_any_order(tmp_path: Path, library: Library) -> None:
    for place, record in enumerate(reversed([*GOLDEN, *SENTENCES])):
        citewise.add([record], tmp_path / "other")
        assert Library(tmp_path / "other").manifest.generation == place + 1
    other = Library(tmp_path / "other")
    assert evidence(other) == evidence(library)
    assert len(other.evidence.segments) < 4, "small segments are joined"
    assert citewise.verify(tmp_path / "other").sound


def test_a_sentence_imported_twice_is_one(tmp_path: Path, library: Library) -> None:
    report = citewise.add([*SENTENCES, *SENTENCES], tmp_path)
    assert (report.sentences, report.known_sentences) == (0, 10)
    assert Library(tmp_path).manifest.generation == 1, "nothing changed"
    again = citing("survey", "It is known that bees dance [REF].", ("bees",), start=900)
    citewise.add([again], tmp_path)
    assert evidence(Library(tmp_path))["it is known that bees dance"] == {"bees": (2, 2010)}, "said in two places"
    more = citing("survey", "It is known that bees dance [REF].", ("robots",))
    citewise.add([more], tmp_path)
    assert Library(tmp_path).evidence_counts().sentences == 6, "the same sentence with more that is cited"
    assert evidence(Library(tmp_path))["it is known that bees dance"] == {"bees": (2, 2010), "robots": (1, 2010)}


def test_a_sentence_is_as_young_as_any_source_says(tmp_path: Path, library: Library) -> None:
    citewise.add([citing("elsewhere", "Bees dance [REF] everywhere.", ("robots",), year=2018)], tmp_path)
    changed = Library(tmp_path)
    assert evidence(changed)["bees dance everywhere"] == {"bees": (1, 2018), "robots": (1, 2018)}
    assert "bees dance everywhere" not in evidence(changed, Scope(year=2017))
    assert changed.evidence_counts().sentences == 5


def test_versions_that_are_merged_support_together(tmp_path: Path, library: Library) -> None:
    citewise.add([
        Paper("arxiv:2001.00001", "Swarms that never were merged", year=2019, authors=("Ada Byron",)),
        citing("arxiv:2001.00001", "Nobody merged them [REF].", ("bees",)),
        citing("doi:10.1000/swarms", "Nobody merged them [REF].", ("bees",)),
        citing("late", "Swarms exist [REF].", ("arxiv:2001.00001", "doi:10.1000/swarms")),
    ], tmp_path)
    before = evidence(Library(tmp_path))
    assert before["nobody merged them"] == {"bees": (2, 2019)}
    citewise.add([Paper("doi:10.1000/swarms", "Swarms that never were merged", year=2020, authors=("A. Byron",))],
                 tmp_path)
    after = evidence(Library(tmp_path))
    assert after["nobody merged them"] == {"bees": (1, 2020)}, "two versions of one paper say it once"
    assert after["swarms exist"] == {"arxiv:2001.00001": (1, 2020)}


def test_removing_a_paper_removes_what_it_says_and_hides_what_is_said_of_it(tmp_path: Path, library: Library) -> None:
    citewise.remove(tmp_path, ["survey"])
    found = evidence(Library(tmp_path))
    assert found["bees dance"] == {"bees": (3, 2020)}
    assert "it is known that bees dance" not in found
    assert Library(tmp_path).evidence_counts().sentences == 3
    citewise.add([GOLDEN[3]], tmp_path)
    assert evidence(Library(tmp_path))["bees dance"] == {"bees": (3, 2020), "survey": (1, 2020)}, "cited again, silent"
    citewise.add([*SENTENCES], tmp_path)
    assert evidence(Library(tmp_path)) == evidence(library)
    citewise.compact(tmp_path)
    assert evidence(Library(tmp_path)) == evidence(library)
    assert len(Library(tmp_path).evidence.segments) == 1
    assert Library(tmp_path).evidence.tables.deleted.size == 0
    assert citewise.verify(tmp_path).sound


def test_a_library_without_evidence_answers_too(tmp_path: Path) -> None:
    citewise.add(GOLDEN, tmp_path)
    library = Library(tmp_path)
    assert library.manifest.format == 1
    assert not (tmp_path / "evidence").exists()
    assert evidence(library) == {}
    terms, _ = library.terms_of("bees dance")
    assert library.spans_with(terms, Scope(year=2000)).places.size == 0
    assert library.span_statistics(terms).papers == 0
    assert citewise.open(tmp_path).describe().sentences == 0


def test_a_reader_keeps_its_generation(tmp_path: Path, library: Library) -> None:
    before = evidence(library)
    citewise.remove(tmp_path, ["late", "robots"])
    citewise.compact(tmp_path)
    assert evidence(library) == before
    number = library.said_of(library.rows_of(["ants"]), Scope()).values
    [[first], _] = library.occurrences(number, np.repeat(library.rows_of(["ants"]), number.size), Scope(), 5)
    assert first.citing == "robots"


def test_verify_notices_damage(tmp_path: Path, library: Library) -> None:
    target = next((tmp_path / "evidence").rglob("uses.begins"))
    content = bytearray(target.read_bytes())
    content[0] ^= 1
    target.write_bytes(content)
    assert not citewise.verify(tmp_path).sound


# Random sequences against a plain recomputation

@contextmanager
def folder():
    place = Path(tempfile.mkdtemp())
    try:
        yield place / "library"
    finally:
        shutil.rmtree(place)


class Plain:
    """The same store in dictionaries."""

    def __init__(self) -> None:
        self.papers: dict[str, Paper] = {}
        self.sentences: dict[tuple[str, str, int], set[tuple[str, str]]] = {}
        self.years: dict[tuple[str, str, int], int] = {}

    def add(self, record: Paper | CitingSentence) -> None:
        if isinstance(record, Paper):
            self.papers[record.id] = record
            return
        name = (record.citing, record.text, record.start)
        [groups] = Extractor().spans([record])
        said = {(normal(record.text[span.start: span.end].replace("[REF]", " ")), key)
                for group, spans in zip(record.groups, groups, strict=True) for span in spans for key in group.cited}
        self.sentences.setdefault(name, set()).update(said)
        self.years[name] = max(self.years.get(name, 0), record.year or 0)

    def remove(self, paper: str) -> None:
        del self.papers[paper]
        self.sentences = {name: said for name, said in self.sentences.items() if name[0] != paper}

    def evidence(self, year: int | None, unseen: str) -> dict[str, dict[str, tuple[int, int]]]:
        found = defaultdict(lambda: defaultdict(list))
        for name, said in self.sentences.items():
            paper = self.papers.get(name[0])
            when = max(self.years[name], (paper.year or 0) if paper else 0)
            if name[0] == unseen or (year is not None and not 0 < when < year):
                continue
            for text, key in said:
                cited = self.papers.get(key)
                if cited and key not in (unseen, name[0]) and (year is None or 0 < (cited.year or 0) <= year):
                    found[text][key].append(when)
        return {text: {key: (len(years), max(years)) for key, years in cited.items()} for text, cited in found.items()}


NAMES = [f"p{number}" for number in range(5)]
sentences = st.builds(
    lambda paper, words, marks, year, start: citing(
        paper, " ".join([words, *(f"[REF] {word}" for word, _ in marks)]) + ".", *(keys for _, keys in marks),
        year=year, start=start),
    st.sampled_from(NAMES), st.sampled_from(["bees dance", "Bees dance", "ants"]),
    st.lists(st.tuples(st.sampled_from(["", "bees dance", "and ants"]),
                       st.lists(st.sampled_from(NAMES), max_size=2).map(tuple)), min_size=1, max_size=3),
    st.none() | st.integers(1990, 1994), st.sampled_from([-1, 7]))
papers = st.builds(lambda name, year: Paper(name, f"On the number {name}", year=year),
                   st.sampled_from(NAMES), st.none() | st.integers(1990, 1994))
operations = st.lists(st.lists(sentences | papers, min_size=1, max_size=4) | st.sampled_from(NAMES)
                      | st.just("compact"), max_size=6)


@settings(max_examples=40)
@given(operations)
def test_any_sequence_gives_what_plain_python_counts(steps: list) -> None:
    plain = Plain()
    with folder() as path:
        citewise.add([], path)
        for step in steps:
            if step == "compact":
                citewise.compact(path)
            elif isinstance(step, str):
                if step in plain.papers:
                    citewise.remove(path, [step])
                    plain.remove(step)
            else:
                known = [record for record in step if not isinstance(record, Paper) or record.id not in plain.papers]
                known = list({record.id if isinstance(record, Paper) else record: record for record in known}.values())
                citewise.add(known, path)
                for record in known:
                    if not isinstance(record, CitingSentence) or any(group.cited for group in record.groups):
                        plain.add(record)
            library = Library(path)
            for year, unseen in ((None, ""), (1992, ""), (1993, "p1")):
                scope = Scope(year=year, unseen=tuple(row for row in library.rows_of([unseen]).tolist() if row >= 0),
                              unseen_keys=(unseen,))
                assert evidence(library, scope) == plain.evidence(year, unseen)
        assert citewise.verify(path).sound
