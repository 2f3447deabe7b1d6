"""Words that name nothing."""

import pytest

from citewise.text.function_words import is_function_word


@pytest.mark.parametrize("word", ["the", "The", "of", "we", "from", "which", "using", "Our"])
def test_function_words(word: str) -> None:
    assert is_function_word(word)


@pytest.mark.parametrize("word", ["citation", "graph", "war", "C", "BERT", "time", ""])
def test_words_that_name_something(word: str) -> None:
    assert not is_function_word(word)
