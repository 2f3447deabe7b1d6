"""Tables of what is found for drafts: `best`, its training, preferences, navigation."""

from typing import Any

from measured import Result, Table, change, estimate, fixed, in_words, rounds, titled


def best() -> str:
    """Return what the learned system finds and takes, beside BM25."""

    def rows(found: Result) -> Table:
        quality, median = found["quality"], found["latency"]["ms, median"]
        measures = [*next(iter(quality.values()))]
        return (
            ["system", *measures, "time of an answer, × `bm25`"],
            [
                [
                    name if " " in name else f"`{name}`",
                    *(estimate([*each[measure].values()]) for measure in measures),
                    f"{median[name] / median['bm25']:.2f}",
                ]
                for name, each in quality.items()
            ],
        )

    return titled("best-cs", rows)


def half_given() -> str:
    """Return what the learned system makes of half of the references."""

    def rows(found: Result) -> Table:
        quality = found["half of the references given"]["quality"]
        measures = [*next(iter(quality.values()))]
        return ["of the other half", *measures], [
            [name, *(estimate([*each[measure].values()]) for measure in measures)]
            for name, each in quality.items()
        ]

    return titled("best-cs", rows)


def best_speed(run: str) -> str:
    """Return what an answer of the learned system takes, beside the others, in a run."""

    def rows(found: Result) -> Table:
        timed = found["latency"]
        return (
            ["1,000 papers", "median ms, by round", "95th percentile over median", "over pyserini"],
            [
                [
                    name,
                    rounds(values),
                    timed["p95 / median"][name],
                    f"{timed['ms, median'][name] / timed['ms, median']['pyserini']:.2f}",
                ]
                for name, values in timed["ms, median by round"].items()
            ],
        )

    return titled(run, rows)


def stages() -> str:
    """Return where the time of an answer of the learned system goes."""

    def rows(found: Result) -> Table:
        return ["step", "ms a query"], [*found["stages, ms a query"].items()]

    return titled("best-cs", rows)


def trained(name: str) -> str:
    """Return the quality of a ranker that ships in its training."""
    return titled(f"ranker-{name}", lambda found: _by_measure("ranking by", found["quality"]))


def ablation() -> str:
    """Return the quality of trees that lack a family of signals each."""
    return titled("ranker-ablation-cs", lambda found: _by_measure("left out", found["ablation"]))


def _by_measure(head: str, found: dict[str, Any]) -> Table:
    measures = [*next(iter(found.values()))]
    return [head, *measures], [
        [in_words(name), *(fixed(each[measure]) for measure in measures)]
        for name, each in found.items()
    ]


def calibration(what: str) -> str:
    """Return how far chances can be trusted, by kind of query: of drafts, or of sentences."""

    def rows(found: Result) -> Table:
        heads = ["queries", "asked", "Brier", "constant", "ECE", "good", "weak", "none"]
        return heads, [
            [
                name,
                each["queries"],
                fixed(each["brier"]),
                fixed(each["reference"]),
                fixed(each["error"]),
                *(f"{each['matches'][match]:.0%}" for match in ("good", "weak", "none")),
            ]
            for name, each in found["by kind"].items()
        ]

    return titled(f"calibration-{what}", rows)


def transfer() -> str:
    """Return what the shipped ranker finds in a field that it never saw."""

    def rows(found: Result) -> Table:
        parts = found["parts"]
        measures = [*next(iter(parts.values()))["whole"]["bm25"]]
        return [
            "queries, what is known",
            *(f"{measure}: `bm25` → `best`" for measure in measures),
        ], [
            [f"{part}, {in_words(name)}", *(_changed(each, measure) for measure in measures)]
            for part, slices in parts.items()
            for name, each in slices.items()
            if name != "queries"
        ]

    return titled("transfer-elife", rows)


def own_ranker() -> str:
    """Return what ships and a library's own ranker find in that field, by the vectors they read."""

    def rows(found: Result) -> Table:
        measures = ("F1@20", "MRR@1000", "R@1000")
        return ["queries, system", *measures, "F1@20, × BM25", "MRR, × BM25"], [
            [
                f"{part}, {system if ' ' in system else f'`{system}`'}",
                *(fixed(values[measure][0]) for measure in measures),
                *(f"{values[f'{name} / bm25{chr(39)}s']:.2f}" for name in measures[:2]),
            ]
            for part in ("dev", "test")
            if part in found
            for system, values in found[part]["quality"].items()
        ]

    return titled("own-ranker-elife", rows)


