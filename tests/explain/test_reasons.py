"""Reasons: facts that plain Python finds too."""

import functools
import re
from collections import Counter
from pathlib import Path

import pytest

import citewise
from citewise.api import Library
from citewise.scoring.similarity import TERM
from citewise.text.function_words import is_function_word
from citewise.types import Answer, NamedPaper, Paper, Query, Reason, Recommendation
from corpora import random_papers
from drafts_of_papers import drafts
from oracles import PlainLibrary, same_author, stems, total

KINDS = {
    "cited_by_similar",
    "cited_by_titles",
    "cited_with_cited",
    "linked_to_cited",
    "cited_with_answers",
    "linked_to_answers",
    "own_paper",
    "cited_by_own",
    "shared_words",
    "title_words",
    "citations",
}
BY_WORDS = {"shared_words", "title_words", "cited_by_similar", "cited_by_titles"}

# The facts, found anew from the papers


class Plain(PlainLibrary):
    """The library in plain Python, with what a query may see of it."""

    def __init__(self, library: Library) -> None:
        papers = library.stores.papers
        super().__init__(papers.read(papers.rows))
        self.texts = [Counter(stems(f"{paper.title} {paper.abstract}")) for paper in self.papers]
        self.frequencies = Counter(stem for text in self.texts for stem in text)

    def counts(self, row: int, field: str) -> Counter[str]:
        assert field == "text"
        return self.texts[row]

    def frequency(self, stem: str, field: str) -> int:
        return self.frequencies[stem]

    @functools.lru_cache(maxsize=4)  # noqa: B019
    def near(self, query: Query) -> list[int]:
        """Return the papers that the query may get and whose references it sees, most similar
        first."""
        hidden = {
            self.owner[key] for key in (query.id, *query.cited, *query.hidden) if key in self.owner
        }
        scores, cites = self.bm25(Counter(stems(query.text)), 1.6, 0.75), self.graph(query)[0]
        return sorted(
            (
                row
                for row in scores
                if cites[row]
                and row not in hidden
                and (query.year is None or (self.papers[row].year or 9999) <= query.year)
            ),
            key=lambda row: (-round(scores[row], 9), row),
        )

    def graph(self, query: Query) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        away = [self.owner[key] for key in (query.id, *query.hidden) if key in self.owner]
        cites = {row: self.references(row, query.year, away) for row in range(len(self.papers))}
        citers: dict[int, set[int]] = {row: set() for row in cites}
        for row, cited in cites.items():
            for other in cited:
                citers[other].add(row)
        return cites, citers


@pytest.mark.slow
def test_every_reason_is_a_fact(sample: Library) -> None:
    plain, seen = Plain(sample), Counter[str]()
    for query in drafts(sample, 11):
        graph = plain.graph(query)
        answers = sample.answer(query, 20, explain=True)
        for each in answers:
            by_function_words = all(
                is_function_word(part.signal.removeprefix(TERM)) for part in each.contributions
            )
            assert len(each.reasons) <= 3 and (each.reasons or by_function_words)
            shares = [reason.share for reason in each.reasons]
            assert shares == sorted(shares, reverse=True) and all(share > 0 for share in shares[1:])
            for reason in each.reasons:
                seen[reason.kind] += 1
                check(plain, query, graph, answers, each, reason)
                assert reason.sentence.endswith(".") and "  " not in reason.sentence
    assert seen.keys() >= KINDS, "every kind was given and checked"


def wrote(author: str, paper: Paper) -> bool:
    return any(same_author(author, other) for other in paper.authors)


