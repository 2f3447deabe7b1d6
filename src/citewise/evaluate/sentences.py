"""Questions made of citing sentences: which papers does this sentence cite? Only older evidence may
answer.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from citewise.arrays import Rows
from citewise.errors import BadInput
from citewise.evaluate import guard as guards
from citewise.evaluate.splits import Part, Question, SplitSettings, Years, cut
from citewise.ingest.json_lines import objects
from citewise.ingest.report import Report, SourceLocation
from citewise.ingest.source import open_source
from citewise.ingest.spans import Extractor, GroupSpans, runs_of
from citewise.protocols import SentenceTable, Stores
from citewise.recommend import scope_of
from citewise.text.marks import unmarked
from citewise.types import CitingSentence, Paper, Query

_BATCH = 1000

MEASURES = "MRR@1000 hit@1 hit@3 hit@5 hit@10 R@10"
"""Those of ILCiteR, whose R@k is our hit@k (any of the papers is found), and the share of all
papers that is found.
"""


Asked = Literal["sentences", "spans"]


@dataclass(frozen=True, slots=True)
class SentenceSplit:
    """Which of a library's own citing sentences become questions."""

    years: Years | None
    """The first and the last; None: all."""
    sample: int | None = None
    seed: int = 0
    context: bool = True
    """Whether the citing paper's title and abstract are known."""
    asked: Asked = "sentences"
    """`sentences`: a question is a whole sentence, and should find all papers that it cites.
    `spans`: a question is one span of it, and should find the papers that are cited for that span
    (Ghosh Roy and Han 2024, section 7.1).
    """
    mentions: bool = False
    """Whether mentions, which dependency parsing finds, are among the spans that are asked."""


def sentence_parts(stores: Stores, settings: SplitSettings) -> dict[Part, Years]:
    """Return the first and last year of each part of a library's sentences, the oldest part first;
    a part may be empty (2011 to 2010).

    By fractions, a year stays whole: one that would fall into two parts belongs to the younger.
    """
    years = np.sort(stores.evidence.sentence_table().years)
    years = years[years > 0]
    first, last = (int(years[0]), int(years[-1])) if years.size else (1, 0)

    if settings.test:
        begins = [(settings.dev or settings.test)[0], settings.test[0]]
        return {
            "train": (first, begins[0] - 1),
            "dev": settings.dev or (begins[1], begins[1] - 1),
            "test": settings.test,
        }

    dates = [f"{year:04d}" for year in years.tolist()]
    begins = [
        int(years[position]) if position < years.size else last + 1
        for position in (cut(dates, share) for share in np.cumsum(settings.fractions)[:2])
    ]

    return {
        "train": (first, begins[0] - 1),
        "dev": (begins[0], begins[1] - 1),
        "test": (begins[1], last),
    }


def sentence_questions(stores: Stores, split: SentenceSplit) -> list[Question]:
    """Return a question for each sentence of the years, or for each of its spans, that cites a
    paper with older evidence.

    A question has the year of its sentence, and hides the citing paper and those with nearly the
    same title. A sample is drawn from the sentences; of spans, from those of as many sentences.
    """
    table, (first, last) = stores.evidence.sentence_table(), split.years or (1, 9_999)
    chosen = np.flatnonzero((table.years >= first) & (table.years <= last))
    positions = dict(zip(table.numbers[chosen].tolist(), chosen.tolist(), strict=True))
    generator = random.Random(split.seed)  # noqa: S311 (reproducible sampling)
    drawn = generator.sample([*positions], len(positions))
    extractor = Extractor(split.mentions) if split.asked == "spans" else None

    by_sentence: list[list[Question]] = []
    for start in range(0, len(drawn), _BATCH):
        part = np.array([positions[number] for number in drawn[start : start + _BATCH]], np.int64)
        some = SentenceTable(table.numbers[part], table.years[part], table.citing[part])
        by_sentence += filter(None, _questions(stores, some, extractor))
        if split.sample is not None and len(by_sentence) >= split.sample:
            break

    questions = [question for each in by_sentence[: split.sample] for question in each]
    if split.sample is not None and len(questions) > split.sample:
        questions = generator.sample(questions, split.sample)

    questions = _guarded(stores, questions)
    if split.context:
        return questions
    return [replace(each, query=replace(each.query, title="", abstract="")) for each in questions]


