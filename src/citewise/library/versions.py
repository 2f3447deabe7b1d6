"""Versions of one work: when two records are the same paper, and how they become one."""

from citewise.text import ids
from citewise.text.function_words import is_function_word
from citewise.types import Paper

CLOSE_YEARS = 2
"""A preprint and its published version are seldom further apart."""

_OTHER_TITLE = 0.3
_OTHER_LOCAL_TITLE = 0.5
_FEWEST_WORDS = 2
_STEM = 5
_FOREIGN = frozenset(
    (
        *("al", "au", "auf", "aus", "av", "das", "de", "dei", "del", "della", "den", "der", "des"),
        *("det", "di", "die", "do", "dos", "du", "een", "ein", "eine", "el", "en", "et", "fur"),
        *("het", "il", "im", "ist", "la", "las", "le", "les", "los", "na", "och", "og", "para"),
        *("por", "pour", "sobre", "sul", "sur", "um", "un", "una", "und", "van", "vom", "von"),
        *("voor", "zu", "zum", "zur"),
    )
)
"""Words that titles in other languages have, and those in English seldom."""

_PREPRINT_VENUES = (
    "arxiv",
    "corrabs",
    "biorxiv",
    "medrxiv",
    "ssrn",
    "chemrxiv",
    "psyarxiv",
    "preprint",
    "techrxiv",
)


def plainly_different(one: Paper, other: Paper, key: str) -> bool:
    """Return whether two records that claim the same key cannot be the same work.

    A registry's id is trusted unless the titles differ and no author is shared, or the titles share
    no word: reference managers give the chapters of a book one DOI. A user's own id
    (`smith2010`) is not unique in the world, and authors who share a name share such ids: there the
    titles alone decide.
    """
    if not one.title or not other.title:
        return False
    similarity = ids.jaccard(one.title, other.title)
    if ids.scheme_of(key):
        is_unlike = _unlike(one.title, other.title)
        return is_unlike or (similarity < _OTHER_TITLE and not share_author(one, other))
    return similarity < _OTHER_LOCAL_TITLE


def _unlike(one: str, other: str) -> bool:
    """Return whether two titles of some words have none in common, not even a word's beginning.

    The titles of one work in two languages may have none, so both must look like English.
    """
    both = [ids.title_words(title) for title in (one, other)]
    if any(_FOREIGN.intersection(words) for words in both) or not (one + other).isascii():
        return False
    left, right = ({word[:_STEM] for word in words if not is_function_word(word)} for words in both)
    return min(len(left), len(right)) >= _FEWEST_WORDS and left.isdisjoint(right)


def same_work(one: Paper, other: Paper) -> bool:
    """Return whether two papers with equal normalised titles are versions of one work.

    An entry of a list of references often has no authors: where one of the two is such an entry,
    none need be shared.
    """
    if one.year and other.year and abs(one.year - other.year) > CLOSE_YEARS:
        return False
    unnamed = (one.light or other.light) and not (one.authors and other.authors)
    return unnamed or share_author(one, other)


def likely_same(one: Paper, other: Paper) -> bool:
    """Return whether two papers with nearly equal titles are the same; one of them must be an entry
    of a list of references.
    """
    years = not one.year or not other.year or abs(one.year - other.year) <= CLOSE_YEARS
    return (one.light or other.light) and years and share_author(one, other)


def share_author(one: Paper, other: Paper) -> bool:
    """Return whether two papers share an author's family name."""
    names = {ids.surname(author) for author in one.authors} - {""}
    return any(ids.surname(author) in names for author in other.authors)


def published(paper: Paper) -> bool:
    """Return whether a record describes a published version rather than a preprint."""
    if paper.kind == "preprint":
        return False
    venue = ids.title_key(paper.venue)
    if venue:  # "Corrosion Science" is a journal, so "corr" must be the whole name
        return venue != "corr" and not venue.startswith(_PREPRINT_VENUES)
    return any(name.startswith("doi:") for name in (paper.id, *paper.ids))


def merge(old: Paper, new: Paper) -> Paper:
    """Return one paper for two records: the published version's data, gaps filled from the other,
    references united.

    Where neither or both are published, the newer record wins if it renews the older one (same id),
    else the older. The identity stays the older record's. An entry of a list of references only
    fills gaps, and gives up its identity.
    """
    renewal = new.id == old.id and bool(new.title)
    first, second = (
        (new, old) if (published(new), renewal) > (published(old), False) else (old, new)
    )
    if second.title and (not first.title or (first.light and not second.light)):
        first, second = second, first

    own = new.id if old.light and not new.light and new.title else old.id
    dated, other = (first, second) if first.year or not second.year else (second, first)
    keys = dict.fromkeys((old.id, *old.ids, new.id, *new.ids))

    return Paper(
        id=own,
        title=first.title or second.title,
        abstract=first.abstract or second.abstract,
        year=dated.year,
        authors=first.authors or second.authors,
        venue=first.venue or second.venue,
        ids=tuple(name for name in keys if name != own),
        references=tuple(dict.fromkeys((*first.references, *second.references))),
        fields=tuple(dict.fromkeys((*first.fields, *second.fields))),
        key_phrases=tuple(dict.fromkeys((*first.key_phrases, *second.key_phrases))),
        date=dated.date or (other.date if other.year == dated.year else ""),
        kind=first.kind or second.kind,
        details={**second.details, **first.details},
        light=(old.light and (new.light or not new.title)) or (new.light and not old.title),
    )
