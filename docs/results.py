"""Tables of measured results, made from benchmarks/results; what was not measured says so."""

import functools
import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Table = tuple[Sequence[str], Sequence[Sequence[object]]]
"""A heading and rows."""

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
MISSING = "not measured yet"

_TUNED_SHOWN = 10
_GOAL = 1.5
_ABOUT_THE_RUN = ("commit", "command", "machine", "corpus")


def table(name: str) -> str:
    """Return the table that a marker names, as Markdown."""
    return TABLES[name]()


@functools.cache
def _result(name: str) -> dict[str, Any] | None:
    file = FOLDER / f"{name}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else None


def _markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def _measured(result: Mapping[str, Any]) -> str:
    machine = result["machine"]
    corpus = f"corpus {result['corpus']}, " if "corpus" in result else ""
    return f"Commit `{result['commit']}`, {corpus}{machine['cores']} cores, Python {machine['python']}."


def _titled(name: str, rows_of: Callable[[dict[str, Any]], Table]) -> str:
    result = _result(name)
    if result is None:
        return MISSING
    return f"{_markdown(*rows_of(result))}\n\n{_measured(result)}"


def quality() -> str:
    """Return what each system finds."""
    def rows(result: dict[str, Any]) -> Table:
        measures = next(iter(result["quality"].values())).keys()
        return ["system", *measures], [[name, *found.values()] for name, found in result["quality"].items()]
    return _titled("bm25", rows)


def best() -> str:
    """Return what the learned system finds and takes, beside BM25."""
    def rows(result: dict[str, Any]) -> Table:
        measures = [*next(iter(result["quality"].values()))]
        median, once = result["latency"]["ms, median"], result["latency"]["ms, median"]["bm25"]
        return (["system", *measures, "time of an answer, × bm25"],
                [[f"`{name}`", *(f"{found[each]['value']:.3f} [{found[each]['low']:.3f}–{found[each]['high']:.3f}]"
                                 for each in measures), f"{median[name] / once:.2f}"]
                 for name, found in result["quality"].items()])
    return _titled("best-cs", rows)


def half_given() -> str:
    """Return what the learned system makes of half of the references."""
    def rows(result: dict[str, Any]) -> Table:
        found = result["half of the references given"]["quality"]
        measures = [*next(iter(found.values()))]
        return ["of the other half", *measures], [
            [name, *(_estimate([*each[measure].values()]) for measure in measures)] for name, each in found.items()]
    return _titled("best-cs", rows)


def best_speed() -> str:
    """Return what an answer of the learned system takes, beside the others, and where the time goes."""
    def rows(result: dict[str, Any]) -> Table:
        timed, stages = result["latency"], result["stages, ms a query"]
        asked = [[name, ", ".join(map(str, values)), timed["p95 / median"][name]]
                 for name, values in timed["ms, median by round"].items()]
        ratios = [[name, timed[name], ""] for name in timed if " / " in name and name != "p95 / median"]
        return (["ms an answer, top 1000", "median by round", "p95 / median"],
                [*asked, *ratios, *([f"stage: {name}", value, ""] for name, value in stages.items())])
    return _titled("best-cs", rows)


def trained(part: str) -> str:
    """Return a part of what the training of the shipped ranker found."""
    def rows(result: dict[str, Any]) -> Table:
        found = result[part]
        measures = [*next(iter(found.values()))]
        return ["", *measures], [[name, *(f"{each[measure]:.3f}" for measure in measures)]
                                 for name, each in found.items()]
    return _titled("ranker-cs", rows)


def calibration() -> str:
    """Return how many candidates were expected to be cited, and were."""
    def rows(result: dict[str, Any]) -> Table:
        return ["expected", "cited", "candidates"], [
            [f"{each['expected']:.1%}", f"{each['cited']:.1%}", int(each["candidates"])]
            for each in result["calibration"]]
    return _titled("ranker-cs", rows)


