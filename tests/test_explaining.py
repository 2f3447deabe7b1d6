"""Explanations: contributions add up to scores, reasons tell facts that plain Python finds too, all faces agree."""

import dataclasses
import functools
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from corpora import GOLDEN, random_papers
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import PlainLibrary, same_author, stems, total
from test_cli import run as run
from test_contracts import QUERIES, SIZES
from test_contracts import held as held

import citewise
from citewise import opened
from citewise.rank import model
from citewise.rank.contributions import by_signals
from citewise.rank.features import signals_of
from citewise.systems import SYSTEMS as ALL_SYSTEMS
from citewise.types import Paper, Query, Reason, Recommendation, ServedBy

SYSTEMS = [*ALL_SYSTEMS]

KINDS = ("cited_by_similar", "cited_with_cited", "tied_to_cited", "cited_with_answers", "own_paper", "cited_by_own",
         "shared_words", "title_words", "citations")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> citewise.OpenLibrary:
    folder = tmp_path_factory.mktemp("sample") / "library"
    opened.build_sample(folder)
    return citewise.open(folder)


def drafts(held: citewise.OpenLibrary, step: int = 9) -> list[Query]:
    """Return papers of a library as drafts, half of them with some of their references as cited already."""
    library = held.library
    papers = library.papers(library.rows[::step])
    return [Query(paper.title, paper.abstract, paper.id, year=paper.year,
                  cited=tuple(key for key in paper.references if key in held)[: 3 * (number % 2)],
                  authors=paper.authors if number % 3 else ())
            for number, paper in enumerate(papers)]


# Contributions


@given(query=QUERIES, k=SIZES)
@settings(max_examples=30)
def test_contributions_add_up_to_the_score(held: citewise.OpenLibrary, query: Query, k: int) -> None:
    for system in SYSTEMS:
        plain, told = held.answer(query, k, system), held.answer(query, k, system, explain=True)
        assert [total(each) for each in told] == pytest.approx([each.score for each in plain], abs=1e-6)
        assert [unexplained(each) for each in told] == plain, "an explanation changes nothing"
        assert all(each.contributions for each in told if each.score)
        assert not any(each.contributions or each.reasons or each.base for each in plain)


def unexplained(each: Recommendation) -> Recommendation:
    return dataclasses.replace(each, base=0.0, contributions={}, reasons=())


def test_contributions_of_real_papers(sample: citewise.OpenLibrary) -> None:
    for query in drafts(sample, 25):
        for system in ("best", "best(kept=30)", "bm25", "navigation"):
            for each in sample.answer(query, 60, system, explain=True):
                assert total(each) == pytest.approx(each.score, abs=1e-6)
                if system == "best" and "first" in each.signals:
                    assert {*each.contributions} <= {*each.signals, *known_signals()}
                else:
                    assert system != "bm25" or all(name.startswith("term:") for name in each.contributions)


def known_signals() -> set[str]:
    """Return the signals that the shipped model knows, some of which a paper may lack."""
    return {signal for name in (*model.shipped().names, *model.shipped().first.weights) for signal in signals_of(name)}


def test_the_cascade_is_told_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_BEST", 10)
    citewise.add([*GOLDEN, *random_papers(150, seed=8)], tmp_path / "library")
    recommender = citewise.open(tmp_path / "library").recommender("best(kept=60)")
    query = Query("Citation ranking with bees", "neural graph networks", cited=("p3",))
    made = recommender._ranked(query, 500, None)[1]
    found = by_signals(model.shipped(), made, np.arange(len(made)))
    sums = found.base + sum(found.parts.values())
    assert sums == pytest.approx(made.scores, abs=1e-6)
    assert len(made) > 100
    bases = np.round(found.base, 9)
    assert len(set(bases[:10])) == 1 and len(set(bases[10:60])) == 1 and len(set(bases[60:])) == 1
    assert len({*bases.tolist()}) == 3, "all trees, the first trees, the linear step"


