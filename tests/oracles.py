"""Slow, plain implementations of what citewise does fast, to compare answers with."""

import functools
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

import tantivy

from citewise.text import ids
from citewise.text.tokens import LONGEST_TOKEN
from citewise.types import CitingSentence, Paper, Recommendation


@functools.cache
def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.lowercase(),
        tantivy.Filter.remove_long(LONGEST_TOKEN + 1),
        tantivy.Filter.stopword("english"),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def stems(text: str) -> list[str]:
    """Return the terms of an ASCII text, as tantivy's own analysis finds them."""
    return _analyzer().analyze(text)


class PlainLibrary:
    """What a library should know of some papers, by dictionaries and loops; a paper's row is its
    position among them.
    """

    def __init__(self, papers: Sequence[Paper], sentences: Sequence[CitingSentence] = ()) -> None:
        self.papers, self.sentences = list(papers), list(sentences)
        self.owner = {
            key: row
            for row, paper in reversed(list(enumerate(self.papers)))
            for key in (paper.id, *paper.ids)
        }

    def references(
        self, row: int, before: int | None = None, unseen: Collection[int] = ()
    ) -> set[int]:
        """Return the papers that a paper cites, in its list of references or in a sentence."""
        paper = self.papers[row]
        if row in unseen or (before is not None and not (paper.year and paper.year < before)):
            return set()
        keys = (*paper.references, *self._cited_in_text(row))
        return {self.owner[key] for key in keys if key in self.owner} - {row, *unseen}

    def _cited_in_text(self, row: int) -> list[str]:
        """Return the keys that a paper's sentences cite; sentences later than the paper's own year
        do not count.
        """
        own = [each for each in self.sentences if self.owner.get(each.citing) == row]
        latest: dict[tuple[str, int], int] = {}
        for each in own:  # a sentence that came with two years is of the later one
            name = (each.text, each.start)
            latest[name] = max(latest.get(name, 0), each.year or 0)

        return [
            key
            for each in own
            for group in each.groups
            for key in group.cited
            if latest[each.text, each.start] <= (self.papers[row].year or 9999)
        ]

    def citers(self, row: int, before: int | None = None, unseen: Collection[int] = ()) -> set[int]:
        """Return the papers that cite a paper."""
        others = range(len(self.papers))
        return {other for other in others if row in self.references(other, before, unseen)}

    def dangling(self) -> int:
        """Return how many references lead nowhere."""
        return sum(key not in self.owner for paper in self.papers for key in paper.references)

    def counts(self, row: int, field: str) -> Counter[str]:
        """Return how often each stem occurs in a field of a paper; "text" is title and abstract."""
        paper = self.papers[row]
        texts = {
            "title": [paper.title],
            "abstract": [paper.abstract],
            "text": [paper.title, paper.abstract],
        }[field]
        return Counter(stem for text in texts for stem in stems(text))

    def length(self, row: int, field: str) -> int:
        """Return the number of stems in a field of a paper."""
        return sum(self.counts(row, field).values())

    def mean_length(self, field: str) -> float:
        """Return the mean number of stems in a field."""
        return sum(self.length(row, field) for row in range(len(self.papers))) / len(self.papers)

    def frequency(self, stem: str, field: str) -> int:
        """Return the number of papers with a stem in a field."""
        return sum(stem in self.counts(row, field) for row in range(len(self.papers)))

    def bm25(
        self, query: Counter[str], k1: float, b: float, delta: float = 0.0
    ) -> dict[int, float]:
        """Return the score of every paper that shares a term with the query."""
        mean = self.mean_length("text")
        weights = {stem: count * self._idf(stem) for stem, count in query.items()}

        scores: dict[int, float] = {}
        for row in range(len(self.papers)):
            counts = self.counts(row, "text")
            shared = [stem for stem in query if counts[stem]]
            norm = k1 * (1 - b + b * sum(counts.values()) / mean)
            if shared:
                scores[row] = sum(
                    weights[stem] * (counts[stem] * (k1 + 1) / (counts[stem] + norm) + delta)
                    for stem in shared
                )
        return scores

    def _idf(self, stem: str) -> float:
        """Return ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N papers have the stem."""
        frequency = self.frequency(stem, "text")
        return math.log(1 + (len(self.papers) - frequency + 0.5) / (frequency + 0.5))


def total(each: Recommendation) -> float:
    """Return base and contributions added up: the score, but for rounding."""
    return each.base + sum(part.value for part in each.contributions)


def same_author(one: str, other: str) -> bool:
    """Whether family names are equal and the first names too, or one is the other's initial: by
    plain comparison.
    """
    families = [_family_name(name) for name in (one, other)]
    firsts = [_first_name(name) for name in (one, other)]
    return (
        families[0] == families[1]
        and (firsts[0] == firsts[1] or firsts[0][:1] in firsts or firsts[1][:1] in firsts)
        and firsts[0][:1] == firsts[1][:1]
    )


@functools.cache
def _family_name(name: str) -> str:
    return ids.surname(name)


@functools.cache
def _first_name(name: str) -> str:
    _, comma, given_names = name.partition(",")
    words = (
        (given_names if comma else name)
        .replace(".", " ")
        .replace("-", " ")
        .replace("’", " ")
        .split()
    )
    word = (words if comma else words[:-1] or [""])[0]
    word = word[:1] if word.isupper() and len(word) <= 3 else word
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().casefold()