def transfer() -> str:
    """Return what the shipped ranker finds in a field that it never saw."""
    def rows(result: dict[str, Any]) -> Table:
        parts = result["parts"]
        measures = [*next(iter(parts.values()))["whole"]["bm25"]]
        head = [f"{measure}: {name}" for measure in measures for name in ("`bm25`", "`best`", "p")]
        return ["elife", *head], [
            [f"{part}, {name}", *(f"{value:.3f}" for measure in measures for value in (
                found["bm25"][measure], found["best"][measure], found["p"][measure]))]
            for part, slices in parts.items() for name, found in slices.items() if name != "queries"]
    return _titled("transfer-elife", rows)


def self_citation() -> str:
    """Return how many answers the draft's authors wrote."""
    def rows(result: dict[str, Any]) -> Table:
        found = result["self-citation, dev 2022"]
        measures = [*next(iter(found.values()))]
        return ["first 20 answers", *measures], [
            [name, *(f"{values[measure]:.3f}" if measure in values else "" for measure in measures)]
            for name, values in found.items()]
    return _titled("transfer-elife", rows)


def small_libraries() -> str:
    """Return what the learned system and BM25 find in small libraries."""
    def rows(result: dict[str, Any]) -> Table:
        measures = [*next(iter(result["quality"].values()))["bm25"]]
        head = [f"{measure}: {name}" for measure in measures for name in ("`bm25`", "`best`", "p")]
        return ["library, papers", *head], [
            [name, *(f"{value:.3f}" for measure in measures for value in (
                found["bm25"][measure], found["best"][measure], found["p"][measure]))]
            for name, found in result["quality"].items()]
    return _titled("small-libraries-cs", rows)


def knobs(part: str = "") -> str:
    """Return what each preference changes; `part` names a corpus within the result."""
    def rows(result: dict[str, Any]) -> Table:
        found = (result[part] if part else result)["settings"]
        return (["preference", *next(iter(found.values()))],
                [[name, *(f"{value:.3f}" for value in each.values())] for name, each in found.items()])
    return _titled("knobs-cs", rows)


def navigation() -> str:
    """Return what navigation finds round by round, with two rankers and in the paper."""
    def rows(result: dict[str, Any]) -> Table:
        test, paper = result["test 2022"]["rows"], result["paper"]["rows"]
        rankers = list(dict.fromkeys(name.partition(",")[0] for name in test if ", rounds " in name))
        measures = ("F1@20", "MRR@1000", "R@1000")
        head = [f"{ranker}: {name}" for ranker in (*rankers, "paper") for name in (*measures, "overlap")]
        counted = next(iter(test)).rpartition(" ")[2]
        found = []
        for number, told in paper.items():
            ours = [test[f"{ranker}, rounds {number}, counted {counted}"] for ranker in rankers]
            values = [value for row in ours for value in (*(row[name][0] for name in measures),
                                                          row["term overlap@1000"])]
            found.append([number, *(f"{value:.3f}" for value in (*values, *told.values()))])
        return ["rounds", *head], found
    return _titled("navigation-cs", rows)


def latency() -> str:
    """Return how long a query takes, the median of each round and how that compares."""
    def rows(result: dict[str, Any]) -> Table:
        taken, ratios = result["latency"]["rounds"], result["latency"]["ratio to pyserini"]
        rounds = range(1, len(next(iter(taken.values()))) + 1)
        return (["ms a query, median", *(f"round {number}" for number in rounds), "ratio to pyserini"],
                [[name, *values, ratios[name]] for name, values in taken.items()])
    return _titled("bm25", rows)


def memory() -> str:
    """Return the peak resident memory of a process that answers queries, and how long opening takes."""
    def rows(result: dict[str, Any]) -> Table:
        opening = statistics.median(result["latency"]["opening the library, s"])
        return (["process", "value"],
                [*_flat(result["memory"]), ("citewise: opening the library, s (median)", opening)])
    return _titled("bm25", rows)


def build() -> str:
    """Return how fast libraries are built."""
    def rows(result: dict[str, Any]) -> Table:
        speed = [[f"{name}, papers a second", value] for name, value in result["papers a second"].items()]
        taken = [[f"{name}, seconds a round", ", ".join(map(str, values))]
                 for name, values in result["seconds"].items()]
        faster = [[f"citewise, times as fast {name}", f"×{value}"]
                  for name, value in result["citewise is faster by"].items()]
        peak = [[f"{name}, peak MB of all rounds", max(values)] for name, values in result["peak MB"].items()]
        return ["building", "value"], [*speed, *taken, *faster, *peak]
    return _titled("build", rows) + _verdict(_result("build"))


