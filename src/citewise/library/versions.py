"""Versions of one work: when two records are the same paper, and what the one paper then says."""

from citewise import ids
from citewise.types import Paper

CLOSE_YEARS = 2
"""A preprint and its published version are seldom further apart."""

SAME_TITLE = 0.7
"""Word Jaccard from which two titles are near-duplicates (Nogueira et al. 2020, section 4.2)."""

_OTHER_TITLE = 0.3
_OTHER_LOCAL_TITLE = 0.5
_PREPRINT_VENUES = ("arxiv", "corrabs", "biorxiv", "medrxiv", "ssrn", "chemrxiv", "psyarxiv", "preprint", "techrxiv")


def plainly_different(one: Paper, other: Paper, key: str) -> bool:
    """Whether two records that claim the same key cannot be the same work.

    A registry's id is trusted unless the titles are unlike and no author is common. A user's own id (`smith2010`) is
    not unique in the world, and authors who share a name share such ids: there the titles alone decide.
    """
    if not one.title or not other.title:
        return False
    alike = ids.jaccard(one.title, other.title)
    if ids.scheme_of(key):
        return alike < _OTHER_TITLE and not _share_author(one, other)
    return alike < _OTHER_LOCAL_TITLE


def same_work(one: Paper, other: Paper) -> bool:
    """Whether two papers with equal normalised titles are versions of one work."""
    close = not one.year or not other.year or abs(one.year - other.year) <= CLOSE_YEARS
    return close and _share_author(one, other)


def _share_author(one: Paper, other: Paper) -> bool:
    names = {ids.surname(author) for author in one.authors} - {""}
    return any(ids.surname(author) in names for author in other.authors)


def published(paper: Paper) -> bool:
    """Whether a record describes a published version rather than a preprint."""
    if paper.kind == "preprint":
        return False
    venue = ids.title_key(paper.venue)
    if venue:
        return venue != "corr" and not venue.startswith(_PREPRINT_VENUES)  # "Corrosion Science" is a journal
    return any(name.startswith("doi:") for name in (paper.id, *paper.ids))


def merge(old: Paper, new: Paper) -> Paper:
    """Return one paper for two records: the published version's data, gaps filled from the other, references united.

    Where neither or both are published, the newer record wins if it renews the older one (same id), else the older.
    The identity stays the older record's.
    """
    renewal = new.id == old.id and bool(new.title)
    first, second = (new, old) if (published(new), renewal) > (published(old), False) else (old, new)
    if not first.title:
        first, second = second, first
    dated, other = (first, second) if first.year or not second.year else (second, first)
    keys = dict.fromkeys((*old.ids, new.id, *new.ids))
    return Paper(
        id=old.id, title=first.title or second.title, abstract=first.abstract or second.abstract,
        year=dated.year, authors=first.authors or second.authors, venue=first.venue or second.venue,
        ids=tuple(name for name in keys if name != old.id),
        references=tuple(dict.fromkeys((*first.references, *second.references))),
        fields=tuple(dict.fromkeys((*first.fields, *second.fields))),
        date=dated.date or (other.date if other.year == dated.year else ""),
        kind=first.kind or second.kind, details={**second.details, **first.details})
