"""The Python face: what `citewise.open` returns, and the verbs that change a library."""

import contextlib
import functools
import importlib.resources
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numpy as np

from citewise import browse, plugins, systems
from citewise.browse import PaperPage
from citewise.drafts.advice import Advice
from citewise.drafts.draft import Draft
from citewise.drafts.passages import DraftSentence
from citewise.drafts.query import DraftOptions, ReadQuery, draft_query
from citewise.drafts.reading import draft_of
from citewise.embed.encoders import encoder_named
from citewise.embed.folder import MINILM
from citewise.embed.word_models import NNSELECT, made_sets, required_model, word_models
from citewise.engines.shards.manifest import is_shards
from citewise.errors import BadInput, MissingData
from citewise.feedback import Feedback
from citewise.ingest import Progress, Record
from citewise.ingest.clean import Cleaner, raw_paper
from citewise.ingest.clean_sentences import clean_sentence, raw_sentence
from citewise.ingest.document import Document
from citewise.ingest.documents import parts
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.spans import Extractor
from citewise.library import writer
from citewise.library.entries import batches
from citewise.library.folder import LibraryFolder
from citewise.library.process_memory import uncollected
from citewise.library.reader_process import read_ahead
from citewise.preferences import Preferences
from citewise.protocols import Precision, Stores, Vectors, WordModel
from citewise.recommend import Recommender
from citewise.render.passages import PassageAnswer
from citewise.statistics import Statistics, statistics
from citewise.text.titles import near_duplicates
from citewise.types import Answer, CitingSentence, EvidenceSpan, Paper, Query

_SYSTEMS_KEPT = 32
_Method = TypeVar("_Method", bound=Callable[..., Any])
_PAPERS_READ = 100
"""Papers that an iteration over a library reads at a time."""
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*)://")


@dataclass(frozen=True, slots=True)
class VectorSet:
    """A set of papers' vectors in a library."""

    name: str
    model: str
    size: int
    """Numbers in a vector."""
    papers: int
    """Papers that have a vector."""


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
    """What made its vectors of spans: model and precision; "" where it has none."""
    span_vectors: int
    """Spans that have a vector."""
    paper_vectors: tuple[VectorSet, ...]
    """Its sets of papers' vectors, by name."""


def _naming_damage(method: _Method) -> _Method:
    """Let a method of a library in a folder raise BadLibrary where a damaged file made it fail."""

    @functools.wraps(method)
    def checked(self: "Library", /, *given: Any, **named: Any) -> Any:
        if not isinstance(self.stores, LibraryFolder):
            return method(self, *given, **named)
        with self.stores.blaming_damage():
            return method(self, *given, **named)

    return cast(_Method, checked)


