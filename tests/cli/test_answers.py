"""The commands that recommend: they say what Python says, in every format, for drafts and for files
of queries.
"""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import citewise
from citewise.render import renderers
from citewise.render.citation_keys import citation_keys
from citewise.systems import DEFAULT
from command_line import Done, Run
from corpora import GOLDEN

TITLE = "How honey bees dance and swarm"
ABSTRACT = "Foraging bees tell the hive about food."


def for_bees(library: Path, *more: object) -> tuple[object, ...]:
    return ("recommend", "--library", library, "--title", "honey bees", "--format", "bibtex", *more)


def ids_of(done: Done) -> list[str]:
    assert done.code == 0, done.err
    return [each["paper"]["id"] for each in json.loads(done.out)["recommendations"]]


# Answers


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k": 2},
        {"system": "bm25-title"},
        {"system": "bm25(k1=0.9,b=0.4)"},
        {"year": 2012},
        {"since": 1985},
        {"since": 1985, "year": 2012},
    ],
    ids=str,
)
def test_json_says_what_python_says(
    run: Run, golden_library: Path, options: dict[str, Any]
) -> None:
    words = [
        f"--{ {'year': 'before'}.get(name, name) }={value}" if name != "k" else f"-k{value}"
        for name, value in options.items()
    ]
    draft = ("--title", TITLE, "--abstract", ABSTRACT)
    done = run("recommend", "-l", golden_library, *draft, "--format", "json", *words)
    library = citewise.open(golden_library)
    found = json.loads(done.out)
    expected = library.recommend(TITLE, ABSTRACT, **options)
    keys = citation_keys([each.paper for each in expected])
    documents = msgspec.json.decode(msgspec.json.encode(expected.recommendations))
    assert found["recommendations"] == [
        {
            **{
                name: value
                for name, value in each.items()
                if name not in ("base", "contributions", "reasons")
            },
            "citation_key": key,
        }
        for each, key in zip(documents, keys, strict=True)
    ]
    assert len(expected) > 0
    assert found["match"] == expected.match and found["confidence"] == expected.confidence
    assert found["calibrated_by"] == expected.calibrated_by
    assert found["read"]["title"] == TITLE
    assert found["library"] == {
        "path": str(golden_library),
        "generation": 1,
        "fingerprint": library.stores.info.fingerprint,
    }
    assert found["system"] == options.get("system", DEFAULT)
    assert (found["query"]["title"], found["query"]["year"]) == (TITLE, options.get("year"))


ENTRIES = {
    "bibtex": r"(?m)^@\w+\{",
    "ris": r"(?m)^ER  -",
    "markdown": r"(?m)^(?:[-*]|\d+\.) ",
    "json": r'"rank": \d+',
    "csl": r'"title":',
    "table": r"(?m)^ *\d+ +[█▏▎▍▌▋▊▉]* +(?:<1|\d+)% ",
}


