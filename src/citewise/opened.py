"""The Python face of a library: what `citewise.open` returns, and the verbs that change a library."""

import functools
import importlib.resources
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

from citewise import systems
from citewise.drafts import Draft, draft_of
from citewise.embed.encoder import BertEncoder
from citewise.embed.folder import MINILM
from citewise.errors import BadInput
from citewise.evidence.spans import Extractor
from citewise.garbage import uncollected
from citewise.ingest import Progress, Record, read
from citewise.ingest.ahead import read_ahead
from citewise.ingest.clean import Cleaner, raw_paper
from citewise.ingest.clean_sentences import clean_sentence, raw_sentence
from citewise.ingest.document import Document
from citewise.ingest.documents import parts
from citewise.library import writer
from citewise.library.duplicates import near_duplicates
from citewise.library.entries import batches, keys_of
from citewise.library.library import Library
from citewise.passages import Advice, DraftSentence
from citewise.protocols import Precision
from citewise.recommend import Recommender
from citewise.report import Place, Report
from citewise.tex_source import file_at
from citewise.types import CitingSentence, Paper, Query, Recommendation


class Asked(TypedDict, total=False):
    """What a query may have beside a draft."""

    id: str
    year: int | None
    since: int | None
    no_self_citations: bool
    prefer_recent: float
    prefer_cited: float
    diversify: float


@dataclass(frozen=True, slots=True)
class Description:
    """What a library holds."""

    path: str
    generation: int
    fingerprint: str
    written: str
    papers: int
    with_abstract: int
    with_year: int
    with_references: int
    citations: int
    years: dict[int, int]
    """Papers by year; 0 stands for an unknown year."""
    sentences: int
    """Citing sentences."""
    spans: int
    """Distinct spans of them for which a paper of the library is cited."""
    terms: int
    segments: int
    deleted: int
    bytes_on_disk: int
    models: tuple[str, ...]
    """Names of the models that were trained on it."""
    encoder: str
    """What made its vectors: model and precision; "" where it has none."""
    span_vectors: int
    """Spans that have a vector."""
    paper_vectors: int
    """Texts of papers (title and abstract) that have a vector."""


class OpenLibrary:
    """A library opened for reading: it stays at the generation that it was opened at."""

    def __init__(self, path: str | Path) -> None:
        self.library = Library(path)
        self._recommender = functools.lru_cache(maxsize=32)(self._make_recommender)

    def __len__(self) -> int:
        return len(self.library)

    def __getitem__(self, key: str) -> Paper:
        """Return the paper with an id, in any usual spelling."""
        return self.library.get(key)

    def __contains__(self, key: str) -> bool:
        return bool(self.library.rows_of([key])[0] >= 0)

    def recommend(self, title: str = "", abstract: str = "", *, k: int = 20, system: str = systems.DEFAULT,
                  explain: bool = False, cited: Iterable[str] = (), authors: Iterable[str] = (),
                  **asked: Unpack[Asked]) -> list[Recommendation]:
        """Return the papers that a draft should cite, best first; `cited` are ids of papers that it cites already.

        `asked` is what else a `Query` has: a year, wishes.
        """
        query = Query(title=title, abstract=abstract, cited=tuple(cited), authors=tuple(authors), **asked)
        return self.answer(query, k, system, explain)

    def cite(self, sentence: str, *, title: str = "", abstract: str = "", k: int = 10, spans: int = 3,
             system: str = systems.FOR_SENTENCES, explain: bool = False, cited: Iterable[str] = (),
             **asked: Unpack[Asked]) -> list[Recommendation]:
        """Return the papers to cite for a sentence or a mention, best first, each with up to `spans` sentences of the
        literature that cite it for the like; `title` and `abstract` are the draft's, `cited` what it cites elsewhere.
        With `explain`, what speaks for each. `asked` is what else a `Query` has.
        """
        query = Query(title=title, abstract=abstract, cited=tuple(cited), sentence=sentence, **asked)
        if not sentence.strip():
            raise BadInput("there is no sentence to find citations for")
        return [*self.recommender(system).answer(query, k, explain, spans).recommendations]

    def advise(self, sentences: Iterable[DraftSentence], around: Query, k: int = 5, spans: int = 3,
               system: str = systems.FOR_SENTENCES, explain: bool = False) -> Iterator[Advice]:
        """Yield what to cite for each sentence of a draft, and whether a citation seems needed and none stands.

        `around` is what is known of the draft; for the sentences of a passage see `citewise.passages`.
        """
        for sentence in sentences:
            query = replace(around, sentence=sentence.text)
            yield Advice.of(sentence, self.recommender(system).answer(query, k, explain, spans))

    def grounded(self, query: Query, k: int = 20, spans: int = 3,
                 system: str = systems.DEFAULT) -> list[Recommendation]:
        """Return the recommendations for a query with the sentences for which others cite each paper."""
        return [*self.recommender(system).answer(query, k, spans=spans).recommendations]

    def answer(self, query: Query, k: int = 20, system: str = systems.DEFAULT,
               explain: bool = False) -> list[Recommendation]:
        """Return the recommendations for a query; with `explain`, what speaks for each."""
        return self.recommender(system).recommend(query, k, explain)

    def recommender(self, system: str = systems.DEFAULT) -> Recommender:
        """Return a system over this library, ready to answer many queries."""
        return self._recommender(system)

    def _make_recommender(self, system: str) -> Recommender:
        return systems.System.parse(system).over(self.library)

    def identity(self, system: str) -> str:
        """Return a name for exactly this system over this library, its model included."""
        return systems.System.parse(system).identity(self.library)

    def cited_in(self, draft: Draft, folder: Path) -> list[str]:
        """Return the ids of the papers that a draft cites through the bibliographies beside it."""
        if not draft.cited_keys:
            return []
        files = [file for name in draft.bibliographies if (file := file_at(folder, name)) and file.stat().st_size]
        wanted = {f"bib:{key}" for key in draft.cited_keys}
        return self._held(paper for paper in _bibliography(files) if wanted & {*keys_of(paper)})

    def cited_from(self, bibliography: str | Path) -> list[str]:
        """Return the ids of the papers of this library that a bibliography file lists."""
        return self._held(_bibliography([bibliography]))

    def _held(self, papers: Iterable[Paper]) -> list[str]:
        rows = [row for row in map(self.library.row_like, papers) if row >= 0]
        return [paper.id for paper in self.library.papers(rows)]

    def describe(self) -> Description:
        """Return counts of what the library holds."""
        library, tables = self.library, self.library.tables
        return Description(
            path=str(library.path), generation=library.manifest.generation,
            fingerprint=library.manifest.fingerprint, written=library.manifest.written, papers=len(library),
            with_abstract=int((library.lengths(library.rows, "abstract") > 0).sum()),
            with_year=len(library) - library.year_counts()[0],
            with_references=int((library.references(library.rows).lengths > 0).sum()),
            citations=int(tables.references.starts[-1]), years=dict(sorted(library.year_counts().items())),
            sentences=library.evidence_counts().sentences, spans=library.evidence_counts().spans,
            terms=len(library.vocabulary), segments=len(library.segments), deleted=tables.deleted.size,
            bytes_on_disk=sum(entry.size for entry in library.manifest.files.values()), models=library.models(),
            **_vectors(library))

    def near_duplicates(self, since_row: int = 0) -> list[tuple[Paper, Paper, float]]:
        """Return the pairs of papers with near-duplicate titles of which the later is at `since_row` or behind."""
        rows = self.library.rows
        first = int((rows < since_row).sum())
        return [(self.library.papers(rows[[one]])[0], self.library.papers(rows[[other]])[0], alike)
                for one, other, alike in near_duplicates(self.library.titles(rows), first=first)]