def test_without_lightgbm_the_linear_step_is_told(sample: citewise.OpenLibrary,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    model.shipped.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="linear step alone"):
            answer = citewise.open(sample.library.path).recommender().answer(drafts(sample)[3], 20, explain=True)
    finally:
        model.shipped.cache_clear()
    assert "linear step (no LightGBM)" in answer.served_by.note
    monkeypatch.undo()
    linear = {signal for name in model.shipped().first.weights for signal in signals_of(name)}
    for each in answer.recommendations:
        assert total(each) == pytest.approx(each.score, abs=1e-6)
        assert {*each.contributions} <= linear


def test_terms_of_bm25_against_plain_python(held: citewise.OpenLibrary) -> None:
    papers = held.library.papers(held.library.rows)
    plain = PlainLibrary(papers)
    query = Query("Robot swarms and bees", "Bees swarm and dance, as robots do.")
    for each in held.answer(query, 50, "bm25", explain=True):
        place = plain.owner[each.paper.id]
        for name, value in each.contributions.items():
            stem = stems(name.removeprefix("term:"))
            assert plain.bm25(Counter({stem[0]: stems(query.text).count(stem[0])}), 1.6, 0.75)[place] \
                == pytest.approx(value)


def test_a_feature_is_told_by_its_signal() -> None:
    assert signals_of("rank votes") == signals_of("log votes") == signals_of("votes / best") == ("votes",)
    assert signals_of("log votes * age") == ("votes", "age")
    assert signals_of("bm25_share") == ("bm25",)


# Reasons: the facts, found anew from the papers


class Plain(PlainLibrary):
    """The library in plain Python, with what a query may see of it."""

    def __init__(self, held: citewise.OpenLibrary) -> None:
        super().__init__(held.library.papers(held.library.rows))
        self.texts = [Counter(stems(f"{paper.title} {paper.abstract}")) for paper in self.papers]
        self.held_by = Counter(stem for text in self.texts for stem in text)

    def counts(self, place: int, field: str) -> Counter[str]:
        assert field == "text"
        return self.texts[place]

    def frequency(self, stem: str, field: str) -> int:
        return self.held_by[stem]

    @functools.lru_cache(maxsize=4)  # noqa: B019
    def near(self, query: Query) -> list[int]:
        """Return the papers that the query may get and whose references it sees, most alike first."""
        hidden = {self.owner[key] for key in (query.id, *query.cited, *query.hidden) if key in self.owner}
        scores, cites = self.bm25(Counter(stems(query.text)), 1.6, 0.75), self.graph(query)[0]
        return sorted((row for row in scores if cites[row] and row not in hidden
                       and (query.year is None or (self.papers[row].year or 9999) <= query.year)),
                      key=lambda row: (-round(scores[row], 9), row))

    def graph(self, query: Query) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        away = [self.owner[key] for key in (query.id, *query.hidden) if key in self.owner]
        cites = {row: self.references(row, query.year, away) for row in range(len(self.papers))}
        citers: dict[int, set[int]] = {row: set() for row in cites}
        for row, cited in cites.items():
            for other in cited:
                citers[other].add(row)
        return cites, citers


def test_every_reason_is_a_fact(sample: citewise.OpenLibrary) -> None:
    plain, seen = Plain(sample), Counter[str]()
    for query in drafts(sample, 11):
        graph = plain.graph(query)
        answers = sample.answer(query, 20, explain=True)
        for each in answers:
            assert 1 <= len(each.reasons) <= 3
            shares = [reason.share for reason in each.reasons]
            assert shares == sorted(shares, reverse=True) and all(share > 0 for share in shares[1:])
            for reason in each.reasons:
                seen[reason.kind] += 1
                check(plain, query, graph, answers, each, reason)
                assert reason.sentence.endswith(".") and "  " not in reason.sentence
    assert set(KINDS) <= set(seen), "every kind was told and checked"


def wrote(author: str, paper: Paper) -> bool:
    return any(same_author(author, other) for other in paper.authors)