@pytest.mark.slow
@pytest.mark.parametrize("format", renderers())
def test_every_format_has_an_entry_a_paper(
    run: Run, golden_library: Path, format: str, tmp_path: Path
) -> None:
    command = ["recommend", "--library", golden_library, "--title", TITLE, "--format", format]
    count = len(citewise.open(golden_library).recommend(TITLE))
    done = run(*command)
    assert done.code == 0
    assert len(re.findall(ENTRIES[format], done.out)) == count > 3
    run(*command, "-o", tmp_path / "answer")
    assert (tmp_path / "answer").read_text() == done.out, "a file has the same"
    assert len(re.findall(ENTRIES[format], run(*command, "-k", "1").out)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("format", ["bibtex", "ris", "csl"])
def test_an_answer_can_be_indexed_again(
    run: Run, golden_library: Path, format: str, tmp_path: Path
) -> None:
    answer = tmp_path / "answer"
    run(
        "recommend", "--library", golden_library, "--title", TITLE, "--format", format, "-o", answer
    )
    assert run("index", answer, "--library", tmp_path / "again").code == 0
    titles = {each.paper.title for each in citewise.open(golden_library).recommend(TITLE)}
    papers = citewise.open(tmp_path / "again").stores.papers
    assert {*papers.titles(papers.rows)} == titles


def test_nothing_found_is_reported_and_is_no_error(run: Run, golden_library: Path) -> None:
    done = run(
        "recommend", "--library", golden_library, "--title", "xylophone", "--format", "bibtex"
    )
    assert (done.code, done.out.strip()) == (0, "")
    assert "No paper of the library shares a term" in done.err


# Drafts

DRAFTS = {
    "draft.txt": f"{TITLE}\n\nAbstract\n{ABSTRACT}\n\nIntroduction\nRobots build walls.\n",
    "draft.md": f"# {TITLE}\n\n## Abstract\n\n{ABSTRACT}\n\n"
    "## Introduction\n\nRobots build walls.\n",
    "draft.tex": f"\\documentclass{{article}}\\title{{{TITLE}}}\\begin{{document}}"
    f"\\begin{{abstract}}{ABSTRACT}\\end{{abstract}}"
    "\\section{Introduction} Robots build walls.\\end{document}",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_is_its_title_and_its_abstract(
    run: Run, golden_library: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(DRAFTS[name])
    given = ["--library", golden_library, "--format", "json"]
    expected = run("recommend", *given, "--title", TITLE, "--abstract", ABSTRACT)
    assert run("recommend", tmp_path / name, *given).out == expected.out
    assert run("recommend", "-", *given, stdin=DRAFTS[name].encode()).out == expected.out
    other = run("recommend", tmp_path / name, *given, "--title", "Robots")
    assert json.loads(other.out)["query"]["title"] == "Robots", (
        "a title that is given goes before the draft's"
    )


def test_what_a_draft_cites_is_left_out(run: Run, golden_library: Path, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        "@article{frisch, title={The dance language of honey bees}, doi={10.1000/DANCE}}\n"
        "@article{uhr, title={Circadian clocks guide foraging bees}, author={Uhr, Mina}, "
        "year={1985}}\n"
    )
    (tmp_path / "draft.tex").write_text(
        DRAFTS["draft.tex"].replace("Robots", r"As \cite{frisch} says, \bibliography{refs} robots")
    )
    # by words: what is left out changes no order
    given = ["--library", golden_library, "--format", "json", "--system", "bm25"]
    everything = ids_of(run("recommend", "--title", TITLE, "--abstract", ABSTRACT, *given))
    found = ids_of(run("recommend", tmp_path / "draft.tex", *given))
    assert found == [name for name in everything if name != "doi:10.1000/dance"]
    found = ids_of(
        run("recommend", tmp_path / "draft.tex", *given, "--cited", tmp_path / "refs.bib")
    )
    assert found == [
        name for name in everything if name not in ("doi:10.1000/dance", "doi:10.1000/clock")
    ]


def test_cited_keys(run: Run, golden_library: Path) -> None:
    options = ["--title", TITLE, "--format", "json", "--system", "bm25"]
    given = ["recommend", "--library", golden_library, *options]
    everything = ids_of(run(*given))
    done = run(
        *given, "--cited", "PMID:101,https://arxiv.org/abs/1203.00002", "--cited", "own-7,nobody[1]"
    )
    gone = {"doi:10.1000/dance", "arxiv:1203.00002", "own-7"}
    assert gone <= {*everything}
    assert ids_of(done) == [name for name in everything if name not in gone]
    assert done.err == "Not in the library, so not used: nobody[1]\n"


def test_years(run: Run, golden_library: Path) -> None:
    given = ["recommend", "--library", golden_library, "--title", TITLE, "--format", "json"]
    years = {paper.id: paper.year for paper in GOLDEN}
    found = [years[name] for name in ids_of(run(*given, "--until", "2012", "--since", "1985"))]
    assert found and all(year and 1985 <= year <= 2012 for year in found)
    assert 2012 in found, "the year itself is included"

    done = run(*given, "--before", "2012", "--since", "1985")
    assert [years[name] for name in ids_of(done)] == found
    assert done.err == "--before is now --until; it includes the year itself\n"

    assert None in [years[name] for name in ids_of(run(*given))], (
        "without limits, papers without a year are seen"
    )


def test_a_long_list_of_cited_keys(run: Run, golden_library: Path) -> None:
    keys = ",".join([*(f"arXiv:1706.{number:05}" for number in range(400)), "own-7"])
    code, out, err = run(*for_bees(golden_library, "--cited", keys))
    assert code == 0
    assert "neonicotinoid" not in out and "dance language" in out
    assert err.startswith("Not in the library, so not used: arXiv:1706.00000")


def test_an_empty_bibliography_beside_a_draft(
    run: Run, golden_library: Path, tmp_path: Path
) -> None:
    (tmp_path / "draft.tex").write_text(
        r"\documentclass{article}\title{Honey bees}\begin{document}\cite{x}"
        r"\bibliography{refs}\end{document}"
    )
    (tmp_path / "refs.bib").write_text("")
    assert run("recommend", tmp_path / "draft.tex", "--library", golden_library)[0] == 0


@pytest.mark.parametrize(
    "option",
    [
        ("--until", "0"),
        ("--since", "-5"),
        ("--until", "-1"),
        ("--since", "9" * 20),
        ("--until", "9" * 20),
    ],
)
def test_years_that_no_paper_can_have(
    run: Run, golden_library: Path, option: tuple[str, str]
) -> None:
    code, _, err = run(*for_bees(golden_library, *option))
    assert code in (0, 2) and "Traceback" not in err


# Runs


@pytest.mark.slow
def test_a_trec_run(run: Run, golden_library: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    lines = [
        json.dumps({"id": "q 1", "title": TITLE}),
        "{broken",
        json.dumps({"title": "no id"}),
        "[7]",
        json.dumps({"id": 2, "abstract": ABSTRACT, "year": 1990}),
        "",
        json.dumps({"id": "q3"}),
        json.dumps(
            {"id": "q4", "title": "bees", "cited": ["doi:10.1000/clock", "nobody"], "year": "2012"}
        ),
        json.dumps({"id": "q6", "title": "bees", "cited": ["own-7", 5]}),
        json.dumps({"id": "q7", "title": "bees", "year": "MMXII"}),
        json.dumps({"id": "q9", "title": "bees", "year": "²"}),
        json.dumps({"id": "q8", "title": ["bees"]}),
        json.dumps({"id": "q5", "title": "xylophone"}),
    ]
    queries.write_text("\n".join(lines))
    output = tmp_path / "out.run"
    given = ["--library", golden_library, "-k", "3"]
    done = run("run", "--queries", queries, *given, "-o", output)
    assert (done.code, done.out) == (0, "")

    rows = [line.split(" ") for line in output.read_text().splitlines()]
    assert all(len(row) == 6 and row[1] == "Q0" and row[5] == DEFAULT for row in rows)
    library = citewise.open(golden_library)
    asked: dict[str, dict[str, Any]] = {
        "q%201": {"title": TITLE},
        "2": {"abstract": ABSTRACT, "year": 1990},
        "q4": {"title": "bees", "cited": ["doi:10.1000/clock"], "year": 2012},
    }
    expected = [
        [
            query,
            "Q0",
            "%20".join(each.paper.id.split()),
            str(each.rank),
            str(np.float32(each.score)),
            DEFAULT,
        ]
        for query, question in asked.items()
        for each in library.recommend(**question, k=3)
    ]
    assert rows == expected

    shown = "".join(done.err.split())
    for word in ("malformed_json1", "not_a_query6", "not_an_object1", "queries.jsonl:2"):
        assert word in shown
    again = run("run", "--queries", "-", *given, stdin=queries.read_bytes())
    assert again.out == output.read_text()


def test_the_tag_of_a_run_is_the_system(run: Run, golden_library: Path) -> None:
    options = ["--library", golden_library, "--system", "bm25( k1=0.9, b=0.4 )"]
    done = run("run", "--queries", "-", *options, stdin=b'{"id": "q", "title": "bees"}')
    assert {line.split(" ")[5] for line in done.out.splitlines()} == {"bm25(k1=0.9,b=0.4)"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "year", ["1e400", "-1", "99999999999999999999999", "true", '"soon"', "[2000]", "2000.5"]
)
def test_a_query_with_a_strange_year_stops_nothing(
    run: Run, golden_library: Path, tmp_path: Path, year: str
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "q1", "title": "honey bees", "year": ' + year + "}\n"
        '{"id": "q2", "title": "robot swarms"}\n'
    )
    code, out, _ = run("run", "--queries", queries, "--library", golden_library, "--system", "bm25")
    assert code == 0
    assert "q2 Q0 openalex:W2015000100 1 " in out


def test_two_queries_with_one_id(run: Run, golden_library: Path, tmp_path: Path) -> None:
    # trec_eval refuses a run file with an id twice: the second must be left out, and reported.
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        '{"id": "q1", "title": "honey bees"}\n{"id": "q1", "title": "robot swarms"}\n'
    )
    code, out, err = run("run", "--queries", queries, "--library", golden_library)
    assert code == 0 and "q1" in err
    assert sum(line.split()[3] == "1" for line in out.splitlines()) == 1


def test_an_id_with_white_space_stays_one_column(
    run: Run, tmp_path: Path, golden_library: Path
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "my query", "title": "swarms of bees note"}\n')
    _, out, _ = run("run", "--queries", queries, "--library", golden_library, "--system", "bm25")
    assert all(len(line.split()) == 6 for line in out.splitlines())
    assert out.startswith("my%20query Q0 own%208 1 ")


def test_a_query_that_cannot_be_answered_does_not_end_a_run(run: Run, golden_library: Path) -> None:
    lines = [
        '{"id": "one", "title": "bees"}',
        '{"id": "two", "title": "bees", "year": 1990, "since": 2000}',
        '{"id": "three", "title": "bees", "no_self_citations": true}',
        '{"id": "four", "sentence": "the of and"}',
        '{"id": "five", "title": "ants"}',
    ]
    stdin = "\n".join(lines).encode()
    code, out, err = run("run", "--queries", "-", "--library", golden_library, stdin=stdin)
    assert code == 0, err
    assert {line.split()[0] for line in out.splitlines()} >= {"one", "five"}
    assert "Traceback" not in err and "standard input:3" in err
