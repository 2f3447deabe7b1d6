"""Turn a full text into records: its paper, the papers in its references, its citing sentences."""

from collections.abc import Iterator
from dataclasses import replace

from citewise.ingest.clean import Cleaner, raw_paper
from citewise.ingest.clean_sentences import clean_sentence, raw_sentence
from citewise.ingest.document import Document
from citewise.ingest.report import SourceLocation
from citewise.text import ids
from citewise.types import CitingSentence, Paper


def parts(
    document: Document, location: SourceLocation, cleaner: Cleaner
) -> Iterator[Paper | CitingSentence]:
    """Yield a document's paper, the papers that it cites as light papers, and its sentences.

    The ids of `document.cited` may be valid within the document only: here each becomes a key by
    which a library finds the paper.
    """
    keys = {paper.id: reference_key(paper) for paper in document.cited}
    references = [*filter(None, map(keys.get, document.paper.references))]
    citing = cleaner.paper(raw_paper(document.paper) | {"references": references}, location)
    if citing is None:
        return
    yield citing

    for cited in document.cited:
        key = keys[cited.id]
        known = key and cited.title
        light = cleaner.paper(raw_paper(cited) | {"id": key}, location) if known else None
        if light is not None and light.title and light.id != citing.id:
            yield replace(light, light=True)

    for sentence in document.sentences:
        dated = _completed(sentence, citing, keys)
        cleaned = clean_sentence(raw_sentence(dated), location, cleaner)
        if cleaned is not None:
            yield cleaned


def _completed(sentence: CitingSentence, citing: Paper, keys: dict[str, str]) -> CitingSentence:
    """Return a sentence with the citing paper's id and date, and with keys for the cited ids."""
    groups = tuple(
        replace(group, cited=tuple(filter(None, (keys.get(name, name) for name in group.cited))))
        for group in sentence.groups
    )

    return replace(
        sentence,
        citing=citing.id,
        groups=groups,
        year=sentence.year or citing.year,
        date=sentence.date or citing.date,
    )


def reference_key(paper: Paper) -> str:
    """Return the key of an entry in a list of references, "" where it cannot be identified.

    That is its best id in a registry, else its title and first author; a title of one or two words
    needs an author and a year.
    """
    known = [name for name in map(ids.key, (paper.id, *paper.ids)) if ids.scheme_of(name)]
    if known:
        return min(known, key=lambda name: ids.SCHEMES.index(ids.scheme_of(name)))

    title = ids.title_key(paper.title)[:200]
    author = ids.surname(paper.authors[0]) if paper.authors else ""
    if len(ids.title_words(paper.title)) >= ids.TELLING_WORDS:
        return ":".join(filter(None, ("title", title, author)))
    return f"title:{title}:{author}:{paper.year}" if title and author and paper.year else ""