def check(plain: Plain, query: Query, graph: tuple[dict[int, set[int]], dict[int, set[int]]],
          answers: list[Recommendation], each: Recommendation, reason: Reason) -> None:
    cites, citers = graph
    row, named = plain.owner[each.paper.id], [plain.owner[paper.id] for paper in reason.papers]
    seeds = {plain.owner[key] for key in query.cited}
    for paper in reason.papers:
        assert paper == citewise.NamedPaper(paper.id, plain.papers[plain.owner[paper.id]].title,
                                            plain.papers[plain.owner[paper.id]].year)
        assert paper.title[:40] in reason.sentence
    if reason.kind == "cited_by_similar":
        nearest = plain.near(query)[: reason.numbers["papers"]]
        citing = [other for other in nearest if row in cites[other]]
        assert (reason.numbers["citers"], named) == (len(citing), citing[:3])
        assert len(nearest) == reason.numbers["papers"]
        assert len(nearest) == 1 or f"Cited by {len(citing)} of the {len(nearest)} papers" in reason.sentence
    elif reason.kind in ("cited_with_cited", "cited_with_answers"):
        companions = {plain.owner[other.paper.id] for other in answers} - {row}
        others = seeds if reason.kind == "cited_with_cited" else companions
        best = max(len(citers[row] & citers[other]) for other in others)
        assert [len(citers[row] & citers[other]) for other in named] == [*reason.numbers.values()]
        assert set(named) <= others and len(citers[row] & citers[named[0]]) == best
        assert f"by {best} paper" in reason.sentence
    elif reason.kind == "tied_to_cited":
        tied = citers[row] & seeds if reason.sentence.startswith("Cited by") else cites[row] & seeds
        assert set(named) <= tied and reason.numbers["papers"] == len(tied)
    elif reason.kind == "own_paper":
        assert [*reason.words] == [author for author in query.authors if wrote(author, each.paper)]
        assert reason.words[0] in reason.sentence and reason.numbers == {"authors": len(reason.words)}
    elif reason.kind == "cited_by_own":
        own = {other for other in citers[row] if any(wrote(author, plain.papers[other]) for author in query.authors)}
        assert set(named) <= own and reason.numbers == {"papers": len(own)}
    elif reason.kind == "shared_words":
        for word, count in reason.numbers.items():
            stem = stems(word)[0]
            assert stem in plain.texts[row] and word in query.text
            assert count == plain.held_by[stem]
    elif reason.kind == "title_words":
        title = set(stems(each.paper.title))
        assert reason.numbers == {"shared": len(title & set(stems(query.text))), "words": len(title)}
    elif reason.kind == "citations":
        years = [plain.papers[other].year or 0 for other in citers[row]]
        assert reason.numbers["citations"] == len(years)
        assert reason.numbers["recent"] == sum(year >= reason.numbers["since"] for year in years)
    else:
        pytest.fail(f"nobody checks {reason.kind}")


def test_reasons_name_words_not_commands_or_letters(tmp_path: Path) -> None:
    papers = [Paper("a", "On \\mathcal{O}(n) swarms", "x swarms y"), *random_papers(40, seed=2)]
    citewise.add(papers, tmp_path / "library")
    found = citewise.open(tmp_path / "library").recommend("Swarms in \\mathcal{O}(n) of x", system="bm25", explain=True)
    first = next(each for each in found if each.paper.id == "a")
    assert first.reasons[0].words == ("Swarms",)
    assert {"term:mathcal", "term:O", "term:Swarms"} <= {*first.contributions}, "they count all the same"


def test_nothing_is_told_that_a_draft_could_not_know(tmp_path: Path) -> None:
    papers = [Paper(name, f"Bees and their {name}", "On bees.", 2000) for name in ("old", "other")]
    papers += [Paper(f"c{year}", f"A survey of bees of {year}", "On bees.", year, references=("old", "other"))
               for year in (2001, 2002, 2010, 2011)]
    citewise.add(papers, tmp_path / "library")
    found = citewise.open(tmp_path / "library").recommend("Bees", year=2005, explain=True)
    named = {paper.id for each in found for reason in each.reasons for paper in reason.papers}
    assert named & {"c2001", "c2002"} and not named & {"c2010", "c2011"}


@given(title=st.text(min_size=1, max_size=40).filter(str.strip))
@settings(max_examples=40)
def test_odd_drafts_are_explained(held: citewise.OpenLibrary, title: str) -> None:
    for each in held.recommend(f"{title} bees [red] 蜜蜂の舞", explain=True, k=5):
        assert total(each) == pytest.approx(each.score, abs=1e-6)


# What answered


