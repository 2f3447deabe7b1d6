"""Routes about papers: one with its neighbours, search, the map, bibliographies."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from citewise.api import Library
from citewise.browse import PaperPage
from citewise.citation_map import citation_map, roles_of
from citewise.errors import BadInput
from citewise.http.bodies import body_of, documented, negotiated
from citewise.http.desk import as_json, desk_of
from citewise.http.documents import BIBLIOGRAPHY_TYPES, described, problems
from citewise.http.paper_documents import (
    EvidenceDocument,
    MapDocument,
    NeighboursDocument,
    PaperDocument,
    PapersDocument,
)
from citewise.http.schemas import BibliographyRequest, MapRequest
from citewise.render.json_answers import paper_documents
from citewise.types import Paper

routes = APIRouter(tags=["papers"])

IdPath = Annotated[str, Path(description="Any id of the paper; it may have slashes.")]
IdQuery = Annotated[str, Query(max_length=2_000, description="Any id of the paper.")]
Limit = Annotated[int, Query(ge=1, le=500, description="The most papers or sentences to return.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000, description="How many to leave out first.")]
About = Annotated[str, Query(max_length=10_000, description="A claim; similar sentences first.")]

FORMATS = {"application/x-bibtex": "bibtex", **BIBLIOGRAPHY_TYPES, "text/plain": "list"}
_PROBLEMS = problems(404, 409, 422, 503)


async def _about(request: Request, work: Callable[[Library], Any]) -> Response:
    """Return what some work finds in the library, as JSON."""
    desk = desk_of(request)
    return as_json(await desk.run(lambda: work(desk.served.library())))


def _documents(library: Library, papers: Sequence[Paper]) -> list[dict[str, Any]]:
    """Return papers as JSON objects, each with the number of papers that cite it."""
    counts = library.citation_counts(paper.id for paper in papers)
    documents = zip(paper_documents(papers), counts, strict=True)
    return [{**document, "citations": count} for document, count in documents]


def _page(library: Library, page: PaperPage) -> dict[str, Any]:
    return {"papers": _documents(library, page.papers), "total": page.total}


async def _references(request: Request, id: str, limit: int, offset: int) -> Response:
    return await _about(
        request, lambda library: _page(library, library.references(id, limit, offset))
    )


async def _citers(request: Request, id: str, limit: int, offset: int) -> Response:
    return await _about(request, lambda library: _page(library, library.citers(id, limit, offset)))


async def _evidence(request: Request, id: str, q: str, limit: int) -> Response:
    def work(library: Library) -> dict[str, Any]:
        return {"evidence": [asdict(span) for span in library.evidence(id, q, limit)]}

    return await _about(request, work)


async def _paper(request: Request, id: str) -> Response:
    return await _about(request, lambda library: _documents(library, [library[id]])[0])


@routes.get(
    "/v1/papers/{id:path}/references",
    responses={**described(NeighboursDocument, "Papers that it cites"), **_PROBLEMS},
)
async def references(
    request: Request, id: IdPath, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """Return the papers of the library that a paper cites, most cited first."""
    return await _references(request, id, limit, offset)


@routes.get(
    "/v1/papers/{id:path}/citers",
    responses={**described(NeighboursDocument, "Papers that cite it"), **_PROBLEMS},
)
async def citers(request: Request, id: IdPath, limit: Limit = 50, offset: Offset = 0) -> Response:
    """Return the papers of the library that cite a paper, most cited first."""
    return await _citers(request, id, limit, offset)


@routes.get(
    "/v1/papers/{id:path}/evidence",
    responses={**described(EvidenceDocument, "Sentences that cite it"), **_PROBLEMS},
)
async def evidence(request: Request, id: IdPath, q: About = "", limit: Limit = 10) -> Response:
    """Return sentences of the literature that cite a paper, most similar to a claim first."""
    return await _evidence(request, id, q, limit)


@routes.get(
    "/v1/papers/{id:path}",
    responses={**described(PaperDocument, "The paper"), **_PROBLEMS},
)
async def paper(request: Request, id: IdPath) -> Response:
    """Return a paper."""
    return await _paper(request, id)


@routes.get("/v1/papers", responses={**described(PaperDocument, "The paper"), **_PROBLEMS})
async def paper_by_query(request: Request, id: IdQuery) -> Response:
    """Return a paper, for an id that is no good part of a path."""
    return await _paper(request, id)


@routes.get(
    "/v1/references",
    responses={**described(NeighboursDocument, "Papers that it cites"), **_PROBLEMS},
)
async def references_by_query(
    request: Request, id: IdQuery, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """Return the papers that a paper cites, for an id that is no good part of a path."""
    return await _references(request, id, limit, offset)


@routes.get(
    "/v1/citers", responses={**described(NeighboursDocument, "Papers that cite it"), **_PROBLEMS}
)
async def citers_by_query(
    request: Request, id: IdQuery, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """Return the papers that cite a paper, for an id that is no good part of a path."""
    return await _citers(request, id, limit, offset)


@routes.get("/v1/evidence", responses={**described(EvidenceDocument, "Sentences"), **_PROBLEMS})
async def evidence_by_query(
    request: Request, id: IdQuery, q: About = "", limit: Limit = 10
) -> Response:
    """Return sentences that cite a paper, for an id that is no good part of a path."""
    return await _evidence(request, id, q, limit)


@routes.get(
    "/v1/search",
    responses={**described(PapersDocument, "The papers"), **problems(409, 422, 503)},
)
async def search(
    request: Request,
    q: Annotated[str, Query(max_length=2_000, description="Words of a title, or any id.")],
    limit: Limit = 20,
) -> Response:
    """Return the papers that a text can mean: by id, by title, by words of the title."""
    return await _about(
        request, lambda library: {"papers": _documents(library, library.search(q, limit))}
    )


@routes.post(
    "/v1/map",
    openapi_extra=documented(MapRequest),
    responses={**described(MapDocument, "The map"), **problems(400, 408, 409, 413, 415, 422, 503)},
)
async def map_of_papers(
    request: Request, asked: Annotated[MapRequest, Depends(body_of(MapRequest))]
) -> Response:
    """Lay papers out on a map: years from left to right, similar ones side by side."""
    roles = roles_of(asked.recommended, asked.basket, asked.cited)
    most = desk_of(request).settings.limits.map
    if len(roles) > most:
        raise BadInput(f"a map has at most {most} papers, not {len(roles)}")
    return await _about(request, lambda library: asdict(citation_map(library.stores, roles)))


@routes.post(
    "/v1/bibliography",
    openapi_extra=documented(BibliographyRequest),
    responses={
        200: {
            "description": "The bibliography",
            "content": {media: {"schema": {"type": "string"}} for media in FORMATS}
            | {"application/vnd.citationstyles.csl+json": {"schema": {"type": "array"}}},
        },
        **problems(400, 404, 406, 408, 409, 413, 415, 422, 503),
    },
)
async def bibliography(
    request: Request, asked: Annotated[BibliographyRequest, Depends(body_of(BibliographyRequest))]
) -> Response:
    """Return papers as BibTeX, RIS, CSL-JSON, Markdown or a list of formatted references."""
    desk = desk_of(request)
    desk.check_ids(asked.ids)
    format = asked.format or negotiated(request.headers.get("accept", ""), FORMATS)

    text = await desk.run(lambda: desk.served.library().bibliography(asked.ids, format))
    media = next((media for media, name in FORMATS.items() if name == format), "text/plain")
    return Response(text, media_type=media)
