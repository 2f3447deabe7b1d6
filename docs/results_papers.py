"""Tables of the five papers: what they printed, and what was measured here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import published
import results_vectors as vectors
from measured import MISSING, Result, Table, cell, estimate, fixed, markdown, measured, result

_THREE = ("F1@20", "MRR@1000", "R@1000")
_CORPORA = "corpora.py cs elife scisummnet"
_OVERLAP = "term overlap"
_POOLED = {"MAP": "MAP@1000", "R@5": "R@5"}
"""Measures of pools: what the paper calls them, and what we do."""
_COLLECTIONS = ("scisummnet", "evoeco")
"""Of citing sentences, whose spans are asked."""
_HITS = ("MRR@1000", "hit@1", "hit@3", "hit@5", "hit@10")


def _both(what: str, head: Sequence[str], rows: published.Rows, ours: str) -> str:
    """Return a published table and ours below it."""
    return f"{_printed(what, head, rows)}\n\n{ours}"


def _printed(what: str, head: Sequence[str], rows: published.Rows) -> str:
    return f"*Published*, {what}:\n\n{markdown(head, rows)}"


def _ours(name: str, rows_of: Callable[[Result], Table], command: str = "", about: str = "") -> str:
    """Return a table of a result file of benchmarks/results/papers, or how to measure it."""
    found = result(f"papers/{name}")
    run = f"`python benchmarks/papers/{command or name + '.py'}`"
    if found is None:
        return f"*Ours*: {MISSING}; run {run}"
    part = f", {found['part']} queries" if found.get("part") in ("dev", "test") else ""
    head = f"*Ours*{about}{part} ({run}):"
    return f"{head}\n\n{markdown(*rows_of(found))}\n\n{measured(found)}"


def _values(each: Mapping[str, Any], names: Sequence[str]) -> list[object]:
    """Return measures with intervals, or why there are none."""
    if "not measured" in each:
        return ["needs a model", *[""] * (len(names) - 1)]
    return [estimate(each[name]) if name in each else "" for name in names]


def _by_corpus(names: Sequence[str]) -> Callable[[Result], Table]:
    """Return what makes a table of a file with rows by corpus."""

    def rows(found: Result) -> Table:
        return ["", *names], [
            [f"{corpus}, {each['queries']:,} queries: {name}", *_values(values, names)]
            for corpus, each in found["corpora"].items()
            for name, values in each["rows"].items()
        ]

    return rows


def _beside(first: str, names: Sequence[str]) -> Callable[[Result], Table]:
    """Return what makes a table of a file with rows by corpus: the corpora beside one another."""

    def rows(found: Result) -> Table:
        corpora = found["corpora"]
        head = [
            f"{corpus}, {each['queries']:,} queries: {name}"
            for corpus, each in corpora.items()
            for name in names
        ]
        return [first, *head], [
            [
                row,
                *(
                    value
                    for each in corpora.values()
                    for value in _values(each["rows"][row], names)
                ),
            ]
            for row in next(iter(corpora.values()))["rows"]
        ]

    return rows


def _first_papers(name: str, what: str) -> str:
    """Return how many of BM25's first papers were ordered for a result file, and by what."""
    found = result(f"papers/{name}")
    return f", BM25's first {found['depth']:,} in {what}" if found else ""


# Corpora


def statistics() -> str:
    """Return the sizes of the papers' corpora and of ours."""

    def rows(found: Result) -> Table:
        corpora = found["corpora"]
        return ["", *(f"`{name}`" for name in corpora)], [
            [name, *(cell(value(each)) for each in corpora.values())]
            for name, value in _STATISTICS.items()
        ]

    head = ["", "Open Research", "DBLP", "PubMed"]
    both = _printed("Navigation's and BIR's table 1", head, published.STATISTICS)
    third = _printed("Citeomatic's table 1", ["", "OpenCorpus"], published.OPENCORPUS)
    return f"{both}\n\n{third}\n\n{_ours('corpora', rows, _CORPORA)}"


def _spread(found: Mapping[str, float]) -> str:
    return f"{found['mean']:.2f} (± {found['deviation']:.2f})"


