"""What tools return: short structured answers, with ids that the next call takes."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from citewise.api import Description, Library
from citewise.drafts.advice import Advice
from citewise.render.json_answers import paper_documents
from citewise.render.names import given_first
from citewise.render.quotations import named
from citewise.render.tables import match_note
from citewise.render.understood import remarks
from citewise.types import Answer, EvidenceSpan, Paper, Recommendation

_MOST_AUTHORS = 3


class PaperLine(BaseModel):
    """A paper of the library, in short."""

    id: str = Field(description="Its id, as other tools take it.")
    title: str
    authors: str
    year: int | None
    venue: str


class PaperList(BaseModel):
    """Some papers of a list."""

    papers: list[PaperLine]
    total: int = Field(description="How many there are in all.")
    next_offset: int | None = Field(description="Where the next page begins, null at the end.")


class FoundPapers(BaseModel):
    """The papers that a search can mean, best first."""

    papers: list[PaperLine]
    more: bool = Field(description="Whether further papers match; more words or a limit find them.")


class Quotation(BaseModel):
    """A sentence of the literature that cites a paper."""

    sentence: str
    by: str = Field(description="The papers that it is from, or that cite with the same words.")
    times: int = Field(description="How often the paper is cited for this.")


class RecommendedPaper(PaperLine):
    """A paper to cite, and why."""

    rank: int
    score: float
    chance: float | None = Field(description="The chance that a paper like the draft cites it.")
    why: list[str] = Field(description="Reasons, strongest first.")
    quotations: list[Quotation] = Field(
        description="Sentences that cite the paper for similar claims."
    )


class Recommendations(BaseModel):
    """The papers to cite, best first."""

    papers: list[RecommendedPaper]
    match: str | None = Field(
        description="How well the library answers: good, weak or none; null where this is unknown."
    )
    notes: list[str] = Field(description="What the author should know about this answer.")
    system: str = Field(description="The system that answered.")


class CheckedSentence(BaseModel):
    """A sentence of a passage, and what to cite for it."""

    sentence: str
    cites: bool = Field(description="Whether it has a citation already.")
    wants_citation: bool = Field(
        description="Whether others cite for nearly the same words, and there is no citation here."
    )
    papers: list[RecommendedPaper]


class CheckedPassage(BaseModel):
    """The sentences of a passage, in order."""

    sentences: list[CheckedSentence]
    notes: list[str]


class PaperDetails(BaseModel):
    """All that is worth knowing about a paper."""

    id: str
    title: str
    abstract: str
    authors: list[str]
    year: int | None
    venue: str
    ids: list[str] = Field(description="Its other ids.")
    key: str = Field(description="Its citation key in exported bibliographies.")
    url: str
    references: int = Field(description="How many papers of the library it cites.")
    citers: int = Field(description="How many papers of the library cite it.")


class QuotationList(BaseModel):
    """Sentences that cite a paper."""

    quotations: list[Quotation]


class LibraryInfo(BaseModel):
    """What the library holds."""

    path: str
    papers: int
    with_abstract: int
    with_references: int
    citations: int
    citing_sentences: int
    first_year: int | None
    last_year: int | None
    models: list[str]
    generation: int


def paper_line(paper: Paper) -> dict[str, Any]:
    """Return the fields of a `PaperLine`."""
    names = ", ".join(map(given_first, paper.authors[:_MOST_AUTHORS]))
    more = " et al." if len(paper.authors) > _MOST_AUTHORS else ""
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": names + more,
        "year": paper.year,
        "venue": paper.venue,
    }


def found_papers(papers: Sequence[Paper], limit: int) -> FoundPapers:
    """Return the first `limit` of the papers that were found."""
    lines = [PaperLine(**paper_line(paper)) for paper in papers[:limit]]
    return FoundPapers(papers=lines, more=len(papers) > limit)


def paper_list(papers: Sequence[Paper], total: int, offset: int) -> PaperList:
    """Return papers that begin at an offset of a list of `total`."""
    end = offset + len(papers)
    lines = [PaperLine(**paper_line(paper)) for paper in papers]
    return PaperList(papers=lines, total=total, next_offset=end if end < total else None)


def quotation(span: EvidenceSpan) -> Quotation:
    """Return a sentence that cites a paper, and who wrote it."""
    by = "; ".join(map(named, span.citing))
    return Quotation(sentence=" ".join(span.text.split()), by=by, times=span.support)


def recommended(each: Recommendation) -> RecommendedPaper:
    """Return one of an answer's papers."""
    return RecommendedPaper(
        **paper_line(each.paper),
        rank=each.rank,
        score=each.score,
        chance=each.confidence,
        why=[reason.sentence for reason in each.reasons],
        quotations=[quotation(span) for span in each.evidence],
    )


def recommendations(answer: Answer, unknown: Sequence[str] = ()) -> Recommendations:
    """Return an answer; `unknown` are ids of cited papers that the library does not have."""
    notes = [match_note(answer), answer.served_by.advice]
    notes += remarks(answer.read) if answer.read else []
    notes += [f"Not in the library: {', '.join(unknown)}."] if unknown else []
    return Recommendations(
        papers=[recommended(each) for each in answer],
        match=answer.match,
        notes=[note for note in notes if note],
        system=answer.served_by.system,
    )


def checked_sentence(advice: Advice) -> CheckedSentence:
    """Return a sentence with the advice for it."""
    return CheckedSentence(
        sentence=advice.sentence.written,
        cites=advice.sentence.cites,
        wants_citation=advice.wanted,
        papers=[recommended(each) for each in advice.answer],
    )


def paper_details(library: Library, paper: Paper) -> PaperDetails:
    """Return a paper of a library with the numbers of its references and citers."""
    about = paper_documents([paper])[0]
    return PaperDetails(
        id=paper.id,
        title=paper.title,
        abstract=paper.abstract,
        authors=[given_first(name) for name in paper.authors],
        year=paper.year,
        venue=paper.venue,
        ids=[name for name in paper.ids if name != paper.id],
        key=about["key"],
        url=about.get("url", ""),
        references=library.references(paper.id, limit=1).total,
        citers=library.citers(paper.id, limit=1).total,
    )


def library_info(about: Description) -> LibraryInfo:
    """Return what is worth knowing about a library before it is asked."""
    years = [year for year in about.years if year]
    return LibraryInfo(
        path=about.path,
        papers=about.papers,
        with_abstract=about.with_abstract,
        with_references=about.with_references,
        citations=about.citations,
        citing_sentences=about.sentences,
        first_year=min(years, default=None),
        last_year=max(years, default=None),
        models=[*about.models],
        generation=about.generation,
    )
