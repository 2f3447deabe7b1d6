"""Papers to cite for sentences: what is found, by which evidence, and what must not be seen."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

import citewise
from citewise.api import Library
from citewise.drafts.passages import lines_of, sentences_of
from citewise.evaluate import SentenceSplit, read_sentence_questions, sentence_questions
from citewise.ingest.report import Report
from citewise.recommend import scope_of
from citewise.types import CitationGroup, CitingSentence, Paper, Query
from command_line import Run


def cites(citing: str, text: str, *keys: str, year: int | None = None) -> CitingSentence:
    start = text.index("[REF]")
    return CitingSentence(citing, text, (CitationGroup(start, start + 5, keys),), year=year)


PAPERS = [
    Paper(
        "align",
        "A simple and fast reparameterization of alignment models",
        "Word alignment made quick.",
        2013,
    ),
    Paper("giza", "A systematic comparison of statistical alignment models", "", 2003),
    Paper(
        "bleu",
        "A method for automatic evaluation of machine translation",
        "Human judgement is slow.",
        2002,
    ),
    Paper("bees", "Dances of bees", "Bees dance to tell where flowers are.", 1967),
    Paper("phrases", "Translating phrases", "Phrases are extracted from aligned words.", 2014),
    Paper("nests", "Nests and hives", "Bees build nests.", 2016),
    Paper("latest", "Neural alignment of words", "Alignment by attention.", 2018),
]
SENTENCES = [
    cites("phrases", "Words were aligned with FastAlign [REF] in both directions.", "align"),
    cites("latest", "We compare with FastAlign [REF], an unsupervised aligner.", "align"),
    cites("phrases", "GIZA++ [REF] is slower than newer aligners.", "giza"),
    cites(
        "latest",
        "Translations were scored by BLEU, which agrees with human judgement of quality [REF].",
        "bleu",
    ),
    cites("nests", "Bees tell their mates by dances where flowers are found [REF].", "bees"),
    cites(
        "elsewhere", "Bees returning to the hive dance for their mates [REF].", "bees", year=2010
    ),
]
SYSTEMS = ("evidence", "ilciter")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("cite") / "library"
    citewise.add([*PAPERS, *SENTENCES], folder)
    return citewise.open(folder)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("sentence", "paper"),
    [
        ("FastAlign", "align"),
        ("GIZA++", "giza"),
        (
            "We report BLEU because it was found to agree with what human readers judge the "
            "quality of translations to be, although other scores exist which take synonyms into "
            "account and need more data to be computed",
            "bleu",
        ),
        ("It is known that bees dance for their mates", "bees"),
    ],
)
def test_mentions_and_long_claims(library: Library, system: str, sentence: str, paper: str) -> None:
    first = library.cite(sentence, system=system)[0]
    assert first.paper.id == paper
    assert first.evidence, "an answer comes with its evidence"


def test_evidence_is_word_for_word(library: Library) -> None:
    texts = {each.text for each in SENTENCES}
    for answer in library.cite("bees dance where flowers are", k=10, evidence=5):
        assert len({each.text for each in answer.evidence}) == len(answer.evidence), (
            "no sentence twice"
        )
        for each in answer.evidence:
            assert each.text in texts
            assert each.text[each.start : each.end].strip()
            words = {each.text[start:end].lower() for start, end in each.words}
            assert words <= {"bees", "dance", "dances", "flowers", "where"}
            assert "dance" in words or "dances" in words or answer.paper.id != "bees"
            assert all(each.text[start:end] == "[REF]" for start, end in each.marks)


def test_citing_papers_are_named_with_the_year(library: Library) -> None:
    first = library.cite("bees dance for their mates", evidence=5)[0]
    citing = {(by.id, by.title, by.year) for each in first.evidence for by in each.citing}
    assert citing == {("elsewhere", "", 2010), ("nests", "Nests and hives", 2016)}
    scores = [each.score for each in first.evidence]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_at_most_the_spans_that_are_wanted(library: Library, limit: int) -> None:
    assert len(library.cite("FastAlign", evidence=limit)[0].evidence) == limit


def evidence_texts(library: Library, system: str, year: int) -> list[str]:
    answer = library.cite("FastAlign aligner", year=year, system=system, evidence=5)
    return [span.text for each in answer for span in each.evidence]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(("year", "count"), [(2014, 0), (2015, 1), (2018, 1), (2019, 2)])
def test_evidence_of_the_year_and_later_is_not_seen(
    library: Library, system: str, year: int, count: int
) -> None:
    """The sentences about FastAlign are of 2014 and 2018."""
    found = evidence_texts(library, system, year)
    assert sum("FastAlign" in text for text in found) == count


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("citing", ["nests", "elsewhere"])
def test_the_citing_paper_itself_is_not_evidence(
    library: Library, system: str, citing: str
) -> None:
    """Whether the library has the paper or only its sentences."""
    query = Query(sentence="bees dance for their mates where flowers are found", hidden=(citing,))
    answer = library.answer(query, 10, system, evidence=5)
    by = {each.id for one in answer for span in one.evidence for each in span.citing}
    assert citing not in by and by, "the other one's sentence is still there"


def test_nothing_that_a_hidden_paper_says_counts(library: Library, tmp_path: Path) -> None:
    """Evidence in its scope is that of a library without the paper."""
    query = Query(
        sentence="Words are aligned with FastAlign", hidden=("latest",), title="Translating words"
    )
    papers = [each for each in PAPERS if each.id != "latest"]
    sentences = [each for each in SENTENCES if each.citing != "latest"]
    citewise.add([*papers, *sentences], tmp_path / "without")
    stores, other = library.stores, citewise.open(tmp_path / "without").stores
    rows, other_rows = (each.papers.find(["align", "giza"]) for each in (stores, other))
    scope, other_scope = (scope_of(each.papers, query) for each in (stores, other))

    found = stores.evidence.citations_of(rows, scope)
    expected = other.evidence.citations_of(other_rows, other_scope)
    assert found.years.tolist() == expected.years.tolist() == [2014] * 4
    everything = scope_of(stores.papers, Query(sentence="x"))
    assert stores.evidence.citations_of(rows, everything).years.size > expected.years.size

    profiles = stores.evidence.profiles(rows, scope)
    other_profiles = other.evidence.profiles(other_rows, other_scope)
    assert profiles.terms.tolist() == other_profiles.terms.tolist()
    assert profiles.citations.tolist() == other_profiles.citations.tolist()
    assert stores.evidence.profile_statistics(scope) == other.evidence.profile_statistics(
        other_scope
    )


def test_citations_by_and_of_are_the_same(library: Library) -> None:
    rows, evidence = library.stores.papers.rows, library.stores.evidence
    scope = scope_of(library.stores.papers, Query(sentence="x"))
    of, by = evidence.citations_of(rows, scope), evidence.citations_by(rows, scope)
    columns = [
        np.stack([each.citing, each.rows, each.spans, each.sentences], 1).tolist()
        for each in (of, by)
    ]
    assert sorted(each for each in columns[0] if each[0] >= 0) == sorted(columns[1])
    assert (rows[by.positions] == by.citing).all() and (rows[of.positions] == of.rows).all()
    assert evidence.citations_for(np.unique(of.spans), scope).rows.size == of.rows.size


def test_what_the_draft_cites_may_be_cited_again(library: Library) -> None:
    found = [each.paper.id for each in library.cite("FastAlign", cited=["align"])]
    assert found[0] == "align"
    assert "align" not in [
        each.paper.id for each in library.recommend("Word alignment", cited=["align"])
    ]


def test_best_shows_evidence_too(library: Library) -> None:
    query = Query("Fast word alignment", "Aligners such as FastAlign")
    answer = library.answer(query, 5, evidence=2)
    assert {each.paper.id: len(each.evidence) for each in answer}["align"] == 2


@pytest.mark.parametrize("format", ["table", "json"])
def test_recommend_shows_evidence_where_asked(library: Library, run: Run, format: str) -> None:
    asked = (
        "recommend",
        "--title",
        "Fast word alignment",
        "--library",
        library.stores.info.location,
        "--format",
        format,
    )
    assert "an unsupervised aligner" not in run(*asked)[1]
    assert "an unsupervised aligner" in run(*asked, "--spans", 2)[1]


def test_an_empty_sentence_is_refused(library: Library) -> None:
    with pytest.raises(citewise.BadInput, match="no sentence"):
        library.cite(" ")


# Passages


def test_sentences_of_a_passage() -> None:
    found = sentences_of(
        "Bees dance \\cite{bees}. Ants, as Smith et al. (2010) say, do not.\n\nNests are built "
        "[3, 4-6]. They use glue. It holds [@glue; @hold]."
    )
    assert [(each.text, each.cites) for each in found] == [
        ("Bees dance.", True),
        ("Ants, as Smith et al. say, do not.", True),
        ("Nests are built.", True),
        ("They use glue.", False),
        ("It holds.", True),
    ]


def test_lines_are_sentences_of_their_own() -> None:
    assert [each.text for each in lines_of("FastAlign\n\n  GIZA++ [1]\n--\n")] == [
        "FastAlign",
        "GIZA++",
    ]


def test_where_a_citation_seems_needed(library: Library) -> None:
    passage = (
        "Words were aligned with FastAlign in both directions. Words were aligned with FastAlign "
        "[1] in both directions. Our office has nine windows and a door."
    )
    found = [*library.advise(sentences_of(passage), Query())]
    assert [each.wanted for each in found] == [True, False, False]


# The command line


def test_the_command_line_says_what_python_says(library: Library, run: Run) -> None:
    code, out, _ = run(
        "cite", "FastAlign", "--library", library.stores.info.location, "--format", "json", "-k", 3
    )
    expected = library.cite("FastAlign", k=3, evidence=2)
    answers = json.loads(out)["sentences"][0]["recommendations"]
    assert code == 0
    assert [(each["paper"]["id"], each["score"], len(each["evidence"])) for each in answers] == [
        (each.paper.id, each.score, len(each.evidence)) for each in expected
    ]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("table", "an unsupervised aligner"),
        ("markdown", "**FastAlign** \\[REF\\]"),
        ("bibtex", "title = {"),
        ("ris", "TY  - "),
        ("csl", '"title"'),
    ],
)
def test_every_format(library: Library, run: Run, format: str, expected: str) -> None:
    code, out, _ = run(
        "cite", "FastAlign", "--library", library.stores.info.location, "--format", format
    )
    assert code == 0 and expected in out


def test_a_file_is_answered_sentence_by_sentence(
    library: Library, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "passage.txt"
    file.write_text("Words were aligned with FastAlign. Bees dance (Frisch, 1967).")
    _, out, _ = run(
        "cite",
        file,
        "--library",
        library.stores.info.location,
        "--format",
        "json",
        "--title",
        "Bees and words",
    )
    found = json.loads(out)["sentences"]
    assert [(each["cites"], each["recommendations"][0]["paper"]["id"]) for each in found] == [
        (False, "align"),
        (True, "bees"),
    ]
    _, out, _ = run(
        "cite", file, "--lines", "--library", library.stores.info.location, "--format", "json"
    )
    assert len(json.loads(out)["sentences"]) == 1


def test_no_sentence_is_a_wrong_call(library: Library, run: Run) -> None:
    assert run("cite", " -- ", "--library", library.stores.info.location)[0] == 2


def test_a_library_without_evidence_says_so(golden_library: Path, run: Run) -> None:
    code, out, messages = run("cite", "bees dance", "--library", golden_library, "--format", "json")
    assert code == 0 and "no citing sentences" in messages
    assert json.loads(out)["sentences"][0]["recommendations"], (
        "titles and abstracts are still there"
    )


def test_a_run_of_sentences(library: Library, run: Run, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "one", "sentence": "FastAlign"}\n{"id": "two", "title": "Dances of bees"}\n'
    )
    code, out, _ = run(
        "run", "--queries", queries, "--library", library.stores.info.location, "-k", 1
    )
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert [(line[0], line[2], line[5]) for line in lines] == [
        ("one", "align", "evidence"),
        ("two", "bees", "best"),
    ]


# Evaluation


def test_questions_of_the_librarys_own_sentences(library: Library) -> None:
    found = sentence_questions(library.stores, SentenceSplit((2015, 2020)))
    asked = {each.query.sentence: each for each in found}
    assert set(asked) == {
        "We compare with FastAlign, an unsupervised aligner.",
        "Bees tell their mates by dances where flowers are found.",
    }, "BLEU has no older evidence"
    bees = asked["Bees tell their mates by dances where flowers are found."]
    assert (bees.query.year, bees.query.hidden, bees.query.title) == (
        2016,
        ("nests",),
        "Nests and hives",
    )
    assert [library.stores.papers.read(bees.gold)[0].id] == ["bees"]


def test_questions_of_a_file(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    lines = [
        {"query": "Bees dance .", "gold": ["bees"], "citing_id": "nests", "date": "2016-03-01"},
        {"query": "Bees dance .", "gold": ["unknown"], "citing_id": "nests", "date": "2016-03-01"},
        {"query": "", "gold": [], "citing_id": 7},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    report = Report()
    found = read_sentence_questions(library.stores, file, report)
    assert len(found) == 1 and report.total("skipped") == 2
    assert found[0].query == Query(
        "Nests and hives",
        "Bees build nests.",
        "queries.jsonl:1",
        2016,
        hidden=("nests",),
        sentence="Bees dance .",
    )


def test_the_command_evaluates(library: Library, run: Run) -> None:
    code, out, _ = run(
        "evaluate",
        "--local",
        "--years",
        "2015-2020",
        "--library",
        library.stores.info.location,
        "--format",
        "json",
        "--measures",
        "MRR@10 hit@1",
    )
    assert code == 0
    scored = {each["system"]: each["values"] for each in json.loads(out)["results"]["systems"]}
    assert set(scored) == set(SYSTEMS)
    assert scored["ilciter"]["MRR@10"]["value"] == 1.0
    assert run("evaluate", "--local", "--library", library.stores.info.location)[0] == 2, (
        "which sentences?"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" + "1" * 100_000,
        "[" + "@" * 100_000,
        "(" + "2010 " * 30_000,
        "(2010" * 30_000,
        "\\cite" + "[" * 100_000,
        "\\cite{" * 30_000,
        "[1, " * 30_000,
        "(" * 100_000,
    ],
)
def test_broken_marks_take_no_time(text: str) -> None:
    start = time.perf_counter()
    sentences_of(text)
    lines_of(text)
    assert time.perf_counter() - start < 20