_STATISTICS: dict[str, Callable[[Result], object]] = {
    "papers": lambda each: each["statistics"]["papers"],
    "authors": lambda each: each["statistics"]["authors"],
    "venues": lambda each: each["statistics"]["venues"],
    "key phrases": lambda each: each["statistics"]["key_phrases"],
    "characters a paper": lambda each: f"{each['statistics']['mean_characters']:,.0f}",
    "in-citations a paper": lambda each: _spread(each["statistics"]["in_citations"]),
    "out-citations a paper": lambda each: _spread(each["statistics"]["out_citations"]),
    "out-citations of those with any": lambda each: _spread(
        each["statistics"]["out_citations_of_citing"]
    ),
    **{
        f"{what}, {part}": lambda each, part=part, what=what: each["parts"][part][what]
        for what in ("queries", "pairs")
        for part in ("train", "dev", "test")
    },
    "split by": lambda each: each["split"],
    "seconds of CPU for these statistics": lambda each: each["CPU s"],
}


def evidence() -> str:
    """Return the sizes of evidence databases."""

    def rows(found: Result) -> Table:
        return ["", "spans", "characters a span", "words a span", "cited papers"], [
            [
                f"`{name}`",
                each["statistics"]["spans"],
                f"{each['statistics']['mean_span_characters']:.2f}",
                f"{each['statistics']['mean_span_words']:.2f}",
                each["statistics"]["cited_papers"],
            ]
            for name, each in found["corpora"].items()
            if each["statistics"]["spans"]
        ]

    head = ["topic", "spans", "characters a span", "tokens a span", "cited papers"]
    return _both("table 2", head, published.EVIDENCE, _ours("corpora", rows, _CORPORA))


# Drafts


def main_results() -> str:
    """Return the main results of the papers on navigation, and ours."""
    head = ["", "F1@20 dev", "test", "MRR dev", "test", "R@1000 dev", "test"]
    printed = [
        _printed(f"{corpus} (table {number})", head, rows)
        for number, (corpus, rows) in enumerate(published.MAIN.items(), 2)
    ]
    return "\n\n".join([*printed, _ours("main_results", _by_corpus(_THREE))])


def pretrained() -> str:
    """Return cross-encoders by their pretraining."""
    ours = _ours(
        "pretrained",
        _beside("", _THREE[:2]),
        "pretrained.py FOLDER --sample 60",
        _first_papers("pretrained", "the order of each model's scores"),
    )
    head = ["encoder", "F1@20", "MRR"]
    return _both("Open Research, dev", head, published.PRETRAINED, ours)


def starts() -> str:
    """Return how far the trainings of small cross-encoders got."""

    def rows(found: Result) -> Table:
        measures = ("MAP@50", "MRR@50", "P@5")
        shown = [
            [
                f"`{name}`",
                f"{each['counts']['pairs']:,}",
                each["settings"]["system"],
                *(fixed(values[measure]) for values in _orders(each) for measure in measures),
            ]
            for name, each in found["rows"].items()
        ]
        orders = [
            f"{order}: {measure}" for order in ("its order", "logits") for measure in measures
        ]
        return ["trained", "pairs", "first papers of", *orders], shown

    about = ", what each orders on 60 dev queries of `cs`"
    five = _ours("starts", rows, "starts.py FOLDER", about)
    six_layers = _ours("starts-minilm-6", rows, "starts.py FOLDER --only minilm-6", about)
    return f"{five}\n\n{six_layers}"


def _orders(trained: Result) -> list[dict]:
    """Return the measures of a system's first papers in its order, and in that of the logits."""
    dev = trained["dev"]
    return [dev[trained["settings"]["system"]], dev["logits alone"]]


def rounds() -> str:
    """Return navigation by rounds."""

    def rows(found: Result) -> Table:
        corpora = found["corpora"]
        row = next(iter(next(iter(corpora.values()))["rows"].values()))
        measures = [name for name in row if name != _OVERLAP]
        return ["", *measures, _OVERLAP], [
            [
                f"{corpus}, {each['queries']:,} queries: {name}",
                *_values(values, measures),
                fixed(values[_OVERLAP]),
            ]
            for corpus, each in corpora.items()
            for name, values in each["rows"].items()
        ]

    head = ["", "F1@20", "MRR", "R@1000", _OVERLAP]
    lexical = _ours("rounds", rows, about=", with BM25 as the ranker")
    similar = _ours(
        "rounds-minilm",
        rows,
        "rounds.py --encoder minilm --sample 100 --counted new",
        ", with the similarity of MiniLM's vectors as the ranker",
    )
    read = _ours(
        "rounds-minilm-6",
        rows,
        "rounds.py cs --ranker FOLDER --depth 100 --counted new --sample 50",
        ", with the cross-encoder `minilm-6` as the ranker, 100 papers instead of 1,000",
    )
    ours = f"{lexical}\n\n{similar}\n\n{read}"
    return _both("Open Research, dev, ranked by SciBERT-Base", head, published.ROUNDS, ours)


