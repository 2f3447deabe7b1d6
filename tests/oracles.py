"""Slow, plain implementations of what citewise does fast, to compare answers with."""

import functools
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

import tantivy

from citewise import ids
from citewise.text import LONGEST_TOKEN
from citewise.types import CitingSentence, Paper, Recommendation


@functools.cache
def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (tantivy.Filter.lowercase(), tantivy.Filter.remove_long(LONGEST_TOKEN + 1),
                 tantivy.Filter.stopword("english"), tantivy.Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()


def stems(text: str) -> list[str]:
    """Return the terms of an ASCII text, as tantivy's own analysis finds them."""
    return _analyzer().analyze(text)


class PlainLibrary:
    """What a library should say of some papers: dictionaries and loops."""

    def __init__(self, papers: Sequence[Paper], sentences: Sequence[CitingSentence] = ()) -> None:
        self.papers, self.sentences = list(papers), list(sentences)
        self.owner = {key: place for place, paper in reversed(list(enumerate(self.papers)))
                      for key in (paper.id, *paper.ids)}

    def references(self, place: int, before: int | None = None, unseen: Collection[int] = ()) -> set[int]:
        paper = self.papers[place]
        if place in unseen or (before is not None and not (paper.year and paper.year < before)):
            return set()
        keys = (*paper.references, *self._cited_in_text(place))
        return {self.owner[key] for key in keys if key in self.owner} - {place, *unseen}

    def _cited_in_text(self, place: int) -> list[str]:
        """Return what a paper's sentences cite, but for those that are younger than the paper is said to be."""
        own = [each for each in self.sentences if self.owner.get(each.citing) == place]
        latest: dict[tuple[str, int], int] = {}
        for each in own:  # a sentence that came with two years is as young as the later one
            said = (each.text, each.start)
            latest[said] = max(latest.get(said, 0), each.year or 0)
        return [key for each in own for group in each.groups for key in group.cited
                if latest[each.text, each.start] <= (self.papers[place].year or 9999)]

    def citers(self, place: int, before: int | None = None, unseen: Collection[int] = ()) -> set[int]:
        return {other for other in range(len(self.papers)) if place in self.references(other, before, unseen)}

    def dangling(self) -> int:
        """Return how many references lead nowhere."""
        return sum(key not in self.owner for paper in self.papers for key in paper.references)

    def counts(self, place: int, field: str) -> Counter[str]:
        paper = self.papers[place]
        texts = {"title": [paper.title], "abstract": [paper.abstract], "text": [paper.title, paper.abstract]}[field]
        return Counter(stem for text in texts for stem in stems(text))

    def length(self, place: int, field: str) -> int:
        return sum(self.counts(place, field).values())

    def mean_length(self, field: str) -> float:
        return sum(self.length(place, field) for place in range(len(self.papers))) / len(self.papers)

    def frequency(self, stem: str, field: str) -> int:
        return sum(stem in self.counts(place, field) for place in range(len(self.papers)))

    def bm25(self, query: Counter[str], k1: float, b: float, delta: float = 0.0) -> dict[int, float]:
        """Return the score of every paper that shares a term with the query."""
        number, mean = len(self.papers), self.mean_length("text")
        weights = {stem: count * math.log(1 + (number - self.frequency(stem, "text") + 0.5)
                                          / (self.frequency(stem, "text") + 0.5)) for stem, count in query.items()}
        scores: dict[int, float] = {}
        for place in range(number):
            held = self.counts(place, "text")
            shared = [stem for stem in query if held[stem]]
            norm = k1 * (1 - b + b * sum(held.values()) / mean)
            if shared:
                scores[place] = sum(weights[stem] * (held[stem] * (k1 + 1) / (held[stem] + norm) + delta)
                                    for stem in shared)
        return scores


def total(each: Recommendation) -> float:
    """Return base and contributions added up: the score, but for rounding."""
    return each.base + sum(each.contributions.values())


def same_author(one: str, other: str) -> bool:
    """Whether family names are equal and the first names too, or one is the other's initial: by plain comparison."""
    families = [ids.surname(name) for name in (one, other)]
    firsts = [_first_name(name) for name in (one, other)]
    return families[0] == families[1] and (firsts[0] == firsts[1] or firsts[0][:1] in firsts or firsts[1][:1] in firsts
                                           ) and firsts[0][:1] == firsts[1][:1]


def _first_name(name: str) -> str:
    _, comma, given_names = name.partition(",")
    words = (given_names if comma else name).replace(".", " ").replace("-", " ").replace("’", " ").split()
    word = (words if comma else words[:-1] or [""])[0]
    word = word[:1] if word.isupper() and len(word) <= 3 else word
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().casefold()
