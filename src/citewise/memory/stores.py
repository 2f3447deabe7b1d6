"""The stores of a library in memory, made from records."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citewise.beside import together
from citewise.ingest.spans import Extractor
from citewise.memory.evidence import MemoryEvidence
from citewise.memory.papers import MemoryGraph, MemoryPapers
from citewise.memory.terms import MemoryLexical, MemoryTerms, Vocabulary
from citewise.memory.vectors import MemoryModels, MemoryVectors, Vectors
from citewise.protocols import EncodedBy, Together
from citewise.types import CitingSentence, Paper, StoreInfo


@dataclass(frozen=True, slots=True)
class MemoryStores:
    """`protocols.Stores` in memory: `citewise.Library(MemoryStores.of(records))` is a library."""

    papers: MemoryPapers
    graph: MemoryGraph
    terms: MemoryTerms
    lexical: MemoryLexical
    evidence: MemoryEvidence
    vectors: MemoryVectors
    models: MemoryModels
    info: StoreInfo
    together: Together = together

    @classmethod
    def of(
        cls, records: Iterable[Paper | CitingSentence], mentions: bool = False
    ) -> "MemoryStores":
        """Return the stores of some papers and citing sentences.

        Records are taken as they are: they are not cleaned, and versions of one work are not
        merged; each paper is a row, in the order given. Of papers that share a key, the first is
        found by it. With `mentions`, sentences are parsed to find what exactly is cited (extra
        `evidence`).
        """
        records = list(records)
        all_papers = [each for each in records if isinstance(each, Paper)]
        sentences = [each for each in records if isinstance(each, CitingSentence)]

        vocabulary, papers = Vocabulary(), MemoryPapers(all_papers)
        evidence = MemoryEvidence(papers, sentences, Extractor(mentions).spans, vocabulary)
        terms = MemoryTerms(all_papers, vocabulary)
        listed = (
            (row, cited)
            for row, paper in enumerate(all_papers)
            for cited in map(papers.row_of, paper.references)
            if cited not in (-1, row)
        )

        return cls(
            papers=papers,
            graph=MemoryGraph(papers, [*listed, *evidence.dated_citations()]),
            terms=terms,
            lexical=MemoryLexical(papers, terms),
            evidence=evidence,
            vectors=MemoryVectors(papers, evidence),
            models=MemoryModels({}),
            info=StoreInfo(
                location="memory",
                fingerprint=hashlib.blake2b(repr(records).encode(), digest_size=8).hexdigest(),
                terms=len(vocabulary.numbers),
            ),
        )

    def with_vectors(
        self,
        encoder: EncodedBy,
        papers: Vectors | None = None,
        spans: Vectors | None = None,
    ) -> "MemoryStores":
        """Return the same library with vectors that `encoder` made.

        `papers` has a vector for each row and becomes the set named after the model, `spans` has
        one for each of the `len(evidence)` spans; a row of NaN stands for none.
        """
        vectors = MemoryVectors(self.papers, self.evidence, encoder, spans, self.vectors.sets)
        stores = replace(self, vectors=vectors)
        return stores if papers is None else stores.with_set(encoder.model, encoder, papers)

    def with_set(self, name: str, about: EncodedBy, vectors: Vectors) -> "MemoryStores":
        """Return the same library with a further set of papers' vectors, a vector for each row; a
        row of NaN stands for none.
        """
        return replace(self, vectors=self.vectors.with_set(name, about, vectors))

    def with_models(self, models: Mapping[str, bytes]) -> "MemoryStores":
        """Return the same library with these models, by name, and no others."""
        return replace(self, models=MemoryModels(models))
