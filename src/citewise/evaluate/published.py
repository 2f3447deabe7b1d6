"""Pools that others published: MDCR's files, and judgements of pools as SciDocs has them.

MDCR: `mdcr_test.json` is {field: {query: {kind: [papers]}}}, the kind `true` being what the query
cites, as its `evaluate.py` reads it. SciDocs: `cite/test.qrel` has lines `query 0 paper grade`,
grade 0 for a negative. Texts: MDCR's `mdcr_test_data.jsonl` has an object with a `paper_id` a line,
SciDocs' `paper_metadata_view_cite_read.json` is one object of such objects by id.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from citewise.errors import BadInput, MissingData
from citewise.evaluate.interchange import read_grades
from citewise.evaluate.pools import RANDOM, Pool, Pools
from citewise.ingest.report import Report, SourceLocation
from citewise.types import Paper

_TRUE = "true"
_LINES_SEEN = 10
_Mdcr = dict[str, dict[str, dict[str, list[str | int]]]]


class _Text(msgspec.Struct):
    """The fields of a paper that are read: no references, which would reveal what a query cites."""

    paper_id: str | int
    title: str | None = None
    abstract: str | None = None
    year: int | None = None


def read_pools(path: str | Path) -> Pools:
    """Read pools of citewise, of MDCR or of SciDocs; the format is recognised by its content."""
    start = _start(path)
    if start.startswith(b'{"library":'):
        return Pools.load(path)
    return read_mdcr(path) if start.startswith(b"{") else read_scidocs(path)


def _start(path: str | Path) -> bytes:
    """Return the first bytes of a file."""
    try:
        with Path(path).open("rb") as file:
            return file.read(1000).lstrip()
    except FileNotFoundError:
        raise MissingData(f"{path}: no such file; make it with: citewise pools build") from None


def read_mdcr(path: str | Path) -> Pools:
    """Read MDCR's pools; a field is one of Microsoft Academic Graph's."""
    try:
        fields = msgspec.json.decode(Path(path).read_bytes(), type=_Mdcr)
    except msgspec.MsgspecError as error:
        raise BadInput(f"{path}: neither pools of citewise nor of MDCR ({error})") from None

    return Pools(
        tuple(
            Pool(
                id=query,
                field=field,
                cited=tuple(map(str, kinds.get(_TRUE, ()))),
                negatives={
                    kind.replace("_", "-"): tuple(map(str, papers))
                    for kind, papers in kinds.items()
                    if kind != _TRUE
                },
            )
            for field, queries in fields.items()
            for query, kinds in queries.items()
        )
    )


def read_scidocs(path: str | Path) -> Pools:
    """Read judgements of pools, both relevant and not; all are of one field, which has the name of
    the file's folder.
    """
    field = Path(path).resolve().parent.name

    pools = tuple(
        Pool(
            id=query,
            field=field,
            cited=tuple(paper for paper, grade in graded if grade > 0),
            negatives={RANDOM: tuple(paper for paper, grade in graded if grade <= 0)},
        )
        for query, graded in read_grades(path).items()
    )

    if not any(pool.negatives[RANDOM] for pool in pools):
        raise BadInput(
            f"{path}: has no judgement of 0, so no pool; a pool lists what is not relevant as well"
        )
    return Pools(pools)


def read_texts(path: str | Path, report: Report | None = None) -> Iterator[Paper]:
    """Yield the papers of MDCR or SciDocs, with title, abstract and year.

    With a report, lines that are no papers are counted there and skipped; without, they are errors.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingData(f"{path}: no such file") from None

    for text in _texts(path, content, report):
        yield Paper(str(text.paper_id), text.title or "", text.abstract or "", text.year)


def _texts(path: str | Path, content: bytes, report: Report | None) -> Iterator[_Text]:
    """Yield the papers of a file, by lines or as one object."""
    lines = content.split(b"\n")
    if not any(map(_is_text, lines[:_LINES_SEEN])):
        try:
            yield from msgspec.json.decode(content, type=dict[str, _Text]).values()
        except msgspec.MsgspecError as error:
            raise BadInput(
                f'{path}: papers are lines of {{"paper_id", "title", "abstract"}} or one object of '
                f"them by id ({error})"
            ) from None
        return

    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                yield msgspec.json.decode(line, type=_Text)
        except msgspec.MsgspecError as error:
            if report is None:
                raise BadInput(
                    f'{path}:{number}: a line is {{"paper_id", "title", "abstract"}} ({error})'
                ) from None
            location = SourceLocation(str(path), number)
            report.note("skipped", "not_a_paper", location, detail=str(error))


def _is_text(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=_Text)
    except msgspec.MsgspecError:
        return False
    return True