def _questions(
    stores: Stores, some: SentenceTable, extractor: Extractor | None
) -> list[list[Question]]:
    """Return the questions of each of some sentences: one, or with an extractor one a span; none
    where nothing that is cited can be found.
    """
    sentences = stores.evidence.sentences(some.numbers)
    spans = extractor.spans(sentences) if extractor else [None] * len(sentences)
    asked = [[*_asked(*pair)] for pair in zip(sentences, spans, strict=True)]

    keys = [key for each in asked for _, cited in each for key in cited]
    rows = dict(zip(keys, stores.papers.find(keys).tolist(), strict=True))
    known = some.citing[some.citing >= 0]
    papers = dict(zip(known.tolist(), stores.papers.read(known), strict=True))

    questions = []
    columns = (some.numbers.tolist(), some.years.tolist(), some.citing.tolist())
    for sentence, each, number, year, citing in zip(sentences, asked, *columns, strict=True):
        paper = papers.get(citing, Paper(sentence.citing, ""))
        query = Query(paper.title, paper.abstract, f"{paper.id}#{number}", year, hidden=(paper.id,))

        own = []
        for position, (text, cited) in enumerate(each, 1):
            found = np.unique([rows[key] for key in cited]).astype(np.int64)
            gold = known_by_evidence(stores, found[(found >= 0) & (found != citing)], year)
            if gold.size and text:
                name = f"{query.id}.{position}" if extractor else query.id
                own.append(
                    Question(name, replace(query, id=name, sentence=text), tuple(gold.tolist()))
                )
        questions.append(own)
    return questions


def _asked(
    sentence: CitingSentence, spans: GroupSpans | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the texts to ask of a sentence with the keys of the papers that they cite: the whole
    sentence, or each span of each run of groups.
    """
    marks = [(group.start, group.end) for group in sentence.groups]

    def cited(groups: list[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for each in groups for key in sentence.groups[each].cited))

    if spans is None:
        yield without_citations(sentence), cited([*range(len(marks))])
        return

    for run in runs_of(sentence):
        # the groups of a run have the same spans, but for one that cites nothing known
        for span in max((spans[group] for group in run), key=len):
            yield unmarked(sentence.text, marks, span.start, span.end), cited(run)


def without_citations(sentence: CitingSentence) -> str:
    """Return a sentence without its citation marks."""
    marks = [(group.start, group.end) for group in sentence.groups]
    return unmarked(sentence.text, marks, 0, len(sentence.text))


def known_by_evidence(stores: Stores, rows: Rows, year: int) -> Rows:
    """Return the papers that a sentence of this year can find: not younger, and cited by an older
    sentence.
    """
    scope = scope_of(stores.papers, Query(year=year))
    rows = rows[stores.papers.in_scope(rows, scope)]
    return rows[np.unique(stores.evidence.citations_of(rows, scope).positions)]


def _guarded(stores: Stores, questions: list[Question]) -> list[Question]:
    """Return the questions with the near-duplicates of their citing papers hidden."""
    rows = stores.papers.find([each.query.hidden[0] for each in questions])
    near = guards.near(stores, np.unique(rows[rows >= 0]))
    ids = {
        row: tuple(paper.id for paper in stores.papers.read(list(others)))
        for row, others in near.items()
        if others
    }

    return [
        replace(each, query=replace(each.query, hidden=(*each.query.hidden, *ids.get(row, ()))))
        for each, row in zip(questions, rows.tolist(), strict=True)
    ]


def read_sentence_questions(
    stores: Stores, path: str | Path, report: Report, context: bool = True
) -> list[Question]:
    """Return the questions of a JSON-lines file with `query` or `sentence`, `gold`, `citing_id`,
    and `date` or `year`.

    The citing paper is hidden; its title and abstract, where the library has them, are the draft's
    in the query.
    """
    source, questions = open_source(str(path)), []
    try:
        for line, record in objects(source, report):
            report.read += 1
            name = f"{Path(str(path)).name}:{line}"
            try:
                questions.append(_read_question(stores, record, name, context))
            except BadInput as error:
                location = SourceLocation(source.name, line)
                report.note("skipped", "not_a_question", location, "", str(error))
    finally:
        source.close()

    return _guarded(stores, questions)


def _read_question(stores: Stores, record: dict[str, Any], name: str, context: bool) -> Question:
    """Return the question of a record; raise BadInput if the library cannot answer it."""
    text = record.get("query") or record.get("sentence")
    citing, gold = record.get("citing_id"), record.get("gold")
    when = re.match(r"\d{4}", str(record.get("date") or record.get("year") or ""))

    if not (isinstance(text, str) and text.strip() and isinstance(citing, str) and citing and when):
        raise BadInput(
            'a question needs "query" (or "sentence"), "citing_id", and a "date" or a "year"'
        )
    if not isinstance(gold, list) or not all(isinstance(key, str) for key in gold):
        raise BadInput('"gold" must be a list of ids')

    rows = stores.papers.find([citing, *gold])
    wanted = np.unique(rows[1:][rows[1:] >= 0])
    if not wanted.size:
        raise BadInput("none of the papers that it should find is in the library")

    paper = stores.papers.read(rows[:1])[0] if context and rows[0] >= 0 else Paper(citing, "")
    query = Query(paper.title, paper.abstract, name, int(when[0]), hidden=(citing,), sentence=text)
    return Question(name, query, tuple(wanted.tolist()), guarded=True)
