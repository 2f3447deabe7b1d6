"""Tables of what is found for sentences, of encoders, and of extraction from full texts."""

from collections.abc import Mapping
from typing import Any

from measured import Result, Table, fixed, in_words, result, rounds, titled

_MOST = (1, 3, 5, 10)


def local() -> str:
    """Return what systems find for sentences, collection by collection: MRR and hit@10."""

    def rows(found: Result) -> Table:
        names = [*found["collections"]]
        columns = {name: _local_rows(name, found) for name in names}
        return (
            ["MRR / hit@10", *names],
            [[label, *(columns[name][label] for name in names)] for label in columns[names[0]]],
        )

    return titled("local", rows)


def _local_rows(name: str, found: Result) -> dict[str, str]:
    """Return a collection's rows: those that others reported, then ours."""
    collection, more = found["collections"][name], "of sentences whose paper has others among them"
    alone = collection["sentence alone"]
    with_draft = collection["with the draft's title and abstract"]
    several = collection[more]
    by_words = "evidence(dense=never)"
    asked = {
        "`bm25` over titles and abstracts": alone["bm25"],
        "`ilciter`": alone["ilciter(dense=never)"],
        "`evidence`, sentence alone": alone[by_words],
        "… and vectors": alone["evidence"],
        "`evidence`, with the draft's title and abstract": with_draft[by_words],
        "… title, abstract and vectors": with_draft["evidence"],
        "… of papers with several sentences": several["title and abstract"][by_words],
        "… and what the others cite": several["and what these cite"][by_words],
        "… what the others cite, and vectors": several["and what these cite"]["evidence"],
    }
    reported = {label: _pair(pair) for label, pair in found["reference"][name].items()}
    ours = {label: _pair((each["MRR@1000"][0], each["hit@10"][0])) for label, each in asked.items()}
    return {**reported, **ours}


def _pair(values: tuple[float, float] | list[float]) -> str:
    return " / ".join(map(fixed, values))


def local_dense() -> str:
    """Return what vectors are worth to ILCiteR's order, collection by collection."""

    def rows(found: Result) -> Table:
        collections = [*found["collections"].values()]
        shown: list[list[object]] = []
        for part, ending in (("all queries", ""), ("long queries only", ": long sentences only")):
            for label in collections[0][part]:
                cells = [_dense_cell(each[part][label]) for each in collections]
                shown.append([f"{label}{ending}", *cells])
        for name in ("queries", "long queries"):
            shown.append([name, *(each[name] for each in collections)])
        return ["MRR, hit@1 / 3 / 5 / 10", *found["collections"]], shown

    return titled("local_dense", rows)


def _dense_cell(found: Mapping[str, Any]) -> str:
    hits = " / ".join(fixed(found[f"hit@{most}"][0]) for most in _MOST)
    return f"{found['MRR@1000'][0]:.3f}, {hits}"


def encoder() -> str:
    """Return how fast encoders and cross-encoders are, what memory they take, and how similar their
    outputs are to those of the usual library for the same model.
    """

    def rows(found: Result) -> Table:
        head = [
            "",
            "a CPU second, one thread, by round",
            "times the rival's",
            "seconds for all, two threads, by round",
            "MB",
            "agreement",
        ]
        return head, [
            [f"{task}: {engine}", *_encoder_cells(engine, each)]
            for task, each in found["tasks"].items()
            for engine in each["memory at most, MB"]
        ]

    return titled("encoder", rows)


def _encoder_cells(engine: str, found: Mapping[str, Any]) -> list[object]:
    agreement = found["beside sentence-transformers"].get(engine, {})
    return [
        rounds(found["a CPU second, one thread, by round"][engine]),
        found["times sentence-transformers"].get(engine, ""),
        rounds(found["seconds for all, two threads, by round"][engine]),
        found["memory at most, MB"][engine],
        "; ".join(f"{name} {value:.4f}" for name, value in agreement.items()),
    ]


def local_model() -> str:
    """Return what families of signals are worth for sentences: MRR / hit@10 of questions that the
    model did not learn from.
    """

    def rows(found: Result) -> Table:
        quality = next(each for name, each in found.items() if name.startswith("of a third"))
        parts = [*next(iter(quality.values()))]
        return (
            ["with draft; sentence alone", *parts],
            [
                [in_words(label), *(_local_cell(each.get(part)) for part in parts)]
                for label, each in quality.items()
            ],
        )

    return titled("local_model", rows)


def _local_cell(found: Mapping[str, Any] | None) -> str:
    return f"{_pair(found['draft'])}; {_pair(found['alone'])}" if found else ""


def local_meaning() -> str:
    """Return what vectors of spans bring to the model for sentences, by collection and year."""

    def rows(found: Result) -> Table:
        quality = found["held out, MRR and hit@10"]
        parts = [*next(iter(quality.values()))]
        return ["with draft; sentence alone", *parts], [
            [label, *(_local_cell(each[part]) for part in parts)] for label, each in quality.items()
        ]

    return titled("local_meaning", rows)


def local_speed() -> str:
    """Return what an answer for a sentence takes."""

    def rows(found: Result) -> Table:
        return ["", "median ms", "× rank_bm25"], [
            [name, value, found["of rank_bm25"][name]]
            for name, value in found["median milliseconds"].items()
        ]

    return titled("local_speed", rows)


def extraction() -> str:
    """Return what the readers of full texts found, by format."""

    def rows(found: Result) -> Table:
        formats, skipped = found["formats"], "skipped, by reason"
        counts = [name for name in next(iter(formats.values())) if name != skipped]
        reasons = sorted({reason for each in formats.values() for reason in each[skipped]})
        return ["", *formats], [
            *([name, *(each[name] for each in formats.values())] for name in counts),
            *(
                [
                    f"skipped: `{reason}`",
                    *(each[skipped].get(reason, 0) for each in formats.values()),
                ]
                for reason in reasons
            ),
        ]

    return titled("extraction", rows)


def reading() -> str:
    """Return what is read right of real drafts, by kind, before and now."""
    before = result("drafts-before")

    def rows(found: Result) -> Table:
        columns = {**found["right"]}
        if before is not None:
            columns = {"all, before": before["right"]["all"], **columns}
        return ["right, of those that have it", *columns], [
            [label, *(_of(each[part]) for each in columns.values())]
            for part, label in _PARTS.items()
        ]

    return titled("drafts", rows)


def _of(counts: list[int]) -> str:
    right, total = counts
    return f"{right} of {total}" if total else ""


_PARTS = {
    "title": "title",
    "abstract": "abstract",
    "cited": "number of cited keys, within 10%",
    "authors": "authors",
    "read": "read, not refused",
}


def reading_stand_ins() -> str:
    """Return what stands in for the abstract of each draft that has none."""

    def rows(found: Result) -> Table:
        return ["draft without an abstract", "what stands in for it"], [
            [f"`{name}`", part or "nothing"] for name, part in found["no abstract"].items()
        ]

    return titled("drafts", rows)


def extraction_checked() -> str:
    """Return how many of the groups that were checked by hand are right, by format."""

    def rows(found: Result) -> Table:
        checked = found["checked by hand"]
        kinds = [*next(iter(checked.values()))]
        total = {kind: sum(each[kind] for each in checked.values()) for kind in kinds}
        return (
            ["format", "groups", *(f"{kind} right" for kind in kinds[1:])],
            [[name, *each.values()] for name, each in [*checked.items(), ("all", total)]],
        )

    return titled("extraction", rows)
