"""MDCR's benchmark made from `cs`: systems on pools by field with negatives of six kinds (tables 3
and 4), and in large candidate sets of what each field cites (tables 2, 7 and 8).

    python benchmarks/pools.py LIBRARY    (some ten minutes; pools are kept in benchmarks/work)

LIBRARY is a copy of the library of `cs` with vectors of MiniLM of every paper (`citewise encode
--papers --no-spans --model minilm`).

The fields are groups of the labels that `cs` has: classes of arXiv and names of venues. A paper is
in each group that has one of its labels (`journals` and a few that are no field are in none); a
query counts once, for the smallest of its groups. All queries of the test year 2022 are machine
learning's (cs.LG), so the other fields are filled with the newest papers that they have, mostly of
2015 to 2017. A system that was trained on papers of those years must leave the queries of these
pools out.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec

import citewise
from citewise.evaluate import (
    Estimate,
    Fields,
    Pools,
    PoolSettings,
    Question,
    Settings,
    Split,
    SplitSettings,
    build_pools,
    field_sets,
    parse_measures,
    score_pools,
    score_sets,
)
from citewise.evaluate.large import CandidateSet, part_library
from citewise.library.vectors import VECTORS
from citewise.protocols import Stores
from measuring import save
from protocol import WORK

ENCODER = "dense(vectors=minilm)"
SYSTEMS = ("bm25", "bm25-title", "bm25-keyterms", ENCODER, "hybrid(vectors=minilm)")
"""What is scored, on pools and in large sets; nothing that was trained on `cs`, from which all
queries are.
"""

NEGATIVES = ("bm25", "bm25-title", "bm25-keyterms", ENCODER)
"""What gives negatives: the three of them that have the least in common."""

LARGE = 100_000
MEASURES = parse_measures("MAP@1000 R@5")
SPLIT = SplitSettings(test=(1985, 2022), least=5)
FIELDS = Fields(
    {
        "machine learning": (
            "cs.LG",
            "stat.ML",
            "arxiv.cs.lg_2007-2017",
            "icml",
            "nips",
            "iclr",
            "iclr_2017",
            "aistats",
            "acml",
        ),
        "language": (
            "cs.CL",
            "arxiv.cs.cl_2007-2017",
            "acl",
            "acl_2017",
            "naacl",
            "coling",
            "conll_2016",
            "colm",
        ),
        "vision": (
            "cs.CV",
            "cs.GR",
            "cs.MM",
            "cvpr",
            "iccv",
            "eccv",
            "wacv",
            "siggraph",
            "siggraphasia",
            "mm",
            "acmmm",
        ),
        "artificial intelligence": (
            "cs.AI",
            "cs.LO",
            "cs.MA",
            "arxiv.cs.ai_2007-2017",
            "ijcai",
            "aaai",
            "uai",
        ),
        "neural computing": ("cs.NE",),
        "retrieval and data": (
            "cs.IR",
            "cs.DB",
            "cs.DL",
            "cs.SI",
            "sigir",
            "cikm",
            "wsdm",
            "recsys",
            "kdd",
            "www",
            "jcdl",
            "ecir",
            "ictir",
            "chiir",
            "sigmod",
            "vldb",
            "pods",
            "clef",
            "asonam",
            "ht",
            "wi",
            "umap",
        ),
        "theory and statistics": (
            "cs.DS",
            "cs.CC",
            "cs.GT",
            "cs.IT",
            "cs.NA",
            "cs.DM",
            "math.OC",
            "math.IT",
            "math.ST",
            "math.NA",
            "math.PR",
            "stat.TH",
            "stat.ME",
            "stat.CO",
            "stat.AP",
            "colt",
        ),
        "robots and people": (
            "cs.RO",
            "cs.SY",
            "cs.HC",
            "cs.CY",
            "icra",
            "iros",
            "rss",
            "corl",
            "chi",
            "chi-ea",
            "cscw",
            "uist",
            "iui",
            "ubicomp",
            "mobilehci",
            "ozchi",
            "avi",
            "mum",
        ),
    }
)


def main() -> None:
    library = citewise.open(sys.argv[1])
    questions = split_of(library).questions(library.stores, "test")
    pools = pools_of(library, questions)
    settings = Settings(MEASURES, folder=WORK / "runs")
    results = score_pools(library.stores, [*SYSTEMS], pools, settings)

    years: dict[str, Counter[int]] = {name: Counter() for name in results.queries}
    for pool in pools.pools:
        years[pool.field][library[pool.id].year or 0] += 1
    save(
        "pools-cs",
        {
            "corpus": "cs",
            "fields": {
                name: {
                    "labels": FIELDS.groups[name],
                    "queries by year": dict(sorted(found.items())),
                }
                for name, found in years.items()
            },
            "settings": msgspec.structs.asdict(pools.settings),
            "overlaps": rounded(pools.overlaps),
            "shortages": pools.shortages(),
            "kinds": pools.kinds,
            "papers": results.papers,
            "table 3": {
                each.system: {
                    "average": intervals(each.average),
                    **{field: intervals(found) for field, found in each.fields.items()},
                }
                for each in results.systems
            },
            "table 4": {
                each.system: {kind: intervals(found) for kind, found in each.kinds.items()}
                for each in results.systems
            },
            "unscored": {each.system: each.unscored for each in results.systems},
            "ms, median": {each.system: round(each.milliseconds, 2) for each in results.systems},
            "comparisons": [asdict(each) for each in results.comparisons],
            "table 2": field_level(library, questions),
        },
    )


def field_level(library: citewise.Library, questions: list[Question]) -> dict:
    """Return what systems find among all that the papers of a field cite; the queries are those of
    the pools.
    """
    settings = PoolSettings(newest=True)
    stores = library.stores
    sets = field_sets(stores, questions, FIELDS, settings, LARGE)
    sets = [*with_vectors(stores, sets, WORK / "sets")]
    return {
        each.name: {
            "papers": each.papers,
            "queries": each.queries,
            **{system: intervals(found) for system, found in each.values.items()},
        }
        for each in score_sets(stores, SYSTEMS, sets, WORK / "sets")
    }


def with_vectors(
    stores: Stores, sets: Iterable[CandidateSet], folder: Path
) -> Iterator[CandidateSet]:
    """Yield candidate sets once their libraries have the vectors that encoders made of the whole
    library's papers, which follow from a paper's text alone.
    """
    made = Path(stores.info.location, VECTORS)
    for each in sets:
        own = Path(part_library(stores, each.rows, folder).info.location, VECTORS)
        if made.exists() and not own.exists():
            shutil.copytree(made, own, copy_function=os.link)
        yield each


def split_of(library: citewise.Library) -> Split:
    """Return the split that has every possible query in its test part; a file keeps it."""
    path = WORK / f"pools-cs-{library.stores.info.fingerprint}.split.json"
    if not path.exists():
        Split.make(library.stores, SPLIT, parts=("test",)).save(path)
    return Split.load(path)


def pools_of(library: citewise.Library, questions: list[Question]) -> Pools:
    """Return the pools; a file keeps them for one state of the library and one list of systems."""
    path = WORK / f"pools-cs-{library.stores.info.fingerprint}-{'+'.join(NEGATIVES)}.jsonl"
    if not path.exists():
        pool_settings = PoolSettings(systems=NEGATIVES, newest=True)
        settings = Settings(folder=WORK / "runs")
        build_pools(library.stores, questions, pool_settings, FIELDS, settings).save(path)
    return Pools.load(path)


def intervals(found: Mapping[str, Estimate]) -> dict[str, list[float]]:
    """Return each measure as value, lower and upper bound."""
    return {
        name: [round(each.value, 4), round(each.low, 4), round(each.high, 4)]
        for name, each in found.items()
    }


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


if __name__ == "__main__":
    main()