def sweep() -> str:
    """Return R@1000 by k_d in each round."""

    def rows(found: Result) -> Table:
        steps = range(0, 1001, 100)
        return ["k_d", *map(str, steps), "best"], [
            [
                f"{corpus}, {name}",
                *(fixed(each["R@1000 by k_d"][str(step)]) for step in steps),
                each["best"],
            ]
            for corpus, swept in found["corpora"].items()
            for name, each in swept["rows"].items()
        ]

    return _ours("sweep", rows, "rounds.py --sweep", ", R@1000 with $k_c = 1000 - k_d$")


def forms() -> str:
    """Return BM25 by the form of the query."""
    head = ["", *(f"{corpus} {name}" for corpus in ("Open Research", "PubMed", "DBLP")
                  for name in ("F1@20", "MRR", "R@1000"))]  # fmt: skip
    return _both("table 7", head, published.FORMS, _ours("query_forms", _by_corpus(_THREE)))


def tokens() -> str:
    """Return F1@20 by the query's tokens."""
    found = result("papers/query_tokens")
    limit = f" of {found['limit']}" if found else ""
    return _ours(
        "query_tokens",
        _beside(f"tokens{limit} for the query", ("F1@20",)),
        "query_tokens.py FOLDER --depth 50 --sample 60",
        _first_papers("query_tokens", f"the order of `{found['model']}`") if found else "",
    )


# Citeomatic


def citeomatic() -> str:
    """Return Citeomatic's main results; ours are measured by benchmarks/citeomatic.py."""
    head = ["", *(f"{corpus} {name}" for corpus in ("DBLP", "PubMed", "OpenCorpus")
                  for name in ("F1@20", "MRR"))]  # fmt: skip
    ours = "\n\n".join(
        f"*Ours*, `{corpus}`:\n\n{_elsewhere(vectors.citeomatic(corpus), 'citeomatic.py')}"
        for corpus in ("cs", "elife")
    )
    return _both("table 2", head, published.CITEOMATIC, ours)


def _elsewhere(table: str, script: str) -> str:
    """Return a table of another script's result file, with the command."""
    run = f"`python benchmarks/{script}`"
    return f"{MISSING}; run {run}" if table == MISSING else f"{table} ({run})"


def left_out() -> str:
    """Return NNRank without some of its features."""
    ours = f"*Ours*, `elife`:\n\n{_elsewhere(vectors.left_out('elife'), 'citeomatic.py')}"
    return _both("table 3, PubMed", ["", "F1@20", "MRR"], published.LEFT_OUT, ours)


def neighbours() -> str:
    """Return NNSelect by the number of neighbours."""
    head = ["neighbours", "R@20", "P@20", "ms"]
    ours = f"*Ours*, `cs`:\n\n{_elsewhere(vectors.neighbours('cs'), 'citeomatic.py')}"
    return _both("table 4, OpenCorpus, 1,000 dev queries", head, published.NEIGHBOURS, ours)


def self_citation() -> str:
    """Return the places of papers by the query's own authors."""
    table = _elsewhere(vectors.self_citation("elife"), "citeomatic.py --test")
    return f"*Ours*, `elife`:\n\n{table}"


def venues() -> str:
    """Return F1@20 by field."""

    def rows(found: Result) -> Table:
        systems = [name for name in next(iter(found["venues"].values())) if name != "queries"]
        return [found["by"], "queries", *(f"`{name}`" for name in systems)], [
            [name, each["queries"], *(fixed(each[system]) for system in systems)]
            for name, each in found["venues"].items()
        ]

    return _ours("venues", rows)


def whoosh() -> str:
    """Return BM25 with Whoosh's key terms; ours are among the forms of the query."""
    head = ["", "DBLP F1@20", "MRR", "PubMed F1@20", "MRR"]
    return _printed("table 5", head, published.WHOOSH)


def detailed() -> str:
    """Return Citeomatic's table 10."""
    head = ["", *(f"{corpus} {name}" for corpus in ("DBLP", "PubMed")
                  for name in ("P@10", "P@20", "R@20", "F1@20", "MRR"))]  # fmt: skip
    return _printed("table 10", head, published.DETAILED)


# MDCR


