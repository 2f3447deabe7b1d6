"""The tables and plots of measured results, by the name that a page's marker gives."""

import functools
from collections.abc import Callable

import plots
import results_cluster as cluster
import results_drafts as drafts
import results_engine as engine
import results_lab as lab
import results_papers as papers
import results_reading as reading
import results_roundtrip as roundtrip
import results_sentences as sentences
import results_serving as serving
import results_vectors as vectors
from measured import MISSING, Result, estimate, fixed, markdown, measured, result


def table(name: str) -> str:
    """Return the table that a marker names, as Markdown."""
    return TABLES[name]()


def summary() -> str:
    """Return the few numbers that a visitor asks for: `best` and BM25 beside a rival's BM25."""
    learned, words, built = result("best-cs"), result("bm25"), result("build")
    if learned is None or words is None or built is None:
        return MISSING
    rows = [*_found(learned, words), *_taken(learned, words, built)]
    commits = dict.fromkeys(map(measured, (learned, words, built)))
    head = ["", "citewise, `best`", "citewise, `bm25`", "pyserini, BM25"]
    return f"{markdown(head, rows)}\n\n{' '.join(commits)}"


def _found(learned: Result, words: Result) -> list[list[object]]:
    """Return a row for each measure, with intervals where they are known."""
    rival = next(each for name, each in words["quality"].items() if name.startswith("pyserini"))
    ours = learned["quality"]
    return [
        [
            measure,
            estimate([*ours["best"][measure].values()]),
            estimate([*ours["bm25"][measure].values()]),
            fixed(rival[measure]),
        ]
        for measure in ours["best"]
    ]


def _taken(learned: Result, words: Result, built: Result) -> list[list[object]]:
    """Return the rows of time and memory; all times of an answer are of the same run."""
    median = learned["latency"]["ms, median"]
    memory, speed = words["memory"], built["papers a second"]
    return [
        [
            f"ms a query, top {learned['latency']['k']:,}, median",
            median["best"],
            median["bm25"],
            median["pyserini"],
        ],
        [
            "peak memory while answering, MB",
            learned["latency"]["serving memory, MB"]["peak MB"],
            memory["citewise MB, serving"]["peak MB"],
            memory["pyserini MB, serving"],
        ],
        [
            "papers indexed a second",
            speed["citewise"],
            speed["citewise"],
            speed["pyserini: lexical index only"],
        ],
    ]


