"""Which features the ranker is trained on, by what they are made from (see `citewise.rank.features` for the names)."""

import itertools
from collections.abc import Mapping
from types import MappingProxyType

from citewise.rank import sentence_model
from citewise.rank.features import plain

FIRST = ("log hit_rank", "log votes", "log votes_sharp", "log votes_recent", "log votes10", "log nearest_citer_rank",
         "log citations", "log citations1", "growth", "age", "title_in_draft", "log seeds_tied", "voted_for", "found",
         "authors_own", "authors_cited")
"""The features of the linear step."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "words": ("title_title / best", "title_abstract / best", "abstract_title / best", "abstract_abstract / best",
              "feedback / best", "rank bm25", "rank feedback", "rank title_title", "rank abstract_abstract",
              "rank title_in_draft", "log hit_rank", "title_shared", "title_in_draft", "bm25_share",
              "cosine", "cosine / best", "rank cosine"),
    "votes": ("votes10 / best", "votes30 / best", "votes100 / best", "votes / best", "votes_sharp / best",
              "votes_sharpest / best", "votes_shared / best", "votes_recent / best", "lift_sharp / best",
              "rank votes_recent", "rank votes_sharp", "rank votes", "rank lift_sharp", "log votes10", "log votes",
              "log votes_sharp", "log votes_recent", "log vote_count", "log nearest_citer_rank", "nearest_citer",
              "lift", "lift_sharp", "votes_to_mean"),
    "citing titles": ("cited_as / best", "cited_as_most / best", "rank cited_as", "rank cited_as_mean",
                      "log cited_as", "cited_as_most"),
    "co-citation and coupling": (
        "cocited / best", "cocited_share / best", "cocited_strong / best", "cocited_near / best", "rank cocited_near",
        "rank cocited_share", "log cocited_share", "cites_candidates / best", "cited_by_candidates / best",
        "rank cited_by_candidates", "log cites_candidates", "log cited_by_candidates", "log references"),
    "citations and age": ("citations / best", "citations1 / best", "citations3 / best", "rank citations",
                          "rank citations2", "log citations", "log citations1", "log citations2", "growth", "age",
                          "rank age"),
    "seeds": ("seeds_cocited / best", "seeds_cocited_share / best", "seeds_cocited_strong / best",
              "seeds_cocited_near / best", "seeds_cite / best", "cites_seeds / best", "seeds_words / best",
              "rank seeds_cocited_share", "rank seeds_cocited_strong", "rank seeds_words", "log seeds_tied",
              "log seeds_cite", "log cites_seeds"),
    "authors": ("authored_by", "authored_alike", "log authored", "rank authored", "log authored_papers",
                "log authors_cite", "authors_cite / best", "rank authors_cite", "log authors_tied",
                "authors_tied / best", "rank authors_tied"),
    "query and paper": ("log length", "has_abstract", "query_size", "voted", "best_bm25",
                        "cited_share", "neighbour_references", "voted_alike", "voted_alike_more"),
})
"""The features of the trees."""

SUMMARY = ("first", "rank first")
"""The linear step's score, which the trees see as well; it sums up other families, so an ablation leaves it out."""

FEATURES = (*SUMMARY, *itertools.chain.from_iterable(FAMILIES.values()))

_SENTENCES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "spans one by one": ("mass", "best_span", "span_nearness", "near_spans", "spans"),
    "all that is said": ("said_score", "whole_score", "cover", "share", "lift", "highest_lift", "log_odds"),
    "title and abstract": ("text_score", "title_score", "title_cover", "title_said", "has_abstract", "names_title"),
    "names": ("names",), "support and recency": ("support", "citers", "recent", "age", "trend"),
    "co-citation with the first": ("cocited",), "the draft": ("context",),
    "what it cites": ("seeds", "cited_elsewhere")})
"""Families of signals of sentences, by how their names begin."""

SENTENCE_FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    family: tuple(name for name in sentence_model.FEATURES if plain(name).startswith(begins))
    for family, begins in _SENTENCES.items()})
"""The features of the trees for sentences."""