def sizes() -> str:
    """Return what is found in candidate sets of growing size."""
    names = ("MAP@500", "nDCG@500", "R@30")

    def rows(found: Result) -> Table:
        return ["corpus, papers in a set, sets", "system", *names], [
            [
                f"{corpus}, {each['papers']:,}, {each['repeats']}",
                f"`{system}`",
                *_values(values, names),
            ]
            for corpus, sizes in found["corpora"].items()
            for each in sizes["sizes"].values()
            for system, values in each["rows"].items()
        ]

    head = ["", *(f"{size} {name}" for size in ("200k", "500k", "1M", "2M")
                  for name in ("MAP", "NDCG", "R@30"))]  # fmt: skip
    return _both(
        "table 1, in hundredths",
        head,
        published.SIZES,
        _ours("pool_sizes", rows, "pool_sizes.py elife"),
    )


def fields(number: int) -> str:
    """Return one of MDCR's tables by field (2: MAP, 7: NDCG, 8: R@30), and ours of `cs`."""
    rows, name = {
        2: (published.FIELD_MAP, "MAP@500"),
        7: (published.FIELD_NDCG, "nDCG@500"),
        8: (published.FIELD_RECALL, "R@30"),
    }[number]
    printed = _printed(
        f"table {number}, in hundredths",
        ["field", *published.MODELS],
        published.turned(rows, published.FIELDS),
    )

    def own(found: Result) -> Table:
        systems = [*found["table 3"]]
        return ["field", "papers", *(f"`{system}` {name}" for system in systems)], [
            [field, each["papers"], *(estimate(each[system][name]) for system in systems)]
            for field, each in found["table 2"].items()
        ]

    return f"{printed}\n\n{_pools_of_cs(own)}"


def _pools_of_cs(rows_of: Callable[[Result], Table], about: str = "") -> str:
    """Return a table of what benchmarks/pools.py measured."""
    found, run = result("pools-cs"), "`python benchmarks/pools.py LIBRARY`"
    if found is None:
        return f"*Ours*: {MISSING}; run {run}"
    return f"*Ours*, `cs`{about} ({run}):\n\n{markdown(*rows_of(found))}\n\n{measured(found)}"


_Pooled = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]
"""By system and by field or kind of negative: measures with intervals."""


def pools() -> str:
    """Return MDCR's table 3 and ours."""

    def by_field(table: _Pooled, measure: str) -> Table:
        return ["field", *(f"`{system}`" for system in table)], [
            [field, *(estimate(found[field][measure]) for found in table.values())]
            for field in next(iter(table.values()))
        ]

    def of_elife(measure: str) -> str:
        return _ours(
            "pool_fields",
            lambda found: by_field(found["corpora"]["elife"]["fields"], measure),
            "pool_fields.py elife cs",
            f", `elife`, {measure}",
        )

    def of_cs(measure: str) -> str:
        return _pools_of_cs(lambda found: by_field(found["table 3"], measure), f", {measure}")

    head = ["field", *(f"{model} {name}" for model in published.MODELS for name in _POOLED)]
    ours = [of_corpus(each) for of_corpus in (of_elife, of_cs) for each in _POOLED.values()]
    return _both("table 3, in hundredths", head, published.POOLS, "\n\n".join(ours))


def kinds() -> str:
    """Return MDCR's table 4 and ours."""

    def by_kind(table: _Pooled) -> Table:
        kinds = [*next(iter(table.values()))]
        return ["system", *(f"`{kind}` {name}" for kind in kinds for name in _POOLED)], [
            [
                f"`{system}`",
                *(estimate(found[kind][name]) for kind in kinds for name in _POOLED.values()),
            ]
            for system, found in table.items()
        ]

    def of_corpus(corpus: str) -> str:
        return _ours(
            "pool_fields",
            lambda found: by_kind(found["corpora"][corpus]["kinds"]),
            "pool_fields.py elife cs",
            f", `{corpus}`",
        )

    found = result("papers/pool_fields")
    corpora = found["corpora"] if found else ("elife",)
    negatives = ("BM25", "SPECTER", "SciNCL", "graph", "most cited", "random")
    head = ["model", *(f"{kind} {name}" for kind in negatives for name in _POOLED)]
    ours = "\n\n".join(map(of_corpus, corpora))
    return _both("table 4, in hundredths", head, published.KINDS, ours)


def scidocs() -> str:
    """Return MDCR's table 6."""
    return _printed("table 6, in hundredths", ["model", "MAP", "NDCG"], published.SCIDOCS)


# Sentences


