"""Lists of references for people, against references written by hand."""

from citewise.render.reference_list import formatted_reference, reference_list
from citewise.types import Paper

SMALL = Paper(
    "doi:10.1002/asi.4630240406",
    "Co-citation in the scientific literature",
    year=1973,
    authors=("Henry Small",),
    venue="Journal of the American Society for Information Science",
    details={"volume": "24", "number": "4", "pages": "265--269"},
)


def test_a_journal_article() -> None:
    assert formatted_reference(SMALL) == (
        "Small, H. (1973). Co-citation in the scientific literature. Journal of the American "
        "Society for Information Science, 24(4), 265–269. https://doi.org/10.1002/asi.4630240406"
    )


def test_names_and_what_is_missing() -> None:
    paper = Paper(
        "x",
        "What is a\nquestion?",
        authors=("Jean-Paul van der Berg", "King, Jr., Martin Luther", "The Bee Project", "Plato"),
        details={"publisher": "Hive Press"},
    )
    assert formatted_reference(paper) == (
        "van der Berg, J.-P., King, M. L., Jr., The Bee Project, & Plato (n.d.). What is a "
        "question? Hive Press."
    )
    assert formatted_reference(Paper("own-1", "")) == "(n.d.). own-1."


def test_many_authors_are_cut() -> None:
    line = formatted_reference(Paper("x", "T", authors=tuple(f"A. N{n:02}x" for n in range(30))))
    assert "N18x" in line and "… " in line and "N29x" in line and "N19x" not in line


def test_references_are_sorted_by_authors_and_year() -> None:
    later = Paper("y", "Later", year=1980, authors=("Henry Small",))
    first = Paper("z", "First", authors=("Ada Abel",))
    lines = reference_list([later, SMALL, first]).splitlines()
    assert [line[:12] for line in lines] == ["Abel, A. (n.", "Small, H. (1", "Small, H. (1"]
    assert "Later" in lines[2]
