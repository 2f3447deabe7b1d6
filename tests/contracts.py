"""A library and random queries for tests of what every system or stage promises."""

from hypothesis import strategies as st

from citewise.systems import SYSTEMS
from citewise.types import CitationGroup, CitingSentence, Paper, Query
from corpora import GOLDEN, random_papers

CHECKED = [
    *SYSTEMS,
    "compose(retrieve=bm25+engine,expand=neighbours,rank=bm25@20)",
    "compose(retrieve=bm25+engine+evidence,fusion=best-rank,expand=seeds+authors+context)",
]
"""Every system, and some that are composed of parts."""

PAPERS = [*GOLDEN, *random_papers(60, seed=3)]


def _cited_for_its_text(number: int, paper: Paper) -> CitingSentence:
    """Return a sentence of an unknown paper of 1950 that says what a paper says and cites it."""
    text = f"{paper.title}. {paper.abstract} "
    group = CitationGroup(len(text), len(text) + len("[1]"), (paper.id,))
    return CitingSentence(f"elsewhere {number}", f"{text}[1]", (group,), year=1950)


SENTENCES = [_cited_for_its_text(number, paper) for number, paper in enumerate(PAPERS)]
YEARS = {paper.id: paper.year for paper in PAPERS}
IDS = st.sampled_from([paper.id for paper in PAPERS])
QUERIES = st.builds(
    Query,
    title=st.sampled_from([paper.title for paper in PAPERS]),
    abstract=st.sampled_from(["", *(paper.abstract for paper in PAPERS[:12])]),
    id=st.one_of(st.just(""), IDS, st.just("unknown")),
    year=st.none() | st.integers(1960, 2025),
    since=st.none() | st.integers(1960, 1995),
    cited=st.lists(IDS | st.just("unknown"), max_size=30).map(tuple),
    hidden=st.lists(IDS | st.just("unknown"), max_size=5).map(tuple),
).filter(lambda query: query.year is None or query.since is None or query.since <= query.year)
SIZES = st.integers(1, 80)
