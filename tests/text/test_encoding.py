"""What encoding is assumed for bytes that are not UTF-8."""

import pytest

from citewise.text.encoding import guessed_encoding, marked_encoding, text_of

TEXTS = [
    ("cp1252", "author = {Müller, Jürgen},"),
    ("cp1252", "Étude des systèmes, Gonçalves, João"),
    ("cp1252", "A – B “quoted” text"),
    ("cp1250", "Łukasz Kowalski and Dvořák, Jiří"),
    ("cp1250", "Wpływ zmian na środowisko"),
    ("mac_roman", "Bézier and Müller"),
    ("cp1251", "Иванов, Иван. Методы анализа данных"),
    ("koi8_r", "Методы анализа данных и машинное обучение"),
    ("gb18030", "title = {基于深度学习的推荐系统研究},"),
    ("gb18030", "作者 = 王小明"),
    ("big5", "中文論文標題與摘要"),
    ("shift_jis", "日本語のタイトルについて"),
    ("euc_jp", "日本語のタイトルについて"),
    ("euc_kr", "한국어 논문 제목"),
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS)
def test_the_encoding_of_a_line_is_guessed(encoding: str, text: str) -> None:
    assert guessed_encoding(text.encode(encoding)) == encoding
    assert text_of(text.encode(encoding)) == text


def test_damaged_utf8_stays_utf8() -> None:
    assert guessed_encoding("Übergänge über Straßen".encode()[:-8] + b"\xff") == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_marks_and_zeros(encoding: str) -> None:
    assert text_of("@article{a, title={Bees}}".encode(encoding)) == "@article{a, title={Bees}}"


def test_what_is_like_ascii_has_no_marked_encoding() -> None:
    assert [marked_encoding(start) for start in (b"", b"a", b"@article", b"\x00", b"\xff")] == [
        ""
    ] * 5
