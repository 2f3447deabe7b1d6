"""The beginning of a text that stands in for an abstract."""

from citewise.drafts.prose import LONGEST_STAND_IN, STAND_IN_WORDS, count_words, stand_in

SENTENCE = "Bees fly home by night. "


def test_it_ends_with_the_sentence_that_makes_it_long_enough() -> None:
    text = stand_in(SENTENCE * 100)
    assert text == (SENTENCE * 51).strip(), "250 words are 50 sentences; the next one is finished"


def test_without_an_end_it_ends_with_a_word() -> None:
    assert stand_in("bees " * 1000).split() == ["bees"] * STAND_IN_WORDS


def test_characters_of_chinese_are_words() -> None:
    assert count_words("蜜蜂 fly 回家") == 5
    assert stand_in("蜜蜂回家。" * 100) == "蜜蜂回家。" * 50 + "蜜蜂回家。"


def test_it_is_bounded_however_long_a_word_is() -> None:
    assert len(stand_in("x" * 1_000_000)) == LONGEST_STAND_IN