def _table_of_spans(*keys: str) -> Callable[[Result], Table]:
    def rows(found: Result) -> Table:
        head = [f"{found['questions']:,} span queries", *_HITS]
        return head, [
            [name, *_values(each, _HITS)]
            for key in keys
            for name, each in found.get(key, {}).items()
        ]

    return rows


def spans() -> str:
    """Return ILCiteR's table 4 and ours."""
    ours = [
        _ours(
            f"spans-{name}",
            _table_of_spans("table 4", "evidence"),
            f"spans.py {name}",
            f", `{name}`",
        )
        for name in _COLLECTIONS
    ]
    head = ["", "MRR", "R@1", "R@3", "R@5", "R@10"]
    return _both("table 4", head, published.SPANS, "\n\n".join(ours))


def ensembles() -> str:
    """Return ILCiteR's table 5 and ours, which needs vectors."""
    head = ["", "MRR", "R@1", "R@3", "R@5", "R@10"]
    return _both("table 5", head, published.ENSEMBLES, _dense("table 5"))


def thresholds() -> str:
    """Return what is found by the number of words that make a claim long."""
    return _dense("thresholds")


def _dense(key: str) -> str:
    """Return the tables of what needs vectors of spans."""
    tables = []
    for name in _COLLECTIONS:
        found, run = result(f"papers/spans-{name}"), f"spans.py {name} --vectors"
        if found is None or key not in found:
            tables.append(
                f"*Ours*, `{name}`: {MISSING}; needs a model (MiniLM, or SciBERT in a folder): "
                f"run `python benchmarks/papers/{run}`"
            )
            continue
        about = f", `{name}`, vectors of {found['encoder']}"
        tables.append(_ours(f"spans-{name}", _table_of_spans(key), run, about))
    return "\n\n".join(tables)


# Departures


def departures() -> str:
    """Return the figures of each departure, before and after."""

    def rows(found: Result) -> Table:
        return ["", "before", "after"], [[name, *each(found)] for name, each in _DEPARTURES.items()]

    return _ours("departures", rows)


def _mrr(found: Mapping[str, Any]) -> str:
    return f"MRR {estimate(found['MRR@1000'])}"


def _mentions(system: str, asked: str) -> Callable[[Result], list[str]]:
    return lambda found: [
        _mrr(found["mentions"][which][asked][system]) for which in ("without", "with")
    ]


def _cut(corpus: str) -> Callable[[Result], list[str]]:
    return lambda found: [
        ", ".join(f"{count:,} {part}" for part, count in found["splits"][corpus][cut].items())
        for cut in ("eligible", "all")
    ]


def _pool(name: str, each: Mapping[str, Any]) -> str:
    found = each["published pools"][name]
    return f"{found['papers']:,} papers, {found['taken out']:,} taken out, MAP {found['MAP']:.3f}"


_DEPARTURES: dict[str, Callable[[Result], list[str]]] = {
    "1. `ilciter` on whole sentences, on spans": lambda found: [
        f"{_mrr(found['span queries'][asked])}, {found['span queries'][asked]['questions']} asked"
        for asked in ("sentences", "spans")
    ],
    "2. pools made without a guard, `bm25`": lambda found: [
        _pool("guarded, as before", found),
        _pool("as published", found),
    ],
    "3. papers of pools that `navigation` gave no score": lambda found: [
        f"{found['pool papers without a score'][when]:,} of "
        f"{found['pool papers without a score']['papers']:,}"
        for when in ("without a score, before", "after")
    ],
    "4. mentions: `ilciter`, span queries": _mentions("ilciter(dense=never)", "span queries"),
    "4. mentions: `ilciter`, dev sentences": _mentions("ilciter(dense=never)", "dev sentences"),
    "4. mentions: `evidence`, span queries": _mentions("evidence", "span queries"),
    "4. mentions: `evidence`, dev sentences": _mentions("evidence", "dev sentences"),
    "6. papers of `elife` that may be in pools": lambda found: [
        f"{found['prefilter']['papers']:,}",
        f"{found['prefilter']['kept']:,}",
    ],
    "8. long dev sentences": lambda found: [
        f"{found['long claims'][key]:,} of {found['long claims']['sentences']:,}"
        for key in ("long by known terms, 2.5 times the mean", "long by words, more than 50")
    ],
    "9. queries of `elife` by parts": _cut("elife"),
    "9. queries of `scisummnet` by parts": _cut("scisummnet"),
}
"""What each row shows, by its name."""