def _verdict(built: Mapping[str, Any] | None) -> str:
    """Return in words how building compares, and how far rounds of the same work differ."""
    if not built:
        return ""
    spread = max(max(seconds) / min(seconds) for seconds in built["seconds"].values())
    ratios = "; ".join(f"×{value} the papers a second of {name.removeprefix('than ')}"
                       for name, value in built["citewise is faster by"].items())
    missed = [name.removeprefix("than ") for name, value in built["citewise is faster by"].items() if value < _GOAL]
    return (f"\n\nBuilding: {ratios}. citewise stores documents and vectors, too. Rounds of the same work differ by up "
            f"to ×{spread:.1f}."
            + (f" The goal was ×{_GOAL}: **missed against {' and '.join(missed)}.**" if missed else ""))


def growth() -> str:
    """Return how time, memory and disk grow with a library, one column a size."""
    def rows(result: dict[str, Any]) -> Table:
        columns = [dict(_flat(row)) for row in result["rows"]]
        head = ["papers", *(f"{column['papers']:,}" for column in columns)]
        return head, [[name, *(column[name] for column in columns)] for name in columns[0] if name != "papers"]
    return _titled("growth", rows)


def crash() -> str:
    """Return what happened to libraries whose writer was killed."""
    def rows(result: dict[str, Any]) -> Table:
        return ["trial", "value"], _flat({name: value for name, value in result.items() if name not in _ABOUT_THE_RUN})
    return _titled("crash", rows)


def tuning() -> str:
    """Return the best settings of BM25 on the development year."""
    def rows(result: dict[str, Any]) -> Table:
        grid = result["grid"]["rows"]
        ranked = sorted(grid.items(), key=lambda item: -item[1]["F1@20"][0])
        measures = [name for name in ranked[0][1] if "@" in name]
        return ([f"system (best {_TUNED_SHOWN} of {len(ranked)})", *measures],
                [[f"`{name}`", *(_estimate(found[measure]) for measure in measures)]
                 for name, found in ranked[:_TUNED_SHOWN]])
    return _titled("lab-cs", rows)


def laboratory(corpus: str) -> str:
    """Return every system's measures with their intervals, on pools of growing size."""
    def rows(result: dict[str, Any]) -> Table:
        pools = result["pools"].items()
        measures = [name for name in next(iter(result["grid"]["rows"].values())) if "@" in name]
        measures += ["MAP@500", "nDCG@500", "R@30"]
        return (["papers", "system", *measures],
                [[f"{int(size):,}", name.rpartition("-")[2] if name.startswith(corpus) else f"`{name}`",
                  *(_estimate(found[measure]) for measure in measures)]
                 for size, pool in pools for name, found in pool["systems"].items()])
    return _titled(f"lab-{corpus}", rows)


def _estimate(found: Sequence[float]) -> str:
    value, low, high = found
    return f"{value:.3f} [{low:.3f}–{high:.3f}]"


def overhead() -> str:
    """Return what an evaluation costs beside the system that it measures."""
    def rows(result: dict[str, Any]) -> Table:
        columns = list(result["rounds"][0])
        return (["", *(f"round {number}" for number in range(1, len(result["rounds"]) + 1))],
                [[name, *(each[name] for each in result["rounds"])] for name in columns])
    return _titled("lab-overhead", rows)


def summary() -> str:
    """Return the few numbers that a visitor asks for, ours beside the rival's."""
    found, built = _result("bm25"), _result("build")
    if found is None and built is None:
        return MISSING
    rows = [*(_found_rows(found) if found else []), *(_built_rows(built) if built else [])]
    measured = [_measured(result) for result in (found, built) if result]
    shown = _markdown(["", "citewise, `bm25`", "pyserini"], rows)
    return f"{shown}\n\n{' '.join(dict.fromkeys(measured))}{_verdict(built)}"


