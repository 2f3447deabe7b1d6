"""JATS: PubMed Central, eLife, PLOS."""

import pytest

from citewise.ingest.fulltext import jats
from ingest.fulltext_documents import JATS
from ingest.fulltext_sources import cited_titles, marks, one


def test_a_document_by_hand() -> None:
    document = one(jats, JATS)
    paper = document.paper
    assert (paper.id, paper.ids) == ("doi:10.1000/jats", ("pmid:42", "pmcid:PMC123456"))
    assert (paper.title, paper.authors, paper.venue) == (
        "Bees in vitro",
        ("Mina B Uhr",),
        "Annals of Apiculture",
    )
    assert (paper.year, paper.date, paper.abstract) == (2012, "2012-11-03", "We study bees.")
    assert [(cited.id, cited.title, cited.year) for cited in document.cited] == [
        ("pmid:7", "Honey and wax", 1990),
        ("title:theswarmbook:kara", "The swarm book", 2012),
        ("doi:10.1000/walls", "Robots build walls without a plan", 2015),
        ("doi:10.1000/ants", "Ants", None),
    ]
    assert document.cited[0].authors == ("O Wabe",)
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        ("Introduction", "Bees dance [1–3]."),
        ("Introduction", "Others fly4,1 far (Figure 1): so be it [2, 4]."),
        ("Introduction", "In a list, too [4]."),
        ("Introduction", "Dances of [2]."),
        ("Deeper", "Lost ones [99]."),
    ]
    assert marks(document) == [["[1–3]"], ["4,1", "[2, 4]"], ["[4]"], ["[2]"], ["[99]"]]
    honey, swarm, walls, ants = (cited.title for cited in document.cited)
    assert cited_titles(document) == [
        [[honey, swarm, walls]],
        [[ants, honey], [swarm, ants]],
        [[ants]],
        [[swarm]],
        [[]],
    ]
    assert "The end." in document.text
    assert "A review cites" not in document.text


def test_recognised_by_its_root_and_front_matter() -> None:
    assert jats.detects(JATS.encode())
    assert not jats.detects(b"<article><p>HTML</p></article>")
    assert not jats.detects(b"<TEI><article><front/></article></TEI>")


@pytest.mark.parametrize(
    ("date", "told"),
    [
        ("<day>5</day><month>Jan</month><year>2012</year>", "2012"),
        ("<day>5</day><year>2012</year>", "2012"),
        ("<month>7</month><year>2012</year>", "2012-07"),
        ("<day>5</day><month>7</month><year>2012</year>", "2012-07-05"),
    ],
)
def test_a_day_is_no_month(date: str, told: str) -> None:
    assert (
        one(jats, JATS.replace("<day>3</day><month>11</month><year>2012</year>", date)).paper.date
        == told
    )