def test_what_answered_is_told(sample: citewise.OpenLibrary, tmp_path: Path) -> None:
    query = drafts(sample)[3]
    served = sample.recommender("best(kept=100)").answer(query).served_by
    assert served == ServedBy("best(kept=100)", "default", model.shipped().digest)
    assert len(served.provenance) == 8 and str(served) == f"best(kept=100), model default {served.provenance}"
    assert sample.recommender("bm25").answer(query).served_by == ServedBy("bm25")
    poor = tmp_path / "library"
    citewise.add([dataclasses.replace(paper, references=()) for paper in GOLDEN], poor)
    told = citewise.open(poor).recommender().answer(Query("bees")).served_by
    assert told == ServedBy("best", note="by bm25 (no citation speaks for any candidate)")


# Faces


@pytest.mark.parametrize("options", [{}, {"system": "bm25"}, {"prefer_recent": 0.5, "diversify": 0.3},
                                     {"system": "navigation", "prefer_cited": -1.0}], ids=str)
def test_the_command_line_explains_as_python_does(run, sample: citewise.OpenLibrary, options: dict) -> None:
    title = "Ranking documents for a query"
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    done = run("recommend", "-l", sample.library.path, "--title", title, "--explain", "--format", "json", *words)
    said = json.loads(done.out)
    expected = sample.recommend(title, explain=True, **options)
    told = json.loads(json.dumps([dataclasses.asdict(each) for each in expected]))
    assert said["recommendations"] == told and told[0]["reasons"] and told[0]["contributions"]
    assert said["served_by"]["system"] == said["system"] == options.get("system", "best")
    assert said["query"].get("prefer_recent") == options.get("prefer_recent")


def test_json_without_explaining_is_as_ever(run, sample: citewise.OpenLibrary) -> None:
    said = json.loads(run("recommend", "-l", sample.library.path, "--title", "Ranking", "--format", "json").out)
    assert said.keys() == {"library", "system", "served_by", "query", "recommendations"}
    assert said["recommendations"][0].keys() == {"rank", "paper", "score", "signals", "evidence"}
    assert said["recommendations"][0]["evidence"] == []
    assert said["query"].keys() == {"title", "abstract", "id", "year", "since", "cited", "hidden", "sentence"}


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_people_are_shown_reasons(run, sample: citewise.OpenLibrary, format: str) -> None:
    command = ["recommend", "-l", sample.library.path, "--title", "Ranking documents for a query", "-k", "3",
               "--format", format]
    plain, told = run(*command).out, run(*command, "--explain").out
    answer = sample.recommender().answer(Query("Ranking documents for a query"), 3, explain=True)
    shown = " ".join(told.split())
    for each in answer.recommendations:
        for reason in each.reasons:
            assert reason.sentence[:50] in " ".join(shown.replace("\\", "").split())
    assert f"Answered by best, model default {answer.served_by.provenance}." in shown
    assert "Answered by" not in plain


def test_a_substitute_is_shown_unasked(run, tmp_path: Path) -> None:
    citewise.add([dataclasses.replace(paper, references=()) for paper in GOLDEN], tmp_path / "library")
    done = run("recommend", "-l", tmp_path / "library", "--title", "bees")
    assert "Answered by best, by bm25 (no citation speaks for any candidate)." in " ".join(done.out.split())


# Real papers


@pytest.mark.slow
def test_in_a_library_of_real_papers(shared: Path, tmp_path: Path) -> None:
    citewise.index([shared / "elife" / "papers.jsonl.xz"], tmp_path / "library", keep_versions=True)
    held = citewise.open(tmp_path / "library")
    rows = held.library.rows[held.library.years(held.library.rows) == 2021][::250]
    plain = Plain(held)
    for number, paper in enumerate(held.library.papers(rows)):
        query = Query(paper.title, paper.abstract, paper.id, 2021, cited=paper.references[: 2 * (number % 2)])
        answers, graph = held.answer(query, 20, explain=True), plain.graph(query)
        assert len(answers) == 20
        for each in answers:
            assert total(each) == pytest.approx(each.score, abs=1e-6)
            assert each.reasons
            for reason in each.reasons:
                if reason.kind not in ("shared_words", "title_words", "cited_by_similar"):  # plain words are ASCII's
                    check(plain, query, graph, answers, each, reason)
