"""The measuring protocol of the `cs` and `elife` corpora: queries, judgements, measures."""

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import ir_measures
import msgspec
from ir_measures import RR, P, R

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
WORK = ROOT / "benchmarks" / "work"


@dataclass(frozen=True, slots=True)
class Judged:
    """A query with the papers that it really cites."""

    id: str
    title: str
    abstract: str
    year: int
    gold: tuple[str, ...]


def records(corpus: str) -> Iterator[dict]:
    with lzma.open(DATA / corpus / "papers.jsonl.xz", "rb") as file:
        for line in file:
            yield msgspec.json.decode(line)


def queries(papers: Iterable[dict], year: int, least: int) -> list[Judged]:
    """Return the papers of a year with an abstract and at least `least` references in the corpus,
    none younger.
    """
    papers = list(papers)
    years = {paper["id"]: paper.get("year") for paper in papers}

    found = []
    for paper in papers:
        if paper.get("year") != year or not paper.get("abstract"):
            continue
        gold = {
            target
            for target in paper.get("references") or []
            if target != paper["id"] and (years.get(target) or 9999) <= year
        }
        if len(gold) >= least:
            found.append(
                Judged(paper["id"], paper["title"], paper["abstract"], year, tuple(sorted(gold)))
            )
    return found


def saved_queries(corpus: str, year: int, least: int) -> list[Judged]:
    """Return the queries of a year, kept in a small file so that a process need not read the corpus
    for them.
    """
    path = WORK / f"{corpus}-queries-{year}.json"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        path.write_bytes(msgspec.json.encode(queries(records(corpus), year, least)))
    return msgspec.json.decode(path.read_bytes(), type=list[Judged])


def measure(asked: list[Judged], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return F1@20 (harmonic mean of mean P@20 and mean R@20), MRR@1000 and R@1000, computed by
    ir_measures.
    """
    judgements = {query.id: dict.fromkeys(query.gold, 1) for query in asked}
    found = ir_measures.calc_aggregate([P @ 20, R @ 20, RR @ 1000, R @ 1000], judgements, run)
    precision, recall = found[P @ 20], found[R @ 20]
    return {
        "F1@20": round(2 * precision * recall / (precision + recall), 4),
        "MRR@1000": round(found[RR @ 1000], 4),
        "R@1000": round(found[R @ 1000], 4),
        "queries": len(asked),
    }