def _found_rows(result: Mapping[str, Any]) -> list[Sequence[object]]:
    ours, theirs = (next(found for name, found in result["quality"].items() if name.startswith(start))
                    for start in ("citewise bm25(", "pyserini"))  # both with the same settings
    speed = {name: statistics.median(values) for name, values in result["latency"]["rounds"].items()}
    memory = dict(_flat(result["memory"]))
    return [*([measure, ours[measure], theirs[measure]] for measure in ours if measure != "queries"),
            [f"ms a query, top {result['latency']['k']}, median", speed["citewise"], speed["pyserini"]],
            ["peak memory while answering, MB", memory["citewise MB, serving: peak MB"],
             memory["pyserini MB, serving"]]]


def _built_rows(result: Mapping[str, Any]) -> list[Sequence[object]]:
    speed = result["papers a second"]
    return [["papers indexed a second", speed["citewise"], speed["pyserini: lexical index only"]]]


def _flat(values: Mapping[str, Any], before: str = "") -> list[tuple[str, object]]:
    """Return (name, value) pairs, names within names joined by a colon; lists stand with commas."""
    pairs: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{before}{name}: ")
        else:
            pairs.append((f"{before}{name}", ", ".join(map(_cell, value)) or "none" if isinstance(value, list)
                          else value))
    return pairs


def pools(which: str) -> str:
    """Return what systems score on pools, by field or by kind of negative, or in large sets by field."""
    def rows(result: dict[str, Any]) -> Table:
        table = result[which]
        if which == "table 2":
            found = {name: {system: each[system] for system in each.keys() - {"papers", "queries"}}
                     for name, each in table.items()}
        else:
            found = {name: {system: table[system][name] for system in table} for name in next(iter(table.values()))}
        columns = [(system, measure) for system in result["table 3"] for measure in next(iter(found.values()))[system]
                   if which != "table 2" or measure == "MAP@500"]
        return (["", *(f"`{system}` {measure}" for system, measure in columns)],
                [[name, *(_estimate(each[system][measure]) for system, measure in columns)]
                 for name, each in found.items()])

    return _titled("pools-cs", rows)


def extraction() -> str:
    """Return what the readers of full texts found, by format."""
    def rows(result: dict[str, Any]) -> Table:
        found = result["formats"]
        shown = [name for name in next(iter(found.values())) if name != "skipped, by reason"]
        reasons = [[f"skipped: `{reason}`", *(each["skipped, by reason"].get(reason, 0) for each in found.values())]
                   for reason in sorted({reason for each in found.values() for reason in each["skipped, by reason"]})]
        return ["", *found], [*([name, *(each[name] for each in found.values())] for name in shown), *reasons]
    return _titled("extraction", rows)


def extraction_checked() -> str:
    """Return how many of the groups that were checked by hand are right, by format."""
    def rows(result: dict[str, Any]) -> Table:
        found = result["checked by hand"]
        kinds = [*next(iter(found.values()))]
        total = {kind: sum(each[kind] for each in found.values()) for kind in kinds}
        return (["format", "groups", *(f"{kind} right" for kind in kinds[1:])],
                [[name, *each.values()] for name, each in [*found.items(), ("all", total)]])
    return _titled("extraction", rows)


def local() -> str:
    """Return what systems find for sentences, collection by collection: MRR and hit@10."""
    def rows(result: dict[str, Any]) -> Table:
        names = [*result["collections"]]
        found = {name: _local_rows(name, result) for name in names}
        return (["MRR / hit@10", *names],
                [[label, *(found[name][label] for name in names)] for label in found[names[0]]])
    return _titled("local", rows)