def check(
    plain: Plain,
    query: Query,
    graph: tuple[dict[int, set[int]], dict[int, set[int]]],
    answers: Answer,
    each: Recommendation,
    reason: Reason,
) -> None:
    cites, citers = graph
    row, named = plain.owner[each.paper.id], [plain.owner[paper.id] for paper in reason.papers]
    seeds = {plain.owner[key] for key in query.cited}
    for paper in reason.papers:
        assert paper == NamedPaper(
            paper.id,
            plain.papers[plain.owner[paper.id]].title,
            plain.papers[plain.owner[paper.id]].year,
        )
        assert paper.title[:40] in reason.sentence
    if reason.kind == "cited_by_similar":
        nearest = plain.near(query)[: reason.numbers["papers"]]
        citing = [other for other in nearest if row in cites[other]]
        assert (reason.numbers["citers"], named) == (len(citing), citing[:3])
        assert len(nearest) == reason.numbers["papers"]
        assert (
            len(nearest) == 1
            or f"Cited by {len(citing)} of the {len(nearest)} papers" in reason.sentence
        )
    elif reason.kind == "cited_by_close":
        # fewer papers cite than vote, so every citer that may be seen is among those that do
        assert set(named) <= citers[row] and reason.numbers["citers"] == len(citers[row])
        assert f"Cited by {len(citers[row])} of the {reason.numbers['papers']}" in reason.sentence
    elif reason.kind == "similar_meaning":
        nearer = [
            other
            for other in answers
            if other.signals["vector_cosine"] > each.signals["vector_cosine"]
        ]
        assert len(nearer) < reason.numbers["rank"] <= reason.numbers["candidates"]
        assert f"number {reason.numbers['rank']}" in reason.sentence
    elif reason.kind in ("cited_with_cited", "cited_with_answers"):
        companions = {plain.owner[other.paper.id] for other in answers} - {row}
        others = seeds if reason.kind == "cited_with_cited" else companions
        best = max(len(citers[row] & citers[other]) for other in others)
        assert [len(citers[row] & citers[other]) for other in named] == [*reason.numbers.values()]
        assert set(named) <= others and len(citers[row] & citers[named[0]]) == best
        assert f"by {best} paper" in reason.sentence
    elif reason.kind in ("linked_to_cited", "linked_to_answers"):
        companions = {plain.owner[other.paper.id] for other in answers} - {row}
        others = seeds if reason.kind == "linked_to_cited" else companions
        is_cited = reason.sentence.startswith("Cited by")
        linked = (citers[row] if is_cited else cites[row]) & others
        assert set(named) <= linked and reason.numbers == {"papers": len(linked)}
        assert is_cited or not citers[row] & others, "citers are named first"
    elif reason.kind == "cited_by_titles":
        draft = set(stems(query.text))
        shared = {other for other in citers[row] if draft & {*stems(plain.papers[other].title)}}
        assert set(named) <= shared and reason.numbers == {"papers": len(shared)}
    elif reason.kind == "own_paper":
        assert [*reason.words] == [author for author in query.authors if wrote(author, each.paper)]
        assert reason.words[0] in reason.sentence and reason.numbers == {
            "authors": len(reason.words)
        }
    elif reason.kind == "cited_by_own":
        own = {
            other
            for other in citers[row]
            if any(wrote(author, plain.papers[other]) for author in query.authors)
        }
        assert set(named) <= own and reason.numbers == {"papers": len(own)}
    elif reason.kind == "shared_words":
        for word, count in reason.numbers.items():
            stem = stems(word)[0]
            assert stem in plain.texts[row] and word in query.text
            assert count == plain.frequencies[stem]
    elif reason.kind == "title_words":
        words = re.findall(r"[^\W_]+", each.paper.title)
        title = set(stems(" ".join(word for word in words if not is_function_word(word))))
        assert reason.numbers == {
            "shared": len(title & set(stems(query.text))),
            "words": len(title),
        }
    elif reason.kind == "citations":
        years = [plain.papers[other].year or 0 for other in citers[row]]
        assert reason.numbers["citations"] == len(years)
        assert reason.numbers["recent"] == sum(year >= reason.numbers["since"] for year in years)
    else:
        pytest.fail(f"nobody checks {reason.kind}")


def test_reasons_name_words_not_commands_or_letters(tmp_path: Path) -> None:
    papers = [Paper("a", "On \\mathcal{O}(n) swarms", "x swarms y"), *random_papers(40, seed=2)]
    citewise.add(papers, tmp_path / "library")
    found = citewise.open(tmp_path / "library").recommend(
        "Swarms in \\mathcal{O}(n) of x", system="bm25", explain=True
    )
    first = next(each for each in found if each.paper.id == "a")
    assert first.reasons[0].words == ("Swarms",)
    assert {"term:mathcal", "term:O", "term:Swarms"} <= {
        part.signal for part in first.contributions
    }, "they count all the same"


def test_no_reason_names_what_a_draft_could_not_know(tmp_path: Path) -> None:
    papers = [Paper(name, f"Bees and their {name}", "On bees.", 2000) for name in ("old", "other")]
    papers += [
        Paper(
            f"c{year}", f"A survey of bees of {year}", "On bees.", year, references=("old", "other")
        )
        for year in (2001, 2002, 2010, 2011)
    ]
    citewise.add(papers, tmp_path / "library", vectors=False)
    found = citewise.open(tmp_path / "library").recommend("Bees", year=2005, explain=True)
    named = {paper.id for each in found for reason in each.reasons for paper in reason.papers}
    assert named & {"c2001", "c2002"} and not named & {"c2010", "c2011"}


# Real papers


@pytest.mark.slow
def test_in_a_library_of_real_papers(shared: Path, tmp_path: Path) -> None:
    citewise.index([shared / "elife" / "papers.jsonl.xz"], tmp_path / "library", keep_versions=True)
    library = citewise.open(tmp_path / "library")
    papers, plain = library.stores.papers, Plain(library)
    rows = papers.rows[papers.years(papers.rows) == 2021][::250]
    for number, paper in enumerate(papers.read(rows)):
        query = Query(
            paper.title, paper.abstract, paper.id, 2021, cited=paper.references[: 2 * (number % 2)]
        )
        answers, graph = library.answer(query, 20, explain=True), plain.graph(query)
        assert len(answers) == 20
        for each in answers:
            assert total(each) == pytest.approx(each.score, abs=1e-6)
            assert each.reasons
            for reason in each.reasons:
                if reason.kind not in BY_WORDS:  # plain words are ASCII's
                    check(plain, query, graph, answers, each, reason)
