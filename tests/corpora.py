"""Corpora for tests: a golden one, small enough to work answers out by hand, and random ones."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from citewise.types import Paper

GOLDEN = (
    Paper(
        "doi:10.1000/dance",
        "The dance language of honey bees",
        "Returning foragers dance on the comb to tell nest mates where food is found.",
        1967,
        ("Karla Frischmann", "Otto Wabe"),
        "Annals of Apiculture",
        ("pmid:101",),
        (),
        ("biology",),
        "1967-05",
        "article",
        {"volume": "3", "pages": "1-12"},
    ),
    Paper(
        "doi:10.1000/clock",
        "Circadian clocks guide foraging bees",
        "Bees learn the hours at which flowers open. A clock inside the brain times their flights.",
        1985,
        ("Mina Uhr",),
        "Journal of Rhythm",
        references=("pmid:101",),
        kind="article",
    ),
    Paper(
        "arxiv:1101.00001",
        "Ant colonies solve shortest path problems",
        "Pheromone trails let a colony of ants find the shortest path between nest and food.",
        2011,
        ("Ana Formiga", "Otto Wabe"),
        "arXiv",
        references=("doi:10.1000/dance",),
        kind="preprint",
    ),
    Paper(
        "arxiv:1203.00002",
        "Swarm optimization with artificial bees",
        "An optimization algorithm in which artificial bees search, dance and forage for better "
        "solutions.",
        2012,
        ("Deniz Kara",),
        "Proceedings of Swarms",
        ("doi:10.1000/abc",),
        ("arxiv:1101.00001", "doi:10.1000/clock", "doi:10.1000/missing"),
        kind="inproceedings",
    ),
    Paper(
        "openalex:W2015000100",
        "Robot swarms that build walls",
        "Small robots carry bricks and build walls without a plan, as termites do.",
        2015,
        ("Robin Mason",),
        "Robotics Letters",
        references=("arxiv:1203.00002",),
    ),
    Paper(
        "acl:P18-1001",
        "Parsing sentences with recursive networks",
        "A recursive network parses sentences of natural language into trees.",
        2018,
        ("Paula Satz",),
        "ACL",
        fields=("nlp",),
    ),
    Paper(
        "own-7",
        "Honey bees and neonicotinoid pesticides",
        "",
        2019,
        ("Karla Frischmann",),
        "Annals of Apiculture",
        ("doi:10.1000/pesticide", "pmid:107"),
        ("doi:10.1000/dance", "doi:10.1000/clock"),
    ),
    Paper(
        "own 8",
        "An undated note on swarms of bees",
        "Bees swarm in spring; nobody wrote down the year.",
        references=("own-7", "isbn 3-16-148410"),
    ),
)
"""Eight papers: one without a year, one without an abstract, two references that lead nowhere."""

GOLDEN_CITATIONS = {
    "doi:10.1000/clock": {"doi:10.1000/dance"},
    "arxiv:1101.00001": {"doi:10.1000/dance"},
    "arxiv:1203.00002": {"arxiv:1101.00001", "doi:10.1000/clock"},
    "openalex:W2015000100": {"arxiv:1203.00002"},
    "own-7": {"doi:10.1000/dance", "doi:10.1000/clock"},
    "own 8": {"own-7"},
}
"""Who cites whom among them, by hand; the two dangling references are doi:10.1000/missing and isbn
3-16-148410.
"""

PREPRINT = Paper(
    "arxiv:1706.03762",
    "Attention is all you need",
    "A preprint's abstract.",
    2017,
    ("Ashish Vaswani", "Noam Shazeer"),
    "arXiv",
    ("s2:13756489",),
    ("doi:10.1000/a", "doi:10.1000/b"),
    ("cs",),
    "2017-06-12",
    "preprint",
    {"url": "https://arxiv.org/abs/1706.03762"},
)
PUBLISHED = Paper(
    "doi:10.5555/3295222",
    "Attention Is All You Need.",
    "",
    2018,
    ("Vaswani, A.", "Shazeer, N."),
    "Advances in Neural Information Processing Systems",
    ("arxiv:1706.03762",),
    ("doi:10.1000/b", "doi:10.1000/c"),
    ("nlp",),
    "2018-01",
    "inproceedings",
    {"pages": "5998-6008"},
)
"""The published version of that preprint."""

OTHER = Paper(
    "doi:10.1000/other", "Deep residual learning for images", year=2016, authors=("Kaiming He",)
)
"""Another work."""

WORDS = (
    "graph",
    "neural",
    "citation",
    "ranking",
    "network",
    "retrieval",
    "bees",
    "protein",
    "folding",
    "quantum",
    "learning",
    "index",
    "query",
    "vector",
    "language",
    "swarm",
    "clock",
    "sparse",
    "dense",
    "translation",
)


def random_papers(
    count: int, seed: int, first: int = 0, words: Sequence[str] = WORDS, references: int = 4
) -> list[Paper]:
    """Return papers of random words, years (some unknown) and references (some dangling, some to
    themselves).
    """
    dice = random.Random(seed)

    def text(least: int, most: int) -> str:
        return " ".join(dice.choices(words, k=dice.randint(least, most)))

    return [
        Paper(
            f"p{number}",
            text(2, 8),
            text(0, 40),
            dice.choice([None, *range(1990, 2010)]),
            references=tuple(
                dict.fromkeys(
                    f"p{dice.randrange(first + count + 5)}"
                    for _ in range(dice.randint(0, references))
                )
            ),
        )
        for number in range(first, first + count)
    ]


@st.composite
def corpora(draw: st.DrawFn, most: int = 12) -> list[Paper]:
    """Draw papers p0, p1, ... that cite one another and strangers, and that nothing would merge or
    repair.

    They have no authors, for titles merge papers only where an author is shared.
    """
    count = draw(st.integers(1, most))
    texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
    keys = [f"{letter}{number}" for letter in "pq" for number in range(count + 2)]
    return [
        Paper(
            f"p{number}",
            f"On {draw(st.sampled_from(WORDS))} {draw(texts)}".strip(),
            draw(texts),
            draw(st.none() | st.integers(1990, 1995)),
            ids=(f"q{number}",),
            references=tuple(
                draw(
                    st.lists(
                        st.sampled_from([key for key in keys if key[1:] != str(number)]),
                        max_size=5,
                        unique=True,
                    )
                )
            ),
        )
        for number in range(count)
    ]


def topical(count: int) -> list[Paper]:
    """Return papers of twelve topics that mostly cite older ones of their own, the first of a topic
    most of all.
    """
    dice, papers = random.Random(3), list[Paper]()
    for number in range(count):
        topic, year = number % 12, 1990 + 21 * number // count
        words = [f"topic{topic}word{dice.randrange(12)}" for _ in range(8)]
        words += [f"word{dice.randrange(60)}" for _ in range(5)]
        older = [
            each for each in papers if (each.year or 0) < year and int(each.id[1:]) % 12 == topic
        ]
        cited = (
            {dice.choice(older).id if dice.random() < 0.6 else older[0].id for _ in range(5)}
            if older
            else set()
        )
        papers.append(
            Paper(
                f"p{number}",
                " ".join(words[:6]),
                " ".join(words),
                year,
                references=tuple(sorted(cited)),
            )
        )
    return papers