def _local_rows(name: str, result: Mapping[str, Any]) -> dict[str, str]:
    held, more = result["collections"][name], "of sentences whose paper has others among them"
    alone = held["sentence alone"]
    asked = {"`bm25` over titles and abstracts": alone["bm25"], "`ilciter`": alone["ilciter"],
             "`evidence`, sentence alone": alone["evidence"],
             "`evidence`, with the draft's title and abstract": held["with the draft's title and abstract"]["evidence"],
             "… of papers with several sentences": held[more]["title and abstract"]["evidence"],
             "… and what the others cite": held[more]["and what these cite"]["evidence"]}
    return {**{label: f"{mrr:.3f} / {hit:.3f}" for label, (mrr, hit) in result["reference"][name].items()},
            **{label: f"{found['MRR@1000'][0]:.3f} / {found['hit@10'][0]:.3f}" for label, found in asked.items()}}


def local_dense() -> str:
    """Return what vectors are worth to ILCiteR's order, collection by collection: MRR and hit@10."""
    def rows(result: dict[str, Any]) -> Table:
        held = result["collections"]
        labels = [*next(iter(held.values()))["all queries"]]
        return (["MRR, hit@1 / 3 / 5 / 10", *held],
                [[label, *(_dense_cell(each["all queries"][label]) for each in held.values())] for label in labels]
                + [[f"{label}: long sentences only", *(_dense_cell(each["long queries only"][label])
                                                       for each in held.values())]
                   for label in next(iter(held.values()))["long queries only"]]
                + [[name, *(each[name] for each in held.values())] for name in ("queries", "long queries")])
    return _titled("local_dense", rows)


def _dense_cell(found: Mapping[str, Any]) -> str:
    hits = " / ".join(f"{found[f'hit@{most}'][0]:.3f}" for most in (1, 3, 5, 10))
    return f"{found['MRR@1000'][0]:.3f}, {hits}"


def encoder() -> str:
    """Return how fast the encoder is, and how like its vectors are, beside the usual library for the same model."""
    def rows(result: dict[str, Any]) -> Table:
        cosines = result["cosine to sentence-transformers"]
        return (["", "texts a CPU second, by round", "cosine: mean", "least"],
                [[name, ", ".join(map(str, speeds)), *((cosines[name]["mean"], cosines[name]["least"])
                                                       if name in cosines else ("", ""))]
                 for name, speeds in result["texts a CPU second, one thread, by round"].items()])
    return _titled("encoder", rows)


def local_model() -> str:
    """Return what families of signals are worth for sentences: MRR / hit@10 of held-out questions."""
    def rows(result: dict[str, Any]) -> Table:
        found = next(each for name, each in result.items() if name.startswith("of a third"))
        parts = [*found["without nothing"]]
        return (["", *parts],
                [[label, *(_local_cell(held.get(part)) for part in parts)] for label, held in found.items()])
    return _titled("local_model", rows)


def _local_cell(held: Mapping[str, Any] | None) -> str:
    return "; ".join(f"{mrr:.3f} / {hit:.3f}" for mrr, hit in (held["draft"], held["alone"])) if held else ""


def local_speed() -> str:
    """Return what an answer for a sentence takes."""
    return _titled("local_speed", lambda result: (
        ["", "ms, median", "× rank_bm25"],
        [[name, value, result["of rank_bm25"][name]] for name, value in result["median milliseconds"].items()]))


TABLES: dict[str, Callable[[], str]] = {
    "summary": summary, "quality": quality, "latency": latency, "memory": memory, "build": build, "growth": growth,
    "crash": crash, "tuning": tuning, "lab-cs": functools.partial(laboratory, "cs"),
    "lab-elife": functools.partial(laboratory, "elife"), "lab-overhead": overhead,
    "pools-fields": functools.partial(pools, "table 3"), "pools-kinds": functools.partial(pools, "table 4"),
    "pools-large": functools.partial(pools, "table 2"), "best": best,
    "best-speed": best_speed, "half-given": half_given, "trained": functools.partial(trained, "quality"),
    "ablation": functools.partial(trained, "ablation"), "calibration": calibration,
    "transfer": transfer, "self-citation": self_citation,
    "navigation": navigation, "small-libraries": small_libraries, "knobs": knobs,
    "knobs-authors": functools.partial(knobs, "elife 2021"), "extraction": extraction,
    "extraction-checked": extraction_checked, "local": local, "local-model": local_model, "local-speed": local_speed,
    "local-dense": local_dense, "encoder": encoder}
"""Marker to table."""
