"""The catalogue of signals: every number that a stage computes about a candidate, declared once.

From it follow the features that models are trained on, the families of an ablation, what stages
promise to write, the labels and reasons that people see, and the table in the documentation.

A feature is a signal in one of four forms, and its name says which: `votes` is the signal itself,
`log votes` is ln(1 + votes), `rank votes` the logarithm of its rank among the candidates, and
`votes / best` its ratio to the highest value among the candidates.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

PLAIN, LOG, RANK, RATIO = "{}", "log {}", "rank {}", "{} / best"
"""The forms in which a model may read a signal."""

_ALIKE = "the same for every candidate"
_OPINION = "a number of a model that does not say what it found"


@dataclass(frozen=True, slots=True)
class Signal:
    """A named number about a candidate."""

    name: str
    by: str
    """The stage that computes it; "derived" where it follows from other signals."""
    family: str
    """What it is made from: an ablation leaves out one family at a time."""
    label: str
    """What people read in place of the name."""
    trees: tuple[str, ...] = ()
    """The forms in which the trees read it."""
    linear: tuple[str, ...] = ()
    """The forms in which the linear step reads it."""
    reason: str = ""
    """The kind of reason that it can give (see `citewise.explain`)."""
    why_none: str = ""
    """Why it gives no reason."""
    of: str = ""
    """For a derived signal, the one of its sources to which its share of a score is credited."""
    may_be_unknown: bool = False
    """Whether it is NaN where the library or the query does not say."""
    version: int = 1
    """Raised when it is computed differently: models trained with another version are refused."""

    def features(self, forms: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the features that forms of this signal make."""
        return tuple(form.format(self.name) for form in forms)


def plain(feature: str) -> str:
    """Return the signal in a feature's name."""
    return feature.removesuffix(" / best").removeprefix("rank ").removeprefix("log ")


TIMES = " * "
"""Between the names of two features, it names their product."""


class Catalogue:
    """The signals of one task, by name."""

    def __init__(self, signals: Sequence[Signal]) -> None:
        self._signals = {signal.name: signal for signal in signals}

    def __iter__(self) -> Iterator[Signal]:
        return iter(self._signals.values())

    def __contains__(self, name: str) -> bool:
        return name in self._signals

    def __getitem__(self, name: str) -> Signal:
        return self._signals[name]

    def written_by(self, stage: str) -> frozenset[str]:
        """Return the names of the signals that a stage computes."""
        return frozenset(signal.name for signal in self if signal.by == stage)

    def names(self, by: str, family: str) -> tuple[str, ...]:
        """Return the names of the signals of a family that a stage computes."""
        return tuple(signal.name for signal in self if signal.by == by and signal.family == family)

    def tree_features(self, without: str = "") -> tuple[str, ...]:
        """Return the features that the trees are trained on; `without` names a family that is left
        out.
        """
        kept = (signal for signal in self if not without or signal.family != without)
        return tuple(name for signal in kept for name in signal.features(signal.trees))

    def linear_features(self, without: str = "") -> tuple[str, ...]:
        """Return the features that the linear step is trained on, without those of a family."""
        kept = (signal for signal in self if not without or signal.family != without)
        return tuple(name for signal in kept for name in signal.features(signal.linear))

    def families(self) -> Mapping[str, tuple[str, ...]]:
        """Return the trees' features by family; signals of no family are left out."""
        found: dict[str, tuple[str, ...]] = {}
        for signal in self:
            if signal.family and signal.trees:
                features = signal.features(signal.trees)
                found[signal.family] = (*found.get(signal.family, ()), *features)
        return found

    def summary_features(self) -> tuple[str, ...]:
        """Return the features that sum up several families, which an ablation must leave out: those
        of the linear step's score.
        """
        return tuple(
            name
            for signal in self
            if signal.by == "linear" and not signal.family
            for name in signal.features(signal.trees)
        )

    def sources(self, feature: str) -> tuple[str, ...]:
        """Return the signals that a feature's share of a score is credited to: one, or for a
        product (`age * log votes`) one for each factor.
        """
        names = map(plain, feature.split(TIMES))
        return tuple(self._signals[name].of or name for name in names)

    def definition(self, features: Iterable[str]) -> str:
        """Return a digest of how features are defined: their names, the signals in them and these
        signals' versions.
        """
        names = sorted({each for feature in features for each in feature.split(TIMES)})
        versions = [f"{name} {self._signals[plain(name)].version}" for name in names]
        return hashlib.blake2b("\n".join(versions).encode(), digest_size=8).hexdigest()


