"""Tables of vectors: word vectors by seed and setting, Citeomatic's systems, the search beside
rivals.
"""

from collections.abc import Mapping
from typing import Any

from measured import MISSING, Result, Table, fixed, markdown, measured, result, titled

_MEASURES = ("F1@20", "MRR@1000", "R@1000")


def seeds() -> str:
    """Return the mean and the deviation of word vectors over several seeds."""
    found = result("nnselect")
    if found is None or "seeds" not in found:
        return MISSING
    over = found["seeds"]
    rows = [[name, fixed(over[name]["mean"]), over[name]["deviation"]] for name in _MEASURES]
    minutes = ", ".join(map(str, over["minutes"]))
    head = [f"{over['seeds']} seeds, dev", "mean", "deviation"]
    return (
        f"{markdown(head, rows)}\n\n"
        f"Minutes of training: {minutes}; at most {over['peak MB']:,} MB. {measured(found)}"
    )


def settings() -> str:
    """Return what short trainings with other settings find."""
    found = result("nnselect")
    if found is None or "compared" not in found:
        return MISSING
    rows = [
        [name, *(fixed(each["dev"]["trained"][measure]) for measure in _MEASURES), each["minutes"]]
        for name, each in found["compared"].items()
    ]
    return f"{markdown(['dev', *_MEASURES, 'minutes'], rows)}\n\n{measured(found)}"


def citeomatic(corpus: str) -> str:
    """Return what Citeomatic's systems find in a corpus, on test where that was looked at."""

    def rows(found: Result) -> Table:
        part = "test" if corpus in found.get("test", {}) else "dev"
        measured_on = found[part][corpus]
        head = [f"{part}, {measured_on['queries']:,} queries", *_MEASURES, "F1@20 / BM25's", "ms"]
        return head, [
            [f"{system}{given}", *_quality(each)]
            for given, key in (("", "quality"), (", metadata given", "quality, metadata given"))
            for system, each in measured_on[key].items()
            if not given or system == "citeomatic"
        ]

    return _known(corpus, rows)


def _quality(found: Mapping[str, float]) -> list[object]:
    ratio = found["F1@20 / bm25's"]
    return [*(fixed(found[name]) for name in _MEASURES), f"{ratio:.2f}", found["ms"]]


def left_out(corpus: str) -> str:
    """Return what NNRank finds on dev queries without some of its features."""

    def rows(found: Result) -> Table:
        without = found["dev"][corpus]["left out, dev"]
        return ["left out, dev", *_MEASURES], [
            [name, *(fixed(each[measure]) for measure in _MEASURES)]
            for name, each in without.items()
        ]

    return _known(corpus, rows)


def neighbours(corpus: str) -> str:
    """Return the recall of candidates by how many neighbours' references join them."""

    def rows(found: Result) -> Table:
        by_count = found["dev"][corpus]["neighbours"]
        return ["neighbours whose references join, dev", "R@1000", "F1@20"], [
            [count, fixed(each["R@1000"]), fixed(each["F1@20"])] for count, each in by_count.items()
        ]

    return _known(corpus, rows)


def self_citation(corpus: str) -> str:
    """Return the mean and the best place of papers by the query's own authors, by depth."""

    def rows(found: Result) -> Table:
        curves = found["test"][corpus]["self-citation"]
        depths = [k for k in next(iter(curves.values())) if k in _DEPTHS]
        return ["mean / best place, test", *(f"k = {k}" for k in depths)], [
            [
                f"`{system}`",
                *(f"{each[k]['mean place']:.1f} / {each[k]['best place']:.1f}" for k in depths),
            ]
            for system, each in curves.items()
        ]

    return _known(corpus, rows)


_DEPTHS = ("1", "10", "20", "50", "100")


def _known(corpus: str, rows: Any) -> str:
    """Return a table of Citeomatic's result file, where it has the corpus."""
    found = result("citeomatic")
    if found is None or corpus not in found.get("dev", {}):
        return MISSING
    return titled("citeomatic", rows)


def search() -> str:
    """Return recall and time of the search for neighbours, beside rivals, in each collection."""

    def rows(found: Result) -> Table:
        head = ["100 nearest", "recall@100", "ms", "of exact's time", "MB", "built in s"]
        return head, [
            row
            for each in found["measured"]
            for row in [[_collection(each), "", "", "", "", ""], *_searches(each)]
        ]

    return titled("vectors", rows)


def _collection(found: Mapping[str, Any]) -> str:
    what = "synthetic" if found["of"] == "synthetic" else f"of `{found['of']}`"
    return f"**{found['vectors']:,} vectors of {found['size']} numbers, {what}**"


def _searches(found: Mapping[str, Any]) -> list[list[object]]:
    built = found["built"]

    def parts(name: str) -> list[object]:
        engine = built.get(name.partition(",")[0])
        return [engine["MB"], engine["seconds"]] if engine else ["", ""]

    return [
        [
            name,
            fixed(each["recall@100"]),
            each["milliseconds"],
            fixed(each["of exact's time"]),
            *parts(name),
        ]
        for name, each in found["searches"].items()
    ]
