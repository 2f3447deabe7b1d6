"""Reads and writes runs and judgements in TREC's formats, and writes the layout of BEIR."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec
import numpy as np
from numpy.typing import NDArray

from citewise.errors import BadInput, MissingData
from citewise.evaluate.splits import Question
from citewise.protocols import Stores
from citewise.types import Paper

_BATCH = 5_000


def read_run(path: str | Path) -> dict[str, list[str]]:
    """Return each query's papers as trec_eval orders them: by score, equal ones by id backwards;
    ranks are not read.

    A file is a TREC run, or one JSON object {"query_paper": score} as MDCR's `evaluate.py` takes.
    """
    if _is_object(path):
        return _ordered(_read_pairs(path))

    scored: dict[str, dict[str, float]] = {}
    for number, parts in _lines(path):
        if len(parts) != 6:
            raise BadInput(
                f"{path}:{number}: a line of a run is: query Q0 paper rank score tag; this one has "
                f"{len(parts)} columns"
            )

        papers = scored.setdefault(parts[0], {})
        if parts[2] in papers:
            raise BadInput(f"{path}:{number}: query {parts[0]} has paper {parts[2]} twice")
        papers[parts[2]] = _number(parts[4], f"{path}:{number}")
    return _ordered(scored)


def _ordered(scored: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """Return each query's papers by score, equal ones by id backwards."""
    return {
        query: sorted(papers, key=lambda paper: (papers[paper], paper), reverse=True)
        for query, papers in scored.items()
    }


def _is_object(path: str | Path) -> bool:
    """Return whether a file begins as a JSON object does."""
    try:
        with Path(path).open("rb") as file:
            return file.read(1000).lstrip().startswith(b"{")
    except FileNotFoundError:
        raise MissingData(f"{path}: no such file") from None


def _read_pairs(path: str | Path) -> dict[str, dict[str, float]]:
    """Return the scores of pairs by query and paper; the two ids are joined by the key's only
    underscore.
    """
    try:
        pairs = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, float])
    except msgspec.MsgspecError as error:
        raise BadInput(
            f'{path}: scores of pairs are one object {{"query_paper": score}} ({error})'
        ) from None

    scored: dict[str, dict[str, float]] = {}
    for key, score in pairs.items():
        query, _, paper = key.partition("_")
        if not (query and paper) or "_" in paper:
            raise BadInput(f"{path}: {key!r} is not the ids of a query and a paper with _ between")
        scored.setdefault(query, {})[paper] = score
    return scored


def read_qrels(path: str | Path) -> dict[str, list[str]]:
    """Return each query's relevant papers: those with a grade above 0."""
    return {
        query: [paper for paper, grade in graded if grade > 0]
        for query, graded in read_grades(path).items()
    }


def read_grades(path: str | Path) -> dict[str, list[tuple[str, float]]]:
    """Return each query's judged papers with their grades."""
    grades: dict[str, list[tuple[str, float]]] = {}
    for number, parts in _lines(path):
        if len(parts) != 4:
            raise BadInput(
                f"{path}:{number}: a line of judgements is: query 0 paper grade; this one has "
                f"{len(parts)} columns"
            )
        grades.setdefault(parts[0], []).append((parts[2], _number(parts[3], f"{path}:{number}")))
    return grades


def _lines(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with Path(path).open(encoding="utf-8") as file:
            yield from (
                (number, line.split()) for number, line in enumerate(file, 1) if line.strip()
            )
    except FileNotFoundError:
        raise MissingData(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file") from None


def _number(text: str, location: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if math.isnan(value):  # cannot be sorted
        raise BadInput(f"{location}: {text!r} is not a number")
    return value


def write_qrels(file: IO[str], questions: Sequence[Question], names: Mapping[int, str]) -> None:
    """Write the papers that each query should find, as lines `query 0 paper 1`."""
    file.writelines(
        f"{token(each.id)} 0 {token(names[row])} 1\n" for each in questions for row in each.gold
    )


def write_queries(file: IO[str], questions: Sequence[Question]) -> None:
    """Write queries as `citewise run` reads them, with the papers that are hidden from each."""
    for question in questions:
        query = question.query
        record = {
            "id": question.id,
            "title": query.title,
            "abstract": query.abstract,
            "year": query.year,
            "hidden": query.hidden,
            "authors": query.authors,
        }

        file.write(
            msgspec.json.encode({name: value for name, value in record.items() if value}).decode()
            + "\n"
        )


def write_beir(folder: str | Path, stores: Stores, questions: Sequence[Question]) -> None:
    """Write the whole library and the queries in BEIR's layout, which cannot say what a query may
    not see.
    """
    folder = Path(folder)
    (folder / "qrels").mkdir(parents=True, exist_ok=True)

    with (folder / "corpus.jsonl").open("wb") as file:
        for start in range(0, stores.papers.rows.size, _BATCH):
            papers = stores.papers.read(stores.papers.rows[start : start + _BATCH])
            file.writelines(
                _beir(paper.id, paper.title, paper.abstract, _about(paper)) for paper in papers
            )

    with (folder / "queries.jsonl").open("wb") as file:
        file.writelines(_beir(each.id, "", each.query.text.strip(), {}) for each in questions)

    names = gold_names(stores, questions)
    with (folder / "qrels" / "test.tsv").open("w", encoding="utf-8") as table:
        table.write("query-id\tcorpus-id\tscore\n")
        table.writelines(f"{each.id}\t{names[row]}\t1\n" for each in questions for row in each.gold)


def _beir(id: str, title: str, text: str, metadata: Mapping[str, object]) -> bytes:
    record = {"_id": id, **({"title": title} if title else {}), "text": text, "metadata": metadata}
    return msgspec.json.encode(record) + b"\n"


def _about(paper: Paper) -> dict[str, object]:
    return {"year": paper.year} if paper.year else {}


def gold_names(stores: Stores, questions: Sequence[Question]) -> dict[int, str]:
    """Return the ids of all papers that some query should find, by row."""
    rows = sorted({row for question in questions for row in question.gold})
    return dict(zip(rows, (paper.id for paper in stores.papers.read(rows)), strict=True))


def write_run(
    file: IO[str], query: str, papers: Sequence[str], scores: Sequence[float], tag: str
) -> None:
    """Append a query's answers in TREC's format, as lines `query Q0 paper rank score tag`; white
    space in an id becomes %20.
    """
    for rank, (paper, score) in enumerate(zip(papers, _falling(scores).tolist(), strict=True), 1):
        file.write(f"{token(query)} Q0 {token(paper)} {rank} {np.float32(score)!s} {token(tag)}\n")


def _falling(scores: Sequence[float]) -> NDArray[np.float32]:
    """Return the scores made strictly falling: trec_eval reads 32 bits and orders equal scores by
    ids, which would change the order.
    """
    values = np.array(scores, np.float32)

    for position in np.flatnonzero(np.diff(values) >= 0).tolist():
        for later in range(position + 1, values.size):
            if values[later] < values[later - 1]:
                break
            values[later] = np.nextafter(values[later - 1], np.float32(-np.inf))
    return values


def token(text: str) -> str:
    """Return an id for TREC's formats, with %20 for white space."""
    return "%20".join(text.split())