def _signals(
    by: str,
    family: str,
    *rows: tuple[str, str, tuple[str, ...], str],
    may_be_unknown: bool = False,
) -> list[Signal]:
    """Return signals of one stage and family; a row is (name, label, forms, reason)."""
    return [
        Signal(name, by, family, label, forms, reason=reason, may_be_unknown=may_be_unknown)
        for name, label, forms, reason in rows
    ]


_CITED_BY_SIMILAR = "cited by similar papers"
_TOGETHER = "often cited together with your other results"
_WITH_CITED = "cited together with papers that you cite"
_WORDS = "shares words with your draft"
_TITLE = "its title shares words with your draft"
_TITLES = "cited by papers with similar titles"
_CITATIONS = "how often it is cited"
_OWN = "written by your draft's authors"
_SIMILAR_MEANING = "similar in meaning to your draft"
_SIMILAR_TO_RESULTS = "similar in meaning to your other results"
_SIMILAR_TO_CITED = "similar in meaning to papers that you cite"
_CITED_BY_MEANING = "cited by papers similar in meaning"


@dataclass(frozen=True, slots=True)
class VectorSignals:
    """The names of the signals that one set of papers' vectors gives for a draft."""

    family: str
    by: str
    """The expander that computes the first of them."""
    cosine: str
    """How similar a paper is to the draft."""
    prefix: str
    """What the names of the others begin with."""

    def named(self, name: str) -> str:
        """Return the name of one of the others: `votes`, `citer`, ..."""
        return self.prefix + name


WORD_VECTORS = VectorSignals("vectors", "dense_neighbours", "vector_cosine", "dense_")
"""Of vectors that are made from single words."""

TEXT_VECTORS = VectorSignals("text vectors", "text_neighbours", "encoder_cosine", "encoder_")
"""Of vectors that a transformer has made of whole titles and abstracts."""

VECTORS = (WORD_VECTORS, TEXT_VECTORS)


def _of_vectors(names: VectorSignals) -> list[Signal]:
    """Return the signals of a set of papers' vectors."""
    return [
        Signal(
            names.cosine,
            names.by,
            names.family,
            _SIMILAR_MEANING,
            (PLAIN, RATIO, RANK),
            (PLAIN,),
            reason="similar_meaning",
            may_be_unknown=True,
        ),
        Signal(
            names.named("votes"),
            names.by,
            names.family,
            _CITED_BY_MEANING,
            (RATIO, RANK, LOG),
            (LOG,),
            reason="cited_by_close",
            may_be_unknown=True,
        ),
        *_signals(
            names.by,
            names.family,
            (names.named("votes_sharp"), _CITED_BY_MEANING, (RATIO, RANK), "cited_by_close"),
            (names.named("citer"), _CITED_BY_MEANING, (PLAIN,), "cited_by_close"),
            may_be_unknown=True,
        ),
        *_signals(
            "trees",
            names.family,
            (names.named("feedback"), _SIMILAR_TO_RESULTS, (PLAIN, RANK), "similar_meaning"),
            (names.named("seeds"), _SIMILAR_TO_CITED, (PLAIN, RANK), "similar_meaning"),
            (names.named("citers"), _CITED_BY_MEANING, (RATIO, RANK, LOG), "cited_by_close"),
            (names.named("citers_mean"), _CITED_BY_MEANING, (RATIO, RANK), "cited_by_close"),
            (names.named("citers_best"), _CITED_BY_MEANING, (PLAIN, RANK), "cited_by_close"),
            may_be_unknown=True,
        ),
        Signal(
            names.named("known"),
            "derived",
            names.family,
            _SIMILAR_MEANING,
            (),
            (PLAIN,),
            of=names.cosine,
            reason="similar_meaning",
        ),
    ]


