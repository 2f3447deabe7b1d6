"""Names of authors: who can be the same person, by numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewise.text import ids
from citewise.text.author_names import author_numbers, namesakes


def number(name: str) -> int:
    return int(author_numbers([name])[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Xin Luna Dong", "Dong, Xin Luna"),
        ("Xin L. Dong", "Xin Luna Dong"),
        ("José García", "Jose Garcia"),
        ("JOSÉ GARCÍA", "José García"),
        ("JP Serre", "J.-P. Serre"),
        ("C\u0327elik A", "Çelik A"),
        ("Serre, J. P.", "J. Serre"),
        ("Plato", "plato"),
        ("van den Berg, Jan", "Jan van den Berg"),
        ("Mary-Anne O'Neil", "Mary Anne O'Neil"),
    ],
)
def test_one_person_has_one_number(one: str, other: str) -> None:
    assert number(one) == number(other) != 0
    assert namesakes(one) == namesakes(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wei Zhang", "Wei Chang"),
        ("Wei Zhang", "Wen Zhang"),
        ("Wei Zhang", "Lei Zhang"),
        ("Plato", "Plat O"),
    ],
)
def test_other_names_have_other_numbers(one: str, other: str) -> None:
    assert number(one) != number(other)


@pytest.mark.parametrize("nobody", ["", " ", ".", "…", ","])
def test_no_name_has_no_number(nobody: str) -> None:
    assert number(nobody) == 0
    assert namesakes(nobody) == []


def agree(one: str, other: str) -> bool:
    return any(first <= number(other) <= last for first, last in namesakes(one))


def test_an_initial_agrees_with_names_that_it_begins_and_names_with_it() -> None:
    assert (
        agree("W. Zhang", "Wei Zhang")
        and agree("Wei Zhang", "Zhang, W.")
        and agree("W Zhang", "W. Q. Zhang")
    )
    assert not agree("Wei Zhang", "Wen Zhang") and not agree("W. Zhang", "Lei Zhang")


NAMES = st.sampled_from(
    ("Ada", "Adam", "A", "a", "Élodie", "Elodie", "e", "JP", "J", "Jean", "Øystein", "o'neil")
)
FAMILIES = st.sampled_from(
    ("Zhang", "Ångström", "Angstrom", "de la Cruz", "Cruz", "O'Neil", "Neil", "李")
)


@pytest.mark.slow
@given(
    names=st.lists(NAMES, min_size=2, max_size=2),
    families=st.lists(FAMILIES, min_size=2, max_size=2),
    middle=st.sampled_from(("", " B.", " Maria", " C D")),
    commas=st.tuples(st.booleans(), st.booleans()),
)
def test_namesakes_are_who_can_be_the_same_by_first_and_family_name(
    names: list[str], families: list[str], middle: str, commas: tuple[bool, bool]
) -> None:
    one, other = (
        f"{family}, {name}{middle}" if comma else f"{name}{middle} {family}"
        for name, family, comma in zip(names, families, commas, strict=True)
    )
    plain = [f"{ids.surname(full)}, {name}" for full, name in zip((one, other), names, strict=True)]
    same = ids.same_person(*plain)
    firsts = {len(ids.first_name(name)) for name in plain}
    assert agree(one, other) == same or (same and len(firsts) == 1), (
        "an initial and the name of one letter are one"
    )
    assert agree(one, other) == agree(other, one)


@pytest.mark.slow
@given(st.lists(st.text(st.sampled_from("abJKP -'.,é李\n"), max_size=12), max_size=8))
def test_names_are_numbered_alike_together_and_one_by_one(names: list[str]) -> None:
    """Plain names are taken apart all at once, others by `ids`: a name that is spelled out for it
    has the same.
    """
    assert author_numbers(names).tolist() == [number(name) for name in names]
    for name in names:
        family, first = ids.surname(name), ids.first_name(name)
        spelled = f"{family}, {first if len(first) > 1 else first.upper()}".rstrip(", ")
        assert number(name) == (number(spelled) if family else 0)
        assert bool(number(name)) == bool(family)
