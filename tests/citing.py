"""Citing sentences for tests, and what a library makes of them."""

import re
from collections import defaultdict

import numpy as np

from citewise.arrays import Rows
from citewise.protocols import Evidence, Stores
from citewise.types import CitationGroup, CitingSentence, Paper, Scope

EVERYTHING = Scope()
"""What a query without limits sees."""


def citing(
    paper: str, text: str, *cited: tuple[str, ...], year: int | None = None, start: int = -1
) -> CitingSentence:
    """Return a sentence whose [REF] cite `cited`, one tuple of keys for each."""
    marks = re.finditer(r"\[REF\]", text)
    groups = tuple(
        CitationGroup(*mark.span(), keys) for mark, keys in zip(marks, cited, strict=True)
    )
    return CitingSentence(paper, text, groups, "Introduction", year, str(year or ""), start)


def spans_citing(evidence: Evidence, rows: Rows, scope: Scope = EVERYTHING) -> list[Rows]:
    """Return for each paper the numbers of the spans that cite it, sorted, each once."""
    found = evidence.citations_of(rows, scope)
    return [np.unique(found.spans[found.positions == position]) for position in range(rows.size)]


PAPERS = (
    Paper("bees", "Honey bees dance for their mates", year=1967),
    Paper("ants", "Ants find short paths by trails", year=1990, ids=("doi:10.1000/ants",)),
    Paper("robots", "Robots that swarm like insects", year=2005),
    Paper("survey", "A survey of swarm intelligence", year=2010),
    Paper("late", "Swarms revisited ten years later", year=2020),
)
SENTENCES = (
    citing(
        "robots", "Bees dance [REF] and ants lay trails [REF].", ("bees",), ("doi:10.1000/ants",)
    ),
    citing("survey", "It is known that bees dance [REF].", ("bees",)),
    citing(
        "survey",
        "bees  dance [REF], which robots do not [REF] yet.",
        ("bees",),
        ("robots",),
        start=40,
    ),
    citing("late", "Bees dance [REF]; they do.", ("bees", "survey")),
    citing("elsewhere", "Bees dance [REF] everywhere.", ("bees", "nowhere"), year=2015),
)
"""Of five sentences, one is of a paper that the library lacks, and one cites such a paper."""

CitedFor = dict[str, dict[str, tuple[int, int]]]
"""By span and cited paper: how many sentences cite it for that span, and their latest year."""


def cited_for(stores: Stores, scope: Scope = EVERYTHING) -> CitedFor:
    """Return which papers are cited for which spans in a scope; spans as `normal` writes them.

    What the library says of spans, of papers and of single citations must agree.
    """
    evidence, rows = stores.evidence, stores.papers.rows
    by_paper = spans_citing(evidence, rows, scope)
    spans = np.unique(np.concatenate([np.zeros(0, np.int64), *by_paper]))
    texts = [normal(text) for text in evidence.texts(spans)]
    years: dict[tuple[int, int], list[int]] = defaultdict(list)
    made = evidence.citations_for(spans, scope)
    for position, row, year in zip(made.positions, made.rows, made.years, strict=True):
        years[int(position), int(row)].append(int(year))

    found: CitedFor = defaultdict(dict)
    cited = evidence.cited_for(spans, scope)
    pairs = zip(cited.rows.owners.tolist(), cited.rows.values.tolist(), strict=True)
    names = [paper.id for paper in stores.papers.read(cited.rows.values)]
    for pair, name, support in zip(pairs, names, cited.support.tolist(), strict=True):
        assert support == len(years[pair]), "as many sentences as citations"
        found[texts[pair[0]]][name] = (support, max(years[pair]))

    assert sum(map(len, found.values())) == sum(each.size for each in by_paper), (
        "spans and papers have the same pairs"
    )
    return dict(found)


def normal(text: str) -> str:
    """Return a span's text without the case, spaces and punctuation that make no difference."""
    return re.sub(r"\s+([,.;])", r"\1", " ".join(text.casefold().split())).strip(" .,;")