class Library:
    """A library opened for reading: it stays as it was when it was opened."""

    def __init__(self, stores: Stores) -> None:
        """`stores` are the library's parts; `citewise.open` finds them by a folder's path."""
        self.stores = stores
        self._recommender = functools.lru_cache(maxsize=_SYSTEMS_KEPT)(self._make_recommender)

    def __len__(self) -> int:
        return len(self.stores.papers)

    def __bool__(self) -> bool:
        """Return True: a library without papers is still a library."""
        return True

    def __iter__(self) -> Iterator[Paper]:
        """Yield every paper, in the order of the library."""
        rows = self.stores.papers.rows
        for start in range(0, rows.size, _PAPERS_READ):
            yield from self.stores.papers.read(rows[start : start + _PAPERS_READ])

    @overload
    def __getitem__(self, key: str | int) -> Paper: ...
    @overload
    def __getitem__(self, key: slice) -> list[Paper]: ...
    @_naming_damage
    def __getitem__(self, key: str | int | slice) -> Paper | list[Paper]:
        """Return the paper with an id, in any usual spelling; or, in the order of the library, the
        paper at a position or the papers of a slice.
        """
        papers = self.stores.papers
        if isinstance(key, slice):
            return papers.read(papers.rows[key])
        if not isinstance(key, str):
            return papers.read(papers.rows[[key]])[0]

        row = int(papers.find([key])[0])
        if row < 0:
            raise MissingData(f"{self.stores.info.location}: no paper {key!r}")
        return papers.read([row])[0]

    def __contains__(self, key: str) -> bool:
        return bool(self.stores.papers.find([key])[0] >= 0)

    @_naming_damage
    def recommend(
        self,
        title: str = "",
        abstract: str = "",
        *,
        k: int = 20,
        system: str = systems.DEFAULT,
        explain: bool = False,
        evidence: int = 0,
        id: str = "",
        year: int | None = None,
        since: int | None = None,
        cited: Iterable[str] = (),
        authors: Iterable[str] = (),
        **preferences: float,
    ) -> Answer:
        """Return the papers that a draft should cite, best first.

        `cited` are ids of papers that it cites already; with a `year`, it sees papers up to that
        year and citations made before it. With `explain`, each paper has its reasons; with
        `evidence`, at most that many sentences that cite it. `preferences` are those of
        `citewise.Preferences`, such as `prefer_recent=0.3`.
        """
        query = Query(
            title=title,
            abstract=abstract,
            id=id,
            year=year,
            since=since,
            cited=tuple(cited),
            authors=tuple(authors),
            preferences=Preferences.of(preferences),
        )
        return self.recommender(system).answer(query, k, explain, evidence)

    @_naming_damage
    def cite(
        self,
        sentence: str,
        *,
        title: str = "",
        abstract: str = "",
        k: int = 10,
        system: str = systems.FOR_SENTENCES,
        explain: bool = False,
        evidence: int = 3,
        id: str = "",
        year: int | None = None,
        since: int | None = None,
        cited: Iterable[str] = (),
        **preferences: float,
    ) -> Answer:
        """Return the papers to cite for a sentence or a mention, best first.

        Each has up to `evidence` sentences of the literature that cite it for similar claims.
        `title` and `abstract` are the draft's, `cited` what it cites elsewhere.
        """
        if not sentence.strip():
            raise BadInput("there is no sentence to find citations for")
        query = Query(
            title=title,
            abstract=abstract,
            id=id,
            year=year,
            since=since,
            cited=tuple(cited),
            sentence=sentence,
            preferences=Preferences.of(preferences),
        )
        return self.recommender(system).answer(query, k, explain, evidence)

    @_naming_damage
    def answer(
        self,
        query: Query | ReadQuery,
        k: int = 20,
        system: str = "",
        explain: bool = False,
        evidence: int = 0,
    ) -> Answer:
        """Return the answer to a query, by `best`, or by `evidence` for a sentence, unless a system
        is named.

        To a query that was read from a draft, the answer says what was read.
        """
        if isinstance(query, ReadQuery):
            answer = self.answer(query.query, k, system, explain, evidence)
            return replace(answer, read=query.read)

        usual = systems.FOR_SENTENCES if query.sentence else systems.DEFAULT
        return self.recommender(system or usual).answer(query, k, explain, evidence)

    def query(self, draft: str | Path | None, options: DraftOptions | None = None) -> ReadQuery:
        """Return the query that a draft's file makes, or a title and an abstract."""
        return draft_query(self.stores.papers, draft, options or DraftOptions())

    def advise(
        self,
        sentences: Iterable[DraftSentence],
        draft: Query,
        k: int = 5,
        evidence: int = 3,
        system: str = systems.FOR_SENTENCES,
        explain: bool = False,
    ) -> Iterator[Advice]:
        """Yield what to cite for each sentence of a passage (see `citewise.drafts.passages`).

        `draft` is what is known of the draft around it.
        """
        for sentence in sentences:
            query = replace(draft, sentence=sentence.text)
            yield Advice(sentence, self.answer(query, k, system, explain, evidence))

    def passage(
        self,
        sentences: Sequence[DraftSentence],
        draft: ReadQuery,
        k: int = 5,
        evidence: int = 2,
        system: str = systems.FOR_SENTENCES,
        explain: bool = False,
        progress: Callable[[int, int | None], None] = lambda done, total: None,
    ) -> PassageAnswer:
        """Return the advice for all sentences of a passage; `draft` is what was read around it."""
        advised = []
        for advice in self.advise(sentences, draft.query, k, evidence, system, explain):
            advised.append(advice)
            progress(len(advised), len(sentences))
        return PassageAnswer(tuple(advised), str(systems.System.parse(system)), draft.read)

    def recommender(self, system: str = systems.DEFAULT) -> Recommender:
        """Return a system over this library, ready to answer many queries."""
        return self._recommender(system)

    def _make_recommender(self, system: str) -> Recommender:
        return systems.System.parse(system).over(self.stores)

    @_naming_damage
    def describe(self) -> Description:
        """Return counts of what the library holds."""
        info, papers, graph = self.stores.info, self.stores.papers, self.stores.graph
        references = graph.references(papers.rows)
        years, counts = np.unique(papers.years(papers.rows), return_counts=True)
        by_year = dict(zip(years.tolist(), counts.tolist(), strict=True))
        evidence, encoder = self.stores.evidence.counts(), self.stores.vectors.encoded_by()
        return Description(
            path=info.location,
            generation=info.generation,
            fingerprint=info.fingerprint,
            written=info.written,
            papers=len(papers),
            with_abstract=int((self.stores.terms.lengths(papers.rows, "abstract") > 0).sum()),
            with_year=len(papers) - by_year.get(0, 0),
            with_references=int((references.lengths > 0).sum()),
            citations=references.values.size,
            years=by_year,
            sentences=evidence.sentences,
            spans=evidence.spans,
            terms=info.terms,
            segments=info.segments,
            deleted=info.deleted,
            bytes_on_disk=info.bytes_on_disk,
            models=self.stores.models.names(),
            encoder=f"{encoder.model} ({encoder.precision})" if encoder else "",
            span_vectors=self.stores.vectors.span_count(),
            paper_vectors=tuple(_vector_sets(self.stores.vectors)),
        )

    @_naming_damage
    def statistics(self) -> Statistics:
        """Return the statistics that papers print of their corpora: authors, venues, key phrases,
        lengths, citations a paper, pairs of query and relevant paper, spans.

        Reads every paper and every span: some seconds for 100,000 papers.
        """
        return statistics(self.stores)

    @_naming_damage
    def search(self, text: str, limit: int = 10) -> list[Paper]:
        """Return the papers that a text can mean: the one with that id or that title, then those
        with most of the words in their title.
        """
        return browse.search(self.stores, text, limit)

    @_naming_damage
    def references(self, paper: str, limit: int = 100, offset: int = 0) -> PaperPage:
        """Return the papers of the library that a paper (given by any id) cites, the most cited
        first.
        """
        return browse.references(self.stores, paper, limit, offset)

    @_naming_damage
    def citers(self, paper: str, limit: int = 100, offset: int = 0) -> PaperPage:
        """Return the papers of the library that cite a paper (given by any id), the most cited
        first.
        """
        return browse.citers(self.stores, paper, limit, offset)

    @_naming_damage
    def evidence(self, paper: str, text: str = "", limit: int = 10) -> tuple[EvidenceSpan, ...]:
        """Return sentences that cite a paper: those most similar to a text first, then those for
        whose claim it is cited most often.
        """
        return browse.evidence(self.stores, paper, text, limit)

    @_naming_damage
    def bibliography(self, papers: Iterable[str], format: str = "bibtex") -> str:
        """Return papers, given by their ids, as "bibtex", "ris", "csl", "markdown", or as
        references for people: a "list" in the manner of APA, "ieee" or "vancouver".
        """
        return browse.bibliography(self.stores, tuple(papers), format)

    @_naming_damage
    def citation_counts(self, papers: Iterable[str]) -> list[int]:
        """Return by how many papers of the library each paper is cited, 0 for one that is not
        there.
        """
        return browse.citation_counts(self.stores, tuple(papers))

    @_naming_damage
    def topics(self, limit: int = 12) -> list[str]:
        """Return the words that most titles of the library have in common, most frequent first."""
        return browse.topics(self.stores, limit)

    def feedback(self) -> Feedback:
        """Return the user's feedback on this library: a file in the user's data folder."""
        return Feedback.of(self.stores.info.location)

    @_naming_damage
    def near_duplicates(self, since_row: int = 0) -> list[tuple[Paper, Paper, float]]:
        """Return the pairs of papers with near-duplicate titles, and how similar these are.

        The later paper of each pair is at `since_row` or behind.
        """
        papers = self.stores.papers
        rows = papers.rows
        first = int((rows < since_row).sum())
        found = []
        for one, other, similarity in near_duplicates(papers.titles(rows), first=first):
            earlier, later = papers.read(rows[[one, other]])
            found.append((earlier, later, similarity))
        return found


