"""Pools of others, in small files of their layouts that we made: MDCR's and SciDocs'."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import citewise
from citewise.errors import BadInput, MissingData
from citewise.evaluate import Pool, Pools, read_pools, read_texts, score_pools
from citewise.ingest.report import Report
from citewise.memory import MemoryStores
from citewise.recommend import scope_of
from command_line import Run

WORDS = (
    "bees dance on combs",
    "ants follow trails",
    "robots lay bricks",
    "parsers build trees",
    "bees swarm in spring",
    "clocks guide bees",
    "stars burn hydrogen",
    "rivers carry sand",
    "glaciers carve valleys",
)
MDCR = {
    "Biology": {
        "100": {
            "true": ["101", "102"],
            "bm25": ["103"],
            "graph": ["104"],
            "most_cited": ["105"],
            "random": ["106"],
            "scincl": ["107"],
            "specter": ["108"],
        }
    },
    "Art": {
        "103": {
            "true": [104],
            "bm25": ["100", "999"],
            "graph": [],
            "most_cited": [],
            "random": ["106"],
            "scincl": [],
            "specter": [],
        }
    },
}
SHAS = [f"{number:040x}" for number in range(9)]


def text(id: str, number: int) -> dict[str, object]:
    return {
        "paper_id": id,
        "title": f"When {WORDS[number]}",
        "abstract": f"We show that {WORDS[number]}.",
    }


@pytest.fixture
def mdcr(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "mdcr_test.json").write_text(json.dumps(MDCR))
    (tmp_path / "mdcr_test_data.jsonl").write_text(
        "".join(json.dumps(text(f"{100 + number}", number)) + "\n" for number in range(9))
    )
    return tmp_path / "mdcr_test.json", tmp_path / "mdcr_test_data.jsonl"


@pytest.fixture
def scidocs(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "cite").mkdir()
    (tmp_path / "cite" / "test.qrel").write_text(
        "".join(
            f"{SHAS[0]} 0 {SHAS[number]} {grade}\n"
            for number, grade in enumerate((1, 0, 0, 1, 1, 0, 0, 0), 1)
        )
    )
    metadata = {
        sha: {
            **text(sha, number),
            "year": 2000 + number if number else 2010,
            "cited_by": [],
            "references": SHAS[1:4],
            "authors": ["1"],
        }
        for number, sha in enumerate(SHAS)
    }
    metadata[SHAS[8]] |= {"abstract": None, "year": None}
    (tmp_path / "paper_metadata_view_cite_read.json").write_text(json.dumps(metadata))
    return tmp_path / "cite" / "test.qrel", tmp_path / "paper_metadata_view_cite_read.json"


def test_mdcr(mdcr: tuple[Path, Path], tmp_path: Path) -> None:
    pools = read_pools(mdcr[0])
    assert [(pool.field, pool.id) for pool in pools.pools] == [("Biology", "100"), ("Art", "103")]
    assert pools.pools[0].cited == ("101", "102")
    assert pools.kinds == ("bm25", "graph", "most-cited", "random", "scincl", "specter")
    assert pools.pools[1].cited == ("104",), "ids may be numbers"
    citewise.add(read_texts(mdcr[1]), tmp_path / "library", keep_versions=True)
    results = score_pools(citewise.open(tmp_path / "library").stores, ["bm25"], pools)
    assert results.queries == {"Biology": 1, "Art": 1} and (results.absent, results.unseen) == (
        1,
        0,
    )
    (found,) = results.systems
    assert found.kinds.keys() == {*pools.kinds} and 0 < found.average["MAP@1000"].value <= 1


def test_scidocs(scidocs: tuple[Path, Path], tmp_path: Path) -> None:
    pools = read_pools(scidocs[0])
    (pool,) = pools.pools
    assert (pool.id, pool.field, pool.cited) == (SHAS[0], "cite", (SHAS[1], SHAS[4], SHAS[5]))
    assert pool.negatives == {"random": (SHAS[2], SHAS[3], *SHAS[6:])}
    papers = [*read_texts(scidocs[1])]
    assert papers[0].year == 2010 and not any(paper.references for paper in papers), (
        "references would tell"
    )
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    results = score_pools(citewise.open(tmp_path / "library").stores, ["bm25"], pools)
    assert results.papers == 8 and results.unseen == 0 and results.published, (
        "a paper without a year stays in the pool of a query with one"
    )


@pytest.mark.slow
@pytest.mark.parametrize("system", ["bm25", "best", "dense", "compose(expand=neighbours)"])
def test_published_pools_are_scored_as_they_are(system: str, tmp_path: Path) -> None:
    """A pool of four with one younger candidate and one with nearly the query's title, which the
    guard would take out: both are ranked, and MAP is worked out by hand.
    """
    title = "How bees dance on combs of wax in spring"
    papers = [
        citewise.Paper("q", title, "Bees dance.", 2010),
        citewise.Paper("same", f"{title} again", "Bees dance.", 2009),
        citewise.Paper("young", "How bees dance on combs", "Combs of wax in spring.", 2015),
        citewise.Paper("old", "Bees in spring", "They swarm.", 2001),
        citewise.Paper("far", "Glaciers carve valleys", "Slowly, by ice.", 2002),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    stores = citewise.open(tmp_path / "library").stores
    qrels = tmp_path / "cite" / "test.qrel"
    qrels.parent.mkdir()
    qrels.write_text("q 0 old 1\nq 0 young 1\nq 0 same 0\nq 0 far 0\n")

    results = score_pools(stores, [system], read_pools(qrels))
    assert (results.papers, results.unseen) == (4, 0)
    if system == "bm25":
        # same, young, old, far: the cited are second and third, (1/2 + 2/3) / 2
        assert results.systems[0].average["MAP@1000"].value == pytest.approx(7 / 12)
        assert results.systems[0].unscored == 1, "far shares no word with the query"


def test_a_published_pool_does_not_show_later_citations(tmp_path: Path) -> None:
    """The younger candidate is ranked; what cites it is not seen."""
    papers = [
        citewise.Paper("q", "How bees dance", "Bees dance.", 2010, references=("young",)),
        citewise.Paper("young", "Swarms", "Of robots.", 2015),
        citewise.Paper("other", "Swarms", "Of ants.", 2001),
        citewise.Paper("later", "Bees dance again", "Bees.", 2016, references=("young",)),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    stores = citewise.open(tmp_path / "library").stores
    (pool,) = (
        Pools((Pool(id="q", field="", cited=("young",), negatives={"random": ("other",)}),))
        .resolve(stores)
        .pools
    )

    question = pool.question
    scope = scope_of(stores.papers, question.query, question.within, question.as_given)
    young = stores.papers.find(["young"])
    assert stores.papers.in_scope(young, scope).all()
    assert not stores.graph.citers(young, scope).values.size


def test_files_of_no_known_layout_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="no such file"):
        read_pools(tmp_path / "missing")
    with pytest.raises(MissingData, match="no such file"):
        [*read_texts(tmp_path / "missing")]
    (tmp_path / "list.json").write_text('{"Art": ["1", "2"]}')
    with pytest.raises(BadInput, match="neither pools of citewise nor of MDCR"):
        read_pools(tmp_path / "list.json")
    (tmp_path / "gold.qrel").write_text("1 0 2 1\n")
    with pytest.raises(BadInput, match="no judgement of 0"):
        read_pools(tmp_path / "gold.qrel")
    (tmp_path / "texts.json").write_text('[{"title": "No id"}]')
    with pytest.raises(BadInput, match="paper_id"):
        [*read_texts(tmp_path / "texts.json")]


def test_published_pools_are_not_written_again(mdcr: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="keep their file"):
        read_pools(mdcr[0]).save(tmp_path / "copy.jsonl")
    assert Pools(()).shortages() == {}


def test_odd_lines_of_texts_are_counted_and_named(
    mdcr: tuple[Path, Path], tmp_path: Path, run: Run
) -> None:
    lines = mdcr[1].read_text().splitlines()
    lines[2:2] = ["{broken", '{"title": "no id"}', '["a list"]', "", '{"paper_id": {}}']
    mdcr[1].write_text("\n".join(lines))
    report = Report()
    papers = [*read_texts(mdcr[1], report)]
    assert len(papers) == 9 and report.counts == {("skipped", "not_a_paper"): 4}
    events = report.examples["skipped", "not_a_paper"]
    assert [event.line for event in events] == [3, 4, 5, 7]
    with pytest.raises(BadInput, match=r"mdcr_test_data\.jsonl:3: a line is"):
        [*read_texts(mdcr[1])]

    code, _, messages = run("pools", "import", mdcr[1], "--library", tmp_path / "library")
    assert code == 0 and "9 papers added" in messages and "not_a_paper" in messages


def test_scores_of_pairs_rank_published_pools(mdcr: tuple[Path, Path], tmp_path: Path) -> None:
    citewise.add(read_texts(mdcr[1]), tmp_path / "library", keep_versions=True)
    scores: dict[str, float] = {f"100_{100 + number}": 10 - number for number in range(1, 9)}
    scores |= {"103_104": 0.1, "103_100": 0.2, "103_106": 0.3}
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    stores = citewise.open(tmp_path / "library").stores
    results = score_pools(stores, [f"run:{tmp_path / 'scores.json'}"], read_pools(mdcr[0]))
    (found,) = results.systems
    # Biology: both cited papers first, MAP 1. Art: the cited paper third of three, MAP 1/3.
    assert found.fields["Biology"]["MAP@1000"].value == 1
    assert found.fields["Art"]["MAP@1000"].value == pytest.approx(1 / 3)
    assert found.unscored == 0


@pytest.mark.parametrize("in_memory", [False, True])
def test_every_paper_of_a_given_pool_is_in_scope(in_memory: bool, tmp_path: Path) -> None:
    papers = [
        citewise.Paper("q", "How bees dance", "Bees dance.", 2010),
        citewise.Paper("young", "Swarms of robots", "They dance.", 2015),
        citewise.Paper("undated", "Swarms of ants", "They dance too."),
        citewise.Paper("old", "Swarms of bees", "They all dance.", 2001),
    ]
    citewise.add(papers, tmp_path / "library", keep_versions=True)
    stores = MemoryStores.of(papers) if in_memory else citewise.open(tmp_path / "library").stores
    rows = stores.papers.find(["young", "undated", "old"])
    query = citewise.Query("How bees dance", id="q", year=2010)

    guarded = scope_of(stores.papers, query, rows.tolist())
    given = scope_of(stores.papers, query, rows[:2].tolist(), as_given=True)
    assert stores.papers.in_scope(rows, guarded).tolist() == [False, False, True]
    assert stores.papers.in_scope(rows, given).tolist() == [True, True, False], "only the pool"
    everywhere = replace(given, within=None)
    assert stores.papers.in_scope(rows, everywhere).tolist() == [False, False, True], (
        "without a pool, there is nothing that is given"
    )
