"""Names as people say them."""

import pytest

from citewise.render.names import given_first


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Shen, Yelong", "Yelong Shen"),
        ("Huang, Po-Sen", "Po-Sen Huang"),
        ("Ada Lovelace", "Ada Lovelace"),
        ("van der Berg, Jan", "Jan van der Berg"),
        ("King, Jr., Martin Luther", "Martin Luther King Jr."),
        ("The ATLAS Collaboration", "The ATLAS Collaboration"),
        ("王, 伟", "王, 伟"),
        ("Plato", "Plato"),
        ("", ""),
    ],
)
def test_the_given_name_comes_first(name: str, said: str) -> None:
    assert given_first(name) == said