def _vector_sets(vectors: Vectors) -> Iterator[VectorSet]:
    for name in vectors.names():
        found = vectors.papers(name)
        if found is not None:
            yield VectorSet(name, found.about.model, found.about.size, len(found))


def open(where: str | Path) -> Library:
    """Open a library for reading; `where` is its folder, a folder of its shards, or an address such
    as `ray://host:6379/library`.
    """
    return Library(open_stores(where))


def open_stores(where: str | Path) -> Stores:
    """Return the stores of a library; `where` is its folder, a folder of its shards, or an address
    such as `ray://host:6379/library`.

    The scheme of an address says which engine has the library; plug-ins add engines.
    """
    address = _ADDRESS.match(where) if isinstance(where, str) else None
    if address is None:
        return _shards(Path(where)) if is_shards(Path(where)) else LibraryFolder(where, True)

    engines = {"ray": _cluster, **plugins.parts("stores")}
    scheme = address[1].lower()
    if scheme not in engines:
        known = ", ".join(["a folder's path", *(f"{name}://" for name in sorted(engines))])
        raise BadInput(f"{where}: no engine has the scheme {scheme!r}; known: {known}")
    stores: Stores = engines[scheme](where)
    return stores


def _shards(folder: Path) -> Stores:
    from citewise.engines.shards.stores import ShardedStores  # few libraries are cut

    return ShardedStores.local(folder)


