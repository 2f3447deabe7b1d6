"""The tools: each call is answered in a thread, can be cancelled, and fails in plain words."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from citewise import systems
from citewise.drafts.passages import LONGEST, lines_of, sentences_of
from citewise.drafts.query import DraftOptions
from citewise.errors import BadInput, CitewiseError
from citewise.mcp import results
from citewise.mcp.live import LiveLibrary
from citewise.mcp.results import (
    CheckedPassage,
    FoundPapers,
    LibraryInfo,
    PaperDetails,
    PaperList,
    QuotationList,
    Recommendations,
)
from citewise.preferences import Preferences
from citewise.types import Query

MOST = 100
"""Papers of one answer."""

MOST_SENTENCES = 100
"""Sentences of a passage that are checked."""

_Result = TypeVar("_Result")

Id = Annotated[
    str, Field(description="A paper's id from another tool, or its DOI, arXiv id, PMID or key.")
]
Count = Annotated[int, Field(ge=1, le=MOST, description="How many papers at most.")]
Limit = Annotated[int, Field(ge=1, le=MOST, description="How many at most.")]
Offset = Annotated[int, Field(ge=0, description="How many to pass over: next_offset, else 0.")]
Title = Annotated[str, Field(description="The draft's title.")]
Abstract = Annotated[str, Field(description="The draft's abstract.")]
Cited = Annotated[
    list[str] | None, Field(description="Ids or DOIs of papers that the draft cites already.")
]
Year = Annotated[int | None, Field(description="Only papers up to this year.")]
Since = Annotated[int | None, Field(description="Only papers from this year on.")]
System = Annotated[
    str, Field(description=f"Another system than the usual: {', '.join(systems.SYSTEMS)}.")
]
Weight = Annotated[
    float, Field(ge=-1, le=1, description="From -1 (the opposite) to 1; 0: neither.")
]


class Tools:
    """The tools over one library; the docstrings are what assistants read."""

    def __init__(self, live: LiveLibrary) -> None:
        self._live = live
        self._threads: anyio.CapacityLimiter | None = None

    async def recommend_papers(
        self,
        context: Context,
        title: Title = "",
        abstract: Abstract = "",
        text: Annotated[
            str,
            Field(description="The draft itself instead: plain text, Markdown or LaTeX."),
        ] = "",
        cited: Cited = None,
        authors: Annotated[list[str] | None, Field(description="The draft's authors.")] = None,
        k: Count = 10,
        year: Year = None,
        since: Since = None,
        evidence: Annotated[
            int, Field(ge=0, le=10, description="Quotations a paper of who cites it for what.")
        ] = 0,
        system: System = "",
        prefer_recent: Weight = 0.0,
        prefer_cited: Weight = 0.0,
        diversify: Annotated[
            float, Field(ge=0, le=1, description="From 0 to 1: fewer similar papers.")
        ] = 0.0,
        no_self_citations: Annotated[
            bool, Field(description="Leave out papers of the draft's authors.")
        ] = False,
    ) -> Recommendations:
        """Find the papers of the user's library that a draft should cite, best first, each with
        reasons. Give a title and an abstract, or the text of the draft. What the draft cites
        already is left out.
        """
        preferences = (prefer_recent, prefer_cited, diversify, no_self_citations)

        def read() -> Callable[[], Recommendations]:
            library = self._live.library()
            options = DraftOptions(
                title=title,
                abstract=abstract,
                text=_short_enough(text),
                cited=tuple(cited or ()),
                authors=tuple(authors or ()),
                year=year,
                since=since,
                preferences=Preferences(*preferences),
            )
            query = library.query(None, options)

            def answer() -> Recommendations:
                found = library.answer(query, k, _named(system), explain=True, evidence=evidence)
                return results.recommendations(found, query.unknown)

            return answer

        await context.report_progress(0, 2, "reading the draft")
        answer = await self._run(read)
        await context.report_progress(1, 2, "ranking papers")
        found = await self._run(answer)
        await context.report_progress(2, 2, "done")
        return found

    async def cite_sentence(
        self,
        sentence: Annotated[str, Field(description="A claim, or a name such as a method's.")],
        title: Title = "",
        abstract: Abstract = "",
        cited: Cited = None,
        k: Count = 5,
        year: Year = None,
        since: Since = None,
        evidence: Annotated[int, Field(ge=0, le=10, description="Quotations a paper.")] = 2,
        system: System = "",
    ) -> Recommendations:
        """Find the papers of the user's library to cite for one sentence, each with sentences of
        the literature that cite it for similar claims. Title and abstract of the draft help.
        """

        def answer() -> Recommendations:
            library = self._live.library()
            asked = lines_of(" ".join(_short_enough(sentence).split()))
            if not asked:
                raise BadInput("there is no sentence to find citations for")
            options = DraftOptions(
                title=title,
                abstract=abstract,
                cited=tuple(cited or ()),
                year=year,
                since=since,
            )
            draft = library.query(None, options)
            query = replace(draft.query, sentence=asked[0].text)
            found = library.answer(query, k, _named(system), explain=True, evidence=evidence)
            return results.recommendations(found, draft.unknown)

        return await self._run(answer)

    async def check_passage(
        self,
        context: Context,
        text: Annotated[str, Field(description="A paragraph or a section of the draft.")],
        title: Title = "",
        abstract: Abstract = "",
        k: Annotated[int, Field(ge=1, le=20, description="Papers a sentence.")] = 3,
        year: Year = None,
    ) -> CheckedPassage:
        """Check a passage sentence by sentence: which sentences seem to lack a citation, and which
        papers of the user's library to cite there. Long passages take some seconds.
        """
        library = await self._run(self._live.library)
        sentences = await self._run(lambda: sentences_of(_short_enough(text)))
        if not sentences:
            raise ToolError("there is no sentence in this passage")
        draft = Query(title, abstract, year=year)
        advice = library.advise(sentences[:MOST_SENTENCES], draft, k, evidence=1)

        checked = []
        for number, _ in enumerate(sentences[:MOST_SENTENCES], 1):
            checked.append(await self._run(lambda: results.checked_sentence(next(advice))))
            await context.report_progress(number, min(len(sentences), MOST_SENTENCES))

        left = len(sentences) - MOST_SENTENCES
        notes = (
            [f"The last {left} sentences were not checked: send them alone."] if left > 0 else []
        )
        return CheckedPassage(sentences=checked, notes=notes)

    async def get_paper(self, id: Id) -> PaperDetails:
        """Look a paper up by any of its ids: abstract, authors, citation key, and how many papers
        of the library it cites and is cited by.
        """

        def look_up() -> PaperDetails:
            library = self._live.library()
            return results.paper_details(library, library[id])

        return await self._run(look_up)

    async def search_papers(
        self,
        query: Annotated[str, Field(description="Words of a title, a whole title, or any id.")],
        limit: Limit = 10,
    ) -> FoundPapers:
        """Search the user's library for papers by words of their titles, or by an id. To find
        papers about a subject, use recommend_papers.
        """

        def search() -> FoundPapers:
            return results.found_papers(self._live.library().search(query, limit + 1), limit)

        return await self._run(search)

    async def get_references(self, id: Id, limit: Limit = 20, offset: Offset = 0) -> PaperList:
        """List the papers of the user's library that a paper cites, the most cited first."""

        def listed() -> PaperList:
            page = self._live.library().references(id, limit, offset)
            return results.paper_list(page.papers, page.total, offset)

        return await self._run(listed)

    async def get_citers(self, id: Id, limit: Limit = 20, offset: Offset = 0) -> PaperList:
        """List the papers of the user's library that cite a paper, the most cited first."""

        def listed() -> PaperList:
            page = self._live.library().citers(id, limit, offset)
            return results.paper_list(page.papers, page.total, offset)

        return await self._run(listed)

    async def get_evidence(
        self,
        id: Id,
        about: Annotated[
            str, Field(description="A claim: the sentences most similar to it come first.")
        ] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="How many at most.")] = 5,
    ) -> QuotationList:
        """Quote sentences of the literature that cite a paper: what it is cited for."""

        def quoted() -> QuotationList:
            spans = self._live.library().evidence(id, about, limit)
            return QuotationList(quotations=[results.quotation(span) for span in spans])

        return await self._run(quoted)

    async def export_bibliography(
        self,
        ids: Annotated[list[str], Field(max_length=1000, description="Ids of papers.")],
        format: Annotated[
            Literal["bibtex", "ris", "csl", "markdown", "list", "ieee", "vancouver"],
            Field(description="`list` (APA), `ieee`, `vancouver`: references for people."),
        ] = "bibtex",
    ) -> str:
        """Export papers by their ids as BibTeX (or RIS, CSL-JSON, Markdown, a plain list), with the
        citation keys of the user's own .bib file where they came from one.
        """
        return await self._run(lambda: self._live.library().bibliography(ids, format))

    async def describe_library(self) -> LibraryInfo:
        """Describe the user's library: how many papers, of which years, how many with references
        and citing sentences.
        """
        return await self._run(lambda: results.library_info(self._live.library().describe()))

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        """Return what work in a thread returns; its errors become those of a tool.

        A call that is cancelled does not wait for its thread.
        """
        if self._threads is None:  # made within the event loop
            self._threads = anyio.CapacityLimiter(max(2, os.cpu_count() or 1))
        try:
            return await anyio.to_thread.run_sync(
                work, abandon_on_cancel=True, limiter=self._threads
            )
        except CitewiseError as error:
            raise ToolError(str(error)) from None


def _named(system: str) -> str:
    """Return the spelling of the system that is asked for, "" for the usual one."""
    return systems.served_name(system) if system else ""


def _short_enough(text: str) -> str:
    """Return a text, or raise BadInput where it is too long to be a draft."""
    if len(text) > LONGEST:
        raise BadInput(
            f"the text has {len(text):,} characters, and {LONGEST:,} are read at most: send a part"
        )
    return text