DRAFTS = Catalogue(
    [
        # words
        Signal(
            "hit_rank",
            "engine",
            "words",
            _WORDS,
            (LOG,),
            (LOG,),
            reason="shared_words",
            may_be_unknown=True,
        ),
        *_signals(
            "trees",
            "words",
            ("title_title", _TITLE, (RATIO, RANK), "shared_words"),
            ("title_abstract", _WORDS, (RATIO,), "shared_words"),
            ("abstract_title", _TITLE, (RATIO,), "shared_words"),
            ("abstract_abstract", _WORDS, (RATIO, RANK), "shared_words"),
            ("bm25", _WORDS, (RANK,), "shared_words"),
            ("feedback", "shares words with the papers found first", (RATIO, RANK), "shared_words"),
            ("title_shared", _TITLE, (PLAIN,), "shared_words"),
            ("cosine", _WORDS, (PLAIN, RATIO, RANK), "shared_words"),
        ),
        Signal(
            "title_in_draft",
            "linear",
            "words",
            "the words of its title are in your draft",
            (PLAIN, RANK),
            (PLAIN,),
            reason="title_words",
        ),
        Signal(
            "bm25_share", "derived", "words", _WORDS, (PLAIN,), of="bm25", reason="shared_words"
        ),
        Signal(
            "found", "derived", "words", _WORDS, (), (PLAIN,), of="hit_rank", reason="shared_words"
        ),
        # votes of similar papers
        Signal(
            "votes",
            "neighbours",
            "votes",
            _CITED_BY_SIMILAR,
            (RATIO, RANK, LOG),
            (LOG,),
            reason="cited_by_similar",
        ),
        Signal(
            "votes_sharp",
            "neighbours",
            "votes",
            _CITED_BY_SIMILAR,
            (RATIO, RANK, LOG),
            (LOG,),
            reason="cited_by_similar",
        ),
        Signal(
            "votes_recent",
            "neighbours",
            "votes",
            "cited by recent similar papers",
            (RATIO, RANK, LOG),
            (LOG,),
            reason="cited_by_similar",
        ),
        Signal(
            "votes10",
            "neighbours",
            "votes",
            "cited by the most similar papers",
            (RATIO, LOG),
            (LOG,),
            reason="cited_by_similar",
        ),
        *_signals(
            "neighbours",
            "votes",
            ("votes30", "cited by the most similar papers", (RATIO,), "cited_by_similar"),
            ("votes100", _CITED_BY_SIMILAR, (RATIO,), "cited_by_similar"),
            ("votes_sharpest", "cited by the most similar papers", (RATIO,), "cited_by_similar"),
            ("votes_shared", _CITED_BY_SIMILAR, (RATIO,), "cited_by_similar"),
            ("vote_count", _CITED_BY_SIMILAR, (LOG,), "cited_by_similar"),
            ("nearest_citer", "cited by the most similar papers", (PLAIN,), "cited_by_similar"),
        ),
        Signal(
            "nearest_citer_rank",
            "neighbours",
            "votes",
            "cited by the most similar papers",
            (LOG,),
            (LOG,),
            reason="cited_by_similar",
        ),
        Signal(
            "lift",
            "derived",
            "votes",
            _CITED_BY_SIMILAR,
            (PLAIN,),
            of="vote_count",
            reason="cited_by_similar",
        ),
        Signal(
            "lift_sharp",
            "derived",
            "votes",
            _CITED_BY_SIMILAR,
            (RATIO, RANK, PLAIN),
            of="votes_sharp",
            reason="cited_by_similar",
        ),
        Signal(
            "votes_to_mean",
            "derived",
            "votes",
            _CITED_BY_SIMILAR,
            (PLAIN,),
            of="votes_sharp",
            reason="cited_by_similar",
        ),
        Signal(
            "voted_for",
            "derived",
            "votes",
            _CITED_BY_SIMILAR,
            (),
            (PLAIN,),
            of="vote_count",
            reason="cited_by_similar",
        ),
        # vectors
        *(signal for names in VECTORS for signal in _of_vectors(names)),
        # titles of the papers that cite it
        *_signals(
            "trees",
            "citing titles",
            ("citing_titles", _TITLES, (RATIO, RANK, LOG), "cited_by_titles"),
            ("citing_title_best", _TITLES, (RATIO, PLAIN), "cited_by_titles"),
            ("citing_title_mean", _TITLES, (RANK,), "cited_by_titles"),
        ),
        # co-citation and coupling
        *_signals(
            "trees",
            "co-citation and coupling",
            ("cocited", _TOGETHER, (RATIO,), "cited_with_answers"),
            ("cocited_share", _TOGETHER, (RATIO, RANK, LOG), "cited_with_answers"),
            ("cocited_strong", _TOGETHER, (RATIO,), "cited_with_answers"),
            ("cocited_near", _TOGETHER, (RATIO, RANK), "cited_with_answers"),
            ("cites_candidates", "cites your other results", (RATIO, LOG), "linked_to_answers"),
            (
                "cited_by_candidates",
                "cited by your other results",
                (RATIO, RANK, LOG),
                "linked_to_answers",
            ),
        ),
        Signal(
            "references",
            "trees",
            "co-citation and coupling",
            "how many references it has",
            (LOG,),
            why_none="says how much the graph knows of a paper, not that it fits",
        ),
        # citations and age
        Signal(
            "citations",
            "linear",
            "citations and age",
            _CITATIONS,
            (RATIO, RANK, LOG),
            (LOG,),
            reason="citations",
        ),
        Signal(
            "citations1",
            "linear",
            "citations and age",
            "how often it was cited of late",
            (RATIO, LOG),
            (LOG,),
            reason="citations",
        ),
        Signal(
            "citations2",
            "linear",
            "citations and age",
            "how often it was cited of late",
            (RANK, LOG),
            reason="citations",
        ),
        Signal(
            "citations3",
            "linear",
            "citations and age",
            "how often it was cited of late",
            (RATIO,),
            reason="citations",
        ),
        Signal(
            "growth",
            "derived",
            "citations and age",
            "how often it was cited of late",
            (PLAIN,),
            (PLAIN,),
            of="citations2",
            reason="citations",
        ),
        Signal(
            "age",
            "linear",
            "citations and age",
            "its age",
            (PLAIN, RANK),
            (PLAIN,),
            may_be_unknown=True,
            why_none="an age alone is no reason to cite a paper",
        ),
        # papers that the draft cites already
        Signal(
            "seeds_linked",
            "seeds",
            "seeds",
            "linked to papers that you cite",
            (LOG,),
            (LOG,),
            reason="cited_with_cited",
        ),
        *_signals(
            "trees",
            "seeds",
            ("seeds_cocited", _WITH_CITED, (RATIO,), "cited_with_cited"),
            ("seeds_cocited_share", _WITH_CITED, (RATIO, RANK), "cited_with_cited"),
            ("seeds_cocited_strong", _WITH_CITED, (RATIO, RANK), "cited_with_cited"),
            ("seeds_cocited_near", _WITH_CITED, (RATIO,), "cited_with_cited"),
            ("seeds_cite", "cited by papers that you cite", (RATIO, LOG), "linked_to_cited"),
            ("cites_seeds", "cites papers that you cite", (RATIO, LOG), "linked_to_cited"),
            (
                "seeds_words",
                "shares words with papers that you cite",
                (RATIO, RANK),
                "shared_words",
            ),
            may_be_unknown=True,
        ),
        # the draft's authors
        *_signals(
            "authors",
            "authors",
            ("authored_by", _OWN, (PLAIN,), "own_paper"),
            ("authored_rank", _OWN, (PLAIN,), "own_paper"),
            ("authored_papers", _OWN, (LOG,), "own_paper"),
            (
                "authors_linked",
                "linked to papers of your draft's authors",
                (LOG, RATIO, RANK),
                "cited_by_own",
            ),
            may_be_unknown=True,
        ),
        Signal(
            "authored",
            "authors",
            "authors",
            _OWN,
            (LOG, RANK),
            reason="own_paper",
            may_be_unknown=True,
        ),
        Signal(
            "authors_cite",
            "authors",
            "authors",
            "cited by your draft's authors",
            (LOG, RATIO, RANK),
            reason="cited_by_own",
            may_be_unknown=True,
        ),
        Signal(
            "authors_own",
            "derived",
            "authors",
            _OWN,
            (),
            (PLAIN,),
            of="authored",
            reason="own_paper",
        ),
        Signal(
            "authors_cited",
            "derived",
            "authors",
            "cited by your draft's authors",
            (),
            (PLAIN,),
            of="authors_cite",
            reason="cited_by_own",
        ),
        # the query and the paper as such
        Signal(
            "length",
            "trees",
            "query and paper",
            "the length of its text",
            (LOG,),
            why_none="says how far to trust words, not that a paper fits",
        ),
        Signal(
            "has_abstract",
            "trees",
            "query and paper",
            "whether its abstract is known",
            (PLAIN,),
            why_none="says how far to trust words, not that a paper fits",
        ),
        Signal(
            "query_weight",
            "trees",
            "query and paper",
            "the length of your draft",
            why_none=_ALIKE,
        ),
        Signal(
            "query_size",
            "derived",
            "query and paper",
            "the length of your draft",
            (PLAIN,),
            of="query_weight",
            why_none=_ALIKE,
        ),
        Signal(
            "neighbour_references",
            "neighbours",
            "query and paper",
            "how many references similar papers have",
            (PLAIN,),
            why_none=_ALIKE,
        ),
        *(
            Signal(name, "derived", "query and paper", label, (PLAIN,), of=of, why_none=_ALIKE)
            for name, label, of in (
                ("voted", _CITED_BY_SIMILAR, "vote_count"),
                ("best_bm25", _WORDS, "bm25"),
                ("cited_share", _CITATIONS, "citations"),
                ("voted_similarity", _CITED_BY_SIMILAR, "votes"),
                ("voted_similarity_lift", _CITED_BY_SIMILAR, "votes"),
            )
        ),
        # the linear step's score, which sums up the families above
        Signal(
            "linear_score",
            "linear",
            "",
            "the first step's score",
            (PLAIN, RANK),
            why_none="sums up other signals",
        ),
    ]
)
"""The signals of `best`."""

