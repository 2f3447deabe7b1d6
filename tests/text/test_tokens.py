"""Text to terms, against tantivy's own analysis and against itself, batched and one at a time."""

import itertools
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.text import tokens
from citewise.text.tokens import LONGEST_TOKEN, TermNumbering, fold, stem
from oracles import stems

ASCII = st.text(st.characters(max_codepoint=127), max_size=200)
WORDY = st.lists(
    st.sampled_from(
        [
            "The",
            "running",
            "RUNS",
            "x",
            "bees'",
            "of",
            "state-of-the-art",
            "C3PO",
            "a_b",
            "\t",
            "w" * LONGEST_TOKEN,
            "w" * (LONGEST_TOKEN + 1),
            "caresses",
            "0.05",
        ]
    )
).map(" ".join)
ANYTHING = st.text(max_size=60)


class Numbering:
    """Numbers stems as they come, and remembers them."""

    def __init__(self) -> None:
        self.stems: list[str] = []
        self.asked = 0

    def __call__(self, words: Sequence[str]) -> list[int]:
        self.asked += len(words)
        self.stems += dict.fromkeys(word for word in words if word not in self.stems)
        return [self.stems.index(word) for word in words]


def analysed(
    *texts: str, terms: TermNumbering | None = None, numbering: Numbering | None = None
) -> list[list[str]]:
    """Return the stems of each text."""
    numbering = numbering or Numbering()
    terms = terms or TermNumbering(numbering)
    numbers, starts = terms.numbers(texts)
    assert len(starts) == len(texts) + 1
    assert starts[0] == 0 and starts[-1] == numbers.size
    words = [numbering.stems[number] for number in numbers]
    return [words[start:end] for start, end in itertools.pairwise(starts)]


@given(st.lists(ASCII | WORDY, max_size=6))
def test_terms_are_those_of_tantivy(texts: list[str]) -> None:
    assert analysed(*texts) == [stems(text) for text in texts]


@given(st.lists(ANYTHING | WORDY, max_size=6))
def test_a_batch_gives_what_single_texts_give(texts: list[str]) -> None:
    together = analysed(*texts)
    assert together == [analysed(text)[0] for text in texts]
    numbering = Numbering()
    terms = TermNumbering(numbering)
    assert together == [analysed(text, terms=terms, numbering=numbering)[0] for text in texts]


@given(ANYTHING)
def test_composition_makes_no_difference(text: str) -> None:
    assert analysed(unicodedata.normalize("NFD", text)) == analysed(
        unicodedata.normalize("NFC", text)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t—…!", []),
        ("the of and", []),
        ("Naïve Bayes", ["naiv", "bay"]),
        ("nai\u0308ve", ["naiv"]),  # i and a combining diaeresis
        ("ÉCOLE École école", ["ecol"] * 3),
        ("Straße STRASSE", ["strass"] * 2),
        ("ﬁnal ﬁeld", ["final", "field"]),  # with ligatures
        ("α-synuclein", ["α", "synuclein"]),
        ("ΑΛΦΑ άλφα", ["αλφα"] * 2),
        ("深層学習 models", ["深", "層", "学", "習", "model"]),
        ("deep学習", ["deep", "学", "習"]),
        ("x² and H₂O", ["x2", "h2o"]),
        ("“quoted”—dashed", ["quot", "dash"]),
        ("end.Start", ["end", "start"]),
        ("snake_case", ["snake", "case"]),
        ("broken \ud800 surrogate", ["broken", "surrog"]),
        ("null\x00byte", ["null", "byte"]),
        ("p < 0.05", ["p", "0", "05"]),
        ("citations citing cited", ["citat", "cite", "cite"]),
    ],
)
def test_by_hand(text: str, expected: list[str]) -> None:
    assert analysed(text) == [expected]


def test_empty_texts_and_no_texts() -> None:
    assert analysed() == []
    assert analysed("", "bees", "", "") == [[], ["bee"], [], []]


def test_long_tokens_are_dropped_by_their_bytes() -> None:
    fits, too_long = (
        "é" * LONGEST_TOKEN,
        "α" * (LONGEST_TOKEN // 2 + 1),
    )  # folded: one byte and two bytes a letter
    assert analysed(f"{fits} {too_long} bee")[0][1:] == ["bee"]
    assert analysed("http" * 50_000) == [[]]


def test_stems_in_bulk_are_those_of_one_token_each() -> None:
    words = ["the", "bees", "", "dancing", "of", "of", "蜂", "b4", "the"]
    assert tokens.stems(words) == [stem(word) if word else "" for word in words]
    assert tokens.stems([]) == []


@pytest.mark.slow
def test_growth_keeps_every_number() -> None:
    words = [f"token{number}x" for number in range(150_000)]  # more than the table's first size
    numbers: dict[str, int] = {}
    asked: list[str] = []

    def numbers_of(words: Sequence[str]) -> list[int]:
        asked.extend(words)
        return [numbers.setdefault(word, len(numbers)) for word in words]

    terms = TermNumbering(numbers_of)
    for start in range(0, len(words), 30_000):
        terms.numbers([" ".join(words[start : start + 30_000])])
    assert len(asked) == len(words)
    found, _ = terms.numbers([" ".join(words)])
    assert found.tolist() == [numbers[stem(word)] for word in words]
    assert len(asked) == len(words), "each distinct token is asked for once"


def test_a_number_below_zero_drops_the_term() -> None:
    numbering = TermNumbering(lambda words: [-1 if word == "bee" else 7 for word in words])
    numbers, starts = numbering.numbers(["bees fly", "bees"])
    assert numbers.tolist() == [7]
    assert starts.tolist() == [0, 1, 1]


def test_many_texts_of_many_lengths_in_one_batch() -> None:
    texts = [("word " * size).strip() for size in range(300)]
    assert [len(found) for found in analysed(*texts)] == list(range(300))


def test_fold_keeps_ascii_bytes() -> None:
    assert fold("Plain, ASCII.") == b"Plain, ASCII."
