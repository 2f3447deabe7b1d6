"""Routes for supervisors and monitors: health, readiness, metrics."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from citewise.http.desk import as_json, desk_of
from citewise.http.documents import problems

routes = APIRouter(tags=["operations"])


@routes.get("/healthz", responses={200: {"description": "The process answers"}})
async def healthz() -> Response:
    """Say that the process answers."""
    return as_json({"status": "ok"})


@routes.get("/readyz", responses={200: {"description": "It can answer"}, **problems(503)})
async def readyz(request: Request) -> Response:
    """Say whether requests can be answered: the library is open, all of its shards included, or
    there is none yet.
    """
    desk = desk_of(request)
    return as_json({"status": "ready", "open": await desk.run(desk.served.ready)})


@routes.get(
    "/metrics",
    responses={200: {"description": "Counters for Prometheus", "content": {"text/plain": {}}}},
)
async def metrics(request: Request) -> Response:
    """Return counters as Prometheus reads them."""
    desk = desk_of(request)
    opened = desk.served.opened
    gauges = {"library_open": float(opened is not None), "requests_pending": desk.pool.pending}
    if opened is not None:
        info = opened.library.stores.info
        gauges |= {
            "library_papers": len(opened.library),
            "library_generation": info.generation,
            "library_bytes": info.bytes_on_disk,
        }
    return Response(desk.metrics.text(gauges), media_type="text/plain; version=0.0.4")