_FOR_SIMILAR = "cited for similar claims"
_PROFILE = "what citing sentences say about it"
_FROM_TEXT = "its title and abstract share words with your sentence"
_NAMES = "cited for the names in your sentence"
_CONTEXT = "cited by papers similar to your draft"
_SUPPORT = "how often it is cited in sentences"
_FOR_SAME = "cited for claims of similar meaning"

SENTENCES = Catalogue(
    [
        *_signals(
            "sentences",
            "spans one by one",
            ("mass", _FOR_SIMILAR, (RATIO, RANK), "cited_for"),
            ("mass3", _FOR_SIMILAR, (RATIO, RANK), "cited_for"),
            ("mass5", _FOR_SIMILAR, (RATIO, RANK), "cited_for"),
            ("mass3_near", _FOR_SIMILAR, (RATIO, RANK), "cited_for"),
            ("mass3_narrow", _FOR_SIMILAR, (RATIO, RANK), "cited_for"),
            ("best_span", _FOR_SIMILAR, (PLAIN, RATIO, RANK), "cited_for"),
            ("span_nearness", _FOR_SIMILAR, (PLAIN,), "cited_for"),
            ("span_nearness_plus", _FOR_SIMILAR, (PLAIN,), "cited_for"),
            ("near_spans", _FOR_SIMILAR, (LOG,), "cited_for"),
            ("spans", _FOR_SIMILAR, (LOG,), "cited_for"),
        ),
        *_signals(
            "sentences",
            "meaning of spans",
            ("meaning_best", _FOR_SAME, (PLAIN, RATIO, RANK), "cited_for"),
            ("meaning_mass", _FOR_SAME, (RATIO, RANK), "cited_for"),
            ("meaning_mass_near", _FOR_SAME, (RATIO, RANK), "cited_for"),
            ("meaning_and_words", _FOR_SAME, (RATIO, RANK), "cited_for"),
            ("meaning_nearness", _FOR_SAME, (PLAIN,), "cited_for"),
            ("meaning_profile_best", _FOR_SAME, (PLAIN, RATIO, RANK), "cited_for"),
            ("meaning_profile_mean", _FOR_SAME, (PLAIN, RATIO, RANK), "cited_for"),
            ("meaning_profile_mass", _FOR_SAME, (RATIO, RANK), "cited_for"),
            may_be_unknown=True,
        ),
        *_signals(
            "sentences",
            "profiles",
            ("profile_score", _PROFILE, (RATIO, RANK), "cited_for"),
            ("whole_score", _PROFILE, (PLAIN, RATIO, RANK), "cited_for"),
            ("cover", _PROFILE, (PLAIN,), "cited_for"),
            ("share", _PROFILE, (PLAIN, RATIO, RANK), "cited_for"),
            ("lift", _PROFILE, (RATIO, RANK), "cited_for"),
            ("highest_lift", _PROFILE, (PLAIN, RATIO, RANK), "cited_for"),
            ("log_odds", _PROFILE, (RATIO, RANK), "cited_for"),
        ),
        *_signals(
            "sentences",
            "title and abstract",
            ("text_score", _FROM_TEXT, (PLAIN, RATIO, RANK), "sentence_words"),
            ("title_score", _FROM_TEXT, (PLAIN, RATIO, RANK), "sentence_words"),
            ("title_cover", _FROM_TEXT, (PLAIN,), "sentence_words"),
            ("title_in_sentence", _FROM_TEXT, (PLAIN, RATIO, RANK), "sentence_words"),
        ),
        Signal(
            "names_title",
            "sentences",
            "title and abstract",
            "the names in your sentence are in its title",
            (PLAIN,),
            reason="sentence_words",
            may_be_unknown=True,
        ),
        Signal(
            "has_abstract",
            "sentences",
            "title and abstract",
            "whether its abstract is known",
            (PLAIN,),
            why_none="says how far to trust words, not that a paper fits",
        ),
        *_signals(
            "sentences",
            "names",
            ("names_cover", _NAMES, (PLAIN,), "cited_for"),
            ("names_share", _NAMES, (PLAIN,), "cited_for"),
            ("names_lift", _NAMES, (PLAIN,), "cited_for"),
            may_be_unknown=True,
        ),
        Signal(
            "names", "sentences", "names", "the names in your sentence", (PLAIN,), why_none=_ALIKE
        ),
        *_signals(
            "sentences",
            "support and recency",
            ("support", _SUPPORT, (LOG, RATIO, RANK), "support"),
            ("citers", _SUPPORT, (LOG,), "support"),
            ("recent", "how often it was cited of late", (LOG,), "support"),
        ),
        Signal(
            "age",
            "sentences",
            "support and recency",
            "its age",
            (PLAIN,),
            may_be_unknown=True,
            why_none="an age alone is no reason to cite a paper",
        ),
        Signal(
            "trend",
            "derived",
            "support and recency",
            "how often it was cited of late",
            (PLAIN,),
            of="recent",
            reason="support",
        ),
        *_signals(
            "sentences",
            "co-citation",
            ("cocited", _TOGETHER, (RATIO, RANK), "cited_with_answers"),
        ),
        Signal(
            "context_votes",
            "context",
            "the draft",
            _CONTEXT,
            (RATIO, RANK),
            reason="cited_by_similar_to_draft",
            may_be_unknown=True,
        ),
        *_signals(
            "sentences",
            "the draft",
            ("context_lift", _CONTEXT, (PLAIN, RATIO, RANK), "cited_by_similar_to_draft"),
            ("context_mass", _CONTEXT, (RATIO, RANK), "cited_by_similar_to_draft"),
            ("context_mass3", _CONTEXT, (RATIO, RANK), "cited_by_similar_to_draft"),
            ("context_nearest", _CONTEXT, (PLAIN, RATIO, RANK), "cited_by_similar_to_draft"),
            ("context_mean", _CONTEXT, (RATIO, RANK), "cited_by_similar_to_draft"),
            ("context_text", _WORDS, (RATIO, RANK), "shared_words"),
            may_be_unknown=True,
        ),
        *_signals(
            "sentences",
            "what the draft cites",
            ("seeds_cocited", _WITH_CITED, (RATIO, RANK), "cited_with_cited"),
            ("cited_elsewhere", "your draft cites it elsewhere", (PLAIN,), "cited_elsewhere"),
            may_be_unknown=True,
        ),
        *(
            Signal(name, "sentences", "", label, (PLAIN,), why_none=_ALIKE)
            for name, label in (
                ("terms", "the length of your sentence"),
                ("nearest", "how similar the nearest citing sentence is"),
            )
        ),
    ]
)
"""The signals of `evidence`."""