def small_libraries(name: str) -> str:
    """Return what the learned system and BM25 find in small libraries."""

    def rows(found: Result) -> Table:
        measures = [*next(iter(found["quality"].values()))["bm25"]]
        return ["library, papers", *(f"{measure}: `bm25` → `best`" for measure in measures)], [
            [name, *(_changed(each, measure) for measure in measures)]
            for name, each in found["quality"].items()
        ]

    return titled(f"small-libraries-{name}", rows)


def _changed(found: dict[str, Any], measure: str) -> str:
    return change(found["bm25"][measure], found["best"][measure], found["p"][measure])


def defaults(measure: str) -> str:
    """Return what the defaults and BM25 find in libraries of every kind, by one measure."""

    def rows(found: Result) -> Table:
        columns = [*dict.fromkeys(name for kind in _kinds(found).values() for name in kind)]
        return ["library: `bm25` → default", *columns], [
            [name, *(_default_cell(kind.get(column), measure) for column in columns)]
            for name, kind in _kinds(found).items()
        ]

    return titled("defaults", rows)


def _kinds(found: Result) -> dict[str, dict[str, Any]]:
    return {
        f"{group}: {kind}": row
        for group, kinds in found["rows"].items()
        for kind, row in kinds.items()
    }


def _default_cell(found: dict[str, Any] | None, measure: str) -> str:
    if found is None:
        return ""
    values = found[measure]
    mark = " ▼" if values["ratio"] < 1 and values["p"] < 0.05 else ""
    return change(values["bm25"], values["default"], values["p"]) + mark


def self_citation() -> str:
    """Return how many answers the draft's authors wrote."""

    def rows(found: Result) -> Table:
        shares = found["self-citation, dev 2022"]
        names = [*next(iter(shares.values()))]
        heads = {"share of papers": "share by the draft's authors"}
        return ["first 20 answers", *(heads.get(name, name) for name in names)], [
            [in_words(system), *(fixed(each[name]) if name in each else "" for name in names)]
            for system, each in shares.items()
        ]

    return titled("transfer-elife", rows)


def knobs(part: str = "") -> str:
    """Return what each preference changes; `part` names a corpus within the result."""

    def rows(found: Result) -> Table:
        settings = (found[part] if part else found)["settings"]
        return (
            ["preference", *map(in_words, next(iter(settings.values())))],
            [[in_words(name), *map(fixed, each.values())] for name, each in settings.items()],
        )

    return titled("knobs-cs", rows)


def navigation() -> str:
    """Return what navigation finds round by round, with two rankers and in the paper."""

    def rows(found: Result) -> Table:
        test, paper = found["test 2022"]["rows"], found["paper"]["rows"]
        rankers = [*dict.fromkeys(name.partition(",")[0] for name in test if ", rounds " in name)]
        counted = next(iter(test)).rpartition(" ")[2]
        shown = []
        for number, reported in paper.items():
            ours = [test[f"{ranker}, rounds {number}, counted {counted}"] for ranker in rankers]
            shown.append([number, *map(_navigated, ours), _joined([*reported.values()])])
        return ["rounds", *rankers, "the paper"], shown

    return titled("navigation-cs", rows)


def reranking(corpus: str) -> str:
    """Return what models that read texts make of the first papers of `best`."""

    def rows(found: Result) -> Table:
        parts = {
            f"{part} ({found[part]['queries']} queries)": found[part]["rows"]
            for part in ("dev", "test")
            if part in found
        }
        names = [*dict.fromkeys(name for rows in parts.values() for name in rows)]
        measures = [*next(iter(parts.values()))[names[0]]]
        return ["order", *(f"{part}: {measure}" for part in parts for measure in measures)], [
            [
                name,
                *(
                    _tested(rows[name][each]) if name in rows else ""
                    for rows in parts.values()
                    for each in measures
                ),
            ]
            for name in names
        ]

    return titled(f"cross-encoder-{corpus}", rows)


def _tested(figure: list[float]) -> str:
    """Return a value with the p-value of its difference from the first order, where it has one."""
    value, p = figure
    if p == 1:
        return fixed(value)
    return f"{fixed(value)} (p {'< 0.001' if p < 0.001 else f'{p:.3f}'})"


def _navigated(row: dict[str, Any]) -> str:
    measures = [row[name][0] for name in ("F1@20", "MRR@1000", "R@1000")]
    return _joined([*measures, row["term overlap@1000"]])


def _joined(values: list[float]) -> str:
    return " / ".join(map(fixed, values))