TABLES: dict[str, Callable[[], str]] = {
    "summary": summary,
    "roundtrip": roundtrip.roundtrip,
    "compiled": roundtrip.compiled,
    "quality": engine.quality,
    "latency": engine.latency,
    "memory": engine.memory,
    "build": engine.build,
    "growth": engine.growth,
    "arrays": engine.arrays,
    "in-parts": engine.in_parts,
    "kernels": engine.kernels,
    "crash": engine.crash,
    "cluster-equality": cluster.equality,
    "cluster-latency": cluster.latency,
    "cluster-faults": cluster.faults,
    "cluster-head": cluster.head,
    "dump-build": cluster.building,
    "planning-parts": cluster.parts,
    "planning-model": cluster.model,
    "planning": cluster.plan,
    "bibliographies": reading.bibliographies,
    "mutations": reading.mutations,
    "flips": engine.flips,
    "tuning": lab.tuning,
    "lab-cs": functools.partial(lab.laboratory, "cs"),
    "lab-elife": functools.partial(lab.laboratory, "elife"),
    "lab-overhead": lab.overhead,
    "pools-fields": functools.partial(lab.pools, "table 3"),
    "pools-kinds": functools.partial(lab.pools, "table 4"),
    "pools-large": lab.large_pools,
    "best": drafts.best,
    "best-speed": functools.partial(drafts.best_speed, "best-cs"),
    "best-speed-later": functools.partial(drafts.best_speed, "best-speed"),
    "best-stages": drafts.stages,
    "half-given": drafts.half_given,
    "trained": functools.partial(drafts.trained, "cs"),
    "trained-texts": functools.partial(drafts.trained, "cs-texts"),
    "ablation": drafts.ablation,
    "calibration": functools.partial(drafts.calibration, "drafts"),
    "calibration-texts": functools.partial(drafts.calibration, "texts"),
    "calibration-sentences": functools.partial(drafts.calibration, "sentences"),
    "transfer": drafts.transfer,
    "own-ranker": drafts.own_ranker,
    "self-citation": drafts.self_citation,
    "navigation": drafts.navigation,
    "reranking-cs": functools.partial(drafts.reranking, "cs"),
    "reranking-elife": functools.partial(drafts.reranking, "elife"),
    "reranking-cs-tuned": functools.partial(drafts.reranking, "cs-tuned"),
    "reranking-elife-tuned": functools.partial(drafts.reranking, "elife-tuned"),
    "reranking-cs-pairs": functools.partial(drafts.reranking, "cs-pairs"),
    "reranking-cs-texts": functools.partial(drafts.reranking, "cs-texts"),
    "reranking-elife-pairs": functools.partial(drafts.reranking, "elife-pairs"),
    "small-libraries": functools.partial(drafts.small_libraries, "cs"),
    "small-libraries-texts": functools.partial(drafts.small_libraries, "cs-texts"),
    "defaults": functools.partial(drafts.defaults, "R@10"),
    "defaults-first": functools.partial(drafts.defaults, "MRR@100"),
    "knobs": drafts.knobs,
    "knobs-authors": functools.partial(drafts.knobs, "elife 2021"),
    "reading": sentences.reading,
    "pdf": serving.pdf,
    "load": serving.load,
    "reading-stand-ins": sentences.reading_stand_ins,
    "extraction": sentences.extraction,
    "extraction-checked": sentences.extraction_checked,
    "local": sentences.local,
    "local-meaning": sentences.local_meaning,
    "local-model": sentences.local_model,
    "local-speed": sentences.local_speed,
    "local-dense": sentences.local_dense,
    "encoder": sentences.encoder,
    "nnselect-seeds": vectors.seeds,
    "nnselect-settings": vectors.settings,
    "citeomatic-cs": functools.partial(vectors.citeomatic, "cs"),
    "citeomatic-elife": functools.partial(vectors.citeomatic, "elife"),
    "nnrank-left-out": functools.partial(vectors.left_out, "elife"),
    "nnselect-neighbours": functools.partial(vectors.neighbours, "cs"),
    "vector-search": vectors.search,
    "paper-departures": papers.departures,
    "paper-statistics": papers.statistics,
    "paper-evidence": papers.evidence,
    "paper-main": papers.main_results,
    "paper-pretrained": papers.pretrained,
    "paper-starts": papers.starts,
    "paper-rounds": papers.rounds,
    "paper-sweep": papers.sweep,
    "paper-forms": papers.forms,
    "paper-whoosh": papers.whoosh,
    "paper-tokens": papers.tokens,
    "paper-citeomatic": papers.citeomatic,
    "paper-left-out": papers.left_out,
    "paper-neighbours": papers.neighbours,
    "paper-venues": papers.venues,
    "paper-self-citation": papers.self_citation,
    "paper-detailed": papers.detailed,
    "paper-sizes": papers.sizes,
    "paper-fields-2": functools.partial(papers.fields, 2),
    "paper-fields-7": functools.partial(papers.fields, 7),
    "paper-fields-8": functools.partial(papers.fields, 8),
    "paper-pools": papers.pools,
    "paper-kinds": papers.kinds,
    "paper-scidocs": papers.scidocs,
    "paper-spans": papers.spans,
    "paper-ensembles": papers.ensembles,
    "paper-thresholds": papers.thresholds,
}
"""Marker to table."""

PICTURES: dict[str, Callable[[], str]] = {
    "growth.svg": plots.growth,
    "pools.svg": plots.pools,
    "calibration.svg": plots.calibration,
}
"""File to plot, as SVG."""
