"""Title, authors, abstract, prose and references of manuscripts in several layouts."""

from pathlib import Path

import pytest

from citewise.pdf.article import Article, read_article
from citewise.pdf.pages import Line
from citewise.pdf.paragraphs import Joiner
from citewise.types import Paper
from pdf_files import pdf
from typesetting import LAYOUTS, Manuscript, can_typeset, typeset

REFERENCES = tuple(
    Paper(f"r{number}", title, authors=authors, year=year, venue="Ecology")
    for number, (title, authors, year) in enumerate(
        (
            ("The dance language of bees", ("Karl Frisch",), 1967),
            ("Efficient foraging in a changing field", ("Ana García", "Li Wei"), 1999),
            ("Hive minds and their memory", ("Tom Seeley", "Jörg Müller", "Ada King"), 2010),
            ("Clocks that flowers keep", ("Ruth Beer", "Ada King"), 2003),
        )
    )
)
MANUSCRIPT = Manuscript(
    title="How Honeybees Read the Clocks of Efficient Flowers: A Field Study of Émigré Hives",
    authors=("Jörg Müller", "Ana María García", "Xin Li"),
    abstract="Bees visit flowers when these have nectar, which needs a sense of time. "
    "We followed nine hundred bees for a summer and found that they keep several appointments a "
    "day. Flowers that close at noon are visited before noon, however the weather is. "
    "We conclude that bees remember both the place and the hour of a meal.",
    sections=(
        (
            "Introduction",
            (
                "That bees return to a place of food is known {1}, and so is the fact that their "
                "foraging is efficient {2}. Less is known about the hour at which they return. "
                * 3,
                "Others have asked how a hive remembers what a single bee has seen {3}. " * 4,
            ),
        ),
        (
            "Materials and methods",
            ("We counted bees at flowers that keep their hours {4}. " * 9,) * 6,
        ),
        ("Conclusion", ("Bees are punctual, and we have shown how much that is worth to a hive.",)),
    ),
    references=REFERENCES,
)


@pytest.fixture(scope="module", params=[*LAYOUTS])
def article(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Article:
    if not can_typeset(request.param):
        pytest.skip("needs pdflatex and chromium, which `.ci/run` installs")
    file = typeset(MANUSCRIPT, request.param, tmp_path_factory.mktemp("typeset"))
    assert file is not None
    return read_article(file.read_bytes(), file.name)


@pytest.mark.slow
def test_title_authors_and_abstract_are_read(article: Article) -> None:
    assert article.title == MANUSCRIPT.title
    assert article.authors == MANUSCRIPT.authors
    assert article.abstract == MANUSCRIPT.abstract


@pytest.mark.slow
def test_the_prose_is_whole_and_under_its_headings(article: Article) -> None:
    found = {
        part.heading.split(". ")[-1].lstrip("123 "): part.paragraphs for part in article.sections
    }
    prose = " ".join(text for part in article.sections for text in part.paragraphs)

    assert [*found] == ["Introduction", "Materials and methods", "Conclusion"]
    assert prose.count("Less is known about the hour at which they return.") == 3
    assert prose.count("We counted bees at flowers that keep their hours") == 54
    assert found["Conclusion"][-1].startswith("Bees are punctual, and we have shown how much")


@pytest.mark.slow
def test_every_entry_of_the_references_is_read(article: Article) -> None:
    titles = [paper.title for paper in REFERENCES]

    assert len(article.references) == len(titles)
    for title in titles:
        assert sum(title in entry.text for entry in article.references) == 1


@pytest.mark.parametrize(
    ("words", "ends", "expected"),
    [
        ("the cooperation of bees", ("coop-", "eration"), "cooperation"),
        ("a well-known fact", ("well-", "known"), "well-known"),
        ("nothing like it", ("hy-", "phenated"), "hyphenated"),
        ("nothing", ("BERT-", "Large"), "BERT- Large"),
        ("", ("see https://doi.org/10.1/", "abc"), "see https://doi.org/10.1/abc"),
    ],
)
def test_hyphens_at_line_ends(words: str, ends: tuple[str, str], expected: str) -> None:
    line = Line(words, 0, 1, 0, 10, False, 1)

    assert Joiner([line]).joined(ends) == expected


def small(*front: tuple[float, float, float, str]) -> Article:
    """Return the article of one page: lines of front matter, then some text."""
    body = [
        (60, 400 - 14 * number, 10, "Bees like clocks, and say so often.") for number in range(9)
    ]
    return read_article(pdf([*front, *body]), "x.pdf")


def test_ids_and_year_of_the_first_page() -> None:
    article = small(
        (60, 800, 8, "Journal of Bees, vol. 7, 2019. https://doi.org/10.1234/bees.7"),
        (60, 740, 20, "Bees and their clocks"),
        (60, 700, 10, "Data: https://doi.org/10.5281/zenodo.99"),
    )

    assert (article.title, article.ids, article.year) == (
        "Bees and their clocks",
        {"doi": "10.1234/bees.7"},
        2019,
    )


def test_two_dois_are_nobodys() -> None:
    article = small(
        (60, 740, 20, "Bees and their clocks"),
        (60, 700, 10, "See 10.1234/one and 10.1234/two."),
    )

    assert article.ids == {} and article.year is None


def test_what_is_no_list_of_names_gives_no_authors() -> None:
    article = small(
        (60, 740, 20, "Bees and their clocks"),
        (60, 700, 12, "A report to the board of bees, 3 May"),
    )

    assert article.authors == ()


def test_the_largest_print_is_no_title_where_it_is_a_banner() -> None:
    article = small(
        (60, 790, 26, "Research Article"),
        (60, 740, 18, "Bees and their clocks in the field"),
        (60, 710, 12, "Ada King, Max Frisch"),
    )

    assert (article.title, article.authors) == (
        "Bees and their clocks in the field",
        ("Ada King", "Max Frisch"),
    )


def test_an_article_without_abstract_and_references_has_none(tmp_path: Path) -> None:
    article = small((60, 740, 20, "Bees and their clocks"))

    assert (article.abstract, article.references) == ("", ())
    assert article.words > 50