class _Vectors(TypedDict):
    encoder: str
    span_vectors: int
    paper_vectors: int


def _vectors(library: Library) -> _Vectors:
    held = library.vectors
    if held is None:
        return {"encoder": "", "span_vectors": 0, "paper_vectors": 0}
    hashes = library.evidence.span_hashes(library.evidence.spans())
    return {"encoder": f"{held.manifest.encoder.model} ({held.manifest.encoder.precision})",
            "span_vectors": int(held.holds("spans", hashes).sum()), "paper_vectors": held.keys("papers").size}


def _bibliography(files: Sequence[str | Path]) -> Iterable[Paper]:
    return (paper for paper, _ in read(files, Report()) if isinstance(paper, Paper)) if files else ()


def open(path: str | Path) -> OpenLibrary:
    """Open a library for reading."""
    return OpenLibrary(path)


def index(sources: Iterable[str | Path], library: str | Path, *, format: str = "", keep_versions: bool = False,
          mentions: bool = False, report: Report | None = None,
          progress: Progress = lambda reading: None) -> Report:
    """Create or extend a library from files, folders or standard input ("-"); return what was done.

    With `mentions`, citing sentences are parsed to find what exactly is cited (extra `evidence`).
    """
    report = report or Report()
    with uncollected():
        writer.add(library, read_ahead(sources, report, format, progress, mentions), report, keep_versions)
    return report


def add(records: Iterable[Paper | CitingSentence | Document], library: str | Path, *, keep_versions: bool = False,
        mentions: bool = False) -> Report:
    """Create or extend a library from papers, citing sentences and full texts made in Python.

    They are cleaned like those of a file. Returns what was done.
    """
    report = Report()
    extract = Extractor(mentions).spans
    writer.add(library, batches(_cleaned(records, Cleaner(report)), extract), report, keep_versions)
    return report


def _cleaned(records: Iterable[Paper | CitingSentence | Document], cleaner: Cleaner) -> Iterator[tuple[Record, Place]]:
    for number, record in enumerate(records, 1):
        place = Place("python", number)
        if isinstance(record, Document):
            yield from ((part, place) for part in parts(record, place, cleaner))
        elif isinstance(record, CitingSentence):
            sentence = clean_sentence(raw_sentence(record), place, cleaner)
            yield from [(sentence, place)] if sentence is not None else ()
        else:
            paper = cleaner.paper(raw_paper(record), place)
            yield from [(replace(paper, light=record.light), place)] if paper is not None else ()


def encode(library: str | Path, *, model: str = MINILM, precision: Precision = "int8", papers: bool = False,
           threads: int = 0, progress: Callable[[str, int, int], None] = lambda what, done, all_: None) -> int:
    """Give a library vectors of what its citing sentences say, with `papers` of titles and abstracts as well.

    What has a vector of the same model is not encoded again. Returns how many texts were (extra `neural`). `threads` is
    how many the model may use, 0 for one a core.
    """
    encoder = BertEncoder(model, precision, threads)
    return writer.encode(library, encoder, encoder.about, papers, progress)


def build_sample(library: str | Path) -> Draft:
    """Build the sample library of landmark papers; return the sample draft."""
    folder = importlib.resources.files("citewise") / "sample"
    with importlib.resources.as_file(folder / "papers.jsonl") as papers:
        index([papers], library)
    return draft_of((folder / "draft.txt").read_text("utf-8"), "txt")
