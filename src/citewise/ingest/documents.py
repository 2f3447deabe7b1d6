"""A full text to what a library takes: its paper, the papers of its list of references, its citing
sentences.
"""

from collections.abc import Iterator
from dataclasses import replace

from citewise.ingest.clean import Cleaner, raw_paper
from citewise.ingest.clean_sentences import clean_sentence, raw_sentence
from citewise.ingest.document import Document
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import CitingSentence, Paper


def parts(
    document: Document, place: SourceLocation, cleaner: Cleaner
) -> Iterator[Paper | CitingSentence]:
    """Yield the paper, the papers that it cites as light papers, and its sentences.

    The ids of `document.cited` need to mean something within the document only: here each becomes a
    key under which a library may know the paper.
    """
    names = {paper.id: reference_key(paper) for paper in document.cited}
    citing = cleaner.paper(
        raw_paper(document.paper)
        | {"references": [*filter(None, map(names.get, document.paper.references))]},
        place,
    )
    if citing is None:
        return
    yield citing
    for cited in document.cited:
        known = names[cited.id] and cited.title
        light = cleaner.paper(raw_paper(cited) | {"id": names[cited.id]}, place) if known else None
        if light is not None and light.title and light.id != citing.id:
            yield replace(light, light=True)
    for sentence in document.sentences:
        groups = tuple(
            replace(group, cited=tuple(filter(None, (names.get(key, key) for key in group.cited))))
            for group in sentence.groups
        )
        cleaned = clean_sentence(
            raw_sentence(
                replace(
                    sentence,
                    citing=citing.id,
                    groups=groups,
                    year=sentence.year or citing.year,
                    date=sentence.date or citing.date,
                )
            ),
            place,
            cleaner,
        )
        if cleaned is not None:
            yield cleaned


def reference_key(paper: Paper) -> str:
    """Return the key of an entry of a list of references: its best registered id, else its title
    and first author.

    "" where neither tells it from other works. A title of one or two words needs an author and a
    year.
    """
    known = [name for name in map(ids.key, (paper.id, *paper.ids)) if ids.scheme_of(name)]
    if known:
        return min(known, key=lambda name: ids.SCHEMES.index(ids.scheme_of(name)))
    title = ids.title_key(paper.title)[:200]
    author = ids.surname(paper.authors[0]) if paper.authors else ""
    if len(ids.title_words(paper.title)) >= ids.TELLING_WORDS:
        return ":".join(filter(None, ("title", title, author)))
    return f"title:{title}:{author}:{paper.year}" if title and author and paper.year else ""