def _cluster(address: str) -> Stores:
    from citewise.engines.ray.opening import open_cluster

    return open_cluster(address)


def index(
    sources: Iterable[str | Path],
    library: str | Path,
    *,
    format: str = "",
    keep_versions: bool = False,
    mentions: bool = False,
    vectors: bool = True,
    report: Report | None = None,
    progress: Progress = lambda reading: None,
) -> Report:
    """Create or extend a library from files, folders or standard input ("-").

    With `mentions`, citing sentences are parsed to find what exactly is cited (extra `evidence`).
    With `vectors`, a new library gets papers' vectors by the word model that ships. Returns what
    was done. Where nothing could be imported, no library is made, and the report says why.
    """
    report = report or Report()
    with uncollected(), contextlib.suppress(writer.NothingAdded):
        read = read_ahead(sources, report, format, progress, mentions)
        models = _word_models(vectors)
        writer.add(library, read, report, keep_versions, may_be_empty=False, models=models)
    return report


def add(
    records: Iterable[Paper | CitingSentence | Document],
    library: str | Path,
    *,
    keep_versions: bool = False,
    mentions: bool = False,
    vectors: bool = True,
) -> Report:
    """Create or extend a library from papers, citing sentences and full texts made in Python.

    They are cleaned like those of a file. With `vectors`, a new library gets papers' vectors by the
    word model that ships. Returns what was done.
    """
    report = Report()
    cleaned = _cleaned(records, Cleaner(report))
    given = batches(cleaned, Extractor(mentions).spans)
    models = _word_models(vectors)
    writer.add(library, given, report, keep_versions, models=models)
    return report


def _word_models(vectors: bool) -> writer.ModelsOf:
    """Return what finds the models that embed what is added: those of the sets of vectors that a
    library has, and for a new one, where vectors are wanted, the one that ships.
    """

    def models(old: LibraryFolder | None) -> Mapping[str, WordModel]:
        if old is not None:
            return made_sets(old)
        return word_models() if vectors else {}

    return models


def _cleaned(
    records: Iterable[Paper | CitingSentence | Document], cleaner: Cleaner
) -> Iterator[tuple[Record, SourceLocation]]:
    for number, record in enumerate(records, 1):
        location = SourceLocation("python", number)
        if isinstance(record, Document):
            yield from ((part, location) for part in parts(record, location, cleaner))
        elif isinstance(record, CitingSentence):
            sentence = clean_sentence(raw_sentence(record), location, cleaner)
            if sentence is not None:
                yield sentence, location
        else:
            paper = cleaner.paper(raw_paper(record), location)
            if paper is not None:
                yield replace(paper, light=record.light), location


def encode(
    library: str | Path,
    *,
    model: str = MINILM,
    precision: Precision = "int8",
    papers: bool = False,
    spans: bool | None = None,
    threads: int = 0,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> int:
    """Give a library vectors of the spans of its citing sentences (extra `neural`).

    With `papers`, of titles and abstracts as well: a set that is named after the model, of which a
    library may have several. Spans have one model: with `papers`, those that another model has
    encoded stay as they are, unless `spans` is True; with False, spans are never encoded. A text
    that has a vector of the same model is not encoded again. `threads` is how many the model may
    use, 0 for one a core. Returns how many texts were encoded. The model `nnselect` gives every
    paper a vector anew, in seconds, without the extra: the library's own where it was trained, else
    the one that ships.
    """
    if model == NNSELECT:
        own_or_shipped = required_model(LibraryFolder(library).models)
        writer.embed(library, NNSELECT, own_or_shipped)
        return len(LibraryFolder(library).papers)
    encoder = encoder_named(model, precision, threads)
    return writer.encode(library, encoder, papers, spans, progress)


def build_sample(library: str | Path, report: Report | None = None) -> Draft:
    """Build the sample library of landmark papers; return the sample draft."""
    folder = importlib.resources.files("citewise") / "sample"
    with importlib.resources.as_file(folder / "papers.jsonl") as papers:
        index([papers], library, report=report)
    return draft_of((folder / "draft.txt").read_text("utf-8"), "txt")