OTHERS = Catalogue(
    [
        Signal("bm25", "bm25", "", _WORDS, reason="shared_words"),
        Signal(
            "round",
            "navigation",
            "",
            "the round of navigation that found it",
            why_none="says how a paper was found, not that it fits",
        ),
        Signal(
            "vector_cosine",
            "dense",
            "",
            _SIMILAR_MEANING,
            reason="similar_meaning",
        ),
        Signal(
            "cited_by_nearest",
            "nnselect",
            "",
            "cited by the papers most similar in meaning",
            reason="cited_by_similar",
        ),
        *(
            Signal(name, "nnrank", "", label, reason=reason)
            for name, label, reason in (
                ("nnrank_title", "its title is similar in meaning to yours", "similar_meaning"),
                ("nnrank_abstract", "its abstract is similar in meaning", "similar_meaning"),
                ("nnrank_title_words", "the titles share telling words", "shared_words"),
                ("nnrank_abstract_words", "the abstracts share telling words", "shared_words"),
                ("nnrank_authors", _OWN, "own_paper"),
                ("nnrank_citations", _CITATIONS, "citations"),
            )
        ),
        *(
            Signal(name, "nnrank", "", label, why_none="says little on its own")
            for name, label in (
                ("nnrank_venue", "appeared where your draft is to appear"),
                ("nnrank_key_phrases", "shares key phrases with your draft"),
            )
        ),
        *(
            Signal(name, by, "", label, may_be_unknown=True, why_none=_OPINION)
            for name, by, label in (
                ("cross_encoder", "cross_encoder", "a model that read it beside your draft"),
                ("text_cosine", "text_cosine", "a model that compared its text with your draft's"),
                ("first_score", "reranking", "the score before re-ranking"),
            )
        ),
        Signal("span_rank", "ilciter", "", _FOR_SIMILAR, reason="cited_for"),
        Signal("support", "ilciter", "", _SUPPORT, reason="support"),
        Signal(
            "year",
            "ilciter",
            "",
            "its year",
            why_none="a year alone is no reason to cite a paper",
        ),
        *(
            Signal(name, "preferences", "", label, why_none="is your own preference")
            for name, label in (
                ("prefer_recent", "your preference for recent or older papers"),
                ("prefer_cited", "your preference for much or little cited papers"),
                ("diversify", "your preference for variety"),
            )
        ),
    ]
)
"""The signals of systems without a learned model, and of preferences."""

CATALOGUES = (DRAFTS, SENTENCES, OTHERS)


def written_by(stage: str) -> frozenset[str]:
    """Return the names of the signals that a stage computes."""
    return frozenset[str]().union(*(each.written_by(stage) for each in CATALOGUES))
